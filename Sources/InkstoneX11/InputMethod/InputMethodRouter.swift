import InkstoneBase

/// The display's one connection to the input method, shared by its windows: answers go to the window they belong to.
public final class InputMethodRouter {
    /// What a window is told, in order.
    public struct Handler {
        /// Answers for the window that came together.
        public var events: ([InputMethodEvent]) -> Void
        /// The server will not go on with what it composes: the text stays. The keys have drawn no answer.
        public var interrupted: ([(key: KeyEvent, ticket: KeyTicket?)]) -> Void
        /// ``InputMethodRouter/state`` has changed.
        public var stateChanged: () -> Void
        /// Another window takes the server's attention, although this one has not said that it lost the focus: whatever
        /// is composed here has to be kept now, before the server clears it.
        public var focusTaken: () -> Void

        /// A handler by its parts.
        public init(
            events: @escaping ([InputMethodEvent]) -> Void,
            interrupted: @escaping ([(key: KeyEvent, ticket: KeyTicket?)]) -> Void,
            stateChanged: @escaping () -> Void, focusTaken: @escaping () -> Void = {}
        ) {
            self.events = events
            self.interrupted = interrupted
            self.stateChanged = stateChanged
            self.focusTaken = focusTaken
        }
    }

    /// The connection; windows send to it.
    public let connection: InputMethodConnection
    /// How it stands with the input method.
    public var state: InputMethodState { connection.state }

    private unowned let display: Display
    private var handlers: [WindowID: Handler] = [:]
    private var isAttached = false

    init(_ display: Display) {
        self.display = display
        connection = InputMethodConnection(
            displayName: display.name, modifiers: display.inputMethodSetup.modifiers,
            timing: display.inputMethodSetup.timing)
    }

    /// Hears of a window's answers from now on. The first call connects.
    public func register(_ window: WindowID, _ handler: Handler) {
        handlers[window] = handler
        guard !isAttached else { return }
        isAttached = true
        connection.attach(to: display) { [weak self] in self?.route($0) }
        connection.start()
    }

    /// Forgets a window that is about to be destroyed.
    public func remove(_ window: WindowID) {
        guard handlers.removeValue(forKey: window) != nil else { return }
        connection.remove(window)
    }

    /// A text in `window` takes input now.
    ///
    /// Each window has an order of its own for its events: one that had the focus may still wait for its last keys when the
    /// next one gets it, and may say that it has it, or has lost it, after the next one has. So all others are told.
    public func focusIn(_ window: WindowID) {
        for (other, handler) in handlers where other != window { handler.focusTaken() }
        connection.focusIn(window)
    }

    /// No text in `window` takes input any more.
    public func focusOut(_ window: WindowID) {
        connection.focusOut(window)
    }

    /// Ends the connection; called when the display closes.
    func close() {
        guard isAttached else { return }
        isAttached = false
        handlers = [:]
        connection.detach(from: display)
        connection.close()
    }

    private func route(_ answers: [InputMethodAnswer]) {
        var rest = answers[...]
        while let first = rest.first {
            switch first {
            case .event(_, let window):
                let batch = rest.prefix { if case .event(_, window) = $0 { true } else { false } }
                rest = rest.dropFirst(batch.count)
                handlers[window]?.events(batch.compactMap(\.event))
            case .interrupted:
                // Of what comes with it only the keys matter: nobody waits for the reply to a reset any more.
                let batch = rest.dropFirst().prefix { $0.window != nil }
                rest = rest.dropFirst(1 + batch.count)
                for (window, handler) in handlers {
                    handler.interrupted(batch.filter { $0.window == window }.compactMap(\.key))
                }
            case .state:
                rest = rest.dropFirst()
                for handler in handlers.values { handler.stateChanged() }
            }
        }
    }
}

extension InputMethodAnswer {
    fileprivate var event: InputMethodEvent? {
        if case .event(let event, _) = self { event } else { nil }
    }

    fileprivate var window: WindowID? {
        if case .event(_, let window) = self { window } else { nil }
    }

    fileprivate var key: (key: KeyEvent, ticket: KeyTicket?)? {
        if case .event(.key(let key, let ticket), _) = self { (key, ticket) } else { nil }
    }
}
