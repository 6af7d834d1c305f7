import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A view that stands in a text in place of an attachment's character: another text view, a window, or anything that paints itself.
///
/// Places are in pixels of the window that shows the text.
public protocol AttachmentView: AnyObject {
    /// Shows it at a place, of which only the part in `area` is seen. Its pixels have been moved along with the text, or are painted anew
    /// anyway: nothing is to be painted for that.
    func show(in frame: WindowRect, clippedTo area: WindowRect)
    /// Takes it out of sight: it has been scrolled away, or its character is gone.
    func hide()
    /// Paints the part of it inside `damage`; what it paints elsewhere is cut off.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Whether it is kept however long it has been out of sight: while it has the focus, or has anything that would be lost.
    var isInUse: Bool { get }
}

extension AttachmentView {
    /// Nothing: what is not in sight is not painted.
    public func hide() {}
    /// Nothing.
    public func paint(on canvas: any Canvas, damage: WindowRect) {}
    /// False.
    public var isInUse: Bool { false }
}

/// A text view inside of another one's text.
extension EditorView: AttachmentView {
    /// Places it; its text is laid out anew only for another extent.
    public func show(in frame: WindowRect, clippedTo area: WindowRect) {
        guard frame.size == self.frame.size else { return setFrame(frame) }
        guard frame != self.frame else { return }
        viewport.setFrame(frame)
        session.report(.geometry)
    }

    /// Whether it has the focus.
    public var isInUse: Bool { isFocused }
}

/// The view of one attachment in one text view, and what it is between that view and the text. Apple's `NSTextAttachmentViewProvider`.
///
/// Inherit from it, make the view in ``loadView()``, and register the class for the type of the attachments:
/// ``AttachmentViews/register(_:forType:)``. There is a provider for each character of each text view, made when the character comes near
/// what is in sight. It lives as long as the character, and as undo can bring that back, so what the user does to the view belongs
/// into it. The view itself may be dropped when it has been out of sight for long, and is made again then.
///
/// As a responder it comes behind its view in the chain, and before the text view. Escape, Tab, Shift+Tab and Ctrl+Tab that the view
/// does not take lead back to the text. All other commands are the text's if the view takes no text itself.
open class TextAttachmentViewProvider: Responder {
    /// The attachment that the view is shown for.
    public let textAttachment: TextAttachment
    /// The text view that shows it; nil once it is gone.
    public var textView: EditorView? { views?.textView }
    /// The view; nil until it is loaded.
    public final var view: (any AttachmentView)?

    /// The views that the provider belongs to; nil once its character is gone for good.
    final weak var views: AttachmentViews?
    /// The character's place in the text, in UTF-16 units; without one, where it was.
    final var offset: UTF16Offset = 0
    /// The way in which the character can come back; nil while it is in the text.
    final var deletion: AttachmentDeletion?
    /// The frame and the clip that the view was last shown with, in window pixels; nil while it is hidden.
    final var shown: (frame: WindowRect, area: WindowRect)?
    /// The painting at which the view was in sight last, counted.
    final var lastShown = 0

    /// A provider for an attachment.
    public required init(textAttachment: TextAttachment) { self.textAttachment = textAttachment }

    /// Makes ``view``. The text may not be edited here.
    open func loadView() {}

    /// The room that the view takes, in device pixels, on a line of `lineWidth`: asked whenever lines are laid out, so also when the width
    /// changes. That of ``room(for:lineWidth:scale:)`` unless said otherwise. The text may not be edited here, nor any layout be asked for.
    ///
    /// - Parameter scale: device pixels for each pixel at scale 1.
    open func attachmentBounds(lineWidth: Double, scale: Double) -> AttachmentBounds {
        Self.room(for: textAttachment, lineWidth: lineWidth, scale: scale)
    }

    /// The room for an attachment whose provider has not been made yet: its size, also where the line is narrower.
    open class func room(for attachment: TextAttachment, lineWidth: Double, scale: Double) -> AttachmentBounds {
        AttachmentBounds(of: attachment, scale: scale, width: .infinity)
    }

    /// Has the text asked for ``attachmentBounds(lineWidth:scale:)`` again: what lies below moves, and what is in sight above stays.
    public final func boundsDidChange() { views?.layOutAgain(self) }

    /// The character's place in the text, in UTF-16 units; nil while it is deleted.
    public final var location: UTF16Offset? { deletion == nil ? offset : nil }

    // MARK: Responder

    /// The text view.
    public final var next: (any Responder)? { textView }

    /// Escape selects the character, Tab and Ctrl+Tab set the caret behind it, with Shift before it.
    public final func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        switch action {
        case .cancelOperation: return leave(to: offset..<(offset + 1))
        case .insertTab, .selectNextKeyView: return leave(to: (offset + 1)..<(offset + 1))
        case .insertBacktab, .selectPreviousKeyView: return leave(to: offset..<offset)
        default:
            // A field's Backspace at its start must not delete the field.
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
    /// By undo, until so many steps have been forgotten.
    case undoable(Int)
    /// By redo, until nothing can be made again.
    case redoable
}
