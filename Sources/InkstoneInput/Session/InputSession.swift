import Glibc
public import InkstoneBase

/// What joins a window's user events, its text views and an input method: one order for all.
///
/// A window has one. Keys go in by ``handle(_:raw:)``, all else that must keep its order with them by
/// ``perform(_:endsComposition:_:)``; the method's answers come in by ``receive(_:)``; ``advance()`` is called when
/// ``nextDeadline`` has come. Everything is synchronous and on one thread; time comes from the clock that is passed in.
public final class InputSession {
    /// Where keys go; nil while there is no input method. Held weakly. Follow a change with ``linkDidChange()``.
    public weak var link: (any InputMethodLink)?
    /// The context whose client has the focus within the window.
    public private(set) var activeContext: TextInputContext?
    /// Takes what happens, for a trace; nothing of secret clients comes here. Setting it records the document of the
    /// active client, which is where a replay starts.
    public var onRecord: ((TraceRecord) -> Void)? {
        didSet {
            recordedBindings = .desktop
            recordedEngagement = link?.isEngaged ?? false
            recordedTraits = InputMethodTraits()
            if let activeContext { recordDocument(of: activeContext) }
        }
    }

    /// The session whose event is being handled in this call.
    static var current: InputSession? { CallOfThread.session }

    struct Item {
        var endsComposition: Bool
        /// The key of a priority command or a chord: if it is none when its turn comes, it goes to the method.
        var key: (event: KeyEvent, raw: (any Sendable)?, trace: Int?)?
        var work: () -> Void
    }

    /// Called after an event that had waited for those of another window was handled: ``nextDeadline`` may have changed.
    public var onHeldEvent: (() -> Void)?
    /// What this session shares with those of other windows.
    public let queue: InputQueue

    private var ledger: KeyLedger
    private let timing: InputTiming
    private let clock: () -> Milliseconds
    /// Oldest first; answers of their epochs may still come.
    private var anchors: [EpochAnchor] = []
    private var isWindowFocused = false
    private var isLinkFocused = false
    private var reportedSpot: RootRect??
    private var isClientTouched = false
    private var clearing: (context: TextInputContext, at: Milliseconds)?
    private var batch = 0
    /// What a reader of the trace takes keys to be bound to.
    private var recordedBindings = KeyBindingTable.desktop
    /// Whether a reader of the trace takes keys to go to an input method.
    private var recordedEngagement = false
    /// How a reader of the trace takes the method to answer.
    private var recordedTraits = InputMethodTraits()
    /// Keys of which it is not known yet which client takes them, and what came behind them.
    private var heldTrace = HeldTrace()

    /// A session over an input method, if there is one yet. `clock` gives monotonic milliseconds. Windows whose input
    /// method is the same one share a `queue`.
    public init(
        link: (any InputMethodLink)? = nil, timing: InputTiming = InputTiming(), queue: InputQueue = InputQueue(),
        clock: @escaping () -> Milliseconds
    ) {
        self.link = link
        self.queue = queue
        self.timing = timing
        self.clock = clock
        ledger = KeyLedger(timing: timing)
        ledger.isEngaged = false
    }

    // MARK: User events

    /// A key of the window, whose client is the active context's. `raw` goes to the link with it.
    public func handle(_ key: KeyEvent, raw: (any Sendable)? = nil) {
        asCurrent {
            let trace = onRecord.map { _ in heldTrace.hold(TraceRecord(time: clock(), .key(key))) }
            updateEngagement()
            let isCommand = activeContext.map { $0.priorityCommand(for: key) != nil || $0.belongsToChord(key) } ?? false
            if isCommand {
                queue.append(.item(Item(endsComposition: false, key: (key, raw, trace), work: {}), .command), of: self)
            } else {
                queue.append(.key(key, raw: raw, trace: trace), of: self)
            }
            run()
        }
    }

    /// Does `work` in its turn: after the keys before it, as long as may be waited for them. It may run within this
    /// call or up to ``InputTiming/limit`` later.
    ///
    /// `endsComposition`: a composition is ended first, its text stays; so for a click into the text or elsewhere, not
    /// for one on a scroll bar. Keys of before that are answered later type where they were pressed.
    public func perform(
        _ kind: InputItemKind, endsComposition: Bool = true, _ work: @escaping () -> Void
    ) {
        asCurrent {
            record(.item(kind, endsComposition: endsComposition))
            updateEngagement()
            queue.append(.item(Item(endsComposition: endsComposition, work: work), kind), of: self)
            run()
        }
    }

    /// The window gets or loses the display's focus, in its turn. A composition ends with it and stays as text.
    /// `work` follows.
    public func windowFocusChanged(_ isFocused: Bool, then work: @escaping () -> Void = {}) {
        perform(.focus, endsComposition: !isFocused) { [weak self] in
            guard let self else { return }
            record(.focus(isFocused))
            if !isFocused { activeContext?.cancelChord() }
            isWindowFocused = isFocused
            if isFocused { ledger.focusCame() }
            updateLinkFocus()
            work()
        }
    }

    // MARK: Contexts

    /// Keys go to this context from now on. A composition of the one before ends; its text stays.
    public func activate(_ context: TextInputContext) {
        guard context !== activeContext else { return updateLinkFocus() }
        if let old = activeContext {
            endComposition(of: old)
            old.cancelChord()
        }
        activeContext = context
        if context.session !== self { context.session = self }
        reportedSpot = nil
        recordDocument(of: context)
        updateEngagement()
        updateLinkFocus()
    }

    /// Keys go nowhere, if it was this context that they went to.
    public func deactivate(_ context: TextInputContext) {
        guard context === activeContext else { return }
        endComposition(of: context)
        context.cancelChord()
        activeContext = nil
        updateEngagement()
        updateLinkFocus()
    }

    /// The client's editability or secrecy has changed: the method comes or goes.
    public func clientTraitsDidChange() {
        guard let context = activeContext else { return }
        if !context.acceptsInputMethod { endComposition(of: context) }
        updateEngagement()
        updateLinkFocus()
    }

    // MARK: The input method

    /// Answers, in the order in which they arrived. Those that came together are given together: then what is cleared
    /// and committed at once does not flicker.
    public func receive(_ events: [InputMethodEvent]) {
        guard !events.isEmpty else { return }
        asCurrent {
            batch += 1
            let context = activeContext
            let deliverAll = { [self] in
                for (index, event) in events.enumerated() {
                    record(.event(event, batch: batch))
                    let destination = ledger.destination(of: event, at: clock())
                    if case .progress = event { continue }
                    // What was composed unseen is committed by now: no answer to an earlier key is left.
                    if case .resetReply = event, case .epoch(let ended) = destination, link?.composesUnseen ?? false {
                        ledger.forgetFlights(through: ended)
                    }
                    deliver(event, destination, isMoreKnown: events[(index + 1)...].contains(where: \.isOfComposition))
                    typeDueKeys()
                }
            }
            if let context { context.batch(deliverAll) } else { deliverAll() }
            run()
        }
    }

    /// There is another link, or whether it is engaged has changed. If it no longer is, nothing is waited for.
    public func linkDidChange() {
        asCurrent {
            if recordedEngagement != link?.isEngaged ?? false { recordLink() }
            updateEngagement()
            isLinkFocused = false
            reportedSpot = nil
            updateLinkFocus()
            run()
        }
    }

    /// The method died or was given up, after it had said nothing for `silence`. What it composed stays as text; the keys that it has
    /// not answered are typed where they belong, before anything that waited for them is done.
    public func linkWasLost(afterSilence silence: Milliseconds) {
        asCurrent {
            recordLink(silence: silence)
            activeContext?.keepMarkedText(withCleared: ledger.keepsCleared(afterSilence: silence))
            let owed = ledger.takeOwed(afterSilence: silence)
            ledger.methodWasLost()
            let context = activeContext
            let typeAll = { [self] in
                for key in owed {
                    switch key {
                    case .held(let event, _): activeContext?.receive(event)
                    case .unanswered(let key, let ticket):
                        for event in link?.answersOfItsOwn(to: key, ticket: ticket) ?? [.key(key, ticket)] {
                            deliver(event, ledger.destination(of: event, at: clock()))
                        }
                    }
                }
                typeHeldKeys()
            }
            if let context { context.batch(typeAll) } else { typeAll() }
            ledger.methodWasLost()
            anchors = []
            linkDidChange()
        }
    }

    // MARK: Time

    /// When ``advance()`` has something to do; nil if nothing waits.
    public var nextDeadline: Milliseconds? {
        [queue.deadline(for: self), clearing?.at, ledger.heldDeadline(at: clock())].compactMap { $0 }.min()
    }

    /// Does what is due. Harmless at any time.
    public func advance() { asCurrent { run() } }

    /// Whether user events wait, for the input method or for those of another window.
    public var isWaiting: Bool { queue.holds(self) }

    // MARK: The queue's side

    /// Whether an entry of this session, with nothing before it, may be done now.
    func mayDo(_ entry: inout InputQueue.Entry) -> Bool {
        let now = clock()
        switch entry.work {
        case .key:
            ledger.pass(to: now)
            return ledger.mayForward(at: now)
        case .item(_, let kind):
            ledger.pass(to: now, isSaving: kind == .save)
            let since = entry.since ?? now
            entry.since = since
            return ledger.mayPerform(kind, since: since, at: now)
        }
    }

    /// When ``mayDo(_:)`` is to be asked again if nothing comes from the method before.
    func deadline(of entry: InputQueue.Entry) -> Milliseconds {
        switch entry.work {
        case .key: ledger.forwardDeadline
        case .item(_, let kind): ledger.performDeadline(kind, since: entry.since ?? clock())
        }
    }

    func perform(_ work: InputQueue.Work) {
        asCurrent {
            switch work {
            case .key(let key, let raw, let trace): send(key, raw, trace)
            case .item(let item, let kind): perform(item, kind)
            }
        }
    }

    /// Does what has become due besides the queue.
    func catchUp() {
        asCurrent {
            ledger.pass(to: clock(), isSaving: queue.isSaving(self))
            if let clearing, clearing.at <= clock() {
                self.clearing = nil
                clearing.context.flush()
            }
            typeDueKeys()
        }
    }

    /// Something of this session was done in another one's turn.
    func didRun() {
        asCurrent { finishTurn() }
        onHeldEvent?()
    }

    // MARK: Inside

    /// `isMoreKnown`: what the method has to say of a composition after this is known already.
    private func deliver(
        _ event: InputMethodEvent, _ destination: KeyLedger.Destination, isMoreKnown: Bool = false
    ) {
        switch destination {
        case .current:
            // What is composed now is what the method commits, although it may read like what it was told to forget.
            if case .commit(let text) = event, activeContext?.composes(text) != true,
                let epoch = ledger.epochOfLateCommit(at: clock()),
                anchors.last(where: { $0.epoch == epoch })?.absorb(text) ?? false
            {
                return
            }
            if case .key(let key, let ticket) = event, isHeld(key, ticket, event, isMoreKnown) { return }
            if case .commit = event, ledger.isCommitLater(at: clock()) { typeHeldKeys() }
            activeContext?.receive(event)
        case .epoch(let number):
            if let index = anchors.lastIndex(where: { $0.epoch == number }) {
                let late = anchors[index]
                let start = late.ends?.start
                late.receive(event)
                if let start { anchors[(index + 1)...].forEach { $0.stay(behind: late, from: start) } }
            } else if event.isKey {
                activeContext?.receive(event)
            }
        }
    }

    /// Whether a key that has come back is not to be typed now, by what the ledger knows of those before it.
    private func isHeld(
        _ key: KeyEvent, _ ticket: KeyTicket?, _ event: InputMethodEvent, _ isMoreKnown: Bool
    ) -> Bool {
        guard let context = activeContext, key.phase != .up, !key.keysym.isModifier else { return false }
        let text = context.plainText(of: key)
        var decision = ledger.decision(
            on: ticket, typesText: text != nil, isComposing: context.isComposing, isMoreKnown: isMoreKnown,
            composesUnseen: link?.composesUnseen ?? false, at: clock())
        if decision == .insertBefore {
            if let text, context.insertBeforeComposition(text) { return true }
            // A client that takes no text there.
            decision = ledger.decision(
                on: nil, typesText: true, isComposing: true, isMoreKnown: isMoreKnown, composesUnseen: false,
                at: clock())
        }
        guard decision == .hold else { return false }
        ledger.hold(event, ticket, isComposing: context.isComposing, at: clock())
        return true
    }

    private func typeDueKeys() {
        while let key = ledger.takeDueKey(isComposing: activeContext?.isComposing ?? false, at: clock()) {
            activeContext?.receive(key)
        }
    }

    /// Types what waits, whatever it waits for.
    private func typeHeldKeys() {
        while let key = ledger.takeKey() { activeContext?.receive(key) }
    }

    private func run() {
        guard !queue.isRunning else { return }
        catchUp()
        queue.run(for: self)
        finishTurn()
    }

    /// Where nobody composes, the spot may wait until the host has painted.
    private func finishTurn() {
        if isClientTouched, ledger.isEngaged, let activeContext { updateSpot(of: activeContext) }
        isClientTouched = false
    }

    private func send(_ key: KeyEvent, _ raw: (any Sendable)?, _ trace: Int?) {
        if let trace { heldTrace.release(trace, isSecret: activeContext?.isSecret ?? false).forEach { onRecord?($0) } }
        if ledger.isEngaged {
            let ticket = ledger.keySent(key, at: clock())
            link?.forward(key, raw: raw, ticket: ticket)
        } else {
            for typed in link?.plainKeys(for: key) ?? [key] { activeContext?.type(typed) }
        }
    }

    private func perform(_ item: Item, _ kind: InputItemKind) {
        if activeContext?.isComposing != true { typeHeldKeys() }
        // What only the method shows is not in the text that is saved, and some lose it when they are told to end it.
        if item.endsComposition, let activeContext { endComposition(of: activeContext, keepingUnseen: kind == .save) }
        if let (event, raw, trace) = item.key {
            let isTaken =
                activeContext.map { $0.priorityCommand(for: event) != nil || $0.belongsToChord(event) } ?? false
            guard isTaken else {
                updateEngagement()
                return send(event, raw, trace)
            }
            if let trace {
                heldTrace.release(trace, isSecret: activeContext?.isSecret ?? false).forEach { onRecord?($0) }
            }
            if let context = activeContext, let command = context.priorityCommand(for: event) {
                // Keys that the command could not wait for type where they were pressed.
                let endsComposition = !command.isAllowedDuringComposition && !command.action.keepsComposition
                if endsComposition { endComposition(of: context) }
                context.perform(command.action, endsComposition: endsComposition)
            } else if let context = activeContext {
                endComposition(of: context)
                context.type(event)
            }
            return
        }
        item.work()
        if let client = activeContext?.inputClient { record(.selection(client.selectedRange())) }
        isClientTouched = true
    }

    /// Ends what is composed in `context`, or what keys on their way may become. `keepingUnseen`: but not what the method
    /// shows itself.
    func endComposition(of context: TextInputContext, keepingUnseen: Bool = false) {
        guard context === activeContext else {
            context.keepMarkedText()
            return
        }
        let now = clock()
        ledger.forgetClearing()
        if clearing?.context === context { clearing = nil }
        let isComposing = context.isComposing || context.inputClient?.hasMarkedText() ?? false
        let wasEngaged = ledger.isEngaged
        let isUnseen = wasEngaged && link?.composesUnseen ?? false
        let mayCompose = isUnseen ? ledger.hasSentKeys && !keepingUnseen : ledger.hasKeysInFlight(at: now)
        guard isComposing || mayCompose else { return }
        guard let (range, buffer) = context.keepMarkedText() else { return }
        typeHeldKeys()
        let epoch = ledger.beginEpoch(
            hadComposition: isComposing, expectsReply: wasEngaged && link != nil, at: now)
        if let anchor = EpochAnchor(epoch: epoch, context: context, range: range, buffer: buffer) {
            anchors.append(anchor)
            if anchors.count > 8 { anchors.removeFirst() }
        }
        if wasEngaged, let link {
            record(.reset)
            link.reset()
        }
    }

    /// A context has a cleared preedit on the screen, whose commit may follow.
    func expectCommit(for context: TextInputContext) {
        clearing = (context, clock() + timing.clearing)
    }

    /// Tells the link where `context` composes, if it is the active one and that has changed.
    func updateSpot(of context: TextInputContext) {
        guard context === activeContext, isLinkFocused, let link, link.wantsSpot,
            let client = context.inputClient
        else { return }
        var range = client.selectedRange()
        if !client.hasMarkedText(), !range.isNotFound { range.length = 0 }
        let spot = range.isNotFound ? nil : client.firstRect(forCharacterRange: range).rect
        guard reportedSpot != .some(spot) else { return }
        reportedSpot = spot
        record(.spot(spot))
        link.setSpot(spot)
    }

    private func recordLink(silence: Milliseconds? = nil) {
        recordedEngagement = link?.isEngaged ?? false
        record(.link(isEngaged: recordedEngagement, lostAfterSilence: silence))
    }

    private func updateEngagement() {
        let engaged = (link?.isEngaged ?? false) && (activeContext?.acceptsInputMethod ?? false)
        if ledger.isEngaged, !engaged { ledger.methodWasLost() }
        ledger.isEngaged = engaged
        ledger.traits = link?.traits ?? InputMethodTraits()
        guard onRecord != nil, ledger.traits != recordedTraits else { return }
        recordedTraits = ledger.traits
        record(.method(recordedTraits))
    }

    private func updateLinkFocus() {
        let wanted = isWindowFocused && (activeContext?.acceptsInputMethod ?? false)
        if wanted != isLinkFocused {
            isLinkFocused = wanted
            if wanted { link?.focusIn() } else { link?.focusOut() }
        }
        if wanted, let activeContext {
            reportedSpot = nil
            updateSpot(of: activeContext)
        }
    }

    private func asCurrent(_ work: () -> Void) {
        CallOfThread.run(work, of: self)
    }

    // MARK: Recording

    /// Records a call to a client.
    func record(_ call: ClientCall, of context: TextInputContext) {
        if context === activeContext { isClientTouched = true }
        if onRecord != nil, !context.isSecret { trace(.call(call)) }
    }

    private func record(_ event: TraceRecord.Event) {
        if onRecord != nil, !(activeContext?.isSecret ?? false) { trace(event) }
    }

    private func trace(_ event: TraceRecord.Event) {
        for record in heldTrace.add(TraceRecord(time: clock(), event)) { onRecord?(record) }
    }

    private func recordDocument(of context: TextInputContext) {
        guard onRecord != nil, !context.isSecret, let client = context.inputClient else { return }
        record(.document(client.attributedString().string, client.selectedRange()))
        recordBindings(of: context)
    }

    /// Keys of a context are bound otherwise than before.
    func recordBindings(of context: TextInputContext) {
        guard onRecord != nil, context === activeContext, !context.isSecret, context.keyBindings != recordedBindings
        else { return }
        recordedBindings = context.keyBindings
        record(.keyBindings(recordedBindings))
    }
}

/// The session in whose call a thread is.
///
/// Not a task-local value: tasks that a client makes in such a call would take that along, to any thread and time.
private enum CallOfThread {
    /// Nil if the process has no more keys for values of threads.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var session: InputSession? {
        guard let key, let value = pthread_getspecific(key) else { return nil }
        return Unmanaged<InputSession>.fromOpaque(value).takeUnretainedValue()
    }

    /// Runs `work` as a call of `session`, which lives at least as long as the call.
    static func run(_ work: () -> Void, of session: InputSession) {
        guard let key else { return work() }
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(session).toOpaque())
        withExtendedLifetime(session, work)
        pthread_setspecific(key, outer)
    }
}
