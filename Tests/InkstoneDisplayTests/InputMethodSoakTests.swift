import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Random operations with a server that comes, goes and hangs: the document always equals that of a model that
    /// shares no code with the client. The seed is printed; `INKSTONE_SEED` repeats a run, and
    /// `INKSTONE_OPERATIONS` sets its length.
    @Suite struct InputMethodSoakTests {
        private static let wanted = getenv("INKSTONE_OPERATIONS").flatMap { Int(String(cString: $0)) }
        private static let isLong = getenv("INKSTONE_LONG_TESTS") != nil

        @Test func theScriptedServer() throws {
            try soak(ScriptedSoakServer(), operations: Self.wanted ?? (Self.isLong ? 10_000 : 1000))
        }

        @Test func ibus() throws {
            try soak(
                RealSoakServer(RealInputMethod(.ibus, .anthy)),
                operations: Self.wanted ?? (Self.isLong ? 10_000 : 1000))
        }

        private func soak(_ server: any SoakServer, operations: Int) throws {
            let soak = try InputMethodSoak(server)
            defer { soak.end() }
            print("soak \(server.name): seed \(soak.seed)")
            let start = Deadline.now
            for number in 1...operations {
                try soak.operate()
                // A short run might by chance have neither fault, so force one of each.
                if number == operations / 3 { try soak.suffer("kill") }
                if number == operations * 2 / 3 { try soak.suffer("stop") }
            }
            try soak.compare()
            let took = Int(Deadline.now - start)
            print(
                "soak \(server.name): \(operations) operations in \(took) ms, longest stall "
                    + "\(Int(soak.turns.waited.rounded())) ms, of computing \(Int(soak.turns.computed.rounded())) ms, "
                    + "\(soak.tally), felt \(soak.felt)")
            #expect(soak.turns.waited < InputMethodBench.stallLimit)
            #expect(soak.turns.computed < LongestTurn.limit)
            for fault in ["kill", "stop", "restart"] { #expect(soak.felt[fault, default: 0] > 0, "\(fault)") }
            for operation in InputMethodSoak.operations {
                #expect(soak.tally[operation.name, default: 0] > 0 || operations < 1000, "\(operation.name)")
            }
        }
    }
}

/// A server for the soak test that can be stopped, killed and restarted.
protocol SoakServer: AnyObject {
    var name: String { get }
    var modifiers: String { get }
    var timing: InputTiming { get }
    /// The average number of operations per kill or stop of the server.
    var calamity: Int { get }
    /// The time in milliseconds that the server needs after a focus change: ibus sets its engine anew, which clears
    /// the preedit.
    var breath: Int { get }
    /// The time that a user needs to move from the keyboard to the mouse, in milliseconds.
    var pause: ClosedRange<Int> { get }
    /// The pause in typing before the server is killed or stopped, in milliseconds. It must be long enough to know
    /// which keys the server has answered, because the others are typed again.
    var farewell: ClosedRange<Int> { get }
    /// The text of a space outside of compositions.
    var blank: Character { get }
    /// The phase of a Shift key that the server always returns, after it has handled all earlier keys as far as can
    /// be known.
    var mark: KeyEvent.Phase { get }
    /// Whether keys such as Space and arrows edit a composition as the model does, and returned keys stay in order
    /// with commits. ibus uses different channels for the two, so that either may overtake the other.
    var edits: Bool { get }
    func start(in session: DesktopSession, using random: inout SeededGenerator) throws
    /// Returns random composing keys and the text that they compose.
    func key(using random: inout SeededGenerator) -> (keys: String, plain: String, converted: String)
    func kill() throws
    func stop()
    func resume()
    func end()
    /// The server's recent log, for the report of a failure.
    var log: String { get }
}

/// inkstone-xim-server, each time in a different mode.
final class ScriptedSoakServer: SoakServer {
    let name = "inkstone-xim-server"
    let modifiers = "@im=inkstone"
    let calamity = 60
    let pause = 0...40
    let farewell = 0...40
    let breath = 0
    let blank: Character = " "
    let mark = KeyEvent.Phase.down
    let edits = true
    private var driver: InputMethodServerDriver?
    private var count = 0

    var timing: InputTiming {
        var timing = InputTiming.forTests
        timing.response = 500
        return timing
    }

    func start(in session: DesktopSession, using random: inout SeededGenerator) throws {
        count += 1
        func pick(_ option: String, _ values: String...) -> [String] {
            [option, values.randomElement(using: &random)!]
        }
        let options =
            pick("--on-reset", "text", "empty", "clear", "late") + pick("--on-unset", "clear", "commit", "keep")
            + pick("--commit-order", "commit-first", "done-first")
        let driver = InputMethodServerDriver(
            program: InputMethodBench.serverProgram, options: options, log: "\(session.home)/xim\(count).log",
            environment: session.environment)
        self.driver = driver
        try driver.start()
    }

    private static let kana = Array("あいうえおかきくけこさしすせそたちつてとなにぬねのは")
    private static let kanji = Array("日本語文字入力変換確定東西南北春夏秋冬山川海空森林水")

    func key(using random: inout SeededGenerator) -> (keys: String, plain: String, converted: String) {
        let number = Int.random(in: 0..<26, using: &random)
        let letter = Character(Unicode.Scalar(UInt8(0x61 + number)))
        return (String(letter), String(Self.kana[number]), String(Self.kanji[number]))
    }

    func kill() { driver?.kill() }
    func stop() { driver?.stop() }
    func resume() { driver?.resume() }
    func end() { driver?.end() }
    var log: String { (driver?.entries.suffix(60).map(\.line) ?? []).joined(separator: "\n") }
}

/// A real input method with anthy, of which the soak test uses only kana, whose result is certain.
final class RealSoakServer: SoakServer {
    let name: String
    let modifiers: String
    let timing = InputTiming.standard
    let calamity = 300
    let pause = 60...60
    // Keys without an answer are confirmed by a query after half a second.
    let farewell = 800...800
    let breath = 150
    let blank: Character = "\u{3000}"
    // anthy does not return the press.
    let mark = KeyEvent.Phase.up
    let edits = false
    private let method: RealInputMethod
    private var running: RunningInputMethod?

    init(_ method: RealInputMethod) {
        self.method = method
        name = "\(method)"
        modifiers = "@im=\(method.serverName)"
    }

    func start(in session: DesktopSession, using random: inout SeededGenerator) throws {
        running = try running?.restart() ?? method.start(in: session)
    }

    private static let syllables = [
        ("a", "あ"), ("ki", "き"), ("su", "す"), ("te", "て"), ("no", "の"), ("ha", "は"), ("mi", "み"), ("yu", "ゆ"),
        ("re", "れ"), ("wo", "を"),
    ]

    func key(using random: inout SeededGenerator) -> (keys: String, plain: String, converted: String) {
        let (keys, kana) = Self.syllables.randomElement(using: &random)!
        return (keys, kana, kana)
    }

    func kill() throws { try running?.killServer() }
    func stop() { running?.signalServer(SIGSTOP) }
    func resume() { running?.signalServer(SIGCONT) }
    func end() {}
    var log: String { "" }
}

/// The longest turn of this thread's event loop in milliseconds (see `WaitingTime`).
struct LongestTurn {
    /// The maximum computing time of one turn: half of what a user would notice as a freeze, and several times what
    /// any turn takes.
    static let limit = 120.0

    /// The longest turn in time that counts for the tested programs.
    private(set) var waited = 0.0
    /// The longest turn in computing time alone.
    private(set) var computed = 0.0
    private let thread = WaitingTime.thisThread

    mutating func measure(_ turn: () -> Void) {
        let waiting = WaitingTime(of: [thread])
        turn()
        waited = max(waited, waiting.milliseconds)
        computed = max(computed, waiting.computed)
    }
}

/// A view in a window of this process, simulated user input, the server and the model.
final class InputMethodSoak {
    private let scene: DisplayScene
    private let server: any SoakServer
    private var display: InkstoneX11.Display { scene.display }
    private var window: WidgetWindow { scene.window }
    private var view: TextView { scene.view }
    private var random = SeededGenerator()
    private var model = InputMethodSoakModel("a😀b\n\nend 𠮷\n", caret: 4)
    private var isStopped = false
    private var lastClick = (x: 0.0, y: 0.0)
    private var history: [String] = []
    private var records: [TraceRecord] = []
    /// The number of Shift keys that the server has returned.
    private var shiftCount = 0
    /// The durations of the event loop's turns.
    private(set) var turns = LongestTurn()
    /// The number of operations of each kind.
    private(set) var tally: [String: Int] = [:]
    /// For each fault, how often the window lost its server and found it again after a restart.
    private(set) var felt: [String: Int] = [:]

    var seed: UInt64 { random.seed }

    init(_ server: any SoakServer) throws {
        self.server = server
        let session = try DesktopSession(width: 800, height: 600)
        try server.start(in: session, using: &random)
        scene = try DisplayScene(in: session)
        display.inputMethodSetup = InputMethodSetup(modifiers: server.modifiers, timing: server.timing)
        try scene.makeWindow([model.shown], width: 400, height: 300, font: nil, at: nil) { [unowned self] views in
            views[0].select(Selection(caret: UTF16Offset(model.utf16(model.caret))))
            views[0].window?.session.onRecord = { [unowned self] in
                records.append($0)
                let shift = Keysym(rawValue: 0xffe1)
                if case .event(.key(let key, _), _) = $0.event, key.keysym == shift, key.phase == server.mark {
                    shiftCount += 1
                }
                if records.count > 200 { records.removeFirst(100) }
            }
        }
        try awaitServer()
        try rest(server.breath)
    }

    func end() {
        server.resume()
        scene.disconnect()
        server.end()
        scene.end()
    }

    // MARK: Operations

    /// The random operations with their relative frequencies.
    static let operations: [(name: String, weight: Int)] = [
        ("compose", 34), ("space", 8), ("enter", 10), ("backspace", 9), ("left", 5), ("right", 5), ("escape", 3),
        ("click", 6), ("click before", 6), ("focus", 3), ("resize", 3), ("move", 3), ("scroll", 2),
    ]

    /// Kills or stops the server, and restarts it.
    func suffer(_ fault: String) throws {
        if !model.isServed { try perform("restart") }
        try perform(fault)
        try perform("restart")
    }

    /// Performs a random operation. Operations whose result is predictable are not waited for.
    func operate() throws {
        let names = Self.operations
        if model.isServed, Int.random(in: 0..<server.calamity, using: &random) == 0 {
            return try perform(Bool.random(using: &random) ? "kill" : "stop")
        }
        if !model.isServed, Int.random(in: 0..<6, using: &random) == 0 { return try perform("restart") }
        if model.text.count > 300 { return try perform("empty") }
        var number = Int.random(in: 0..<names.reduce(0) { $0 + $1.weight }, using: &random)
        for (name, weight) in names {
            number -= weight
            if number < 0 { return try perform(name) }
        }
    }

    private func perform(_ name: String) throws {
        tally[name, default: 0] += 1
        history.append(name)
        let probe = scene.probe
        let isEditable = server.edits || model.composition == nil
        switch name {
        case "compose":
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let (keys, plain, converted) = server.key(using: &random)
                probe.type(keys)
                model.compose(Array(plain), converted: Array(converted), typing: keys)
            }
        case "space" where isEditable:
            probe.strike(.space)
            model.space(server.blank)
        case "enter":
            probe.strike(.enter)
            model.enter()
        case "backspace":
            probe.strike(.backspace)
            model.backspace()
        case "left" where isEditable:
            probe.strike(.left)
            model.left()
        case "right" where isEditable:
            probe.strike(.right)
            model.right()
        case "escape":
            // ibus may show a cleared preedit again for keys sent before the Escape.
            if !server.edits { try pause() }
            probe.strike(.escape)
            model.escape()
        case "click":
            try pause()
            try click(isStable: true)
        case "click before":
            try pause()
            // Typing scrolls to the caret, which would move the text after the click was aimed; so scroll first.
            view.scrollToCaret()
            let caret = view.firstRect(forCharacterRange: view.selectedRange()).rect
            let bottom = window.window.rootOrigin.y + window.window.bounds.height
            try perform("compose")
            // At the start of the text, pending keys might be typed before or after the click; then wait first.
            let isStable = !server.edits || model.caret == 0 || caret.maxY + 3 * caret.height > bottom
            if isStable { try pause() }
            try click(isStable: isStable)
            try pause()
        case "focus":
            try pause()
            probe.focusNothing()
            probe.focus(window.window.id.rawValue)
            model.keep()
            try rest(server.breath)
        case "resize":
            probe.resize(
                window.window.id.rawValue, width: Int.random(in: 200...500, using: &random),
                height: Int.random(in: 200...400, using: &random))
        case "move":
            probe.move(
                window.window.id.rawValue, x: Int.random(in: 0...250, using: &random),
                y: Int.random(in: 0...150, using: &random))
        case "scroll":
            let origin = window.window.rootOrigin
            probe.click(x: Int(origin.x) + 50, y: Int(origin.y) + 50, button: Bool.random(using: &random) ? 4 : 5)
        case "empty":
            try pause()
            probe.control("a")
            model.keep()
            // During a composition, both keys go to the server first, and it keeps the second one unless the first
            // has ended the composition.
            try pump("everything to be selected") {
                view.selection?.range == UTF16Offset(0)..<UTF16Offset(view.text.utf16.count)
            }
            probe.strike(.backspace)
            model.empty()
        case "kill", "stop":
            // Keys without an answer are typed plainly, and some answered keys show no effect; wait until all are
            // answered.
            try pause(server.farewell)
            if name == "kill" { try server.kill() } else { server.stop() }
            isStopped = name == "stop"
            model.keep()
            model.isServed = false
            probe.type("xyz")
            model.insert(Array("xyz"))
            try compare()
            if window.inputMethodState.phase != .ready { felt[name, default: 0] += 1 }
        case "restart":
            try compare()
            if isStopped { server.resume() } else { try server.start(in: scene.session, using: &random) }
            isStopped = false
            try awaitServer()
            felt[name, default: 0] += 1
            model.isServed = true
            try rest(server.breath)
        default: break
        }
        if !server.edits, name != "compose" { return try rest(0) }
        // Several operations may follow each other without a comparison.
        if Int.random(in: 0..<4, using: &random) == 0 { try compare() } else { turn() }
    }

    /// Waits for all earlier operations, compares view and model, and pauses as a user does between keyboard and
    /// mouse.
    private func rest(_ milliseconds: Int) throws {
        try synchronize()
        try compare()
        try TypistPace.pause(milliseconds, watching: [display.fileDescriptor]) { turn() }
    }

    private func pause(_ range: ClosedRange<Int>? = nil) throws {
        try rest(Int.random(in: range ?? server.pause, using: &random))
    }

    /// Waits until the server has returned a Shift, which types nothing and comes back after all earlier keys. The
    /// view may equal the model before that, if pending changes undo each other.
    private func synchronize() throws {
        let count = shiftCount
        scene.probe.strike(.leftShift)
        try pump("Shift to come back", within: 6000, instead: summarize) { shiftCount > count }
    }

    /// Clicks at a character; with keys in flight, only where these cannot move it.
    private func click(isStable: Bool) throws {
        let before = model.text[..<model.caret]
        let safe = isStable ? model.shown.count : (before.lastIndex(of: "\n") ?? 0)
        let composed = model.caret..<(model.caret + (model.composition?.shown.count ?? 0))
        if let now = model.composition, now.caret < now.shown.count {
            // Ending the composition moves the caret to its end, which scrolls if that is outside of the viewport.
            let end = UTF16Range(location: model.utf16(composed.upperBound), length: 0)
            let bottom = window.window.rootOrigin.y + window.window.bounds.height
            let rect = view.firstRect(forCharacterRange: end).rect
            guard rect.minY >= window.window.rootOrigin.y, rect.maxY < bottom - rect.height else { return }
        }
        for _ in 0..<8 {
            let index = Int.random(in: 0...safe, using: &random)
            guard !composed.contains(index) || composed.lowerBound == index else { continue }
            let range = UTF16Range(location: model.utf16(index), length: 0)
            let rect = view.firstRect(forCharacterRange: range).rect
            let origin = window.window.rootOrigin
            let bounds = window.window.bounds
            let place = (x: Int(rect.minX.rounded()), y: Int((rect.minY + rect.height / 2).rounded()))
            let inside = (x: Double(place.x) - origin.x, y: Double(place.y) - origin.y)
            // Two clicks at one point would be a double click.
            guard inside.x >= 0, inside.x < bounds.width - 20, inside.y >= 4, inside.y < bounds.height - 4,
                abs(inside.x - lastClick.x) + abs(inside.y - lastClick.y) > 20
            else { continue }
            lastClick = inside
            scene.probe.click(x: place.x, y: place.y)
            model.click(at: index)
            history.append("at \(index)")
            return
        }
    }

    // MARK: Looking

    /// Waits until the view equals the model.
    func compare() throws {
        try pump(
            "the view to be as the model", within: 6000, instead: summarize
        ) {
            guard view.text == model.shown else { return false }
            let isComposing = view.inputContext.isComposing
            guard model.composition == nil else { return isComposing }
            let caret = model.utf16(model.caret)
            return !isComposing && view.selection?.isCaret == true && view.selection?.head.value == caret
        }
    }

    /// The states of view, model and server, for the report of a failure.
    private func summarize() -> String {
        """
        seed \(seed), after \(history.count): \(history.suffix(30).joined(separator: ", "))
        model: \(model.shown.debugDescription) caret \(model.caret) \(model.composition as Any)
        view:  \(view.text.debugDescription) \(view.selection?.description ?? "no selection") \(window.inputMethodState.summary)
        \(records.map(\.line).joined(separator: "\n"))
        server:
        \(server.log)
        """
    }

    private func awaitServer() throws {
        try pump("the server to be used", within: 10_000, instead: summarize) {
            window.inputMethodState.phase == .ready
        }
    }

    private func turn() { turns.measure { display.processEvents() } }

    private func pump(
        _ what: String, within milliseconds: Int = 5000, instead: () -> String = { "" }, until condition: () -> Bool
    ) throws {
        try waitUntil(what, within: milliseconds, watching: [display.fileDescriptor], instead: instead) {
            turn()
            return condition()
        }
    }
}
