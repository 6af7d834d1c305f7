import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A view in a text in place of an attachment's character: another text view, a window, or anything that paints itself.
///
/// Frames are in pixels of the window that shows the text.
public protocol AttachmentView: AnyObject {
    /// Shows the view in a frame of which only the part in `area` is visible. Requests no painting for the new frame: the pixels have been moved
    /// along with the text, or are painted anyway.
    func show(in frame: WindowRect, clippedTo area: WindowRect)
    /// Hides the view after it was scrolled out of sight or its character was deleted.
    func hide()
    /// Paints the part of the view inside `damage`, to which the canvas is clipped.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Whether the view is kept however long it is out of sight: while it has the focus, or has state that would be lost.
    var isInUse: Bool { get }
}

extension AttachmentView {
    /// Does nothing: a view out of sight is not painted.
    public func hide() {}
    /// Does nothing.
    public func paint(on canvas: any Canvas, damage: WindowRect) {}
    /// False: the view may be dropped.
    public var isInUse: Bool { false }
}

/// Makes a text view usable inside of another view's text.
extension EditorView: AttachmentView {
    /// Sets the view's frame; its text is laid out again only for another size.
    public func show(in frame: WindowRect, clippedTo area: WindowRect) {
        guard frame.size == self.frame.size else { return setFrame(frame) }
        if frame != self.frame { presenter.move(to: frame) }
    }

    /// Whether the view has the focus.
    public var isInUse: Bool { isFocused }
}

/// The provider of the view of one attachment in one text view. Apple's `NSTextAttachmentViewProvider`.
///
/// Inherit from it, make the view in ``loadView()``, and register the class for the type of the attachments:
/// ``AttachmentViews/register(_:forType:)``. There is a provider for each character of each text view, made when the character comes near
/// the visible part. It lives as long as the character can be in the text or be brought back by undo, so store the user's changes to the view in
/// it. The view itself may be dropped when it has been out of sight for long; it is then made again.
///
/// As a responder it comes after its view in the chain, and before the text view. Escape, Tab, Shift+Tab and Ctrl+Tab that the view does not handle
/// return to the text. All other commands go to the text if the view takes no text itself.
open class TextAttachmentViewProvider: Responder {
    /// The attachment that the view is shown for.
    public let textAttachment: TextAttachment
    /// The text view that shows the attachment; nil once it is gone.
    public var textView: EditorView? { views?.textView }
    /// The view; nil until it is loaded.
    public final var view: (any AttachmentView)?

    /// The views that the provider belongs to; nil once its character cannot come back.
    final weak var views: AttachmentViews?
    /// The character's offset in the text, in UTF-16 units; its former position while it is deleted.
    final var offset: UTF16Offset = 0
    /// The way in which the character can come back; nil while it is in the text.
    final var deletion: AttachmentDeletion?
    /// The frame and the clip that the view was last shown with, in window pixels; nil while it is hidden.
    final var shown: (frame: WindowRect, area: WindowRect)?
    /// Ordinal of the last painting that showed the view.
    final var lastShown = 0

    /// Creates a provider for an attachment.
    public required init(textAttachment: TextAttachment) { self.textAttachment = textAttachment }

    /// Makes ``view``. The text may not be edited here.
    open func loadView() {}

    /// Returns the view's bounds, in device pixels, on a line of `lineWidth`; by default those of ``room(for:lineWidth:scale:)``. Called whenever
    /// lines are laid out, so also when the width changes. The text may not be edited here, nor any layout be requested.
    ///
    /// - Parameter scale: device pixels for each pixel at scale 1.
    open func attachmentBounds(lineWidth: Double, scale: Double) -> AttachmentBounds {
        Self.room(for: textAttachment, lineWidth: lineWidth, scale: scale)
    }

    /// Returns the bounds of an attachment whose provider has not been made yet: its own size, even where the line is narrower.
    open class func room(for attachment: TextAttachment, lineWidth: Double, scale: Double) -> AttachmentBounds {
        AttachmentBounds(of: attachment, scale: scale, width: .infinity)
    }

    /// Has layout call ``attachmentBounds(lineWidth:scale:)`` again: text below moves, and the visible text above stays.
    public final func boundsDidChange() { views?.layOutAgain(self) }

    /// The character's offset in the text, in UTF-16 units; nil while it is deleted.
    public final var location: UTF16Offset? { deletion == nil ? offset : nil }

    // MARK: Responder

    /// The text view.
    public final var next: (any Responder)? { textView }

    /// Performs the commands that leave the view: Escape selects the character, Tab and Ctrl+Tab set the caret behind it, with Shift before it.
    public final func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        switch action {
        case .cancelOperation: return leave(to: offset..<(offset + 1))
        case .insertTab, .selectNextKeyView: return leave(to: (offset + 1)..<(offset + 1))
        case .insertBacktab, .selectPreviousKeyView: return leave(to: offset..<offset)
        default:
            // Backspace at the start of a field must not delete the field.
            guard !(view is any KeyInput), let textView else { return false }
            return textView.perform(action)
        }
    }

    private func leave(to range: Range<UTF16Offset>) -> Bool {
        guard deletion == nil, let views, let textView else { return false }
        textView.select(Selection(anchor: range.lowerBound, head: range.upperBound))
        views.onLeave?(self)
        return true
    }
}

/// A way in which the character of an attachment can come back into the text.
enum AttachmentDeletion: Hashable {
    /// By undo, until as many steps as this have been discarded.
    case undoable(Int)
    /// By redo, until no step can be redone.
    case redoable
}
