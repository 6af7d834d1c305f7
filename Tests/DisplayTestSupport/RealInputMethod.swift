import Glibc
import InkstoneTesting

/// A real input method as people use it: a program that speaks XIM with one engine, set up in a private home.
package struct RealInputMethod: Hashable, Sendable, CustomStringConvertible {
    /// The program that speaks XIM.
    package enum Framework: String, Sendable {
        case ibus
        case fcitx5
        case uim
        case scim
        case nabi
    }

    /// The language's engine.
    package enum Engine: String, Sendable {
        /// Japanese: romaji to kana, converted clause by clause.
        case anthy
        /// Chinese: pinyin to Han.
        case pinyin
        /// Korean: syllables composed letter by letter.
        case hangul
        /// Japanese, with an engine and a list of candidates of its own.
        case mozc
        /// A table: names of LaTeX to symbols.
        case latex
        /// Vietnamese: letters to letters with marks, without candidates.
        case telex
    }

    package let framework: Framework
    package let engine: Engine
    /// Whether the server offers preedit callbacks. fcitx5's `UseOnTheSpot`, False by default; ibus always does.
    package let onTheSpot: Bool

    /// A set-up by its parts.
    package init(_ framework: Framework, _ engine: Engine, onTheSpot: Bool = true) {
        self.framework = framework
        self.engine = engine
        self.onTheSpot = onTheSpot
    }

    /// The nine that every run of the tests types into; `scripts/setup --tests` installs them.
    package static let all: [RealInputMethod] = [
        RealInputMethod(.ibus, .anthy), RealInputMethod(.ibus, .pinyin), RealInputMethod(.ibus, .hangul),
        RealInputMethod(.fcitx5, .anthy), RealInputMethod(.fcitx5, .pinyin), RealInputMethod(.fcitx5, .hangul),
        RealInputMethod(.fcitx5, .anthy, onTheSpot: false), RealInputMethod(.fcitx5, .pinyin, onTheSpot: false),
        RealInputMethod(.fcitx5, .hangul, onTheSpot: false),
    ]

    /// The commonest, which every run takes through the whole matrix.
    package static let commonest: [RealInputMethod] = [
        RealInputMethod(.ibus, .anthy), RealInputMethod(.ibus, .pinyin), RealInputMethod(.ibus, .hangul),
        RealInputMethod(.fcitx5, .pinyin),
    ]

    /// Every one that is verified; `scripts/setup --input-methods` installs them.
    package static let everyone: [RealInputMethod] =
        [.anthy, .pinyin, .hangul, .mozc, .latex, .telex].map { RealInputMethod(.ibus, $0) }
        + [.anthy, .pinyin, .hangul, .mozc].map { RealInputMethod(.fcitx5, $0) }
        + [.anthy, .pinyin, .hangul, .mozc].map { RealInputMethod(.fcitx5, $0, onTheSpot: false) }
        + [RealInputMethod(.uim, .anthy), RealInputMethod(.scim, .anthy), RealInputMethod(.nabi, .hangul)]

    package var description: String {
        if framework == .nabi { return "nabi" }
        return "\(framework.rawValue) \(engine.rawValue)" + (onTheSpot ? "" : " (UseOnTheSpot=False)")
    }

    /// The server's name in XIM_SERVERS and XMODIFIERS.
    package var serverName: String {
        switch framework {
        case .ibus, .uim, .nabi: framework.rawValue
        case .fcitx5: "fcitx"
        case .scim: "SCIM"
        }
    }

    /// The engine's name as the framework has it.
    package var engineName: String {
        switch (framework, engine) {
        case (.ibus, .pinyin): "libpinyin"
        case (.ibus, .mozc): "mozc-jp"
        case (.ibus, .latex): "table:latex"
        case (.ibus, .telex): "m17n:vi:telex"
        case (.uim, .anthy): "anthy-utf8"
        default: engine.rawValue
        }
    }

    /// The modifier that, held with Space, turns the input method on and off; nil if it is on from the start. uim
    /// is off in each new window.
    package var switchOnModifier: TestKey? { framework == .uim ? .leftShift : nil }

    /// Whether it refuses to work for root: then everything of it runs as another account.
    package var refusesRoot: Bool { engine == .mozc }

    /// Whether a window, by its class, is this framework's list of candidates.
    package func ownsCandidateWindow(_ window: WindowInfo) -> Bool {
        guard window.overrideRedirect else { return false }
        let name = window.wmClass.lowercased()
        if engine == .mozc { return name.contains("mozc_renderer") }
        switch framework {
        case .ibus: return name.contains("ibus-ui-gtk3")
        case .fcitx5: return name.contains("fcitx")
        case .uim: return name.contains("uim-candwin")
        case .scim: return name.contains("scim-panel")
        case .nabi: return name.contains("nabi")
        }
    }
}

/// A real input method while it runs.
package final class RunningInputMethod {
    /// The framework and engine.
    package let method: RealInputMethod
    /// The framework's main process: what speaks XIM for fcitx5; the parent of what does for ibus.
    package let process: ChildProcess
    /// The session in which the input method runs.
    package let session: DesktopSession
    private let loadsEngine: Bool

    init(method: RealInputMethod, process: ChildProcess, session: DesktopSession, loadsEngine: Bool) {
        self.method = method
        self.process = process
        self.session = session
        self.loadsEngine = loadsEngine
    }

    /// Whether clients can find the server: XIM_SERVERS keeps dead ones, so the selection must have an owner too.
    package var isServing: Bool {
        let name = "@server=\(method.serverName)"
        guard session.probe.numbers("XIM_SERVERS", of: session.probe.root).contains(session.probe.atom(name)) else {
            return false
        }
        return session.probe.selectionOwner(name) != 0
    }

    /// Waits until it serves and its engine is the active one.
    package func waitUntilReady() throws {
        let session = session
        let method = method
        try waitUntil(
            "\(method) to serve", within: 20_000, watching: [session.probe.descriptor], instead: { session.logText }
        ) {
            session.probe.drainEvents()
            return isServing || !process.isRunning
        }
        switch method.framework {
        case .ibus:
            // The panel makes the first preloaded engine the active one, some time after the server serves; until then keys come
            // back as letters. Doing it ourselves with `ibus engine NAME` meanwhile cancels the panel's own request, which then
            // never learns its language and crashes at the first candidate (ibus 1.5.27).
            try waitUntilActive(asking: "ibus", ["engine"])
        case .fcitx5 where loadsEngine: try loadEngine()
        default: break
        }
    }

    /// fcitx5 loads an engine when a window first gets the focus, and answers nobody meanwhile: pinyin takes a busy machine longer
    /// than clients wait for a server. Who asks for the engine's settings has it loaded before.
    private func loadEngine() throws {
        let answer = try session.runForService(
            "gdbus",
            [
                "call", "--session", "--timeout", "30", "--dest", "org.fcitx.Fcitx5", "--object-path", "/controller",
                "--method", "org.fcitx.Fcitx.Controller1.GetConfig", "fcitx://config/inputmethod/\(method.engineName)",
            ], within: 40_000)
        guard answer.status == .exited(0) else {
            throw TimedOut(what: "\(method)'s engine to be loaded", milliseconds: 0, instead: session.logText)
        }
    }

    /// Waits until the engine takes the keys of the window that has the focus, which fcitx5 decides only then. Call it once the
    /// focus is on its way; with the others there is nothing to wait for.
    package func waitUntilEngineIsOn() throws {
        if method.framework == .fcitx5 { try waitUntilActive(asking: "fcitx5-remote", ["-n"]) }
    }

    private func waitUntilActive(asking program: String, _ arguments: [String]) throws {
        let session = session
        let method = method
        try waitUntil("\(method)'s engine to be active", within: 20_000, instead: { session.logText }) {
            try session.runForService(program, arguments).output.hasPrefix(method.engineName)
        }
    }

    /// The processes that speak XIM to clients: the ones to stop or kill when a test wants a dead server.
    package var serverProcesses: [pid_t] {
        guard method.framework == .ibus else { return [process.pid] }
        return ProcessTable.members(ofGroup: process.pid).filter { ProcessTable.name(of: $0) == "ibus-x11" }
    }

    /// Sends a signal to what speaks XIM.
    package func signalServer(_ signal: CInt) {
        for pid in serverProcesses { kill(pid, signal) }
    }

    /// Kills what speaks XIM and waits until the server is gone: a crash.
    package func killServer() throws {
        signalServer(SIGKILL)
        try waitUntil("\(method) to be gone", watching: [session.probe.descriptor]) {
            session.probe.drainEvents()
            return !isServing
        }
    }

    /// Ends what a crash left of it and starts it anew, as a person or a desktop does.
    package func restart() throws -> RunningInputMethod {
        process.end()
        return try method.start(in: session)
    }
}
