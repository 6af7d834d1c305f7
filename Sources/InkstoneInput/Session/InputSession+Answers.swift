import InkstoneBase
import InkstoneText

/// The handling of the input method's answers, and of the loss of the method.
extension InputSession {
    /// Handles answers, in the order in which they arrived. Pass answers that came together in one call: the client
    /// then gets one call for all changes of the preedit between two keys or commits.
    ///
    /// While an asynchronous client is handling a key, the answers wait. They are assigned to keys only when their
    /// turn comes, according to the composition at that time.
    package func receive(_ events: [InputMethodEvent]) {
        guard !events.isEmpty else { return }
        asCurrent {
            if holdsAnswers { heldAnswers.append(.events(events[...])) } else { deliver(events[...]) }
            run()
        }
    }

    /// Handles the link's own answers. Each call that handles an event does so at its end; call this method after other
    /// events, such as a change of the focus.
    package func receiveOwnAnswers() { asCurrent { if deliverOwnAnswers() { run() } } }

    /// Delivers the link's own answers, to keys that it has not sent to an input method. Returns whether there were
    /// any.
    func deliverOwnAnswers() -> Bool {
        guard !isEnded, let link else { return false }
        var answers: [InputMethodEvent] = []
        swap(&answers, &answerRoom)
        link.takeOwnAnswers(&answers)
        let hasAnswers = !answers.isEmpty
        if hasAnswers {
            if holdsAnswers { heldAnswers.append(.events(answers[...])) } else { deliver(answers[...]) }
            answers.removeAll(keepingCapacity: true)
        }
        answerRoom = answers
        return hasAnswers
    }

    /// Delivers the held answers, as long as no asynchronous client is busy with a key.
    func deliverHeldAnswers() {
        while activeContext?.keyEntries?.isBusy != true, !heldAnswers.isEmpty {
            switch heldAnswers.removeFirst() {
            case .events(let events): deliver(events)
            case .loss(let loss, let keys): loseLink(loss, keys)
            }
        }
    }

    private func deliver(_ events: ArraySlice<InputMethodEvent>) {
        batch += 1
        let context = activeContext
        let lastOfComposition = events.lastIndex(where: \.isOfComposition) ?? -1
        let deliverAll = { [self] in
            for (index, event) in zip(events.indices, events) {
                record(.event(recorded(event), batch: batch))
                let destination = ledger.destination(of: event, at: clock())
                if case .stamp = event { continue }
                // An input method that draws its compositions itself commits their text before it replies to the reset.
                // So expect no more answers to keys of the ended epoch.
                if case .resetReply = event, case .epoch(let ended) = destination, link?.composesUnseen ?? false {
                    ledger.forgetFlights(through: ended)
                }
                deliver(event, destination, isMoreKnown: index < lastOfComposition)
                typeDueKeys()
                guard activeContext?.keyEntries?.isBusy == true else { continue }
                let rest = events[(index + 1)...]
                if !rest.isEmpty { heldAnswers.insert(.events(rest), at: 0) }
                return
            }
        }
        if let context { context.batch(deliverAll) } else { deliverAll() }
    }

    /// Applies the events of a composition that a command of the program has begun: typing a character by its code. It
    /// is shown at the caret, even if answers to earlier keys are pending.
    package func receiveOwn(_ events: [InputMethodEvent]) {
        guard let activeContext else { return }
        asCurrent {
            batch += 1
            activeContext.beginComposition(by: .characterCode)
            activeContext.batch {
                for event in events {
                    record(.event(event, batch: batch))
                    activeContext.receive(event)
                }
            }
        }
    }

    /// Handles the loss of an input method that died or was given up. Its composition stays as text. `keys` are the
    /// keys that it has not answered: they are typed at their original positions, before the queue entries that waited
    /// for them are performed. While an asynchronous client is handling a key, the loss waits in order with the
    /// answers.
    package func linkWasLost(_ loss: InputMethodLoss, owing keys: [KeyEvent]) {
        if holdsAnswers { heldAnswers.append(.loss(loss, keys)) } else { loseLink(loss, keys) }
    }

    private func loseLink(_ loss: InputMethodLoss, _ keys: [KeyEvent]) {
        asCurrent {
            recordLink(loss)
            let keepsCleared = loss.keepsCleared && ledger.clearing != nil
            activeContext?.keepMarkedText(withCleared: keepsCleared)
            if keepsCleared { anchors.forEach { $0.keepCleared() } }
            let owed = ledger.takeOwed(loss, keys)
            ledger.methodWasLost()
            let context = activeContext
            let typeAll = { [self] in
                for key in owed {
                    switch key {
                    case .held(let event, _): pass(event)
                    case .unanswered(let key, let ticket):
                        for event in link?.answersOfItsOwn(to: key, ticket: ticket) ?? [.key(key, ticket)] {
                            deliver(event, ledger.destination(of: event, at: clock()))
                        }
                    }
                }
                typeHeldKeys()
            }
            if let context { context.batch(typeAll) } else { typeAll() }
            ledger.methodWasLost()
            anchors = []
            linkDidChange()
        }
    }

    /// Delivers one answer.
    ///
    /// - Parameter isMoreKnown: whether later output of the input method about the composition has already arrived.
    private func deliver(
        _ event: InputMethodEvent, _ destination: KeyLedger.Destination, isMoreKnown: Bool = false
    ) {
        switch destination {
        case .current:
            // A commit may repeat the text that the input method was asked to discard. Such a commit has no effect.
            // But if it equals the text of the present composition, it is the commit of that composition.
            if case .commit(let text) = event, activeContext?.composes(text) != true,
                let epoch = ledger.epochOfLateCommit(at: clock()),
                anchors.last(where: { $0.epoch == epoch })?.absorb(text) ?? false
            {
                ledger.absorbedCommit(of: epoch)
                return
            }
            if case .key(let key, let ticket) = event, isHeld(key, ticket, event, isMoreKnown) { return }
            if case .commit = event, ledger.isCommitLater(at: clock()) { typeHeldKeys() }
            pass(event)
        case .epoch(let number):
            if isForProgram(event), wasStruckHere(event) {
                pass(event)
            } else if let late = anchors.last(where: { $0.epoch == number }) {
                let start = late.ends?.start
                late.receive(event)
                if let start {
                    for later in anchors where later.epoch > number { later.stay(behind: late, from: start) }
                }
            } else if event.isKey {
                pass(event)
            }
        }
    }

    /// Returns whether the caller must not type a key now that the input method has returned: its text was inserted
    /// before the composition, or the ledger holds the key until the keys before it are finished.
    private func isHeld(
        _ key: KeyEvent, _ ticket: KeyTicket?, _ event: InputMethodEvent, _ isMoreKnown: Bool
    ) -> Bool {
        guard let context = activeContext, key.phase != .up, !key.keysym.isModifier else { return false }
        let text = context.plainText(of: key)
        let (isComposing, isUnseen, now) = (context.isComposing, link?.composesUnseen ?? false, clock())
        var decision = ledger.decision(
            on: ticket, typesText: text != nil, isComposing: isComposing, isMoreKnown: isMoreKnown,
            composesUnseen: isUnseen, at: now)
        if decision == .insertBefore {
            if let text, context.insertBeforeComposition(text) { return true }
            // The client cannot insert text before the composition. So decide as for a key that was typed after it.
            decision = ledger.decision(
                on: nil, typesText: true, isComposing: true, isMoreKnown: isMoreKnown, composesUnseen: false,
                at: clock())
        }
        // If the program has an action for the key, hold the key during a composition. The action needs the
        // finished text. A server like ibus may send the commit only after it has returned the key.
        if context.isComposing, ledger.traits.returnsKeysOutOfTurn, isForProgram(event), wasStruckHere(event) {
            decision = .hold
        }
        guard decision == .hold else { return false }
        ledger.hold(event, ticket, isComposing: context.isComposing, at: clock())
        return true
    }

    func typeDueKeys() {
        guard ledger.held != nil else { return }
        while let key = ledger.takeDueKey(isComposing: activeContext?.isComposing ?? false, at: clock()) {
            pass(key)
        }
    }

    /// Types all keys that the ledger holds back, without waiting any longer.
    func typeHeldKeys() {
        guard ledger.held != nil else { return }
        while let key = ledger.takeKey() { pass(key) }
    }

    // MARK: Keys of the program

    /// Passes an answer to the active context. If it is a key that the program has an action for, passes it to the
    /// program instead. The program gets the key in its turn: after the answers to the keys before it, which may
    /// have moved the focus.
    private func pass(_ event: InputMethodEvent) {
        guard let link, case .key(let key, _) = event, isForProgram(event) else {
            activeContext?.receive(event, inTurn: false)
            return
        }
        // If the focus has moved since the key was struck, drop the key. For example, it must not answer a prompt
        // that has got the focus.
        guard wasStruckHere(event) else { return }
        activeContext?.flush()
        if activeContext?.isComposing == true {
            activeContext?.receive(event)
        } else {
            link.performForProgram(key)
        }
    }

    private func isForProgram(_ event: InputMethodEvent) -> Bool {
        guard let link, case .key(let key, _) = event, key.phase != .up, !key.keysym.isModifier else { return false }
        return link.isForProgram(key)
    }

    private func wasStruckHere(_ event: InputMethodEvent) -> Bool {
        guard case .key(_, let ticket?) = event else { return true }
        return ticket >= firstTicket
    }

    /// Whether a returned key that the program has an action for waits until the shown composition ends. If so, later
    /// input waits too.
    var holdsProgramKey: Bool {
        guard let held = ledger.held, activeContext?.isComposing == true, !ledger.precedesAnswers(at: clock()) else {
            return false
        }
        return held.keys.contains { isForProgram($0.event) }
    }

    /// Returns an answer in the form in which the trace records it. A replay has no program that could act on a key. So
    /// a key on which the program acts is recorded as a modifier key, which counts as an answer and types nothing.
    private func recorded(_ event: InputMethodEvent) -> InputMethodEvent {
        guard case .key(var key, let ticket) = event, isForProgram(event),
            ledger.traits.returnsKeysOutOfTurn || activeContext?.isComposing != true
        else { return event }
        (key.keysym, key.characters) = (0xffe1, "")
        return .key(key, ticket)
    }
}
