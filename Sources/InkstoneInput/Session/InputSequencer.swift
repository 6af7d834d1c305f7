public import InkstoneBase

/// Milliseconds on the monotonic clock; only differences mean anything.
public typealias Milliseconds = Double

/// How long to wait for what, in milliseconds.
public struct InputTiming: Hashable, Sendable {
    /// Without traffic for this long, keys sent before count as answered for those who wait.
    public var quiet: Milliseconds = 20
    /// Without traffic for this long since an answer that came after the last key, no answer is to come any more.
    public var rest: Milliseconds = 50
    /// Nobody waits longer than this.
    public var limit: Milliseconds = 50
    /// What has to come after every key before it waits no longer than this.
    public var saveLimit: Milliseconds = 2500
    /// A key without an answer counts as being on its way for this long.
    public var flight: Milliseconds = 400
    /// A key given back while a composition that it followed is not finished waits for it this long.
    public var deferral: Milliseconds = 100
    /// A key given back before anything was heard since the focus came waits this long for the composition of those before it.
    public var overtaking: Milliseconds = 20
    /// How long after a reset's reply text may still come from before it.
    public var late: Milliseconds = 250
    /// A reset whose reply has not come for this long, while nothing else came either, is not waited for any more.
    public var patience: Milliseconds = 2000
    /// A preedit that is cleared stays on the screen for this long, since a commit of it may follow.
    public var clearing: Milliseconds = 8

    /// The times that real servers need.
    public init() {}
}

/// What stands in the queue besides keys.
public enum InputItemKind: String, Hashable, Sendable {
    /// A pointer button went down.
    case press
    /// The focus comes or goes.
    case focus
    /// A key command that comes before the input method.
    case command
    /// A paste or an edit by the program: it keeps its place in the queue, but waits for no answers.
    case edit
    /// What has to come after every key before it, even with a slow method: saving, closing.
    case save

    /// Whether it waits for keys that are on their way.
    public var waitsForKeys: Bool { self != .edit }
}

/// Keeps keys, presses, focus changes and commands in the order in which the user made them, although keys travel to the
/// input method and back while all else could act at once.
///
/// Keys go out at once unless something earlier waits. A press, a focus change or a priority command waits for the keys
/// before it: until each has come back, or nothing has been heard for ``InputTiming/quiet``, at the latest after
/// ``InputTiming/limit``; what stands behind it waits too. When it is performed with keys still out, the owner begins a new
/// *epoch*: ``place(of:at:)`` then tells which epoch an answer belongs to, and answers of an earlier one go to the place
/// where their keys were typed.
///
/// A plain value: time is passed in, and what to do comes back as actions, in order. Not bound to any client.
public struct InputSequencer<Item> {
    /// What the owner is to do, in order.
    public enum Action {
        /// Send the key to the input method.
        case forward(KeyEvent, raw: (any Sendable)?, KeyTicket)
        /// Type the key plainly: no method is engaged.
        case type(KeyEvent)
        /// Perform this now.
        case perform(Item, InputItemKind)
    }

    /// Where an answer belongs.
    public enum Place: Hashable, Sendable {
        /// To the caret.
        case current
        /// To the place that an earlier epoch left behind.
        case epoch(Int)
    }

    private struct Flight {
        var ticket: KeyTicket
        var sentAt: Milliseconds
        var epoch: Int
        var typesText: Bool
        /// An answer without a ticket was counted for it.
        var isHeard = false
    }

    private enum Entry {
        case key(KeyEvent, raw: (any Sendable)?)
        case item(Item, InputItemKind, since: Milliseconds?)
    }

    /// The times in use.
    public var timing: InputTiming
    /// Whether there is a method to send keys to.
    public var isEngaged = true
    /// The number of the present epoch.
    public private(set) var epoch = 0

    private var waiting: [Entry] = []
    private var flights: [Flight] = []
    private var nextTicket: UInt64 = 1
    private var lastTraffic: Milliseconds = -.infinity
    /// When an answer to some key came last.
    private var lastAnswer: Milliseconds = -.infinity
    /// First ticket of each epoch that answers may still name, oldest first.
    private var epochStarts: [(epoch: Int, firstTicket: UInt64)] = [(0, 1)]
    /// Epochs whose reset has not been answered, oldest first.
    private var pendingResets: [Int] = []
    private var resetSentAt: Milliseconds = -.infinity
    private var repliedAt: Milliseconds = -.infinity
    /// When a commit was last counted for a key, and when the clearing of a preedit was: the two come together for one key.
    private var commitHeardAt: Milliseconds = -.infinity
    private var clearHeardAt: Milliseconds = -.infinity
    /// What is shown has been committed: it is still to be cleared.
    private var isClearDue = false
    /// The key that the clearing of a preedit was counted for.
    private var cleared: (key: KeyTicket, typesText: Bool)?
    private var keySentInEpoch = false
    private var earlierHasComposition = false
    /// The key that the present composition began with, as far as can be told: the oldest that had drawn no answer.
    private var compositionOrigin: KeyTicket?
    /// Whether the key that came back last has overtaken the answer to one before it.
    private(set) var hasOvertaken = false
    /// Whether the key that came back last was the first answer of all since the focus came or the epoch began, and not to the
    /// first key.
    private(set) var hasOvertakenAll = false
    private var hasHeard = false
    /// The whole preedit as it was drawn last, and the one that a draw has taken away since.
    private var shown: String?
    private var removed: String?

    /// An empty queue.
    public init(timing: InputTiming = InputTiming()) {
        self.timing = timing
    }

    /// Whether anything waits.
    public var isWaiting: Bool { !waiting.isEmpty }

    /// Whether a reset has not been answered yet.
    public var isResetPending: Bool { !pendingResets.isEmpty }

    /// Whether keys of this epoch have been sent.
    public var hasSentKeys: Bool { keySentInEpoch }

    /// Whether keys of this epoch may still be on their way.
    public func hasKeysInFlight(at now: Milliseconds) -> Bool {
        flights.contains { $0.epoch == epoch && !$0.isHeard && !isLost($0, now) }
    }

    /// When ``advance(to:)`` has something to do next; nil if only a new event can change anything.
    public var nextDeadline: Milliseconds? {
        switch waiting.first {
        case nil: nil
        case .key: settledAt
        case .item(_, .save, let since):
            min(unheardUntil ?? lastTraffic + timing.quiet, (since ?? lastTraffic) + timing.saveLimit)
        case .item(_, _, let since): min(lastTraffic + timing.quiet, (since ?? lastTraffic) + timing.limit)
        }
    }

    /// When the first key that has drawn no answer counts as lost; nil if all have drawn one.
    private var unheardUntil: Milliseconds? {
        flights.filter { $0.epoch == epoch && !$0.isHeard }.map { max($0.sentAt, lastAnswer) + timing.flight }.min()
    }

    /// When keys may follow a reset.
    private var settledAt: Milliseconds {
        let limit = resetSentAt + timing.limit
        return isResetPending ? limit : min(limit, lastTraffic + timing.quiet)
    }

    // MARK: What happens

    /// The user pressed, repeated or released a key.
    public mutating func key(_ key: KeyEvent, raw: (any Sendable)? = nil, at now: Milliseconds) -> [Action] {
        waiting.append(.key(key, raw: raw))
        return advance(to: now)
    }

    /// Something else takes its place in the queue.
    public mutating func enqueue(_ item: Item, _ kind: InputItemKind, at now: Milliseconds) -> [Action] {
        waiting.append(.item(item, kind, since: nil))
        return advance(to: now)
    }

    /// Sends a key past the queue: for a command's key that turned out not to be one when its turn came.
    public mutating func forwardNow(_ key: KeyEvent, raw: (any Sendable)?, at now: Milliseconds) -> Action {
        send(key, raw, now)
    }

    /// Time has passed: what is due now. O(what is due).
    public mutating func advance(to now: Milliseconds) -> [Action] {
        flights = flights.filter { !isLost($0, now) }
        // Not every key draws an answer that can be told from others: at rest, those left over need none.
        var isSaving = false
        if case .item(_, .save, _)? = waiting.first { isSaving = true }
        if let last = flights.last, lastAnswer >= last.sentAt, now - lastTraffic >= timing.rest, !isSaving {
            flights = []
        }
        if now - lastTraffic >= timing.quiet { flights.removeAll(where: \.isHeard) }
        var actions: [Action] = []
        while let first = waiting.first {
            switch first {
            case .key(let key, let raw):
                if isEngaged, now < settledAt { return actions }
                actions.append(send(key, raw, now))
            case .item(let item, let kind, let since):
                // It has waited since it came to the front: what it waited for before was not for its own keys.
                let began = since ?? now
                let isSave = kind == .save
                if kind.waitsForKeys, isEngaged, now < began + (isSave ? timing.saveLimit : timing.limit),
                    now < lastTraffic + timing.quiet || isSave && unheardUntil != nil,
                    flights.contains(where: { $0.epoch == epoch })
                {
                    waiting[0] = .item(item, kind, since: began)
                    return actions
                }
                actions.append(.perform(item, kind))
                waiting.removeFirst()
                // What it does may begin an epoch, which decides about all that follows: the owner comes back.
                return actions
            }
            waiting.removeFirst()
        }
        return actions
    }

    /// The owner ended the composition, or what keys on their way may become of one, and asked the method to forget it:
    /// answers to earlier keys belong elsewhere from now on. Returns the epoch that ended, by which
    /// ``place(of:at:)`` will name that place.
    ///
    /// `hadComposition`: text was marked. `expectsReply`: a reset was sent and will be answered.
    public mutating func beginEpoch(hadComposition: Bool, expectsReply: Bool, at now: Milliseconds) -> Int {
        let ended = epoch
        epoch += 1
        epochStarts.append((epoch, nextTicket))
        if epochStarts.count > 16 { epochStarts.removeFirst() }
        keySentInEpoch = false
        hasHeard = false
        earlierHasComposition = hadComposition
        if expectsReply {
            pendingResets.append(ended)
            resetSentAt = now
            lastTraffic = now
        }
        return ended
    }

    /// The method is gone or starts anew: nothing is on its way any more, nothing will be answered.
    /// What waits comes out at the next ``advance(to:)``.
    public mutating func forgetFlights() {
        flights = []
        pendingResets = []
        resetSentAt = -.infinity
        lastTraffic = -.infinity
        lastAnswer = -.infinity
        repliedAt = -.infinity
    }

    /// The focus has come: nothing has been heard since.
    mutating func forgetAnswers() { hasHeard = false }

    /// No reset will be answered any more.
    mutating func forgetResets() { pendingResets = [] }

    /// The keys of this epoch and those before it are answered.
    mutating func forgetFlights(through epoch: Int) {
        flights.removeAll { $0.epoch <= epoch }
    }

    /// Takes note of an answer and says where it belongs. Answers are passed in the order in which they arrive.
    public mutating func place(of event: InputMethodEvent, at now: Milliseconds) -> Place {
        if isResetPending, now - max(resetSentAt, lastAnswer) >= timing.patience { pendingResets = [] }
        lastTraffic = max(lastTraffic, now)
        switch event {
        case .key(let key, let ticket):
            if key.phase != .up { lastAnswer = now }
            return place(ofKey: key, ticket)
        case .resetReply:
            guard !pendingResets.isEmpty else { return .current }
            repliedAt = now
            return .epoch(pendingResets.removeFirst())
        case .preeditDraw(let draw):
            lastAnswer = now
            let hasText = !(draw.text ?? "").isEmpty
            let isFresh = hasText && draw.changeFirst <= 0 && draw.changeLength <= 0
            // With some engines ibus takes the composition away and shows it again before it changes it: no other one begins.
            let isShownAgain = isFresh && draw.text == removed && takesBackClearing()
            removed = hasText ? nil : shown
            shown = hasText && draw.changeFirst <= 0 ? draw.text : nil
            if isShownAgain { return place(at: now) }
            // Keys of this epoch are out, and a preedit begins while that of the earlier one has not ended: it is theirs.
            let isNew = isFresh && keySentInEpoch && earlierHasComposition && pendingResets.isEmpty
            let place = isNew ? .current : place(at: now)
            if isFresh, place == .current {
                compositionOrigin = flights.first { $0.epoch == epoch && !$0.isHeard }?.ticket
            }
            if hasText {
                hear(place, now)
                cleared = nil
            } else if draw.changeLength > 0, !isClearDue, now - commitHeardAt > timing.clearing {
                // BackSpace or Escape has ended a composition.
                cleared = hear(place, now)
                clearHeardAt = now
            }
            if hasText || draw.changeLength > 0 {
                isClearDue = false
                commitHeardAt = -.infinity
            }
            if case .epoch = place, hasText { earlierHasComposition = true }
            return place
        case .commit:
            isClearDue = shown != nil
            (shown, removed) = (nil, nil)
            let place = place(at: now)
            if now - clearHeardAt > timing.clearing {
                hear(place, now)
                commitHeardAt = now
            }
            clearHeardAt = -.infinity
            if case .epoch = place { earlierHasComposition = false }
            return place
        case .preeditStart, .preeditCaret, .preeditDone:
            return place(at: now)
        }
    }

    /// Whether a key that came back was typed before the present composition began. Servers (ibus) give keys back out of
    /// order: the key that the composition seemed to begin with cannot have begun it if it comes back.
    public func precedesComposition(_ ticket: KeyTicket) -> Bool {
        compositionOrigin.map { ticket <= $0 } ?? false
    }

    /// The epoch whose text a late commit may still repeat: the one before this, for ``InputTiming/late`` after its reset.
    public func epochOfLateCommit(at now: Milliseconds) -> Int? {
        epoch > 0 && now - max(repliedAt, resetSentAt) < timing.late ? epoch - 1 : nil
    }

    // MARK: Inside

    private mutating func send(_ key: KeyEvent, _ raw: (any Sendable)?, _ now: Milliseconds) -> Action {
        guard isEngaged else { return .type(key) }
        let ticket = KeyTicket(rawValue: nextTicket)
        nextTicket += 1
        if key.phase != .up, !key.keysym.isModifier {
            let typesText = (key.characters.unicodeScalars.first?.value ?? 0) >= 0x20
            flights.append(
                Flight(
                    ticket: ticket, sentAt: now, epoch: epoch,
                    typesText: typesText && key.modifiers.isDisjoint(with: .commanding)))
            lastTraffic = now
            keySentInEpoch = true
        }
        return .forward(key, raw: raw, ticket)
    }

    /// All keys before one that comes back are done with, although some servers (ibus) give it back before they say so.
    private mutating func place(ofKey key: KeyEvent, _ ticket: KeyTicket?) -> Place {
        let found: KeyTicket
        if let ticket {
            found = ticket
        } else if key.phase != .up, let first = flights.first(where: { !$0.isHeard }) {
            found = first.ticket
        } else {
            return .current
        }
        // A release tells nothing of the presses before it: where a server asks for presses only, releases come back at once.
        let tells = key.phase != .up
        if tells {
            hasOvertaken = flights.contains { $0.ticket < found && $0.epoch == epoch && !$0.isHeard }
            hasOvertakenAll = hasOvertaken && !hasHeard
            hasHeard = true
            flights = flights.filter { $0.ticket > found }
        }
        let of = epochStarts.last { $0.firstTicket <= found.rawValue }?.epoch ?? epoch
        // A key sent after a reset has come back: the reply is not to come any more.
        if ticket != nil, tells { pendingResets.removeAll { $0 < of } }
        return of == epoch ? .current : .epoch(of)
    }

    private func place(at now: Milliseconds) -> Place {
        if let first = pendingResets.first { return .epoch(first) }
        if let first = flights.first(where: { !$0.isHeard && !isLost($0, now) }),
            first.epoch < epoch
        {
            return .epoch(first.epoch)
        }
        if epoch > 0, !keySentInEpoch, now - repliedAt < timing.late { return .epoch(epoch - 1) }
        return .current
    }

    /// Whether no answer to a key is to be expected any more. A server works on one key at a time: while it answers
    /// others, this one's turn is still to come.
    private func isLost(_ flight: Flight, _ now: Milliseconds) -> Bool {
        now - max(flight.sentAt, lastAnswer) >= timing.flight
    }

    /// Counts an answer without a ticket for the oldest key of its epoch that had none, and returns that.
    @discardableResult
    private mutating func hear(_ place: Place, _ now: Milliseconds) -> (key: KeyTicket, typesText: Bool)? {
        lastAnswer = now
        hasHeard = true
        let wanted =
            switch place {
            case .current: epoch
            case .epoch(let number): number
            }
        guard let index = flights.firstIndex(where: { !$0.isHeard && $0.epoch <= wanted }) else { return nil }
        flights[index].isHeard = true
        return (flights[index].ticket, flights[index].typesText)
    }

    /// What has been cleared is shown again: that has not answered the key which it was counted for. False if it has, because
    /// the key was one that clears: then this is for another key, which makes the same of nothing.
    private mutating func takesBackClearing() -> Bool {
        guard let (key, typesText) = cleared else { return true }
        guard typesText else { return false }
        if let index = flights.firstIndex(where: { $0.ticket == key }) { flights[index].isHeard = false }
        return true
    }
}

extension Keysym {
    /// Whether it only changes what other keys mean (Shift, Control, locks, level choosers).
    public var isModifier: Bool {
        switch rawValue {
        case 0xffe1...0xffee, 0xfe01...0xfe13, 0xff7e, 0xff7f: true
        default: false
        }
    }
}
