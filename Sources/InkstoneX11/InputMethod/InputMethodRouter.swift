import Glibc
import InkstoneBase

/// The display's one connection to the input method, shared by its windows: answers go to the window they belong to.
public final class InputMethodRouter {
    /// What a window is told, in order.
    public struct Handler {
        /// Answers for the window that came together.
        public var events: ([InputMethodEvent]) -> Void
        /// The server will not go on with what it composes, nor answer any key: the text stays. It had said nothing for so long.
        public var interrupted: (Milliseconds) -> Void
        /// ``InputMethodRouter/state`` has changed.
        public var stateChanged: () -> Void
        /// Another window takes the server's attention, although this one has not said that it lost the focus: whatever
        /// is composed here has to be kept now, before the server clears it.
        public var focusTaken: () -> Void

        /// A handler by its parts.
        public init(
            events: @escaping ([InputMethodEvent]) -> Void,
            interrupted: @escaping (Milliseconds) -> Void,
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
    /// Windows that the server has not let go of, and what is to be done then.
    private var leaving: [WindowID: () -> Void] = [:]
    private var isAttached = false

    init(_ display: Display) {
        self.display = display
        connection = InputMethodConnection(
            displayName: display.name, modifiers: display.inputMethodSetup.modifiers,
            timing: display.inputMethodSetup.timing, clock: display.inputMethodSetup.clock)
    }

    /// Hears of a window's answers from now on. The first call connects.
    public func register(_ window: WindowID, _ handler: Handler) {
        handlers[window] = handler
        guard !isAttached else { return }
        isAttached = true
        connection.attach(to: display) { [weak self] in self?.route($0) }
        connection.start()
    }

    /// Forgets a window that is to be destroyed.
    public func remove(_ window: WindowID) {
        guard handlers.removeValue(forKey: window) != nil else { return }
        if connection.remove(window) { leaving[window] = {} }
    }

    /// Whether the server may still use a window that has been removed: it must not be destroyed yet.
    func isLeaving(_ window: WindowID) -> Bool { leaving[window] != nil }

    /// Does `work` when the server has let go of a window that ``isLeaving(_:)``.
    func whenRemoved(_ window: WindowID, _ work: @escaping () -> Void) { leaving[window] = work }

    /// A text in `window` takes input now.
    ///
    /// All others are told: without a window manager keys come to windows that were never told of the focus, nor of its loss.
    public func focusIn(_ window: WindowID) {
        for (other, handler) in handlers where other != window { handler.focusTaken() }
        connection.focusIn(window)
    }

    /// No text in `window` takes input any more.
    public func focusOut(_ window: WindowID) {
        connection.focusOut(window)
    }

    /// Ends the connection; called when the display closes, before its windows go. Waits for the server to let go of them, at
    /// most ``InputTiming/goodbye``.
    func close() {
        guard isAttached else { return }
        isAttached = false
        handlers = [:]
        connection.detach(from: display)
        let isServed = state.phase == .ready
        connection.close()
        let end = connection.now + display.inputMethodSetup.timing.goodbye
        while isServed, !connection.isClosed, connection.descriptor >= 0, connection.now < end {
            var input = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&input, 1, Int32(max(1, (end - connection.now).rounded(.up))))
            _ = connection.receiveAnswers()
        }
        leaving.values.forEach { $0() }
        leaving = [:]
    }

    private func route(_ answers: [InputMethodAnswer]) {
        var rest = answers[...]
        while let first = rest.first {
            switch first {
            case .event(_, let window):
                let batch = rest.prefix { if case .event(_, window) = $0 { true } else { false } }
                rest = rest.dropFirst(batch.count)
                handlers[window]?.events(batch.compactMap(\.event))
            case .interrupted(let silence):
                // Nobody waits for the reply to a reset any more, which comes with it.
                rest = rest.dropFirst().drop { $0.event != nil }
                for handler in handlers.values { handler.interrupted(silence) }
            case .state:
                rest = rest.dropFirst()
                for handler in handlers.values { handler.stateChanged() }
            case .removed(let window):
                rest = rest.dropFirst()
                leaving.removeValue(forKey: window)?()
            }
        }
    }
}

extension InputMethodAnswer {
    fileprivate var event: InputMethodEvent? {
        if case .event(let event, _) = self { event } else { nil }
    }
}
