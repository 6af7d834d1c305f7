import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import Testing

/// A connection under test, with its counterpart, a window for it to compose in, and everything that came of it.
///
/// Plays the main thread: it waits for answers and keeps the connection's deadlines, and notes how long it was ever held up.
final class InputMethodBench {
    let displayName: String
    private let xserver: XServer?
    private let directory: String
    let driver: InputMethodServerDriver
    let connection: InputMethodConnection
    let display: OpaquePointer
    let window: WindowID
    /// All answers so far.
    var answers: [InputMethodAnswer] = []
    /// The longest that any call on the connection took, in milliseconds that count; see ``WaitingTime``.
    private(set) var longestStall = 0.0
    /// What no call may take, in such milliseconds: one that waited for a server would take as long as its deadlines, 400 and more.
    /// The 50 that people are promised are held by JourneyFreezes.
    static let stallLimit = 300.0
    /// What the events amount to, as a text field that follows them would have it.
    var field = Field()
    /// Says what is typed when a server goes, as it does in a window.
    private var ledger: KeyLedger
    private var windows: [KeyTicket: WindowID] = [:]
    private var lastPress = KeyTicket(rawValue: 0)
    private var time: UInt32 = 1000

    /// The text that comes of events in the plainest way: no selection, insertion at the end.
    struct Field {
        var text = ""
        var preedit = PreeditBuffer()
        var keys: [KeyTicket?] = []
        var resets: [String?] = []
        /// What is composed has been committed, and is still to be cleared.
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

    /// A private X server with the scripted server on it.
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
        if !script.isEmpty { try driver.settle() }
    }

    /// A display that is there already, on which no scripted server is started.
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

    /// Another window on the same connection.
    func makeWindow() -> WindowID {
        let root = XDefaultRootWindow(display)
        let id = WindowID(xid: XCreateSimpleWindow(display, root, 0, 0, 100, 100, 0, 0, 0))
        XSync(display, 0)
        return id
    }

    /// Connects, focuses the window and waits until keys go to the server.
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

    /// Sends a press and a release of each key, without a pause.
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

    /// Takes answers until the condition holds.
    func wait(_ what: String, within milliseconds: Int = 5000, until condition: () -> Bool) throws {
        try waitUntil(what, within: milliseconds, watching: [connection.descriptor], instead: { self.summary }) {
            turn()
            return condition()
        }
    }

    /// Waits for what was typed while no server answers: it is there within the 3 s that people are promised.
    func waitForKeys(until condition: () -> Bool) throws {
        let waiting = WaitingTime(of: [WaitingTime.thisThread])
        try wait("the keys", within: 20_000, until: condition)
        #expect(waiting.milliseconds <= 3000)
    }

    /// Takes what has come, and keeps the deadline.
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

    /// Whether the server has said that it is done with all that was typed.
    var isQuiet: Bool {
        events.contains { if case .quiet(lastPress) = $0 { true } else { false } }
    }

    /// Whether a command that is given now would be performed now.
    var mayCommand: Bool {
        let now = MonotonicClock.now
        return ledger.mayPerform(.command, since: now, at: now)
    }

    /// Whether a server has gone.
    var isInterrupted: Bool {
        answers.contains { if case .interrupted = $0 { true } else { false } }
    }

    /// Lets both sides come to rest.
    func settle() throws {
        if driver.isRunning { try driver.settle() }
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
    /// A caret `x` pixels from the left of the window.
    func caret(at x: Int) -> WindowRect { WindowRect(x: Double(x), y: 20, width: 2, height: 16) }
}

extension InputTiming {
    /// The times that people get: a hang is noticed, and the keys are back, within 3 s.
    static var patient: InputTiming { InputTiming() }

    /// Short waits for what tests would wait for.
    static var forTests: InputTiming {
        var timing = InputTiming()
        timing.response = 400
        timing.doubt = 150
        timing.retry = 20
        return timing
    }
}
