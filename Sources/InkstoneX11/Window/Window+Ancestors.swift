import CX11
import InkstoneBase

/// An ancestor of one of our windows below the root window, or that window itself; with the position of its interior in
/// its parent.
struct Ancestor {
    var id: UInt
    var x: Int32
    var y: Int32
}

/// The position of a window on the screen: the sum of its ancestors' positions, which their configure events keep up to
/// date without queries.
extension Window {
    /// Sets the position of a window that was created on the root window. It has no ancestors yet.
    func lieOnRoot(at origin: WindowPoint) {
        ancestors = [Ancestor(id: id.xid, x: Self.coordinate(origin.x), y: Self.coordinate(origin.y))]
        updateRootOrigin()
    }

    /// Finds the ancestors again after the window or an ancestor got another parent. For a top-level window they are
    /// queried after the next painting: the window manager frames the window just before its first exposure, and
    /// painting must not wait. For a child window they are queried immediately, because its position may have changed.
    func parentDidChange() {
        guard kind.isOnRoot else { return findAncestors() }
        guard !isWalkDue else { return }
        isWalkDue = true
        display.performAfterPainting { [weak self] in
            self?.isWalkDue = false
            self?.findAncestors()
        }
    }

    private func findAncestors() {
        guard !isClosed, !display.isLost else { return }
        walkAncestors()
        plugWasReparented()
        delegate?.windowDidMove(self)
    }

    /// Queries the ancestors and selects their structure events. Several round trips for each level.
    func walkAncestors() {
        unwatchAncestors()
        let connection = display.connection
        var current = id.xid
        display.tolerating {
            // Limit the depth: the window tree may change between the queries, so that the loop might never reach the
            // root.
            for _ in 0..<64 {
                var root: UInt = 0
                var parent: UInt = 0
                var children: UnsafeMutablePointer<UInt>?
                var count: UInt32 = 0
                var attributes = XWindowAttributes()
                guard XGetWindowAttributes(connection, current, &attributes) != 0,
                    XQueryTree(connection, current, &root, &parent, &children, &count) != 0
                else { break }
                if let children { XFree(children) }
                let border = attributes.border_width
                ancestors.append(Ancestor(id: current, x: attributes.x + border, y: attributes.y + border))
                if parent == 0 || parent == root { break }
                display.register(self, for: parent, selecting: StructureNotifyMask)
                current = parent
            }
        }
        updateRootOrigin()
    }

    /// Redirects drags over a top-level window of another client to this window, which is inside it. Sources send
    /// messages only to top-level windows, and the host's window may not support drops. Only one window in a host
    /// can do so; drops elsewhere in the host are refused.
    ///
    /// - Parameter topLevel: the host's window. It gets the property `XdndProxy` until this window is closed.
    /// - Returns: false, without any change, if this window is not inside `topLevel`.
    @discardableResult
    public func takeDrops(on topLevel: WindowID) -> Bool {
        guard !isClosed, topLevel != id, ancestors.contains(where: { $0.id == topLevel.xid }) else { return false }
        display.dragAndDrop.setProxy(self, of: topLevel.xid)
        return true
    }

    func unwatchAncestors() {
        for ancestor in ancestors.dropFirst() {
            display.unregister(self, for: ancestor.id)
        }
        ancestors = []
    }

    /// Handles a configure event of this window or of an ancestor. Updates the position of that window in its
    /// parent.
    func configureMoved(_ event: XConfigureEvent) {
        guard !isWalkDue, let index = ancestors.firstIndex(where: { $0.id == event.window }) else { return }
        let before = rootOrigin
        ancestors[index].x = event.x + event.border_width
        ancestors[index].y = event.y + event.border_width
        updateRootOrigin()
        if rootOrigin != before { delegate?.windowDidMove(self) }
    }

    func ancestorChanged(_ event: inout XEvent) {
        switch event.type {
        case ConfigureNotify:
            configureMoved(event.xconfigure)
            followHost(event.xconfigure)
        case ReparentNotify:
            if ancestors.contains(where: { $0.id == event.xreparent.window }) { parentDidChange() }
        case ClientMessage: display.dragAndDrop.receive(event.xclient, for: self)
        default: break
        }
    }

    private func updateRootOrigin() {
        rootOrigin = ancestors.reduce(into: RootPoint(x: 0, y: 0)) { sum, ancestor in
            sum.x += Double(ancestor.x)
            sum.y += Double(ancestor.y)
        }
    }
}
