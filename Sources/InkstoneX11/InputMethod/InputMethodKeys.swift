import InkstoneBase

/// A key on its way to the input method and perhaps back.
struct InputMethodKey: Hashable, Sendable {
    var window: WindowID
    var raw: RawKey
    var event: KeyEvent
    var ticket: KeyTicket
    /// Its number among all keys of the connection: tickets may be counted for each window.
    var number: UInt64

    /// The mark by which a key that comes back is known: XIM carries the low 16 bits of an event's serial number.
    var mark: UInt16 { UInt16(number % 0xffff) + 1 }

    /// Whether it is a letter or a modifier: what an engine hardly ever gives back in the middle of a composition.
    var isLetter: Bool {
        if event.keysym.isModifier { return true }
        let scalars = event.characters.unicodeScalars
        return scalars.count == 1 && scalars.allSatisfy(\.properties.isAlphabetic)
            && event.modifiers.isDisjoint(with: .commanding)
    }
}

/// The keys that the server has been given: which one it is that comes back, and how many may still be answered.
///
/// Nothing is decided by this but when the server is asked something, and what waits for it: which keys are typed if it goes is told by
/// the `KeyLedger` of each window, from what is reported of them.
struct InputMethodKeys: Hashable, Sendable {
    private struct Entry: Hashable {
        var key: InputMethodKey
        var isSettled = false
    }

    /// How many settled keys are remembered at most, and keys at all: most never come back.
    private static let settledLimit = 256
    private static let limit = 8192

    private var entries: [Entry] = []
    private var grammar = AnswerGrammar()
    /// How many presses have drawn no answer yet.
    private(set) var unansweredPresses = 0
    /// When the last press was sent.
    private(set) var lastPress: Milliseconds = -.infinity
    /// When the first press was sent after which there has always been one without an answer. Whoever types on into a
    /// server that hangs would put off any doubt that counted from the last press.
    private(set) var waitingSince: Milliseconds = -.infinity
    /// The number of the last key sent; 0: none.
    private(set) var last: UInt64 = 0
    /// The press that the answer being received is for.
    private var answered: UInt64?
    /// The last press that has come back.
    private var returned: UInt64 = 0
    /// The last key sent at the time of the query that is on its way, and of the last one that was answered.
    private var asked: UInt64?
    private var taken: UInt64 = 0

    /// Whether a press has drawn no answer yet.
    var hasUnansweredPress: Bool { unansweredPresses > 0 }

    /// Whether a press has come back before the answer to an earlier one, as far as can be told.
    var hasOvertaken: Bool {
        hasUnansweredPress && entries.contains { !$0.isSettled && $0.key.raw.isPress && $0.key.number < returned }
    }

    /// Whether a composition has been cleared and what that was for is still to come: a commit of it may follow.
    var hasOnlyCleared: Bool { grammar.hasOnlyCleared }

    /// A key is given to the server.
    mutating func add(_ key: InputMethodKey, at now: Milliseconds) {
        if key.raw.isPress {
            if unansweredPresses == 0 {
                grammar.beginAnew()
                waitingSince = now
            }
            unansweredPresses += 1
            lastPress = now
        }
        last = key.number
        if entries.count >= 2 * Self.settledLimit { prune() }
        entries.append(Entry(key: key))
    }

    /// The server did not take the key that was added last. False if it has come back already, by a server that knew its mark.
    mutating func takeBack(_ key: InputMethodKey) -> Bool {
        guard let last = entries.last, last.key.number == key.number else { return false }
        entries.removeLast()
        if last.key.raw.isPress {
            if !last.isSettled { unansweredPresses -= 1 }
            returned = last.key.number
        }
        return true
    }

    /// The key that an event coming back is, nil if it was not sent by us or long ago.
    ///
    /// Newer Xlibs overwrite the serial number of some events, so the time and the keycode do as well. What ibus forwards
    /// for its engines has neither: it is the key being answered, or the oldest of that keycode.
    ///
    /// `isInTurn`: what those before it led to has come before it.
    mutating func take(
        serial: UInt, keycode: UInt8, isPress: Bool, time: UInt32, isInTurn: Bool = true
    ) -> InputMethodKey? {
        func isLike(_ entry: Entry) -> Bool {
            entry.key.raw.keycode == keycode && entry.key.raw.isPress == isPress
        }
        let mark = UInt16(truncatingIfNeeded: serial)
        let index =
            entries.firstIndex { isLike($0) && $0.key.mark == mark }
            ?? entries.firstIndex { isLike($0) && $0.key.raw.time == time }
            ?? (time == 0 ? likelyIndex(where: isLike) : nil)
        guard let index else { return nil }
        let key = entries[index].key
        if key.raw.isPress {
            settle { $0.key.number == key.number || isInTurn && $0.key.number < key.number }
            grammar.beginAnew()
            returned = max(returned, key.number)
        }
        entries.remove(at: index)
        return key
    }

    private func likelyIndex(where isLike: (Entry) -> Bool) -> Int? {
        entries.lastIndex { isLike($0) && $0.key.number == answered }
            ?? entries.firstIndex { isLike($0) && !$0.isSettled } ?? entries.lastIndex(where: isLike)
    }

    /// A preedit change has come. `isNothing`: it changes nothing, and answers no key.
    mutating func noteDraw(hasText: Bool, isNothing: Bool = false) {
        guard !isNothing, grammar.draws(hasText: hasText), let key = settleOne() else { return }
        if !hasText, key.event.clearsComposition { grammar.forgetClearing() }
    }

    /// A commit has come.
    mutating func noteCommit() {
        if grammar.commits() { settleOne() }
    }

    /// Whether a press has been sent that has drawn no answer, and no query behind it.
    var wantsQuery: Bool { asked == nil && hasUntakenPress }

    /// Whether the server has not been seen to have taken a press that has drawn no answer.
    var hasUntakenPress: Bool {
        hasUnansweredPress && entries.contains { !$0.isSettled && $0.key.raw.isPress && $0.key.number > taken }
    }

    /// The server is being asked something that it answers after it has taken the keys sent so far.
    mutating func didAsk() { asked = last }

    /// The answer to the query has come.
    mutating func didAnswer() {
        guard let asked else { return }
        taken = asked
        self.asked = nil
    }

    /// The server has been found alive and silent long after all keys up to this number: it has nothing to say of them.
    mutating func settle(through number: UInt64) {
        settle(where: { $0.key.number <= number })
    }

    /// What the server has cleared was given up, by a reset or with the focus.
    mutating func forgetClearing() { grammar.forgetClearing() }

    /// The server has been found quiet: it has nothing more to say of all that it was sent.
    mutating func settleAll() {
        settle(through: last)
        grammar = AnswerGrammar()
    }

    /// A new answer begins: it is for the oldest press.
    @discardableResult
    private mutating func settleOne() -> InputMethodKey? {
        let press = entries.first { !$0.isSettled && $0.key.raw.isPress && $0.key.number <= asked ?? .max }
        guard let press else { return nil }
        answered = press.key.number
        settle(through: press.key.number)
        return press.key
    }

    private mutating func settle(where isSettled: (Entry) -> Bool) {
        for index in entries.indices where !entries[index].isSettled && isSettled(entries[index]) {
            entries[index].isSettled = true
            if entries[index].key.raw.isPress { unansweredPresses -= 1 }
        }
    }

    /// Forgets the oldest of those that are settled; of the others only when there are absurdly many.
    private mutating func prune() {
        var excess = entries.count { $0.isSettled } - Self.settledLimit
        if excess > 0 {
            entries.removeAll { entry in
                guard excess > 0, entry.isSettled else { return false }
                excess -= 1
                return true
            }
        }
        guard entries.count >= Self.limit else { return }
        entries.removeFirst(Self.limit / 2)
        unansweredPresses = entries.count { !$0.isSettled && $0.key.raw.isPress }
    }
}
