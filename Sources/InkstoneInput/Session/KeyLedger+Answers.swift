import InkstoneBase

/// The assignment of answers to keys and epochs.
extension KeyLedger {
    /// Records an answer and returns its destination. Pass answers in the order in which they arrive.
    package mutating func destination(of event: InputMethodEvent, at now: Milliseconds) -> Destination {
        if isResetPending, !traits.reportsQuiet, now - max(epochs.resetSentAt, lastAnswer) >= timing.response {
            forgetResets()
        }
        if case .stamp(let next) = event {
            stamp = next
            return .current
        }
        lastTraffic = max(lastTraffic, now)
        switch event {
        case .stamp: return .current
        case .key(let key, let ticket):
            if key.phase != .up {
                lastAnswer = now
                if !traits.returnsKeysOutOfTurn, let ticket { forgetClearing(through: ticket) }
            }
            let count = flights.count
            defer { if flights.count < count { lastProgress = now } }
            return destination(ofKey: key, ticket)
        case .resetReply:
            clearing = nil
            guard let ended = epochs.takeReply(at: now) else { return .current }
            if traits.reportsQuiet { forgetFlights(through: ended) }
            return .epoch(ended)
        case .preeditDraw(let draw): return destination(of: draw, at: now)
        case .commit:
            clearing = nil
            let destination = destination(at: now)
            takeStamp(at: now)
            if case .epoch(let number) = destination {
                epochs.earlierHasComposition = false
                epochs.committed(in: number)
            }
            return destination
        case .preeditDone:
            // Some input methods end a composition without clearing it first, so the end itself may be the answer to a
            // key.
            let destination = destination(at: now)
            takeStamp(at: now)
            if destination != .current { clearing = nil }
            return destination
        case .preeditStart, .preeditCaret:
            return destination(at: now)
        case .pause(let last), .quiet(let last):
            if case .quiet = event {
                // Servers merge the output of several keys: the last answer may be for all keys sent before it. So
                // count as silent only keys sent later.
                silent += flights.filter {
                    $0.ticket <= last && !$0.isAnswered && $0.typesText && $0.sentAt > lastAnswer
                }
                flights.removeAll { $0.ticket <= last }
                forgetClearing(through: last)
            }
            for index in flights.indices where flights[index].ticket <= last { flights[index].isAnswered = true }
            held?.noAnswerFollows(at: now)
            return .current
        }
    }

    private mutating func destination(of draw: PreeditDraw, at now: Milliseconds) -> Destination {
        let hasText = !(draw.text ?? "").isEmpty
        if hasText || draw.changeLength > 0 { lastAnswer = now }
        if hasText { clearing = nil }
        // Some engines make ibus remove a composition and show it again unchanged, all as one answer to a key. The
        // second draw comes without a stamp that names a key. So it does not count as a new composition.
        let isFresh = hasText && draw.changeFirst <= 0 && draw.changeLength <= 0 && stamp != nil
        // A preedit that begins afresh cannot be an update of the earlier epoch's unfinished preedit. So it is the
        // answer to keys of the present epoch, if any were sent, unless a reset is unanswered: then it may be the
        // answer to earlier keys.
        let isNew = isFresh && epochs.hasKeys && epochs.earlierHasComposition && !isResetPending
        let destination = isNew ? .current : destination(at: now)
        if isFresh, destination == .current {
            compositionOrigin = flights.first { $0.epoch == epoch && !$0.isAnswered }?.ticket
        }
        takeStamp(at: now)
        if case .epoch(let number) = destination {
            if hasText {
                epochs.earlierHasComposition = true
                epochs.drew(in: number)
            }
            // Do not wait for a commit of the earlier epoch's preedit: even if the preedit is cleared, its text
            // stays at its position.
            clearing = nil
        } else if hasText {
            epochs.drew(in: nil)
        }
        return destination
    }

    /// Whether a key that the input method has returned was typed before the present composition began. Servers such as
    /// ibus return keys out of order. If the key with which the composition seemed to begin is returned, the
    /// composition cannot have begun with it.
    package func precedesComposition(_ ticket: KeyTicket) -> Bool {
        compositionOrigin.map { ticket <= $0 } ?? false
    }

    /// Returns the destination of a key that the input method has returned. If the key is a press, all earlier keys
    /// count as answered, except keys of this epoch that a server such as ibus may still answer after it has returned a
    /// later key.
    private mutating func destination(ofKey key: KeyEvent, _ ticket: KeyTicket?) -> Destination {
        let found: KeyTicket
        if let ticket {
            found = ticket
        } else if key.phase != .up, let first = flights.first(where: { !$0.isAnswered }) {
            found = first.ticket
        } else {
            return .current
        }
        // The return of a release does not show that the presses before it are answered: a server that handles only
        // presses returns releases at once.
        let marksEarlier = key.phase != .up
        let epoch = epoch
        if marksEarlier {
            hasOvertaken = flights.contains { $0.ticket < found && $0.epoch == epoch && !$0.isAnswered }
            hasOvertakenAll = hasOvertaken && !hasAnswer
            hasAnswer = true
            silent.removeAll { $0.ticket == found || !traits.returnsKeysOutOfTurn && $0.ticket < found }
            let precedesAnswers = traits.returnsKeysOutOfTurn && hasOvertaken
            flights.removeAll {
                precedesAnswers && $0.ticket < found ? $0.isAnswered || $0.epoch != epoch : $0.ticket <= found
            }
        }
        let of = epochs.epoch(of: found)
        // If a returned key was sent after a reset, the reply to that reset will not come any more.
        if ticket != nil, marksEarlier { epochs.pendingResets.removeAll { $0 < of } }
        return of == epoch ? .current : .epoch(of)
    }

    private func destination(at now: Milliseconds) -> Destination {
        if let first = epochs.pendingResets.first { return .epoch(first) }
        if let first = flights.first(where: { !$0.isAnswered && !isLost($0, now) }),
            first.epoch < epoch
        {
            return .epoch(first.epoch)
        }
        if epochs.mayStillBeAnswered(at: now, timing) { return .epoch(epoch - 1) }
        return .current
    }

    /// Marks the key to which the present answer belongs as answered, and removes ``stamp``, which names that key. Does
    /// nothing if the answer came without a stamp.
    private mutating func takeStamp(at now: Milliseconds) {
        guard let stamp else { return }
        self.stamp = nil
        (lastAnswer, hasAnswer) = (now, true)
        if let half = stamp.half { clearing = half }
        if let index = silent.firstIndex(where: { !$0.isAnswered }) { silent[index].isAnswered = true }
        guard let index = flights.firstIndex(where: { $0.ticket == stamp.key && !$0.isAnswered }) else { return }
        flights[index].isAnswered = true
        lastProgress = now
    }

    /// Records that the input method will not commit text any more that it has cleared in answer to this key or an
    /// earlier one.
    private mutating func forgetClearing(through ticket: KeyTicket) {
        if let clearing, clearing <= ticket { self.clearing = nil }
    }
}
