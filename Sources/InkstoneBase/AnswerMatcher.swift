/// The matcher of a server's answers with the keys of a window. No other code infers which key an answer is for.
///
/// Asynchronous servers never report that they have finished with a key, so the matcher infers it. If a server returns
/// keys in turn, a returned press marks the presses before it as answered. Each preedit change or commit that begins an
/// answer marks one press as answered, the oldest. Queries are sent after keys, and the server replies to queries in
/// their order. Output that arrives before the reply to a query is not for keys sent after the query.
///
/// Servers merge the output for several keys (ibus), so there may be fewer changes than keys. Therefore a key is
/// also presumed answered when three things have happened since it was sent: the reply to a query after it has
/// come; some output has come, before or after that reply; then no more output has come for a moment. The moment is
/// needed for servers that defer keys until their SYNC is answered, but do not defer queries (fcitx5).
///
/// But once a server has sent output for a key after such a moment, or for several keys one after another, none of
/// its keys is presumed answered any more. Under load, such a server may take seconds for a burst of keys. All of
/// them would be lost if it died meanwhile.
///
/// The clearing of a composition is the whole answer to BackSpace or Escape. For any other key it is half of an
/// answer: some servers clear a composition and then commit its text (ibus with Hangul, uim, nabi), in two
/// messages. Until the second message has come, or the server is quiet, the key is owed, and the cleared text still
/// counts as the user's.
///
/// Each press has two independent properties. A press is *owed* if it must be typed should the server die; when in
/// doubt, a press counts as owed. A press is *open* if its answer is waited for before the next request. Once the
/// server has been silent about a press for long, the press is not open any more (``stopWaiting()``).
///
/// A press that is marked as answered may be returned nevertheless. For example, a space ends a Hangul syllable; the
/// commit of the syllable marks the space as answered, and then the space is returned. Releases are never owed or open:
/// they type nothing. They also prove nothing about their presses, because ibus returns them before the output of the
/// presses.
package struct AnswerMatcher: Hashable, Sendable {
    private struct Entry: Hashable {
        var ticket: KeyTicket
        var key: KeyEvent
        var isOpen = true
        var isStamped = false
    }

    /// The number of latest presses that are always kept. When twice as many are stored, earlier ones that are presumed
    /// answered are dropped. If none is, because the server answers nothing, the oldest press is dropped.
    private static let limit = 4096

    /// A composition that was cleared. The server has sent nothing since.
    private struct Clearing: Hashable {
        /// The press that the clearing seems to be for. Nil if no press was pending, or if the press was returned
        /// since.
        var press: Entry?
        /// The ticket of ``press``. If no press was pending, the ticket of the last press that was sent.
        var ticket: KeyTicket
        /// The first press that clears compositions, such as BackSpace, among those not presumed answered; nil for
        /// none. The clearing may be the answer to this press.
        var clearingKey: KeyTicket?
    }

    /// A composition that was cleared: its text, and the last key that may have caused the clearing.
    private struct Removal: Hashable {
        var text: [Unicode.Scalar]
        var key: KeyTicket
    }

    /// Whether the server sends its output for all earlier keys before it returns a key.
    private let isInTurn: Bool
    /// The presses that are to be typed again if the server dies, in typing order. Some of them may be presumed
    /// answered.
    private var entries: [Entry] = []
    private var grammar = AnswerGrammar()
    /// The last key that was sent; 0 for none.
    private var lastSent = KeyTicket(rawValue: 0)
    /// The last press that was sent; nil for none.
    private var lastPress: Entry?
    /// The last key sent before the pending query; nil without a pending query.
    private var lastQueried: KeyTicket?
    /// The last key sent before the query that was answered last: the server has read the keys up to it.
    private var lastConfirmed = KeyTicket(rawValue: 0)
    /// The last key sent before the server's last output.
    private var lastWithOutput = KeyTicket(rawValue: 0)
    /// The last key that is presumed answered. The server has read all keys up to it, and has sent output after they
    /// were sent.
    private var presumedAnswered = KeyTicket(rawValue: 0)
    /// The time of the server's last output.
    private var lastWord: Milliseconds = -.infinity
    /// Whether output has come since the server is known to have read the last press. If so, the server had not
    /// finished with the press when it replied.
    private var hasOutputSince = false
    /// The number of presses that output has marked as answered since the last query was answered.
    private var answersSinceConfirmed = 0
    /// Whether this server replies to queries long before it has finished with the keys. Set when it sends output for a
    /// key after a moment of silence, or output for several keys one after another.
    private var repliesEarly = false
    private var clearing: Clearing?
    /// A composition that was cleared and that the server may show again; nil for none.
    private var removed: Removal?
    /// Whether the last change showed a cleared composition again, unchanged.
    private var isShownAgain = false
    /// The last press that the server returned or refused; 0 for none.
    private var returned = KeyTicket(rawValue: 0)
    /// The presses that were returned before the answers to earlier keys. Their own effects on the composition are
    /// still to come.
    private var overtaking: [KeyTicket] = []
    /// The press that the present answer is for; 0 for none.
    package private(set) var answered = KeyTicket(rawValue: 0)
    /// The last of the keys whose answers are not awaited any more; 0 for none.
    private var closed = KeyTicket(rawValue: 0)

    /// Creates a matcher without keys. `isInTurn`: the server returns a key after the output of all keys before it.
    package init(isInTurn: Bool = true) { self.isInTurn = isInTurn }

    // MARK: The open presses

    /// The number of presses whose answers are waited for.
    package var openCount: Int { entries.count(where: \.isOpen) }

    /// Whether the answer to some press is waited for.
    package var hasOpen: Bool { entries.contains(where: \.isOpen) }

    /// Whether the answer to a key is still waited for.
    package func isOpen(_ ticket: KeyTicket, isPress: Bool) -> Bool {
        isPress ? entries.contains { $0.ticket == ticket && $0.isOpen } : ticket > closed
    }

    /// Whether there is an open press that the server may not have read yet.
    package var hasUnconfirmed: Bool { entries.contains { $0.isOpen && $0.ticket > lastConfirmed } }

    /// Whether a query should be sent: there is an open press that the server may not have read yet, and no query is
    /// pending.
    package var wantsQuery: Bool { lastQueried == nil && hasUnconfirmed }

    /// Whether a press was returned although an earlier press is still open. The returned press may have overtaken
    /// the other.
    package var hasOvertaken: Bool { firstOpen.map { $0 < returned } ?? false }

    /// Whether a composition was cleared, and a commit of its text may still follow.
    package var isClearing: Bool { clearing != nil }

    /// Stops waiting for the keys that the server had read when it last replied to a query. Call when the server
    /// has sent no output for them for a long time.
    package mutating func stopWaiting() { close(through: lastConfirmed) }

    private var firstOpen: KeyTicket? { entries.first(where: \.isOpen)?.ticket }

    private mutating func close(through ticket: KeyTicket) {
        closed = max(closed, ticket)
        for index in entries.prefix(while: { $0.ticket <= ticket }).indices { entries[index].isOpen = false }
    }

    // MARK: Recording keys and the server's messages

    /// Records a key that is sent to the server.
    package mutating func didSend(_ key: KeyEvent, _ ticket: KeyTicket) {
        lastSent = max(lastSent, ticket)
        guard key.phase != .up else { return }
        if entries.count >= 2 * Self.limit {
            entries.removeFirst(entries.prefix(Self.limit).prefix { $0.ticket <= presumedAnswered }.count)
            entries.removeFirst(max(0, entries.count + 1 - 2 * Self.limit))
        }
        // If a composition was just cleared, the next message may be the second half of the same answer. That message
        // must not count as the beginning of an answer to this key.
        if clearing == nil, !hasOpen { grammar.beginAnew() }
        let entry = Entry(ticket: ticket, key: key)
        entries.append(entry)
        lastPress = entry
        hasOutputSince = false
    }

    /// Records that a query was sent to the server, after all keys sent so far.
    package mutating func didAsk() { lastQueried = lastSent }

    /// Records the reply to the query. The server has read the keys sent before the query, but its answers to them
    /// may still be pending.
    package mutating func didAnswer() {
        guard let lastQueried else { return }
        lastConfirmed = lastQueried
        self.lastQueried = nil
        hasOutputSince = false
        answersSinceConfirmed = 0
        presumedAnswered = max(presumedAnswered, min(lastConfirmed, lastWithOutput))
    }

    /// Records that the server returned a key without consuming it.
    package mutating func didReturn(_ ticket: KeyTicket, isPress: Bool) {
        if isPress {
            if !isInTurn, let next = nextIndex, entries[next].ticket < ticket {
                overtaking = overtaking.suffix(2 * Self.limit - 1) + [ticket]
            }
            grammar.beginAnew()
            returned = max(returned, ticket)
            if isInTurn { forgetRemoved() }
        }
        if let clearing {
            if isPress, isInTurn, ticket >= clearing.ticket { self.clearing = nil }
            if ticket == clearing.press?.ticket { self.clearing?.press = nil }
        }
        // The key may not be among the entries, if it was marked as answered earlier, together with other keys.
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return }
        entries.remove(at: index)
        if isPress, isInTurn { remove(through: ticket) }
    }

    /// Records that a key was not sent after all, because the server does not want it. Unlike a returned key, it does
    /// not mark the keys before it as answered.
    package mutating func didRefuse(_ ticket: KeyTicket, isPress: Bool) {
        entries.removeAll { $0.ticket == ticket }
        if isPress { returned = max(returned, ticket) }
    }

    /// Records a change of the preedit from `old` to `new`. Returns a stamp with the key that the change answers. Nil
    /// if the message changes nothing, if it shows a removed composition again, and if it removes text and belongs to
    /// the present answer.
    ///
    /// - Parameters:
    ///   - hasText: whether the message has text. A change caused by a reset or a lost focus has none, and answers
    ///     no key.
    ///   - isNothing: whether the message changes nothing. Such a message answers no key.
    package mutating func didDraw(
        hasText: Bool, from old: [Unicode.Scalar], to new: [Unicode.Scalar], isNothing: Bool = false,
        at now: Milliseconds, _ timing: InputTiming
    ) -> AnswerStamp? {
        let isAfterQuiet = now - lastWord >= timing.quiet
        defer { noteWord(at: now) }
        if hasText { clearing = nil }
        // With some engines, ibus removes the composition and shows it again unchanged before it changes it. All of
        // these messages belong to one answer.
        let wasShownAgain = isShownAgain
        isShownAgain = hasText && old.isEmpty && new == removed?.text
        removed = hasText ? nil : old.isEmpty ? removed : Removal(text: old, key: limit)
        guard !isNothing, !isShownAgain else { return nil }
        let before = hasText || !new.isEmpty ? nil : clearingBegun
        let endsSyllable = grammar.hasCommittedCleared
        guard grammar.draws(hasText: hasText) else {
            // The text may be the answer to the next key. Assign it to that key, but do not mark the key as answered.
            // Assign it to no key if the composition was just shown again unchanged. Nor if the text begins a new
            // syllable and the server may return keys out of turn (ibus): the end of the syllable before is part of the
            // same answer.
            return hasText
                ? AnswerStamp(key: wasShownAgain || !isInTurn && endsSyllable ? nil : stampNext(draws: true)?.ticket)
                : nil
        }
        if let before { clearing = before }
        let press = count(draws: hasText)
        if press.isAnswered, hasText, isAfterQuiet, hasOutputSince { repliesEarly = true }
        // A key that types no text, such as BackSpace or Delete, has removed the text for good. If the same text is
        // drawn later, it is a new composition, not the old one shown again.
        if !hasText, let key = press.stamped?.key, !key.typesText || key.clearsComposition { removed = nil }
        return AnswerStamp(key: press.stamped?.ticket, half: before?.ticket)
    }

    /// Records a commit. Returns a stamp with the key that the commit answers; nil if the commit belongs to the present
    /// answer.
    package mutating func didCommit(at now: Milliseconds) -> AnswerStamp? {
        (clearing, removed, isShownAgain) = (nil, nil, false)
        defer { noteWord(at: now) }
        guard grammar.commits() else { return nil }
        return AnswerStamp(key: count(draws: false).stamped?.ticket)
    }

    /// Marks the keys up to the one with a ticket as answered, because the server has no more output for them.
    package mutating func markAnswered(through ticket: KeyTicket) {
        if let clearing, clearing.ticket <= ticket { self.clearing = nil }
        if let removed, removed.key <= ticket { forgetRemoved() }
        overtaking.removeAll { $0 <= ticket }
        remove(through: ticket)
    }

    /// Forgets a cleared composition whose commit is no longer awaited. Call when the user has ended the composition,
    /// or has moved elsewhere.
    package mutating func forgetClearing() {
        clearing = nil
        forgetRemoved()
    }

    /// Forgets the text of a cleared composition, because the answer that cleared it is complete: if the same text
    /// comes again, it is new.
    private mutating func forgetRemoved() { (removed, isShownAgain) = (nil, false) }

    // MARK: The owed presses

    /// Returns the loss if the server dies now, after it has been silent for `silence`, and the keys whose answers it
    /// owes. If the silence is shorter than ``InputTiming/quiet``, answers may still be coming, and no key is presumed
    /// answered.
    package func loss(
        afterSilence silence: Milliseconds, _ timing: InputTiming
    ) -> (loss: InputMethodLoss, keys: [KeyEvent]) {
        let answeredThrough = answeredThrough(silence >= timing.quiet)
        var owed = entries.filter { $0.ticket > answeredThrough }
        let keepsCleared = clearing.map { $0.clearingKey.map { $0 > answeredThrough } ?? true } ?? false
        var half: KeyTicket?
        if keepsCleared, let press = clearing?.press, !owed.contains(where: { $0.ticket == press.ticket }) {
            owed.insert(press, at: owed.firstIndex { $0.ticket > press.ticket } ?? owed.endIndex)
            half = press.ticket
        }
        let loss = InputMethodLoss(
            silence: silence, owed: owed.map(\.ticket), keepsCleared: keepsCleared, half: half)
        return (loss, owed.map(\.key))
    }

    private func answeredThrough(_ afterQuiet: Bool) -> KeyTicket {
        afterQuiet && !repliesEarly ? presumedAnswered : KeyTicket(rawValue: 0)
    }

    /// The state for a composition that is being cleared. Nil if the clearing is the whole answer, because the key
    /// that it answers clears compositions.
    private var clearingBegun: Clearing? {
        let presses = entries.filter { $0.ticket <= limit }
        let lastAnswered = answeredThrough(true)
        let open = presses.filter { $0.ticket > lastAnswered }
        let press = open.first ?? presses.last
        guard let first = press ?? lastPress else { return Clearing(ticket: lastSent) }
        if first.key.clearsComposition { return nil }
        return Clearing(
            press: press, ticket: first.ticket, clearingKey: open.first { $0.key.clearsComposition }?.ticket)
    }

    private mutating func remove(through ticket: KeyTicket) {
        closed = max(closed, ticket)
        entries.removeFirst(entries.prefix { $0.ticket <= ticket }.count)
    }

    /// The last key that output at this time may be for. While a query is pending, output is not for keys sent
    /// after the query.
    private var limit: KeyTicket { lastQueried ?? lastSent }

    /// Counts an answer that begins. Returns the press that it answers, and whether a press was marked as answered.
    private mutating func count(draws: Bool) -> (stamped: Entry?, isAnswered: Bool) {
        // A returned key that has overtaken other answers can only end the composition, by a commit or a clearing.
        // New text of the preedit is never for such a key.
        if !draws, let first = overtaking.first, nextIndex.map({ first < entries[$0].ticket }) ?? true {
            answered = overtaking.removeFirst()
            return (nil, false)
        }
        return (stampNext(draws: draws), markOldestAnswered())
    }

    /// The index of the oldest press to which no answer was assigned; nil for none. A modifier key only counts if there
    /// is no other press.
    private var nextIndex: Int? {
        let limit = limit
        var modifier: Int?
        for index in entries.indices where !entries[index].isStamped {
            guard entries[index].ticket <= limit else { break }
            guard entries[index].key.keysym.isModifier else { return index }
            modifier = modifier ?? index
        }
        return modifier
    }

    /// Returns the press to which the answer now beginning belongs; nil if there is none. Marks it and all earlier
    /// presses as assigned to an answer.
    private mutating func stampNext(draws: Bool) -> Entry? {
        guard let next = nextIndex else { return nil }
        if draws { overtaking.removeAll { $0 < entries[next].ticket } }
        for index in entries[...next].indices { entries[index].isStamped = true }
        return entries[next]
    }

    /// Marks the oldest press without an answer as answered. Returns false if there is none.
    private mutating func markOldestAnswered() -> Bool {
        let limit = limit
        guard let press = entries.first, press.ticket <= limit else { return false }
        // The answer ends the wait for the oldest press that is still waited for. Presses that are waited for no longer
        // may precede it: then the oldest of these is marked as answered, and the press that was really answered stays
        // owed.
        let open = entries.first { $0.isOpen && $0.ticket <= limit } ?? press
        answered = open.ticket
        close(through: open.ticket)
        remove(through: press.ticket)
        answersSinceConfirmed += 1
        if answersSinceConfirmed > 1, let next = entries.first, next.ticket <= lastConfirmed { repliesEarly = true }
        return true
    }

    private mutating func noteWord(at now: Milliseconds) {
        lastWord = now
        lastWithOutput = lastSent
        presumedAnswered = max(presumedAnswered, lastConfirmed)
        hasOutputSince = lastConfirmed >= lastPress?.ticket ?? KeyTicket(rawValue: 0)
    }
}
