/// The identifier of a scheduled call, used to cancel it.
public struct TimerID: Hashable, Sendable {
    let rawValue: UInt64
}

/// The scheduled calls. There are some dozens at most, so a sorted array is good enough.
struct TimerQueue {
    private struct Entry {
        var id: TimerID
        var deadline: Int64
        var action: () -> Void
    }

    private var entries: [Entry] = []
    private var lastID: UInt64 = 0

    /// The time of the next call in nanoseconds of `CLOCK_MONOTONIC`; nil if no call is scheduled.
    var nextDeadline: Int64? { entries.last?.deadline }

    mutating func add(deadline: Int64, _ action: @escaping () -> Void) -> TimerID {
        lastID += 1
        let entry = Entry(id: TimerID(rawValue: lastID), deadline: deadline, action: action)
        // The latest deadline comes first; so the next call is at the end, where removing it is cheap. Calls with
        // equal deadlines keep their order.
        let index = entries.firstIndex { $0.deadline <= deadline } ?? entries.count
        entries.insert(entry, at: index)
        return entry.id
    }

    mutating func cancel(_ id: TimerID) {
        entries.removeAll { $0.id == id }
    }

    /// Removes the next call if it is due at `now`, and returns its action; nil if none is due.
    mutating func takeDue(at now: Int64) -> (() -> Void)? {
        guard let last = entries.last, last.deadline <= now else { return nil }
        return entries.removeLast().action
    }
}
