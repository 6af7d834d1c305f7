import InkstoneBase

/// The liveness of the input method's server: the times of its messages, and the pending query. The value reads no
/// clock: the caller passes events with their times.
struct InputMethodLife: Sendable {
    /// A query that the server answers after it has read all earlier keys.
    struct Query: Hashable, Sendable {
        /// The earliest time at which the server counts as hung without an answer; see ``overdueAt(lastMessage:_:)``.
        var due: Milliseconds
        /// The time of the next nudge if no answer comes. A nudge makes the server look at its queue.
        var nudgeDue: Milliseconds
        /// The number of nudges since the query was sent.
        var nudges = 0
        /// Whether the query only serves to learn which keys the server has read. If false, the query checks a
        /// server that may hang.
        var isRoutine = false
        /// The number of the key sent last before the query, if the query is due to unanswered keys; nil for any other
        /// query.
        var probedKey: UInt64?

        /// Returns the time at which the server counts as hung. The query waits behind all keys that the server has
        /// not handled yet. While the server sends output for these keys, it is alive.
        func overdueAt(lastMessage: Milliseconds, _ timing: InputTiming) -> Milliseconds {
            max(due, lastMessage + timing.response)
        }
    }

    /// The pending query; nil for none.
    private(set) var query: Query?
    /// The times of the last message from the server (`lastIn`) and of the last request to it (`lastOut`).
    private(set) var lastIn: Milliseconds = -.infinity
    var lastOut: Milliseconds = -.infinity
    /// The time of the last message from the server other than a reply to a query or a reset.
    private(set) var lastWord: Milliseconds = -.infinity
    /// Whether the server has answered a key on this connection.
    private(set) var hasServed = false
    /// The number of the key that was sent last before the latest query about unanswered keys; 0 if there was no
    /// such query. Unanswered keys cause no further query until another key is sent.
    private var lastProbedKey: UInt64 = 0

    /// Records a message.
    ///
    /// - Parameters:
    ///   - isWord: whether the message is more than a reply to a query or a reset.
    ///   - isAnswer: whether it may be the answer to a key.
    mutating func didReceive(isWord: Bool, isAnswer: Bool, at now: Milliseconds) {
        lastIn = now
        hasServed = hasServed || isAnswer
        if isWord { lastWord = now }
    }

    /// Begins a query, unless one is pending. Returns whether to send it. If a routine query is pending and this
    /// one is not routine, the pending one becomes a liveness check.
    mutating func asks(
        at now: Milliseconds, isRoutine: Bool, probing number: UInt64? = nil, _ timing: InputTiming
    ) -> Bool {
        if let number { lastProbedKey = number }
        if let query {
            if !isRoutine, query.isRoutine {
                self.query?.isRoutine = false
                self.query?.due = min(query.due, now + timing.response)
            }
            return false
        }
        query = Query(
            due: now + timing.response + (isRoutine ? timing.probeDelay : 0), nudgeDue: now + timing.probeDelay,
            isRoutine: isRoutine, probedKey: number)
        return true
    }

    /// Ends the query, because it was answered or its answer is no longer needed.
    mutating func endQuery() { query = nil }

    /// Returns whether to nudge the server now, that is, to send it an event so that it looks at its queue. If so, sets
    /// the time of the next nudge.
    mutating func nudges(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard let query, now >= query.nudgeDue else { return false }
        self.query?.nudgeDue =
            now + min(timing.probeDelay * Milliseconds(1 << min(query.nudges, 8)), timing.longestRetry)
        self.query?.nudges += 1
        return true
    }

    /// Whether a call that waits for the server is allowed: the server has sent a message recently, and no check of its
    /// liveness is pending.
    func allowsBlockingCalls(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        query?.isRoutine ?? true && now - lastIn <= timing.livenessAge
    }

    /// Returns the time at which to query the server because keys are unanswered. Nil if no key is, if a query is
    /// pending, or if the server was queried about the last key already.
    func probeDue(_ keys: InputMethodKeys, _ timing: InputTiming) -> Milliseconds? {
        guard query == nil, keys.hasUnansweredPress, lastProbedKey < keys.last else { return nil }
        // The time counts from the last output. A server at work on earlier keys may defer the later ones until it
        // gets the SYNC reply that it waits for. A reply to a query does not count as output: it is no evidence
        // that keys are handled.
        return max(keys.waitingSince, lastWord) + timing.probeDelay
    }
}
