import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11

/// A text view in a window of this process, the scripted server, and a user's hands (XTEST) on a display of their own.
final class InputMethodScene {
    let xserver: XServer
    let probe: XProbe
    let driver: InputMethodServerDriver
    let display: InkstoneX11.Display
    let window: WidgetWindow
    let view: TextView
    /// What the session of ``window`` did.
    var records: [TraceRecord] = []
    private let directory: String

    /// Starts all, with this text in the view, and waits until keys go to the server.
    ///
    /// - Parameter onRecord: false leaves the session without a trace.
    init(
        _ text: CaretNotation = "<|>", options: [String] = ["--mode", "swallow"], script: String = "",
        startsServer: Bool = true, withWindowManager: Bool = false, isTraced: Bool = true,
        timing: InputMethodTiming = InputMethodTiming()
    ) throws {
        xserver = try XServer(width: 800, height: 600)
        probe = try XProbe(display: xserver.display)
        directory = try TemporaryDirectory.make()
        let environment = ["DISPLAY": xserver.display, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": directory]
        driver = InputMethodServerDriver(
            program: InputMethodBench.serverProgram, options: options, log: directory + "/xim.log",
            environment: environment)
        if startsServer { try driver.start(script: script) }
        if withWindowManager {
            manager = try ChildProcess("openbox", ["--sm-disable"], environment: environment, errors: .null)
            try waitUntil("openbox to manage the screen", watching: [probe.descriptor]) { [probe] in
                probe.drainEvents()
                return probe.property("_NET_SUPPORTING_WM_CHECK", of: probe.root) != nil
            }
        }
        display = try InkstoneX11.Display(name: xserver.display)
        display.inputMethodSetup = ("@im=inkstone", timing)
        window = try WidgetWindow(display, size: Size(width: 400, height: 240))
        view = TextView(in: window)
        if isTraced { window.session.onRecord = { [unowned self] in records.append($0) } }
        view.editor.set(text)
        window.show()
        try focus(window)
        guard startsServer else { return }
        try ready()
    }

    private var manager: ChildProcess?

    func end() {
        let connection = display.inputMethod.connection
        display.close()
        // A thread that is only just connecting when the X server goes would end the process: Xlib has no handler yet then.
        try? waitUntil("the input method's thread to end", within: 4000, watching: [connection.descriptor]) {
            connection.checkDeadline()
            _ = connection.receiveAnswers()
            return connection.isClosed
        }
        driver.end()
        manager?.end()
        probe.close()
        xserver.end()
        TemporaryDirectory.remove(directory)
    }

    /// Waits until keys go to the server, with an input context for the focused window.
    func ready() throws {
        try wait("the input method to be ready") { window.inputMethodState.phase == .ready }
        try wait("an input context with the focus") { !driver.requests("set_ic_focus").isEmpty }
    }

    /// Gives a window the X focus, as a person without a window manager or with one does, and waits until it has it.
    func focus(_ window: WidgetWindow) throws {
        let id = window.window.id.rawValue
        try wait("the window to be seen") {
            if probe.info(id)?.isViewable == true { return true }
            // A window manager forgets windows shown in its first moments.
            window.window.show()
            return false
        }
        try wait("the focus") {
            probe.focus(id)
            return window.window.isFocused
        }
    }

    /// Another window with a text view, seen.
    func makeWindow(_ text: CaretNotation = "<|>", x: Int = 420, y: Int = 300) throws -> (WidgetWindow, TextView) {
        let other = try WidgetWindow(display, size: Size(width: 300, height: 200))
        let view = TextView(in: other)
        view.editor.set(text)
        other.show()
        try wait("the other window") {
            if probe.info(other.window.id.rawValue)?.isViewable == true { return true }
            other.window.show()
            return false
        }
        probe.move(other.window.id.rawValue, x: x, y: y)
        return (other, view)
    }

    /// Turns the loop until the condition holds.
    func wait(_ what: String, within milliseconds: Int = 5000, until condition: () -> Bool) throws {
        try waitUntil(
            what, within: milliseconds, watching: [display.fileDescriptor], instead: { [self] in summary }
        ) {
            display.processEvents()
            return condition()
        }
    }

    /// Turns the loop until the view shows this; see `CaretNotation`.
    func expect(_ state: CaretNotation, in other: TextView? = nil, within milliseconds: Int = 5000) throws {
        let editor = (other ?? view).editor
        try waitUntil(
            "\(state)", within: milliseconds, watching: [display.fileDescriptor],
            instead: { [self] in "\(CaretNotation(editor)); \(summary)" }
        ) {
            display.processEvents()
            return CaretNotation(editor) == state
        }
    }

    /// Has the server do something now, or gives it rules, and waits until it has.
    func tell(_ script: String) throws {
        try driver.tell(script)
        try driver.settle()
        display.processEvents()
    }

    /// Lets everything come to rest: both programs have done what they had to, and nothing more comes for a while.
    func settle() throws {
        if driver.isRunning { try driver.settle() }
        var quietSince = Deadline.now
        var count = records.count
        try wait("rest") {
            if records.count != count || window.session.isWaiting {
                count = records.count
                quietSince = Deadline.now
            }
            return Deadline.now - quietSince >= 40
        }
    }

    func type(_ text: String) { probe.type(text) }

    /// Clicks at the caret position before this offset of a view.
    func click(before offset: Int, in other: TextView? = nil, button: UInt8 = 1) {
        let editor = (other ?? view).editor
        let range = UTF16Range(location: offset, length: 0)
        let rect = editor.firstRect(forCharacterRange: range).rect
        probe.click(
            x: Int(rect.origin.x), y: Int(rect.origin.y + rect.size.height / 2), button: button)
    }

    /// The bottom left of the caret or the target clause in pixels of the window, as the server should know it.
    var spot: [Int] {
        var range = view.editor.selectedRange()
        if !view.editor.hasMarkedText() { range.length = 0 }
        let rect = view.editor.firstRect(forCharacterRange: range).rect
        let origin = window.window.rootOrigin
        return [Int(rect.origin.x - origin.x), Int(rect.origin.y + rect.size.height - origin.y)]
    }

    /// The spots that the server was told so far.
    var spotsTold: [[Int]] {
        driver.requests("set_ic_values").compactMap { $0["spot"]?.items.compactMap(\.integer) }
    }

    /// Presses that the server was given so far.
    var presses: [String] {
        driver.requests("forward_event").filter { $0["phase"]?.text == "press" }.compactMap { $0["key"]?.text }
    }

    var clientCalls: [ClientCall] { records.compactMap { if case .call(let call) = $0.event { call } else { nil } } }

    var summary: String {
        "\(CaretNotation(view.editor)); \(window.inputMethodState.phase); server:\n"
            + driver.entries.suffix(24).map(\.line).joined(separator: "\n") + "\nrecords:\n"
            + records.suffix(40).map { "\($0)".replacing("InkstoneBase.", with: "").prefix(200) }.joined(
                separator: "\n")
    }
}
