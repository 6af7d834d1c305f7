public import InkstoneText

/// A tokenizer that finds characters, words, sentences, lines and paragraphs in a document. Apple's `UITextInputTokenizer`.
///
/// A position is *at a boundary* in a direction when a unit ends there in that direction: forward it
/// is the end of a unit, backward its start. A position is *within a unit* in a direction when the text next to
/// it on that side belongs to one.
public protocol TextInputTokenizer: AnyObject {
    /// Returns the unit around `position`; between two units, the one on the side of `direction`. Nil if there is none
    /// (for words: only blanks and punctuation on that side).
    func rangeEnclosingPosition(
        _ position: TextPosition, with granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextRange?

    /// Whether a unit ends at `position` in `direction`.
    func isPosition(
        _ position: TextPosition, atBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool

    /// Returns the next boundary of a unit from `position` in `direction`, never `position` itself; nil at the end of the text.
    func position(
        from position: TextPosition, toBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextPosition?

    /// Whether the text on the side of `direction` belongs to a unit that contains `position`.
    func isPosition(
        _ position: TextPosition, withinTextUnit granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool
}
