import CX11
import InkstoneBase

extension Window {
    /// Creates a plug, not yet shown: a window that fills a window of another program, its host.
    ///
    /// Throws if the host's window does not exist or cannot have children.
    ///
    /// - Parameters:
    ///   - host: the host's window. If it is nil, the plug is created on the root window. It stays invisible until
    ///     a host embeds it by its identifier.
    ///   - properties: the properties for the host. The host may show the title, or respect the minimum size. The
    ///     origin is not used.
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

    /// Whether the window is a plug without a host. It was not embedded yet, or its host has released it or has
    /// exited.
    public var isUnplugged: Bool { plug.map { $0.host == nil } ?? false }

    /// Announces to the host whether the plug wants to be visible, by the property `_XEMBED_INFO`.
    static func setPlugInfo(isMapped: Bool, of window: UInt, on display: Display) {
        // The values are version 0 and the flag XEMBED_MAPPED. Xlib stores 32-bit items as C longs.
        withUnsafeBytes(of: (UInt(0), UInt(isMapped ? 1 : 0))) {
            let info = display.atoms["_XEMBED_INFO"]
            _ = XChangeProperty(
                display.connection, window, info, info, 32, PropModeReplace,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, 2)
        }
    }

    /// Handles an XEmbed message. Returns false for other messages, and also if the window is not a plug.
    func receiveXEmbed(_ event: XClientMessageEvent) -> Bool {
        guard plug != nil, event.message_type == display.atoms["_XEMBED"], event.format == 32 else { return false }
        let (_, number, detail, first, _) = event.data.l
        switch XEmbedMessage(rawValue: number) {
        case .embeddedNotify:
            let embedder = UInt(bitPattern: first)
            // Accept this message only for an ancestor of the plug, because any client can send it.
            guard ancestors.dropFirst().contains(where: { $0.id == embedder }) else { break }
            plug?.embedder = embedder
        case .windowActivate: plug?.isActive = true
        case .windowDeactivate: plug?.isActive = false
        case .focusIn:
            plug?.hasHostFocus = true
            guard plug?.embedder != nil else { break }
            // Get the server's time, because keys sent by the host have no reliable time, and a selection claim with an
            // old time is refused.
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

    /// Moves the focus to the host's content after the plug, or before it. Returns false, without any change, if
    /// the plug has no focus or no XEmbed host.
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

    /// Handles a key event of the plug. It comes from the server if the plug has the X focus, otherwise from the
    /// host.
    func handlePlugKey(_ event: XKeyEvent) {
        // If the plug has no focus, ignore the key: it was sent before the focus moved, and belongs to another widget.
        guard let plug, plug.isFocused, !plug.isBlocked else { return }
        var key = event
        key.send_event = 0
        handleKey(key, isHosted: true)
    }

    /// Records whether the plug has the X focus. Key events are selected only while it has. Otherwise, with the X
    /// focus on an ancestor and the pointer over the plug, the server would send the plug the keys of the host's
    /// focused widget.
    func plugXFocusDidChange(_ hasFocus: Bool) {
        plug?.hasXFocus = hasFocus
        XSelectInput(display.connection, id.xid, hasFocus ? Self.eventMask : Self.keylessEventMask)
        plugFocusDidChange()
    }

    private func plugFocusDidChange() {
        if let plug { setHostFocus(plug.isFocused) }
    }

    /// Sets the host from the current ancestors. Takes one round trip if the host has changed.
    func findHost() {
        // Without ancestors, the window was destroyed; the event for that follows.
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

    /// Handles a move of the plug into another host or out of its host.
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
        // Withdraw the plug, which would get a frame like a top-level window if it stayed mapped on the root window.
        if isShown { XWithdrawWindow(display.connection, id.xid, XDefaultScreen(display.connection)) }
        delegate?.windowWasUnplugged(self)
    }

    /// Resizes the plug with its host's window. Has no effect if the host decides on its children's sizes.
    func followHost(_ event: XConfigureEvent) {
        if let plug, event.window == plug.host { fillHost(width: event.width, height: event.height) }
    }

    private func fillHost(width: Int32, height: Int32) {
        let whole = Size(width: Double(width), height: Double(height))
        guard let plug, !plug.isPlacedByHost, whole != size else { return }
        setFrame(WindowRect(origin: WindowPoint(x: 0, y: 0), size: whole))
    }
}
