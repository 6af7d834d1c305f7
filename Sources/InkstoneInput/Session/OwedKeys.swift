import InkstoneBase

/// What a server still owes: the keys that are typed plainly if it goes.
///
/// Asynchronous servers never say that a key is done, so it is inferred. A press that comes back settles those before it, where keys
/// come back in turn, and each preedit change or commit settles one press, the oldest. Behind each key goes a query, which a server
/// answers in its turn: what it says before the answer is not about later keys.
///
/// Servers merge what several keys change (ibus), so fewer changes may come than there were keys. When the answer to the query behind
/// a key and some change have come since it was sent, in either order, and nothing more for a moment, the key counts as answered too. The
/// moment is for servers that put keys by until the SYNC that they sent is answered, and queries not (fcitx5). One that has been seen to
/// work on keys for longer than that, or on one after the other, is not trusted so far: under load a burst of keys may be with it for
/// seconds, and they would all be lost with it.
///
/// The clearing of a composition is the whole answer to BackSpace or Escape. To any other key it is half of one: some servers clear a
/// composition before they commit it (ibus with Hangul, uim, nabi), in two messages. Until the other half has come, or the server is
/// quiet, the key is owed, and what was cleared is the user's text.
///
/// When in doubt a key counts as owed. A settled key may come back all the same: a space ends a Hangul syllable, which is committed, and
/// is then given back. Releases tell nothing, since ibus gives them back before what their presses do, and type nothing: they are not kept.
struct OwedKeys {
    private struct Entry {
        var ticket: KeyTicket
        var key: KeyEvent
    }

    /// The number of presses that are kept in any case; of twice as many, the oldest that the server has taken are forgotten.
    private static let limit = 4096

    /// A composition was cleared, and nothing has followed.
    private struct Clearing {
        /// The press that it was for, as far as can be told, unless that has come back; nil if none was out.
        var press: Entry?
        /// That press, or the last that the server had been given.
        var ticket: KeyTicket
        /// The first key that clears and that the server had been given as well: the clearing may be for that.
        var clearingKey: KeyTicket?
    }

    /// The presses that are not settled, in the order in which they were typed.
    private var entries: [Entry] = []
    private(set) var grammar = AnswerGrammar()
    /// The last key, and the last press, that the server has been given. 0: none.
    private var given = KeyTicket(rawValue: 0)
    private var givenPress: Entry?
    /// The last key given at the time of the query that is on its way, of the last one answered, and of the last word.
    private var asked: KeyTicket?
    private var taken = KeyTicket(rawValue: 0)
    private var spokenFor = KeyTicket(rawValue: 0)
    /// Of keys up to this one the server has taken all, and said something since.
    private var presumed = KeyTicket(rawValue: 0)
    private var lastWord: Milliseconds = -.infinity
    /// Whether something has been said since the server took the last press: had it been done, there would be no more to say.
    private var hasSpokenSince = false
    /// How many answers have begun since the last query was answered.
    private var answersSinceTaken = 0
    /// This server answers queries long before it is done with the keys: more was said a moment later, or of one key after the other.
    private var lags = false
    private var clearing: Clearing?

    /// A key has been handed over, to be given to the server.
    mutating func add(_ key: KeyEvent, _ ticket: KeyTicket) {
        guard key.phase != .up else { return }
        if entries.count >= 2 * Self.limit {
            entries.removeFirst(entries.prefix(Self.limit).prefix { $0.ticket <= presumed }.count)
        }
        let entry = Entry(ticket: ticket, key: key)
        entries.append(entry)
        // A method that does not say what it has been given has been given all.
        if given.rawValue == 0 { givenPress = entry }
    }

    /// A fact of the connection.
    mutating func note(_ progress: InputMethodProgress) {
        switch progress {
        case .sent(let ticket):
            given = max(given, ticket)
            guard let entry = entries.last(where: { $0.ticket == ticket }) else { return }
            // What is still to follow a clearing is not about this key.
            if clearing == nil, entries.first?.ticket == ticket { grammar.beginAnew() }
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

    /// A key has come back. `isInTurn`: what those before it led to has come before it.
    mutating func returned(_ ticket: KeyTicket, isPress: Bool, isInTurn: Bool) {
        if isPress { grammar.beginAnew() }
        if let clearing {
            if isPress, isInTurn, ticket >= clearing.ticket { self.clearing = nil }
            if ticket == clearing.press?.ticket { self.clearing?.press = nil }
        }
        // One that is not here any more was settled with those before it, or has come back otherwise than from the server.
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return }
        entries.remove(at: index)
        if isPress, isInTurn { remove(through: ticket) }
    }

    /// A preedit change has come; whether it begins the answer to another key. What a reset or a lost focus leads to is no text, and comes
    /// without any key. `clears`: it has taken away all that was composed; `isNothing`: it changes nothing, and answers no key.
    @discardableResult
    mutating func drawn(
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

    /// A commit has come; whether it begins the answer to another key.
    @discardableResult
    mutating func committed(at now: Milliseconds) -> Bool {
        clearing = nil
        let begins = grammar.commits()
        if begins { settleOne() }
        noteWord(at: now)
        return begins
    }

    /// The server has nothing more to say of the keys up to this one.
    mutating func settle(through ticket: KeyTicket) {
        if let clearing, clearing.ticket <= ticket { self.clearing = nil }
        remove(through: ticket)
    }

    /// What was cleared is not to be kept: the user has ended the composition, or gone on elsewhere.
    mutating func forgetClearing() { clearing = nil }

    /// Whether a composition that has been cleared is to be kept as text, if the server goes now: it may have been about to commit it.
    func keepsCleared(afterQuiet: Bool) -> Bool {
        clearing.map { $0.clearingKey.map { $0 > settled(afterQuiet) } ?? true } ?? false
    }

    /// Takes the keys that the server has not answered, now that it is gone, those among them that it never got. `afterQuiet`: it had
    /// said nothing for a moment; amid its answers less is presumed.
    mutating func takeOwed(afterQuiet: Bool) -> [(ticket: KeyTicket, key: KeyEvent)] {
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

    /// A composition is being cleared: nil if that is all that there is to say, because the key that it is for clears.
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
        entries.removeAll { $0.ticket <= ticket }
    }

    /// The last key that what is said now may be for. A method that does not say what it has been given has been given all.
    private var limit: KeyTicket { asked ?? (given.rawValue > 0 ? given : KeyTicket(rawValue: .max)) }

    /// A new answer begins: it is for the oldest press. False if there is none.
    @discardableResult
    private mutating func settleOne() -> Bool {
        let limit = limit
        guard let press = entries.first, press.ticket <= limit else { return false }
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
