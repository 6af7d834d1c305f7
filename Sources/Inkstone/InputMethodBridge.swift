import InkstoneBase
import InkstoneInput
import InkstoneX11

/// The link between the ``InputSession`` of one window and the display's input-method connection. It also contains
/// the local composer, which handles dead keys and characters typed by their numbers. While no server accepts keys,
/// the composer gets all keys; otherwise it gets those that the server returns.
final class InputMethodBridge: InputMethodLink {
    private let window: Window
    private let router: InputMethodRouter
    private let composer: LocalComposer
    /// The answers of the local composer that the session has not received yet.
    private var localAnswers: [InputMethodEvent] = []
    /// The last key sent to the connection; nil once the server has returned it. Until then, later keys are sent as
    /// well, even if the server is not ready: the connection returns all keys in order.
    private var lastSent: KeyTicket?
    /// Returns the program's action for a key that the input method has not used: see
    /// ``WidgetWindow/unusedKeyAction``. The action is nil if there is none.
    var unusedKeyAction: ((KeyEvent) -> (() -> Void)?)?
    /// Performs an action that ``unusedKeyAction`` has returned.
    var performUnused: ((_ action: () -> Void) -> Void)?
    private weak var session: InputSession?
    private var isClosed = false
    /// The monitors, and the window's position on the screen when they were queried; nil before a query. Kept
    /// because the query takes round trips.
    private var monitors: (layout: MonitorLayout, windowOrigin: RootPoint)?

    init(_ window: Window) {
        self.window = window
        router = window.display.inputMethod
        composer = LocalComposer { [unowned window] in window.display.keyboard.symbols(of: $0.keycode) }
    }

    /// The state of the connection to the input method.
    var state: InputMethodState { router.state }

    /// Starts to search for an input-method server. `changed` is called after each message from the server, with
    /// whether the state of the input method has changed.
    func start(_ session: InputSession, changed: @escaping (_ state: Bool) -> Void) {
        self.session = session
        router.register(
            window.id,
            .init { [weak self] events in
                self?.receive(events)
                changed(false)
            } interrupted: { [weak self, weak session] loss, keys in
                // Reset the composer, so that the next dead key begins anew: the session keeps the composition shown so
                // far as text.
                self?.composer.reset()
                self?.lastSent = nil
                session?.linkWasLost(loss, owing: keys)
                changed(false)
            } stateChanged: {
                changed(true)
            } focusTaken: { [weak session] in
                session?.activeContext?.discardMarkedText()
            })
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        router.remove(window.id)
    }

    /// Passes the server's answers to the session. Before that, composes dead keys among the keys that the server
    /// returns.
    private func receive(_ events: [InputMethodEvent]) {
        var rest = events[...]
        while !rest.isEmpty {
            // Pass on the events up to a key that is bound to `insertCharacterByCode` first: the session must perform
            // this command, after which the composer treats keys as digits, before the composer gets the next key.
            let end = rest.firstIndex(where: beginsCode).map { $0 + 1 } ?? rest.endIndex
            session?.receive(composed(rest[..<end]))
            rest = rest[end...]
        }
    }

    /// Performs the program's action for a key that no input method has used. Does nothing while text is being
    /// composed. Returns whether an action was performed.
    private func takes(_ key: KeyEvent) -> Bool {
        guard key.phase != .up, session?.activeContext?.isComposing != true, let action = unusedKeyAction?(key) else {
            return false
        }
        performUnused?(action)
        return true
    }

    private func composed(_ events: some Sequence<InputMethodEvent>) -> [InputMethodEvent] {
        var answers: [InputMethodEvent] = []
        for event in events {
            switch event {
            case .key(let key, let ticket?):
                if ticket == lastSent { lastSent = nil }
                answer(key, ticket: ticket, in: &answers)
                continue
            case .preeditStart, .commit:
                abandonCode(in: &answers)
            case .preeditDraw(let draw) where draw.text?.isEmpty == false:
                abandonCode(in: &answers)
            default: break
            }
            answers.append(event)
        }
        return answers
    }

    /// Cancels the number being typed, and adds the answers that this causes to `answers`. If `answers` ends with a
    /// stamp, they are inserted before the stamp, because the stamp belongs to the next event.
    private func abandonCode(in answers: inout [InputMethodEvent]) {
        var stamp: InputMethodEvent?
        if case .stamp? = answers.last { stamp = answers.removeLast() }
        composer.abandonCode(in: &answers)
        if let stamp { answers.append(stamp) }
    }

    // MARK: Characters by their numbers

    /// Starts to type a character by its number; the next key is its first digit.
    func beginCode() { session?.receiveOwn(composer.beginCode()) }

    /// Whether a key belongs to the character number that is being typed.
    func isOfCode(_ key: KeyEvent) -> Bool { composer.isOfCode(key) }

    private func beginsCode(_ event: InputMethodEvent) -> Bool {
        guard case .key(let key, _) = event, key.phase != .up, let bindings = session?.activeContext?.keyBindings,
            bindings.mayBegin(with: key)
        else { return false }
        return KeyStroke.candidates(for: key).contains {
            guard case .commands(let commands) = bindings.match([$0]) else { return false }
            return commands.contains(.insertCharacterByCode)
        }
    }

    // MARK: Calls by the input session

    var isEngaged: Bool { !isClosed }

    var composesUnseen: Bool {
        guard let style = state.style else { return false }
        return style.preedit != .callbacks
    }

    /// Whether the input method may be composing text that the view does not show.
    var mayComposeUnseen: Bool { (state.isEngaged || lastSent != nil) && (state.phase != .ready || composesUnseen) }

    var traits: InputMethodTraits {
        InputMethodTraits(returnsKeysOutOfTurn: state.returnsKeysOutOfTurn, reportsQuiet: state.isEngaged)
    }

    /// Whether the input method's candidate window needs a position. False without a server.
    var wantsSpot: Bool { state.isEngaged }

    /// Whether keys may still be sent to a server. False if no server is configured and every key that was sent has
    /// been returned.
    var wantsRawKeys: Bool { state.phase != .none || lastSent != nil }

    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
        // Do not send the digits of a character number to the server, because it would compose other text from
        // them.
        if state.isEngaged && !composer.isEnteringCode || lastSent != nil, let raw = raw as? RawKey {
            lastSent = ticket
            router.connection.send(raw, key, window: window.id, ticket: ticket)
        } else {
            answer(key, ticket: ticket, in: &localAnswers)
        }
    }

    func takeOwnAnswers(_ answers: inout [InputMethodEvent]) { swap(&answers, &localAnswers) }

    func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] {
        var answers: [InputMethodEvent] = []
        answer(key, ticket: ticket, in: &answers)
        return answers
    }

    /// Appends the composer's answers to a key.
    private func answer(_ key: KeyEvent, ticket: KeyTicket, in answers: inout [InputMethodEvent]) {
        let first = answers.count
        composer.answer(key, ticket: ticket, in: &answers)
        if case .key? = answers.last { return }
        answers.insert(.stamp(AnswerStamp(key: ticket)), at: first)
    }

    func plainKeys(for key: KeyEvent) -> [KeyEvent] {
        if takes(key) { return [] }
        return composer.answers(to: key, ticket: KeyTicket(rawValue: 0)).compactMap { answer in
            switch answer {
            case .key(let key, _): key
            case .commit(let text): KeyEvent(keysym: 0, characters: text)
            default: nil
            }
        }
    }

    func isForProgram(_ key: KeyEvent) -> Bool { unusedKeyAction?(key) != nil }

    func performForProgram(_ key: KeyEvent) { if let action = unusedKeyAction?(key) { performUnused?(action) } }

    func setSpot(_ rect: RootRect?) {
        guard let rect else { return }
        // If the caret is out of view, for example after scrolling, use a position at the nearest edge of the window.
        var visible = rect.converted(to: WindowSpace.self, originAt: window.rootOrigin)
        let bounds = window.bounds
        if visible.minY >= bounds.maxY { visible.origin.y = bounds.maxY - visible.height }
        if visible.maxY <= bounds.minY { visible.origin.y = bounds.minY - visible.height }
        visible.origin.x = min(max(visible.minX, bounds.minX), bounds.maxX)
        let origin = window.rootOrigin
        if monitors?.windowOrigin != origin { monitors = (window.display.monitors, origin) }
        let room = monitors?.layout.room(below: visible.converted(from: origin)) ?? .infinity
        router.connection.setSpot(
            visible, in: window.id, rootOrigin: origin, room: room / max(0.1, window.display.scale))
    }

    func reset() {
        composer.reset()
        if state.isEngaged {
            router.connection.reset(window.id)
        } else {
            localAnswers.append(.resetReply(nil))
        }
    }

    func focusIn() { router.focusIn(window.id) }

    func focusOut() {
        composer.reset()
        router.focusOut(window.id)
    }
}
