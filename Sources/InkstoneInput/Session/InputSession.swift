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
            if let activeContext { recordDocument(of: activeContext) }
        }
    }

    /// The session whose event is being handled in this call.
    static var current: InputSession? { Current.value?.session }

    private struct Item {
        var endsComposition: Bool
        /// The key of a priority command or a chord: if it is none when its turn comes, it goes to the method.
        var key: (event: KeyEvent, raw: (any Sendable)?)?
        var work: () -> Void
    }

    /// Called after an event that had waited for those of another window was handled: ``nextDeadline`` may have changed.
    public var onHeldEvent: (() -> Void)?
    /// What this session shares with those of other windows.
    public let order: InputOrder

    private var sequencer: InputSequencer<Item>
    private let timing: InputTiming
    private let clock: () -> Milliseconds
    /// Oldest first; answers of their epochs may still come.
    private var places: [LatePlace] = []
    private var actions: [InputSequencer<Item>.Action] = []
    private var isRunning = false
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
    /// Keys that came back before the composition which they followed was finished, or begun; they are typed when it is finished.
    private var deferred: Deferred?

    private struct Deferred {
        var keys: [InputMethodEvent]
        var until: Milliseconds
        /// Whether something was composed since; if nothing was, what they wait for may be a commit, and only time tells.
        var hasSeenComposition: Bool
    }

    /// A session over an input method, if there is one yet. `clock` gives monotonic milliseconds. Windows whose input
    /// method is the same one share an `order`.
    public init(
        link: (any InputMethodLink)? = nil, timing: InputTiming = InputTiming(), order: InputOrder = InputOrder(),
        clock: @escaping () -> Milliseconds
    ) {
        self.link = link
        self.order = order
        self.timing = timing
        self.clock = clock
        sequencer = InputSequencer(timing: timing)
        sequencer.isEngaged = false
    }

    // MARK: User events

    /// A key of the window, whose client is the active context's. `raw` goes to the link with it.
    public func handle(_ key: KeyEvent, raw: (any Sendable)? = nil) {
        submit { [self] in
            record(.key(key))
            updateEngagement()
            if let context = activeContext, context.priorityCommand(for: key) != nil || context.belongsToChord(key) {
                let item = Item(endsComposition: false, key: (key, raw), work: {})
                run(sequencer.enqueue(item, .command, at: clock()))
            } else {
                run(sequencer.key(key, raw: raw, at: clock()))
            }
        }
    }

    /// Does `work` in its turn: after the keys before it, as long as may be waited for them. It may run within this
    /// call or up to ``InputTiming/limit`` later.
    ///
    /// `endsComposition`: a composition is ended first, its text stays; so for a click into the text or elsewhere, not
    /// for one on a scroll bar. Keys of before that are answered later type at the place where they were pressed.
    public func perform(
        _ kind: InputItemKind, endsComposition: Bool = true, _ work: @escaping () -> Void
    ) {
        submit { [self] in
            record(.item(kind, endsComposition: endsComposition))
            updateEngagement()
            run(sequencer.enqueue(Item(endsComposition: endsComposition, work: work), kind, at: clock()))
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
            if isFocused { sequencer.forgetAnswers() }
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
                    let place = sequencer.place(of: event, at: clock())
                    // What was composed unseen is committed by now: no answer to an earlier key is left.
                    if case .resetReply = event, case .epoch(let ended) = place, link?.composesUnseen ?? false {
                        sequencer.forgetFlights(through: ended)
                    }
                    deliver(event, place, isMoreKnown: events[(index + 1)...].contains { !$0.isKey })
                    deliverDeferred(ifDue: true)
                }
            }
            if let context { context.batch(deliverAll) } else { deliverAll() }
            run([])
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
            run([])
        }
    }

    /// The method died or was given up. What it composed stays as text; `unanswered` are the keys that nothing is
    /// known of since its last sign of life, with their tickets, in order, or what the program composes of them without it:
    /// they are typed where they belong, before anything that waited for them is done.
    public func linkWasLost(unanswered: [InputMethodEvent] = []) {
        asCurrent {
            recordLink(unanswered: unanswered.count)
            activeContext?.keepMarkedText()
            deliverDeferred()
            sequencer.forgetResets()
            let context = activeContext
            let deliverAll = { [self] in
                for event in unanswered {
                    record(.event(event, batch: batch))
                    deliver(event, sequencer.place(of: event, at: clock()))
                }
            }
            if let context { context.batch(deliverAll) } else { deliverAll() }
            sequencer.forgetFlights()
            places = []
            linkDidChange()
        }
    }

    // MARK: Time

    /// When ``advance()`` has something to do; nil if nothing waits.
    public var nextDeadline: Milliseconds? {
        [sequencer.nextDeadline, clearing?.at, deferred?.until, order.deadline(for: self)].compactMap { $0 }.min()
    }

    /// Does what is due. Harmless at any time.
    public func advance() {
        order.advance(for: self)
        asCurrent { run([]) }
    }

    /// Whether user events wait, for the input method or for those of another window.
    public var isWaiting: Bool { isQueueing || order.holdsEvents(of: self) }

    /// Whether something waits in this session's own queue.
    var isQueueing: Bool { sequencer.isWaiting || !actions.isEmpty }

    // MARK: Inside

    /// `isMoreKnown`: what the method has to say of a composition after this is known already.
    private func deliver(
        _ event: InputMethodEvent, _ place: InputSequencer<Item>.Place, isMoreKnown: Bool = false
    ) {
        switch place {
        case .current:
            // What is composed now is what the method commits, although it may read like what it was told to forget.
            if case .commit(let text) = event, activeContext?.composes(text) != true,
                let epoch = sequencer.epochOfLateCommit(at: clock()),
                places.last(where: { $0.epoch == epoch })?.absorb(text) ?? false
            {
                return
            }
            if case .key(let key, let ticket) = event, takesOutOfOrder(key, ticket, event, isMoreKnown) { return }
            // Only a composition is waited for: a commit alone may be a later key's.
            if case .commit = event, deferred?.hasSeenComposition == false { deliverDeferred() }
            activeContext?.receive(event)
        case .epoch(let number):
            if let index = places.lastIndex(where: { $0.epoch == number }) {
                let late = places[index]
                let start = late.ends?.start
                late.receive(event)
                if let start { places[(index + 1)...].forEach { $0.stay(behind: late, from: start) } }
            } else if event.isKey {
                activeContext?.receive(event)
            }
        }
    }

    /// A key that comes back in the middle of a composition does not end it as long as the method has more to say: one that
    /// types text and was typed before goes before it, one that was typed after waits until it is finished, and so does a
    /// command that has overtaken an answer, such as BackSpace after the one that takes the last letter away. When the focus has
    /// just come, ibus gives a key back before it draws anything of those before it: that key waits a moment for a composition.
    private func takesOutOfOrder(
        _ key: KeyEvent, _ ticket: KeyTicket?, _ event: InputMethodEvent, _ isMoreKnown: Bool
    ) -> Bool {
        guard let context = activeContext, key.phase != .up, !key.keysym.isModifier else { return false }
        guard context.isComposing else {
            guard deferred != nil || sequencer.hasOvertakenAll && link?.composesUnseen != true else { return false }
            deferUntilAnswered(event, timing.overtaking)
            return true
        }
        if let text = context.plainText(of: key) {
            if let ticket, sequencer.precedesComposition(ticket), context.insertBeforeComposition(text) { return true }
            guard
                isMoreKnown || deferred != nil || sequencer.hasOvertaken || sequencer.hasKeysInFlight(at: clock())
            else { return false }
        } else {
            guard deferred != nil || sequencer.hasOvertaken else { return false }
        }
        deferUntilAnswered(event, timing.deferral)
        return true
    }

    private func deferUntilAnswered(_ event: InputMethodEvent, _ time: Milliseconds) {
        let until = max(deferred?.until ?? 0, clock() + time)
        let hasSeenComposition = activeContext?.isComposing ?? false || deferred?.hasSeenComposition ?? false
        deferred = Deferred(
            keys: (deferred?.keys ?? []) + [event], until: until, hasSeenComposition: hasSeenComposition)
    }

    /// `ifDue`: only where what they wait for has come, or will not come any more.
    private func deliverDeferred(ifDue: Bool = false) {
        guard var deferred else { return }
        if ifDue, deferred.until > clock() {
            if activeContext?.isComposing == true {
                // What they have overtaken turns out to be a composition: its end is what they wait for.
                if !deferred.hasSeenComposition {
                    deferred.hasSeenComposition = true
                    deferred.until = clock() + timing.deferral
                    self.deferred = deferred
                }
                return
            }
            guard deferred.hasSeenComposition else { return }
        }
        self.deferred = nil
        for key in deferred.keys { activeContext?.receive(key) }
    }

    private func run(_ more: [InputSequencer<Item>.Action]) {
        actions += more
        guard !isRunning else { return }
        isRunning = true
        if let clearing, clearing.at <= clock() {
            self.clearing = nil
            clearing.context.flush()
        }
        deliverDeferred(ifDue: true)
        while true {
            if actions.isEmpty { actions = sequencer.advance(to: clock()) }
            if actions.isEmpty { break }
            switch actions.removeFirst() {
            case .forward(let key, let raw, let ticket): link?.forward(key, raw: raw, ticket: ticket)
            case .type(let key):
                for typed in link?.plainKeys(for: key) ?? [key] { activeContext?.type(typed) }
            case .perform(let item, let kind): perform(item, kind)
            }
        }
        // Where nobody composes, the place may wait until the host has painted.
        if isClientTouched, sequencer.isEngaged, let activeContext { updateSpot(of: activeContext) }
        isClientTouched = false
        isRunning = false
        order.release()
    }

    private func perform(_ item: Item, _ kind: InputItemKind) {
        if activeContext?.isComposing != true { deliverDeferred() }
        // What only the method shows is not in the text that is saved, and some lose it when they are told to end it.
        if item.endsComposition, let activeContext { endComposition(of: activeContext, keepingUnseen: kind == .save) }
        if let (event, raw) = item.key {
            if let context = activeContext, let command = context.priorityCommand(for: event) {
                // Keys that the command could not wait for type where they were pressed.
                let endsComposition = !command.isAllowedDuringComposition && !command.action.keepsComposition
                if endsComposition { endComposition(of: context) }
                context.perform(command.action, endsComposition: endsComposition)
            } else if let context = activeContext, context.belongsToChord(event) {
                endComposition(of: context)
                context.type(event)
            } else {
                updateEngagement()
                actions.insert(sequencer.forwardNow(event, raw: raw, at: clock()), at: 0)
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
        if clearing?.context === context { clearing = nil }
        let isComposing = context.isComposing || context.inputClient?.hasMarkedText() ?? false
        let wasEngaged = sequencer.isEngaged
        let isUnseen = wasEngaged && link?.composesUnseen ?? false
        let mayCompose = isUnseen ? sequencer.hasSentKeys && !keepingUnseen : sequencer.hasKeysInFlight(at: now)
        guard isComposing || mayCompose else { return }
        guard let (range, buffer) = context.keepMarkedText() else { return }
        deliverDeferred()
        let epoch = sequencer.beginEpoch(
            hadComposition: isComposing, expectsReply: wasEngaged && link != nil, at: now)
        if let place = LatePlace(epoch: epoch, context: context, range: range, buffer: buffer) {
            places.append(place)
            if places.count > 8 { places.removeFirst() }
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
        guard context === activeContext, isLinkFocused, let link, let client = context.inputClient else { return }
        var range = client.selectedRange()
        if !client.hasMarkedText(), !range.isNotFound { range.length = 0 }
        let spot = range.isNotFound ? nil : client.firstRect(forCharacterRange: range).rect
        guard reportedSpot != .some(spot) else { return }
        reportedSpot = spot
        record(.spot(spot))
        link.setSpot(spot)
    }

    private func recordLink(unanswered: Int? = nil) {
        recordedEngagement = link?.isEngaged ?? false
        record(.link(isEngaged: recordedEngagement, unanswered: unanswered))
    }

    private func updateEngagement() {
        let engaged = (link?.isEngaged ?? false) && (activeContext?.acceptsInputMethod ?? false)
        if sequencer.isEngaged, !engaged { sequencer.forgetFlights() }
        sequencer.isEngaged = engaged
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

    /// An event of the user, in its turn among those of all windows.
    private func submit(_ event: @escaping () -> Void) {
        order.submit(self) { [self] in asCurrent(event) }
    }

    private func asCurrent(_ work: () -> Void) {
        Current.$value.withValue(Current(session: self), operation: work)
    }

    // MARK: Recording

    /// Records a call to a client.
    func record(_ call: ClientCall, of context: TextInputContext) {
        if context === activeContext { isClientTouched = true }
        if let onRecord, !context.isSecret { onRecord(TraceRecord(time: clock(), .call(call))) }
    }

    private func record(_ event: TraceRecord.Event) {
        if let onRecord, !(activeContext?.isSecret ?? false) { onRecord(TraceRecord(time: clock(), event)) }
    }

    /// An edit or a selection that did not come through a context, for the trace: a replay needs it.
    public func noteEdit(replacing range: UTF16Range, with text: String) {
        record(.edit(range, text))
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

/// The session in whose call this is: one for each thread, as task-local values are outside of tasks.
private struct Current: @unchecked Sendable {
    // Never leaves the thread: it is set and read within one synchronous call.
    weak var session: InputSession?
    @TaskLocal static var value: Current?
}
