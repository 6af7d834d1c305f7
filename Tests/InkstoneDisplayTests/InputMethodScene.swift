import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11

/// A focused text view in a window of this process, with the scripted input method server.
final class InputMethodScene: DisplayScene {
    let driver: InputMethodServerDriver
    /// The trace of the input session of ``window``.
    var records: [TraceRecord] = []

    /// Starts everything with this text in the view, and waits until keys go to the server.
    ///
    /// - Parameters:
    ///   - isStopped: the server is stopped before the window is made, and is not waited for.
    ///   - isTraced: whether the session records a trace.
    ///   - serverName: the server's name; one called `ibus` is assumed to return keys out of order.
    init(
        _ text: CaretNotation = "<|>", options: [String] = ["--mode", "swallow"], script: String = "",
        startsServer: Bool = true, isStopped: Bool = false, withWindowManager: Bool = false, isTraced: Bool = true,
        serverName: String = "inkstone", timing: InputTiming = InputTiming()
    ) throws {
        let session = try DesktopSession(width: 800, height: 600)
        driver = InputMethodServerDriver(
            program: InputMethodBench.serverProgram, options: ["--server-name", serverName] + options,
            log: session.home + "/xim.log", environment: session.environment)
        if startsServer { try driver.start(script: script) }
        if isStopped { driver.stop() }
        if withWindowManager { try session.startWindowManager() }
        try super.init(in: session)
        display.inputMethodSetup = InputMethodSetup(modifiers: "@im=\(serverName)", timing: timing)
        try makeWindow(width: 400, height: 240, font: nil, at: nil) { [unowned self] views in
            if isTraced { views[0].window?.session.onRecord = { [unowned self] in records.append($0) } }
            views[0].set(text)
        }
        guard startsServer, !isStopped else { return }
        try ready()
    }

    override func end() {
        let connection = display.inputMethod.connection
        disconnect()
        // A thread that is just connecting when the X server ends would end the process, because Xlib has no error
        // handler yet.
        try? waitUntil("the input method's thread to end", within: 4000, watching: [connection.descriptor]) {
            connection.checkDeadline()
            _ = connection.receiveAnswers()
            return connection.isClosed
        }
        driver.end()
        super.end()
    }

    /// Waits until keys go to the server, with an input context for the focused window.
    func ready() throws {
        try pump("the input method to be ready") { window.inputMethodState.phase == .ready }
        try pump("an input context with the focus") { !driver.requests("set_ic_focus").isEmpty }
    }

    /// Creates another visible window with a text view; the caller owns the window.
    func makeOtherWindow(_ text: CaretNotation = "<|>") throws -> (WidgetWindow, TextView) {
        let (other, views) = try makeWindow(width: 300, height: 200, font: nil, at: nil, isFocused: false) {
            $0[0].set(text)
        }
        release(other)
        probe.move(other.window.id.rawValue, x: 420, y: 300)
        return (other, views[0])
    }

    /// Runs the event loop until the view shows this state (see `CaretNotation`).
    func expect(_ state: CaretNotation, in other: TextView? = nil, within milliseconds: Int = 5000) throws {
        let editor = (other ?? view)
        try pump("\(state)", within: milliseconds, instead: { [self] in "\(CaretNotation(editor)); \(summary)" }) {
            CaretNotation(editor) == state
        }
    }

    /// Sends the server commands or rules, and waits until it has handled them.
    func perform(_ script: String) throws {
        try driver.perform(script)
        try driver.waitUntilIdle()
        display.processEvents()
    }

    /// Types on the American keyboard, and waits until the view shows this state (see `CaretNotation`).
    func type(_ text: String, expecting state: CaretNotation) throws {
        type(text)
        try expect(state)
    }

    /// Waits until both programs are idle, and no more messages arrive for a while.
    func waitUntilQuiet() throws {
        if driver.isRunning { try driver.waitUntilIdle() }
        var quietSince = Deadline.now
        var count = records.count
        try pump("rest") {
            if records.count != count || window.session.isWaiting {
                count = records.count
                quietSince = Deadline.now
            }
            return Deadline.now - quietSince >= 40
        }
    }

    /// Clicks at the caret position before this offset of a view.
    func click(before offset: Int, in other: TextView? = nil, button: UInt8 = 1) {
        let editor = (other ?? view)
        let range = UTF16Range(location: offset, length: 0)
        let rect = editor.firstRect(forCharacterRange: range).rect
        probe.click(
            x: Int(rect.origin.x), y: Int(rect.origin.y + rect.size.height / 2), button: button)
    }

    /// The bottom left of the caret or the target clause in window pixels: the spot that the server should have.
    var spot: [Int] {
        var range = view.selectedRange()
        if !view.hasMarkedText() { range.length = 0 }
        let rect = view.firstRect(forCharacterRange: range).rect
        let origin = window.window.rootOrigin
        return [Int(rect.origin.x - origin.x), Int(rect.origin.y + rect.size.height - origin.y)]
    }

    /// The spots sent to the server so far.
    var spotsSent: [[Int]] {
        driver.requests("set_ic_values").compactMap { $0["spot"]?.items.compactMap(\.integer) }
    }

    /// The key presses sent to the server so far.
    var presses: [String] {
        driver.requests("forward_event").filter { $0["phase"]?.text == "press" }.compactMap { $0["key"]?.text }
    }

    var clientCalls: [ClientCall] { records.compactMap { if case .call(let call) = $0.event { call } else { nil } } }

    override var summary: String {
        "\(CaretNotation(view)); \(window.inputMethodState.phase); server:\n"
            + driver.entries.suffix(24).map(\.line).joined(separator: "\n") + "\nrecords:\n"
            + records.suffix(40).map { "\($0)".replacing("InkstoneBase.", with: "").prefix(200) }.joined(
                separator: "\n")
    }
}
