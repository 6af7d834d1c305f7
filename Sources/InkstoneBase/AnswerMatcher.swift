/// The matcher of a server's answers with the keys of a window: the only place that infers which key an answer is
/// for.
///
/// Asynchronous servers never report that they have finished with a key, so the matcher infers it. If keys are
/// returned in turn, a returned press settles the presses before it. Each preedit change or commit that begins an
/// answer settles one press, the oldest. A query is sent after each key, and the server replies to it in turn:
/// output that arrives before the reply is not for keys sent after the query.
///
/// Servers merge the output for several keys (ibus), so fewer changes may come than there were keys. Therefore a
/// key is also presumed answered when the reply to the query after it and some output have come since the key was
/// sent, in either order, and then no more output for a moment. The moment is needed for servers that defer keys
/// until their SYNC is answered, but do not defer queries (fcitx5). No key of a server is presumed answered once
/// the server has sent output for a key after such a moment, or for several keys one after another: under load,
/// such a server may take seconds for a burst of keys, which would all be lost if it died meanwhile.
///
/// The clearing of a composition is the whole answer to BackSpace or Escape. For any other key it is half of an
/// answer: some servers clear a composition and then commit its text (ibus with Hangul, uim, nabi), in two
/// messages. Until the second message has come, or the server is quiet, the key is owed, and the cleared text still
/// counts as the user's.
///
/// Each press has two independent properties. It is *owed* if it is to be typed should the server die; when in
/// doubt, a press counts as owed. It is *open* if its answer is waited for before the next request; once the server
/// has been silent about a press for long, the press is not open any more (``stopWaiting()``). A settled press may
/// be returned nevertheless: a space ends a Hangul syllable, whose commit settles the space, and is then returned.
/// Releases are never owed or open: they type nothing, and prove nothing about their presses, because ibus returns
/// them before the output of the presses.
package struct AnswerMatcher: Hashable, Sendable {
    private struct Entry: Hashable {
        var ticket: KeyTicket
        var key: KeyEvent
        var isOpen = true
    }

    /// The number of latest presses that are always kept. When there are twice as many, the earlier ones that are
    /// presumed answered are forgotten.
    private static let limit = 4096

    /// A composition that was cleared, with no message from the server since.
    private struct Clearing: Hashable {
        /// The press that the clearing seems to be for, unless it has been returned; nil if none was pending.
        var press: Entry?
        /// The ticket of ``press``, or of the last press that was sent.
        var ticket: KeyTicket
        /// The first open key that clears compositions, such as BackSpace; nil for none. The clearing may be
        /// the answer to this key.
        var clearingKey: KeyTicket?
    }

    /// The owed presses, in typing order.
    private var entries: [Entry] = []
    /// The grammar of the answers so far.
    package private(set) var grammar = AnswerGrammar()
    /// The last key and the last press that were sent; 0 and nil for none.
    private var given = KeyTicket(rawValue: 0)
    private var givenPress: Entry?
    /// The last sent key at the time of the pending query, of the last answered query, and of the last output.
    private var asked: KeyTicket?
    private var taken = KeyTicket(rawValue: 0)
    private var spokenFor = KeyTicket(rawValue: 0)
    /// The last key that is presumed answered: the server has read all keys up to it, and sent output since.
    private var presumed = KeyTicket(rawValue: 0)
    private var lastWord: Milliseconds = -.infinity
    /// Whether output came after the server had read the last press. A server that had finished with the press by
    /// then would have sent none.
    private var hasSpokenSince = false
    /// The number of answers that have begun since the last query was answered.
    private var answersSinceTaken = 0
    /// Whether this server answers queries long before it has finished with the keys: more output came for a key
    /// after a moment of silence, or output for several keys one after another.
    private var lags = false
    private var clearing: Clearing?
    /// The last returned press.
    private var returned = KeyTicket(rawValue: 0)
    /// The press that the current answer is for, and the last key that is not waited for any more; 0 for none.
    package private(set) var answered = KeyTicket(rawValue: 0)
    private var closed = KeyTicket(rawValue: 0)

    /// A matcher without keys.
    package init() {}

    // MARK: The open presses

    /// The number of open presses.
    package var openCount: Int { entries.count(where: \.isOpen) }

    /// Whether a press is open.
    package var hasOpen: Bool { entries.contains(where: \.isOpen) }

    /// The oldest open press; nil for none.
    package var firstOpen: KeyTicket? { entries.first(where: \.isOpen)?.ticket }

    /// Whether the server may still be at work on a key.
    package func isOpen(_ ticket: KeyTicket, isPress: Bool) -> Bool {
        isPress ? entries.contains { $0.ticket == ticket && $0.isOpen } : ticket > closed
    }

    /// Whether there is an open press that the server may not have read yet.
    package var hasUntaken: Bool { entries.contains { $0.isOpen && $0.ticket > taken } }

    /// Whether an open press has been sent with no query after it.
    package var wantsQuery: Bool { asked == nil && hasUntaken }

    /// Whether a press was returned while an earlier press is still open, so the returned one may have overtaken
    /// it.
    package var hasOvertaken: Bool { firstOpen.map { $0 < returned } ?? false }

    /// Whether a composition was cleared, and it is still open whether a commit of its text follows.
    package var isClearing: Bool { clearing != nil }

    /// Stops waiting for the keys that the server had read when it answered the last query: for a long time since,
    /// the server has sent no output for them.
    package mutating func stopWaiting() { close(through: taken) }

    private mutating func close(through ticket: KeyTicket) {
        closed = max(closed, ticket)
        for index in entries.indices where entries[index].ticket <= ticket { entries[index].isOpen = false }
    }

    // MARK: Facts

    /// Adds a key that was passed on to be sent to the server.
    package mutating func add(_ key: KeyEvent, _ ticket: KeyTicket) {
        guard key.phase != .up else { return }
        if entries.count >= 2 * Self.limit {
            entries.removeFirst(entries.prefix(Self.limit).prefix { $0.ticket <= presumed }.count)
        }
        let entry = Entry(ticket: ticket, key: key)
        entries.append(entry)
        // If the input method sends no delivery reports, `given` stays 0: count every key as delivered.
        if given.rawValue == 0 { givenPress = entry }
    }

    /// Records a progress report of the connection.
    package mutating func note(_ progress: InputMethodProgress) {
        switch progress {
        case .sent(let ticket):
            given = max(given, ticket)
            guard let entry = entries.last(where: { $0.ticket == ticket }) else { return }
            // The next message begins the answer to this key; but not if a composition has just been cleared,
            // because the message then belongs to the clearing.
            if clearing == nil, firstOpen == ticket { grammar.beginAnew() }
            givenPress = entry
            hasSpokenSince = false
        case .asked: asked = given
        case .taken:
            guard let asked else { return }
            taken = asked
            self.asked = nil
            hasSpokenSince = false
            answersSinceTaken = 0
            presumed = max(presumed, min(taken, spokenFor))
        case .returned(let ticket): returned(ticket, isPress: true, isInTurn: false)
        }
    }

    /// Records a returned key. `isInTurn`: whether the server sent the output for all earlier keys before it
    /// returned this one.
    package mutating func returned(_ ticket: KeyTicket, isPress: Bool, isInTurn: Bool) {
        if isPress {
            grammar.beginAnew()
            returned = max(returned, ticket)
        }
        if let clearing {
            if isPress, isInTurn, ticket >= clearing.ticket { self.clearing = nil }
            if ticket == clearing.press?.ticket { self.clearing?.press = nil }
        }
        // If the key is missing, it was settled together with earlier ones, or something other than the server
        // returned it.
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return }
        entries.remove(at: index)
        if isPress, isInTurn { remove(through: ticket) }
    }

    /// Records a preedit change. Returns whether the change begins the answer to another key. Changes caused by a
    /// reset or a lost focus have no text, and are the answer to no key.
    ///
    /// `clears`: whether the change removes the whole composition. `isNothing`: whether the preedit stays the same,
    /// so that the change is the answer to no key.
    @discardableResult
    package mutating func drawn(
        hasText: Bool, clears: Bool, isNothing: Bool = false, at now: Milliseconds, _ timing: InputTiming
    ) -> Bool {
        let isAfterQuiet = now - lastWord >= timing.quiet
        if hasText { clearing = nil }
        let before = clears ? clearingBegun : nil
        let begins = !isNothing && grammar.draws(hasText: hasText)
        if begins {
            if let before { clearing = before }
            if settleOne(), hasText, isAfterQuiet, hasSpokenSince { lags = true }
        }
        noteWord(at: now)
        return begins
    }

    /// Records a commit. Returns whether it begins the answer to another key.
    @discardableResult
    package mutating func committed(at now: Milliseconds) -> Bool {
        clearing = nil
        let begins = grammar.commits()
        if begins { settleOne() }
        noteWord(at: now)
        return begins
    }

    /// Settles the keys up to this one, because the server has no more output for them.
    package mutating func settle(through ticket: KeyTicket) {
        if let clearing, clearing.ticket <= ticket { self.clearing = nil }
        remove(through: ticket)
    }

    /// Forgets cleared text that must not be kept: the user has ended the composition, or moved elsewhere.
    package mutating func forgetClearing() { clearing = nil }

    // MARK: The owed presses

    /// Whether to keep a cleared composition as text, if the server dies now: the server may have been about to
    /// commit the text.
    package func keepsCleared(afterQuiet: Bool) -> Bool {
        clearing.map { $0.clearingKey.map { $0 > settled(afterQuiet) } ?? true } ?? false
    }

    /// Removes all owed keys, after the server has died. Returns the keys that it had not answered, including those
    /// that it never received.
    ///
    /// `afterQuiet`: whether the server had been silent for a moment. If not, it was still sending answers, and no
    /// key is presumed answered.
    package mutating func takeOwed(afterQuiet: Bool) -> [(ticket: KeyTicket, key: KeyEvent)] {
        defer {
            (entries, asked, clearing) = ([], nil, nil)
            (lags, hasSpokenSince) = (false, false)
            presumed = given
            grammar.beginAnew()
        }
        let settled = settled(afterQuiet)
        var owed = entries.filter { $0.ticket > settled }
        if keepsCleared(afterQuiet: afterQuiet), let press = clearing?.press,
            !owed.contains(where: { $0.ticket == press.ticket })
        {
            owed.insert(press, at: owed.firstIndex { $0.ticket > press.ticket } ?? owed.endIndex)
        }
        return owed.map { ($0.ticket, $0.key) }
    }

    private func settled(_ afterQuiet: Bool) -> KeyTicket { afterQuiet && !lags ? presumed : KeyTicket(rawValue: 0) }

    /// The state for a composition that is being cleared; nil if the clearing is a complete answer, because the key
    /// that it answers is one that clears compositions.
    private var clearingBegun: Clearing? {
        let presses = entries.filter { $0.ticket <= limit }
        let trusted = settled(true)
        let open = presses.filter { $0.ticket > trusted }
        let press = open.first ?? presses.last
        guard let first = press ?? givenPress else { return Clearing(ticket: given) }
        if first.key.clearsComposition { return nil }
        return Clearing(
            press: press, ticket: first.ticket, clearingKey: open.first { $0.key.clearsComposition }?.ticket)
    }

    private mutating func remove(through ticket: KeyTicket) {
        closed = max(closed, ticket)
        entries.removeAll { $0.ticket <= ticket }
    }

    /// The last key to which output that arrives now may belong. Without delivery reports, every key counts as
    /// delivered.
    private var limit: KeyTicket { asked ?? (given.rawValue > 0 ? given : KeyTicket(rawValue: .max)) }

    /// Counts a new answer for the oldest press. Returns false if no press was delivered.
    @discardableResult
    private mutating func settleOne() -> Bool {
        let limit = limit
        guard let press = entries.first, press.ticket <= limit else { return false }
        // The answer ends the wait for the oldest open press. But only the oldest owed press is settled: if that is
        // an earlier one, which is not waited for any more, the open press stays owed in its stead.
        let open = entries.first { $0.isOpen && $0.ticket <= limit } ?? press
        answered = open.ticket
        close(through: open.ticket)
        remove(through: press.ticket)
        answersSinceTaken += 1
        if answersSinceTaken > 1, let next = entries.first, next.ticket <= taken { lags = true }
        return true
    }

    private mutating func noteWord(at now: Milliseconds) {
        lastWord = now
        spokenFor = given
        presumed = max(presumed, taken)
        hasSpokenSince = taken >= givenPress?.ticket ?? KeyTicket(rawValue: 0)
    }
}
