public import InkstoneBase
public import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A checker of the spelling in a session's text. It marks the words that are in no dictionary: first in the visible
/// part, then in the rest, in slices of a few kilobytes. Edited text is checked again. A wrong word at the caret gets
/// no new mark until the caret has left it.
///
/// The marks are not part of the text: they are not saved, copied or undone. Use the checker on the session's
/// thread only.
public final class SpellingChecker {
    /// The closures through which a checker uses the session's view and thread.
    public struct Host {
        /// Runs work on the session's thread after a number of milliseconds.
        public var schedule: (_ milliseconds: Int, _ work: @escaping () -> Void) -> Void
        /// Runs work on the session's thread. May be called on any thread.
        public var post: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
        /// Returns the visible part of the text, in UTF-16 units.
        public var visibleRange: () -> Range<UTF16Offset>
        /// Called when the marks in `range` have changed. `marks` are all marks that overlap the range now. Both
        /// are in UTF-16 units.
        public var onChange: (_ range: Range<UTF16Offset>, _ marks: [Range<UTF16Offset>]) -> Void

        /// Creates a host from its closures.
        public init(
            schedule: @escaping (_ milliseconds: Int, _ work: @escaping () -> Void) -> Void,
            post: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void,
            visibleRange: @escaping () -> Range<UTF16Offset>,
            onChange: @escaping (_ range: Range<UTF16Offset>, _ marks: [Range<UTF16Offset>]) -> Void
        ) {
            (self.schedule, self.post, self.visibleRange, self.onChange) = (schedule, post, visibleRange, onChange)
        }
    }

    /// The maximum numbers of UTF-16 units checked at a time (before the part is extended to whole words), of cached
    /// results, and of marks. Beyond them, the rest is checked later, the cache is emptied, and further words are not
    /// marked.
    private static let (sliceLimit, verdictLimit, markLimit) = (4096, 50_000, 100_000)
    /// The delays between two slices, and between an edit and the check of the edited text, in milliseconds.
    private static let (idleDelay, editDelay) = (10, 100)

    /// The maximum number of suggestions for a word.
    private static let suggestionLimit = 12

    private let session: EditingSession
    private let engine: SpellingEngine
    private let host: Host
    /// The tags of the dictionaries, such as `en_US`.
    public let tags: [String]
    private var marks = DecorationSet()
    /// The parts of the text that are still to be checked, in order and without overlap, in UTF-16 units.
    private var pending: [Range<Int>]
    private var verdicts: [Key: Bool] = [:]
    private var observation: TextObservation?
    private var isScheduled = false
    /// The number of checks that were requested from the engine and not answered yet. Requests for suggestions do not
    /// count.
    private var awaited = 0
    private var isAsking: Bool { awaited > 0 }
    private var isEnded = false
    /// The suggestions that arrived last, and the word to which they belong.
    private var latest: (word: String, found: [String])?
    /// The wrong words at a caret that have no mark yet, and get one when the caret has left them.
    private var held: [Range<Int>] = []

    /// A checked word in a language, by which the result is cached.
    private struct Key: Hashable {
        var word: SpellingEngine.Word
        var language: String?
    }

    /// Creates a checker of a session's text that uses the dictionaries with the given tags: see
    /// ``SpellingEngine/resolve(_:then:)``. Begins to check the whole text, in parts.
    public init(_ session: EditingSession, tags: [String], engine: SpellingEngine = .shared, host: Host) {
        (self.session, self.tags, self.engine, self.host) = (session, tags, engine, host)
        pending = [0..<session.store.text.metrics.utf16]
        observation = session.observe { [unowned self] in follow($0) }
        schedule(after: 0)
    }

    /// Ends the checking, and removes all marks.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        observation = nil
        marks.removeAll()
        host.onChange(session.store.text.utf16Range, [])
    }

    /// Returns the marked words that overlap a range, in order. All ranges are in UTF-16 units.
    public func marks(in range: Range<UTF16Offset>) -> [Range<UTF16Offset>] {
        marks.decorations(in: range).map(\.range)
    }

    /// Returns the marked word that contains an offset or ends there; nil if there is none.
    public func mark(at offset: UTF16Offset) -> Range<UTF16Offset>? {
        let around = UTF16Offset(max(0, offset.value - 1))..<offset + 1
        return marks(in: around).first { $0.lowerBound <= offset && offset <= $0.upperBound }
    }

    /// Returns the misspelled word that contains an offset or ends there; nil if there is none. The word is marked, or
    /// is not marked yet because a caret is in it or at one of its ends.
    package func misspelling(at offset: UTF16Offset) -> Range<UTF16Offset>? {
        mark(at: offset)
            ?? held.first { $0.lowerBound <= offset.value && offset.value <= $0.upperBound }
            .map { UTF16Offset($0.lowerBound)..<UTF16Offset($0.upperBound) }
    }

    /// Whether the whole text has been checked.
    public var isIdle: Bool { pending.isEmpty && !isAsking }

    /// Requests suggestions for a misspelled word. Calls `body` on the session's thread with them; with nil if
    /// suggestions were requested again meanwhile, for this or another word.
    public func suggestions(for word: String, then body: @escaping @Sendable ([String]?) -> Void) {
        let post = host.post
        // `checker` is used only in a closure passed to `post`, which the host runs on the session's thread.
        nonisolated(unsafe) weak let checker = self
        engine.suggestions(for: word, in: tags, limit: Self.suggestionLimit) { found in
            post {
                if let found { checker?.latest = (word, found) }
                body(found)
            }
        }
    }

    /// Returns the suggestions for a misspelled word if they are those that arrived last; nil if they have to be
    /// requested.
    public func knownSuggestions(for word: String) -> [String]? {
        latest.flatMap { $0.word.hasSameScalars(as: word) ? $0.found : nil }
    }

    /// Adds a word to the user's personal words of the first dictionary for its script, and checks the text again.
    /// Does nothing if no dictionary is for that script.
    public func add(_ word: String) {
        let script = SpellingWords.script(of: word)
        guard let tag = tags.first(where: { SpellingWords.scripts(of: $0).contains(script) }) else { return }
        engine.add(word, to: tag)
        checkAgain()
    }

    /// Accepts a word until the program ends, and checks the text again.
    public func ignore(_ word: String) {
        engine.ignore(word, in: tags)
        checkAgain()
    }

    private func checkAgain() {
        (verdicts, latest) = ([:], nil)
        pending = [0..<session.store.text.metrics.utf16]
        schedule(after: 0)
    }

    // MARK: Following edits

    private func follow(_ update: ViewUpdate) {
        if let applied = update.applied {
            let map = applied.changes.changeMap
            if map.count > 0 { follow(map, applied) }
        }
        if !update.changes.isDisjoint(with: [.selection, .text]), !held.isEmpty { releaseHeld() }
        if update.changes.contains(.scrolling), !pending.isEmpty { schedule(after: Self.idleDelay) }
    }

    private func follow(_ map: TextChangeMap, _ applied: AppliedTransaction) {
        var edited: [Range<Int>] = []
        if map.count <= 64 {
            marks.replace(map.map { ($0.oldRange, $0.inserted.utf16) })
            edited = map.map { $0.newStart.utf16..<$0.newEnd.utf16 }
        } else {
            let all = applied.coveringRanges
            let low = map.map(all.old.lowerBound, bias: .upstream)
            marks.replace([(all.old, all.new.upperBound - all.new.lowerBound)])
            edited = [low.value..<all.new.upperBound.value]
        }
        func move(_ range: Range<Int>) -> Range<Int> {
            let new = map.map(UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
            return new.lowerBound.value..<new.upperBound.value
        }
        held = held.map(move)
        pending = pending.map(move)
        for range in edited {
            let around = UTF16Offset(max(0, range.lowerBound - 1))..<UTF16Offset(range.upperBound + 1)
            let touched = marks(in: around)
            if let first = touched.first, let last = touched.last {
                marks.removeAll(in: around)
                show(first.lowerBound..<max(last.upperBound, first.upperBound))
            }
            markPending(range)
        }
        schedule(after: Self.editDelay)
    }

    /// Adds a range to the parts that are to be checked, joined with those that it touches.
    private func markPending(_ range: Range<Int>) {
        pending.append(range)
        pending.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        pending = pending.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    private func releaseHeld() {
        let left = held.filter { !isAtCaret($0) }
        guard !left.isEmpty else { return }
        held.removeAll { !isAtCaret($0) }
        for range in left { markPending(range) }
        schedule(after: 0)
    }

    private func isAtCaret(_ range: Range<Int>) -> Bool {
        session.selection?.ranges.contains {
            $0.isCaret && range.lowerBound <= $0.head.value && $0.head.value <= range.upperBound
        } ?? false
    }

    private func show(_ range: Range<UTF16Offset>) { host.onChange(range, marks(in: range)) }

    // MARK: Checking in slices

    private func schedule(after milliseconds: Int) {
        guard !isScheduled, !isEnded else { return }
        isScheduled = true
        host.schedule(milliseconds) { [weak self] in
            guard let self, !isEnded else { return }
            isScheduled = false
            checkSlice()
        }
    }

    private func checkSlice() {
        guard !isAsking, let slice = nextSlice() else { return }
        let text = session.store.styledText
        let units = Array(text.rope.utf16(in: UTF16Offset(slice.lowerBound)..<UTF16Offset(slice.upperBound)))
        let found = SpellingWords.words(in: units).map { found in
            var found = found
            found.range = slice.lowerBound + found.range.lowerBound..<slice.lowerBound + found.range.upperBound
            return found
        }
        var unknown: [Key: SpellingEngine.Word] = [:]
        var wrong: [Range<Int>] = []
        for found in found {
            var key = Key(word: found.word)
            if text.runs != nil {
                let attributes = text.attributes(at: UTF16Offset(found.range.lowerBound))
                // Skip a word that is also in the destination of its link: the text of the link is probably an address.
                let isAddress = attributes[LinkAttribute.self].map { $0.contains(found.word.text) } ?? false
                if isAddress || attributes[WritingToolsExclusionAttribute.self] == true || attributes.isCode {
                    continue
                }
                key.language = attributes[LanguageAttribute.self]
            }
            guard let isRight = verdicts[key] else {
                unknown[key] = found.word
                continue
            }
            if !isRight { wrong.append(found.range) }
        }
        guard unknown.isEmpty else { return ask(Array(unknown.keys)) }
        mark(wrong, in: slice)
        remove(slice)
        if !pending.isEmpty { schedule(after: Self.idleDelay) }
    }

    private func ask(_ keys: [Key]) {
        let post = host.post
        // `checker` is used only in closures passed to `post`, which the host runs on the session's thread.
        nonisolated(unsafe) weak let checker = self
        for (language, keys) in Dictionary(grouping: keys, by: \.language) {
            let words = keys.map(\.word)
            let answer: @Sendable ([Bool]) -> Void = { verdicts in
                post { checker?.take(verdicts, for: words, in: language) }
            }
            awaited += 1
            if let language {
                let (engine, tags) = (engine, tags)
                engine.resolve([language]) { own in engine.check(words, in: own.isEmpty ? tags : own, then: answer) }
            } else {
                engine.check(words, in: tags, then: answer)
            }
        }
    }

    private func take(_ answers: [Bool], for words: [SpellingEngine.Word], in language: String?) {
        if verdicts.count > Self.verdictLimit { verdicts = [:] }
        for (word, isRight) in zip(words, answers) { verdicts[Key(word: word, language: language)] = isRight }
        awaited -= 1
        if awaited == 0 { schedule(after: 0) }
    }

    /// Replaces the marks in a slice by those for the given wrong words. A word at the caret gets no new mark yet.
    private func mark(_ wrong: [Range<Int>], in slice: Range<Int>) {
        let range = UTF16Offset(slice.lowerBound)..<UTF16Offset(slice.upperBound)
        let old = marks(in: range)
        var new: [Range<UTF16Offset>] = []
        // Forget the words of this slice that wait for a caret to leave them: the loop below finds them again.
        held.removeAll { $0.lowerBound < slice.upperBound && slice.lowerBound < $0.upperBound }
        for word in wrong {
            let place = UTF16Offset(word.lowerBound)..<UTF16Offset(word.upperBound)
            if isAtCaret(word), !old.contains(place) {
                held.append(word)
            } else {
                new.append(place)
            }
        }
        guard new != old else { return }
        marks.removeAll(in: range)
        if marks.count + new.count <= Self.markLimit { marks.insert(contentsOf: new.map { Decoration(range: $0) }) }
        show(range)
    }

    private func remove(_ slice: Range<Int>) {
        pending = pending.flatMap { part -> [Range<Int>] in
            guard part.lowerBound <= slice.upperBound, slice.lowerBound <= part.upperBound else { return [part] }
            return [
                part.lowerBound..<max(part.lowerBound, slice.lowerBound),
                min(part.upperBound, slice.upperBound)..<part.upperBound,
            ]
            .filter { !$0.isEmpty }
        }
    }

    /// Returns the next part to check, extended to whole words: a visible part if there is one; nil if all is
    /// checked.
    private func nextSlice() -> Range<Int>? {
        let visible = host.visibleRange()
        let seen = visible.lowerBound.value..<visible.upperBound.value
        let inSight = pending.lazy.map { $0.isEmpty ? $0 : $0.clamped(to: seen) }
            .first {
                !$0.isEmpty
                    || $0.lowerBound >= seen.lowerBound && $0.upperBound <= seen.upperBound && self.pending.contains($0)
            }
        guard let part = inSight ?? pending.first else { return nil }
        let text = session.store.text
        let length = text.metrics.utf16
        // Offsets within surrogate pairs are rounded down: the text before and after them would begin with whole pairs.
        func rounded(_ offset: Int) -> Int { text.metrics(before: UTF16Offset(min(offset, length))).utf16 }
        let low = rounded(part.lowerBound)
        let high = rounded(min(part.upperBound, low + Self.sliceLimit))
        // Extend the part to the blanks on both sides, so that it contains whole words. Without a blank within 256
        // units, the word is cut.
        let before = Array(text.utf16(in: UTF16Offset(max(0, low - 256))..<UTF16Offset(low)))
        let behind = Array(text.utf16(in: UTF16Offset(high)..<UTF16Offset(min(length, high + 256))))
        func isBlank(_ unit: UInt16) -> Bool { unit == 0x20 || (0x09...0x0d).contains(unit) }
        let start = low - before.count + (before.lastIndex(where: isBlank).map { $0 + 1 } ?? 0)
        let end = high + (behind.firstIndex(where: isBlank) ?? behind.count)
        return start..<max(start, end)
    }
}

extension TextAttributes {
    /// Whether the text is code or HTML, whose words are in no dictionary.
    fileprivate var isCode: Bool {
        let roles = self[InlinePresentationIntentAttribute.self] ?? []
        if !roles.isDisjoint(with: [.code, .inlineHTML, .blockHTML]) { return true }
        return self[PresentationIntentAttribute.self]?.components.contains {
            if case .codeBlock = $0.kind { true } else { false }
        } == true
    }
}
