import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A view that a text view displays in place of an attachment's character: another text view, a window, or anything
/// that paints itself.
///
/// Frames are in pixels of the window that contains the text.
public protocol AttachmentView: AnyObject {
    /// Shows the view in a frame, of which only the part in `area` is visible. The view need not request painting:
    /// its pixels have been moved together with the text, or the area is painted anyway.
    func show(in frame: WindowRect, clippedTo area: WindowRect)
    /// Hides the view. Called when it is scrolled out of view or its character is deleted.
    func hide()
    /// Paints the part of the view inside `damage`. The canvas is already clipped to this rectangle.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Whether the view must be kept while it is out of view. True if it has the focus, or a state that would be
    /// lost.
    var isInUse: Bool { get }
}

extension AttachmentView {
    /// Does nothing: a view that is out of view is not painted.
    public func hide() {}
    /// Does nothing: the default for a view that paints itself elsewhere, such as a window of its own.
    public func paint(on canvas: any Canvas, damage: WindowRect) {}
    /// False: the view may be dropped.
    public var isInUse: Bool { false }
}

/// Allows a text view to be displayed within the text of another view.
extension EditorView: AttachmentView {
    /// Sets the view's frame. The view lays out its own text again only if the size of the frame has changed.
    public func show(in frame: WindowRect, clippedTo area: WindowRect) {
        guard frame.size == self.frame.size else { return setFrame(frame) }
        if frame != self.frame { presenter.move(to: frame) }
    }

    /// Whether the view has the focus.
    public var isInUse: Bool { isFocused }
}

/// The provider of the view of one attachment in one text view. The counterpart of Apple's
/// `NSTextAttachmentViewProvider`.
///
/// Inherit from this class, create the view in ``loadView()``, and register the class for the type of the
/// attachments by ``AttachmentViews/register(_:forType:)``. There is one provider for each character and text view.
/// It is created when the character comes near the visible part, and lives as long as the character is in the text
/// or undo can bring it back. The view itself may be released when it has been out of view for long, and is then
/// created again. Store the user's changes to the view in the provider.
///
/// In the responder chain, the provider follows its view and precedes the text view. If the view does not handle
/// Escape, Tab, Shift+Tab or Ctrl+Tab, the provider returns the focus to the text. All other commands go to the
/// text, unless the view accepts text itself.
open class TextAttachmentViewProvider: Responder {
    /// The attachment in whose place the view is displayed.
    public let textAttachment: TextAttachment
    /// The text view that displays the attachment; nil if it no longer exists.
    public var textView: EditorView? { views?.textView }
    /// The view; nil until it is loaded.
    public final var view: (any AttachmentView)?

    /// The set of views that contains this provider; nil if the text view no longer exists, or if undo can no longer
    /// bring back the character.
    final weak var views: AttachmentViews?
    /// The offset of the character in the text, in UTF-16 units. If the character is deleted, the position of the
    /// deletion.
    final var offset: UTF16Offset = 0
    /// The way in which the deleted character can come back; nil while the character is in the text.
    final var deletion: AttachmentDeletion?
    /// The frame and the clip of the view as last shown, in window pixels; nil while the view is hidden.
    final var shown: (frame: WindowRect, area: WindowRect)?
    /// The number of the last painting that loaded or showed the view.
    final var lastShown = 0

    /// Creates a provider for an attachment.
    public required init(textAttachment: TextAttachment) { self.textAttachment = textAttachment }

    /// Creates ``view``. Do not edit the text here.
    open func loadView() {}

    /// Returns the bounds of the view, in device pixels, on a line of `lineWidth` pixels. By default they are those
    /// of ``room(for:lineWidth:scale:)``. Called whenever the line is laid out, for example when the width has
    /// changed. Do not edit the text or request layout here.
    ///
    /// - Parameter scale: the number of device pixels in one pixel at scale 1.
    open func attachmentBounds(lineWidth: Double, scale: Double) -> AttachmentBounds {
        Self.room(for: textAttachment, lineWidth: lineWidth, scale: scale)
    }

    /// Returns the bounds of an attachment whose provider is not created yet: the attachment's own size, even if
    /// the line is narrower.
    open class func room(for attachment: TextAttachment, lineWidth: Double, scale: Double) -> AttachmentBounds {
        AttachmentBounds(of: attachment, scale: scale, width: .infinity)
    }

    /// Lays out the attachment's line again, which calls ``attachmentBounds(lineWidth:scale:)``. The text below the
    /// line moves; visible text above it does not.
    public final func boundsDidChange() { views?.layOutAgain(self) }

    /// The offset of the character in the text, in UTF-16 units; nil while the character is deleted.
    public final var location: UTF16Offset? { deletion == nil ? offset : nil }

    // MARK: Responder

    /// The text view, as the next responder.
    public final var next: (any Responder)? { textView }

    /// Performs the commands that leave the view. Escape selects the attachment's character. Tab and Ctrl+Tab move
    /// the caret after the character; Shift+Tab and Ctrl+Shift+Tab move it before the character. These commands have
    /// no effect, and the result is false, if the character is deleted. Other commands go to the text, unless the view
    /// accepts text itself.
    public final func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        switch action {
        case .cancelOperation: return leave(to: offset..<(offset + 1))
        case .insertTab, .selectNextKeyView: return leave(to: (offset + 1)..<(offset + 1))
        case .insertBacktab, .selectPreviousKeyView: return leave(to: offset..<offset)
        default:
            // Do not pass on other commands of a view that accepts text: Backspace at the start of a field would
            // delete the field.
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

/// The way in which the deleted character of an attachment can come back into the text.
enum AttachmentDeletion: Hashable {
    /// Undo brings the character back, until this many steps have been discarded from the undo history.
    case undoable(Int)
    /// Redo brings the character back, until no step can be redone.
    case redoable
}
