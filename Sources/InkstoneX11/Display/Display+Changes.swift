import CX11
import Glibc

extension Display {
    /// A change of the desktop that may affect all windows.
    public enum Change: Hashable, Sendable {
        /// The desktop's settings: see `settings` and ``fontSettings``.
        case settings
        /// The keyboard's layout or its active group.
        case keyboardLayout
    }

    /// A closure to call after changes, as long as its owner lives.
    struct ChangeObserver {
        weak var owner: AnyObject?
        var action: (Change) -> Void
    }

    /// Calls `action` after each change, on this display's thread, as long as `owner` lives.
    public func observeChanges(by owner: AnyObject, _ action: @escaping (Change) -> Void) {
        checkThread()
        observers.removeAll { $0.owner == nil }
        observers.append(ChangeObserver(owner: owner, action: action))
    }

    func notify(_ change: Change) {
        for observer in observers where observer.owner != nil { observer.action(change) }
    }

    /// Whether unhandled input from the server is waiting. If so, work that is not urgent should be postponed. Always
    /// false on a host program's connection.
    package var hasPendingInput: Bool {
        guard !isLost, !isAdopted else { return false }
        if XEventsQueued(connection, Int32(QueuedAlready)) > 0 { return true }
        var state = pollfd(fd: XConnectionNumber(connection), events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}
