import CEnchant
import Dispatch
import InkstoneUnicode
import Synchronization

/// The spelling library Enchant, with its dictionaries, personal words and suggestions, on a serial queue. Requests
/// may be made on any thread; closures with results are called on the engine's queue.
///
/// The library is loaded at the first request. Without the library or a fitting dictionary, every word counts as
/// correct. A dictionary takes about 10 MB and 40 ms to load; suggestions may take a quarter of a second.
public final class SpellingEngine: Sendable {
    /// A word of a text to be checked, with the compound that it may be a part of.
    public struct Word: Hashable, Sendable {
        /// The word, without apostrophes around it.
        public var text: String
        /// The word together with the words that hyphens join to it; nil if there are none.
        public var compound: String?
        /// Whether a full stop follows the word, which may be part of an abbreviation.
        public var hasStop = false

        /// Creates a word to be checked, by default without a compound.
        public init(_ text: String, compound: String? = nil, hasStop: Bool = false) {
            (self.text, self.compound, self.hasStop) = (text, compound, hasStop)
        }
    }

    /// The only engine of this process.
    public static let shared = SpellingEngine()
    /// The maximum length, in bytes, of a word that is checked, and the maximum number of letters of a word for
    /// suggestions. A longer word counts as correct, or gets no suggestions.
    static let (wordLimit, suggestionLimit) = (200, 64)

    private let queue = DispatchQueue(label: "spelling", qos: .utility)
    // The library; nil before it is loaded, and if it is not installed. Used on the queue only, like `isLoaded`.
    private nonisolated(unsafe) var library: Library?
    private nonisolated(unsafe) var isLoaded = false
    private let requests = RequestCounter()

    private init() {}

    /// Determines the dictionaries for languages. Calls `body` with the tags, in order and each once; languages
    /// without a dictionary are omitted. `de` gets `de_DE` if there is no dictionary `de`. The locales `C` and
    /// `POSIX` have none.
    public func resolve(_ languages: [String], then body: @escaping @Sendable ([String]) -> Void) {
        queue.async { [self] in
            var found: [String] = []
            let tags = loaded()?.tags ?? []
            for language in languages {
                if let tag = Self.tag(for: language, in: tags), !found.contains(tag) { found.append(tag) }
            }
            body(found)
        }
    }

    /// The tags of all installed dictionaries, sorted. Blocks while the engine handles other requests.
    public var dictionaries: [String] { queue.sync { loaded()?.tags.sorted() ?? [] } }

    /// Returns the tag of the dictionary for a language or a locale; nil if there is none. Blocks while the engine
    /// handles other requests.
    public func dictionary(for language: String) -> String? {
        queue.sync { Self.tag(for: language, in: loaded()?.tags ?? []) }
    }

    /// Returns the tag that fits the name of a locale or language best; nil if none fits.
    static func tag(for language: String, in tags: [String]) -> String? {
        let name = language.prefix { $0 != "." && $0 != "@" }.split(whereSeparator: { $0 == "-" || $0 == "_" })
        guard let first = name.first?.lowercased(), first.count >= 2, first != "posix" else { return nil }
        let region = name.dropFirst().last { $0.utf8.count == 2 }?.uppercased()
        let own = region.map { "\(first)_\($0)" } ?? first
        let usual = "\(first)_\(first == "en" ? "US" : first.uppercased())"
        return [own, first, usual].first { tags.contains($0) } ?? tags.sorted().first { $0.hasPrefix("\(first)_") }
    }

    /// Checks words. Calls `body` with one value for each word: true if the word is correct. A word is correct if
    /// one of its forms is in a dictionary that has one of the tags and fits the word's script. If there is no such
    /// dictionary, the word counts as correct.
    public func check(_ words: [Word], in tags: [String], then body: @escaping @Sendable ([Bool]) -> Void) {
        queue.async { [self] in
            guard let library = loaded() else { return body(words.map { _ in true }) }
            body(words.map { library.isRight($0, in: tags) })
        }
    }

    /// Requests corrections of a word. Calls `body` with the suggestions, the best first. A word of more than 64
    /// letters gets none. Calls `body` with nil if suggestions were requested again meanwhile, for this or another
    /// word.
    public func suggestions(
        for word: String, in tags: [String], limit: Int = 5, then body: @escaping @Sendable ([String]?) -> Void
    ) {
        let number = requests.next()
        queue.async { [self] in
            guard requests.isLast(number) else { return body(nil) }
            guard word.count <= Self.suggestionLimit, let library = loaded() else { return body([]) }
            let found = library.suggestions(for: word, in: tags, limit: limit) { self.requests.isLast(number) }
            body(requests.isLast(number) ? found : nil)
        }
    }

    /// Adds a word to the user's personal words for a language tag such as `en_US`. Other programs use these words
    /// as well. Calls `body` afterwards, on the queue.
    public func add(_ word: String, to tag: String, then body: @escaping @Sendable () -> Void = {}) {
        queue.async { [self] in
            loaded()?.learn(word, tag, isKept: true)
            body()
        }
    }

    /// Accepts a word for some tags until the program ends.
    public func ignore(_ word: String, in tags: [String], then body: @escaping @Sendable () -> Void = {}) {
        queue.async { [self] in
            for tag in tags { loaded()?.learn(word, tag, isKept: false) }
            body()
        }
    }

    private func loaded() -> Library? {
        if !isLoaded {
            isLoaded = true
            library = Library()
        }
        return library
    }
}

/// A counter that shows whether a request is the latest one: only the latest gets suggestions.
private final class RequestCounter: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock {
            $0 += 1
            return $0
        }
    }

    func isLast(_ number: Int) -> Bool { last.withLock { $0 == number } }
}

/// The loaded library with its dictionaries. Used on the engine's queue only.
private final class Library {
    private let functions: cenchant_functions
    private let broker: OpaquePointer
    let tags: [String]
    /// The dictionaries by their tags; nil for a dictionary that could not be loaded.
    private var dictionaries: [String: OpaquePointer?] = [:]
    /// The tags of the loaded dictionaries, the most recently used one last.
    private var used: [String] = []
    /// The maximum number of loaded dictionaries, because a text may name any number of languages. If another one is
    /// loaded, the least recently used one is released.
    private static let dictionaryLimit = 8
    /// The words to accept until the program ends, by tag. They are added to a dictionary whenever it is loaded
    /// again.
    private var ignored: [String: Set<String>] = [:]

    init?() {
        let table = UnsafeMutablePointer<cenchant_functions>.allocate(capacity: 1)
        defer { table.deallocate() }
        guard cenchant_load("libenchant-2.so.2", table) else { return nil }
        functions = table.pointee
        guard let broker = functions.enchant_broker_init() else { return nil }
        self.broker = broker
        final class Names { var tags: [String] = [] }
        let names = Names()
        functions.enchant_broker_list_dicts(
            broker,
            { tag, _, _, _, context in
                guard let context else { return }
                Unmanaged<Names>.fromOpaque(context).takeUnretainedValue().tags.append(String(cString: tag))
            }, Unmanaged.passUnretained(names).toOpaque())
        tags = names.tags
    }

    private func dictionary(_ tag: String) -> OpaquePointer? {
        if let known = dictionaries[tag] {
            if known != nil, used.last != tag {
                used.removeAll { $0 == tag }
                used.append(tag)
            }
            return known
        }
        if used.count == Self.dictionaryLimit, let old = dictionaries.removeValue(forKey: used.removeFirst()) ?? nil {
            functions.enchant_broker_free_dict(broker, old)
        }
        // Enchant creates files for any requested tag, so request only tags of existing dictionaries.
        let new = tags.contains(tag) ? functions.enchant_broker_request_dict(broker, tag) : nil
        dictionaries[tag] = .some(new)
        guard let new else { return nil }
        used.append(tag)
        for word in ignored[tag] ?? [] { functions.enchant_dict_add_to_session(new, word, word.utf8.count) }
        return new
    }

    func isRight(_ word: SpellingEngine.Word, in tags: [String]) -> Bool {
        let script = SpellingWords.script(of: word.text)
        let fitting = tags.filter { SpellingWords.scripts(of: $0).contains(script) }.filter { dictionary($0) != nil }
        return fitting.isEmpty || fitting.contains { tag in forms(of: word, tag).contains { has($0, tag) } }
    }

    private func forms(of word: SpellingEngine.Word, _ tag: String) -> [String] {
        var forms = [word.text]
        let straight = String(word.text.map { $0 == "\u{2019}" ? "'" : $0 })
        if straight != word.text { forms.append(straight) }
        if word.hasStop { forms.append(word.text + ".") }
        if let compound = word.compound { forms.append(compound) }
        // In English, check words such as naïve and café without their diacritical marks too; in other languages
        // the marks distinguish words.
        if tag.hasPrefix("en"), let bare = SpellingWords.withoutMarks(word.text) { forms.append(bare) }
        return forms
    }

    private func has(_ word: String, _ tag: String) -> Bool {
        guard let dictionary = dictionary(tag), Self.isUsable(word) else { return true }
        // Count the word as correct if the result is negative, which means a failure of the library.
        return functions.enchant_dict_check(dictionary, word, word.utf8.count) <= 0
    }

    /// Whether a word may be passed to the library: it is not too long, not empty, and has no zero byte. An empty
    /// word, or a zero byte, would cause a warning of GLib that may end the program.
    private static func isUsable(_ word: String) -> Bool {
        (1...SpellingEngine.wordLimit).contains(word.utf8.count) && !word.utf8.contains(0)
    }

    func suggestions(for word: String, in tags: [String], limit: Int, while goesOn: () -> Bool) -> [String] {
        let script = SpellingWords.script(of: word)
        // Interleave the lists: the best suggestions of all dictionaries come before the second best.
        var lists: [[String]] = []
        for tag in tags where SpellingWords.scripts(of: tag).contains(script) && goesOn() {
            guard let dictionary = dictionary(tag), Self.isUsable(word) else { continue }
            var count = 0
            guard let list = functions.enchant_dict_suggest(dictionary, word, word.utf8.count, &count) else { continue }
            lists.append((0..<min(count, limit)).map { String(cString: list[$0]) })
            functions.enchant_dict_free_string_list(dictionary, list)
        }
        var found: [String] = []
        for index in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where index < list.count && !found.contains(list[index]) { found.append(list[index]) }
        }
        return Array(found.prefix(limit))
    }

    func learn(_ word: String, _ tag: String, isKept: Bool) {
        guard let dictionary = dictionary(tag), Self.isUsable(word) else { return }
        if isKept {
            functions.enchant_dict_add(dictionary, word, word.utf8.count)
        } else {
            ignored[tag, default: []].insert(word)
            functions.enchant_dict_add_to_session(dictionary, word, word.utf8.count)
        }
    }
}
