public import InkstoneText

/// A tokenizer that finds characters, words, sentences, lines and paragraphs in a document. The counterpart of
/// Apple's `UITextInputTokenizer`.
///
/// A position is *at a boundary* in a direction if a unit ends there in that direction. In the forward direction
/// that is the end of a unit, in the backward direction its start. A position is *within a unit* in a direction if
/// the text next to it on that side belongs to a unit.
public protocol TextInputTokenizer: AnyObject {
    /// Returns the unit around `position`. Between two units, returns the one on the side of `direction`. Nil if
    /// there is none. For example, there is no word on a side that has only white space and punctuation.
    func rangeEnclosingPosition(
        _ position: TextPosition, with granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextRange?

    /// Returns whether a unit ends at `position` in `direction`.
    func isPosition(
        _ position: TextPosition, atBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool

    /// Returns the next position after `position` in `direction` at which a unit ends; nil if there is none. Never
    /// `position` itself.
    func position(
        from position: TextPosition, toBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextPosition?

    /// Returns whether the text next to `position` on the side of `direction` belongs to a unit.
    func isPosition(
        _ position: TextPosition, withinTextUnit granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool
}
