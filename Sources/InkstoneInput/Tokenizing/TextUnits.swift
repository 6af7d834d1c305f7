import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The characters, words, sentences and paragraphs of a plain string. Tokenizers use it; it needs no document.
///
/// Offsets are in UTF-16 units and are clamped to the text. The text between words belongs to no *unit*, and
/// neither does the newline of a paragraph. ``TextGranularity/line`` means the paragraph here, because a string has
/// no visual lines.
public final class TextUnits {
    /// The text in UTF-16 units.
    public let text: [UInt16]
    /// The rule by which words are found: that of prose or that of programs.
    public let wordStyle: WordStyle
    private let locale: String
    private lazy var graphemes = breaker(.grapheme)
    private lazy var words = breaker(.word)
    private lazy var sentences = breaker(.sentence)

    /// Creates the units of a string, by the rules of a locale. The locale is an ICU name; empty for the root
    /// locale. O(n) when first used.
    public convenience init(_ string: String, wordStyle: WordStyle = .natural, locale: String = "") {
        self.init(utf16: Array(string.utf16), wordStyle: wordStyle, locale: locale)
    }

    /// Creates the units of UTF-16 text.
    public init(utf16 text: [UInt16], wordStyle: WordStyle = .natural, locale: String = "") {
        self.text = text
        self.wordStyle = wordStyle
        self.locale = locale
    }

    private func breaker(_ kind: TextBreaker.Kind) -> TextBreaker {
        let breaker = TextBreaker(kind, locale: locale)
        breaker.setText(text)
        return breaker
    }

    /// Returns the unit around `offset`. Between two units, returns the one on the side of `direction`. Nil if
    /// there is none on that side.
    public func range(
        enclosing offset: UTF16Offset, with granularity: TextGranularity,
        inDirection direction: TextStorageDirection
    ) -> Range<UTF16Offset>? {
        let at = clamp(offset)
        guard let found = segment(at, granularity, direction), isUnit(found, granularity) else { return nil }
        return UTF16Offset(found.lowerBound)..<UTF16Offset(found.upperBound)
    }

    /// Returns whether a unit ends at `offset` in `direction`.
    public func isBoundary(
        _ offset: UTF16Offset, of granularity: TextGranularity, inDirection direction: TextStorageDirection
    ) -> Bool {
        let at = clamp(offset)
        // The unit that ends here lies on the side opposite to the direction.
        let behind: TextStorageDirection = direction == .forward ? .backward : .forward
        guard let unit = range(enclosing: UTF16Offset(at), with: granularity, inDirection: behind) else { return false }
        return (direction == .forward ? unit.upperBound : unit.lowerBound).value == at
    }

    /// Returns the next offset after `offset` in `direction` at which a unit ends; nil if there is none. Never
    /// `offset` itself.
    public func boundary(
        from offset: UTF16Offset, of granularity: TextGranularity, inDirection direction: TextStorageDirection
    ) -> UTF16Offset? {
        var at = clamp(offset)
        while direction == .forward ? at < text.count : at > 0 {
            guard let here = segment(at, granularity, direction) else { return nil }
            let end = direction == .forward ? here.upperBound : here.lowerBound
            if end != at, isUnit(here, granularity) { return UTF16Offset(end) }
            let next = end == at ? pastNewline(at, direction) : end
            guard next != at else { return nil }
            at = next
            // Stop at an empty paragraph too: it is a unit that ends where it begins.
            if end != at, granularity == .paragraph || granularity == .line,
                let there = segment(at, granularity, direction), there.isEmpty
            {
                return UTF16Offset(at)
            }
        }
        return nil
    }

    // MARK: Segments between boundaries

    private func clamp(_ offset: UTF16Offset) -> Int { min(max(0, offset.value), text.count) }

    /// Returns the segment between two boundaries on the side of `direction`, whether or not it is a unit. Nil for
    /// characters, words and sentences at the end of the text on that side.
    private func segment(
        _ at: Int, _ granularity: TextGranularity, _ direction: TextStorageDirection
    ) -> Range<Int>? {
        switch granularity {
        case .character: return segment(at, graphemes, direction)
        case .word: return wordSegment(at, direction)
        case .sentence: return segment(at, sentences, direction)
        case .paragraph, .line: return paragraph(at)
        case .document: return 0..<text.count
        }
    }

    private func segment(_ at: Int, _ breaker: TextBreaker, _ direction: TextStorageDirection) -> Range<Int>? {
        if breaker.isBoundary(at) {
            if direction == .forward { return breaker.following(at).map { at..<$0 } }
            return breaker.preceding(at).map { $0..<at }
        }
        guard let start = breaker.preceding(at), let end = breaker.following(at) else { return nil }
        return start..<end
    }

    private func wordSegment(_ at: Int, _ direction: TextStorageDirection) -> Range<Int>? {
        guard var found = segment(at, words, direction), wordStyle == .code else {
            return segment(at, words, direction)
        }
        // Split the segment at joining punctuation, and return the part at `at`.
        var start = found.lowerBound
        for index in found where WordStyle.joiners.contains(text[index]) && found.count > 1 {
            let joiner = index..<(index + 1)
            for part in [start..<index, joiner] where !part.isEmpty {
                let isHere = direction == .forward ? part.contains(at) : part.lowerBound < at && at <= part.upperBound
                if isHere { return part }
            }
            start = index + 1
        }
        found = start..<found.upperBound
        return found
    }

    private func isUnit(_ range: Range<Int>, _ granularity: TextGranularity) -> Bool {
        switch granularity {
        case .word:
            if range.count == 1, WordStyle.joiners.contains(text[range.lowerBound]) { return false }
            guard words.isBoundary(range.upperBound) else { return true }
            // Move the iterator to the boundary. Only then does it know the class of the text before the boundary.
            _ = words.preceding(range.upperBound)
            _ = words.following(max(0, range.upperBound - 1))
            return words.wordClass.isWord
        case .paragraph, .line: return true
        case .character, .sentence: return !range.isEmpty
        case .document: return true
        }
    }

    static func isNewline(_ unit: UInt16) -> Bool {
        unit == 0x0a || unit == 0x0d || unit == 0x2028 || unit == 0x2029
    }

    /// Returns the range of the paragraph without its newline. For an offset between CR and LF, returns the
    /// paragraph that they end.
    private func paragraph(_ offset: Int) -> Range<Int> {
        var at = offset
        if at > 0, at < text.count, text[at] == 0x0a, text[at - 1] == 0x0d { at -= 1 }
        let start = text[..<at].lastIndex(where: Self.isNewline).map { $0 + 1 } ?? 0
        let end = text[at...].firstIndex(where: Self.isNewline) ?? text.count
        return start..<end
    }

    private func pastNewline(_ at: Int, _ direction: TextStorageDirection) -> Int {
        if direction == .forward {
            guard at < text.count, Self.isNewline(text[at]) else { return at }
            return at + (text[at] == 0x0d && at + 1 < text.count && text[at + 1] == 0x0a ? 2 : 1)
        }
        guard at > 0, Self.isNewline(text[at - 1]) else { return at }
        return at - (text[at - 1] == 0x0a && at > 1 && text[at - 2] == 0x0d ? 2 : 1)
    }
}
