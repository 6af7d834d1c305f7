/// The rule for word boundaries.
public enum WordStyle: Hashable, Sendable {
    /// Unicode's words (UAX #29), with dictionaries for Chinese, Japanese, Thai, Khmer, Lao and Burmese.
    case natural
    /// Boundaries of ``natural`` words, and also around `.`, `:`, `'` and the like: each part of `store.text` and
    /// `don't` is a word.
    case code

    /// The characters that UAX #29 allows between letters or digits of one word (MidLetter, MidNum, MidNumLet,
    /// Single_Quote), without `_`.
    package static let joiners = Set<UInt16>(".:,;'\u{2019}\u{00b7}\u{2018}\u{2024}".utf16)
}

extension TextBreaker {
    /// Returns the word, or the text between two words, that contains the unit at `offset`; nil outside the text.
    /// Only for ``Kind/word``.
    package func word(holding offset: Int, style: WordStyle = .natural) -> (range: Range<Int>, isWord: Bool)? {
        guard offset >= 0, let end = following(offset) else { return nil }
        // ICU reports the class of a word at the word's end, where the iterator is now.
        let isWord = wordClass.isWord
        let start = preceding(end) ?? 0
        guard style == .code, end - start > 1 else { return (start..<end, isWord) }
        if WordStyle.joiners.contains(unit(at: offset)) { return (offset..<(offset + 1), false) }
        var low = offset
        while low > start, !WordStyle.joiners.contains(unit(at: low - 1)) { low -= 1 }
        var high = offset + 1
        while high < end, !WordStyle.joiners.contains(unit(at: high)) { high += 1 }
        return (low..<high, isWord)
    }
}
