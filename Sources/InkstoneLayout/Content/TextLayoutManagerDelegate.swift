import InkstoneBase
import InkstoneText

/// A fragment that takes more room than its lines, or paints more: a quotation with a bar, a cell of a table.
///
/// Distances are device pixels, rounded to whole ones. A paragraph of more than some thousand units has several
/// fragments: the first has the top margin and the last the bottom margin.
public protocol CustomTextLayoutFragment {
    /// Room above the first line.
    var topMargin: Double { get }
    /// Room below the last line.
    var bottomMargin: Double { get }
    /// Room on the side where lines start.
    var leadingPadding: Double { get }
    /// Room on the side where lines end.
    var trailingPadding: Double { get }
    /// Returns the area that painting may touch, in pixels of the document. The ink of the fragment's text is always added.
    func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect
    /// Paints behind the fragment's text. `origin` is the position of the document's origin on the canvas.
    func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas)
}

extension CustomTextLayoutFragment {
    /// 0.
    public var topMargin: Double { 0 }
    /// 0.
    public var bottomMargin: Double { 0 }
    /// 0.
    public var leadingPadding: Double { 0 }
    /// 0.
    public var trailingPadding: Double { 0 }
    /// Returns the fragment's frame.
    public func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect { fragment.layoutFragmentFrame }
    /// Paints nothing.
    public func draw(_: TextLayoutFragment, at _: WindowPoint, on _: any Canvas) {}
}

/// A delegate that provides custom fragments for elements.
///
/// When its answers change, a delegate calls ``TextLayoutManager/invalidateLayout(for:)``. It is called whenever something is laid out.
/// During the call it reads the previous layout; text without layout is laid out without delegates. Changes that it makes to
/// the layout or the text are laid out afterwards. It is also called while views follow a transaction: its edits are then deferred until
/// right after that, and methods that would return the edit return nothing.
public protocol TextLayoutManagerDelegate: AnyObject {
    /// Returns the custom fragment for the part of an element at `location`; nil for the usual fragment. Called once for each
    /// layout of that part.
    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)?

    /// Returns the room of the attachment at `location` on a line of `lineWidth` pixels; nil, the default, for the room of its size or
    /// image. Called once for each layout of its paragraph, therefore whenever the width changes.
    func textLayoutManager(
        _ manager: TextLayoutManager, attachmentBoundsFor attachment: TextAttachment, at location: UTF16Offset,
        lineWidth: Double
    ) -> AttachmentBounds?
}

extension TextLayoutManagerDelegate {
    /// Returns nil.
    public func textLayoutManager(
        _: TextLayoutManager, attachmentBoundsFor _: TextAttachment, at _: UTF16Offset, lineWidth _: Double
    ) -> AttachmentBounds? { nil }
}
