import CEnchant
import Dispatch
import InkstoneUnicode
import Synchronization

/// Enchant: dictionaries, personal words and suggestions, on one serial thread. Any thread may ask; answers come on the engine's thread.
///
/// The library is loaded with the first question. Without it, or without a dictionary, every word counts as right. A dictionary costs some
/// 10 MB and 40 ms; suggestions may take a quarter of a second.
public final class SpellingEngine: Sendable {
    /// A word of a text, and the text that it may be a part of.
    public struct Word: Hashable, Sendable {
        /// The word without apostrophes around it.
        public var text: String
        /// The word with the words that hyphens join to it; nil if there are none.
        public var compound: String?
        /// Whether a full stop follows, which may be part of an abbreviation.
        public var hasStop = false

        /// A word.
        public init(_ text: String, compound: String? = nil, hasStop: Bool = false) {
            (self.text, self.compound, self.hasStop) = (text, compound, hasStop)
        }
    }

    /// The engine of this process.
    public static let shared = SpellingEngine()
    /// Most bytes of a word that is looked up, and most letters of one that suggestions are made for.
    static let (wordLimit, suggestionLimit) = (200, 64)

    private let queue = DispatchQueue(label: "spelling", qos: .utility)
    // Only used on the queue.
    private nonisolated(unsafe) var library: Library?
    private nonisolated(unsafe) var isLoaded = false
    private let requests = RequestCounter()

    private init() {}

    /// Calls `body` with the dictionary for each language that has one, in order: `de` has `de_DE` if there is no other, and a dictionary
    /// is named once. `C` and `POSIX` have none.
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

    /// The tags of all dictionaries, sorted. Blocks while the engine is at work.
    public var dictionaries: [String] { queue.sync { loaded()?.tags.sorted() ?? [] } }

    /// Returns the dictionary for a language or a locale; nil if there is none. Blocks while the engine is at work.
    public func dictionary(for language: String) -> String? {
        queue.sync { Self.tag(for: language, in: loaded()?.tags ?? []) }
    }

    /// The best of some tags for a locale's or a language's name.
    static func tag(for language: String, in tags: [String]) -> String? {
        let name = language.prefix { $0 != "." && $0 != "@" }.split(whereSeparator: { $0 == "-" || $0 == "_" })
        guard let first = name.first?.lowercased(), first.count >= 2, first != "posix" else { return nil }
        let region = name.dropFirst().last { $0.utf8.count == 2 }?.uppercased()
        let own = region.map { "\(first)_\($0)" } ?? first
        let usual = "\(first)_\(first == "en" ? "US" : first.uppercased())"
        return [own, first, usual].first { tags.contains($0) } ?? tags.sorted().first { $0.hasPrefix("\(first)_") }
    }

    /// Calls `body` with whether each word is right: whether a dictionary of one of the tags that fits its script has it in one of its forms.
    public func check(_ words: [Word], in tags: [String], then body: @escaping @Sendable ([Bool]) -> Void) {
        queue.async { [self] in
            guard let library = loaded() else { return body(words.map { _ in true }) }
            body(words.map { library.isRight($0, in: tags) })
        }
    }

    /// Calls `body` with the words that may be meant, the best first; none for a word of more than 64 letters, and nil if another such
    /// question has come meanwhile.
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

    /// Adds a word to the user's own words of a tag, which other programs share.
    public func add(_ word: String, to tag: String, then body: @escaping @Sendable () -> Void = {}) {
        queue.async { [self] in
            loaded()?.learn(word, tag, isKept: true)
            body()
        }
    }

    /// Accepts a word in some tags until the program ends.
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

/// Numbers of questions of which only the last is answered.
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

/// The loaded library with its dictionaries. Belongs to the engine's thread.
private final class Library {
    private let functions: cenchant_functions
    private let broker: OpaquePointer
    let tags: [String]
    /// Dictionaries by tag; nil for one that could not be loaded.
    private var dictionaries: [String: OpaquePointer?] = [:]
    /// Tags of those that are loaded, the one that was used last at the end.
    private var used: [String] = []
    /// Most of them: a text may name as many languages as there are.
    private static let dictionaryLimit = 8
    /// Words of this session by tag, which a dictionary that is loaded again gets again.
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
        // A tag that is asked for gets files, so only those that there is a dictionary for are.
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
        // English writes naïve and café with marks as without them; elsewhere they tell words apart.
        if tag.hasPrefix("en"), let bare = SpellingWords.withoutMarks(word.text) { forms.append(bare) }
        return forms
    }

    private func has(_ word: String, _ tag: String) -> Bool {
        guard let dictionary = dictionary(tag), Self.isUsable(word) else { return true }
        // A failure is no verdict.
        return functions.enchant_dict_check(dictionary, word, word.utf8.count) <= 0
    }

    /// Whether a word may be handed over: others lead to an abort where GLib's warnings are fatal, or are no words.
    private static func isUsable(_ word: String) -> Bool {
        (1...SpellingEngine.wordLimit).contains(word.utf8.count) && !word.utf8.contains(0)
    }

    func suggestions(for word: String, in tags: [String], limit: Int, while goesOn: () -> Bool) -> [String] {
        let script = SpellingWords.script(of: word)
        // The best of each dictionary come before the second best of any.
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
