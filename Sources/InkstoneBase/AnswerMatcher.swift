/// The matcher of a server's answers with the keys of a window: the only place that infers which key an answer is for.
///
/// Asynchronous servers never report that a key is finished, so it is inferred. A returned press settles the presses before it, if keys
/// are returned in turn, and each preedit change or commit settles one press, the oldest. After each key goes a query, which a server
/// answers in turn: output before the answer does not concern later keys.
///
/// Servers merge the output of several keys (ibus), so fewer changes may come than there were keys. When the answer to the query after
/// a key and some change have come since the key was sent, in either order, and no more output for a moment, the key counts as answered too.
/// The moment is for servers that defer keys until their SYNC is answered, but not queries (fcitx5). A server that has been seen to
/// work on keys for longer than that, or on one after the other, is excluded from this presumption: under load it may take seconds for a
/// burst of keys, and they would all be lost with it.
///
/// The clearing of a composition is the whole answer to BackSpace or Escape. To any other key it is half of one: some servers clear a
/// composition before they commit it (ibus with Hangul, uim, nabi), in two messages. Until the other half has come, or the server is
/// quiet, the key is owed, and the cleared text is the user's.
///
/// Each press is in two states. An *owed* press is typed if the server dies; when in doubt a press counts as owed. An *open* press is waited
/// for before the next request: the server is not waited for any more once it has been silent about a press for long (``stopWaiting()``).
/// A settled press may be returned nevertheless: a space ends a Hangul syllable, which is committed, and is then returned. Releases are
/// neither: they type nothing, and are no evidence, since ibus returns them before the output of their presses.
package struct AnswerMatcher: Hashable, Sendable {
    private struct Entry: Hashable {
        var ticket: KeyTicket
        var key: KeyEvent
        var isOpen = true
    }

    /// The number of presses that are always kept; at twice as many, the oldest that the server has read are forgotten.
    private static let limit = 4096

    /// A composition that was cleared without a message after it.
    private struct Clearing: Hashable {
        /// The press that the clearing seems to be for, unless it has been returned; nil if none was pending.
        var press: Entry?
        /// The ticket of that press, or of the last press that was sent.
        var ticket: KeyTicket
        /// The first sent key that clears compositions: the clearing may be its answer.
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
    /// Whether output came after the server read the last press: had it been finished, there would have been none.
    private var hasSpokenSince = false
    /// The number of answers that have begun since the last query was answered.
    private var answersSinceTaken = 0
    /// Whether this server answers queries long before it has finished the keys: more output came a moment later, or for one key after another.
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

    /// Whether it is unknown if the server has read some open press.
    package var hasUntaken: Bool { entries.contains { $0.isOpen && $0.ticket > taken } }

    /// Whether an open press has been sent with no query after it.
    package var wantsQuery: Bool { asked == nil && hasUntaken }

    /// Whether a press was returned before the answer to an earlier one, as far as that is known.
    package var hasOvertaken: Bool { firstOpen.map { $0 < returned } ?? false }

    /// Whether a composition was cleared and the reason is still to come: its commit may follow.
    package var isClearing: Bool { clearing != nil }

    /// Stops waiting for the keys that the server had read when the last query was answered: it has sent no output for them long after.
    package mutating func stopWaiting() { close(through: taken) }

    private mutating func close(through ticket: KeyTicket) {
        closed = max(closed, ticket)
        for index in entries.indices where entries[index].ticket <= ticket { entries[index].isOpen = false }
    }

    // MARK: Facts

    /// Adds a key that is passed on, to be sent to the server.
    package mutating func add(_ key: KeyEvent, _ ticket: KeyTicket) {
        guard key.phase != .up else { return }
        if entries.count >= 2 * Self.limit {
            entries.removeFirst(entries.prefix(Self.limit).prefix { $0.ticket <= presumed }.count)
        }
        let entry = Entry(ticket: ticket, key: key)
        entries.append(entry)
        // Input methods that send no delivery reports: count every key as delivered.
        if given.rawValue == 0 { givenPress = entry }
    }

    /// Records a progress report of the connection.
    package mutating func note(_ progress: InputMethodProgress) {
        switch progress {
        case .sent(let ticket):
            given = max(given, ticket)
            guard let entry = entries.last(where: { $0.ticket == ticket }) else { return }
            // The message after a clearing does not concern this key.
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

    /// Records a returned key. `isInTurn`: the output of all earlier keys precedes it.
    package mutating func returned(_ ticket: KeyTicket, isPress: Bool, isInTurn: Bool) {
        if isPress {
            grammar.beginAnew()
            returned = max(returned, ticket)
        }
        if let clearing {
            if isPress, isInTurn, ticket >= clearing.ticket { self.clearing = nil }
            if ticket == clearing.press?.ticket { self.clearing?.press = nil }
        }
        // A missing key was settled with earlier ones, or was returned by something other than the server.
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return }
        entries.remove(at: index)
        if isPress, isInTurn { remove(through: ticket) }
    }

    /// Records a preedit change. Returns whether it begins the answer to another key. Changes caused by a reset or a lost focus have no text,
    /// and no key. `clears`: it removes the whole composition; `isNothing`: it changes nothing, and answers no key.
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

    /// Whether to keep a cleared composition as text, if the server dies now: it may have been about to commit it.
    package func keepsCleared(afterQuiet: Bool) -> Bool {
        clearing.map { $0.clearingKey.map { $0 > settled(afterQuiet) } ?? true } ?? false
    }

    /// Removes and returns the keys that the server has not answered before it died, including those that it never received. `afterQuiet`: it
    /// had been silent for a moment; while answers come, no key is presumed answered.
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

    /// The state for a composition that is being cleared; nil if the clearing is a complete answer, because its key clears compositions.
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

    /// The last key that output at this time may be for. Without delivery reports, every key counts as delivered.
    private var limit: KeyTicket { asked ?? (given.rawValue > 0 ? given : KeyTicket(rawValue: .max)) }

    /// Counts a new answer for the oldest press. Returns false if there is none.
    @discardableResult
    private mutating func settleOne() -> Bool {
        let limit = limit
        guard let press = entries.first, press.ticket <= limit else { return false }
        // The answer ends the wait for the oldest open press; an older press of which nothing was said stays owed in its stead.
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
