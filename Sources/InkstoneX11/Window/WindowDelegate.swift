import InkstoneBase

/// Receives the events of a ``Window``. All methods are called on the display's thread, outside of Xlib.
public protocol WindowDelegate: AnyObject {
    /// Called when the window received a key press, repetition or release. `raw` is the form to pass to an input
    /// method.
    func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey)
    /// Called for a pointer event in the window. Consecutive motions are merged into one.
    func window(_ window: Window, didReceivePointer event: PointerEvent)
    /// Called before the window is painted. Parts marked now are painted too.
    func windowWillPaint(_ window: Window)
    /// Called for an event of a touch that began in the window. Consecutive motions are merged into one.
    func window(_ window: Window, didReceiveTouch event: TouchEvent)
    /// Called when parts of the window have to be painted, usually once in a turn of the loop. Paint the parts
    /// `damage`, which are in whole window pixels and may overlap. Painting outside of them is not shown until that
    /// part is marked to be painted.
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect])
    /// Called when the window's size has changed. The whole window is painted afterwards.
    func windowDidResize(_ window: Window)
    /// Called when the window's ``Window/rootOrigin`` has changed.
    func windowDidMove(_ window: Window)
    /// Called when the window starts or stops receiving keys.
    func windowDidChangeFocus(_ window: Window)
    /// Called when the host of a plug moves its focus into the window, to the first or the last content.
    /// ``windowDidChangeFocus(_:)`` follows.
    func window(_ window: Window, focusWillEnterAt entry: FocusEntry)
    /// Called when the user or the window manager asks to close the window. Close it, or ask the user first.
    func windowShouldClose(_ window: Window)
    /// Called when another client has destroyed the window. This also happens when its parent is destroyed.
    func windowWasDestroyed(_ window: Window)
    /// Called when a plug's host has released the plug, or has exited. The window is unmapped. In the next host it
    /// is shown again.
    func windowWasUnplugged(_ window: Window)
    /// Called at each motion of a drag over the window. Returns the action that a drop there would have; nil
    /// refuses a drop. Also called while the pointer is still, because the text under it may have moved. Must
    /// return quickly: the source waits.
    func window(_ window: Window, judges drag: IncomingDrag) -> DragAction?
    /// Called when a drag has left the window or was cancelled, or when its drop was refused.
    func windowDragDidLeave(_ window: Window)
    /// Called for a drop that the window accepted. Use its contents, then call
    /// ``IncomingDrag/finish(_:isDeleted:)``.
    func window(_ window: Window, takes drag: IncomingDrag)
}

extension WindowDelegate {
    /// Does nothing, the default.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {}
    /// Does nothing, the default.
    public func window(_ window: Window, didReceivePointer event: PointerEvent) {}
    /// Treats the first touch as the primary pointer button. Ignores further touches.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        if let pointer = event.pointerEvent { self.window(window, didReceivePointer: pointer) }
    }
    /// Does nothing, the default.
    public func windowWillPaint(_ window: Window) {}
    /// Does nothing, the default.
    public func windowDidResize(_ window: Window) {}
    /// Does nothing, the default.
    public func windowDidMove(_ window: Window) {}
    /// Does nothing, the default.
    public func windowDidChangeFocus(_ window: Window) {}
    /// Does nothing, the default.
    public func window(_ window: Window, focusWillEnterAt entry: FocusEntry) {}
    /// Closes the window, the default.
    public func windowShouldClose(_ window: Window) { window.close() }
    /// Does nothing, the default.
    public func windowWasDestroyed(_ window: Window) {}
    /// Does nothing, the default.
    public func windowWasUnplugged(_ window: Window) {}
    /// Refuses every drag, the default.
    public func window(_ window: Window, judges drag: IncomingDrag) -> DragAction? { nil }
    /// Does nothing, the default.
    public func windowDragDidLeave(_ window: Window) {}
    /// Reports that the drop was not used, the default.
    public func window(_ window: Window, takes drag: IncomingDrag) { drag.finish(nil) }
}
