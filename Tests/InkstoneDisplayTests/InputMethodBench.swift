import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import Testing

/// A connection under test, with its scripted server, a window to compose in, and all resulting events.
///
/// The bench acts as the main thread: it waits for answers, keeps the connection's deadlines, and records the
/// longest time that a call blocked it.
final class InputMethodBench {
    let displayName: String
    private let xserver: XServer?
    private let directory: String
    let driver: InputMethodServerDriver
    let connection: InputMethodConnection
    let display: OpaquePointer
    let window: WindowID
    /// All answers received so far.
    var answers: [InputMethodAnswer] = []
    /// The longest duration of a call on the connection, in milliseconds that count (see ``WaitingTime``).
    private(set) var longestStall = 0.0
    /// The maximum duration of a call in such milliseconds. A call that waits for a server would take as long as a
    /// deadline, 400 or more. The maximum of 50 that users are promised is tested by JourneyFreezes.
    static let stallLimit = 300.0
    /// The text field that results from the events.
    var field = Field()
    /// Determines which keys are typed when a server is lost, as in a window.
    private var ledger: KeyLedger
    private var windows: [KeyTicket: WindowID] = [:]
    private var lastPress = KeyTicket(rawValue: 0)
    private var time: UInt32 = 1000

    /// The simplest text field that follows the events: without selection, with insertion at the end.
    struct Field {
        var text = ""
        var preedit = PreeditBuffer()
        var keys: [KeyTicket?] = []
        var resets: [String?] = []
        /// Whether the preedit has been committed, and is to be cleared by a later event.
        private var isCommitted = false

        mutating func apply(_ event: InputMethodEvent) {
            switch event {
            case .preeditStart: preedit.start()
            case .preeditDraw(let draw):
                isCommitted = false
                preedit.apply(draw)
            case .preeditCaret(let caret): preedit.apply(caret)
            case .preeditDone: preedit.finish()
            case .pause, .quiet, .stamp: break
            case .commit(let string):
                text += string
                isCommitted = true
            case .key(let key, let ticket):
                keys.append(ticket)
                if key.phase == .down { text += key.characters }
            case .resetReply(let reply): resets.append(reply)
            }
        }

        mutating func interrupt() {
            if !isCommitted { text += preedit.text }
            preedit.finish()
        }
    }

    static let serverProgram = Products.path(of: "inkstone-xim-server")

    /// Starts a private X server with the scripted input method server.
    convenience init(
        options: [String] = [], script: String = "", timing: InputTiming = .forTests, startsServer: Bool = true,
        modifiers: String = "@im=inkstone", clock: @escaping InputMethodClock = { MonotonicClock.now }
    ) throws {
        let xserver = try XServer(width: 640, height: 480)
        try self.init(
            display: xserver.display, options: options, timing: timing, modifiers: modifiers, xserver: xserver,
            clock: clock)
        guard startsServer else { return }
        try driver.start(script: script)
        if !script.isEmpty { try driver.waitUntilIdle() }
    }

    /// Uses an existing display, on which no scripted server is started.
    init(
        display name: String, options: [String] = [], timing: InputTiming = InputTiming(),
        modifiers: String,
        xserver: XServer? = nil, clock: @escaping InputMethodClock = { MonotonicClock.now }
    ) throws {
        self.xserver = xserver
        displayName = name
        directory = try TemporaryDirectory.make()
        driver = InputMethodServerDriver(
            program: Self.serverProgram, options: options, log: directory + "/xim.log",
            environment: ["DISPLAY": name, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
        guard let display = XOpenDisplay(name) else { throw X11Error.cannotOpenDisplay(name: name) }
        self.display = display
        let root = XDefaultRootWindow(display)
        window = WindowID(xid: XCreateSimpleWindow(display, root, 10, 20, 300, 200, 0, 0, 0))
        XMapWindow(display, window.xid)
        XSync(display, 0)
        ledger = KeyLedger(timing: timing)
        connection = InputMethodConnection(
            displayName: name, modifiers: modifiers, timing: timing, clock: clock)
        connection.translate = { KeyEvent(phase: $0.isPress ? .down : .up, keysym: 0, characters: "?") }
    }

    /// Creates another window on the same connection.
    func makeWindow() -> WindowID {
        let root = XDefaultRootWindow(display)
        let id = WindowID(xid: XCreateSimpleWindow(display, root, 0, 0, 100, 100, 0, 0, 0))
        XSync(display, 0)
        return id
    }

    /// Connects, focuses the window, and waits until keys go to the server.
    func begin() throws {
        measure { connection.start() }
        measure { connection.focusIn(window) }
        try wait("the connection to be ready") { self.connection.state.phase == .ready }
        if driver.isRunning { try driver.waitForRequest("set_ic_focus") }
    }

    func end() {
        measure { connection.close() }
        try? wait("the connection to end", within: 4000) { self.connection.isClosed }
        driver.end()
        XCloseDisplay(display)
        xserver?.end()
        TemporaryDirectory.remove(directory)
    }

    /// Sends a press and a release for each key, without pauses.
    func type(_ text: String, window: WindowID? = nil) {
        for character in text {
            guard let key = TestKey(typing: character) else { continue }
            strike(key, characters: character == "\n" ? "" : String(character), window: window)
        }
    }

    func strike(_ key: TestKey, characters: String = "", window: WindowID? = nil) {
        send(key, characters: characters, isPress: true, window: window)
        send(key, characters: characters, isPress: false, window: window)
    }

    @discardableResult
    func send(
        _ key: TestKey, characters: String = "", isPress: Bool, isRepeat: Bool = false, state: UInt32 = 0,
        keysym: Keysym = 0, window: WindowID? = nil
    ) -> KeyTicket {
        let target = window ?? self.window
        var event = XKeyEvent()
        event.type = isPress ? KeyPress : KeyRelease
        event.keycode = UInt32(key.keycode)
        event.state = state | (key.shift ? UInt32(ShiftMask) : 0)
        event.window = target.xid
        event.root = XDefaultRootWindow(display)
        event.same_screen = 1
        time += 1
        event.time = UInt(time)
        let translated = KeyEvent(
            phase: isPress ? isRepeat ? .repeat : .down : .up, keycode: key.keycode, keysym: keysym,
            characters: characters,
            timestamp: time)
        let ticket = ledger.keySent(translated, at: MonotonicClock.now)
        windows[ticket] = target
        if isPress { lastPress = ticket }
        measure { connection.send(RawKey(event), translated, window: target, ticket: ticket) }
        return ticket
    }

    /// Handles answers until the condition holds.
    func wait(_ what: String, within milliseconds: Int = 5000, until condition: () -> Bool) throws {
        try waitUntil(what, within: milliseconds, watching: [connection.descriptor], instead: { self.summary }) {
            turn()
            return condition()
        }
    }

    /// Waits for keys typed while no server answers: they must be typed within the 3 s that users are promised.
    func waitForKeys(until condition: () -> Bool) throws {
        let waiting = WaitingTime(of: [WaitingTime.thisThread])
        try wait("the keys", within: 20_000, until: condition)
        #expect(waiting.milliseconds <= 3000)
    }

    /// Handles the received answers, and keeps the deadline.
    func turn() {
        measure { connection.checkDeadline() }
        let new = measure { connection.receiveAnswers() }
        let now = MonotonicClock.now
        ledger.traits = InputMethodTraits(
            returnsKeysOutOfTurn: connection.state.returnsKeysOutOfTurn, reportsQuiet: connection.state.isEngaged)
        for answer in new {
            answers.append(answer)
            switch answer {
            case .event(let event, _):
                _ = ledger.destination(of: event, at: now)
                field.apply(event)
            case .interrupted(let losses):
                field.interrupt()
                for window in Set(windows.values).union([window]) {
                    let (loss, keys) = losses[window]
                    for case .unanswered(let key, let ticket) in ledger.takeOwed(loss, keys) {
                        let event = InputMethodEvent.key(key, ticket)
                        field.apply(event)
                        answers.append(.event(event, window))
                    }
                }
                ledger.methodWasLost()
            case .removed: break
            case .state: break
            }
        }
    }

    /// Whether the server has reported that it has handled all keys.
    var isQuiet: Bool {
        events.contains { if case .quiet(lastPress) = $0 { true } else { false } }
    }

    /// Whether a command issued now would be performed immediately.
    var mayCommand: Bool {
        let now = MonotonicClock.now
        return ledger.mayPerform(.command, since: now, at: now)
    }

    /// Whether a server was lost.
    var isInterrupted: Bool {
        answers.contains { if case .interrupted = $0 { true } else { false } }
    }

    /// Waits until both client and server are idle.
    func waitUntilIdle() throws {
        if driver.isRunning { try driver.waitUntilIdle() }
        try waitUntilQuiet("the connection", for: 30, watching: [connection.descriptor]) {
            turn()
            return answers.count
        }
    }

    var events: [InputMethodEvent] {
        answers.compactMap { if case .event(let event, _) = $0 { event } else { nil } }
    }

    var draws: [PreeditDraw] {
        events.compactMap { if case .preeditDraw(let draw) = $0 { draw } else { nil } }
    }

    var summary: String {
        "\(connection.state.phase); text “\(field.text)”, preedit “\(field.preedit.text)”; server: "
            + driver.entries.suffix(12).map(\.line).joined(separator: "\n") + "\nanswers:\n"
            + answers.suffix(60).map { "\($0)".replacing("InkstoneBase.", with: "") }.joined(separator: "\n")
    }

    @discardableResult
    private func measure<Result>(_ call: () -> Result) -> Result {
        let waiting = WaitingTime(of: [WaitingTime.thisThread])
        defer { longestStall = max(longestStall, waiting.milliseconds) }
        return call()
    }
}

extension InputMethodBench {
    /// Returns a caret rectangle `x` pixels from the window's left edge.
    func caret(at x: Int) -> WindowRect { WindowRect(x: Double(x), y: 20, width: 2, height: 16) }
}

extension InputTiming {
    /// The timing for users: a hang is detected, and the keys are typed, within 3 s.
    static var standard: InputTiming { InputTiming() }

    /// Shortened waits for tests.
    static var forTests: InputTiming {
        var timing = InputTiming()
        timing.response = 400
        timing.probeDelay = 150
        timing.retry = 20
        return timing
    }
}
