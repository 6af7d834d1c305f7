import InkstoneBase

/// The failures of the connections to the input method's server so far, and the time of the next attempt. The value
/// reads no clock: the caller passes events with their times.
struct InputMethodFailures: Sendable {
    /// The next step after a connection to the server has ended.
    enum Next: Equatable, Sendable {
        /// Connect again at once. `afterHang`: whether the connection has ended because the server did not answer.
        case connect(afterHang: Bool)
        /// Connect again at once, but ignore this server until the given time.
        case avoid(owner: UInt, until: Milliseconds)
        /// Connect again at this time.
        case wait(until: Milliseconds)
    }

    /// The maximum number of failures counted for a server that has answered keys before it hung. It limits the pause
    /// before the next attempt, because users restart such a server and wait for it.
    private static let servedLimit = 5

    /// The time at which the last attempt to connect began.
    private var begunAt: Milliseconds = 0
    /// The number of failed connections in a row.
    private var count = 0
    /// The window of the server that sent faulty data last, and the number of connections in a row that ended by such
    /// data. A connection that lasts long resets the number.
    private var faulty: (owner: UInt, count: Int) = (0, 0)

    /// Records the start of an attempt to connect.
    mutating func begin(at now: Milliseconds) { begunAt = now }

    /// Records that an attempt to connect failed at its start, because no thread or descriptor could be created.
    /// Returns the next step.
    mutating func couldNotBegin(at now: Milliseconds, _ timing: InputTiming) -> Next {
        count += 1
        return .wait(until: now + timing.pause(after: count - 1))
    }

    /// Records the end of a connection. Returns the next step.
    ///
    /// - Parameter hasServed: whether the server has answered a key.
    mutating func ended(
        _ reason: InputMethodEnd, hasServed: Bool, at now: Milliseconds, _ timing: InputTiming
    ) -> Next {
        let age = now - begunAt
        if age >= timing.faultMemory { faulty = (0, 0) }
        if case .faulty(let owner) = reason {
            let isAnother = faulty.count > 0 && owner != faulty.owner
            faulty = (owner, faulty.count + 1)
            let due = now + timing.pause(after: faulty.count)
            // Wait even if the server's window is new: the same faulty server may have been started again, with another
            // window.
            return isAnother ? .wait(until: due) : .avoid(owner: owner, until: due)
        }
        // Count an early end as a failure, so that this program does not connect again and again without a pause. Count
        // a hang too, so that keys are not delayed at each attempt.
        let isFailure =
            switch reason {
            case .lostDisplay: true
            case .hung: !hasServed || age < timing.faultMemory
            default: !hasServed && age < timing.trial
            }
        count = isFailure ? (hasServed ? min(count, Self.servedLimit - 1) : count) + 1 : 0
        return count > 1 ? .wait(until: now + timing.pause(after: count - 1)) : .connect(afterHang: reason == .hung)
    }
}

/// The time limits of the thread's current call to the server: how long the call may last, and when to nudge the
/// server, which means to send it an event that makes it look at its queue.
struct InputMethodCallWatch: Sendable {
    /// The start of the call for which the server was last nudged, and the number of nudges for it.
    private var nudged: (since: Milliseconds, count: Int) = (0, 0)

    /// Returns the time at which a call that began at `start` has lasted too long.
    func endsAt(_ start: Milliseconds, _ timing: InputTiming) -> Milliseconds { start + timing.response }

    /// Returns whether to nudge the server now, and the time of the next nudge. The time from the start of the call
    /// doubles from one nudge to the next, at most eight times.
    mutating func nudges(since start: Milliseconds, at now: Milliseconds, _ timing: InputTiming) -> (
        Bool, next: Milliseconds
    ) {
        if nudged.since != start { nudged = (start, 0) }
        func due(_ count: Int) -> Milliseconds { start + timing.probeDelay * Milliseconds(1 << min(count, 8)) }
        let isDue = now >= due(nudged.count)
        if isDue { nudged.count += 1 }
        return (isDue, due(nudged.count))
    }
}
