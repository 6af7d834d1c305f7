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

    private struct Flight {
        var ticket: KeyTicket
        var sentAt: Milliseconds
        var epoch: Int
        var typesText: Bool
        /// An answer without a ticket was counted for it.
        var isHeard = false
        /// It has come back before the answers to those before it. What it does to the composition is still to come.
        var isReturned = false
    }

    /// How the last composition ended: a commit, a clearing and the next beginning are one answer if they belong together.
    private struct Ending {
        /// When a commit was last counted for a key, and when the clearing of a preedit was: the two come together for one key.
        var commitHeardAt: Milliseconds = -.infinity
        var clearHeardAt: Milliseconds = -.infinity
        /// When a commit came for which a clearing had been counted.
        var joinedCommitAt: Milliseconds = -.infinity
        /// What is shown has been committed: it is still to be cleared.
        var isClearDue = false
        /// The key that the clearing of a preedit was counted for.
        var cleared: (key: KeyTicket, typesText: Bool)?
        /// The whole preedit as it was drawn last, and the one that a draw has taken away since.
        var shown: String?
        var removed: String?
    }

    /// The times in use.
    public var timing: InputTiming
    /// Whether there is a method to send keys to.
    public var isEngaged = true
    /// How the method answers.
    public var traits = InputMethodTraits()
    /// The number of the present epoch.
    public private(set) var epoch = 0

    private var flights: [Flight] = []
    private var nextTicket: UInt64 = 1
    private var lastTraffic: Milliseconds = -.infinity
    /// When an answer to some key came last.
    private var lastAnswer: Milliseconds = -.infinity
    /// First ticket of each epoch that answers may still name, oldest first.
    private var epochStarts: [(epoch: Int, firstTicket: UInt64)] = [(0, 1)]
    /// Epochs whose reset has not been answered, oldest first.
    private var pendingResets: [Int] = []
    private var resetSentAt: Milliseconds = -.infinity
    private var repliedAt: Milliseconds = -.infinity
    private var ending = Ending()
    private var keySentInEpoch = false
    private var earlierHasComposition = false
    /// The key that the present composition began with, as far as can be told: the oldest that had drawn no answer.
    private var compositionOrigin: KeyTicket?
    /// Whether the key that came back last has overtaken the answer to one before it.
    private(set) var hasOvertaken = false
    /// Whether the key that came back last was the first answer of all since the focus came or the epoch began, and not to the
    /// first key.
    private(set) var hasOvertakenAll = false
    private var hasHeard = false
    /// Keys that have come back and wait; nil if none does.
    var held: HeldKeys?
    /// What is to be typed if the server goes.
    private var owed = OwedKeys()

    /// No keys.
    public init(timing: InputTiming = InputTiming()) {
        self.timing = timing
    }

    /// Whether a reset has not been answered yet.
    public var isResetPending: Bool { !pendingResets.isEmpty }

    /// Whether keys of this epoch have been sent.
    public var hasSentKeys: Bool { keySentInEpoch }

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

    private func isOut(_ flight: Flight) -> Bool { !flight.isHeard && !flight.isReturned }

    /// Whether a key may be sent now: not so soon after a reset that it could be taken for one before it.
    public func mayForward(at now: Milliseconds) -> Bool { !isEngaged || now >= settledAt }

    /// Whether something else that the user has done may be performed now. It has waited `since` nothing stood before it.
    public func mayPerform(_ kind: InputItemKind, since: Milliseconds, at now: Milliseconds) -> Bool {
        guard kind.waitsForKeys, isEngaged, flights.contains(where: { $0.epoch == epoch }) else { return true }
        if traits.reportsQuiet, kind.waitsForQuiet { return now >= performDeadline(kind, since: since) }
        let isSave = kind == .save
        // While answers come, a save goes on waiting: no later key is sent before it.
        return now >= (isSave ? max(since, lastAnswer) + timing.saveLimit : since + timing.limit)
            || now >= lastTraffic + timing.quiet && !(isSave && unheardUntil != nil)
    }

    /// When a key that ``mayForward(at:)`` holds back may go.
    public var forwardDeadline: Milliseconds { settledAt }

    /// When to ask ``mayPerform(_:since:at:)`` again, if nothing comes from the method before.
    public func performDeadline(_ kind: InputItemKind, since: Milliseconds) -> Milliseconds {
        if traits.reportsQuiet, kind.waitsForQuiet { return max(since, lastTraffic) + timing.saveLimit }
        return kind == .save
            ? min(unheardUntil ?? lastTraffic + timing.quiet, max(since, lastAnswer) + timing.saveLimit)
            : min(lastTraffic + timing.quiet, since + timing.limit)
    }

    /// When the first key that has drawn no answer counts as lost; nil if all have drawn one.
    private var unheardUntil: Milliseconds? {
        flights.filter { $0.epoch == epoch && isOut($0) }.map { max($0.sentAt, lastAnswer) + timing.doubt }.min()
    }

    /// When keys may follow a reset.
    private var settledAt: Milliseconds {
        let limit = resetSentAt + timing.limit
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
            keySentInEpoch = true
        }
        return ticket
    }

    /// Time has passed. `isSaving`: something waits that has to come after every key, even with a slow method.
    public mutating func pass(to now: Milliseconds, isSaving: Bool = false) {
        guard !traits.reportsQuiet else { return }
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
        let ended = epoch
        epoch += 1
        owed.forgetClearing()
        epochStarts.append((epoch, nextTicket))
        if epochStarts.count > 16 { epochStarts.removeFirst() }
        keySentInEpoch = false
        hasHeard = false
        earlierHasComposition = hadComposition
        if expectsReply {
            pendingResets.append(ended)
            resetSentAt = now
            lastTraffic = now
        }
        return ended
    }

    /// The method is gone or starts anew: nothing is on its way any more, nothing will be answered.
    public mutating func methodWasLost() {
        flights = []
        pendingResets = []
        resetSentAt = -.infinity
        lastTraffic = -.infinity
        lastAnswer = -.infinity
        repliedAt = -.infinity
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

    /// What was cleared is not the user's text any more: the composition was ended otherwise, or the user has gone on elsewhere.
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
    mutating func forgetResets() { pendingResets = [] }

    /// The keys of this epoch and those before it are answered.
    mutating func forgetFlights(through epoch: Int) {
        flights.removeAll { $0.epoch <= epoch }
    }

    /// Takes note of an answer and says where it belongs. Answers are passed in the order in which they arrive.
    public mutating func destination(of event: InputMethodEvent, at now: Milliseconds) -> Destination {
        if isResetPending, !traits.reportsQuiet, now - max(resetSentAt, lastAnswer) >= timing.response {
            pendingResets = []
        }
        if case .progress(let progress) = event {
            note(progress)
            return .current
        }
        lastTraffic = max(lastTraffic, now)
        switch event {
        case .progress: return .current
        case .key(let key, let ticket):
            if let ticket {
                owed.returned(ticket, isPress: key.phase != .up, isInTurn: !traits.returnsKeysOutOfTurn)
            }
            if key.phase != .up { lastAnswer = now }
            return destination(ofKey: key, ticket)
        case .resetReply:
            guard !pendingResets.isEmpty else { return .current }
            repliedAt = now
            let ended = pendingResets.removeFirst()
            if traits.reportsQuiet { forgetFlights(through: ended) }
            return .epoch(ended)
        case .preeditDraw(let draw):
            lastAnswer = now
            let hasText = !(draw.text ?? "").isEmpty
            let length = max(ending.shown?.unicodeScalars.count ?? 0, 1)
            let clears = !hasText && draw.changeFirst <= 0 && draw.changeLength >= length
            owed.drawn(hasText: hasText, clears: clears, at: now, timing)
            let isFresh = hasText && draw.changeFirst <= 0 && draw.changeLength <= 0
            // With some engines ibus takes the composition away and shows it again before it changes it: no other one begins.
            let isShownAgain = isFresh && draw.text == ending.removed && takesBackClearing()
            ending.removed = hasText ? nil : ending.shown
            ending.shown = hasText && draw.changeFirst <= 0 ? draw.text : nil
            if isShownAgain { return destination(at: now) }
            // Keys of this epoch are out, and a preedit begins while that of the earlier one has not ended: it is theirs.
            let isNew = isFresh && keySentInEpoch && earlierHasComposition && pendingResets.isEmpty
            let destination = isNew ? .current : destination(at: now)
            if isFresh, destination == .current {
                compositionOrigin = flights.first { $0.epoch == epoch && isOut($0) }?.ticket
            }
            if hasText {
                // With a syllable's end comes the beginning of the next, all for one key.
                let isSameAnswer = traits.returnsKeysOutOfTurn && now - ending.joinedCommitAt <= joining
                if !isSameAnswer { hear(destination, now) }
                ending.joinedCommitAt = -.infinity
                ending.cleared = nil
            } else if draw.changeLength > 0, !ending.isClearDue, now - ending.commitHeardAt > joining {
                // BackSpace or Escape has ended a composition.
                ending.cleared = hear(destination, now, draws: false)
                ending.clearHeardAt = now
            }
            if hasText || draw.changeLength > 0 {
                ending.isClearDue = false
                ending.commitHeardAt = -.infinity
            }
            if case .epoch = destination {
                if hasText { earlierHasComposition = true }
                // That text stays where it stands.
                owed.forgetClearing()
            }
            return destination
        case .commit:
            owed.committed(at: now)
            ending.isClearDue = ending.shown != nil
            (ending.shown, ending.removed) = (nil, nil)
            let destination = destination(at: now)
            if now - ending.clearHeardAt > joining {
                hear(destination, now, draws: false)
                ending.commitHeardAt = now
            } else {
                ending.joinedCommitAt = now
            }
            ending.clearHeardAt = -.infinity
            if case .epoch = destination { earlierHasComposition = false }
            return destination
        case .preeditStart, .preeditCaret, .preeditDone:
            return destination(at: now)
        case .pause(let last), .quiet(let last):
            if case .quiet = event {
                flights.removeAll { $0.ticket <= last }
                owed.settle(through: last)
            }
            for index in flights.indices where flights[index].ticket <= last { flights[index].isHeard = true }
            (ending.commitHeardAt, ending.clearHeardAt, ending.joinedCommitAt) = (-.infinity, -.infinity, -.infinity)
            held?.noAnswerFollows(at: now)
            return .current
        }
    }

    /// Whether a key that came back was typed before the present composition began. Servers (ibus) give keys back out of
    /// order: the key that the composition seemed to begin with cannot have begun it if it comes back.
    public func precedesComposition(_ ticket: KeyTicket) -> Bool {
        compositionOrigin.map { ticket <= $0 } ?? false
    }

    /// The epoch whose text a late commit may still repeat: the one before this, for ``InputTiming/late`` after its reset.
    public func epochOfLateCommit(at now: Milliseconds) -> Int? {
        epoch > 0 && now - max(repliedAt, resetSentAt) < timing.late ? epoch - 1 : nil
    }

    // MARK: Inside

    private mutating func note(_ progress: InputMethodProgress) {
        if case .returned(let ticket) = progress {
            owed.returned(ticket, isPress: true, isInTurn: !traits.returnsKeysOutOfTurn)
        } else {
            owed.note(progress)
        }
    }

    /// All keys before one that comes back are done with, although some servers (ibus) give it back before they say so.
    private mutating func destination(ofKey key: KeyEvent, _ ticket: KeyTicket?) -> Destination {
        let found: KeyTicket
        if let ticket {
            found = ticket
        } else if key.phase != .up, let first = flights.first(where: { !$0.isHeard }) {
            found = first.ticket
        } else {
            return .current
        }
        // A release tells nothing of the presses before it: where a server asks for presses only, releases come back at once.
        let tells = key.phase != .up
        if tells {
            hasOvertaken = flights.contains { $0.ticket < found && $0.epoch == epoch && isOut($0) }
            hasOvertakenAll = hasOvertaken && !hasHeard
            hasHeard = true
            if traits.returnsKeysOutOfTurn, hasOvertaken {
                flights.removeAll { $0.ticket < found && ($0.isHeard || $0.epoch != epoch) }
                if let index = flights.firstIndex(where: { $0.ticket == found }) { flights[index].isReturned = true }
            } else {
                flights = flights.filter { $0.ticket > found }
            }
        }
        let of = epochStarts.last { $0.firstTicket <= found.rawValue }?.epoch ?? epoch
        // A key sent after a reset has come back: the reply is not to come any more.
        if ticket != nil, tells { pendingResets.removeAll { $0 < of } }
        return of == epoch ? .current : .epoch(of)
    }

    private func destination(at now: Milliseconds) -> Destination {
        if let first = pendingResets.first { return .epoch(first) }
        if let first = flights.first(where: { isOut($0) && !isLost($0, now) }),
            first.epoch < epoch
        {
            return .epoch(first.epoch)
        }
        if epoch > 0, !keySentInEpoch, now - repliedAt < timing.late { return .epoch(epoch - 1) }
        return .current
    }

    /// For so long a clearing and a commit that follow each other are one answer. Where the method will say when it is done, they are
    /// as long as nothing comes between them: what is counted once too seldom is waited for until then, and no longer.
    private var joining: Milliseconds { traits.reportsQuiet ? .greatestFiniteMagnitude : timing.clearing }

    /// Whether no answer to a key is to be expected any more. A server works on one key at a time: while it answers
    /// others, this one's turn is still to come.
    private func isLost(_ flight: Flight, _ now: Milliseconds) -> Bool {
        !traits.reportsQuiet && now - max(flight.sentAt, lastAnswer) >= timing.doubt
    }

    /// Counts an answer without a ticket for the oldest key of its epoch that had none, and returns that.
    @discardableResult
    private mutating func hear(
        _ destination: Destination, _ now: Milliseconds, draws: Bool = true
    ) -> (key: KeyTicket, typesText: Bool)? {
        lastAnswer = now
        hasHeard = true
        let wanted =
            switch destination {
            case .current: epoch
            case .epoch(let number): number
            }
        // A key given back ends a composition at most: what is drawn is the answer to another.
        if draws, let first = flights.firstIndex(where: { isOut($0) }) {
            flights[..<first].removeAll(where: \.isReturned)
        }
        guard let index = flights.firstIndex(where: { !$0.isHeard && $0.epoch <= wanted }) else { return nil }
        flights[index].isHeard = true
        return (flights[index].ticket, flights[index].typesText)
    }

    /// What has been cleared is shown again: that has not answered the key which it was counted for. False if it has, because
    /// the key was one that clears: then this is for another key, which makes the same of nothing.
    private mutating func takesBackClearing() -> Bool {
        guard let (key, typesText) = ending.cleared else { return true }
        guard typesText else { return false }
        if let index = flights.firstIndex(where: { $0.ticket == key }) { flights[index].isHeard = false }
        return true
    }
}
