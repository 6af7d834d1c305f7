import InkstoneBase

/// The epochs of a window's keys. An epoch ends when the program ends a composition (not the input method), for
/// example because the user has clicked elsewhere. Answers to keys of an earlier epoch go to the position where
/// those keys were typed.
struct KeyEpochs {
    /// The number of past epochs that are remembered even if none of their keys are pending, because answers may still
    /// belong to them.
    private static let memory = 8

    /// The number of the present epoch.
    private(set) var current = 0
    /// Whether keys of the present epoch have been sent.
    var hasKeys = false
    /// Whether a composition of an earlier epoch is still to be committed: one that the user's action interrupted, or
    /// one that the input method has drawn for an earlier epoch since.
    var earlierHasComposition = false
    /// Whether the input method may still commit the text of the epoch before. False after the method has composed
    /// in the present epoch. Also false after a commit of that text, unless the reply to the reset is still to
    /// come: ibus, for example, replies to a reset before its engine receives it.
    private var mayCommitEarlier = false
    /// The epochs whose reset has no reply yet, oldest first.
    var pendingResets: [Int] = []
    /// The time of the latest reset.
    private(set) var resetSentAt: Milliseconds = -.infinity
    private var repliedAt: Milliseconds = -.infinity
    /// The first ticket of each epoch to which answers may still belong. The oldest epoch comes first.
    private var starts: [(epoch: Int, first: KeyTicket)] = [(0, KeyTicket(rawValue: 1))]

    /// Returns the oldest epoch to which answers may still belong.
    ///
    /// - Parameter unanswered: the oldest epoch with unanswered keys; nil for none.
    func oldest(unanswered: Int?) -> Int {
        min(current - Self.memory, pendingResets.first ?? current, unanswered ?? current)
    }

    /// Begins a new epoch. Returns the number of the epoch that ends.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of the next key.
    ///   - unanswered: the oldest epoch with unanswered keys; nil for none.
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

    /// Records that the input method has drawn a preedit with text for an earlier epoch or, if `epoch` is nil, for the
    /// present one. Servers keep the order of their compositions: after a preedit of the present epoch, no commit of
    /// the epoch before comes.
    mutating func drew(in epoch: Int?) {
        if epoch == nil || epoch == current - 1 { mayCommitEarlier = epoch != nil }
    }

    /// Records a commit of an earlier epoch's text. Until the reset is answered, another commit may follow.
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

    /// Whether a commit with the text of the previous epoch's composition counts as the late commit of that
    /// composition. True for the time `timing.lateTextWindow` after the reset or the reply to it. Later, true only if the input
    /// method may still commit that text: for the time `timing.response`, or without a limit while no key of the
    /// present epoch has been sent.
    func mayRepeatEarlier(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0 else { return false }
        let age = now - max(repliedAt, resetSentAt)
        return age < timing.lateTextWindow || mayCommitEarlier && (!hasKeys || age < timing.response)
    }

    /// Whether an answer that names no key belongs to the previous epoch: no key of the present epoch was sent, and the
    /// last reset was sent or answered recently.
    func mayStillBeAnswered(at now: Milliseconds, _ timing: InputTiming) -> Bool {
        guard current > 0, !hasKeys else { return false }
        return now - repliedAt < timing.lateTextWindow
            || mayCommitEarlier && now - max(repliedAt, resetSentAt) < timing.response
    }
}
