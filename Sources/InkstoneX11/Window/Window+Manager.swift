import CX11
import Glibc
import InkstoneBase

/// The time of the latest user action in a window, in the server's milliseconds. Window managers need it.
struct UserTime {
    /// The time of the latest user action; 0 before the first one.
    var latest: UInt32 = 0
    /// The time of a user action that was last reported to the window manager.
    var sent: UInt32 = 0
    /// The timer of the next report to the window manager; nil if none is set.
    var timer: TimerID?
}

/// The state of a window that concerns the window manager.
struct ManagedState {
    var userTime = UserTime()
    var isUrgent = false
    /// The counter for synchronized resizing. Nil if the server has no counters, or was not queried yet.
    var sync: ResizeSync?
    /// The title that is still to be set in the encodings for old window managers; nil if none is.
    var oldTitle: String?
}

/// Communication with the window manager: ICCCM §4, EWMH, and the startup notification protocol.
extension Window {
    /// Sets the text in the window's title bar.
    public func setTitle(_ title: String) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let atoms = display.atoms
        change(atoms["_NET_WM_NAME"], type: atoms["UTF8_STRING"], title)
        change(atoms["_NET_WM_ICON_NAME"], type: atoms["UTF8_STRING"], title)
        managed.oldTitle = title
        // Set a title in Latin-1 now. Postpone any other, for which Xlib interns an atom the first time and so makes a
        // round trip.
        guard !title.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return setOldTitle() }
        display.performAfterPainting { [weak self] in self?.setOldTitle() }
    }

    /// Sets the title in the encodings of ICCCM §2.7.1. Window managers that do not support UTF-8 read it.
    private func setOldTitle() {
        guard let title = managed.oldTitle, !isClosed, !display.isLost else { return }
        managed.oldTitle = nil
        let connection = display.connection
        var copy: UnsafeMutablePointer<CChar>? = strdup(title)
        defer { free(copy) }
        var property = XTextProperty()
        guard Xutf8TextListToTextProperty(connection, &copy, 1, XStdICCTextStyle, &property) >= 0 else { return }
        XSetWMName(connection, id.xid, &property)
        XSetWMIconName(connection, id.xid, &property)
        XFree(property.value)
    }

    func setProperties(_ properties: Properties) {
        let connection = display.connection
        let atoms = display.atoms
        setTitle(properties.title)
        var hints = XSizeHints()
        hints.flags = PSize | PMinSize | PWinGravity
        hints.width = Int32(size.width)
        hints.height = Int32(size.height)
        hints.min_width = Int32(Window.clamped(properties.minimumSize).width)
        hints.min_height = Int32(Window.clamped(properties.minimumSize).height)
        hints.win_gravity = properties.isOriginOfContents ? StaticGravity : NorthWestGravity
        if let origin = properties.origin {
            hints.flags |= USPosition
            hints.x = Window.coordinate(origin.x)
            hints.y = Window.coordinate(origin.y)
        }
        XSetWMNormalHints(connection, id.xid, &hints)
        setHints()
        change(
            PredefinedAtom.wmClass, type: PredefinedAtom.string,
            properties.instanceName + "\0" + properties.className + "\0")
        setProtocols()
        if properties.isDialog {
            let types = ["_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_NORMAL"].map { display.intern($0) }
            change(atoms["_NET_WM_WINDOW_TYPE"], type: PredefinedAtom.atom, cardinals: types)
        }
        if !display.lateQuestions.contains(.counters) { offerResizeSync() }
        change(atoms["_NET_WM_PID"], cardinals: [UInt(getpid())])
        var name = [CChar](repeating: 0, count: 256)
        if gethostname(&name, name.count - 1) == 0 {
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            change(PredefinedAtom.wmClientMachine, type: PredefinedAtom.string, String(decoding: bytes, as: UTF8.self))
        }
        if let startup = StartupNotification.id {
            change(atoms["_NET_STARTUP_ID"], type: atoms["UTF8_STRING"], startup)
        }
        // Set the time of the user action that opened the window, by which window managers decide whether the window
        // gets the focus. The time 0 means that no user action opened it, so that a dock never gets the focus.
        if kind == .dock {
            change(atoms["_NET_WM_USER_TIME"], cardinals: [0])
        } else if let time = StartupNotification.time ?? display.latestUserTime, time != 0 {
            change(atoms["_NET_WM_USER_TIME"], cardinals: [UInt(time)])
        }
    }

    private func setProtocols() {
        let atoms = display.atoms
        var protocols = [atoms["WM_DELETE_WINDOW"], atoms["_NET_WM_PING"]]
        if kind != .dock { protocols.append(atoms["WM_TAKE_FOCUS"]) }
        if managed.sync != nil { protocols.append(atoms["_NET_WM_SYNC_REQUEST"]) }
        change(atoms["WM_PROTOCOLS"], type: PredefinedAtom.atom, cardinals: protocols)
    }

    /// If the server has SYNC counters, makes the window manager wait with each new size until the previous one is
    /// painted.
    func offerResizeSync() {
        guard [.topLevel, .plug, .dock].contains(kind), managed.sync == nil, !isClosed, !display.isLost,
            let sync = ResizeSync(display)
        else { return }
        managed.sync = sync
        // Set the counter before announcing the protocol. Window managers read it at the announcement.
        change(display.atoms["_NET_WM_SYNC_REQUEST_COUNTER"], cardinals: [sync.counter])
        setProtocols()
    }

    /// Updates the window manager's hints after the window that identifies the window group was replaced.
    func groupDidChange() {
        if kind == .topLevel, !isClosed { setHints() }
    }

    private func setHints() {
        var hints = XWMHints()
        hints.flags = InputHint | StateHint | WindowGroupHint | (managed.isUrgent ? XUrgencyHint : 0)
        hints.input = kind == .dock ? 0 : 1
        hints.initial_state = NormalState
        // Put all windows of the program into one group. While the user works in one of them, window managers then
        // assume that the user asked for a new window of the group.
        hints.window_group = display.transfers.window
        XSetWMHints(display.connection, id.xid, &hints)
    }

    /// Whether the window asks for the user's attention. Window managers show this in lists and title bars until
    /// the window has the focus. A window with the focus cannot ask for attention, and neither can one that is not
    /// a top-level window.
    ///
    /// Source: ICCCM §4.1.2.4, `UrgencyHint`.
    public var isUrgent: Bool {
        get { managed.isUrgent }
        set {
            guard kind == .topLevel, newValue != managed.isUrgent, !(newValue && isFocused) else { return }
            guard !isClosed, !display.isLost else { return }
            managed.isUrgent = newValue
            display.needsTurn()
            setHints()
        }
    }

    /// Asks the window manager to make the top-level window fill the screen, or to undo that. Has no effect for
    /// other windows, or without a window manager.
    ///
    /// Source: EWMH, `_NET_WM_STATE`.
    public func toggleFullScreen() {
        guard kind == .topLevel, !isClosed, !display.isLost else { return }
        display.needsTurn()
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = id.xid
        event.xclient.message_type = display.intern("_NET_WM_STATE")
        event.xclient.format = 32
        // The action 2 is _NET_WM_STATE_TOGGLE. The source 1 means an application.
        event.xclient.data.l.0 = 2
        event.xclient.data.l.1 = Int(bitPattern: display.intern("_NET_WM_STATE_FULLSCREEN"))
        event.xclient.data.l.3 = 1
        XSendEvent(
            display.connection, XDefaultRootWindow(display.connection), 0,
            SubstructureRedirectMask | SubstructureNotifyMask, &event)
    }

    /// Reports to the window manager that the window is painted in the latest size.
    func sizeIsPainted() {
        guard !isClosed, !display.isLost else { return }
        managed.sync?.answer(display)
    }

    func handleMessage(_ event: inout XEvent) {
        let message = event.xclient
        let atoms = display.atoms
        guard message.message_type == atoms["WM_PROTOCOLS"], message.format == 32 else { return }
        let kind = UInt(bitPattern: message.data.l.0)
        let time = UInt32(truncatingIfNeeded: message.data.l.1)
        if kind == atoms["WM_DELETE_WINDOW"] {
            if let delegate { delegate.windowShouldClose(self) } else { close() }
        } else if kind == atoms["WM_TAKE_FOCUS"] {
            focus(timestamp: time)
        } else if kind == atoms["_NET_WM_SYNC_REQUEST"] {
            managed.sync?.request(low: message.data.l.2, high: message.data.l.3)
        } else if kind == atoms["_NET_WM_PING"] {
            let root = XDefaultRootWindow(display.connection)
            event.xclient.window = root
            XSendEvent(
                display.connection, root, 0, SubstructureNotifyMask | SubstructureRedirectMask, &event)
        }
    }

    /// Updates `_NET_WM_USER_TIME`, at most twice a second.
    func noteUserTime(_ time: Time) {
        guard kind == .topLevel, time != 0 else { return }
        managed.userTime.latest = UInt32(truncatingIfNeeded: time)
        guard managed.userTime.timer == nil else { return }
        managed.userTime.timer = display.schedule(afterMilliseconds: 500) { [weak self] in
            guard let self, !isClosed, !display.isLost else { return }
            managed.userTime.timer = nil
            guard managed.userTime.latest != managed.userTime.sent else { return }
            managed.userTime.sent = managed.userTime.latest
            change(display.atoms["_NET_WM_USER_TIME"], cardinals: [UInt(managed.userTime.latest)])
        }
    }

    /// Reports to the launcher that the program has started.
    func startupDidFinish() {
        guard let startup = StartupNotification.take() else { return }
        let message = "remove: ID=\"" + startup.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        var bytes = Array(message.utf8) + [0]
        let atoms = display.atoms
        let root = XDefaultRootWindow(display.connection)
        var kind = atoms["_NET_STARTUP_INFO_BEGIN"]
        while !bytes.isEmpty {
            var event = XEvent()
            event.xclient.type = ClientMessage
            event.xclient.window = id.xid
            event.xclient.message_type = kind
            event.xclient.format = 8
            withUnsafeMutableBytes(of: &event.xclient.data) { $0.copyBytes(from: bytes.prefix(20)) }
            XSendEvent(display.connection, root, 0, PropertyChangeMask, &event)
            bytes.removeFirst(min(20, bytes.count))
            kind = atoms["_NET_STARTUP_INFO"]
        }
    }

    private func change(_ property: Atom, type: Atom, _ text: String) {
        let bytes = Array(text.utf8)
        XChangeProperty(
            display.connection, id.xid, property, type, 8, PropModeReplace, bytes, Int32(bytes.count))
    }

    func change(_ property: Atom, type: Atom = PredefinedAtom.cardinal, cardinals: [UInt]) {
        cardinals.withUnsafeBytes {
            _ = XChangeProperty(
                display.connection, id.xid, property, type, 32, PropModeReplace,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(cardinals.count))
        }
    }
}

extension Display {
    /// The time of the latest user action in any window of this display; nil for none.
    fileprivate var latestUserTime: UInt32? {
        windows.values.map(\.managed.userTime.latest).filter { $0 != 0 }.max {
            // The server's clock wraps after 49 days, so compare by the difference.
            Int32(bitPattern: $0 &- $1) < 0
        }
    }
}

/// The launcher's identifier for this start of the program, from `$DESKTOP_STARTUP_ID`. Child processes must not
/// inherit this variable.
enum StartupNotification {
    static var id: String? {
        guard let value = getenv("DESKTOP_STARTUP_ID"), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The time of the user action that started the program, in the server's milliseconds. It is the number after
    /// `_TIME` in the identifier; nil if there is none.
    static var time: UInt32? {
        guard let id, let mark = id.ranges(of: "_TIME").last else { return nil }
        return UInt32(id[mark.upperBound...])
    }

    static func take() -> String? {
        defer { unsetenv("DESKTOP_STARTUP_ID") }
        return id
    }
}
