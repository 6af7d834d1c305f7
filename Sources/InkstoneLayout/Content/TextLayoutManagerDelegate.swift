import InkstoneBase
import InkstoneText

/// A fragment that takes more room than its lines, or paints more: for example a quotation with a bar, or a table
/// cell.
///
/// Distances are device pixels, rounded to whole ones. A paragraph of more than some thousand units has several
/// fragments; the first of them gets the top margin and the last the bottom margin.
public protocol CustomTextLayoutFragment {
    /// Room above the first line.
    var topMargin: Double { get }
    /// Room below the last line.
    var bottomMargin: Double { get }
    /// Room at the edge where lines start.
    var leadingPadding: Double { get }
    /// Room at the edge where lines end.
    var trailingPadding: Double { get }
    /// Returns the area that painting may touch, in pixels of the document. The area of the text's ink is added
    /// automatically.
    func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect
    /// Paints what lies behind the fragment's text. `origin` is the position of the document's origin on the
    /// canvas.
    func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas)
}

extension CustomTextLayoutFragment {
    /// No room above the first line, the default.
    public var topMargin: Double { 0 }
    /// No room below the last line, the default.
    public var bottomMargin: Double { 0 }
    /// No room where lines start, the default.
    public var leadingPadding: Double { 0 }
    /// No room where lines end, the default.
    public var trailingPadding: Double { 0 }
    /// Returns the fragment's frame, the default.
    public func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect { fragment.layoutFragmentFrame }
    /// Paints nothing, the default.
    public func draw(_: TextLayoutFragment, at _: WindowPoint, on _: any Canvas) {}
}

/// A delegate that provides custom fragments for elements.
///
/// When its results change, the delegate calls ``TextLayoutManager/invalidateLayout(for:)``. Its methods are called
/// each time text is laid out. During a call, the delegate reads the layout as it was before; text that was not
/// laid out then is laid out without delegates. Its changes to the layout or the text take effect after the call.
///
/// The methods are also called while views update for a transaction. If the delegate makes an edit during such an
/// update, the edit is made directly after the update. A method that would return the result of the edit then
/// returns nil.
public protocol TextLayoutManagerDelegate: AnyObject {
    /// Returns the custom fragment for the part of an element that starts at `location`; nil for a standard
    /// fragment. Called each time that part is laid out.
    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)?

    /// Returns the bounds of the attachment at `location` on a line of `lineWidth` pixels. Nil, the default, uses
    /// the attachment's own size or its image's. Called each time the paragraph is laid out, including after each
    /// change of the width.
    func textLayoutManager(
        _ manager: TextLayoutManager, attachmentBoundsFor attachment: TextAttachment, at location: UTF16Offset,
        lineWidth: Double
    ) -> AttachmentBounds?
}

extension TextLayoutManagerDelegate {
    /// Returns nil, so that the attachment has its own size.
    public func textLayoutManager(
        _: TextLayoutManager, attachmentBoundsFor _: TextAttachment, at _: UTF16Offset, lineWidth _: Double
    ) -> AttachmentBounds? { nil }
}
