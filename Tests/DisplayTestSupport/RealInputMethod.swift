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

    /// Every one that is verified; `scripts/setup --input-methods` installs them. scim is set up as well, but types a key twice
    /// when it is killed.
    package static let everyone: [RealInputMethod] =
        [.anthy, .pinyin, .hangul, .mozc, .latex, .telex].map { RealInputMethod(.ibus, $0) }
        + [.anthy, .pinyin, .hangul, .mozc].map { RealInputMethod(.fcitx5, $0) }
        + [.anthy, .pinyin, .hangul, .mozc].map { RealInputMethod(.fcitx5, $0, onTheSpot: false) }
        + [RealInputMethod(.uim, .anthy), RealInputMethod(.nabi, .hangul)]

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

    /// What a person holds with space to turn it on and off; nil if it is on from the start. uim is off in each new window, scim
    /// as it was last.
    package var switchOnModifier: TestKey? {
        switch framework {
        case .uim: .leftShift
        case .scim: .leftControl
        case .ibus, .fcitx5, .nabi: nil
        }
    }

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
    /// What it is.
    package let method: RealInputMethod
    /// The framework's main process: what speaks XIM for fcitx5; the parent of what does for ibus.
    package let process: ChildProcess
    private let session: DesktopSession

    init(method: RealInputMethod, process: ChildProcess, session: DesktopSession) {
        self.method = method
        self.process = process
        self.session = session
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
        guard method.framework == .ibus else { return }
        // The panel makes the first preloaded engine the active one. Doing it ourselves with `ibus engine NAME` meanwhile cancels
        // the panel's own request, which then never learns its language and crashes at the first candidate (ibus 1.5.27).
        // It sets it more than once, each time emptying what is being composed: so the answer has to stay for a while.
        var answers = 0
        try waitUntil("\(method)'s engine to be active", within: 20_000, instead: { session.logText }) {
            answers =
                try session.runForService("ibus", ["engine"]).output.hasPrefix(method.engineName) ? answers + 1 : 0
            return answers == 5
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
