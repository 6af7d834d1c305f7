import Glibc
import InkstoneTesting

/// A real input method as people use it: a framework (ibus or fcitx5) with one engine, set up in a private home.
package struct RealInputMethod: Hashable, Sendable, CustomStringConvertible {
    /// The program that speaks XIM.
    package enum Framework: String, Sendable {
        case ibus
        case fcitx5
    }

    /// The language's engine, by the name both frameworks know or nearly.
    package enum Engine: String, Sendable {
        /// Japanese: romaji to kana, converted clause by clause.
        case anthy
        /// Chinese: pinyin to Han.
        case pinyin
        /// Korean: syllables composed letter by letter.
        case hangul
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

    /// All nine that the tests type into.
    package static let all: [RealInputMethod] = [
        RealInputMethod(.ibus, .anthy), RealInputMethod(.ibus, .pinyin), RealInputMethod(.ibus, .hangul),
        RealInputMethod(.fcitx5, .anthy), RealInputMethod(.fcitx5, .pinyin), RealInputMethod(.fcitx5, .hangul),
        RealInputMethod(.fcitx5, .anthy, onTheSpot: false), RealInputMethod(.fcitx5, .pinyin, onTheSpot: false),
        RealInputMethod(.fcitx5, .hangul, onTheSpot: false),
    ]

    package var description: String {
        "\(framework.rawValue) \(engine.rawValue)" + (onTheSpot ? "" : " (UseOnTheSpot=False)")
    }

    /// The server's name in XIM_SERVERS and XMODIFIERS.
    package var serverName: String { framework == .ibus ? "ibus" : "fcitx" }

    /// The engine's name as the framework has it.
    package var engineName: String { framework == .ibus && engine == .pinyin ? "libpinyin" : engine.rawValue }

    /// Whether a window, by its class, is this framework's list of candidates.
    package func ownsCandidateWindow(_ window: WindowInfo) -> Bool {
        window.overrideRedirect && window.wmClass.lowercased().contains(framework == .ibus ? "ibus-ui-gtk3" : "fcitx")
    }

    /// Sets it up in a session's home, starts it on a bus of its own and waits until a client could type with it: the server is
    /// in XIM_SERVERS, owns its selection, and the engine is the active one. The session's programs find it by XMODIFIERS.
    @discardableResult
    package func start(in session: DesktopSession) throws -> RunningInputMethod {
        try session.startBus()
        session.environment["XMODIFIERS"] = "@im=\(serverName)"
        let process: ChildProcess
        switch framework {
        case .ibus: process = try startIBus(in: session)
        case .fcitx5: process = try startFcitx(in: session)
        }
        let running = RunningInputMethod(method: self, process: process, session: session)
        try running.waitUntilReady()
        return running
    }

    private func startIBus(in session: DesktopSession) throws -> ChildProcess {
        session.environment["GSETTINGS_BACKEND"] = "keyfile"
        try TextFiles.write(
            """
            [desktop/ibus/general]
            preload-engines=['\(engineName)']
            engines-order=['\(engineName)']
            use-system-keyboard-layout=true

            [org/freedesktop/ibus/engine/anthy/common]
            input-mode=0

            [org/freedesktop/ibus/engine/hangul]
            initial-input-mode='hangul'

            """, to: "\(session.home)/.config/glib-2.0/settings/keyfile")
        // In the foreground it ends with us, and so do the engines that it starts.
        return try session.start("ibus-daemon", ["--xim", "--replace", "--cache=none"])
    }

    private func startFcitx(in session: DesktopSession) throws -> ChildProcess {
        let configuration = "\(session.home)/.config/fcitx5"
        try TextFiles.write(
            """
            [Groups/0]
            Name=Default
            Default Layout=us
            DefaultIM=\(engineName)

            [Groups/0/Items/0]
            Name=keyboard-us
            Layout=

            [Groups/0/Items/1]
            Name=\(engineName)
            Layout=

            [GroupOrder]
            0=Default

            """, to: "\(configuration)/profile")
        try TextFiles.write("[Behavior]\nActiveByDefault=True\n", to: "\(configuration)/config")
        try TextFiles.write("UseOnTheSpot=\(onTheSpot ? "True" : "False")\n", to: "\(configuration)/conf/xim.conf")
        try TextFiles.write("CloudPinyinEnabled=False\n", to: "\(configuration)/conf/pinyin.conf")
        return try session.start(
            "fcitx5", ["--disable=wayland,waylandim,notificationitem,notifications,kimpanel"])
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
            answers = try session.run("ibus", ["engine"]).output.hasPrefix(method.engineName) ? answers + 1 : 0
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
}
