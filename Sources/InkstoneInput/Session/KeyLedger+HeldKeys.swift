import InkstoneBase

extension KeyLedger {
    /// Keys that the input method has returned too early: the composition before them was not finished, or had not
    /// even begun.
    struct HeldKeys {
        /// The held keys, in typing order.
        var keys: [(event: InputMethodEvent, ticket: KeyTicket?)] = []
        /// The time at which the keys are typed at the latest, provided that earlier keys have been answered.
        var until: Milliseconds
        /// Whether a composition was shown while the keys were held. If not, the text of earlier keys may still be
        /// committed, and only a time-out shows that no commit will come.
        var hasSeenComposition = false
        /// Whether the first held key, when last checked, had been returned before answers to earlier keys.
        var precedesAnswers = false

        /// Ends the wait of the held keys. Call when the input method has reported that no further answer will come.
        mutating func noAnswerFollows(at now: Milliseconds) {
            precedesAnswers = false
            until = min(until, now)
        }
    }

    /// The decision about a key that the input method has returned unused.
    enum KeyDecision: Hashable {
        /// The key is typed now.
        case type
        /// The key was typed before the present composition began. Insert its text before the composition. If the
        /// client cannot do that, decide again.
        case insertBefore
        /// The key is held: ``takeDueKey(isComposing:at:)`` returns it later.
        case hold
    }

    /// Whether any keys that the input method has returned are held back.
    var holdsKeys: Bool { held != nil }

    /// Decides about a key press that the input method has returned unused. Call after ``destination(of:at:)`` has
    /// recorded it.
    ///
    /// A key that is returned during a composition does not end the composition while the input method has more
    /// output for it. If the key types text, its time matters. If it was typed before the composition began, its
    /// text goes before the composition. If it was typed later, it waits until the composition is finished.
    ///
    /// A command waits too if it has overtaken an answer: for example a BackSpace that follows the one that removes the
    /// last letter. Directly after a focus change, ibus returns a key before it draws the output of earlier keys. Such
    /// a key is held for a short time, in case a composition begins.
    ///
    /// - Parameters:
    ///   - typesText: whether the key inserts text and does nothing else.
    ///   - isComposing: whether the client shows a composition.
    ///   - isMoreKnown: whether later output of the method about the composition has already arrived.
    ///   - composesUnseen: whether the method draws the composition itself.
    func decision(
        on ticket: KeyTicket?, typesText: Bool, isComposing: Bool, isMoreKnown: Bool, composesUnseen: Bool,
        at now: Milliseconds
    ) -> KeyDecision {
        let precedesAnswers = ticket.map { isAwaited(before: $0, at: now) } ?? false
        guard isComposing else {
            if let first = held?.keys.first?.ticket, let ticket, ticket < first, !precedesAnswers { return .type }
            return holdsKeys || precedesAnswers || hasOvertakenAll && !composesUnseen ? .hold : .type
        }
        guard typesText else { return holdsKeys || hasOvertaken ? .hold : .type }
        if let ticket, precedesComposition(ticket) { return .insertBefore }
        return isMoreKnown || holdsKeys || hasOvertaken || hasKeysInFlight(at: now) ? .hold : .type
    }

    /// Holds back a key that the input method has returned: ``takeDueKey(isComposing:at:)`` returns it later.
    mutating func hold(_ event: InputMethodEvent, _ ticket: KeyTicket?, isComposing: Bool, at now: Milliseconds) {
        var held = held ?? HeldKeys(until: now)
        held.until = max(held.until, now + (isComposing ? timing.deferral : timing.quiet))
        held.hasSeenComposition = held.hasSeenComposition || isComposing
        let index = held.keys.firstIndex { other in
            if let ticket, let otherTicket = other.ticket { ticket < otherTicket } else { false }
        }
        held.keys.insert((event, ticket), at: index ?? held.keys.endIndex)
        self.held = held
    }

    /// Whether a commit that comes now is probably the output of a key typed after the held keys: the held keys wait
    /// for no earlier key, and no composition was shown while they were held.
    func isCommitLater(at now: Milliseconds) -> Bool {
        held.map { !$0.hasSeenComposition } ?? false && !precedesAnswers(at: now)
    }

    /// Returns the time at which to call ``takeDueKey(isComposing:at:)`` if no answer comes. Nil if no keys are
    /// held. Also nil if they wait for the input method's report that no more answers will come.
    func heldDeadline(at now: Milliseconds) -> Milliseconds? {
        held.flatMap { precedesAnswers(at: now) ? answersEndAt : $0.until }
    }

    /// Removes and returns the next key to type. Nil if no keys are held, or if an answer that the key waits for may
    /// still come. Each held key waits for the answers to the keys struck before it.
    mutating func takeDueKey(isComposing: Bool, at now: Milliseconds) -> InputMethodEvent? {
        guard held != nil else { return nil }
        if precedesAnswers(at: now) {
            held?.precedesAnswers = true
            return nil
        }
        if held?.precedesAnswers == true {
            held?.precedesAnswers = false
            // The key no longer waits for answers to earlier keys. From now on it waits for the end of the
            // composition, if there is one.
            held?.until = isComposing ? now + timing.deferral : now
        }
        if let until = held?.until, until > now {
            if isComposing {
                // The composition that the key has overtaken may have only just begun. Wait for its end.
                if held?.hasSeenComposition == false {
                    held?.hasSeenComposition = true
                    held?.until = now + timing.deferral
                }
                return nil
            }
            guard held?.hasSeenComposition == true else { return nil }
        }
        return takeKey()
    }

    /// Removes and returns the next key to type, without waiting any longer; nil if no key is held.
    mutating func takeKey() -> InputMethodEvent? {
        guard held != nil else { return nil }
        let key = held?.keys.removeFirst()
        if held?.keys.isEmpty == true { held = nil }
        return key?.event
    }

    /// Whether the input method returned the first held key although keys typed before it are still unanswered. A short
    /// silence does not prove that no answers will come: a busy server may be silent for longer between two answers.
    func precedesAnswers(at now: Milliseconds) -> Bool {
        held?.keys.first?.ticket.map { isAwaited(before: $0, at: now) } ?? false
    }
}
