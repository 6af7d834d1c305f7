import InkstoneBase

/// Who may change how paragraphs are laid out without changing the text: nothing of it is saved, copied or undone.
///
/// After changing its mind, a delegate calls ``TextLayoutManager/invalidateLayout(for:)``.
public protocol TextLayoutManagerDelegate: AnyObject {
    /// The style of a paragraph; nil for the layout's own.
    func textLayoutManager(_ layout: TextLayoutManager, paragraphStyleFor paragraph: TextParagraph) -> ParagraphStyle?
    /// The font of a paragraph; nil for the layout's own.
    func textLayoutManager(_ layout: TextLayoutManager, fontFor paragraph: TextParagraph) -> FontDescriptor?
    /// Whether a paragraph is shown at all; the caret passes by hidden ones.
    func textLayoutManager(_ layout: TextLayoutManager, shouldEnumerate paragraph: TextParagraph) -> Bool
}

extension TextLayoutManagerDelegate {
    /// The layout's own style.
    public func textLayoutManager(_: TextLayoutManager, paragraphStyleFor _: TextParagraph) -> ParagraphStyle? { nil }
    /// The layout's own font.
    public func textLayoutManager(_: TextLayoutManager, fontFor _: TextParagraph) -> FontDescriptor? { nil }
    /// Shown.
    public func textLayoutManager(_: TextLayoutManager, shouldEnumerate _: TextParagraph) -> Bool { true }
}

extension TextLayoutManager {
    /// Forgets the layout of a range: its paragraphs are laid out anew when next asked for. O(log n) and the pieces.
    public func invalidateLayout(for range: Range<UTF16Offset>) {
        let low = tree.piece(at: clampedUnit(range.lowerBound)).before
        let last = tree.piece(at: clampedUnit(max(range.lowerBound, range.upperBound)))
        let end = last.before.units + last.piece.units
        let paragraphs = last.before.paragraphs + last.piece.paragraphs - low.paragraphs
        tree.replace(
            low.units..<end,
            with: [Piece(units: end - low.units, paragraphs: paragraphs, height: 0, isGap: true, layout: nil)])
    }
}
