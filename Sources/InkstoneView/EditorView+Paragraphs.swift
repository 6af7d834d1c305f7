import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A paragraph that begins in sight, and where: what stands beside the text, such as its number, goes by that.
public struct ParagraphInSight: Hashable, Sendable {
    /// Which paragraph of the text it is.
    public var index: ParagraphIndex
    /// Baseline of its first line, in view pixels; it may lie outside the view.
    public var baseline: Double
    /// Whether the selection's primary moving end is in it.
    public var isCurrent: Bool
}

extension EditorView {
    /// The paragraphs that begin in sight, from top to bottom. Lays out what is seen; O(log n) and what that is.
    public var paragraphsInSight: [ParagraphInSight] {
        layOutSurroundings()
        let fragments = layout.textLayoutFragments(in: visibleDocumentRect)
        let current = selection.map { store.text.paragraphIndex(at: $0.primary.head) }
        return fragments.compactMap { fragment in
            guard !fragment.continuesParagraph, let line = fragment.textLineFragments.first else { return nil }
            let baseline = viewport.viewPoint(DocumentPoint(x: 0, y: line.baseline)).y
            return ParagraphInSight(
                index: fragment.paragraph, baseline: baseline, isCurrent: fragment.paragraph == current)
        }
    }
}
