import InkstoneBase
import InkstoneText

/// An object, usually of the program, that may refuse the pointer's gestures in a text view, and that knows the
/// links in the text.
public protocol TextInteractionDelegate: AnyObject {
    /// Whether a gesture may begin at a point of the view. Called before the gesture changes anything; a refused
    /// gesture changes nothing.
    func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool
    /// Whether the text at a position is a link. Called for presses of the primary button, for touches of text that
    /// cannot be edited, and by ``TextInteraction/opensLink(at:)``.
    func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool
    /// Called when the user opens a link: by a click with Ctrl or, where the text cannot be edited, by a plain
    /// click or a tap.
    func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition)
    /// Called when the user opens an attachment by a double click. `position` is the position of the attachment's
    /// character, which is selected.
    func textInteraction(_ interaction: TextInteraction, openAttachmentAt position: TextPosition)
}

extension TextInteractionDelegate {
    /// Returns true: all gestures may begin.
    public func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool {
        true
    }
    /// Returns false: there are no links.
    public func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool { false }
    /// Does nothing: the link is not opened.
    public func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition) {}
    /// Does nothing: the attachment is not opened.
    public func textInteraction(_ interaction: TextInteraction, openAttachmentAt position: TextPosition) {}
}

/// An object that connects a ``TextInteraction`` with other programs: the widget in an X window.
public protocol TextInteractionHost: AnyObject {
    /// Called after the user has selected text with the pointer or a finger. The host can then offer the text as
    /// PRIMARY. Not called for a caret, nor in a secure view.
    ///
    /// - Parameter time: the X server's time of the event that ended the selection, in milliseconds.
    func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32)
    /// Pastes PRIMARY at a position and moves the caret after the pasted text. Selected text is not replaced.
    func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32)
    /// Begins a drag of the selected text. Returns whether the host has begun one; the pointer's events then belong
    /// to the host until the button is released. Otherwise the motion selects text.
    ///
    /// - Parameters:
    ///   - point: the position of the press, in view pixels.
    ///   - event: the motion that turned the press into a drag. Its modifiers determine whether to copy.
    func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool
    /// Opens the context menu at a point of the view. The caret has been moved there already, unless the closest
    /// position of a caret is in selected text or at an end of it.
    func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent)
    /// Called when the button or a finger was held still at a point of the view. The word there is selected, and a drag
    /// extends the selection by words. The host may show a loupe until ``TextInteraction/isSelecting`` becomes false.
    func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint)
    /// Called when a finger that came down on a handle starts to move it, or was held still; `point` is in view pixels.
    /// The host may show a loupe, as for a long press.
    func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint)
    /// Prepares for a gesture that the delegate has allowed and that is about to change something: the host takes
    /// the focus, and ends the composition of whatever view receives keys. Returns false to refuse the gesture. Not
    /// called for scrolling, for a paste into text that cannot be edited, nor for a press without an action, such
    /// as a press of the middle button after which the pointer moves.
    func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool
    /// Called after ``TextInteraction/autoscroll(to:)`` has scrolled the view. Other text then lies under the
    /// pointer.
    func textInteractionDidAutoscroll(_ interaction: TextInteraction)
}

extension TextInteractionHost {
    /// Does nothing: the selection is not offered as PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {}
    /// Does nothing: there is no PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32) {}
    /// Returns false: the selected text cannot be dragged away.
    public func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool { false }
    /// Does nothing: there is no menu.
    public func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {}
    /// Does nothing: there is no loupe.
    public func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) {}
    /// Does nothing: there is no loupe.
    public func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) {}
    /// Returns true: the gesture may begin.
    public func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
        true
    }
    /// Does nothing: the default for a host that shows nothing about the text under the pointer.
    public func textInteractionDidAutoscroll(_ interaction: TextInteraction) {}
}
