import Glibc
import InkstoneBase

/// The display's only connection to the input method. All windows share it; each answer is passed on to its window.
package final class InputMethodRouter {
    /// The callbacks of a window, called in order on the display's thread.
    package struct Handler {
        /// Called with consecutive answers for the window.
        package var events: ([InputMethodEvent]) -> Void
        /// Called when the server is lost: it will neither continue its composition nor answer the keys `owed`. The
        /// composed text stays in the document.
        package var interrupted: (_ loss: InputMethodLoss, _ owed: [KeyEvent]) -> Void
        /// Called when ``InputMethodRouter/state`` has changed.
        package var stateChanged: () -> Void
        /// Called when another window gets the server's focus, and this one has not reported that it lost the
        /// focus. Accept the composition now, before the server clears it.
        package var focusTaken: () -> Void

        /// Creates a handler from its callbacks.
        package init(
            events: @escaping ([InputMethodEvent]) -> Void,
            interrupted: @escaping (InputMethodLoss, [KeyEvent]) -> Void,
            stateChanged: @escaping () -> Void, focusTaken: @escaping () -> Void = {}
        ) {
            self.events = events
            self.interrupted = interrupted
            self.stateChanged = stateChanged
            self.focusTaken = focusTaken
        }
    }

    /// The connection to the input method; windows send keys and other commands to it directly.
    package let connection: InputMethodConnection
    /// The state of the connection to the input method.
    package var state: InputMethodState { connection.state }

    private unowned let display: Display
    private var handlers: [WindowID: Handler] = [:]
    /// The removed windows that the server has not released yet. The value is the work to do after the release.
    private var leaving: [WindowID: () -> Void] = [:]
    private var isAttached = false

    init(_ display: Display) {
        self.display = display
        connection = InputMethodConnection(
            displayName: display.name, modifiers: display.inputMethodSetup.modifiers,
            timing: display.inputMethodSetup.timing, clock: display.inputMethodSetup.clock)
    }

    /// Registers a handler for a window's answers. The first call connects.
    package func register(_ window: WindowID, _ handler: Handler) {
        handlers[window] = handler
        guard !isAttached else { return }
        isAttached = true
        connection.attach(to: display) { [weak self] in self?.route($0) }
        connection.start()
    }

    /// Forgets a window that is to be destroyed.
    package func remove(_ window: WindowID) {
        guard handlers.removeValue(forKey: window) != nil else { return }
        if connection.remove(window) { leaving[window] = {} }
    }

    /// Whether a window was removed and the server has not released it yet.
    func isLeaving(_ window: WindowID) -> Bool { leaving[window] != nil }

    /// Runs `work` when the server has released a window for which ``isLeaving(_:)`` is true.
    func whenRemoved(_ window: WindowID, _ work: @escaping () -> Void) { leaving[window] = work }

    /// Reports that a text in `window` takes input now.
    ///
    /// Calls `focusTaken` of all other windows, because without a window manager they may get no FocusOut.
    package func focusIn(_ window: WindowID) {
        for (other, handler) in handlers where other != window { handler.focusTaken() }
        connection.focusIn(window)
    }

    /// Reports that no text in `window` takes input any more.
    package func focusOut(_ window: WindowID) {
        connection.focusOut(window)
    }

    /// Ends the connection. Called when the display closes, before its windows are destroyed. Waits for the server
    /// to release the windows, at most ``InputTiming/goodbye``.
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
            case .interrupted(let losses):
                // Drop the replies to resets that follow the interruption: no window waits for them any more.
                rest = rest.dropFirst().drop { $0.event != nil }
                for (window, handler) in handlers {
                    let (loss, keys) = losses[window]
                    handler.interrupted(loss, keys)
                }
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
