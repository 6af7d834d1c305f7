import CX11

/// A key event as the X server sent it. A key is passed to an input method in this form, and translated if the input
/// method returns it.
///
/// A copy of Xlib's `XKeyEvent` without its display pointer. So it can be used on another thread and with another
/// connection.
public struct RawKey: Hashable, Sendable {
    /// Whether the key was pressed (or repeated); false if it was released.
    public var isPress: Bool
    /// X's keycode, 8…255; 0 for a key event made by an input method.
    public var keycode: UInt8
    /// The bits of modifiers, buttons and group before the event.
    public var state: UInt32
    /// The server's time in milliseconds.
    public var time: UInt32
    /// The window to which the event was delivered.
    public var window: WindowID
    /// The root window.
    public var root: WindowID
    /// The child of ``window`` in which the pointer is; 0 if none.
    public var subwindow: WindowID
    /// The position of the pointer, in pixels of ``window`` and of the root window.
    package var x, y, rootX, rootY: Int32
    /// Xlib's serial of the event: the number of the last request that the server had processed before it.
    package var serial: UInt
    /// Whether another client sent the event.
    public var isSynthetic: Bool
    /// Whether this press repeats a held key. Set only for events that a window received.
    public var isRepeat: Bool = false

    package init(_ event: XKeyEvent) {
        isPress = event.type == KeyPress
        keycode = UInt8(truncatingIfNeeded: event.keycode)
        state = event.state
        time = UInt32(truncatingIfNeeded: event.time)
        window = WindowID(xid: event.window)
        root = WindowID(xid: event.root)
        subwindow = WindowID(xid: event.subwindow)
        x = event.x
        y = event.y
        rootX = event.x_root
        rootY = event.y_root
        serial = event.serial
        isSynthetic = event.send_event != 0
    }

    /// Returns the event as Xlib's structure, for `window`. `display` may be nil if Xlib does not need it.
    package func event(display: OpaquePointer? = nil, window: WindowID) -> XKeyEvent {
        var event = XKeyEvent()
        event.type = isPress ? KeyPress : KeyRelease
        event.serial = serial
        event.send_event = isSynthetic ? 1 : 0
        event.display = display
        event.window = window.xid
        event.root = root.xid
        event.subwindow = subwindow.xid
        event.time = UInt(time)
        event.x = x
        event.y = y
        event.x_root = rootX
        event.y_root = rootY
        event.state = state
        event.keycode = UInt32(keycode)
        event.same_screen = 1
        return event
    }
}
