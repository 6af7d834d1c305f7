import InkstoneBase

/// The receiver of a ``Window``'s events. All methods are called on the display's thread, outside of Xlib.
public protocol WindowDelegate: AnyObject {
    /// Called when a key was pressed, repeated or released over the window. `raw` is the form to send to an input method.
    func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey)
    /// Called for an event of the pointer over the window; consecutive motions are merged into one.
    func window(_ window: Window, didReceivePointer event: PointerEvent)
    /// Called before the window is painted: parts marked now are painted with the rest.
    func windowWillPaint(_ window: Window)
    /// Called for an event of a finger that touched the window; consecutive motions are merged into one.
    func window(_ window: Window, didReceiveTouch event: TouchEvent)
    /// Called once per loop turn to paint `damage` (window pixels, whole, may overlap). Anything painted outside of it
    /// is not shown before the next damage.
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect])
    /// Called when the window has another extent; everything is painted anew afterwards.
    func windowDidResize(_ window: Window)
    /// Called when the window's ``Window/rootOrigin`` has changed.
    func windowDidMove(_ window: Window)
    /// Called when the window begins or ceases to receive keys.
    func windowDidChangeFocus(_ window: Window)
    /// Called when the host of a plug moves its focus into the window, at one end of the contents. ``windowDidChangeFocus(_:)`` follows.
    func window(_ window: Window, focusWillEnterAt entry: FocusEntry)
    /// Called when the user or the manager asks to close the window: close it, or ask the user first.
    func windowShouldClose(_ window: Window)
    /// Called when the X window was destroyed by another client, such as with its parent.
    func windowWasDestroyed(_ window: Window)
    /// Called when the host has released a plug, or has exited. The window is unmapped, and is shown again in the next host.
    func windowWasUnplugged(_ window: Window)
    /// Called at each move of a drag over the window; returns the action of a drop there, nil for none. Also called while the pointer rests,
    /// since text may have moved below. Answer without waiting: the source waits.
    func window(_ window: Window, judges drag: IncomingDrag) -> DragAction?
    /// Called when a drag has left the window, or was cancelled or refused.
    func windowDragDidLeave(_ window: Window)
    /// Called for a drop that the window accepted: use its contents, and call ``IncomingDrag/finish(_:isDeleted:)``.
    func window(_ window: Window, takes drag: IncomingDrag)
}

extension WindowDelegate {
    /// Does nothing.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {}
    /// Does nothing.
    public func window(_ window: Window, didReceivePointer event: PointerEvent) {}
    /// Treats the first touch as the primary pointer button and ignores further touches.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        if let pointer = event.pointerEvent { self.window(window, didReceivePointer: pointer) }
    }
    /// Does nothing.
    public func windowWillPaint(_ window: Window) {}
    /// Does nothing.
    public func windowDidResize(_ window: Window) {}
    /// Does nothing.
    public func windowDidMove(_ window: Window) {}
    /// Does nothing.
    public func windowDidChangeFocus(_ window: Window) {}
    /// Does nothing.
    public func window(_ window: Window, focusWillEnterAt entry: FocusEntry) {}
    /// Closes the window.
    public func windowShouldClose(_ window: Window) { window.close() }
    /// Does nothing.
    public func windowWasDestroyed(_ window: Window) {}
    /// Does nothing.
    public func windowWasUnplugged(_ window: Window) {}
    /// Refuses the drag.
    public func window(_ window: Window, judges drag: IncomingDrag) -> DragAction? { nil }
    /// Does nothing.
    public func windowDragDidLeave(_ window: Window) {}
    /// Reports the drop as unused.
    public func window(_ window: Window, takes drag: IncomingDrag) { drag.finish(nil) }
}
