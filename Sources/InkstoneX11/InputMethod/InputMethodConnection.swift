import InkstoneBase
import Glibc
import Synchronization

/// The configuration of a connection to an input method.
package struct InputMethodSetup: Sendable {
    /// The value of `XMODIFIERS`; nil for the value in the environment.
    package var modifiers: String?
    /// The waiting times of the connection.
    package var timing = InputTiming()
    /// The clock for all times of the connection.
    package var clock: InputMethodClock = { MonotonicClock.now }

    /// Creates a configuration with the machine's clock.
    package init(modifiers: String? = nil, timing: InputTiming = InputTiming()) {
        self.modifiers = modifiers
        self.timing = timing
    }
}

/// An answer of the input method. Answers are delivered in order.
package enum InputMethodAnswer: Hashable, Sendable {
    /// A preedit, a commit, a returned key or the reply to a reset, with the window that it belongs to.
    case event(InputMethodEvent, WindowID)
    /// The connection to the server has ended. The server will not continue its compositions in any window, and will
    /// not answer the keys that were sent to it. The composed text stays in the document.
    case interrupted(InputMethodLosses)
    /// The state of the connection changed. ``InputMethodConnection/state`` holds the latest.
    case state(InputMethodState)
    /// The server has released a window after a call of ``InputMethodConnection/remove(_:)``.
    case removed(WindowID)
}

/// The X input method, on an X connection and a thread of its own. Commands and answers are plain values. No method of
/// this class waits for the server.
///
/// Keys are sent with a ticket. ``receiveAnswers()`` returns the answers whenever ``descriptor`` is readable:
/// preedits and commits, or the key itself if the method returns it. With ``attach(to:handler:)``, the loop of a
/// display does this.
///
/// If a server hangs or dies, the connection to it is ended. ``InputMethodAnswer/interrupted(_:)`` then contains the
/// keys that the server had not answered. Another connection is made when the server answers again, or when a new one
/// starts. To notice a server that hangs, call ``checkDeadline()`` at ``nextDeadline``; a display's loop does this too.
///
/// A connection belongs to one thread. If any thread calls `setlocale`, it has to be this one.
package final class InputMethodConnection {
    /// The state of the connection. Changes only in ``start()``, ``receiveAnswers()`` and ``close()``.
    package private(set) var state: InputMethodState
    /// Translates key events that the server itself has created. If nil, they are dropped. Called in
    /// ``receiveAnswers()``.
    package var translate: ((RawKey) -> KeyEvent)?
    /// Called while the thread's own connection is in a call. Must send the server an event over another
    /// connection, so that the server looks at events that it has overlooked (see the trap “overlooked events” on the
    /// page KeysAndAnswers).
    var nudge: (() -> Void)?
    /// The time at which ``checkDeadline()`` must be called, by the connection's clock; nil if it need not be
    /// called.
    package private(set) var nextDeadline: Milliseconds?
    /// Called on the thread that the connection belongs to, when ``nextDeadline`` is set or becomes earlier.
    var onDeadlineChange: (() -> Void)?
    /// Called when answers are pending that ``descriptor`` cannot signal, because the process had no file
    /// descriptor left for it. Also called when the descriptor is created later.
    var onDescriptorChange: (() -> Void)?

    private let displayName: String?
    private let timing: InputTiming
    private let clock: InputMethodClock
    private let outbox = InputMethodOutbox()
    private(set) var worker: InputMethodWorker?
    private var thread = pthread_t()
    private var failures = InputMethodFailures()
    private var call = InputMethodCallWatch()
    private var restartAt: Milliseconds?
    private var isClosing = false
    /// The number of keys sent so far, from which each key gets its number.
    private var keyCount: UInt64 = 0
    /// The commands that came after a thread had ended, and before its last output was handled.
    private var held: [InputMethodCommand] = []
    private var focused: WindowID?
    private var spots: [WindowID: InputMethodSpot] = [:]

    /// The current time by the connection's clock.
    var now: Milliseconds { clock() }

    /// A descriptor that is readable while answers are pending. Watch it, but do not read from it. -1 if the
    /// process had no descriptor left. Each new connection tries again to create it; ``attach(to:handler:)``
    /// handles that.
    package var descriptor: Int32 { outbox.descriptor }

    /// Creates a connection to an input method, which does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - modifiers: the name of the input method in the form of the variable `XMODIFIERS`, such as `@im=ibus`;
    ///     nil for the variable's value.
    ///   - displayName: the X server to which the windows belong; nil for `$DISPLAY`.
    package init(
        displayName: String? = nil, modifiers: String? = nil, timing: InputTiming = InputTiming(),
        clock: @escaping InputMethodClock = { MonotonicClock.now }
    ) {
        self.displayName = displayName
        self.timing = timing
        self.clock = clock
        let value = modifiers ?? getenv("XMODIFIERS").map { String(cString: $0) }
        state = InputMethodState(phase: .none, serverName: InputMethodState.serverName(modifiers: value))
    }

    deinit {
        guard let worker else { return }
        worker.shed()
        pthread_detach(thread)
    }

    /// Begins to connect, and from then on connects again whenever the connection is lost. Does nothing if no input
    /// method is configured.
    package func start() {
        guard worker == nil, !isClosing, state.serverName != nil else { return }
        state.phase = .connecting
        startWorker(afterHang: false)
    }

    // MARK: Commands

    /// Sends a key of `window` to the input method. If the method does not use the key, it comes back in an event
    /// with `ticket`.
    ///
    /// - Parameters:
    ///   - raw: the key as the X server delivered it.
    ///   - event: the same key, translated. The event that returns the key contains it.
    ///   - window: the window of the text that the key is for. The key may have been delivered to another one.
    ///   - ticket: the identifier that comes back with a returned key.
    package func send(_ raw: RawKey, _ event: KeyEvent, window: WindowID, ticket: KeyTicket) {
        keyCount += 1
        perform(.key(InputMethodKey(window: window, raw: raw, event: event, ticket: ticket, number: keyCount)))
    }

    /// Reports that a text in `window` takes input now. A key sent for a window implies this.
    package func focusIn(_ window: WindowID) {
        focused = window
        perform(.focusIn(window))
    }

    /// Reports that no text in `window` takes input any more. The server decides whether to commit or to discard
    /// its composition there.
    package func focusOut(_ window: WindowID) {
        if focused == window { focused = nil }
        perform(.focusOut(window))
    }

    /// Reports the rectangle of the composed clause or the caret, in pixels of `window`. The server places its own
    /// windows below the rectangle's bottom left corner. If `room` is too small, it places them above its top left
    /// corner. May be called at any rate: only changes are sent, when the server is quiet.
    ///
    /// - Parameters:
    ///   - rootOrigin: the origin of `window` on the screen.
    ///   - room: the distance from the rectangle's lower edge to that of the monitor, in pixels at scale 1.
    package func setSpot(
        _ rect: WindowRect, in window: WindowID, rootOrigin: RootPoint, room: Double = .infinity
    ) {
        let isAbove = room < InputMethodSpot.leastListHeight
        let spot = InputMethodSpot(at: rect, isAbove: isAbove, rootOrigin: rootOrigin)
        guard spots.updateValue(spot, forKey: window) != spot else { return }
        perform(.spot(spot, window))
    }

    /// Asks the input method to discard its composition in `window`. Exactly one `resetReply` comes for each call,
    /// after all earlier answers. The server may still commit the text later.
    package func reset(_ window: WindowID) { perform(.reset(window)) }

    /// Announces that the window is to be destroyed. If this returns true, do not destroy the window before
    /// `removed` comes, which means that the server has released it. Some servers (scim) exit at the error that a
    /// destroyed window causes.
    @discardableResult
    package func remove(_ window: WindowID) -> Bool {
        spots[window] = nil
        if focused == window { focused = nil }
        guard worker != nil else { return false }
        perform(.remove(window))
        return true
    }

    /// Ends the connection without waiting. When it has ended, ``descriptor`` becomes readable once more.
    package func close() {
        guard !isClosing else { return }
        isClosing = true
        restartAt = nil
        state.phase = .none
        state.style = nil
        perform(.close)
    }

    /// Whether the thread and its connection have ended, or never began, and no other connection is about to be
    /// started.
    package var isClosed: Bool { worker == nil && restartAt == nil }

    private func perform(_ command: InputMethodCommand) {
        guard let worker else {
            // Answer the command here, because there is no connection at the moment.
            handBack([command])
            return
        }
        if worker.send(command) {
            watch(worker)
        } else {
            held.append(command)
        }
    }

    /// Answers commands without a thread: returns keys, and replies to resets.
    private func handBack(_ commands: [InputMethodCommand]) {
        outbox.post(
            commands.compactMap { command in
                switch command {
                case .key(let key): .key(key)
                case .reset(let window): .event(.resetReply(nil), window)
                default: nil
                }
            })
        signalAnswers()
    }

    private func signalAnswers() {
        if descriptor < 0 { onDescriptorChange?() }
    }

    // MARK: Answers

    /// Returns the answers since the last call. If there are many, returns only the first of them; ``descriptor``
    /// then stays readable. Does not wait.
    package func receiveAnswers() -> [InputMethodAnswer] {
        var answers: [InputMethodAnswer] = []
        for output in outbox.take() { receive(output, &answers) }
        return answers
    }

    private func receive(_ output: InputMethodOutput, _ answers: inout [InputMethodAnswer]) {
        switch output {
        case .event(let event, let window): answers.append(.event(event, window))
        case .key(let key): answers.append(.event(.key(key.event, key.ticket), key.window))
        case .foreignKey(let raw, let window):
            if let translate { answers.append(.event(.key(translate(raw), nil), window)) }
        case .state(let new): setState(new, &answers)
        case .removed(let window): answers.append(.removed(window))
        case .wantsLocale:
            let locale = CharacterLocale.prepare().name
            if let worker { _ = worker.send(.open(locale: locale)) }
        case .watch: if let worker { watch(worker) }
        case .ended(let reason, var losses, let commands, let hasServed):
            pthread_join(thread, nil)
            worker = nil
            let rest = commands + held
            held = []
            for case .key(let key) in rest { losses.add(key) }
            answers.append(.interrupted(losses))
            for case .reset(let window) in rest { answers.append(.event(.resetReply(nil), window)) }
            for command in rest {
                switch command {
                case .remove(let window), .destroy(let window, _): answers.append(.removed(window))
                default: break
                }
            }
            // Report the state last: its observer then types the keys that were not sent to the server. The user struck
            // them after those that the server has left unanswered.
            if !isClosing { restart(after: reason, hasServed: hasServed, &answers) }
        }
    }

    private func setState(_ new: InputMethodState, _ answers: inout [InputMethodAnswer]) {
        guard !isClosing, new != state else { return }
        state = new
        answers.append(.state(new))
    }

    // MARK: Starting and ending the thread

    private func startWorker(afterHang: Bool, avoiding avoided: (owner: UInt, until: Milliseconds)? = nil) {
        failures.begin(at: now)
        call = InputMethodCallWatch()
        let new = InputMethodWorker(
            serverName: state.serverName ?? "", displayName: displayName, timing: timing, clock: clock, outbox: outbox,
            startsAfterHang: afterHang, avoided: avoided)
        if outbox.makeDescriptor() { onDescriptorChange?() }
        guard descriptor >= 0, let started = new.start() else {
            outbox.post([.state(InputMethodState(phase: .unavailable, serverName: state.serverName))])
            signalAnswers()
            return follow(failures.couldNotBegin(at: now, timing))
        }
        worker = new
        thread = started
        for (window, spot) in spots { _ = new.send(.spot(spot, window)) }
        if let focused { _ = new.send(.focusIn(focused)) }
        watch(new)
    }

    private func restart(after reason: InputMethodEnd, hasServed: Bool, _ answers: inout [InputMethodAnswer]) {
        var new = state
        new.style = nil
        new.phase =
            switch reason {
            case .hung: .notResponding
            case .faulty: .faulty
            case .lostDisplay: .unavailable
            case .closed, .died: .notRunning
            }
        setState(new, &answers)
        follow(failures.ended(reason, hasServed: hasServed, at: now, timing))
    }

    private func follow(_ next: InputMethodFailures.Next) {
        switch next {
        case .connect(let afterHang): startWorker(afterHang: afterHang)
        case .avoid(let owner, let until): startWorker(afterHang: false, avoiding: (owner, until))
        case .wait(let due):
            restartAt = due
            setDeadline(due)
        }
    }

    /// Gives up a server that has not answered in time, nudges one that is slow to answer, or tries again to connect,
    /// if one of these is due. Cheap; does not wait.
    package func checkDeadline() {
        let now = now
        guard let deadline = nextDeadline, deadline <= now else { return }
        nextDeadline = nil
        if let restartAt {
            if restartAt <= now {
                self.restartAt = nil
                startWorker(afterHang: state.phase == .notResponding)
            } else {
                setDeadline(restartAt)
            }
        } else if let worker {
            // From here on, the thread itself reports when it begins to wait for the server. If it is waiting already,
            // it sends no report, so check that below.
            worker.isWatched.store(false, ordering: .sequentiallyConsistent)
            let busySince = worker.busySince.load(ordering: .sequentiallyConsistent)
            if busySince == 0 { return }
            worker.isWatched.store(true, ordering: .sequentiallyConsistent)
            let due = call.endsAt(Milliseconds(busySince), timing)
            if now >= due {
                worker.shed()
                setDeadline(now + timing.response)
            } else {
                let (nudges, next) = call.nudges(since: Milliseconds(busySince), at: now, timing)
                if nudges { nudge?() }
                setDeadline(min(due, next))
            }
        }
    }

    /// Starts to watch how long the thread's calls wait for the server: sets the deadline at which ``checkDeadline()``
    /// checks the call (see the trap “no time-out” on the page KeysAndAnswers).
    private func watch(_ worker: InputMethodWorker) {
        worker.isWatched.store(true, ordering: .sequentiallyConsistent)
        setDeadline(now + min(timing.probeDelay, timing.response))
    }

    private func setDeadline(_ deadline: Milliseconds) {
        if let nextDeadline, nextDeadline <= deadline { return }
        nextDeadline = deadline
        onDeadlineChange?()
    }
}

extension InputMethodConnection {
    /// Lets the loop of `display` read the answers and keep the deadlines. `handler` gets the answers, on the
    /// loop's thread. Call ``detach(from:)`` before the display is closed.
    package func attach(to display: Display, handler: @escaping ([InputMethodAnswer]) -> Void) {
        let keyboard = display.keyboard
        translate = { keyboard.translate($0) }
        let serverName = state.serverName
        nudge = { [unowned display] in
            guard let serverName else { return }
            display.transfers.nudgeOwner(of: "@server=\(serverName)", target: "TRANSPORT")
        }
        let receive = { [weak self] in
            guard let self else { return }
            let answers = receiveAnswers()
            if descriptor < 0, outbox.hasMore { onDescriptorChange?() }
            if !answers.isEmpty { handler(answers) }
        }
        if descriptor >= 0 { display.addDescriptor(descriptor, receive) }
        onDescriptorChange = { [weak self, unowned display] in
            if let self, descriptor >= 0 {
                display.addDescriptor(descriptor, receive)
            } else {
                display.schedule(afterMilliseconds: 0, receive)
            }
        }
        onDeadlineChange = { [weak self, unowned display] in
            guard let self, let deadline = nextDeadline else { return }
            let wait = max(0, deadline - now)
            display.schedule(afterMilliseconds: Int(wait) + 1) { [weak self] in self?.checkDeadline() }
        }
        if nextDeadline != nil { onDeadlineChange?() }
    }

    /// Undoes ``attach(to:handler:)``.
    package func detach(from display: Display) {
        if descriptor >= 0 { display.removeDescriptor(descriptor) }
        onDescriptorChange = nil
        onDeadlineChange = nil
        nudge = nil
    }
}
