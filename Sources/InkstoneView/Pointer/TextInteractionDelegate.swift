import InkstoneBase
import InkstoneText

/// Who may refuse what the pointer begins in a text view, and who knows its links: usually the program.
public protocol TextInteractionDelegate: AnyObject {
    /// Whether a gesture may begin at a point of the view. Asked before it changes anything; refused, it changes nothing.
    func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool
    /// Whether the text at a position is a link. Asked for each press.
    func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool
    /// The user wants a link opened: clicked it with Ctrl, or without where the text cannot be edited.
    func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition)
    /// The user wants an attachment opened, or edited: clicked it twice. The position is that of its character, which is selected.
    func textInteraction(_ interaction: TextInteraction, openAttachmentAt position: TextPosition)
}

extension TextInteractionDelegate {
    /// All may begin.
    public func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool {
        true
    }
    /// There are none.
    public func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool { false }
    /// Nothing is opened.
    public func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition) {}
    /// Nothing is opened.
    public func textInteraction(_ interaction: TextInteraction, openAttachmentAt position: TextPosition) {}
}

/// What a ``TextInteraction`` asks of whatever connects its view with other programs: the widget in an X window.
public protocol TextInteractionHost: AnyObject {
    /// The user has selected something with the pointer: others may have it as PRIMARY now. Not called for a caret, and not in a secure
    /// view.
    ///
    /// - Parameter time: the X server's time of the event behind it, in milliseconds.
    func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32)
    /// PRIMARY is to be pasted at a position, and the caret to go behind it; the text that is selected stays.
    func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32)
    /// The user drags the selected text away. Returns whether the host has begun to: the pointer is the host's then, until the button
    /// comes up. If not, the drag selects.
    ///
    /// - Parameters:
    ///   - point: where the text was pressed, in view pixels.
    ///   - event: the motion that made a drag of the press; its modifiers say whether to copy now.
    func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool
    /// The context menu is asked for at a point of the view. The caret has been put there, unless the point lies on selected text.
    func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent)
    /// The button was held still at a point of the view: the word there is selected, and a drag goes on by words. A loupe may be shown
    /// until ``TextInteraction/isSelecting`` ends.
    func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint)
    /// A finger has come down on a handle at a point of the view and moves it now. A loupe may be shown as for a long press.
    func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint)
    /// A gesture that the delegate has allowed is about to change something: the time to take the focus, and to end what is being
    /// composed wherever the keys go. Returns false if nothing is to be done after all. Not asked for scrolling, and not for a press
    /// that comes to nothing, such as one of the middle button that has been moved.
    func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool
    /// The view has been scrolled by ``TextInteraction/autoscroll(to:)``: what lies under the pointer is other text.
    func textInteractionDidAutoscroll(_ interaction: TextInteraction)
}

extension TextInteractionHost {
    /// Nobody else is told.
    public func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {}
    /// There is no PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32) {}
    /// There is nowhere to drag it to.
    public func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool { false }
    /// There is no menu.
    public func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {}
    /// There is no loupe.
    public func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) {}
    /// There is no loupe.
    public func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) {}
    /// It may.
    public func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
        true
    }
    /// Nothing depends on it.
    public func textInteractionDidAutoscroll(_ interaction: TextInteraction) {}
}
