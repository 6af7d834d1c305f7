import InkstoneBase

/// What has become of the connections so far, and when the next is to be made. A value that is told what happens, and when.
struct InputMethodFailures: Sendable {
    /// What to do when a connection has ended.
    enum Next: Equatable, Sendable {
        /// Another, at once.
        case connect(inDoubt: Bool)
        /// Another, which leaves this server alone until then.
        case avoid(owner: UInt, until: Milliseconds)
        /// Another, at this time.
        case wait(until: Milliseconds)
    }

    /// So many failures count at most where a server answers keys until it hangs: people stop and restart theirs, and wait for it.
    private static let servedLimit = 5

    /// When the present connection was begun.
    private var begunAt: Milliseconds = 0
    /// How many have failed in a row.
    private var count = 0
    /// The window of the last server that sent what it must not, and how often one of this name has: no connection has lasted since.
    private var faulty: (owner: UInt, count: Int) = (0, 0)

    /// A connection is begun.
    mutating func begin(at now: Milliseconds) { begunAt = now }

    /// A connection could not even be begun.
    mutating func couldNotBegin(at now: Milliseconds, _ timing: InputTiming) -> Next {
        count += 1
        return .wait(until: now + timing.pause(after: count - 1))
    }

    /// The connection has ended. `hasServed`: the server has answered a key.
    mutating func ended(
        _ reason: InputMethodEnd, hasServed: Bool, at now: Milliseconds, _ timing: InputTiming
    ) -> Next {
        let age = now - begunAt
        if age >= timing.faultMemory { faulty = (0, 0) }
        if case .faulty(let owner) = reason {
            let isAnother = faulty.count > 0 && owner != faulty.owner
            faulty = (owner, faulty.count + 1)
            let due = now + timing.pause(after: faulty.count)
            // One that comes with another window each time would be connected to at once each time.
            return isAnother ? .wait(until: due) : .avoid(owner: owner, until: due)
        }
        // A server that dies whenever it is connected to must not keep us busy, and one that hangs again and again must not hold up
        // the keys each time.
        let isFailure =
            switch reason {
            case .lostDisplay: true
            case .hung: !hasServed || age < timing.faultMemory
            default: !hasServed && age < timing.trial
            }
        count = isFailure ? (hasServed ? min(count, Self.servedLimit - 1) : count) + 1 : 0
        return count > 1 ? .wait(until: now + timing.pause(after: count - 1)) : .connect(inDoubt: reason == .hung)
    }
}

/// How long the thread has been in a call that waits for the server, and what is done about it.
struct InputMethodCallWatch: Sendable {
    /// When the call began for which the server was nudged last, and how often it has been for that.
    private var nudged: (since: Milliseconds, count: Int) = (0, 0)

    /// When a call that began at `start` has lasted too long.
    func endsAt(_ start: Milliseconds, _ timing: InputTiming) -> Milliseconds { start + timing.response }

    /// Whether the server is to be nudged, the later the more rarely, and when next.
    mutating func nudges(since start: Milliseconds, at now: Milliseconds, _ timing: InputTiming) -> (
        Bool, next: Milliseconds
    ) {
        if nudged.since != start { nudged = (start, 0) }
        func due(_ count: Int) -> Milliseconds { start + timing.doubt * Milliseconds(1 << min(count, 8)) }
        let isDue = now >= due(nudged.count)
        if isDue { nudged.count += 1 }
        return (isDue, due(nudged.count))
    }
}
