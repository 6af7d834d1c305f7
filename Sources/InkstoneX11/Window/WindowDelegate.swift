import InkstoneBase

/// What a ``Window`` tells its owner. All on the display's thread, outside of Xlib.
public protocol WindowDelegate: AnyObject {
    /// A key was pressed, repeated or released over the window. `raw` is what an input method is given.
    func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey)
    /// The pointer did something over the window; motions that nobody has seen yet come as one.
    func window(_ window: Window, didReceivePointer event: PointerEvent)
    /// The window is about to be painted: what is marked to be painted now is painted with the rest.
    func windowWillPaint(_ window: Window)
    /// A finger did something over the window, or moved on from there; motions that nobody has seen yet come as one.
    func window(_ window: Window, didReceiveTouch event: TouchEvent)
    /// Paint what `damage` covers (window pixels, whole, may overlap); once per loop turn. What is painted outside of it
    /// is not shown before the next damage.
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect])
    /// The window has another extent; everything is going to be painted anew.
    func windowDidResize(_ window: Window)
    /// The window's ``Window/rootOrigin`` has changed.
    func windowDidMove(_ window: Window)
    /// Keys now come to the window, or no longer do.
    func windowDidChangeFocus(_ window: Window)
    /// The host of a plug moves its focus into the window, at one end of the contents. ``windowDidChangeFocus(_:)`` follows.
    func window(_ window: Window, focusWillEnterAt entry: FocusEntry)
    /// Someone asks for the window to be closed: close it, or ask the user first.
    func windowShouldClose(_ window: Window)
    /// The X window is gone without having been closed here: its parent was destroyed.
    func windowWasDestroyed(_ window: Window)
    /// The host has let go of a plug, or has died. The window is off the screen, and is shown again in the next host that takes it.
    func windowWasUnplugged(_ window: Window)
    /// Something is dragged over the window: say what a drop would do there; nil for nothing. Called at each move, and at rest too,
    /// since text may have moved below. Answer from what is there: the source waits.
    func window(_ window: Window, judges drag: IncomingDrag) -> DragAction?
    /// What was dragged over the window has gone, or nothing will come of it.
    func windowDragDidLeave(_ window: Window)
    /// Something was dropped where the window said so: take it, and call ``IncomingDrag/finish(_:isDeleted:)``.
    func window(_ window: Window, takes drag: IncomingDrag)
}

extension WindowDelegate {
    /// Nothing.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {}
    /// Nothing.
    public func window(_ window: Window, didReceivePointer event: PointerEvent) {}
    /// The first finger is the pointer with its primary button, the others are nothing.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        if let pointer = event.pointerEvent { self.window(window, didReceivePointer: pointer) }
    }
    /// Nothing.
    public func windowWillPaint(_ window: Window) {}
    /// Nothing.
    public func windowDidResize(_ window: Window) {}
    /// Nothing.
    public func windowDidMove(_ window: Window) {}
    /// Nothing.
    public func windowDidChangeFocus(_ window: Window) {}
    /// Nothing.
    public func window(_ window: Window, focusWillEnterAt entry: FocusEntry) {}
    /// Closes the window.
    public func windowShouldClose(_ window: Window) { window.close() }
    /// Nothing.
    public func windowWasDestroyed(_ window: Window) {}
    /// Nothing.
    public func windowWasUnplugged(_ window: Window) {}
    /// Nothing is taken.
    public func window(_ window: Window, judges drag: IncomingDrag) -> DragAction? { nil }
    /// Nothing.
    public func windowDragDidLeave(_ window: Window) {}
    /// It is of no use.
    public func window(_ window: Window, takes drag: IncomingDrag) { drag.finish(nil) }
}
