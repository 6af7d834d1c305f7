import CX11
import InkstoneBase

extension Window {
    /// Requests that the window be raised and focused because of the latest user action. The window manager decides.
    /// Without a window manager, the window is raised and focused directly. A child window only takes the focus. At
    /// least one round trip for a top-level window.
    ///
    /// Source: EWMH, `_NET_ACTIVE_WINDOW`.
    public func activate() {
        guard !isClosed, !display.isLost, isShown else { return }
        display.needsTurn()
        let connection = display.connection
        guard kind == .topLevel else { return focus(timestamp: display.latestTimestamp) }
        guard display.hasWindowManager else {
            XRaiseWindow(connection, id.xid)
            return focus(timestamp: display.latestTimestamp)
        }
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = id.xid
        event.xclient.message_type = display.intern("_NET_ACTIVE_WINDOW")
        event.xclient.format = 32
        // Source 1 means an application. The 0 after the time is the active window: none of ours.
        event.xclient.data.l = (1, Int(display.latestTimestamp), 0, 0, 0)
        XSendEvent(
            connection, XDefaultRootWindow(connection), 0, SubstructureNotifyMask | SubstructureRedirectMask, &event)
    }
}

extension Display {
    /// Whether a window manager that supports EWMH is running.
    fileprivate var hasWindowManager: Bool {
        var (type, format): (Atom, Int32) = (0, 0)
        var (count, rest): (UInt, UInt) = (0, 0)
        var bytes: UnsafeMutablePointer<UInt8>?
        let status = XGetWindowProperty(
            connection, XDefaultRootWindow(connection), intern("_NET_SUPPORTING_WM_CHECK"), 0, 1, 0,
            0, &type, &format, &count, &rest, &bytes)
        if let bytes { XFree(bytes) }
        return status == 0 && count > 0
    }
}
