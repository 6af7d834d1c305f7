public import InkstoneBase

/// Which keys of a window are on their way to the input method, and what its answers are for.
///
/// Servers never say which key an answer is for, nor that a key is done: it is inferred here, from stamped facts, passed in as they
/// happen. What is typed plainly after a server's death is decided here as well (``takeOwed(afterSilence:)``).
/// When something of the user's is done with keys still out, the owner begins a new *epoch*: ``destination(of:at:)`` then tells which
/// epoch an answer belongs to, and answers of an earlier one go to where their keys were typed.
///
/// A plain value without a clock: the same facts at the same times lead to the same answers.
public struct KeyLedger {
    /// Where an answer belongs.
    public enum Destination: Hashable, Sendable {
        /// To the caret.
        case current
        /// To where the keys of an earlier epoch were typed.
        case epoch(Int)
    }

    struct Flight {
        var ticket: KeyTicket
        var sentAt: Milliseconds
        var epoch: Int
        var typesText: Bool
        /// An answer without a ticket was counted for it.
        var isHeard = false
        /// It has come back before the answers to those before it. What it does to the composition is still to come.
        var isReturned = false
    }

    /// The times in use.
    public var timing: InputTiming
    /// Whether there is a method to send keys to.
    public var isEngaged = true
    /// How the method answers.
    public var traits = InputMethodTraits()
    /// The number of the present epoch.
    public var epoch: Int { epochs.current }

    var epochs = KeyEpochs()
    var flights: [Flight] = []
    /// Keys that type text and had drawn no word when the method was found quiet: an engine may still be at work on them, and what is
    /// saved or closed waits for that (``silenceEndsAt``).
    var silent: [Flight] = []
    private var nextTicket: UInt64 = 1
    var lastTraffic: Milliseconds = -.infinity
    /// When an answer to some key came last.
    var lastAnswer: Milliseconds = -.infinity
    /// When there was last one key less that an answer is to come to.
    var lastSettled: Milliseconds = -.infinity
    var ending = Ending()
    /// The key that the present composition began with, as far as can be told: the oldest that had drawn no answer.
    var compositionOrigin: KeyTicket?
    /// Whether the key that came back last has overtaken the answer to one before it.
    var hasOvertaken = false
    /// Whether the key that came back last was the first answer of all since the focus came or the epoch began, and not to the
    /// first key.
    var hasOvertakenAll = false
    var hasHeard = false
    /// Keys that have come back and wait; nil if none does.
    var held: HeldKeys?
    /// What is to be typed if the server goes.
    var owed = OwedKeys()

    /// No keys.
    public init(timing: InputTiming = InputTiming()) {
        self.timing = timing
    }

    /// The oldest epoch that answers may name.
    var oldestEpoch: Int { epochs.oldest(unanswered: flights.first?.epoch) }

    /// Whether a reset has not been answered yet.
    public var isResetPending: Bool { !epochs.pendingResets.isEmpty }

    /// Whether keys of this epoch have been sent.
    public var hasSentKeys: Bool { epochs.hasKeys }

    /// Whether keys of this epoch may still be on their way.
    public func hasKeysInFlight(at now: Milliseconds) -> Bool {
        flights.contains { $0.epoch == epoch && isOut($0) && !isLost($0, now) }
    }

    /// Whether answers to keys of this epoch before `ticket` are still to come, although it has come back.
    func isAwaited(before ticket: KeyTicket, at now: Milliseconds) -> Bool {
        traits.returnsKeysOutOfTurn
            && flights.contains { $0.epoch == epoch && $0.ticket < ticket && isOut($0) && !isLost($0, now) }
    }

    /// When keys that have drawn no answer count as lost, if nothing is heard until then; nil if the method will say so.
    var answersEndAt: Milliseconds? { traits.reportsQuiet ? nil : unheardUntil ?? lastTraffic + timing.quiet }

    func isOut(_ flight: Flight) -> Bool { !flight.isHeard && !flight.isReturned }

    /// Whether a key may be sent now: not so soon after a reset that it could be taken for one before it.
    public func mayForward(at now: Milliseconds) -> Bool { !isEngaged || now >= settledAt }

    /// Whether something else that the user has done may be performed now. It has waited `since` nothing stood before it.
    public func mayPerform(_ kind: InputItemKind, since: Milliseconds, at now: Milliseconds) -> Bool {
        guard kind.waitsForKeys, isEngaged else { return true }
        if kind.waitsForSilentKeys, now < silenceEndsAt { return false }
        guard hasFlights(for: kind) else { return true }
        if traits.reportsQuiet, kind.waitsForQuiet { return now >= performDeadline(kind, since: since) }
        // While answers come, a save goes on waiting: no later key is sent before it.
        return now >= (kind.waitsForAll ? max(since, lastAnswer) + timing.saveLimit : since + timing.limit)
            || now >= lastTraffic + timing.quiet && !(kind.waitsForAll && unheardUntil != nil)
    }

    /// When a key that ``mayForward(at:)`` holds back may go.
    public var forwardDeadline: Milliseconds { settledAt }

    /// When to ask ``mayPerform(_:since:at:)`` again, if nothing comes from the method before.
    public func performDeadline(_ kind: InputItemKind, since: Milliseconds) -> Milliseconds {
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

    /// Whether there are keys that this waits for: with some kinds those that were typed elsewhere before, too.
    private func hasFlights(for kind: InputItemKind) -> Bool {
        flights.contains { kind.waitsForAll || $0.epoch == epoch }
    }

    /// The time after which no answer to the ``silent`` keys is expected. An answer may come in several messages.
    private var silenceEndsAt: Milliseconds {
        silent.reduce(-.infinity) { end, key in
            max(end, key.isHeard ? lastTraffic + timing.rest : max(key.sentAt, lastAnswer) + timing.response)
        }
    }

    /// When the first key that has drawn no answer counts as lost; nil if all have drawn one.
    private var unheardUntil: Milliseconds? {
        flights.filter { $0.epoch == epoch && isOut($0) }.map { max($0.sentAt, lastAnswer) + timing.doubt }.min()
    }

    /// When keys may follow a reset.
    private var settledAt: Milliseconds {
        let limit = epochs.resetSentAt + timing.limit
        return isResetPending ? limit : min(limit, lastTraffic + timing.quiet)
    }

    // MARK: What happens

    /// A key is sent now; what it is known by when it comes back.
    public mutating func keySent(_ key: KeyEvent, at now: Milliseconds) -> KeyTicket {
        let ticket = KeyTicket(rawValue: nextTicket)
        nextTicket += 1
        owed.add(key, ticket)
        if key.phase != .up, !key.keysym.isModifier {
            let typesText = (key.characters.unicodeScalars.first?.value ?? 0) >= 0x20
            flights.append(
                Flight(
                    ticket: ticket, sentAt: now, epoch: epoch,
                    typesText: typesText && key.modifiers.isDisjoint(with: .commanding)))
            lastTraffic = now
            epochs.hasKeys = true
        }
        return ticket
    }

    /// Time has passed. `isSaving`: something waits that has to come after every key, even with a slow method.
    public mutating func pass(to now: Milliseconds, isSaving: Bool = false) {
        if !silent.isEmpty, now >= silenceEndsAt { silent = [] }
        guard !traits.reportsQuiet, !flights.isEmpty else { return }
        flights = flights.filter { !isLost($0, now) }
        // Not every key draws an answer that can be told from others: at rest, those left over need none.
        if let last = flights.last, lastAnswer >= last.sentAt, now - lastTraffic >= timing.rest, !isSaving,
            !isAhead(at: now)
        {
            flights = []
        }
        if now - lastTraffic >= timing.quiet { flights.removeAll(where: \.isHeard) }
    }

    /// The owner ended the composition, or what keys on their way may become of one, and asked the method to forget it:
    /// answers to earlier keys belong elsewhere from now on. Returns the epoch that ended, by which
    /// ``destination(of:at:)`` will name where they were typed.
    ///
    /// `hadComposition`: text was marked. `expectsReply`: a reset was sent and will be answered.
    public mutating func beginEpoch(hadComposition: Bool, expectsReply: Bool, at now: Milliseconds) -> Int {
        hasHeard = false
        if expectsReply { lastTraffic = now }
        return epochs.begin(
            withTicket: KeyTicket(rawValue: nextTicket), hadComposition: hadComposition, expectsReply: expectsReply,
            unanswered: flights.first?.epoch, at: now)
    }

    /// The method is gone or starts anew: nothing is on its way any more, nothing will be answered.
    public mutating func methodWasLost() {
        (flights, silent) = ([], [])
        epochs.forgetResets()
        (lastTraffic, lastAnswer, lastSettled) = (-.infinity, -.infinity, -.infinity)
    }

    /// Takes the keys that are to be typed plainly, because the method is gone, in the order in which they were typed: those that it
    /// has not answered or never got, and those that have come back and wait. It had said nothing for `silence`.
    public mutating func takeOwed(afterSilence silence: Milliseconds) -> [OwedKey] {
        var keys = owed.takeOwed(afterQuiet: silence >= timing.quiet).map { OwedKey.unanswered($0.key, $0.ticket) }
        while let held, let first = held.keys.first {
            let index = first.ticket.flatMap { ticket in keys.firstIndex { ticket < $0.ticket } }
            keys.insert(.held(first.event, first.ticket), at: index ?? (first.ticket == nil ? 0 : keys.endIndex))
            _ = takeKey()
        }
        return keys
    }

    /// Whether a composition that the method has cleared is to be kept as text, if the method is gone now: it may have been about to
    /// commit it. It had said nothing for `silence`. To be asked before ``takeOwed(afterSilence:)``.
    public func keepsCleared(afterSilence silence: Milliseconds) -> Bool {
        owed.keepsCleared(afterQuiet: silence >= timing.quiet)
    }

    /// Whether a commit of what the method has cleared may be on its way.
    func mayCommitCleared(at now: Milliseconds) -> Bool { keepsCleared(afterSilence: now - lastTraffic) }

    /// What was cleared is not the user's text any more: the composition was ended otherwise.
    mutating func forgetClearing() { owed.forgetClearing() }

    /// A key that is typed plainly because the method is gone.
    public enum OwedKey: Hashable, Sendable {
        /// The method has not said anything of it.
        case unanswered(KeyEvent, KeyTicket)
        /// It came back, and waited.
        case held(InputMethodEvent, KeyTicket?)

        var ticket: KeyTicket {
            switch self {
            case .unanswered(_, let ticket): ticket
            case .held(_, let ticket): ticket ?? KeyTicket(rawValue: 0)
            }
        }
    }

    /// The focus has come: nothing has been heard since.
    mutating func focusCame() { hasHeard = false }

    /// No reset will be answered any more.
    mutating func forgetResets() { epochs.pendingResets = [] }

    /// The keys of this epoch and those before it are answered.
    mutating func forgetFlights(through epoch: Int) {
        flights.removeAll { $0.epoch <= epoch }
    }

    /// The epoch whose text a commit may repeat: the one before this, until the method has ended its composition as well.
    public func epochOfLateCommit(at now: Milliseconds) -> Int? {
        epochs.mayRepeatEarlier(at: now, timing) ? epoch - 1 : nil
    }

    /// A commit has repeated the text of an earlier epoch.
    mutating func absorbedCommit(of epoch: Int) { epochs.committed(in: epoch) }

    /// Whether no answer to a key is to be expected any more. A server works on one key at a time: while it answers
    /// others, this one's turn is still to come.
    func isLost(_ flight: Flight, _ now: Milliseconds) -> Bool {
        !traits.reportsQuiet && now - max(flight.sentAt, lastAnswer) >= timing.doubt
    }
}
