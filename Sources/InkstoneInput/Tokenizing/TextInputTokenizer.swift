public import InkstoneText

/// Finds characters, words, sentences, lines and paragraphs in a document. Apple's `UITextInputTokenizer`.
///
/// A position lies *at a boundary* in a direction when a unit ends there for someone going that way: going forward it
/// is the end of a unit, going backward its start. A position lies *within a unit* in a direction when the text next to
/// it on that side belongs to one.
public protocol TextInputTokenizer: AnyObject {
    /// The unit around `position`. Where two units meet it is the one on the side of `direction`; nil if there is none
    /// (for words: only blanks and punctuation on that side).
    func rangeEnclosingPosition(
        _ position: TextPosition, with granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextRange?

    /// Whether a unit ends at `position` for someone going in `direction`.
    func isPosition(
        _ position: TextPosition, atBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool

    /// The next boundary of a unit from `position` in `direction`, never `position` itself; nil at the end of the text.
    func position(
        from position: TextPosition, toBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextPosition?

    /// Whether the text on the side of `direction` belongs to a unit that holds `position`.
    func isPosition(
        _ position: TextPosition, withinTextUnit granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool
}
