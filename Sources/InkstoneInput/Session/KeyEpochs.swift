import InkstoneBase

/// The epochs of a window's keys: what lies between two ends of compositions from our side. Answers to the keys of an earlier one go to
/// where those were typed.
struct KeyEpochs {
    /// The number of past epochs that answers may name although nothing of theirs is known to be on its way.
    private static let memory = 8

    /// The number of the present one.
    private(set) var current = 0
    /// Whether keys of the present one have been sent.
    var hasKeys = false
    /// Whether something of the one before is still being composed, as far as the method goes.
    var earlierHasComposition = false
    /// Whether the method may still commit the text of the one before: it has not done so, and composed nothing since. ibus replies to a
    /// reset before its engine gets it.
    private var mayCommitEarlier = false
    /// Those whose reset has not been answered, oldest first.
    var pendingResets: [Int] = []
    /// When the method was asked last to forget what it composes.
    private(set) var resetSentAt: Milliseconds = -.infinity
    private var repliedAt: Milliseconds = -.infinity
    /// The first ticket of each that answers may still name, oldest first.
    private var starts: [(epoch: Int, first: KeyTicket)] = [(0, KeyTicket(rawValue: 1))]

    /// The oldest epoch that answers may name, if `unanswered` is the oldest with keys on their way.
    func oldest(unanswered: Int?) -> Int {
        min(current - Self.memory, pendingResets.first ?? current, unanswered ?? current)
    }

    /// The present one ends; returns its number. `withTicket`: the next key's; `unanswered`: the oldest epoch with keys on their way.
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

    /// A reset has been answered: of which epoch; nil if none was pending.
    mutating func takeReply(at now: Milliseconds) -> Int? {
        guard !pendingResets.isEmpty else { return nil }
        repliedAt = now
        return pendingResets.removeFirst()
    }

    /// A preedit with text was drawn, for the present epoch if `epoch` is nil: servers keep the order of what they compose.
    mutating func drew(in epoch: Int?) {
        if epoch == nil || epoch == current - 1 { mayCommitEarlier = epoch != nil }
    }

    /// A commit was the text of an earlier epoch. As long as the reset is not answered, another may follow.
    mutating func committed(in epoch: Int) {
        if epoch == current - 1, !pendingResets.contains(epoch) { mayCommitEarlier = false }
    }

    /// Nothing will be answered any more.
    mutating func forgetResets() {
        (pendingResets, mayCommitEarlier) = ([], false)
        (resetSentAt, repliedAt) = (-.infinity, -.infinity)
    }

    /// The epoch that a key was sent in.
    func epoch(of ticket: KeyTicket) -> Int { starts.last { $0.first <= ticket }?.epoch ?? current }

    /// Whether a commit that repeats the text of the one before this is taken for that one's. As long as no key of this one was sent,
    /// nothing else explains it.
    func mayRepeatEarlier(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0 else { return false }
        let age = now - max(repliedAt, resetSentAt)
        return age < timing.late || mayCommitEarlier && (!hasKeys || age < timing.response)
    }

    /// Whether what comes without a key is still of the one before this: there is no key of this one that it could be for.
    func mayStillBeHeard(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0, !hasKeys else { return false }
        return now - repliedAt < timing.late || mayCommitEarlier && now - max(repliedAt, resetSentAt) < timing.response
    }
}
