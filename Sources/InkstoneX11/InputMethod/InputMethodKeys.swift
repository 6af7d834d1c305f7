import InkstoneBase

/// A key sent to the input method, which may return it.
struct InputMethodKey: Hashable, Sendable {
    var window: WindowID
    var raw: RawKey
    var event: KeyEvent
    var ticket: KeyTicket
    /// The number of this key among all keys of the connection. The ticket cannot take its place, because tickets
    /// may be counted for each window.
    var number: UInt64

    /// The mark by which a returned key is recognized. It has 16 bits: XIM carries only the low 16 bits of an
    /// event's serial number.
    var mark: UInt16 { UInt16(number % 0xffff) + 1 }

    /// Whether the key is a modifier, or a letter struck without a command modifier such as Control. In the middle
    /// of a composition, an engine hardly ever returns such a key.
    var isLetter: Bool {
        if event.keysym.isModifier { return true }
        let scalars = event.characters.unicodeScalars
        return scalars.count == 1 && scalars.allSatisfy(\.properties.isAlphabetic)
            && event.modifiers.isDisjoint(with: .commanding)
    }
}

/// The keys sent to the input method's server. This value finds out which key a returned event belongs to, and has a
/// matcher of keys and answers for each window.
struct InputMethodKeys: Hashable, Sendable {
    /// The limits for remembered keys, because most servers never return the keys that they use. Beyond `most` keys,
    /// the oldest keys whose answers are no longer awaited are forgotten. The latest `least` keys always stay.
    private static let answeredLimit = (most: 512, least: 256)
    /// The number of remembered keys, answered or not, at which the older half is forgotten.
    private static let limit = 8192

    private let isInTurn: Bool
    /// The keys that were sent and neither returned nor forgotten, in order.
    private var keys: [InputMethodKey] = []
    private var matchers: [WindowID: AnswerMatcher] = [:]
    /// The time at which the last key press was sent to the server.
    private(set) var lastPress: Milliseconds = -.infinity
    /// The time since which at least one press has been unanswered without interruption. The query for unanswered keys
    /// is due some time after it, not after the last press: otherwise someone who keeps typing into a hung server would
    /// postpone the query.
    private(set) var waitingSince: Milliseconds = -.infinity
    /// The number of the last key sent; 0 for none.
    private(set) var last: UInt64 = 0

    /// Creates a collection without keys.
    ///
    /// - Parameter isInTurn: whether the server returns a key only after the output of all keys before it.
    init(isInTurn: Bool = true) { self.isInTurn = isInTurn }

    /// The number of presses that the server has not answered yet.
    var unansweredPresses: Int { matchers.values.reduce(0) { $0 + $1.openCount } }

    /// Whether the server has not answered some key press yet.
    var hasUnansweredPress: Bool { matchers.values.contains(where: \.hasOpen) }

    /// Whether, as far as is known, a press was returned before an earlier press was answered.
    var hasOvertaken: Bool { matchers.values.contains(where: \.hasOvertaken) }

    /// Whether a composition was cleared, and a commit of its text may still follow.
    var isClearing: Bool { matchers.values.contains(where: \.isClearing) }

    /// Whether a query should be sent. It should if there is an unanswered press that the server may not have read
    /// yet, unless a query is pending.
    var wantsQuery: Bool { matchers.values.contains(where: \.wantsQuery) }

    /// Whether there is an unanswered press that the server may not have read yet.
    var hasUnconfirmedPress: Bool { matchers.values.contains(where: \.hasUnconfirmed) }

    /// Records a key before it is sent to the server.
    mutating func add(_ key: InputMethodKey, at now: Milliseconds) {
        if key.raw.isPress {
            if !hasUnansweredPress { waitingSince = now }
            lastPress = now
        }
        last = key.number
        if keys.count >= Self.answeredLimit.most { prune() }
        keys.append(key)
        update(key.window) { $0.didSend(key.event, key.ticket) }
    }

    /// Takes back the key added last, because the server did not accept it. Returns false if the key is gone
    /// already: the server has returned it, recognizable by its mark.
    mutating func takeBack(_ key: InputMethodKey) -> Bool {
        guard keys.last?.number == key.number else { return false }
        keys.removeLast()
        update(key.window) { $0.didRefuse(key.ticket, isPress: key.raw.isPress) }
        return true
    }

    /// Removes and returns the key that a returned event belongs to. Nil if the key was not sent by us, or was sent
    /// long ago.
    ///
    /// Newer versions of Xlib overwrite the serial number of some events, so the time and the keycode are used as
    /// well. Events that ibus forwards for its engines have neither serial number nor time. Such an event is taken
    /// for the key that is being answered, or else for the oldest unanswered key with its keycode, or else for the
    /// last key with its keycode.
    mutating func take(serial: UInt, keycode: UInt8, isPress: Bool, time: UInt32) -> InputMethodKey? {
        func isLike(_ key: InputMethodKey) -> Bool { key.raw.keycode == keycode && key.raw.isPress == isPress }
        let mark = UInt16(truncatingIfNeeded: serial)
        let index =
            keys.firstIndex { isLike($0) && $0.mark == mark } ?? keys.firstIndex { isLike($0) && $0.raw.time == time }
            ?? (time == 0 ? likelyIndex(where: isLike) : nil)
        guard let index else { return nil }
        let key = keys.remove(at: index)
        update(key.window) { $0.didReturn(key.ticket, isPress: isPress) }
        return key
    }

    private func likelyIndex(where isLike: (InputMethodKey) -> Bool) -> Int? {
        keys.lastIndex { isLike($0) && matchers[$0.window]?.answered == $0.ticket }
            ?? keys.firstIndex { isLike($0) && isOpen($0) } ?? keys.lastIndex(where: isLike)
    }

    private func isOpen(_ key: InputMethodKey) -> Bool {
        matchers[key.window]?.isOpen(key.ticket, isPress: key.raw.isPress) ?? false
    }

    /// Passes a fact about the keys of a window, such as “returned”, to the window's matcher, and returns the matcher's
    /// result.
    mutating func update<Result>(_ window: WindowID, _ fact: (inout AnswerMatcher) -> Result) -> Result {
        fact(&matchers[window, default: AnswerMatcher(isInTurn: isInTurn)])
    }

    /// Records a query. The server answers it after it has read the keys sent so far.
    mutating func didAsk() { updateAll { $0.didAsk() } }

    /// Records the answer to the pending query.
    mutating func didAnswer() { updateAll { $0.didAnswer() } }

    /// Stops waiting for answers to the keys sent before the last answered query. The server has read these keys,
    /// because it has answered the query, but has sent no output for them for a long time.
    mutating func stopWaiting() { updateAll { $0.stopWaiting() } }

    /// Forgets cleared compositions whose commit was still awaited. Call when they were given up, by a reset or by the
    /// loss of focus.
    mutating func forgetClearing() { updateAll { $0.forgetClearing() } }

    /// Forgets a window that has lost its context.
    mutating func forget(_ window: WindowID) { matchers[window] = nil }

    /// Returns, for each window, the keys and compositions that stay without an answer if the server is lost now, after
    /// a silence of `silence`.
    func losses(afterSilence silence: Milliseconds, _ timing: InputTiming) -> InputMethodLosses {
        InputMethodLosses(silence: silence, matchers.mapValues { $0.loss(afterSilence: silence, timing) })
    }

    private mutating func updateAll(_ fact: (inout AnswerMatcher) -> Void) {
        for index in matchers.values.indices { fact(&matchers.values[index]) }
    }

    /// Forgets the oldest keys whose answers are no longer awaited. If there are still far too many keys, also forgets
    /// unanswered ones.
    private mutating func prune() {
        keys.removeFirst(keys.dropLast(Self.answeredLimit.least).prefix { !isOpen($0) }.count)
        if keys.count >= Self.limit { keys.removeFirst(Self.limit / 2) }
    }
}

/// The result of the loss of a server: the keys and compositions in each window that stay without an answer.
package struct InputMethodLosses: Hashable, Sendable {
    /// The duration of the server's silence.
    package let silence: Milliseconds
    private var losses: [WindowID: InputMethodLoss] = [:]
    private var keys: [WindowID: [KeyEvent]] = [:]

    init(silence: Milliseconds, _ all: [WindowID: (loss: InputMethodLoss, keys: [KeyEvent])]) {
        self.silence = silence
        (losses, keys) = (all.mapValues(\.loss), all.mapValues(\.keys))
    }

    /// The loss in a window (its unanswered keys and unfinished composition), and the events of the unanswered keys.
    package subscript(window: WindowID) -> (loss: InputMethodLoss, keys: [KeyEvent]) {
        (losses[window] ?? InputMethodLoss(silence: silence), keys[window] ?? [])
    }

    /// Adds a key that the server has not received; a release is left out.
    mutating func add(_ key: InputMethodKey) {
        guard key.raw.isPress else { return }
        losses[key.window, default: InputMethodLoss(silence: silence)].owed.append(key.ticket)
        keys[key.window, default: []].append(key.event)
    }
}
