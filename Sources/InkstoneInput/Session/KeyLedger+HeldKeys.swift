import InkstoneBase

extension KeyLedger {
    /// Keys that came back before the composition which they followed was finished, or begun.
    struct HeldKeys {
        /// In the order in which they were typed.
        var keys: [(event: InputMethodEvent, ticket: KeyTicket?)] = []
        /// When they are typed at the latest, once the keys before them have been answered.
        var until: Milliseconds
        /// Whether something was composed since; if nothing was, what they wait for may be a commit, and only time tells.
        var hasSeenComposition = false
        /// Whether the first of them still waited for answers to keys before it when that was looked at last.
        var isAhead = false

        /// What they wait for has come, or will not come any more.
        mutating func noAnswerFollows(at now: Milliseconds) {
            isAhead = false
            until = min(until, now)
        }
    }

    /// What becomes of a key that has come back.
    enum KeyDecision: Hashable {
        /// It is typed.
        case type
        /// It was typed before the present composition began, if that takes text in front of it; else as `otherwise` says.
        case insertBefore
        /// It is held: ``takeDueKey(isComposing:at:)`` gives it out.
        case hold
    }

    /// Whether a key waits that has come back.
    var holdsKeys: Bool { held != nil }

    /// Decides about a press that came back, after ``destination(of:at:)`` took note of it.
    ///
    /// One that comes back in the middle of a composition does not end it as long as the method has more to say: one that types
    /// text and was typed before goes before it, one that was typed after waits until it is finished, and so does a
    /// command that has overtaken an answer, such as BackSpace after the one that takes the last letter away. When the focus
    /// has just come, ibus gives a key back before it draws anything of those before it: that key waits a moment for a composition.
    ///
    /// - Parameters:
    ///   - typesText: whether it inserts text and does nothing else.
    ///   - isComposing: whether the client shows a composition.
    ///   - isMoreKnown: what the method has to say of the composition after this key is known already.
    ///   - composesUnseen: the method draws the composition itself.
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

    /// Holds a key that has come back.
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

    /// Whether a commit is rather for a later key than for what the held ones wait for: only a composition is waited for.
    func isCommitLater(at now: Milliseconds) -> Bool {
        held.map { !$0.hasSeenComposition } ?? false && !isAhead(at: now)
    }

    /// When ``takeDueKey(isComposing:at:)`` is to be asked if nothing comes.
    func heldDeadline(at now: Milliseconds) -> Milliseconds? {
        held.flatMap { isAhead(at: now) ? answersEndAt : $0.until }
    }

    /// The next key to type, where what it waits for has come, or will not come any more. Each waits for its own.
    mutating func takeDueKey(isComposing: Bool, at now: Milliseconds) -> InputMethodEvent? {
        guard held != nil else { return nil }
        if isAhead(at: now) {
            held?.isAhead = true
            return nil
        }
        if held?.isAhead == true {
            held?.isAhead = false
            // It has waited for others: for the end of the composition it waits from now on.
            held?.until = isComposing ? now + timing.deferral : now
        }
        if let until = held?.until, until > now {
            if isComposing {
                // What it has overtaken turns out to be a composition: its end is what it waits for.
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

    /// The next key to type, whatever it waits for.
    mutating func takeKey() -> InputMethodEvent? {
        guard held != nil else { return nil }
        let key = held?.keys.removeFirst()
        if held?.keys.isEmpty == true { held = nil }
        return key?.event
    }

    /// Whether the first of the held keys has overtaken answers that are still to come. A moment's silence is no sign that
    /// they are not: a server with much to do, on a machine with much to do, is silent for longer than that between two.
    func isAhead(at now: Milliseconds) -> Bool {
        held?.keys.first?.ticket.map { isAwaited(before: $0, at: now) } ?? false
    }
}
