import InkstoneBase
import InkstoneInput
import InkstoneX11

/// What an ``InputSession`` asks, put to the display's input-method connection for one window; or to the local composer,
/// while no server takes keys and for dead keys that a server gives back.
final class InputMethodBridge: InputMethodLink {
    private let window: Window
    private let router: InputMethodRouter
    private let composer = LocalComposer()
    private var localAnswers: [InputMethodEvent] = []
    private weak var session: InputSession?
    private var isClosed = false
    private var spot: WindowRect?
    private var toldSpot: WindowRect?

    init(_ window: Window) {
        self.window = window
        router = window.display.inputMethod
    }

    /// What the input method is and does at present.
    var state: InputMethodState { router.state }

    /// Begins to look for a server. `changed` is called after anything that came from it.
    func start(_ session: InputSession, changed: @escaping (_ state: Bool) -> Void) {
        self.session = session
        router.register(
            window.id,
            .init { [weak self] events in
                self?.receive(events)
                changed(false)
            } interrupted: { [weak self, weak session] keys in
                session?.linkWasLost(unanswered: self?.composed(keys.map { .key($0.key, $0.ticket) }) ?? [])
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

    /// Answers of the server; dead keys among what it gives back are composed here.
    private func receive(_ events: [InputMethodEvent]) { session?.receive(composed(events)) }

    private func composed(_ events: [InputMethodEvent]) -> [InputMethodEvent] {
        events.flatMap { event -> [InputMethodEvent] in
            guard case .key(let key, let ticket?) = event else { return [event] }
            return composer.answers(to: key, ticket: ticket)
        }
    }

    /// Hands over what the local composer had to say, once the session is done with the event.
    func deliverLocalAnswers() {
        guard !localAnswers.isEmpty else { return }
        let answers = localAnswers
        localAnswers = []
        session?.receive(answers)
    }

    // MARK: What the session asks

    var isEngaged: Bool { !isClosed }

    var composesUnseen: Bool {
        guard let style = state.style else { return false }
        return style.preedit != .callbacks
    }

    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
        if state.isEngaged, let raw = raw as? RawKey {
            router.connection.send(raw, key, window: window.id, ticket: ticket)
        } else {
            localAnswers += composer.answers(to: key, ticket: ticket)
        }
    }

    func plainKeys(for key: KeyEvent) -> [KeyEvent] {
        composer.answers(to: key, ticket: KeyTicket(rawValue: 0)).compactMap { answer in
            switch answer {
            case .key(let key, _): key
            case .commit(let text): KeyEvent(keysym: 0, characters: text)
            default: nil
            }
        }
    }

    func setSpot(_ rect: RootRect?) {
        guard let rect else { return }
        spot = rect.converted(to: WindowSpace.self, originAt: window.rootOrigin)
        tellSpot()
    }

    /// The window may have another size than when the spot was set.
    func windowDidChange() {
        if toldSpot != visibleSpot { tellSpot() }
    }

    private func tellSpot() {
        guard let place = visibleSpot else { return }
        toldSpot = place
        router.connection.setSpot(place, in: window.id, rootOrigin: window.rootOrigin)
    }

    /// The spot; at the edge beyond which it lies if it is out of sight, as after scrolling.
    private var visibleSpot: WindowRect? {
        guard var place = spot else { return nil }
        let bounds = window.bounds
        if place.minY >= bounds.maxY { place.origin.y = bounds.maxY - place.height }
        if place.maxY <= bounds.minY { place.origin.y = bounds.minY - place.height }
        place.origin.x = min(max(place.minX, bounds.minX), bounds.maxX)
        return place
    }

    func reset() {
        let pending = composer.reset()
        if state.isEngaged {
            router.connection.reset(window.id)
        } else {
            localAnswers.append(.resetReply(pending))
        }
    }

    func focusIn() { router.focusIn(window.id) }

    func focusOut() {
        _ = composer.reset()
        router.focusOut(window.id)
    }
}
