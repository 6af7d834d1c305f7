import InkstoneBase

/// The liveness of the server: the times of its messages, and the pending query. A value whose inputs are events
/// and their times.
struct InputMethodLife: Sendable {
    /// A query that checks whether the server is alive.
    struct Query: Hashable, Sendable {
        /// The earliest time at which the server counts as hung if it has not answered; see
        /// ``overdueAt(lastHeard:_:)``.
        var due: Milliseconds
        /// The time at which the server is nudged to look at its queue if it has not answered, and the number of
        /// nudges so far.
        var nudgeDue: Milliseconds
        var nudges = 0
        /// Whether the query only serves to learn which keys the server has read, without any suspicion of a hang.
        var isRoutine = false
        /// The number of the last key sent at the time of the query, if the query was made because of unanswered
        /// keys.
        var doubted: UInt64?

        /// Returns the time at which the server counts as hung. The query waits behind all keys that the server has
        /// not handled yet: as long as it sends output for those, it is alive.
        func overdueAt(lastHeard: Milliseconds, _ timing: InputTiming) -> Milliseconds {
            max(due, lastHeard + timing.response)
        }
    }

    /// The pending query; nil for none.
    private(set) var query: Query?
    /// The times of the last message from the server and of the last request to it.
    private(set) var lastIn: Milliseconds = -.infinity
    var lastOut: Milliseconds = -.infinity
    /// The time of the last message that was more than a reply to a query or a reset.
    private(set) var lastWord: Milliseconds = -.infinity
    /// Whether a key has been answered.
    private(set) var hasServed = false
    /// The number of the last key sent when a query was last made because of unanswered keys. Until another key is
    /// sent, no second query is made.
    private var doubtedKey: UInt64 = 0

    /// Records a message. `isWord`: more than a reply to a query or a reset; `isAnswer`: possibly the answer to a key.
    mutating func heard(isWord: Bool, isAnswer: Bool, at now: Milliseconds) {
        lastIn = now
        hasServed = hasServed || isAnswer
        if isWord { lastWord = now }
    }

    /// Begins a query unless one is pending. Returns whether to send it. A pending routine query becomes a liveness
    /// check if this one is not routine.
    mutating func asks(
        at now: Milliseconds, isRoutine: Bool, doubting number: UInt64? = nil, _ timing: InputTiming
    ) -> Bool {
        if let number { doubtedKey = number }
        if let query {
            if !isRoutine, query.isRoutine {
                self.query?.isRoutine = false
                self.query?.due = min(query.due, now + timing.response)
            }
            return false
        }
        query = Query(
            due: now + timing.response + (isRoutine ? timing.doubt : 0), nudgeDue: now + timing.doubt,
            isRoutine: isRoutine, doubted: number)
        return true
    }

    /// Ends the query, because it was answered or its answer no longer matters.
    mutating func endQuery() { query = nil }

    /// Returns whether to nudge the server now; if so, sets the time of the next nudge.
    mutating func nudges(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard let query, now >= query.nudgeDue else { return false }
        self.query?.nudgeDue = now + min(timing.doubt * Milliseconds(1 << min(query.nudges, 8)), timing.longestRetry)
        self.query?.nudges += 1
        return true
    }

    /// Whether a call that waits for the server is allowed: the server has recently sent a message, and no check of
    /// its liveness is pending.
    func isTrusted(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        query?.isRoutine ?? true && now - lastIn <= timing.trust
    }

    /// Returns the time at which the server is to be queried because of unanswered keys; nil for none.
    func doubtDue(_ keys: InputMethodKeys, _ timing: InputTiming) -> Milliseconds? {
        guard query == nil, keys.hasUnansweredPress, doubtedKey < keys.last else { return nil }
        // The time counts from the last output, because a server at work on earlier keys may defer the later ones
        // until it gets the SYNC reply that it waits for. A reply to a liveness query, as sent before a spot is
        // set, does not count: it is no evidence that keys are handled.
        return max(keys.waitingSince, lastWord) + timing.doubt
    }
}
