import CUnicode
import InkstoneBase

/// A finder of the boundaries between grapheme clusters, words or sentences of a text, or of its line-break
/// opportunities.
///
/// The breaker wraps one ICU iterator and reuses it for one text after another: creating an iterator takes some ten
/// microseconds, setting a text less than one. Words and lines of Thai, Khmer, Lao, Burmese, Chinese and Japanese
/// come from ICU's dictionaries. Offsets are UTF-16 units of the text that was set last, from 0 to its length. For a
/// negative offset ``following(_:)`` returns 0, and beyond the end ``preceding(_:)`` returns the length;
/// ``isBoundary(_:)`` is false there. Not `Sendable`: one thread at a time.
///
/// Source: ICU `ubrk_*`; UAX #29 (graphemes, words, sentences), UAX #14 (lines).
package final class TextBreaker {
    /// The kind of boundaries that a breaker finds.
    package enum Kind: Int32, Sendable, CaseIterable {
        /// Grapheme clusters: characters as a person counts them (UAX #29). Clusters longer than
        /// ``TextBreaker/longestGrapheme`` units are cut.
        case grapheme = 0
        /// Words, and the text between them (UAX #29).
        case word = 1
        /// Line-break opportunities (UAX #14).
        case line = 2
        /// Sentences (UAX #29).
        case sentence = 3
    }

    /// The class of the text between a word boundary and the boundary before it (ICU's `UWordBreak`).
    package enum WordClass: Sendable {
        /// Space or punctuation: not a word.
        case none
        /// A number.
        case number
        /// Letters other than kana and ideographs.
        case letters
        /// Hiragana or katakana.
        case kana
        /// A run of ideographs, or a single one.
        case ideographs

        /// Whether the text is a word rather than the text between words.
        package var isWord: Bool { self != .none }
    }

    /// Longest grapheme cluster in UTF-16 units. UAX #29 sets no limit to the marks and joined emoji of a cluster.
    ///
    /// A longer cluster is cut after each multiple of this length from its start, or one unit before the multiple
    /// if the cut would divide a surrogate pair. The part that follows a cut of the second kind may be one unit
    /// longer.
    package static let longestGrapheme = 256

    /// The kind of boundaries that this breaker finds.
    package let kind: Kind
    /// The locale whose rules apply, by ICU's name; empty for the root locale.
    package let locale: String

    private let handle: OpaquePointer
    private var text: UnsafeMutablePointer<UInt16>
    private(set) var capacity: Int

    /// The length of the text that was set last, in UTF-16 units.
    package private(set) var length = 0

    /// Creates a breaker of a kind, with the rules of a locale: an ICU name such as `ja` or `en_US`. An unknown name
    /// means the root locale.
    ///
    /// Traps if ICU's data is missing, because the installation is broken then.
    package init(_ kind: Kind, locale: String = "") {
        var error: Int32 = 0
        guard let handle = cunicode_breaker_create(kind.rawValue, locale, &error) else {
            fatalError("ICU gives no break iterator (error \(error)): is libicu's data installed?")
        }
        self.kind = kind
        self.locale = locale
        self.handle = handle
        capacity = 256
        text = .allocate(capacity: capacity)
        _ = cunicode_breaker_set_text(handle, text, 0)
    }

    deinit {
        cunicode_breaker_destroy(handle)
        text.deallocate()
    }

    /// Sets the text to break. The text is copied. O(n) for n units, at most 2³¹−1 (longer texts trap).
    package func setText(_ units: UnsafeBufferPointer<UInt16>) {
        reserve(units.count)
        if let base = units.baseAddress { text.update(from: base, count: units.count) }
        attach(units.count)
    }

    /// Sets the text to break. The text is copied. O(n) for n units.
    package func setText(_ units: [UInt16]) {
        units.withUnsafeBufferPointer { setText($0) }
    }

    /// Sets the text to break. The string is copied as UTF-16. O(n) for n units.
    package func setText(_ string: some StringProtocol) {
        reserve(string.utf8.count)
        var n = 0
        for unit in string.utf16 {
            text[n] = unit
            n += 1
        }
        attach(n)
    }

    /// Returns a unit of the text that was set last. The offset must lie in the text.
    func unit(at offset: Int) -> UInt16 {
        precondition(offset >= 0 && offset < length, "an offset outside the text")
        return text[offset]
    }

    /// Returns the first boundary after `offset`; nil at the end of the text.
    package func following(_ offset: Int) -> Int? {
        guard offset < length else { return nil }
        if offset < 0 { return 0 }
        let found = cunicode_breaker_following(handle, Int32(offset))
        return found < 0 ? nil : cut(after: offset, before: Int(found)) ?? Int(found)
    }

    /// Returns the last boundary before `offset`; nil at the start of the text.
    package func preceding(_ offset: Int) -> Int? {
        guard offset > 0 else { return nil }
        if offset > length { return length }
        let found = cunicode_breaker_preceding(handle, Int32(offset))
        return found < 0 ? nil : lastCut(Int(found), before: offset)
    }

    /// Whether there is a boundary at `offset`; false outside the text. The start and end of a text that is not
    /// empty are boundaries.
    package func isBoundary(_ offset: Int) -> Bool {
        guard offset >= 0, offset <= length else { return false }
        if cunicode_breaker_is_boundary(handle, Int32(offset)) != 0 { return true }
        guard kind == .grapheme, offset >= Self.longestGrapheme - 1 else { return false }
        let start = Int(cunicode_breaker_preceding(handle, Int32(offset)))
        return lastCut(start, before: offset + 1) == offset
    }

    /// Returns the first offset after `offset` at which an overlong cluster is cut; nil if the cluster is not cut
    /// before its end, `end`.
    private func cut(after offset: Int, before end: Int) -> Int? {
        // Return early for a cluster of one scalar: most clusters are.
        guard kind == .grapheme, end - offset > 2 || end - offset == 2 && text[offset] & 0xfc00 != 0xd800 else {
            return nil
        }
        var start = offset
        if offset > 0, cunicode_breaker_is_boundary(handle, Int32(offset)) == 0 {
            start = Int(cunicode_breaker_preceding(handle, Int32(offset)))
        }
        guard end - start >= Self.longestGrapheme else { return nil }
        let cuts = (offset - start) / Self.longestGrapheme
        for number in cuts + 1...cuts + 2 {
            let place = cut(number, from: start)
            if place > offset { return place < end ? place : nil }
        }
        return nil
    }

    /// Returns the last offset before `offset` at which the cluster that begins at `start` is cut; `start` if it is
    /// not cut.
    private func lastCut(_ start: Int, before offset: Int) -> Int {
        guard kind == .grapheme, offset - start >= Self.longestGrapheme else { return start }
        let cuts = (offset - start) / Self.longestGrapheme
        let place = cut(cuts, from: start)
        return place < offset ? place : cuts > 1 ? cut(cuts - 1, from: start) : start
    }

    /// Returns the offset of the `number`th cut of a cluster, counted from 1.
    private func cut(_ number: Int, from start: Int) -> Int {
        let place = start + number * Self.longestGrapheme
        let cutsPair = place < length && text[place] & 0xfc00 == 0xdc00 && text[place - 1] & 0xfc00 == 0xd800
        return cutsPair ? place - 1 : place
    }

    /// Returns all boundaries in order, including 0 and the length of the text; only 0 for an empty text. O(n).
    package func boundaries() -> [Int] {
        var found = [0]
        var at = 0
        while let next = following(at) {
            found.append(next)
            at = next
        }
        return found
    }

    /// ICU's rule status of the boundary that was found last. Meaningful for words, lines and sentences.
    package var ruleStatus: Int { Int(cunicode_breaker_rule_status(handle)) }

    /// The class of the text between the boundary that was found last and the boundary before it. Only for
    /// ``Kind/word``.
    package var wordClass: WordClass {
        switch ruleStatus {
        case ..<100: .none
        case ..<200: .number
        case ..<300: .letters
        case ..<400: .kana
        default: .ideographs
        }
    }

    /// Whether the line *must* end at the boundary that was found last, as at a newline. Only for ``Kind/line``.
    package var isMandatory: Bool { ruleStatus >= 100 && ruleStatus < 200 }

    private func reserve(_ units: Int) {
        precondition(units <= Int(Int32.max), "a text to break is at most 2³¹−1 units long")
        guard units > capacity else { return }
        text.deallocate()
        capacity = max(units, capacity * 2)
        text = .allocate(capacity: capacity)
    }

    /// Capacity in units above which an idle breaker frees its buffer.
    static let usualCapacity = 1 << 14

    /// Frees a buffer that a long text has made larger than usual, and discards the text.
    func shrink() {
        guard capacity > Self.usualCapacity else { return }
        text.deallocate()
        capacity = 256
        text = .allocate(capacity: capacity)
        attach(0)
    }

    private func attach(_ units: Int) {
        length = units
        let error = cunicode_breaker_set_text(handle, text, Int32(units))
        precondition(error == 0, "ICU refuses a text (error \(error))")
    }
}
