import CX11
import InkstoneBase

extension Window {
    /// Creates a plug: a window that lies in a window of another program, its host, and fills it. Not yet shown.
    ///
    /// Throws if there is no such window, or it can have no children.
    ///
    /// - Parameters:
    ///   - host: the host's window; nil makes the plug on the root window, where it stays invisible until a host embeds it by its identifier.
    ///   - properties: for the host, which may show the title or respect the minimum size; the origin is not used.
    public convenience init(
        _ display: Display, plugInto host: WindowID?, properties: Properties = Properties()
    ) throws(X11Error) {
        var size = properties.minimumSize
        if let host {
            var attributes = XWindowAttributes()
            let isThere: Int32
            do {
                isThere = try display.trap { XGetWindowAttributes(display.connection, host.xid, &attributes) }
            } catch {
                if case .requestFailed = error { throw .noSuchWindow(host) }
                throw error
            }
            guard isThere != 0 else { throw .noSuchWindow(host) }
            size = Size(width: Double(attributes.width), height: Double(attributes.height))
        }
        try self.init(
            display, .plug, parent: host ?? display.rootWindow,
            frame: WindowRect(origin: WindowPoint(x: 0, y: 0), size: size))
        setProperties(properties)
        DragAndDrop.announce(id.xid, on: display)
    }

    /// Whether the window is a plug without a host: none has embedded it yet, or the last one has released it or exited.
    public var isUnplugged: Bool { plug.map { $0.host == nil } ?? false }

    /// Notifies the host, by `_XEMBED_INFO`, whether the plug is to be visible.
    static func setPlugInfo(isMapped: Bool, of window: UInt, on display: Display) {
        // Version 0, and the flag for being mapped; Xlib stores items of 32 bits as C longs.
        withUnsafeBytes(of: (UInt(0), UInt(isMapped ? 1 : 0))) {
            let info = display.atoms["_XEMBED_INFO"]
            _ = XChangeProperty(
                display.connection, window, info, info, 32, PropModeReplace,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, 2)
        }
    }

    /// Handles a message of XEmbed. Returns false for any other message, and for a window that is no plug.
    func receiveXEmbed(_ event: XClientMessageEvent) -> Bool {
        guard plug != nil, event.message_type == display.atoms["_XEMBED"], event.format == 32 else { return false }
        let (_, number, detail, first, _) = event.data.l
        switch XEmbedMessage(rawValue: number) {
        case .embeddedNotify:
            let embedder = UInt(bitPattern: first)
            // Any client can send the message; only an ancestor of the plug can be its host.
            guard ancestors.dropFirst().contains(where: { $0.id == embedder }) else { break }
            plug?.embedder = embedder
        case .windowActivate: plug?.isActive = true
        case .windowDeactivate: plug?.isActive = false
        case .focusIn:
            plug?.hasHostFocus = true
            guard plug?.embedder != nil else { break }
            // Sent keys have no reliable time, and a selection claimed with an old one is refused.
            display.transfers.withCurrentTime { _ in }
            if let entry = FocusEntry(rawValue: detail), entry != .current {
                delegate?.window(self, focusWillEnterAt: entry)
            }
        case .focusOut: plug?.hasHostFocus = false
        case .modalityOn: plug?.isBlocked = true
        case .modalityOff: plug?.isBlocked = false
        case .requestFocus, .focusNext, .focusPrevious, nil: break
        }
        plugFocusDidChange()
        return true
    }

    /// Moves the focus to the content after the window in its host, or before it. Returns false if the focus is not from a host that
    /// supports XEmbed: then the window keeps it.
    public func passFocus(backwards: Bool = false) -> Bool {
        guard !isClosed, let plug, plug.isFocused, let embedder = plug.embedder else { return false }
        send(backwards ? .focusPrevious : .focusNext, to: embedder, timestamp: display.latestTimestamp)
        return true
    }

    func send(_ message: XEmbedMessage, to embedder: UInt, timestamp: UInt32) {
        guard !display.isLost else { return }
        display.needsTurn()
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = embedder
        event.xclient.message_type = display.atoms["_XEMBED"]
        event.xclient.format = 32
        event.xclient.data.l = (Int(timestamp), message.rawValue, 0, 0, 0)
        display.tolerating { _ = XSendEvent(display.connection, embedder, 0, NoEventMask, &event) }
    }

    /// Handles a key, typed while the plug has the X focus or forwarded by the host.
    func handlePlugKey(_ event: XKeyEvent) {
        // A key that was still in transit when the focus left belongs to another widget.
        guard let plug, plug.isFocused, !plug.isBlocked else { return }
        var key = event
        key.send_event = 0
        handleKey(key, isHosted: true)
    }

    /// Records whether the plug has the X focus. Its keys are selected only then: with the pointer over the plug and the X focus on a
    /// window above it, the server would otherwise send it the keys of whichever widget of the host has the focus.
    func plugXFocusDidChange(_ hasFocus: Bool) {
        plug?.hasXFocus = hasFocus
        XSelectInput(display.connection, id.xid, hasFocus ? Self.eventMask : Self.keylessEventMask)
        plugFocusDidChange()
    }

    private func plugFocusDidChange() {
        if let plug { setHostFocus(plug.isFocused) }
    }

    /// Determines the host from the current ancestors. One round trip if it has changed.
    func findHost() {
        // Without ancestors the window was destroyed, and the notice follows.
        guard plug != nil, !ancestors.isEmpty else { return }
        let host = ancestors.dropFirst().first?.id
        guard host != plug?.host else { return }
        plug = Plug(host: host)
        guard let host else { return }
        var attributes = XWindowAttributes()
        guard display.tolerating({ XGetWindowAttributes(display.connection, host, &attributes) }) != 0 else { return }
        plug?.isPlacedByHost = attributes.all_event_masks & SubstructureRedirectMask != 0
        fillHost(width: attributes.width, height: attributes.height)
    }

    /// Handles the move of the plug into another host, or out of the last one.
    func plugWasReparented() {
        guard plug != nil else { return }
        let old = plug?.host
        findHost()
        guard plug?.host != old, !display.isLost else { return }
        plugXFocusDidChange(false)
        guard isUnplugged else {
            if isShown { XMapWindow(display.connection, id.xid) }
            return
        }
        // On the root window a manager would frame the plug as a top-level window against the intent of the program.
        if isShown { XWithdrawWindow(display.connection, id.xid, XDefaultScreen(display.connection)) }
        delegate?.windowWasUnplugged(self)
    }

    /// Resizes the plug to a host's new extent, unless the host positions its children itself.
    func followHost(_ event: XConfigureEvent) {
        if let plug, event.window == plug.host { fillHost(width: event.width, height: event.height) }
    }

    private func fillHost(width: Int32, height: Int32) {
        let whole = Size(width: Double(width), height: Double(height))
        guard let plug, !plug.isPlacedByHost, whole != size else { return }
        setFrame(WindowRect(origin: WindowPoint(x: 0, y: 0), size: whole))
    }
}
