import InkstoneBase

/// A ledger of a window's pending keys, their epochs, and the keys that the input method has returned and that are held
/// back.
///
/// The input method's answers come with stamps that name their keys. So the ledger does not infer which key an
/// answer is for. When a user action is performed while keys are pending, the ledger's owner begins a new *epoch*.
/// From then on, ``destination(of:at:)`` returns the earlier epoch for answers to its keys. These answers go to the
/// position where the keys were typed.
///
/// The ledger is a plain value without a clock. The same facts at the same times lead to the same answers.
package struct KeyLedger {
    /// The position to which an answer of the input method goes.
    package enum Destination: Hashable, Sendable {
        /// The answer goes to the caret.
        case current
        /// The answer goes to the position where the keys of an earlier epoch were typed.
        case epoch(Int)
    }

    struct Flight {
        var ticket: KeyTicket
        var sentAt: Milliseconds
        var epoch: Int
        var typesText: Bool
        /// Whether the key counts as answered: an answer to it has come, or the input method has paused after it.
        var isAnswered = false
    }

    /// The waiting times, for example until an unanswered key counts as lost.
    package var timing: InputTiming
    /// Whether keys are sent to an input method.
    package var isEngaged = true
    /// The traits of the input method. They determine how its answers are understood.
    package var traits = InputMethodTraits()
    /// The number of the present epoch.
    package var epoch: Int { epochs.current }

    var epochs = KeyEpochs()
    var flights: [Flight] = []
    /// Keys that type text and had no answer when the input method reported that it was done with them. An engine
    /// may still be at work on them. So saving and closing wait for them until ``silenceEndsAt``.
    var silent: [Flight] = []
    private(set) var nextTicket: UInt64 = 1
    var lastTraffic: Milliseconds = -.infinity
    /// The time of the last answer to any key.
    var lastAnswer: Milliseconds = -.infinity
    /// The time at which an answer last lowered the number of unanswered keys.
    var lastProgress: Milliseconds = -.infinity
    /// The key to which the next answer belongs, as received before that answer. Nil if the next message is a further
    /// part of the last answer.
    var stamp: AnswerStamp?
    /// The last key to which the clearing of a composition may be the answer. Kept while the input method may still
    /// commit the cleared text; otherwise nil.
    var clearing: KeyTicket?
    /// The key with which the present composition seems to have begun: the oldest key that was unanswered when it
    /// began. Nil if there was none.
    var compositionOrigin: KeyTicket?
    /// Whether the key press that the input method returned last has overtaken the answer to an earlier key of this
    /// epoch.
    var hasOvertaken = false
    /// Whether the key press that the input method returned last was its first answer since the window got the focus or
    /// the epoch began, although earlier keys of the epoch were unanswered.
    var hasOvertakenAll = false
    var hasAnswer = false
    /// The keys that the input method has returned but that are held back before they are typed; nil if there are none.
    var held: HeldKeys?

    /// Creates a ledger without keys.
    package init(timing: InputTiming = InputTiming()) {
        self.timing = timing
    }

    /// The oldest epoch to which answers may still belong.
    var oldestEpoch: Int { epochs.oldest(unanswered: flights.first?.epoch) }

    /// Whether the input method has not answered a reset yet.
    package var isResetPending: Bool { !epochs.pendingResets.isEmpty }

    /// Whether keys of this epoch have been sent.
    package var hasSentKeys: Bool { epochs.hasKeys }

    /// Whether keys of this epoch may still be pending.
    package func hasKeysInFlight(at now: Milliseconds) -> Bool {
        flights.contains { $0.epoch == epoch && !$0.isAnswered && !isLost($0, now) }
    }

    /// Whether unanswered presses of the present epoch, which do not count as lost, were sent before the returned key
    /// `ticket`. Always false for an input method that returns keys in turn.
    func isAwaited(before ticket: KeyTicket, at now: Milliseconds) -> Bool {
        traits.returnsKeysOutOfTurn
            && flights.contains { $0.epoch == epoch && $0.ticket < ticket && !$0.isAnswered && !isLost($0, now) }
    }

    /// The time at which unanswered keys count as lost if no further answers come. Nil if the input method reports
    /// when keys are finished.
    var answersEndAt: Milliseconds? { traits.reportsQuiet ? nil : unansweredUntil ?? lastTraffic + timing.quiet }

    /// Whether a key may be sent to the input method now. False soon after a reset, when the answers to the key could
    /// be mistaken for answers to an earlier key.
    package func mayForward(at now: Milliseconds) -> Bool { !isEngaged || now >= sendingResumesAt }

    /// Whether a user action other than a key may be performed now.
    ///
    /// - Parameter since: the time at which the action became the first in the queue.
    package func mayPerform(_ kind: InputItemKind, since: Milliseconds, at now: Milliseconds) -> Bool {
        guard kind.waitsForKeys, isEngaged else { return true }
        if kind.waitsForSilentKeys, now < silenceEndsAt { return false }
        guard hasFlights(for: kind) else { return true }
        if traits.reportsQuiet, kind.waitsForQuiet { return now >= performDeadline(kind, since: since) }
        // A save, for example, keeps waiting while answers come. This wait ends, because no later key is sent before
        // the save.
        return now >= (kind.waitsForAll ? max(since, lastAnswer) + timing.saveLimit : since + timing.pressWait)
            || now >= lastTraffic + timing.quiet && !(kind.waitsForAll && unansweredUntil != nil)
    }

    /// The time at which a key that ``mayForward(at:)`` holds back may be sent.
    package var forwardDeadline: Milliseconds { sendingResumesAt }

    /// Returns the time at which to call ``mayPerform(_:since:at:)`` again, if the input method sends nothing
    /// before.
    package func performDeadline(_ kind: InputItemKind, since: Milliseconds) -> Milliseconds {
        let silenceEndsAt = kind.waitsForSilentKeys ? silenceEndsAt : -.infinity
        guard hasFlights(for: kind) else { return silenceEndsAt }
        if traits.reportsQuiet, kind.waitsForQuiet {
            return max(
                silenceEndsAt,
                min(max(since, lastTraffic) + timing.saveLimit, max(since, lastProgress) + timing.maximumAnswerWait))
        }
        let deadline =
            kind.waitsForAll
            ? min(unansweredUntil ?? lastTraffic + timing.quiet, max(since, lastAnswer) + timing.saveLimit)
            : min(lastTraffic + timing.quiet, since + timing.pressWait)
        return max(silenceEndsAt, deadline)
    }

    /// Whether there are keys that an entry of this kind waits for. Entries of some kinds also wait for keys of
    /// earlier epochs.
    private func hasFlights(for kind: InputItemKind) -> Bool {
        flights.contains { kind.waitsForAll || $0.epoch == epoch }
    }

    /// The time after which no answer to the ``silent`` keys is expected. An answer may come in several messages.
    /// So the wait goes on for a while after the first.
    private var silenceEndsAt: Milliseconds {
        silent.reduce(-.infinity) { end, key in
            max(end, key.isAnswered ? lastTraffic + timing.quiescence : max(key.sentAt, lastAnswer) + timing.response)
        }
    }

    /// The time at which the first unanswered key of this epoch counts as lost. Nil if all keys have been answered.
    private var unansweredUntil: Milliseconds? {
        flights.filter { $0.epoch == epoch && !$0.isAnswered }.map { max($0.sentAt, lastAnswer) + timing.probeDelay }
            .min()
    }

    /// The time from which keys may be sent after the last reset.
    private var sendingResumesAt: Milliseconds {
        let limit = epochs.resetSentAt + timing.pressWait
        return isResetPending ? limit : min(limit, lastTraffic + timing.quiet)
    }

    // MARK: Recording keys, the passing of time, epochs and losses

    /// Assigns a ticket to a key that is sent now, and returns it. If the key is returned, the ticket identifies
    /// it. Answers are expected only to presses, and not to those of modifiers.
    package mutating func keySent(_ key: KeyEvent, at now: Milliseconds) -> KeyTicket {
        let ticket = KeyTicket(rawValue: nextTicket)
        nextTicket += 1
        if key.phase != .up, !key.keysym.isModifier {
            flights.append(Flight(ticket: ticket, sentAt: now, epoch: epoch, typesText: key.typesText))
            lastTraffic = now
            epochs.hasKeys = true
        }
        return ticket
    }

    /// Updates the ledger to the present time: forgets keys to which no answer is expected any more.
    ///
    /// - Parameter isSaving: whether an entry is waiting that must come after every key, even with a slow method.
    package mutating func pass(to now: Milliseconds, isSaving: Bool = false) {
        if !silent.isEmpty, now >= silenceEndsAt { silent = [] }
        guard !traits.reportsQuiet, !flights.isEmpty else { return }
        flights = flights.filter { !isLost($0, now) }
        // Not every key causes an answer of its own. If an answer has come since the last key was sent, and then
        // nothing for a while, expect no more answers.
        if let last = flights.last, lastAnswer >= last.sentAt, now - lastTraffic >= timing.quiescence, !isSaving,
            !precedesAnswers(at: now)
        {
            flights = []
        }
        if now - lastTraffic >= timing.quiet { flights.removeAll(where: \.isAnswered) }
    }

    /// Begins a new epoch. Call this after the composition was ended, or the one that pending keys may have begun, and
    /// the input method was asked to discard it. Answers to earlier keys do not belong at the caret any more. Returns
    /// the number of the ended epoch, which ``destination(of:at:)`` then returns for answers to its keys.
    ///
    /// - Parameters:
    ///   - hadComposition: whether text was marked.
    ///   - expectsReply: whether a reset was sent that will be answered.
    package mutating func beginEpoch(hadComposition: Bool, expectsReply: Bool, at now: Milliseconds) -> Int {
        hasAnswer = false
        if expectsReply { lastTraffic = now }
        return epochs.begin(
            withTicket: KeyTicket(rawValue: nextTicket), hadComposition: hadComposition, expectsReply: expectsReply,
            unanswered: flights.first?.epoch, at: now)
    }

    /// Forgets all pending keys and resets. Call when the input method is lost or starts anew: no answers to them will
    /// come.
    package mutating func methodWasLost() {
        (flights, silent) = ([], [])
        epochs.forgetResets()
        (lastTraffic, lastAnswer, lastProgress) = (-.infinity, -.infinity, -.infinity)
    }

    /// Removes and returns the keys to type directly, in typing order. Call when the input method is lost. `keys` are
    /// the events of `loss.owed`. Keys that the method has returned, but that are still held back, are included.
    package mutating func takeOwed(_ loss: InputMethodLoss, _ keys: [KeyEvent]) -> [OwedKey] {
        // If text that the method has cleared may still be committed, all owed keys are typed. If not, the key
        // `loss.half` counts as answered: the text was cleared in answer to it.
        let half = clearing == nil ? loss.half : nil
        (clearing, stamp) = (nil, nil)
        var keys = zip(loss.owed, keys).filter { $0.0 != half }.map { OwedKey.unanswered($1, $0) }
        while let held, let first = held.keys.first {
            let index = first.ticket.flatMap { ticket in keys.firstIndex { ticket < $0.ticket } }
            keys.insert(.held(first.event, first.ticket), at: index ?? (first.ticket == nil ? 0 : keys.endIndex))
            _ = takeKey()
        }
        return keys
    }

    /// A key that is typed directly because the input method is lost.
    package enum OwedKey: Hashable, Sendable {
        /// The input method has not answered the key.
        case unanswered(KeyEvent, KeyTicket)
        /// The input method returned the key, which was then held back.
        case held(InputMethodEvent, KeyTicket?)

        var ticket: KeyTicket {
            switch self {
            case .unanswered(_, let ticket): ticket
            case .held(_, let ticket): ticket ?? KeyTicket(rawValue: 0)
            }
        }
    }

    /// Records that the window has got the focus. The next answer will be the first since then.
    mutating func focusCame() { hasAnswer = false }

    /// Forgets the unanswered resets. None of them will be answered any more.
    mutating func forgetResets() { epochs.pendingResets = [] }

    /// Removes the pending keys of the given epoch and of earlier ones, which then count as answered.
    mutating func forgetFlights(through epoch: Int) {
        flights.removeAll { $0.epoch <= epoch }
    }

    /// Returns the previous epoch if a commit that repeats its composition may still arrive; otherwise nil.
    package func epochOfLateCommit(at now: Milliseconds) -> Int? {
        epochs.mayRepeatEarlier(at: now, timing) ? epoch - 1 : nil
    }

    /// Records that a commit has repeated the text of an earlier epoch.
    mutating func absorbedCommit(of epoch: Int) { epochs.committed(in: epoch) }

    /// Whether an answer to a key is no longer expected, because too much time has passed since the key and since the
    /// last answer. A server handles one key at a time: while it answers other keys, it may not have handled this one
    /// yet. Always false for an input method that reports when no more answers will come.
    func isLost(_ flight: Flight, _ now: Milliseconds) -> Bool {
        !traits.reportsQuiet && now - max(flight.sentAt, lastAnswer) >= timing.probeDelay
    }
}
