import InkstoneBase

/// The epochs of a window's keys: an epoch lies between two ends of compositions from our side. Answers to keys of an earlier epoch go to
/// the position where those were typed.
struct KeyEpochs {
    /// The number of past epochs that answers may name although none of their keys is known to be pending.
    private static let memory = 8

    /// The number of the present epoch.
    private(set) var current = 0
    /// Whether keys of the present epoch have been sent.
    var hasKeys = false
    /// Whether the method is still composing text of the previous epoch.
    var earlierHasComposition = false
    /// Whether the method may still commit the text of the previous epoch: it has not done so, and composed nothing since. ibus replies to a
    /// reset before its engine gets it.
    private var mayCommitEarlier = false
    /// The epochs whose reset is unanswered, oldest first.
    var pendingResets: [Int] = []
    /// The time of the latest reset.
    private(set) var resetSentAt: Milliseconds = -.infinity
    private var repliedAt: Milliseconds = -.infinity
    /// The first ticket of each epoch that answers may still name, oldest first.
    private var starts: [(epoch: Int, first: KeyTicket)] = [(0, KeyTicket(rawValue: 1))]

    /// Returns the oldest epoch that answers may name, if `unanswered` is the oldest with pending keys.
    func oldest(unanswered: Int?) -> Int {
        min(current - Self.memory, pendingResets.first ?? current, unanswered ?? current)
    }

    /// Ends the present epoch; returns its number. `withTicket`: the next key's; `unanswered`: the oldest epoch with pending keys.
    mutating func begin(
        withTicket ticket: KeyTicket, hadComposition: Bool, expectsReply: Bool, unanswered: Int?, at now: Milliseconds
    ) -> Int {
        let ended = current
        current += 1
        starts.append((current, ticket))
        let oldest = oldest(unanswered: unanswered)
        starts.removeAll { $0.epoch < oldest }
        (hasKeys, earlierHasComposition, mayCommitEarlier) = (false, hadComposition, true)
        if expectsReply {
            pendingResets.append(ended)
            resetSentAt = now
        }
        return ended
    }

    /// Records the answer to a reset. Returns the epoch of the reset; nil if none was pending.
    mutating func takeReply(at now: Milliseconds) -> Int? {
        guard !pendingResets.isEmpty else { return nil }
        repliedAt = now
        return pendingResets.removeFirst()
    }

    /// Records a preedit with text, for the present epoch if `epoch` is nil: servers keep the order of their compositions.
    mutating func drew(in epoch: Int?) {
        if epoch == nil || epoch == current - 1 { mayCommitEarlier = epoch != nil }
    }

    /// Records a commit of an earlier epoch's text. Until the reset is answered, another may follow.
    mutating func committed(in epoch: Int) {
        if epoch == current - 1, !pendingResets.contains(epoch) { mayCommitEarlier = false }
    }

    /// Forgets all resets, because no more answers will come.
    mutating func forgetResets() {
        (pendingResets, mayCommitEarlier) = ([], false)
        (resetSentAt, repliedAt) = (-.infinity, -.infinity)
    }

    /// Returns the epoch in which a key was sent.
    func epoch(of ticket: KeyTicket) -> Int { starts.last { $0.first <= ticket }?.epoch ?? current }

    /// Whether a commit that repeats the text of the previous epoch belongs to that epoch. Until a key of the present epoch is sent,
    /// there is no other explanation.
    func mayRepeatEarlier(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0 else { return false }
        let age = now - max(repliedAt, resetSentAt)
        return age < timing.late || mayCommitEarlier && (!hasKeys || age < timing.response)
    }

    /// Whether an answer without a key belongs to the previous epoch: the present one has no key that it could be for.
    func mayStillBeHeard(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0, !hasKeys else { return false }
        return now - repliedAt < timing.late || mayCommitEarlier && now - max(repliedAt, resetSentAt) < timing.response
    }
}
