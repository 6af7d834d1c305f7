public import InkstoneBase
import InkstoneText

/// What the input method's answers come to, and what stands in the text when it goes.
extension InputSession {
    /// Answers, in the order in which they arrived. Those that came together are given together: then what is cleared
    /// and committed at once does not flicker.
    ///
    /// While an asynchronous client has a key they wait, and are judged when their turn comes: by what is composed then.
    public func receive(_ events: [InputMethodEvent]) {
        guard !events.isEmpty else { return }
        asCurrent {
            if holdsAnswers { heldAnswers.append(.events(events[...])) } else { deliver(events[...]) }
            run()
        }
    }

    /// Delivers the answers that have waited, as far as the client may have them.
    func deliverHeldAnswers() {
        while activeContext?.keyEntries?.isBusy != true, !heldAnswers.isEmpty {
            switch heldAnswers.removeFirst() {
            case .events(let events): deliver(events)
            case .loss(let silence): loseLink(afterSilence: silence)
            }
        }
    }

    private func deliver(_ events: ArraySlice<InputMethodEvent>) {
        batch += 1
        let context = activeContext
        let lastOfComposition = events.lastIndex(where: \.isOfComposition) ?? -1
        let deliverAll = { [self] in
            for (index, event) in zip(events.indices, events) {
                record(.event(event, batch: batch))
                let destination = ledger.destination(of: event, at: clock())
                if case .progress = event { continue }
                // What was composed unseen is committed by now: no answer to an earlier key is left.
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

    /// What the program begins to compose itself by a command: it is for the caret, whatever the method still has to say of earlier keys.
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

    /// The method died or was given up, after it had said nothing for `silence`. What it composed stays as text; the keys that it has
    /// not answered are typed where they belong, before anything that waited for them is done.
    public func linkWasLost(afterSilence silence: Milliseconds) {
        if holdsAnswers { heldAnswers.append(.loss(afterSilence: silence)) } else { loseLink(afterSilence: silence) }
    }

    private func loseLink(afterSilence silence: Milliseconds) {
        asCurrent {
            recordLink(silence: silence)
            let keepsCleared = ledger.keepsCleared(afterSilence: silence)
            activeContext?.keepMarkedText(withCleared: keepsCleared)
            if keepsCleared { anchors.forEach { $0.keepCleared() } }
            let owed = ledger.takeOwed(afterSilence: silence)
            ledger.methodWasLost()
            let context = activeContext
            let typeAll = { [self] in
                for key in owed {
                    switch key {
                    case .held(let event, _): activeContext?.receive(event)
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

    /// `isMoreKnown`: what the method has to say of a composition after this is known already.
    private func deliver(
        _ event: InputMethodEvent, _ destination: KeyLedger.Destination, isMoreKnown: Bool = false
    ) {
        switch destination {
        case .current:
            // What is composed now is what the method commits, although it may read like what it was told to forget.
            if case .commit(let text) = event, activeContext?.composes(text) != true,
                let epoch = ledger.epochOfLateCommit(at: clock()),
                anchors.last(where: { $0.epoch == epoch })?.absorb(text) ?? false
            {
                ledger.absorbedCommit(of: epoch)
                return
            }
            if case .key(let key, let ticket) = event, isHeld(key, ticket, event, isMoreKnown) { return }
            if case .commit = event, ledger.isCommitLater(at: clock()) { typeHeldKeys() }
            activeContext?.receive(event)
        case .epoch(let number):
            if let late = anchors.last(where: { $0.epoch == number }) {
                let start = late.ends?.start
                late.receive(event)
                if let start {
                    for later in anchors where later.epoch > number { later.stay(behind: late, from: start) }
                }
            } else if event.isKey {
                activeContext?.receive(event)
            }
        }
    }

    /// Whether a key that has come back is not to be typed now, by what the ledger knows of those before it.
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
            // A client that takes no text there.
            decision = ledger.decision(
                on: nil, typesText: true, isComposing: true, isMoreKnown: isMoreKnown, composesUnseen: false,
                at: clock())
        }
        guard decision == .hold else { return false }
        ledger.hold(event, ticket, isComposing: context.isComposing, at: clock())
        return true
    }

    func typeDueKeys() {
        guard ledger.held != nil else { return }
        while let key = ledger.takeDueKey(isComposing: activeContext?.isComposing ?? false, at: clock()) {
            activeContext?.receive(key)
        }
    }

    /// Types what waits, whatever it waits for.
    func typeHeldKeys() {
        guard ledger.held != nil else { return }
        while let key = ledger.takeKey() { activeContext?.receive(key) }
    }
}
