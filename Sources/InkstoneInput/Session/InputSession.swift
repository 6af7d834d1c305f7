public import InkstoneBase

/// A session that brings the user's events in a window, its text views and an input method into one order.
///
/// Each window has one session. Pass keys to ``handle(_:raw:)``, and the method's answers to `receive(_:)`. Pass other
/// events whose order relative to keys matters to `perform(_:endsComposition:inWork:_:)`. Call ``advance()`` at
/// ``nextDeadline``. Everything happens within these calls, on one thread. The time comes from the clock that is passed
/// to the initializer.
public final class InputSession {
    /// The connection to the input method, to which the keys are sent; nil while there is none. Held weakly. Call
    /// ``linkDidChange()`` after a change.
    package weak var link: (any InputMethodLink)?
    /// The context whose client has the focus within the window; nil for none.
    package private(set) var activeContext: TextInputContext?
    /// Called with each record of a trace. Records of secret clients are left out. When this is set, the document
    /// of the active client is recorded, because a replay starts with it.
    package var onRecord: ((TraceRecord) -> Void)? {
        get { recorder.onRecord }
        set {
            recorder.begin(newValue, isEngaged: link?.isEngaged ?? false)
            if let activeContext { recordDocument(of: activeContext) }
        }
    }

    /// The session whose input this thread is handling in the present call; nil outside of such a call.
    static var current: InputSession? { CallOfThread.session }

    struct Item {
        var endsComposition: Bool
        /// The key, for an entry of a key that was a priority command or a part of a chord when it was struck;
        /// otherwise nil. A key that is neither when the entry is performed is sent to the input method.
        var key: (event: KeyEvent, raw: (any Sendable)?, trace: Int?)?
        var work: () -> Void
    }

    /// Called after an event was handled that had waited for another window or for an asynchronous client.
    /// ``nextDeadline`` may have changed then.
    package var onHeldEvent: (() -> Void)?
    /// Called on any thread, when an asynchronous client has given an answer there. Must cause a call of
    /// ``advance()`` on the session's own thread. Set this closure before a context is activated.
    package var onAnswer: (@Sendable () -> Void)?
    /// The contexts that have lost the focus while their asynchronous clients had not answered all of their
    /// entries.
    private var answering: [TextInputContext] = []
    /// Answers of the input method that wait until an asynchronous client has finished with a key.
    enum HeldAnswers {
        case events(ArraySlice<InputMethodEvent>)
        case loss(InputMethodLoss, [KeyEvent])
    }
    /// An empty array whose capacity is reused for each ``InputMethodLink/takeOwnAnswers(_:)``, to avoid allocations.
    var answerRoom: [InputMethodEvent] = []
    /// The answers that wait until an asynchronous client has finished with a key, in order.
    var heldAnswers: [HeldAnswers] = []
    /// Whether answers that come now have to wait.
    var holdsAnswers: Bool { !heldAnswers.isEmpty || activeContext?.keyEntries?.isBusy ?? false }
    /// The queue shared with the sessions of other windows.
    package let queue: InputQueue

    var ledger: KeyLedger
    let timing: InputTiming
    let clock: () -> Milliseconds
    /// The anchors of ended epochs, oldest first. Answers that still come to keys of these epochs go to the
    /// positions of the anchors.
    var anchors: [EpochAnchor] = []
    private var isWindowFocused = false
    private var isLinkFocused = false
    private var isClientTouched = false
    private var clearing: (context: TextInputContext, at: Milliseconds)?
    var batch = 0
    /// The ticket of the first key that may be meant for the active context. Keys with earlier tickets were struck
    /// elsewhere.
    private(set) var firstTicket = KeyTicket(rawValue: 0)
    private let recorder = SessionRecorder()

    /// Creates a session for an input method.
    ///
    /// - Parameters:
    ///   - link: the connection to the input method; nil if there is none yet.
    ///   - queue: the queue that windows with the same input method share.
    ///   - clock: returns monotonic milliseconds.
    package init(
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

    /// Whether ``end()`` was called.
    package private(set) var isEnded = false

    /// Ends the session together with its window. Its deferred keys and work are dropped, and later ones are
    /// ignored. Entries of other windows that waited behind them go on.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        activeContext?.keyEntries?.close()
        for context in answering { context.keyEntries?.close() }
        (answering, heldAnswers) = ([], [])
        queue.drop(self)
    }

    /// Handles a key of the window, for the client of the active context. `raw` is passed to the link together with
    /// the key.
    public func handle(_ key: KeyEvent, raw: (any Sendable)? = nil) {
        guard !isEnded else { return }
        asCurrent {
            let trace = recorder.isRecording ? recorder.hold(key, at: clock()) : nil
            updateEngagement()
            let isCommand = activeContext.map { $0.priorityCommand(for: key) != nil || $0.belongsToChord(key) } ?? false
            if isCommand {
                queue.append(.item(Item(endsComposition: false, key: (key, raw, trace), work: {}), .command), of: self)
            } else {
                if key.phase == .repeat, activeContext?.keyEntries != nil { queue.makeRoom(for: key, of: self) }
                queue.append(.key(key, raw: raw, trace: trace), of: self)
            }
            run()
        }
    }

    /// Performs `work` after the keys before it have been answered, or when its maximum wait is over. It may run within
    /// this call or later.
    ///
    /// - Parameters:
    ///   - kind: the kind of the work; determines how long it waits at most.
    ///   - endsComposition: whether a composition is ended first; its text stays. Pass true for a click into the
    ///     text or elsewhere, but not for a click on a scroll bar. Earlier keys that are answered only later type
    ///     at their original position.
    ///   - inWork: whether `work` itself ends the composition, by ``TextInputContext/discardMarkedText()``, if that
    ///     is necessary. For example, a press that has no effect, or that a delegate refuses, does not end it. A
    ///     trace records the composition as ended.
    package func perform(
        _ kind: InputItemKind, endsComposition: Bool = true, inWork: Bool = false, _ work: @escaping () -> Void
    ) {
        guard !isEnded else { return }
        asCurrent {
            record(.item(kind, endsComposition: endsComposition))
            updateEngagement()
            var isEnding = endsComposition && !inWork
            if kind == .close, isEnding {
                // End the composition in an entry of its own, so that the input method can answer before the window is
                // closed.
                queue.append(.item(Item(endsComposition: true, work: {}), kind), of: self)
                isEnding = false
            }
            queue.append(.item(Item(endsComposition: isEnding, work: work), kind), of: self)
            run()
        }
    }

    /// Queues a change of the display's focus to or from this window. When the entry is performed, the loss of the
    /// focus ends the composition, whose text stays. Then `work` is called.
    public func windowFocusChanged(_ isFocused: Bool, then work: @escaping () -> Void = {}) {
        perform(.focus, endsComposition: !isFocused) { [weak self] in
            guard let self else { return }
            record(.focus(isFocused))
            if !isFocused {
                activeContext?.cancelChord()
                activeContext?.keyEntries?.releaseKeys()
            }
            isWindowFocused = isFocused
            if isFocused { ledger.focusCame() }
            updateLinkFocus()
            work()
        }
    }

    // MARK: Contexts

    /// Makes a context receive the keys from now on. A composition in the context before ends, and its text stays.
    public func activate(_ context: TextInputContext) {
        guard context !== activeContext else { return updateLinkFocus() }
        let wasWaiting = activeContext.map(leave) ?? false
        activeContext = context
        if context.session !== self { context.session = self }
        context.keyEntries?.focusCame(onAnswer)
        recordDocument(of: context)
        updateEngagement()
        updateLinkFocus()
        if wasWaiting { goOn() }
    }

    /// Stops sending keys to this context. Has no effect if the context is not the active one.
    public func deactivate(_ context: TextInputContext) {
        guard context === activeContext else { return }
        _ = leave(context)
        activeContext = nil
        updateEngagement()
        updateLinkFocus()
    }

    /// Ends what is in progress in a context that will receive no more keys, such as its composition and its chord.
    /// Returns whether the session was waiting for the context's asynchronous client.
    private func leave(_ context: TextInputContext) -> Bool {
        firstTicket = KeyTicket(rawValue: ledger.nextTicket)
        let wasWaiting = context.keyEntries?.isBusy ?? false
        if let entries = context.keyEntries {
            asCurrent { entries.focusWent() }
            if entries.hasPending, !answering.contains(where: { $0 === context }) { answering.append(context) }
        }
        endComposition(of: context)
        context.cancelChord()
        return wasWaiting
    }

    /// Continues with the input that had waited for an asynchronous client to answer.
    private func goOn() {
        advance()
        onHeldEvent?()
    }

    /// Updates whether keys go to the input method. Call when the client has become editable or read-only, or when
    /// its text has become secret or is no longer secret.
    package func clientTraitsDidChange() {
        guard let context = activeContext else { return }
        if !context.acceptsInputMethod { endComposition(of: context) }
        updateEngagement()
        updateLinkFocus()
    }

    // MARK: The input method

    /// Updates the session. Call when `link` was replaced, or was engaged or disengaged. If `link` is not engaged
    /// any more, the queue stops waiting for it.
    package func linkDidChange() {
        asCurrent {
            if recorder.isEngaged != link?.isEngaged ?? false { recordLink() }
            updateEngagement()
            isLinkFocused = false
            updateLinkFocus()
            run()
        }
    }

    // MARK: Time

    /// The time at which ``advance()`` is to be called; nil if nothing waits.
    public var nextDeadline: Milliseconds? {
        var next = queue.deadline(for: self) ?? .infinity
        if let clearing { next = min(next, clearing.at) }
        if let deadline = activeContext?.keyEntries?.deadline {
            next = min(next, deadline)
        } else if !heldAnswers.isEmpty {
            next = clock()
        }
        if ledger.held != nil, let held = ledger.heldDeadline(at: clock()) { next = min(next, held) }
        return next == .infinity ? nil : next
    }

    /// Performs all work that is due by now. May be called at any time.
    public func advance() { asCurrent { run() } }

    /// Whether user events are waiting: for the input method, for an asynchronous client, or for events of another
    /// window.
    package var isWaiting: Bool { queue.holds(self) || holdsAnswers }

    /// Whether answers of the input method to keys of the present epoch may still arrive.
    package var hasKeysInFlight: Bool { ledger.hasKeysInFlight(at: clock()) }

    /// Handles the answers of an asynchronous client, on the session's thread.
    func keyEntriesDidAdvance(of context: TextInputContext) {
        asCurrent { context.keyEntries?.run() }
        goOn()
    }

    // MARK: Calls by the queue

    /// Whether `entry`, which belongs to this session and is the first in the queue, may be performed now.
    func mayDo(_ entry: inout InputQueue.Entry) -> Bool {
        if holdsAnswers { return false }
        let now = clock()
        switch entry.work {
        case .key:
            ledger.pass(to: now)
            return ledger.mayForward(at: now)
        case .item(let item, let kind):
            ledger.pass(to: now, isSaving: kind.waitsForAll)
            if !item.endsComposition, kind.waitsForQuiet, holdsProgramKey { return false }
            let since = entry.since ?? now
            entry.since = since
            if awaitsEnd(item, kind), !ledger.mayForward(at: now) { return false }
            return ledger.mayPerform(kind, since: since, at: now)
        }
    }

    /// Returns the time by which to call ``mayDo(_:)`` again, even if the input method has sent nothing.
    func deadline(of entry: InputQueue.Entry) -> Milliseconds {
        if let deadline = activeContext?.keyEntries?.deadline { return deadline }
        return switch entry.work {
        case .key: ledger.forwardDeadline
        case .item(let item, let kind) where !item.endsComposition && kind.waitsForQuiet && holdsProgramKey:
            ledger.heldDeadline(at: clock()) ?? clock()
        case .item(let item, let kind):
            max(
                ledger.performDeadline(kind, since: entry.since ?? clock()),
                awaitsEnd(item, kind) ? ledger.forwardDeadline : -.infinity)
        }
    }

    /// Whether an entry waits for the text of a composition that an earlier entry has ended. True for the closing of
    /// the window.
    private func awaitsEnd(_ item: Item, _ kind: InputItemKind) -> Bool { kind == .close && !item.endsComposition }

    func perform(_ work: InputQueue.Work) {
        asCurrent {
            switch work {
            case .key(let key, let raw, let trace): send(key, raw, trace)
            case .item(let item, let kind): perform(item, kind)
            }
        }
    }

    /// Performs the due work that is not in the queue: expired waits, answers of asynchronous clients, and held answers
    /// and keys.
    func catchUp() {
        asCurrent {
            ledger.pass(to: clock(), isSaving: queue.isSaving(self))
            activeContext?.keyEntries?.run()
            if !answering.isEmpty {
                for context in answering { context.keyEntries?.run() }
                answering.removeAll { $0.keyEntries?.hasPending != true }
            }
            if !heldAnswers.isEmpty { deliverHeldAnswers() }
            if let clearing, clearing.at <= clock() {
                self.clearing = nil
                clearing.context.flush()
            }
            typeDueKeys()
        }
    }

    /// Called after another session has performed an entry of this session: reports the position of the composition to
    /// the input method, and calls ``onHeldEvent``.
    func didRun() {
        asCurrent { finishTurn() }
        onHeldEvent?()
    }

    // MARK: Performing due work

    func run() {
        guard !queue.isRunning else { return }
        repeat {
            catchUp()
            queue.run(for: self)
        } while deliverOwnAnswers()
        finishTurn()
    }

    /// Reports the position of the composition at the end of a call that has changed the client, if an input method is
    /// engaged. Otherwise the report can wait until the host has painted.
    private func finishTurn() {
        if isClientTouched, ledger.isEngaged { updateSpot() }
        isClientTouched = false
    }

    private func send(_ key: KeyEvent, _ raw: (any Sendable)?, _ trace: Int?) {
        recorder.release(trace, key, isSecret: isSecret)
        if ledger.isEngaged {
            let ticket = ledger.keySent(key, at: clock())
            link?.forward(key, raw: raw, ticket: ticket)
        } else {
            for typed in link?.plainKeys(for: key) ?? [key] { activeContext?.type(typed) }
        }
    }

    private func perform(_ item: Item, _ kind: InputItemKind) {
        if activeContext?.isComposing != true { typeHeldKeys() }
        if item.endsComposition, let activeContext {
            endComposition(of: activeContext, keepingUnseen: kind.keepsUnseenComposition)
        }
        if let (event, raw, trace) = item.key {
            let isTaken =
                activeContext.map { $0.priorityCommand(for: event) != nil || $0.belongsToChord(event) } ?? false
            guard isTaken else {
                updateEngagement()
                return send(event, raw, trace)
            }
            recorder.release(trace, event, isSecret: isSecret)
            if let context = activeContext, let command = context.priorityCommand(for: event) {
                // This begins a new epoch: late answers to keys before the command go to the position where those keys
                // were typed.
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
        if recorder.isRecording, let client = activeContext?.inputClient { record(.selection(client.selectedRange())) }
        isClientTouched = true
    }

    /// Ends the composition in `context`, or the one that pending keys may have begun, and types the held keys. If
    /// `context` is not the active one, only makes its marked text ordinary text.
    ///
    /// - Parameter keepingUnseen: whether to leave alone a composition that the input method draws itself.
    func endComposition(of context: TextInputContext, keepingUnseen: Bool = false) {
        guard context === activeContext else {
            context.keepMarkedText()
            return
        }
        let now = clock()
        if clearing?.context === context { clearing = nil }
        // The input method may still commit text that it has cleared. If the method is lost, this text is kept. In
        // both cases the text belongs to this position, even if the caret has moved by then.
        let cleared = ledger.clearing != nil ? context.takeCleared() : nil
        if cleared == nil { ledger.clearing = nil }
        let isComposing = context.isComposing || context.inputClient?.hasMarkedText() ?? false
        let wasEngaged = ledger.isEngaged
        let isUnseen = wasEngaged && link?.composesUnseen ?? false
        let mayCompose = isUnseen ? ledger.hasSentKeys && !keepingUnseen : ledger.hasKeysInFlight(at: now)
        // If no composition ends, type the held keys all the same: they belong to this context too.
        guard isComposing || mayCompose || cleared != nil else { return typeHeldKeys() }
        let kept = context.keepMarkedText()
        typeHeldKeys()
        let epoch = ledger.beginEpoch(
            hadComposition: isComposing, expectsReply: wasEngaged && link != nil, at: now)
        anchors.removeAll { $0.epoch < ledger.oldestEpoch }
        if let (range, buffer) = kept,
            let anchor = EpochAnchor(
                epoch: epoch, context: context, range: range, buffer: buffer, cleared: cleared)
        {
            anchors.append(anchor)
        }
        if wasEngaged, let link {
            record(.reset)
            link.reset()
        }
    }

    /// Limits the time for which `context` goes on showing a preedit that the input method has cleared. The method
    /// may still commit its text.
    func expectCommit(for context: TextInputContext) {
        clearing = (context, clock() + timing.clearing)
    }

    /// Passes the rectangle of the caret in the active context, or of the selected part of its composition, to the
    /// link. Does nothing if the link does not have the focus or wants no such rectangle. The link ignores a
    /// rectangle that has not changed.
    package func updateSpot() {
        guard isLinkFocused, let link, link.wantsSpot, let client = activeContext?.inputClient else { return }
        var range = client.selectedRange()
        if !client.hasMarkedText(), !range.isNotFound { range.length = 0 }
        let spot = range.isNotFound ? nil : client.firstRect(forCharacterRange: range).rect
        if recorder.isRecording { recorder.record(spot, isSecret: isSecret, at: clock()) }
        link.setSpot(spot)
    }

    private func updateEngagement() {
        let link = link
        let isThere = link?.isEngaged ?? false
        // The method is lost only if the link is not engaged. If it is engaged, but the context does not accept an
        // input method, answers may still come to keys that were typed in another context.
        if !isThere { ledger.methodWasLost() }
        ledger.isEngaged = isThere && activeContext?.acceptsInputMethod ?? false
        ledger.traits = link?.traits ?? InputMethodTraits()
        if recorder.isRecording { recorder.record(ledger.traits, isSecret: isSecret, at: clock()) }
    }

    private func updateLinkFocus() {
        let wanted = isWindowFocused && (activeContext?.acceptsInputMethod ?? false)
        if wanted != isLinkFocused {
            isLinkFocused = wanted
            if wanted { link?.focusIn() } else { link?.focusOut() }
        }
        if wanted { updateSpot() }
    }

    // MARK: Recording a trace

    private var isSecret: Bool { activeContext?.isSecret ?? false }

    /// Records a call of a client in the trace, if there is one. Also notes that the client's caret may have moved.
    func record(_ call: ClientCall, of context: TextInputContext) {
        if context === activeContext { isClientTouched = true }
        if recorder.isRecording { recorder.record(.call(call), isSecret: context.isSecret, at: clock()) }
    }

    func record(_ event: @autoclosure () -> TraceRecord.Event) {
        if recorder.isRecording { recorder.record(event(), isSecret: isSecret, at: clock()) }
    }

    func recordLink(_ loss: InputMethodLoss? = nil) {
        recorder.recordLink(isEngaged: link?.isEngaged ?? false, loss, isSecret: isSecret, at: clock())
    }

    private func recordDocument(of context: TextInputContext) {
        guard recorder.isRecording, !context.isSecret, let client = context.inputClient else { return }
        record(.document(client.attributedString().string, client.selectedRange()))
        recordBindings(of: context)
    }

    /// Records the key bindings of a context if they have changed.
    func recordBindings(of context: TextInputContext) {
        guard recorder.isRecording, context === activeContext, !context.isSecret else { return }
        recorder.record(context.keyBindings, at: clock())
    }
}
