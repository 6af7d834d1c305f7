import CX11
import InkstoneBase

/// The window that a display uses for its selections, and the transfers in progress.
final class SelectionTransfers: EventSink {
    /// An unmapped window that owns selections and receives the answers of other owners.
    private(set) var window: UInt
    /// The clipboards that have claimed a selection, by selection.
    var owned: [Atom: Clipboard] = [:]
    unowned let display: Display
    var incoming: [IncomingSelection] = []
    var outgoing: [OutgoingSelection] = []
    /// The properties into which owners write their answers.
    var slots = SelectionSlots()
    /// The byte counts and deadlines of the transfers, with their limits.
    var ledger = SelectionLedger()
    /// The number of bytes sent to requestors so far.
    var bytesSent = 0
    /// The largest number of bytes that were read at a time from an owner so far, for tests.
    var longestSlice = 0
    private var timeWaiters: [(UInt32) -> Void] = []

    init(_ display: Display) {
        self.display = display
        window = Self.makeWindow(display)
        display.register(self, for: window)
    }

    private static func makeWindow(_ display: Display) -> UInt {
        var attributes = XSetWindowAttributes()
        attributes.event_mask = PropertyChangeMask | StructureNotifyMask
        attributes.override_redirect = 1
        let connection = display.connection
        let window = XCreateWindow(
            connection, XDefaultRootWindow(connection), -10, -10, 1, 1, 0, 0, UInt32(InputOnly), nil,
            UInt(CWEventMask | CWOverrideRedirect), &attributes)
        display.ownResources.insert(window)
        return window
    }

    /// Replaces the window after another client has destroyed it, which any client can do. Claims the owned
    /// selections again, unless they have new owners. Fails the pending requests.
    private func windowWasDestroyed() {
        guard !display.isLost, !display.loop.isClosed else { return }
        display.unregister(self, for: window)
        display.ownResources.free(window)
        window = Self.makeWindow(display)
        display.register(self, for: window)
        display.dragAndDrop.session?.abandon()
        for clipboard in owned.values { clipboard.claimAgain() }
        for request in incoming { finish(request, .failure(.timedOut)) }
        if !timeWaiters.isEmpty { askForTime() }
        for window in display.windows.values { window.groupDidChange() }
    }

    func receive(_ event: inout XEvent) {
        switch event.type {
        case SelectionRequest: answer(event.xselectionrequest)
        case SelectionNotify: answerCame(event.xselection)
        case SelectionClear:
            let clear = event.xselectionclear
            guard let clipboard = owned[clear.selection], let contents = clipboard.contents else { return }
            // Ignore a notice that is older than our current claim: it concerns an earlier ownership.
            guard Int32(bitPattern: UInt32(truncatingIfNeeded: clear.time) &- contents.time) >= 0 else { return }
            owned[clear.selection] = nil
            clipboard.ownershipLost()
        case PropertyNotify:
            let notice = event.xproperty
            if notice.window != window {
                if notice.state == PropertyDelete { sendMore(notice.window, notice.atom) }
            } else if notice.atom == display.atoms["_INKSTONE_TIME"] {
                let waiters = timeWaiters
                timeWaiters = []
                for waiter in waiters { waiter(UInt32(truncatingIfNeeded: notice.time)) }
            } else if notice.state == PropertyNewValue {
                pieceCame(notice.atom)
            }
        case ClientMessage: display.dragAndDrop.receive(event.xclient)
        case DestroyNotify where event.xdestroywindow.window == window: windowWasDestroyed()
        case DestroyNotify: giveUp(requestor: event.xdestroywindow.window)
        default: break
        }
    }

    /// Calls `work` with the server's time. The time is that of the notification about an empty change to a
    /// property.
    func withCurrentTime(_ work: @escaping (UInt32) -> Void) {
        timeWaiters.append(work)
        askForTime()
    }

    private func askForTime() {
        var nothing: UInt8 = 0
        XChangeProperty(
            display.connection, window, display.atoms["_INKSTONE_TIME"], PredefinedAtom.string, 8, PropModeAppend,
            &nothing, 0)
    }

    /// Sends a request to the owner of a selection, only to wake up the owner. The answer is ignored.
    func nudgeOwner(of selection: String, target: String) {
        guard !display.isLost else { return }
        let target = display.intern(target)
        XConvertSelection(display.connection, display.intern(selection), target, target, window, 0)
        cx11_flush(display.connection)
    }

    /// Whether the server confirms that we own a selection. The check is needed because a claim with an old timestamp
    /// fails silently. One round trip.
    func isStillOwner(of selection: Atom) -> Bool {
        XGetSelectionOwner(display.connection, selection) == window
    }

    /// The current time in milliseconds of the monotonic clock, for the ``ledger``.
    var now: Int64 { MonotonicClock.milliseconds }

    /// Returns the bytes and type of a property. Nil if the property or the window does not exist. If the property
    /// is longer than about `limit` bytes, only its beginning is read, and the property is not deleted.
    func property(_ property: Atom, of window: UInt, delete: Bool, limit: Int = 1 << 16) -> (
        bytes: [UInt8], type: Atom, format: Int32
    )? {
        var bytes: [UInt8] = []
        let slice = readSlice(property, of: window, from: 0, delete: delete, limit: limit) {
            bytes = Array($0)
        }
        guard let slice else { return nil }
        return (bytes, slice.type, slice.format)
    }

    /// Reads a slice of a property, at most slightly more than `limit` bytes, and passes it to `take`. Returns nil
    /// if the property or the window does not exist.
    ///
    /// - Parameters:
    ///   - position: the offset of the slice, in units of 32 bits. The returned `end` has the same unit.
    ///   - delete: whether the property is deleted after its last slice was read.
    func readSlice(
        _ property: Atom, of window: UInt, from position: Int, delete: Bool, limit: Int,
        _ take: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> (type: Atom, format: Int32, end: Int, isLast: Bool)? {
        var type: Atom = 0
        var format: Int32 = 0
        var count: UInt = 0
        var left: UInt = 0
        var data: UnsafeMutablePointer<UInt8>?
        let status = display.tolerating {
            XGetWindowProperty(
                display.connection, window, property, position, max(0, limit) / 4 + 1, delete ? 1 : 0, 0, &type,
                &format,
                &count, &left, &data)
        }
        guard status == Success, let data else { return nil }
        defer { XFree(data) }
        guard type != 0 else { return nil }
        // Xlib stores 32-bit items as C longs.
        let width = format == 32 ? MemoryLayout<UInt>.size : Int(format) / 8
        take(UnsafeBufferPointer(start: data, count: Int(count) * width))
        return (type, format, position + Int(count) * Int(format) / 32, left == 0)
    }
}
