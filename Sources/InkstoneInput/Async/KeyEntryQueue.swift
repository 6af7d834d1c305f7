import InkstoneBase

/// The serial queue between a ``TextInputContext`` and its asynchronous client: one key entry at a time, and all later input behind it.
///
/// An entry whose client misses the deadline counts as handled: otherwise the system would type it, and the client might insert it a second
/// time later. After two missed deadlines in a row, entries are not waited for until an answer comes.
final class KeyEntryQueue {
    private enum Work {
        case key(KeyEvent)
        case event(InputMethodEvent)
        case compositionEnd
        case shiftEnd
    }

    private struct Pending {
        var entry: KeyEntry
        /// The time from which the entry counts as handled, whether or not anything waits for it.
        var deadline: Milliseconds
        var task: Task<Void, Never>?
    }

    /// The client; nil once it is gone.
    private(set) weak var input: (any AsyncTextInput)?
    private unowned let context: TextInputContext
    let mailbox = KeyEntryMailbox()
    /// The deferred work, in order.
    private var waiting: [Work] = []
    /// The entries whose answers are still accepted.
    private var pending: [UInt64: Pending] = [:]
    /// The entry that all later work waits for, and its deadline.
    private var awaited: (number: UInt64, deadline: Milliseconds)?
    /// The entry that its client has just declined, while the delegate handles it.
    private var declined: KeyEntry?
    private var lastNumber: UInt64 = 0
    private var missedDeadlines = 0
    /// The keys whose press the client received, by keycode.
    private var pressed: [UInt8: KeyEvent] = [:]
    private var shiftState: KeyModifiers = []
    /// Whether entries wait for each other: not without the focus, when nothing wakes up for a deadline.
    private var isSerial = true
    private var isRunning = false
    /// Whether the composition is being ended by deferred work in its turn.
    private var isEndingInTurn = false

    init(_ context: TextInputContext, _ input: any AsyncTextInput) {
        self.context = context
        self.input = input
        mailbox.queue = self
    }

    // MARK: State

    /// Whether the client has an entry, or work waits behind one.
    var isBusy: Bool { awaited != nil || !waiting.isEmpty }
    /// The time at which ``run()`` is to be called even without an answer; nil if no answer is awaited.
    var deadline: Milliseconds? { awaited?.deadline }
    /// Whether answers to some entries are still accepted.
    var hasPending: Bool { input != nil && !pending.isEmpty }

    private var now: Milliseconds { context.session?.clock() ?? Milliseconds(MonotonicClock.milliseconds) }

    // MARK: What comes in

    /// Queues a key that no input method has used.
    func take(_ key: KeyEvent) {
        // One repetition of a held key waits at most, so that no slow client goes on long after the release.
        if key.phase == .repeat {
            waiting.removeAll {
                if case .key(let old) = $0 { old.phase == .repeat && old.keycode == key.keycode } else { false }
            }
        }
        waiting.append(.key(key))
        run()
    }

    /// Queues an answer of the input method that came while the client had an entry.
    func take(_ event: InputMethodEvent) {
        if case .key(let key, _) = event { return take(key) }
        waiting.append(.event(event))
        run()
    }

    /// Ends the queued part of a composition that was ended by the client's side: earlier answers that the client has not received
    /// belong to it.
    ///
    /// Answers behind a key that ends it belong to a later composition, unless the focus is lost.
    func compositionWasEnded() {
        guard !isEndingInTurn || !isSerial else { return }
        guard waiting.contains(where: { if case .event = $0 { true } else { false } }) else { return }
        waiting.append(.compositionEnd)
    }

    /// Handles answers that came on this thread.
    func answersDidCome() {
        if let session = context.session { session.keyEntriesDidAdvance(of: context) } else { run() }
    }

    // MARK: Focus

    /// Prepares for keys, because the client gets the focus.
    func focusCame(_ wake: (@Sendable () -> Void)?) {
        mailbox.setWake(wake)
        isSerial = true
    }

    /// Delivers all queued work at once and releases the pressed keys, because the client loses the focus.
    func focusWent() {
        isSerial = false
        awaited = nil
        run()
        releaseKeys()
    }

    /// Sends releases of the pressed keys, whose own releases will not arrive.
    func releaseKeys() {
        for key in pressed.values.sorted(by: { $0.keycode < $1.keycode }) {
            var released = key
            released.phase = .up
            // The modifiers are those of the press; without these two the client does not see Shift as held.
            released.modifiers.subtract([.shift, .capsLock])
            waiting.append(.key(released))
        }
        waiting.append(.shiftEnd)
        run()
    }

    /// Drops all queued work and all answers, because the window is closed.
    func close() {
        mailbox.close()
        for entry in pending.values { entry.task?.cancel() }
        (waiting, pending, awaited) = ([], [:], nil)
        pressed = [:]
    }

    // MARK: Order

    /// Handles answers and deadlines, then delivers queued work to the client as far as no entry is awaited.
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
        // Also drop entries that are no longer awaited: a context is kept for their answers.
        for (number, late) in pending where time >= late.deadline {
            pending[number] = nil
            late.task?.cancel()
        }
    }

    private func perform(_ work: Work) {
        switch work {
        case .key(let key): give(key)
        case .event(let event): context.receiveNow(event)
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
            // The press went to the input method or was a shortcut.
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
        // As in other views, text typed beside a composition ends it.
        if context.plainText(of: key) != nil { inTurn { context.endCompositionIfAny() } }
        ask(key)
    }

    private func ask(_ key: KeyEvent) {
        guard let input else { return }
        lastNumber += 1
        let number = lastNumber
        let entry = KeyEntry(key, number: number)
        mailbox.open(number)
        // An entry that is not awaited counts as handled, like one past its deadline.
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
            // If the handler throws, it may have handled the key already, so count it as handled.
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
            // X changes the lock with the press that sets it and with the release of the one that clears it.
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

    // MARK: Deferring to the system

    /// Offers an entry that the client did not handle to the delegate.
    private func offerToSystem(_ entry: KeyEntry) {
        guard let input else { return }
        var offer = KeyEntryContext(entry)
        offer.isDocumentEditable = input.isEditable
        declined = entry
        _ = (input.asyncInputDelegate ?? context).shouldDeferEventHandlingToSystem(for: input, context: offer)
        declined = nil
    }

    /// Returns whether the system may perform an entry, once: the client has it now, or has just declined it.
    func takeForSystem(_ entry: KeyEntry) -> Bool {
        if declined == entry {
            declined = nil
            return true
        }
        guard let known = pending[entry.number], known.entry == entry else { return false }
        // The answer that is still to come must not be acted on: the entry is done.
        pending[entry.number] = nil
        return true
    }
}
