import CX11
import InkstoneBase

/// The window functions that a menu needs.
extension Window {
    /// Grabs the pointer: all of its events come to this window until ``releasePointer()`` or until the window is hidden. The window has
    /// to be shown. One round trip.
    ///
    /// - Parameter timestamp: the time of the user's event behind it, in the server's milliseconds.
    /// - Returns: false if another client has grabbed the pointer.
    public func grabPointer(timestamp: UInt32) -> Bool {
        guard !isClosed, !display.isLost else { return false }
        display.needsTurn()
        // A button that went down before the devices were queried causes a grab of the core protocol, which excludes XInput 2.
        if let devices = display.findPointerDevices(), devices.grab(id.xid, timestamp: timestamp) { return true }
        let mask = UInt32(
            ButtonPressMask | ButtonReleaseMask | PointerMotionMask | EnterWindowMask | LeaveWindowMask)
        return XGrabPointer(
            display.connection, id.xid, 0, mask, GrabModeAsync, GrabModeAsync, 0, 0, UInt(timestamp)) == GrabSuccess
    }

    /// Releases the pointer's grab.
    public func releasePointer() {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        display.pointerDevices?.ungrab()
        XUngrabPointer(display.connection, 0)
    }

    /// Marks the window as a menu for compositors and managers, which may add a shadow.
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
    /// Whether any client owns a selection of this display now. One round trip, unless it is this program.
    package func hasOwner(of clipboard: Clipboard) -> Bool {
        guard !isLost else { return false }
        return clipboard.isOwner || XGetSelectionOwner(connection, clipboard.selection) != 0
    }
}
