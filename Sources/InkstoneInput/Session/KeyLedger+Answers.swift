import InkstoneBase

/// The assignment of answers to keys and epochs.
extension KeyLedger {
    /// The state of the last composition's end.
    struct Ending {
        /// The key that the clearing of a preedit was counted for.
        var cleared: (key: KeyTicket, typesText: Bool)?
        /// The whole preedit as it was last drawn, and the one that a draw has removed since.
        var shown: String?
        var removed: String?
    }

    /// Records an answer and returns its destination. Pass answers in the order in which they arrive.
    package mutating func destination(of event: InputMethodEvent, at now: Milliseconds) -> Destination {
        if isResetPending, !traits.reportsQuiet, now - max(epochs.resetSentAt, lastAnswer) >= timing.response {
            forgetResets()
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
            let count = flights.count
            defer { if flights.count < count { lastSettled = now } }
            return destination(ofKey: key, ticket)
        case .resetReply:
            owed.forgetClearing()
            guard let ended = epochs.takeReply(at: now) else { return .current }
            if traits.reportsQuiet { forgetFlights(through: ended) }
            return .epoch(ended)
        case .preeditDraw(let draw): return destination(of: draw, at: now)
        case .commit: return destinationOfCommit(at: now)
        case .preeditDone:
            // Some methods end a composition without clearing it.
            guard let shown = ending.shown else { return destination(at: now) }
            let length = shown.unicodeScalars.count
            return destination(of: PreeditDraw(caret: 0, changeFirst: 0, changeLength: length, text: nil), at: now)
        case .preeditStart, .preeditCaret:
            return destination(at: now)
        case .pause(let last), .quiet(let last):
            if case .quiet = event {
                // Servers merge the output of several keys, so the last answer may be for all keys sent before it,
                // and these do not count as silent.
                silent += flights.filter {
                    $0.ticket <= last && isOut($0) && $0.typesText && $0.sentAt > lastAnswer
                }
                flights.removeAll { $0.ticket <= last }
                owed.settle(through: last)
            }
            for index in flights.indices where flights[index].ticket <= last { flights[index].isHeard = true }
            held?.noAnswerFollows(at: now)
            return .current
        }
    }

    private mutating func destination(of draw: PreeditDraw, at now: Milliseconds) -> Destination {
        let hasText = !(draw.text ?? "").isEmpty
        let isNothing = !hasText && draw.changeLength <= 0
        if !isNothing { lastAnswer = now }
        let length = max(ending.shown?.unicodeScalars.count ?? 0, 1)
        let clears = !hasText && draw.changeFirst <= 0 && draw.changeLength >= length
        let endsSyllable = owed.grammar.hasCommittedCleared
        let begins = owed.drawn(hasText: hasText, clears: clears, isNothing: isNothing, at: now, timing)
        let isFresh = hasText && draw.changeFirst <= 0 && draw.changeLength <= 0
        // With some engines ibus removes the composition and shows it again before it changes it: no new composition begins.
        let isShownAgain = isFresh && draw.text == ending.removed && takesBackClearing()
        ending.removed = hasText ? nil : ending.shown
        ending.shown = hasText && draw.changeFirst <= 0 ? draw.text : nil
        if isShownAgain { return destination(at: now) }
        // Keys of this epoch are pending, and a preedit begins while that of the earlier epoch has not ended: it belongs to these keys.
        let isNew = isFresh && epochs.hasKeys && epochs.earlierHasComposition && !isResetPending
        let destination = isNew ? .current : destination(at: now)
        if isFresh, destination == .current {
            compositionOrigin = flights.first { $0.epoch == epoch && isOut($0) }?.ticket
        }
        if hasText {
            // If a key's answers may come after those to the next key (ibus), a syllable's end and the beginning of the next are one answer.
            if begins || !(traits.returnsKeysOutOfTurn && endsSyllable) { hear(destination, now) }
            ending.cleared = nil
        } else if begins {
            // BackSpace or Escape has ended a composition.
            ending.cleared = hear(destination, now, draws: false)
        }
        if case .epoch(let number) = destination {
            if hasText {
                epochs.earlierHasComposition = true
                epochs.drew(in: number)
            }
            // The earlier epoch's text stays at its position.
            owed.forgetClearing()
        } else if hasText {
            epochs.drew(in: nil)
        }
        return destination
    }

    private mutating func destinationOfCommit(at now: Milliseconds) -> Destination {
        let begins = owed.committed(at: now)
        (ending.shown, ending.removed) = (nil, nil)
        let destination = destination(at: now)
        if begins { hear(destination, now, draws: false) }
        if case .epoch(let number) = destination {
            epochs.earlierHasComposition = false
            epochs.committed(in: number)
        }
        return destination
    }

    /// Whether a returned key was typed before the present composition began. Servers (ibus) return keys out of
    /// order: the key with which the composition seemed to begin cannot have begun it if it is returned.
    package func precedesComposition(_ ticket: KeyTicket) -> Bool {
        compositionOrigin.map { ticket <= $0 } ?? false
    }

    private mutating func note(_ progress: InputMethodProgress) {
        if case .returned(let ticket) = progress {
            owed.returned(ticket, isPress: true, isInTurn: !traits.returnsKeysOutOfTurn)
        } else {
            owed.note(progress)
        }
    }

    /// Assigns a returned key. All earlier keys are answered, although some servers (ibus) return it before they send the answers.
    private mutating func destination(ofKey key: KeyEvent, _ ticket: KeyTicket?) -> Destination {
        let found: KeyTicket
        if let ticket {
            found = ticket
        } else if key.phase != .up, let first = flights.first(where: { !$0.isHeard }) {
            found = first.ticket
        } else {
            return .current
        }
        // The return of a release is no evidence about the presses before it: if a server wants presses only,
        // releases are returned at once.
        let tells = key.phase != .up
        let epoch = epoch
        if tells {
            hasOvertaken = flights.contains { $0.ticket < found && $0.epoch == epoch && isOut($0) }
            hasOvertakenAll = hasOvertaken && !hasHeard
            hasHeard = true
            silent.removeAll { $0.ticket == found || !traits.returnsKeysOutOfTurn && $0.ticket < found }
            if traits.returnsKeysOutOfTurn, hasOvertaken {
                flights.removeAll { $0.ticket < found && ($0.isHeard || $0.epoch != epoch) }
                if let index = flights.firstIndex(where: { $0.ticket == found }) { flights[index].isReturned = true }
            } else {
                flights.removeAll { $0.ticket <= found }
            }
        }
        let of = epochs.epoch(of: found)
        // A key sent after a reset was returned, so the reply to the reset will not come any more.
        if ticket != nil, tells { epochs.pendingResets.removeAll { $0 < of } }
        return of == epoch ? .current : .epoch(of)
    }

    private func destination(at now: Milliseconds) -> Destination {
        if let first = epochs.pendingResets.first { return .epoch(first) }
        if let first = flights.first(where: { isOut($0) && !isLost($0, now) }),
            first.epoch < epoch
        {
            return .epoch(first.epoch)
        }
        if epochs.mayStillBeHeard(at: now, timing) { return .epoch(epoch - 1) }
        return .current
    }

    /// Counts an answer without a ticket for the oldest unanswered key of its epoch, and returns that key.
    @discardableResult
    private mutating func hear(
        _ destination: Destination, _ now: Milliseconds, draws: Bool = true
    ) -> (key: KeyTicket, typesText: Bool)? {
        lastAnswer = now
        hasHeard = true
        if let index = silent.firstIndex(where: { !$0.isHeard }) { silent[index].isHeard = true }
        let wanted =
            switch destination {
            case .current: epoch
            case .epoch(let number): number
            }
        // A returned key at most ends a composition: a draw is the answer to another key.
        if draws, let first = flights.firstIndex(where: { isOut($0) }) {
            flights[..<first].removeAll(where: \.isReturned)
        }
        guard let index = flights.firstIndex(where: { !$0.isHeard && $0.epoch <= wanted }) else { return nil }
        flights[index].isHeard = true
        lastSettled = now
        return (flights[index].ticket, flights[index].typesText)
    }

    /// Revokes the answer counted for a key when the cleared composition is shown again. Returns false if the count stands, because
    /// the key was one that clears: then this draw is for another key, which composes the same text anew.
    private mutating func takesBackClearing() -> Bool {
        guard let (key, typesText) = ending.cleared else { return true }
        guard typesText else { return false }
        if let index = flights.firstIndex(where: { $0.ticket == key }) { flights[index].isHeard = false }
        return true
    }
}
