import InkstoneBase

/// The serial queue between a ``TextInputContext`` and its asynchronous client. The client gets one key entry at a
/// time. All later input waits until the entry is answered.
///
/// If the client misses the deadline of an entry, the entry counts as handled. Otherwise the system would type the
/// key, and the client might insert it again later. After two missed deadlines in a row, the queue passes on
/// entries without waiting for their answers, until the client answers any entry.
final class KeyEntryQueue {
    private enum Work {
        case key(KeyEvent)
        case event(InputMethodEvent)
        case compositionEnd
        case shiftEnd
    }

    private struct Pending {
        var entry: KeyEntry
        /// The time at which the entry counts as handled, whether the queue waits for it or not.
        var deadline: Milliseconds
        var task: Task<Void, Never>?
    }

    /// The client; nil if it no longer exists.
    private(set) weak var input: (any AsyncTextInput)?
    private unowned let context: TextInputContext
    let mailbox = KeyEntryMailbox()
    /// The work that waits until the client has answered an earlier entry, in order of arrival.
    private var waiting: [Work] = []
    /// The entries whose answers are still accepted, by number.
    private var pending: [UInt64: Pending] = [:]
    /// The entry for whose answer all later work waits, and its deadline; nil for none.
    private var awaited: (number: UInt64, deadline: Milliseconds)?
    /// The entry that the client has just declined, while the delegate is asked to perform it; nil at any other time.
    private var declined: KeyEntry?
    private var lastNumber: UInt64 = 0
    private var missedDeadlines = 0
    /// The keys that the client has seen pressed and not released, by key code.
    private var pressed: [UInt8: KeyEvent] = [:]
    private var shiftState: KeyModifiers = []
    /// Whether the client has the focus. Without the focus, the queue does not wait for answers: no timer would
    /// call it at a deadline.
    private var isSerial = true
    private var isRunning = false
    /// Whether the composition is being ended by work of this queue, rather than by the client or the program.
    private var isEndingInTurn = false

    init(_ context: TextInputContext, _ input: any AsyncTextInput) {
        self.context = context
        self.input = input
        mailbox.queue = self
    }

    // MARK: State

    /// Whether the queue waits for the answer to an entry, or contains work.
    var isBusy: Bool { awaited != nil || !waiting.isEmpty }
    /// The time at which ``run()`` must be called if no answer has come before. Nil if the queue waits for no
    /// answer.
    var deadline: Milliseconds? { awaited?.deadline }
    /// Whether the answers to any entries are still accepted.
    var hasPending: Bool { input != nil && !pending.isEmpty }

    private var now: Milliseconds { context.session?.clock() ?? Milliseconds(MonotonicClock.milliseconds) }

    // MARK: Queuing input

    /// Queues a key that no input method has used.
    func take(_ key: KeyEvent) {
        // Keep at most one waiting repetition of a held key. Otherwise a slow client would go on with the
        // repetitions long after the key's release.
        if key.phase == .repeat {
            waiting.removeAll {
                if case .key(let old) = $0 { old.phase == .repeat && old.keycode == key.keycode } else { false }
            }
        }
        waiting.append(.key(key))
        run()
    }

    /// Queues an answer of the input method that arrives while the queue is busy.
    func take(_ event: InputMethodEvent) {
        if case .key(let key, _) = event { return take(key) }
        waiting.append(.event(event))
        run()
    }

    /// Called when a composition has ended in the client: its text is no longer marked. Some answers of the input
    /// method that belong to this composition may still be queued. Queues the end of the composition behind these
    /// answers. Queues nothing if there are no such answers.
    ///
    /// Queues nothing either if a queued key ends the composition in its turn: the answers behind that key belong
    /// to a later composition. But while the client loses the focus, the end is queued in this case too.
    func compositionWasEnded() {
        guard !isEndingInTurn || !isSerial else { return }
        guard waiting.contains(where: { if case .event = $0 { true } else { false } }) else { return }
        waiting.append(.compositionEnd)
    }

    /// Handles answers that the client has given on the queue's own thread.
    func answersDidCome() {
        if let session = context.session { session.keyEntriesDidAdvance(of: context) } else { run() }
    }

    // MARK: Focus

    /// Prepares for keys when the client gets the focus. `wake` is called after each answer from another thread.
    func focusCame(_ wake: (@Sendable () -> Void)?) {
        mailbox.setWake(wake)
        isSerial = true
    }

    /// Delivers all queued work and releases the pressed keys. Called when the client loses the focus.
    func focusWent() {
        isSerial = false
        awaited = nil
        run()
        releaseKeys()
    }

    /// Sends releases of the pressed keys, whose real releases will not arrive.
    func releaseKeys() {
        for key in pressed.values.sorted(by: { $0.keycode < $1.keycode }) {
            var released = key
            released.phase = .up
            // The event has the modifiers of the press. Remove Shift and Caps Lock: the client must not think that
            // they are held.
            released.modifiers.subtract([.shift, .capsLock])
            waiting.append(.key(released))
        }
        waiting.append(.shiftEnd)
        run()
    }

    /// Drops all queued work and all answers when the window is closed.
    func close() {
        mailbox.close()
        for entry in pending.values { entry.task?.cancel() }
        (waiting, pending, awaited) = ([], [:], nil)
        pressed = [:]
    }

    // MARK: Delivering in order

    /// Handles answers and deadlines. Then delivers queued work to the client, until the queue has to wait for an
    /// entry.
    func run() {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        context.batch {
            while true {
                takeAnswers()
                passDeadline()
                guard awaited == nil, !waiting.isEmpty else { return }
                perform(waiting.removeFirst())
            }
        }
    }

    private func takeAnswers() {
        for (number, isHandled) in mailbox.take() {
            missedDeadlines = 0
            if awaited?.number == number { awaited = nil }
            if let answered = pending.removeValue(forKey: number), !isHandled { offerToSystem(answered.entry) }
        }
    }

    private func passDeadline() {
        guard awaited != nil || !pending.isEmpty else { return }
        let time = now
        if let deadline = awaited?.deadline, time >= deadline {
            awaited = nil
            missedDeadlines += 1
        }
        // Drop all entries whose deadline has passed, also those for which the queue does not wait. Otherwise their
        // answers would retain the context.
        for (number, late) in pending where time >= late.deadline {
            pending[number] = nil
            late.task?.cancel()
        }
    }

    private func perform(_ work: Work) {
        switch work {
        case .key(let key): give(key)
        case .event(let event): context.receive(event, inTurn: true)
        case .compositionEnd: inTurn { context.keepMarkedText() }
        case .shiftEnd: changeShiftState(to: [])
        }
    }

    @discardableResult
    private func inTurn<Value>(_ work: () -> Value) -> Value {
        isEndingInTurn = true
        defer { isEndingInTurn = false }
        return work()
    }

    private func give(_ key: KeyEvent) {
        context.flush()
        noteShiftState(of: key)
        switch key.phase {
        case .up:
            // Ignore the release of a key whose press the client did not receive. Such a press went to the input
            // method, or was a shortcut.
            guard key.keycode != 0, pressed.removeValue(forKey: key.keycode) != nil else { return }
        case .down:
            if var lost = pressed[key.keycode] {
                waiting.insert(.key(key), at: 0)
                lost.phase = .up
                return give(lost)
            }
            if inTurn({ context.performPriorityCommand(for: key) }) { return }
            if key.keycode != 0 { pressed[key.keycode] = key }
        case .repeat:
            if inTurn({ context.performPriorityCommand(for: key) }) { return }
            if key.keycode != 0 { pressed[key.keycode] = key }
        }
        // A key that types text ends a composition, as in views that are not asynchronous.
        if context.plainText(of: key) != nil { inTurn { context.endCompositionIfAny() } }
        ask(key)
    }

    private func ask(_ key: KeyEvent) {
        guard let input else { return }
        lastNumber += 1
        let number = lastNumber
        let entry = KeyEntry(key, number: number)
        mailbox.open(number)
        // After two missed deadlines, the entry is not pending: it counts as handled at once, and the answer to it
        // is ignored. Without the focus, the entry is pending, but the queue does not wait for its answer.
        if missedDeadlines < 2 || !isSerial {
            if pending.count >= KeyEntryMailbox.limit, let oldest = pending.keys.min() {
                pending.removeValue(forKey: oldest)?.task?.cancel()
            }
            let deadline = now + (context.session?.timing ?? InputTiming()).handling
            pending[number] = Pending(entry: entry, deadline: deadline)
            if isSerial { awaited = (number, deadline) }
        }
        let completion = KeyEntryCompletion(number, mailbox)
        guard let handler = input.keyEntryHandler else { return input.handleKeyEntry(entry, completion: completion) }
        let task = Task {
            // If the handler throws, it may have handled the key. So the entry counts as handled.
            let isHandled = (try? await handler(entry)) ?? true
            completion(isHandled)
        }
        pending[number]?.task = task
    }

    private func noteShiftState(of key: KeyEvent) {
        var state = key.modifiers.intersection([.shift, .capsLock])
        switch key.keysym.rawValue {
        case 0xffe1, 0xffe2: state = key.phase == .up ? state.subtracting(.shift) : state.union(.shift)
        case 0xffe5:
            // Count both changes of Caps Lock at a press, and ignore the releases. In X, a press sets Caps Lock.
            // But only the release after a second press clears it, and the event of this release still has the
            // lock.
            if key.phase == .up { return }
            state.formSymmetricDifference(.capsLock)
        default: break
        }
        changeShiftState(to: state)
    }

    private func changeShiftState(to state: KeyModifiers) {
        guard state != shiftState else { return }
        let old = shiftState
        shiftState = state
        input?.shiftKeyStateChanged(from: old, to: state)
    }

    // MARK: Unhandled entries

    /// Asks the delegate to perform an entry that the client has not handled.
    private func offerToSystem(_ entry: KeyEntry) {
        guard let input else { return }
        var offer = KeyEntryContext(entry)
        offer.isDocumentEditable = input.isEditable
        declined = entry
        _ = (input.asyncInputDelegate ?? context).shouldDeferEventHandlingToSystem(for: input, context: offer)
        declined = nil
    }

    /// Returns whether the input system may perform the entry's key itself: if the client's answer to the entry is
    /// still accepted, or the client has just declined the entry. If so, a later answer is ignored, and the next call
    /// returns false.
    func takeForSystem(_ entry: KeyEntry) -> Bool {
        if declined == entry {
            declined = nil
            return true
        }
        guard let known = pending[entry.number], known.entry == entry else { return false }
        // The entry is done. Ignore the answer to it, which may still arrive.
        pending[entry.number] = nil
        return true
    }
}
