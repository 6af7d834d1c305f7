import InkstoneBase

extension KeyLedger {
    /// Keys that were returned before the composition that they followed was finished, or begun.
    struct HeldKeys {
        /// The held keys, in typing order.
        var keys: [(event: InputMethodEvent, ticket: KeyTicket?)] = []
        /// The latest time at which the keys are typed, once earlier keys have been answered.
        var until: Milliseconds
        /// Whether a composition was seen since; if not, the keys may wait for a commit, which only a time-out can rule out.
        var hasSeenComposition = false
        /// Whether, at the last check, the first key still waited for answers to earlier keys.
        var isAhead = false

        /// Ends the wait, because the awaited answer has come, or will not come any more.
        mutating func noAnswerFollows(at now: Milliseconds) {
            isAhead = false
            until = min(until, now)
        }
    }

    /// The decision about a returned key.
    enum KeyDecision: Hashable {
        /// The key is typed now.
        case type
        /// The key was typed before the present composition began, and goes before it; if the client cannot insert there, decide again.
        case insertBefore
        /// The key is held: ``takeDueKey(isComposing:at:)`` returns it later.
        case hold
    }

    /// Whether returned keys are held.
    var holdsKeys: Bool { held != nil }

    /// Decides about a returned press, after ``destination(of:at:)`` has recorded it.
    ///
    /// A key returned during a composition does not end it as long as the method has more output: one that types
    /// text and was typed earlier goes before it, one that was typed later waits until it is finished, and so does a
    /// command that has overtaken an answer, such as BackSpace after the one that removes the last letter. Right after a focus change,
    /// ibus returns a key before it draws the output of earlier keys: that key waits for a short time for a composition.
    ///
    /// - Parameters:
    ///   - typesText: whether the key inserts text and does nothing else.
    ///   - isComposing: whether the client shows a composition.
    ///   - isMoreKnown: whether the method's later output about the composition is known already.
    ///   - composesUnseen: whether the method draws the composition itself.
    func decision(
        on ticket: KeyTicket?, typesText: Bool, isComposing: Bool, isMoreKnown: Bool, composesUnseen: Bool,
        at now: Milliseconds
    ) -> KeyDecision {
        let isAhead = ticket.map { isAwaited(before: $0, at: now) } ?? false
        guard isComposing else {
            if let first = held?.keys.first?.ticket, let ticket, ticket < first, !isAhead { return .type }
            return holdsKeys || isAhead || hasOvertakenAll && !composesUnseen ? .hold : .type
        }
        guard typesText else { return holdsKeys || hasOvertaken ? .hold : .type }
        if let ticket, precedesComposition(ticket) { return .insertBefore }
        return isMoreKnown || holdsKeys || hasOvertaken || hasKeysInFlight(at: now) ? .hold : .type
    }

    /// Holds a returned key.
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

    /// Whether a commit is rather for a later key than for those that the held keys wait for: only a composition is waited for.
    func isCommitLater(at now: Milliseconds) -> Bool {
        held.map { !$0.hasSeenComposition } ?? false && !isAhead(at: now)
    }

    /// Returns the time at which ``takeDueKey(isComposing:at:)`` is to be called if no answer comes.
    func heldDeadline(at now: Milliseconds) -> Milliseconds? {
        held.flatMap { isAhead(at: now) ? answersEndAt : $0.until }
    }

    /// Removes and returns the next key to type, if its awaited answer has come, or will not come any more. Each key has its own wait.
    mutating func takeDueKey(isComposing: Bool, at now: Milliseconds) -> InputMethodEvent? {
        guard held != nil else { return nil }
        if isAhead(at: now) {
            held?.isAhead = true
            return nil
        }
        if held?.isAhead == true {
            held?.isAhead = false
            // The key has waited for answers to earlier keys: from now on it waits for the end of the composition.
            held?.until = isComposing ? now + timing.deferral : now
        }
        if let until = held?.until, until > now {
            if isComposing {
                // The key has overtaken a composition: wait for its end.
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

    /// Removes and returns the next key to type, whatever it waits for.
    mutating func takeKey() -> InputMethodEvent? {
        guard held != nil else { return nil }
        let key = held?.keys.removeFirst()
        if held?.keys.isEmpty == true { held = nil }
        return key?.event
    }

    /// Whether the first held key has overtaken answers that are still to come. A short silence is no evidence against it:
    /// a busy server on a busy machine is silent for longer between two answers.
    func isAhead(at now: Milliseconds) -> Bool {
        held?.keys.first?.ticket.map { isAwaited(before: $0, at: now) } ?? false
    }
}
