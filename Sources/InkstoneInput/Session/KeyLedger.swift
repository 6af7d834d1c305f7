import InkstoneBase

/// A ledger of a window's pending keys, their epochs, and the returned keys that wait.
///
/// The method's answers come with stamps that name their keys: the ledger infers nothing about that.
/// When a user action is performed while keys are pending, the owner begins a new *epoch*: ``destination(of:at:)`` then returns the
/// epoch of an answer, and answers of an earlier epoch go to the position where its keys were typed.
///
/// The ledger is a plain value without a clock: the same facts at the same times lead to the same answers.
package struct KeyLedger {
    /// The destination of an answer.
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
        /// Whether an answer was stamped with the key.
        var isHeard = false
    }

    /// The waiting times.
    package var timing: InputTiming
    /// Whether there is a method to send keys to.
    package var isEngaged = true
    /// The behaviour of the method's answers.
    package var traits = InputMethodTraits()
    /// The number of the present epoch.
    package var epoch: Int { epochs.current }

    var epochs = KeyEpochs()
    var flights: [Flight] = []
    /// Keys that type text and were unanswered when the method was found quiescent: an engine may still be at work on them, and saving and
    /// closing wait for that (``silenceEndsAt``).
    var silent: [Flight] = []
    private(set) var nextTicket: UInt64 = 1
    var lastTraffic: Milliseconds = -.infinity
    /// The time of the last answer to any key.
    var lastAnswer: Milliseconds = -.infinity
    /// The time at which the number of unanswered keys last fell.
    var lastSettled: Milliseconds = -.infinity
    /// The stamp of the next answer; nil if the answer goes on.
    var stamp: AnswerStamp?
    /// The last key that the clearing of a composition may be for, while the method may be about to commit the cleared text; else nil.
    var clearing: KeyTicket?
    /// The key with which the present composition seems to have begun: the oldest unanswered one.
    var compositionOrigin: KeyTicket?
    /// Whether the last returned key has overtaken the answer to an earlier one.
    var hasOvertaken = false
    /// Whether the last returned key was the very first answer since the focus came or the epoch began, and was not the
    /// first key.
    var hasOvertakenAll = false
    var hasHeard = false
    /// The returned keys that wait; nil for none.
    var held: HeldKeys?

    /// Creates a ledger without keys.
    package init(timing: InputTiming = InputTiming()) {
        self.timing = timing
    }

    /// The oldest epoch that answers may name.
    var oldestEpoch: Int { epochs.oldest(unanswered: flights.first?.epoch) }

    /// Whether a reset has not been answered yet.
    package var isResetPending: Bool { !epochs.pendingResets.isEmpty }

    /// Whether keys of this epoch have been sent.
    package var hasSentKeys: Bool { epochs.hasKeys }

    /// Whether keys of this epoch may still be pending.
    package func hasKeysInFlight(at now: Milliseconds) -> Bool {
        flights.contains { $0.epoch == epoch && !$0.isHeard && !isLost($0, now) }
    }

    /// Whether answers to keys of this epoch before the returned key `ticket` are still to come.
    func isAwaited(before ticket: KeyTicket, at now: Milliseconds) -> Bool {
        traits.returnsKeysOutOfTurn
            && flights.contains { $0.epoch == epoch && $0.ticket < ticket && !$0.isHeard && !isLost($0, now) }
    }

    /// The time at which unanswered keys count as lost without further answers; nil if the method reports when they are finished.
    var answersEndAt: Milliseconds? { traits.reportsQuiet ? nil : unheardUntil ?? lastTraffic + timing.quiet }

    /// Whether a key may be sent now: not so soon after a reset that it could be mistaken for an earlier one.
    package func mayForward(at now: Milliseconds) -> Bool { !isEngaged || now >= settledAt }

    /// Whether another user action may be performed now. `since`: the time since which it is first in the queue.
    package func mayPerform(_ kind: InputItemKind, since: Milliseconds, at now: Milliseconds) -> Bool {
        guard kind.waitsForKeys, isEngaged else { return true }
        if kind.waitsForSilentKeys, now < silenceEndsAt { return false }
        guard hasFlights(for: kind) else { return true }
        if traits.reportsQuiet, kind.waitsForQuiet { return now >= performDeadline(kind, since: since) }
        // While answers come, a save keeps waiting: no later key is sent before it.
        return now >= (kind.waitsForAll ? max(since, lastAnswer) + timing.saveLimit : since + timing.limit)
            || now >= lastTraffic + timing.quiet && !(kind.waitsForAll && unheardUntil != nil)
    }

    /// The time at which a key that ``mayForward(at:)`` holds back may be sent.
    package var forwardDeadline: Milliseconds { settledAt }

    /// Returns the time at which to call ``mayPerform(_:since:at:)`` again, if the method sends nothing before.
    package func performDeadline(_ kind: InputItemKind, since: Milliseconds) -> Milliseconds {
        let silenceEndsAt = kind.waitsForSilentKeys ? silenceEndsAt : -.infinity
        guard hasFlights(for: kind) else { return silenceEndsAt }
        if traits.reportsQuiet, kind.waitsForQuiet {
            return max(
                silenceEndsAt,
                min(max(since, lastTraffic) + timing.saveLimit, max(since, lastSettled) + timing.patience))
        }
        let deadline =
            kind.waitsForAll
            ? min(unheardUntil ?? lastTraffic + timing.quiet, max(since, lastAnswer) + timing.saveLimit)
            : min(lastTraffic + timing.quiet, since + timing.limit)
        return max(silenceEndsAt, deadline)
    }

    /// Whether there are keys that this kind waits for: with some kinds also keys that were typed elsewhere before.
    private func hasFlights(for kind: InputItemKind) -> Bool {
        flights.contains { kind.waitsForAll || $0.epoch == epoch }
    }

    /// The time after which no answer to the ``silent`` keys is expected. An answer may come in several messages.
    private var silenceEndsAt: Milliseconds {
        silent.reduce(-.infinity) { end, key in
            max(end, key.isHeard ? lastTraffic + timing.rest : max(key.sentAt, lastAnswer) + timing.response)
        }
    }

    /// The time at which the first unanswered key counts as lost; nil if all have been answered.
    private var unheardUntil: Milliseconds? {
        flights.filter { $0.epoch == epoch && !$0.isHeard }.map { max($0.sentAt, lastAnswer) + timing.doubt }.min()
    }

    /// The time at which keys may follow a reset.
    private var settledAt: Milliseconds {
        let limit = epochs.resetSentAt + timing.limit
        return isResetPending ? limit : min(limit, lastTraffic + timing.quiet)
    }

    // MARK: Facts

    /// Records a key that is sent now. Returns the ticket that identifies it when it is returned.
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

    /// Updates the ledger to the present time. `isSaving`: an entry waits that must come after every key, even with a slow method.
    package mutating func pass(to now: Milliseconds, isSaving: Bool = false) {
        if !silent.isEmpty, now >= silenceEndsAt { silent = [] }
        guard !traits.reportsQuiet, !flights.isEmpty else { return }
        flights = flights.filter { !isLost($0, now) }
        // Not every key causes an answer of its own: after a rest, the remaining keys need none.
        if let last = flights.last, lastAnswer >= last.sentAt, now - lastTraffic >= timing.rest, !isSaving,
            !isAhead(at: now)
        {
            flights = []
        }
        if now - lastTraffic >= timing.quiet { flights.removeAll(where: \.isHeard) }
    }

    /// Begins a new epoch after the owner ended the composition, or the possible composition of pending keys, and asked the method to
    /// discard it: answers to earlier keys belong elsewhere from now on. Returns the ended epoch, by which
    /// ``destination(of:at:)`` will name the position where they were typed.
    ///
    /// `hadComposition`: text was marked. `expectsReply`: a reset was sent and will be answered.
    package mutating func beginEpoch(hadComposition: Bool, expectsReply: Bool, at now: Milliseconds) -> Int {
        hasHeard = false
        if expectsReply { lastTraffic = now }
        return epochs.begin(
            withTicket: KeyTicket(rawValue: nextTicket), hadComposition: hadComposition, expectsReply: expectsReply,
            unanswered: flights.first?.epoch, at: now)
    }

    /// Resets the ledger, because the method is gone or starts anew: no keys are pending, and no answers will come.
    package mutating func methodWasLost() {
        (flights, silent) = ([], [])
        epochs.forgetResets()
        (lastTraffic, lastAnswer, lastSettled) = (-.infinity, -.infinity, -.infinity)
    }

    /// Removes and returns the keys to type directly, because the method is gone, in typing order: those that it owes, `keys`, and those that were
    /// returned and wait.
    package mutating func takeOwed(_ loss: InputMethodLoss, _ keys: [KeyEvent]) -> [OwedKey] {
        // The owner has ended a clearing otherwise: its key has been answered.
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

    /// A key that is typed directly because the method is gone.
    package enum OwedKey: Hashable, Sendable {
        /// The method has not answered the key.
        case unanswered(KeyEvent, KeyTicket)
        /// The method returned the key, which then waited.
        case held(InputMethodEvent, KeyTicket?)

        var ticket: KeyTicket {
            switch self {
            case .unanswered(_, let ticket): ticket
            case .held(_, let ticket): ticket ?? KeyTicket(rawValue: 0)
            }
        }
    }

    /// Records that the focus has come, and that no answer has come since.
    mutating func focusCame() { hasHeard = false }

    /// Forgets the resets, because none will be answered any more.
    mutating func forgetResets() { epochs.pendingResets = [] }

    /// Removes the keys of this epoch and of earlier ones, because they are answered.
    mutating func forgetFlights(through epoch: Int) {
        flights.removeAll { $0.epoch <= epoch }
    }

    /// Returns the epoch whose text a commit may repeat: the previous one, until the method has ended its composition as well; else nil.
    package func epochOfLateCommit(at now: Milliseconds) -> Int? {
        epochs.mayRepeatEarlier(at: now, timing) ? epoch - 1 : nil
    }

    /// Records that a commit has repeated the text of an earlier epoch.
    mutating func absorbedCommit(of epoch: Int) { epochs.committed(in: epoch) }

    /// Whether an answer to a key is not expected any more. A server handles one key at a time: while it answers
    /// others, the turn of this key is still to come.
    func isLost(_ flight: Flight, _ now: Milliseconds) -> Bool {
        !traits.reportsQuiet && now - max(flight.sentAt, lastAnswer) >= timing.doubt
    }
}
