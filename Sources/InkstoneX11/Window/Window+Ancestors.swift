import CX11
import InkstoneBase

/// A window between one of ours and the root: where its inside's top left corner lies in its parent.
struct Ancestor {
    var id: UInt
    var x: Int32
    var y: Int32
}

/// Where a window lies on the root is the sum over its ancestors; each tells of its moves, so no question is needed.
extension Window {
    /// Has no ancestors: a window that was made on the root window, and lies there until it is told otherwise.
    func lieOnRoot(at origin: WindowPoint) {
        ancestors = [Ancestor(id: id.xid, x: Self.coordinate(origin.x), y: Self.coordinate(origin.y))]
        updateRootOrigin()
    }

    /// The window has another parent, or one that it lies in has. What is about to be painted does not wait for the answers, because a
    /// manager's frame comes together with the first exposure; a part of another window may be elsewhere at once.
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

    /// Finds the ancestors and selects their structure events. Three round trips for each level.
    func walkAncestors() {
        unwatchAncestors()
        let connection = display.connection
        var current = id.xid
        display.tolerating {
            // A tree deeper than this is a race, not a tree.
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

    /// Has drags over a top-level window come to this one, which lies in it: sources speak to top-level windows alone, and those of a
    /// host know nothing of drops. One window of a host's can have them; places beside this one refuse them.
    ///
    /// - Parameter topLevel: the host's window, which gets the property `XdndProxy` until this window is closed.
    /// - Returns: false, and nothing changes, if this window does not lie in it.
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

    /// Follows a configure event of this window or of an ancestor, relative to its parent.
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
