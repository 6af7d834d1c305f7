import CX11
import Glibc
import InkstoneBase
import Synchronization

/// The input method's thread: its loop, what it knows, and what it does when.
///
/// Xlib's input method can block in any call for as long as the server likes; here it blocks only this thread. Whatever
/// the server sends is copied into `outputs` by ``receive(_:)``, which Xlib calls from inside of its own calls.
final class InputMethodSession {
    enum Phase: Hashable {
        /// The server does not run.
        case waiting
        /// It has been asked for a sign of life, without which it is not connected to.
        case probing
        case ready
        /// It does not serve us.
        case refused
    }

    /// A query for a sign of life.
    struct Ping: Hashable {
        /// When the server counts as hung if it has not answered.
        var due: Int64
        /// When the server is nudged if it has not answered, and how often it has been.
        var nudgeDue: Int64
        var nudges = 0
        /// Whether it is asked only to learn which keys the server has taken: there is no reason to doubt that it lives.
        var isRoutine = false
        /// The number of the last key sent, if it is asked because that has drawn no answer.
        var doubted: UInt64?
    }

    /// Whether the server has had the time to say which keys it wants.
    enum Introduction: Hashable { case wanted, asked, over }

    let worker: InputMethodWorker
    let timing: InputMethodTiming
    let started = InputMethodTiming.now
    /// Nil only if there was no memory for it.
    var xim: OpaquePointer!
    /// The window that owns the server's selection; 0 for none.
    private var owner: UInt = 0
    var phase = Phase.waiting
    var end: InputMethodEnd?
    var style: InputMethodStyle?
    /// The styles on offer that no context has been refused in, as Xlib's numbers.
    private var offered: [UInt] = []
    /// Windows that the server made no context for, and when it is asked again.
    var unserved: [WindowID: Int64] = [:]
    var keys = InputMethodKeys()
    var spots = InputMethodSpots()
    var preedits: [WindowID: PreeditBuffer] = [:]
    /// How often the server has refused to serve us, and when it is asked again.
    private var openTries = 0
    private var retryOpenAt: Int64?
    /// Whether it has refused before: then no key waits for it.
    var isRetrying: Bool { openTries > 0 }
    var contexts: Set<WindowID> = []
    var focused: WindowID?
    /// Of the context that has the focus.
    var introduction = Introduction.wanted
    var outputs: [InputMethodOutput] = []
    /// Commands not yet carried out, oldest first.
    var pending: [InputMethodCommand] = []
    /// When the oldest pending command began to wait for answers on their way.
    var drainStart: Int64?
    /// How many presses had drawn no answer when the reset that is being carried out was last answered; nil: it has not been.
    var overtakenPresses: Int?

    /// When something last came from the server, and when something last went to it.
    var lastIn: Int64 = .min / 2
    var lastOut: Int64 = .min / 2
    /// When something last came from the server that was more than a sign of life.
    private var lastWord: Int64 = .min / 2
    /// The query on its way.
    var ping: Ping?
    var lastKey: UInt64 = 0
    /// The last key that a query was made for: one query each is enough.
    var doubtedKey: UInt64 = 0
    var isLost = false
    private var publishedState: InputMethodState?
    /// During a call, where each of its outputs belongs among them.
    private var places: [Int]?

    /// Whether a call is under way that waits for the server.
    private var isCalling = false

    // Set by callbacks, looked at after the call.
    private var hasPong = false
    private var mayOpen = false
    private var newOwner: UInt?
    /// Whether the server has gone, or another has taken its place: Xlib makes up the answers of calls from then on.
    var isServerGone: Bool { phase == .ready && newOwner != nil }

    init(_ worker: InputMethodWorker) {
        self.worker = worker
        timing = worker.timing
    }

    /// The thread's life, from the connection to the last word.
    func run() {
        // Trap “C locale”: a host may go back to it at any time, so this thread has one of its own.
        let locale = cx11_xim_use_utf8()
        let context = Unmanaged.passUnretained(self).toOpaque()
        xim = cx11_xim_create({ message, context in receiveInputMethodMessage(message, context) }, context)
        beginWork()
        connect()
        while end == nil { turn() }
        finish()
        cx11_xim_end_use(locale)
    }

    private func connect() {
        publish(worker.avoided != nil ? .faulty : worker.startsInDoubt ? .notResponding : .connecting)
        guard xim != nil, cx11_xim_connect(xim, worker.displayName, worker.serverName) == CX11_XIM_OK else {
            end = .lostDisplay
            return
        }
        worker.setSockets([cx11_xim_descriptor(xim), cx11_xim_reader_descriptor(xim)])
        guard check(cx11_xim_owner(xim, &owner)) else { return }
        if owner == 0 {
            publish(.notRunning)
        } else if let avoided = worker.avoided, avoided.owner == owner, InputMethodTiming.now < avoided.until {
            phase = .refused
            retryOpenAt = avoided.until
        } else {
            probe()
        }
    }

    private func turn() {
        guard check(cx11_xim_pump(xim)) else { return }
        for command in worker.takeCommands() {
            if command == .open { mayOpen = true } else { pending.append(command) }
        }
        step(InputMethodTiming.now)
        worker.outbox.post(outputs)
        outputs = []
        guard end == nil, newOwner == nil else { return }
        // Trap “quiet socket”: calls of Xlib read events that they have no use for; the queue is not empty then.
        var hasEvents = false
        guard check(cx11_xim_has_events(xim, &hasEvents)), !hasEvents else { return }
        let deadline = nextDeadline
        let timeout = deadline.map { Int32(clamping: max(0, $0 - InputMethodTiming.now)) } ?? -1
        var inputs = [
            pollfd(fd: cx11_xim_descriptor(xim), events: Int16(POLLIN), revents: 0),
            pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        worker.busySince.store(0, ordering: .releasing)
        poll(&inputs, 2, timeout)
        beginWork()
    }

    /// From here on the thread is expected back: any call into Xlib may wait for a server that keeps it waiting.
    private func beginWork() {
        worker.busySince.store(InputMethodTiming.now, ordering: .sequentiallyConsistent)
        if !worker.isWatched.load(ordering: .sequentiallyConsistent) { worker.outbox.post([.watch]) }
    }

    /// Ends the connection without a word to a server that may not listen, and says the last word to the main thread.
    private func finish() {
        if !isLost, end != .closed, xim != nil { _ = cx11_xim_abandon(xim) }
        worker.setSockets([])
        cx11_xim_destroy(xim)
        let commands = pending + worker.takeCommands(closing: true)
        let isQuiet = InputMethodTiming.now - lastIn >= timing.quiet
        let owed = isQuiet ? keys.unanswered : keys.unsettled
        outputs.append(.ended(end ?? .lostDisplay, keys: owed, commands: commands))
        worker.outbox.post(outputs)
        outputs = []
    }

    // MARK: Steps

    private func step(_ now: Int64) {
        if let owner = newOwner {
            newOwner = nil
            ownerChanged(owner)
        }
        if hasPong {
            hasPong = false
            if let number = ping?.doubted { keys.settle(through: number) }
            ping = nil
            if phase == .probing { outputs.append(.wantsLocale) }
        } else if let due = ping?.due, now >= due {
            if phase == .ready {
                end = .hung
            } else {
                publish(.notResponding)
            }
        }
        if let sent = ping, now >= sent.nudgeDue {
            ping?.nudgeDue = now + min(timing.doubt << min(sent.nudges, 8), 10_000)
            ping?.nudges += 1
            guard check(cx11_xim_nudge(xim)) else { return }
        }
        if phase == .refused, let due = retryOpenAt, now >= due {
            retryOpenAt = nil
            probe()
        }
        if mayOpen {
            mayOpen = false
            if phase == .probing { open() }
        }
        guard end == nil else { return }
        if phase == .ready { carryOut(now) } else { handBack(now) }
        guard end == nil, phase == .ready else { return }
        tellSpot(now)
        watch(now)
    }

    private func ownerChanged(_ owner: UInt) {
        self.owner = owner
        if phase == .ready {
            // Xlib hears of it as well, but perhaps later.
            end = .died
        } else if owner == 0 {
            phase = .waiting
            ping = nil
            openTries = 0
            publish(.notRunning)
        } else {
            probe()
        }
    }

    private func probe() {
        phase = .probing
        ping = nil
        askForLife(InputMethodTiming.now)
    }

    private func open() {
        var styles = [UInt](repeating: 0, count: 64)
        var count: Int32 = 0
        if publishedState?.phase != .notResponding, openTries == 0 { publish(.connecting) }
        let modifiers = "@im=\(worker.serverName)"
        let result = waiting { cx11_xim_open(xim, modifiers, &styles, 64, &count) }
        guard check(result) else { return }
        offered = result == CX11_XIM_OK ? Array(styles.prefix(Int(count))) : []
        guard chooseStyle() else { return refuse() }
        phase = .ready
        // One that has refused before has to make a context first.
        if !isRetrying || focused == nil { publish(.ready) }
        // The focus may have come while there was no server to tell.
        if let window = focused {
            focused = nil
            pending.insert(.focusIn(window), at: 0)
        }
    }

    /// Takes the best of the styles on offer; false if there is none.
    private func chooseStyle() -> Bool {
        style = .best(of: offered) { cx11_xim_load_font_set(xim) == CX11_XIM_OK }
        return style != nil
    }

    /// The server has made a context for some window: it serves us.
    func didServe(_ window: WindowID) {
        openTries = 0
        unserved[window] = nil
        publish(.ready)
    }

    /// The server refuses to make a context for `window`: true if it is to be asked for the next best style, which is
    /// chosen then.
    ///
    /// A server may offer a style and refuse it, and XCreateIC fails by itself for a position style whose font set Xlib
    /// does not like. Where other windows have contexts it is the window that the server does not like.
    func takesNextStyle(for window: WindowID) -> Bool {
        guard let refused = style else { return false }
        if !contexts.isEmpty {
            unserved[window] = InputMethodTiming.now + 10 * timing.retry
            return false
        }
        offered.removeAll { InputMethodStyle.best(of: [$0]) { true }?.preedit == refused.preedit }
        if chooseStyle() { return true }
        focused = window
        refuse()
        return false
    }

    /// The server does not serve us now. One that has just started, or been stopped for a while, may refuse once and serve the
    /// next time: it is asked again later.
    private func refuse() {
        // The input method may be open all the same, and is opened anew the next time.
        guard check(waiting { cx11_xim_close(xim) }) else { return }
        style = nil
        phase = .refused
        publish(.refused)
        openTries += 1
        retryOpenAt = InputMethodTiming.now + min(timing.retry << min(openTries, 8), 10_000)
    }

    /// Asks whether the server lives, unless a question is on its way. False if the connection is lost.
    @discardableResult
    func askForLife(_ now: Int64, isRoutine: Bool = false, doubting number: UInt64? = nil) -> Bool {
        if let ping {
            if !isRoutine, ping.isRoutine {
                self.ping?.isRoutine = false
                self.ping?.due = min(ping.due, now + timing.response)
            }
            return true
        }
        ping = Ping(
            due: now + timing.response + (isRoutine ? timing.doubt : 0), nudgeDue: now + timing.doubt,
            isRoutine: isRoutine, doubted: number)
        keys.didAsk()
        return check(cx11_xim_ping(xim))
    }

    /// Sets the spot of the focused window if it is due.
    private func tellSpot(_ now: Int64) {
        guard ping == nil, let due = spotDue, due <= now else { return }
        _ = placeSpot(now)
    }

    /// Sets the spot of the focused window if the server does not know it; asks for life first if there has been no sign of
    /// it lately. False if it has to wait.
    func placeSpot(_ now: Int64) -> Bool {
        guard takesSpots, let window = focused, let spot = spots.untold(in: window) else { return true }
        guard isTrusted(now) else { return false }
        var hasEvents = false
        guard check(cx11_xim_has_events(xim, &hasEvents)), !hasEvents else { return false }
        let point = XPoint(x: spot.x, y: spot.y)
        var area = XRectangle(
            x: spot.areaX, y: spot.areaY, width: spot.areaWidth, height: spot.areaHeight)
        // In the other styles the area is what the server may draw in, not where the composition is.
        let isInline = style?.preedit == .callbacks
        let result = waiting {
            isInline
                ? cx11_xim_context_set_spot(xim, window.xid, point, &area)
                : cx11_xim_context_set_spot(xim, window.xid, point, nil)
        }
        guard check(result) else { return false }
        spots.didTell(spot, in: window)
        return true
    }

    /// Whether the focused context has a place on the screen that the server wants to know.
    private var takesSpots: Bool {
        phase == .ready && style?.preedit != InputMethodStyle.Preedit.none && focused.map(contexts.contains) ?? false
    }

    /// When the spot of the focused window may be set; nil if the server knows it.
    private var spotDue: Int64? {
        guard takesSpots, let focused, spots.untold(in: focused) != nil else { return nil }
        return InputMethodSpots.dueTime(
            lastTraffic: max(lastIn, lastOut), lastPress: keys.lastPress,
            hasUnansweredPress: keys.hasUnansweredPress, timing: timing)
    }

    /// Asks which keys the server has taken, and for a sign of life when one has drawn no answer for a while.
    private func watch(_ now: Int64) {
        if ping == nil, keys.wantsQuery {
            askForLife(now, isRoutine: true)
            return
        }
        guard let doubtDue, doubtDue <= now else { return }
        doubtedKey = lastKey
        askForLife(now, doubting: lastKey)
    }

    private var doubtDue: Int64? {
        guard ping == nil, keys.hasUnansweredPress, doubtedKey < lastKey else { return nil }
        // A server at work on earlier keys may keep the later ones to itself until it has been told to go on (SYNC).
        // That it lives, as asked before a spot is set, says nothing of keys.
        return max(keys.waitingSince, lastWord) + timing.doubt
    }

    private var nextDeadline: Int64? {
        var deadlines: [Int64] = []
        if phase == .refused, let retryOpenAt { deadlines.append(retryOpenAt) }
        if let ping { deadlines.append(ping.nudgeDue) }
        if let due = ping?.due, phase == .ready || publishedState?.phase == .connecting { deadlines.append(due) }
        if phase == .ready {
            if let doubtDue { deadlines.append(doubtDue) }
            if ping == nil, let spotDue { deadlines.append(spotDue) }
            if !pending.isEmpty { deadlines.append(InputMethodTiming.now + 5) }
        } else if !pending.isEmpty {
            deadlines.append(started + timing.patience)
        }
        return deadlines.min()
    }

    /// Whether the server has given a sign of life lately; if not, asks for one.
    func isTrusted(_ now: Int64) -> Bool {
        if ping?.isRoutine ?? true, now - lastIn <= timing.trust { return true }
        askForLife(now)
        return false
    }

    /// Makes a call that waits for the server, which the main thread watches. Trap “no time-out”.
    func waiting<Result>(_ call: () -> Result) -> Result {
        beginWork()
        isCalling = true
        defer {
            isCalling = false
            beginWork()
        }
        lastOut = InputMethodTiming.now
        let start = outputs.count
        places = []
        defer { restoreOrder(from: start) }
        return call()
    }

    /// What the server sent during a call in the order in which it did. Trap “commits overtaken”.
    private func restoreOrder(from start: Int) {
        guard let places else { return }
        self.places = nil
        guard places.count == outputs.count - start, zip(places, places.dropFirst()).contains(where: >) else { return }
        let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
        outputs.replaceSubrange(start..., with: order.map { outputs[start + $0] })
    }

    /// Whether the connection still stands after a call.
    func check(_ result: cx11_xim_result) -> Bool {
        guard result == CX11_XIM_LOST else { return true }
        isLost = true
        // Once the server has gone, the connection is shed only because of that.
        end =
            newOwner != nil
            ? .died : cx11_xim_refusal(xim) != nil ? .faulty(owner: owner) : worker.isShed ? .hung : .lostDisplay
        return false
    }

    private func publish(_ phase: InputMethodState.Phase) {
        let state = InputMethodState(
            phase: phase, serverName: worker.serverName, style: phase == .ready ? style : nil)
        guard state != publishedState else { return }
        publishedState = state
        outputs.append(.state(state))
    }

    // MARK: Messages

    /// Copies a message of the server. Trap “callbacks inside calls”: Xlib calls this from within any of its own, so nothing
    /// here may call Xlib.
    func receive(_ message: cx11_xim_message) -> Int32 {
        let now = InputMethodTiming.now
        let isAfterQuiet = now - lastIn >= timing.quiet
        // What tells of the server's end does not come from it.
        if ![CX11_XIM_OWNER, CX11_XIM_DESTROYED, CX11_XIM_BROKEN].contains(message.kind) {
            lastIn = now
            if message.kind != CX11_XIM_PONG { lastWord = now }
        }
        let window = WindowID(xid: message.window)
        let count = outputs.count
        defer {
            // A preedit message after n commits comes after the one numbered n - 1.
            let isKeyEvent = message.kind == CX11_XIM_COMMIT || message.kind == CX11_XIM_KEY
            let place = 2 * Int(message.place) + (isKeyEvent ? 1 : 0)
            places?.append(contentsOf: repeatElement(place, count: outputs.count - count))
        }
        switch message.kind {
        case CX11_XIM_PREEDIT_START:
            preedits[window, default: PreeditBuffer()].start()
            outputs.append(.event(.preeditStart, window))
        case CX11_XIM_PREEDIT_DRAW:
            let draw = PreeditDraw(message)
            preedits[window, default: PreeditBuffer()].apply(draw)
            keys.noteDraw(hasText: draw.text?.isEmpty == false, afterQuiet: isAfterQuiet)
            outputs.append(.event(.preeditDraw(draw), window))
        case CX11_XIM_PREEDIT_CARET:
            let caret = PreeditCaret(message)
            outputs.append(.event(.preeditCaret(caret), window))
            return Int32(clamping: preedits[window, default: PreeditBuffer()].apply(caret))
        case CX11_XIM_PREEDIT_DONE:
            preedits[window, default: PreeditBuffer()].finish()
            outputs.append(.event(.preeditDone, window))
        case CX11_XIM_COMMIT:
            receiveCommit(message, window)
        case CX11_XIM_KEY:
            receiveKey(message.key, window)
        case CX11_XIM_PONG:
            hasPong = true
            // What is said from here on may be about later keys.
            keys.didAnswer()
        case CX11_XIM_OWNER:
            newOwner = message.value
            // Trap “unseen death”: a call that waits for a server that is gone may not come back by itself.
            if isCalling { worker.outbox.post([.serverGone]) }
        case CX11_XIM_DESTROYED:
            contexts = []
            // Our own way of leaving a server comes by here too.
            if end == nil { end = .died }
        case CX11_XIM_BROKEN: if end == nil { end = newOwner == nil ? .hung : .died }
        default: break
        }
        return 0
    }

    private func receiveCommit(_ message: cx11_xim_message, _ window: WindowID) {
        keys.noteCommit()
        if let text = message.string {
            outputs.append(.event(.commit(text), window))
        } else {
            // A key symbol alone: what the key would type.
            let text = Keyboard.characters(for: Keysym(rawValue: UInt32(truncatingIfNeeded: message.value)))
            if !text.isEmpty { outputs.append(.event(.commit(text), window)) }
        }
    }

    private func receiveKey(_ event: XKeyEvent, _ window: WindowID) {
        let raw = RawKey(event)
        if let key = keys.take(
            serial: event.serial, keycode: raw.keycode, isPress: raw.isPress, time: raw.time)
        {
            outputs.append(.key(key))
        } else {
            outputs.append(.foreignKey(raw, window))
        }
    }
}

private func receiveInputMethodMessage(
    _ message: UnsafePointer<cx11_xim_message>, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<InputMethodSession>.fromOpaque(context).takeUnretainedValue().receive(message.pointee)
}

extension cx11_xim_message {
    /// The text as UTF-8; nil if there is none.
    fileprivate var string: String? {
        guard let text, text_length > 0 || kind == CX11_XIM_PREEDIT_DRAW else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(text_length)), as: UTF8.self)
    }
}

extension PreeditDraw {
    fileprivate init(_ message: cx11_xim_message) {
        let feedback = UnsafeBufferPointer(start: message.feedback, count: Int(message.feedback_count))
        self.init(
            caret: Int(message.caret), changeFirst: Int(message.change_first),
            changeLength: Int(message.change_length), text: message.string,
            feedback: feedback.map { PreeditFeedback(rawValue: UInt32(truncatingIfNeeded: $0)) })
    }
}

extension PreeditCaret {
    fileprivate init(_ message: cx11_xim_message) {
        self.init(
            direction: Direction(rawValue: message.direction) ?? .unchanged, position: Int(message.caret),
            style: Style(rawValue: message.style) ?? .primary)
    }
}
