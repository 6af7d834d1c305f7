import InkstoneBase

/// A key sent to the input method, which may return it.
struct InputMethodKey: Hashable, Sendable {
    var window: WindowID
    var raw: RawKey
    var event: KeyEvent
    var ticket: KeyTicket
    /// The number of this key among all keys of the connection: tickets may be counted for each window.
    var number: UInt64

    /// The mark that identifies a returned key: XIM carries the low 16 bits of an event's serial number.
    var mark: UInt16 { UInt16(number % 0xffff) + 1 }

    /// Whether the key is a letter or a modifier: an engine hardly ever returns one in the middle of a composition.
    var isLetter: Bool {
        if event.keysym.isModifier { return true }
        let scalars = event.characters.unicodeScalars
        return scalars.count == 1 && scalars.allSatisfy(\.properties.isAlphabetic)
            && event.modifiers.isDisjoint(with: .commanding)
    }
}

/// The keys sent to the server: identifies returned keys, and counts the keys that may still be answered.
///
/// This value determines only when the server is queried, and what waits for the reply. The `KeyLedger` of each window decides which keys
/// are typed if the server dies, from the reported progress.
struct InputMethodKeys: Hashable, Sendable {
    private struct Entry: Hashable {
        var key: InputMethodKey
        var isSettled = false
    }

    /// The maximum number of settled keys that are remembered, and of all keys: most are never returned.
    private static let settledLimit = 256
    private static let limit = 8192

    private var entries: [Entry] = []
    private var grammar = AnswerGrammar()
    /// The number of unanswered presses.
    private(set) var unansweredPresses = 0
    /// The time at which the last press was sent.
    private(set) var lastPress: Milliseconds = -.infinity
    /// The time of the press since which some press has always been unanswered. Counted from the last press, somebody who keeps typing
    /// into a hung server would put off the query.
    private(set) var waitingSince: Milliseconds = -.infinity
    /// The number of the last key sent; 0 for none.
    private(set) var last: UInt64 = 0
    /// The press that the current answer is for.
    private var answered: UInt64?
    /// The number of the last returned press.
    private var returned: UInt64 = 0
    /// The number of the last key sent before the pending query, and before the last answered query.
    private var asked: UInt64?
    private var taken: UInt64 = 0

    /// Whether a press is unanswered.
    var hasUnansweredPress: Bool { unansweredPresses > 0 }

    /// Whether a press was returned before the answer to an earlier one, as far as that is known.
    var hasOvertaken: Bool {
        hasUnansweredPress && entries.contains { !$0.isSettled && $0.key.raw.isPress && $0.key.number < returned }
    }

    /// Whether a composition was cleared and the reason is still to come: its commit may follow.
    var hasOnlyCleared: Bool { grammar.hasOnlyCleared }

    /// Records a key before it is sent to the server.
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

    /// Removes the last added key, which the server did not accept. Returns false if a server that knew its mark has returned it already.
    mutating func takeBack(_ key: InputMethodKey) -> Bool {
        guard let last = entries.last, last.key.number == key.number else { return false }
        entries.removeLast()
        if last.key.raw.isPress {
            if !last.isSettled { unansweredPresses -= 1 }
            returned = last.key.number
        }
        return true
    }

    /// Removes and returns the key of a returned event; nil if the key was not sent by us, or was sent long ago.
    ///
    /// Newer Xlibs overwrite the serial number of some events, so the time and the keycode are used as well. Events that ibus forwards
    /// for its engines have neither: such an event is the key being answered, or the oldest of that keycode.
    ///
    /// `isInTurn`: the output of all earlier keys precedes the event.
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

    /// Counts a preedit change as an answer. `isNothing`: the message changes nothing, and answers no key.
    mutating func noteDraw(hasText: Bool, isNothing: Bool = false) {
        guard !isNothing, grammar.draws(hasText: hasText), let key = settleOne() else { return }
        if !hasText, key.event.clearsComposition { grammar.forgetClearing() }
    }

    /// Counts a commit as an answer.
    mutating func noteCommit() {
        if grammar.commits() { settleOne() }
    }

    /// Whether an unanswered press has been sent with no query after it.
    var wantsQuery: Bool { asked == nil && hasUntakenPress }

    /// Whether it is unknown if the server has read some unanswered press.
    var hasUntakenPress: Bool {
        hasUnansweredPress && entries.contains { !$0.isSettled && $0.key.raw.isPress && $0.key.number > taken }
    }

    /// Records a query, which the server answers after it has read the keys sent so far.
    mutating func didAsk() { asked = last }

    /// Records the answer to the query.
    mutating func didAnswer() {
        guard let asked else { return }
        taken = asked
        self.asked = nil
    }

    /// Marks all keys up to this number as answered: the server replied, and sent no output for them long after.
    mutating func settle(through number: UInt64) {
        settle(where: { $0.key.number <= number })
    }

    /// Forgets a cleared composition that was given up, by a reset or with the focus.
    mutating func forgetClearing() { grammar.forgetClearing() }

    /// Marks all keys as answered: the server was found quiescent.
    mutating func settleAll() {
        settle(through: last)
        grammar = AnswerGrammar()
    }

    /// Counts a new answer for the oldest unanswered press.
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

    /// Forgets the oldest settled keys; unsettled ones only when there are absurdly many.
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
