import CX11
import InkstoneBase

/// The functions of windows that menus need.
extension Window {
    /// Grabs the pointer: all its events are sent to this window until ``releasePointer()`` is called, or until the
    /// window is hidden. The window must be shown. At least one round trip.
    ///
    /// - Parameter timestamp: the time of the user's event, in the server's milliseconds.
    /// - Returns: false if the grab failed, for example because another client has grabbed the pointer.
    public func grabPointer(timestamp: UInt32) -> Bool {
        guard !isClosed, !display.isLost else { return false }
        display.needsTurn()
        // Use a core grab if XInput 2 cannot grab: a button that was pressed before XInput 2 was queried has activated
        // a core grab.
        if let devices = display.findPointerDevices(), devices.grab(id.xid, timestamp: timestamp) { return true }
        let mask = UInt32(
            ButtonPressMask | ButtonReleaseMask | PointerMotionMask | EnterWindowMask | LeaveWindowMask)
        return XGrabPointer(
            display.connection, id.xid, 0, mask, GrabModeAsync, GrabModeAsync, 0, 0, UInt(timestamp)) == GrabSuccess
    }

    /// Releases the pointer grab.
    public func releasePointer() {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        display.pointerDevices?.ungrab()
        XUngrabPointer(display.connection, 0)
    }

    /// Sets the window's type to a menu. Compositors and window managers may add a shadow.
    public func setMenuType() {
        guard !isClosed, !display.isLost else { return }
        var type = display.intern("_NET_WM_WINDOW_TYPE_POPUP_MENU")
        withUnsafeBytes(of: &type) {
            _ = XChangeProperty(
                display.connection, id.xid, display.atoms["_NET_WM_WINDOW_TYPE"], PredefinedAtom.atom, 32,
                PropModeReplace, $0.assumingMemoryBound(to: UInt8.self).baseAddress, 1)
        }
    }
}

extension Display {
    /// Whether any client owns a selection now. One round trip, unless this program owns it.
    package func hasOwner(of clipboard: Clipboard) -> Bool {
        guard !isLost else { return false }
        return clipboard.isOwner || XGetSelectionOwner(connection, clipboard.selection) != 0
    }
}
