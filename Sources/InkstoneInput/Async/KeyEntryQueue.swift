import InkstoneBase

/// The serial queue between a ``TextInputContext`` and its asynchronous client: one key entry at a time, and behind it what came later.
///
/// A client that misses its deadline has handled the entry, as far as that is known: taking it for unhandled would type it a second
/// time if the client inserts it late. After two missed deadlines without any answer nothing is waited for until one comes.
final class KeyEntryQueue {
    private enum Work {
        case key(KeyEvent)
        case event(InputMethodEvent)
        case compositionEnd
        case shiftEnd
    }

    private struct Pending {
        var entry: KeyEntry
        /// Time from which it counts as handled, whether or not anything waits for it.
        var deadline: Milliseconds
        var task: Task<Void, Never>?
    }

    /// The client; nil once it is gone.
    private(set) weak var input: (any AsyncTextInput)?
    private unowned let context: TextInputContext
    let mailbox = KeyEntryMailbox()
    /// In order.
    private var waiting: [Work] = []
    /// Entries whose answer counts.
    private var pending: [UInt64: Pending] = [:]
    /// The entry that everything else waits for, and until when.
    private var awaited: (number: UInt64, deadline: Milliseconds)?
    /// The entry that its client has answered with false, while the delegate is asked about it.
    private var declined: KeyEntry?
    private var lastNumber: UInt64 = 0
    private var missedDeadlines = 0
    /// The keys that the client was told are down, by keycode.
    private var pressed: [UInt8: KeyEvent] = [:]
    private var shiftState: KeyModifiers = []
    /// Whether entries wait for each other: not after the focus has gone, when nothing wakes up for a deadline.
    private var isSerial = true
    private var isRunning = false
    /// Whether a composition is ended by something that waited for its turn.
    private var isEndingInTurn = false

    init(_ context: TextInputContext, _ input: any AsyncTextInput) {
        self.context = context
        self.input = input
        mailbox.queue = self
    }

    // MARK: State

    /// Whether an entry is with the client, or anything waits behind one.
    var isBusy: Bool { awaited != nil || !waiting.isEmpty }
    /// Time at which ``run()`` has something to do although no answer has come; nil if no answer is awaited.
    var deadline: Milliseconds? { awaited?.deadline }
    /// Whether answers may come that still mean something.
    var hasPending: Bool { input != nil && !pending.isEmpty }

    private var now: Milliseconds { context.session?.clock() ?? Milliseconds(MonotonicClock.milliseconds) }

    // MARK: What comes in

    /// A key that no input method has taken.
    func take(_ key: KeyEvent) {
        waiting.append(.key(key))
        run()
    }

    /// An answer of the input method that came while an entry was with the client.
    func take(_ event: InputMethodEvent) {
        if case .key(let key, _) = event { return take(key) }
        waiting.append(.event(event))
        run()
    }

    /// The client's composition was ended from our side: what the method had said before, and the client has not got yet, ends with it.
    ///
    /// What waits behind a key that ends it came later, and is another composition, unless the focus goes.
    func compositionWasEnded() {
        guard !isEndingInTurn || !isSerial else { return }
        guard waiting.contains(where: { if case .event = $0 { true } else { false } }) else { return }
        waiting.append(.compositionEnd)
    }

    /// Answers came on this thread.
    func answersDidCome() {
        if let session = context.session { session.keyEntriesDidAdvance(of: context) } else { run() }
    }

    // MARK: Focus

    /// Keys come to the client from now on.
    func focusCame(_ wake: (@Sendable () -> Void)?) {
        mailbox.setWake(wake)
        isSerial = true
    }

    /// Keys go elsewhere: the client gets what waits at once, and a release of each key that is down.
    func focusWent() {
        isSerial = false
        awaited = nil
        run()
        releaseKeys()
    }

    /// The releases of the keys that are down will not be seen.
    func releaseKeys() {
        for key in pressed.values.sorted(by: { $0.keycode < $1.keycode }) {
            var released = key
            released.phase = .up
            // The modifiers are those of the press: who hears of the release does not learn from it that Shift is down.
            released.modifiers.subtract([.shift, .capsLock])
            waiting.append(.key(released))
        }
        waiting.append(.shiftEnd)
        run()
    }

    /// The window is gone: nothing that waits is done, and no answer counts.
    func close() {
        mailbox.close()
        for entry in pending.values { entry.task?.cancel() }
        (waiting, pending, awaited) = ([], [:], nil)
        pressed = [:]
    }

    // MARK: Order

    /// Takes answers, notices a deadline, and gives the client what waits as far as it may have it.
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
        // Those that are not waited for any more as well: a context is kept for their answers.
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
            // The press was the input method's or a shortcut.
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
        // As for a view of any other kind: text that is typed beside a composition ends it.
        if context.plainText(of: key) != nil { inTurn { context.endCompositionIfAny() } }
        ask(key)
    }

    private func ask(_ key: KeyEvent) {
        guard let input else { return }
        lastNumber += 1
        let number = lastNumber
        let entry = KeyEntry(key, number: number)
        mailbox.open(number)
        // An entry that is not waited for counts as handled, as one does whose deadline has passed.
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
            // What a client had done with the key before it threw is not known.
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

    /// The client did not handle an entry.
    private func offerToSystem(_ entry: KeyEntry) {
        guard let input else { return }
        var offer = KeyEntryContext(entry)
        offer.isDocumentEditable = input.isEditable
        declined = entry
        _ = (input.asyncInputDelegate ?? context).shouldDeferEventHandlingToSystem(for: input, context: offer)
        declined = nil
    }

    /// Whether an entry may be done by the system, once: it is with the client now, or the client has just declined it.
    func takeForSystem(_ entry: KeyEntry) -> Bool {
        if declined == entry {
            declined = nil
            return true
        }
        guard let known = pending[entry.number], known.entry == entry else { return false }
        // The answer that is still to come is not about this any more: the entry is done.
        pending[entry.number] = nil
        return true
    }
}
