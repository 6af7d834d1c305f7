import InkstoneBase

/// What is known of the server's life: when it was heard, and what it has been asked. A value that is told what happens, and when.
struct InputMethodLife: Sendable {
    /// A query for a sign of life.
    struct Query: Hashable, Sendable {
        /// When the server counts as hung if it has not answered.
        var due: Milliseconds
        /// When the server is nudged if it has not answered, and how often it has been.
        var nudgeDue: Milliseconds
        var nudges = 0
        /// Whether it is asked only to learn which keys the server has taken: there is no reason to doubt that it lives.
        var isRoutine = false
        /// The number of the last key sent, if it is asked because that has drawn no answer.
        var doubted: UInt64?
        /// The window that was being typed into.
        var window: WindowID?

        /// When the server counts as hung. A query stands behind all keys that the server has not come to: as long as it says
        /// something of those, it lives.
        func overdueAt(lastHeard: Milliseconds, _ timing: InputTiming) -> Milliseconds {
            max(due, lastHeard + timing.response)
        }
    }

    /// The query on its way.
    private(set) var query: Query?
    /// When something last came from the server, and when something last went to it.
    private(set) var lastIn: Milliseconds = -.infinity
    var lastOut: Milliseconds = -.infinity
    /// When something last came that was more than a sign of life.
    private(set) var lastWord: Milliseconds = -.infinity
    /// Whether a key has been answered.
    private(set) var hasServed = false
    /// The last key that a query was made for: one query each is enough.
    private var doubtedKey: UInt64 = 0

    /// Something has come. `isWord`: more than a sign of life; `isAnswer`: it can be the answer to a key.
    mutating func heard(isWord: Bool, isAnswer: Bool, at now: Milliseconds) {
        lastIn = now
        hasServed = hasServed || isAnswer
        if isWord { lastWord = now }
    }

    /// Whether a query is to be sent now: there is none on its way. One that is and was routine is none any more if this one is not.
    mutating func asks(
        at now: Milliseconds, isRoutine: Bool, doubting number: UInt64? = nil, in window: WindowID?,
        _ timing: InputTiming
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
            isRoutine: isRoutine, doubted: number, window: window)
        return true
    }

    /// The query has been answered, or is not waited for any more.
    mutating func endQuery() { query = nil }

    /// Whether the server is to be nudged now.
    mutating func nudges(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard let query, now >= query.nudgeDue else { return false }
        self.query?.nudgeDue = now + min(timing.doubt * Milliseconds(1 << min(query.nudges, 8)), timing.longestRetry)
        self.query?.nudges += 1
        return true
    }

    /// Whether a call may be made that waits for the server.
    func isTrusted(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        query?.isRoutine ?? true && now - lastIn <= timing.trust
    }

    /// When the server is to be asked whether it lives because of keys without an answer; nil if it is not.
    func doubtDue(_ keys: InputMethodKeys, _ timing: InputTiming) -> Milliseconds? {
        guard query == nil, keys.hasUnansweredPress, doubtedKey < keys.last else { return nil }
        // A server at work on earlier keys may keep the later ones to itself until it has been told to go on (SYNC).
        // That it lives, as asked before a spot is set, says nothing of keys.
        return max(keys.waitingSince, lastWord) + timing.doubt
    }
}
