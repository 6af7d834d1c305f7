import InkstoneBase

/// A key on its way to the input method and perhaps back.
struct InputMethodKey: Hashable, Sendable {
    var window: WindowID
    var raw: RawKey
    var event: KeyEvent
    var ticket: KeyTicket
    /// Its place among all keys of the connection: tickets may be counted for each window.
    var number: UInt64

    /// The mark by which a key that comes back is known: XIM carries the low 16 bits of an event's serial number.
    var mark: UInt16 { UInt16(number % 0xffff) + 1 }
}

/// The keys that the server has been given: which still need an answer, and which one it is that comes back.
///
/// Asynchronous servers never say that a key is done, so it is inferred. A press that comes back settles those before it,
/// and each preedit change or commit settles one press, the oldest. Behind each key goes a query (see ``didAsk()``), which a
/// server answers in its turn: what it says before the answer is not about later keys.
///
/// Servers merge what several keys change (ibus), so fewer changes may come than there were keys. When the answer to the
/// query behind a key and some change have come since it was sent, in either order, and nothing more for a moment, the key
/// counts as answered too, should the server hang or die. The moment is for servers that put keys by until the SYNC that they
/// sent is answered, and queries not. One that has been seen to work on keys for longer than that is not trusted so far.
///
/// When in doubt a key counts as unanswered: it is typed plainly then. A settled key may come back all the same: a space ends
/// a Hangul syllable, which is committed, and is then given back. Releases tell nothing: ibus gives them back before what
/// their presses do.
struct InputMethodKeys: Hashable, Sendable {
    private struct Entry: Hashable {
        var key: InputMethodKey
        var isSettled = false
    }

    /// How many settled keys are remembered at most, and keys at all: most never come back.
    private static let settledLimit = 256
    private static let limit = 8192

    private var entries: [Entry] = []
    /// How many presses have drawn no answer yet.
    private(set) var unansweredPresses = 0
    /// When the last press was sent.
    private(set) var lastPress: Int64 = .min / 2
    /// When the first press was sent after which there has always been one without an answer. Whoever types on into a
    /// server that hangs would put off any doubt that counted from the last press.
    private(set) var waitingSince: Int64 = .min / 2

    // What the answer being received has held so far; a key's answer is at most a deletion, a commit and a new text.
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    // The press that the answer being received is for.
    private var answered: UInt64?
    // The last key sent, at the time of the query that is on its way, of the last one that was answered, and of the last
    // preedit change or commit; and the last press sent. 0: none.
    private var lastAdded: UInt64 = 0
    private var lastPressAdded: UInt64 = 0
    private var asked: UInt64?
    private var taken: UInt64 = 0
    private var spokenFor: UInt64 = 0
    // Of keys up to this number the server has taken all, and said something since.
    private var presumed: UInt64 = 0
    // Whether something has been said since the server took the last press: had it been done, there would be no more to say.
    private var hasSpokenSince = false
    // More was said, a moment later: this server answers queries long before it is done with the keys.
    private var lags = false

    /// Whether a press has drawn no answer yet.
    var hasUnansweredPress: Bool { unansweredPresses > 0 }

    /// The keys that have drawn no answer that could be told from others, in order: to be typed plainly if the server is gone
    /// amid its answers.
    var unsettled: [InputMethodKey] { entries.lazy.filter { !$0.isSettled }.map(\.key) }

    /// Those of them that are to be typed plainly if the server is gone after a quiet moment.
    var unanswered: [InputMethodKey] {
        entries.lazy.filter { !$0.isSettled && (lags || $0.key.number > presumed) }.map(\.key)
    }

    /// A key has been given to the server.
    mutating func add(_ key: InputMethodKey, at now: Int64) {
        if key.raw.isPress {
            if unansweredPresses == 0 {
                isFresh = true
                waitingSince = now
            }
            unansweredPresses += 1
            lastPress = now
            lastPressAdded = key.number
            hasSpokenSince = false
        }
        lastAdded = key.number
        if entries.count >= 2 * Self.settledLimit { prune() }
        entries.append(Entry(key: key))
    }

    /// The server did not take the key that was added last.
    mutating func removeLast() {
        guard let last = entries.popLast() else { return }
        if !last.isSettled, last.key.raw.isPress { unansweredPresses -= 1 }
    }

    /// The key that an event coming back is, nil if it was not sent by us or long ago.
    ///
    /// Newer Xlibs overwrite the serial number of some events, so the time and the keycode do as well. What ibus forwards
    /// for its engines has neither: it is the key being answered, or the oldest of that keycode.
    mutating func take(serial: UInt, keycode: UInt8, isPress: Bool, time: UInt32) -> InputMethodKey? {
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
            settle(through: key.number)
            isFresh = true
        }
        entries.remove(at: index)
        return key
    }

    private func likelyIndex(where isLike: (Entry) -> Bool) -> Int? {
        entries.lastIndex { isLike($0) && $0.key.number == answered }
            ?? entries.firstIndex { isLike($0) && !$0.isSettled } ?? entries.lastIndex(where: isLike)
    }

    /// A preedit change has come.
    ///
    /// `afterQuiet`: nothing had come for a moment before it.
    mutating func noteDraw(hasText drawsText: Bool, afterQuiet: Bool = false) {
        // What a reset or a lost focus leads to is no text, and comes without any key.
        if isFresh || hasText, settleOne(), drawsText, afterQuiet, hasSpokenSince { lags = true }
        if drawsText { hasText = true }
        noteWord()
    }

    /// A commit has come.
    mutating func noteCommit() {
        if isFresh || hasCommit || hasText { settleOne() }
        hasCommit = true
        noteWord()
    }

    private mutating func noteWord() {
        spokenFor = lastAdded
        presumed = taken
        hasSpokenSince = taken >= lastPressAdded
    }

    /// Whether a press has been sent that has drawn no answer, and no query behind it.
    var wantsQuery: Bool { asked == nil && hasUntakenPress }

    /// Whether the server has not been seen to have taken a press that has drawn no answer.
    var hasUntakenPress: Bool {
        hasUnansweredPress && entries.contains { !$0.isSettled && $0.key.raw.isPress && $0.key.number > taken }
    }

    /// The server is being asked something that it answers after it has taken the keys sent so far.
    mutating func didAsk() { asked = lastAdded }

    /// The answer to the query has come.
    mutating func didAnswer() {
        guard let asked else { return }
        taken = asked
        self.asked = nil
        hasSpokenSince = false
        presumed = max(presumed, min(taken, spokenFor))
    }

    /// The server has been found alive and silent long after all keys up to this number: it has nothing to say of them.
    mutating func settle(through number: UInt64) {
        settle(where: { $0.key.number <= number })
    }

    // A new answer begins: it is for the oldest press. False if there is none.
    @discardableResult
    private mutating func settleOne() -> Bool {
        hasText = false
        hasCommit = false
        isFresh = false
        let press = entries.first { !$0.isSettled && $0.key.raw.isPress && $0.key.number <= asked ?? .max }
        guard let press else { return false }
        answered = press.key.number
        settle(through: press.key.number)
        return true
    }

    private mutating func settle(where isSettled: (Entry) -> Bool) {
        for index in entries.indices where !entries[index].isSettled && isSettled(entries[index]) {
            entries[index].isSettled = true
            if entries[index].key.raw.isPress { unansweredPresses -= 1 }
        }
    }

    // Forgets the oldest of those that are settled; of the others only when there are absurdly many.
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
