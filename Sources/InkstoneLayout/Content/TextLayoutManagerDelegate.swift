import InkstoneBase
import InkstoneText

/// A fragment that takes more room than its lines, or paints more: a quotation with a bar, a cell of a table.
///
/// Distances are device pixels, rounded to whole ones. A paragraph of more than some thousand units has several
/// fragments; margins then go to the first and the last.
public protocol CustomTextLayoutFragment {
    /// Room above the first line.
    var topMargin: Double { get }
    /// Room below the last line.
    var bottomMargin: Double { get }
    /// Room on the side where lines start.
    var leadingPadding: Double { get }
    /// Room on the side where lines end.
    var trailingPadding: Double { get }
    /// What painting may touch, in pixels of the document; at least what its text touches counts anyway.
    func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect
    /// Paints behind the fragment's text. `origin` is where the document's origin lies on the canvas.
    func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas)
}

extension CustomTextLayoutFragment {
    /// None.
    public var topMargin: Double { 0 }
    /// None.
    public var bottomMargin: Double { 0 }
    /// None.
    public var leadingPadding: Double { 0 }
    /// None.
    public var trailingPadding: Double { 0 }
    /// The fragment's frame.
    public func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect { fragment.layoutFragmentFrame }
    /// Nothing.
    public func draw(_: TextLayoutFragment, at _: WindowPoint, on _: any Canvas) {}
}

/// Who may have elements laid out in fragments of another kind.
///
/// After changing its mind, a delegate calls ``TextLayoutManager/invalidateLayout(for:)``. It is asked whenever something is laid
/// out. What it reads of the layout meanwhile is what that was before: what had been laid out, and all else without delegates. What it
/// changes of the layout or the text is laid out afterwards. It is also asked while views follow a transaction:
/// what it edits then is made right after, and what would return the edit returns nothing.
public protocol TextLayoutManagerDelegate: AnyObject {
    /// The kind of fragment for an element, of which the part at `location` is laid out; nil for the usual one. Asked once
    /// for each layout of it.
    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)?

    /// The room of the attachment at `location` on a line of `lineWidth` pixels; nil, unless said otherwise, for that of its size or
    /// image. Asked once for each layout of its paragraph, so whenever the width changes.
    func textLayoutManager(
        _ manager: TextLayoutManager, attachmentBoundsFor attachment: TextAttachment, at location: UTF16Offset,
        lineWidth: Double
    ) -> AttachmentBounds?
}

extension TextLayoutManagerDelegate {
    /// Nil.
    public func textLayoutManager(
        _: TextLayoutManager, attachmentBoundsFor _: TextAttachment, at _: UTF16Offset, lineWidth _: Double
    ) -> AttachmentBounds? { nil }
}
