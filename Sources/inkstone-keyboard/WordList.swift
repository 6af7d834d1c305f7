import Glibc

/// The words of a language, from the system's word list (`/usr/share/dict`); empty if there is no list for the
/// language.
struct WordList: Sendable {
    /// A word, and its lower-case form for comparisons.
    private struct Word: Sendable {
        var text: String
        var lower: String

        init(_ text: String) { (self.text, lower) = (text, text.lowercased()) }
    }

    /// The words by their first letter in lower case, the shortest first. Words shorter than three bytes are left
    /// out, and so are words that end in s.
    private var words: [Character: [Word]] = [:]

    /// Creates a list without words.
    init() {}

    /// The names of the word lists of each language, in the order in which they are tried.
    private static let files = ["en": ["american-english", "british-english"], "de": ["ngerman", "german"]]

    init(language: String) {
        for name in Self.files[language] ?? [] {
            guard let text = Self.read("/usr/share/dict/" + name) else { continue }
            for word in text.split(separator: "\n") where word.utf8.count > 2 && word.utf8.last != UInt8(ascii: "s") {
                let word = Word(String(word))
                if let first = word.lower.first { words[first, default: []].append(word) }
            }
            for first in words.keys { words[first]?.sort { $0.text.utf8.count < $1.text.utf8.count } }
            break
        }
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 16 << 20 {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the beginning of a word at the end of a text; empty if the text does not end in a letter.
    static func beginning(in text: String?) -> String {
        String((text ?? "").reversed().prefix { $0.isLetter }.reversed())
    }

    /// Returns words that begin like the last word of a text, which is not finished. Words that occur in the text
    /// come first, then those of the list. Each begins with the letters as typed. Empty if fewer than two letters
    /// were typed.
    func completions(of text: String?, limit: Int = 3) -> [String] {
        let start = Self.beginning(in: text)
        guard start.count >= 2, let first = start.lowercased().first else { return [] }
        let earlier = (text ?? "").dropLast(start.count).split { !$0.isLetter }.reversed().map { Word(String($0)) }
        let lower = start.lowercased()
        var found: [String] = []
        for word in [earlier, words[first] ?? []].joined() {
            guard word.lower.hasPrefix(lower), word.text.count > start.count else { continue }
            let whole = start + word.text.dropFirst(start.count)
            if !found.contains(whole) { found.append(whole) }
            if found.count == limit { break }
        }
        return found
    }
}
