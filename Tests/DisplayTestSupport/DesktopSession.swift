import Glibc
import InkstoneTesting

/// A user's session for one test, or lent to several tests in turn (see ``RealInputMethod/borrow()``): an X server,
/// a home with its XDG directories, a session bus, and a minimal environment. Everything is removed by ``end()``.
package final class DesktopSession {
    /// The X server.
    package let server: XServer
    /// The test's own X client for input and observation.
    package let probe: XProbe
    /// The home directory: empty at first, removed at the end.
    package let home: String
    /// The environment of every program in this session.
    package var environment: [String: String]
    /// Whether the bus and input methods run as the account `nobody`, to which the home is given: some refuse root.
    package var runsServicesAsNobody = false {
        didSet { if runsServicesAsNobody { TemporaryDirectory.giveAway(home, to: Self.nobody) } }
    }
    private static let nobody: uid_t = 65534
    /// Whether a window manager was started in this session.
    package private(set) var hasWindowManager = false
    /// The state of the session when a test borrowed it; nil if it is not lent.
    struct Lent {
        let environment: [String: String]
        let processes: Int
    }
    var lent: Lent?
    var processes: [ChildProcess] = []
    private var bus: ChildProcess?
    private var ended = false

    /// Starts a session with a screen of `width` × `height` pixels.
    package convenience init(width: Int = 1280, height: Int = 960) throws {
        try self.init(server: try XServer(width: width, height: height))
    }

    /// Ignores SIGPIPE: otherwise a write by the probe to a dead server would end the process with all its tests.
    /// It is a handler instead of `SIG_IGN`, which started programs would inherit.
    private static let survivesBrokenPipes: Void = { signal(SIGPIPE) { _ in } }()

    /// Starts a session on a server that was started before, which ends with it.
    package init(server: XServer) throws {
        _ = Self.survivesBrokenPipes
        self.server = server
        probe = try XProbe(display: server.display)
        home = try TemporaryDirectory.make()
        environment = [
            "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games",
            "LANG": "C.UTF-8", "DISPLAY": server.display, "USER": "tester", "LOGNAME": "tester", "SHELL": "/bin/sh",
            "XDG_CONFIG_HOME": "\(home)/.config", "XDG_DATA_HOME": "\(home)/.local/share",
            "XDG_CACHE_HOME": "\(home)/.cache", "XDG_STATE_HOME": "\(home)/.local/state",
            "XDG_RUNTIME_DIR": "\(home)/run", "NO_AT_BRIDGE": "1",
        ]
        // Use the fonts of the tests.
        environment["FONTCONFIG_FILE"] = getenv("FONTCONFIG_FILE").map { String(cString: $0) }
        for directory in [".config", ".local", ".local/share", ".local/state", ".cache", "run"] {
            mkdir("\(home)/\(directory)", 0o700)
        }
    }

    deinit { end() }

    /// Starts a session bus, unless it runs, and puts its address into the environment.
    package func startBus() throws {
        guard bus?.isRunning != true else { return }
        let path = "\(home)/run/bus"
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(path)"
        let bus = try startService("dbus-daemon", ["--session", "--nofork", "--address=unix:path=\(path)"])
        self.bus = bus
        try waitUntil("the session bus's socket") { access(path, F_OK) == 0 || !bus.isRunning }
    }

    /// Starts a window manager and waits until it manages the screen.
    package func startWindowManager() throws {
        try start("openbox", ["--sm-disable"])
        hasWindowManager = true
        try probe.waitForWindowManager()
    }

    /// Starts a program of this session; it ends with the session. By default its output goes to the file ``log``.
    @discardableResult
    package func start(
        _ program: String, _ arguments: [String] = [], adding more: [String: String] = [:],
        input: ChildProcess.Stream = .null, output: ChildProcess.Stream? = nil, errors: ChildProcess.Stream? = nil
    ) throws -> ChildProcess {
        let process = try ChildProcess(
            program, arguments, environment: environment.merging(more) { $1 },
            input: input, output: output ?? .file(log), errors: errors ?? .file(log))
        processes.append(process)
        return process
    }

    /// Starts a service of this session under the services' account; see ``runsServicesAsNobody``.
    @discardableResult
    package func startService(_ program: String, _ arguments: [String] = [], adding more: [String: String] = [:]) throws
        -> ChildProcess
    {
        guard runsServicesAsNobody else { return try start(program, arguments, adding: more) }
        // Files created since belong to the test's account; give them to the services' account.
        TemporaryDirectory.giveAway(home, to: Self.nobody)
        return try start("setpriv", asNobody(program, arguments), adding: more)
    }

    private func asNobody(_ program: String, _ arguments: [String]) -> [String] {
        ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups", program] + arguments
    }

    /// Runs a client program of a service to its end, under the services' account; see ``run(_:_:within:)``.
    package func runForService(_ program: String, _ arguments: [String] = [], within milliseconds: Int = 5000) throws
        -> (status: ExitStatus, output: String)
    {
        guard runsServicesAsNobody else { return try run(program, arguments, within: milliseconds) }
        return try run("setpriv", asNobody(program, arguments), within: milliseconds)
    }

    /// Runs a program to its end and gives its status and what it wrote to its standard output.
    package func run(_ program: String, _ arguments: [String], within milliseconds: Int = 5000) throws
        -> (status: ExitStatus, output: String)
    {
        let process = try ChildProcess(
            program, arguments, environment: environment, output: .pipe, errors: .file(log))
        let output = try process.readToEnd(within: milliseconds)
        return (try process.waitForExit(within: milliseconds), output)
    }

    /// The file that the session's programs write to, for the one who reads a failure.
    package var log: String { "\(home)/session.log" }

    /// The output of the session's programs.
    package var logText: String { (try? TextFiles.read(log)) ?? "" }

    /// Ends every program of the session, newest first, then the X server, and removes the home.
    package func end() {
        guard !ended else { return }
        ended = true
        for process in processes.reversed() { process.end() }
        // Some input methods start helpers that leave their process group; they are found by this session's home in
        // their environment.
        for pid in ProcessTable.members(withEnvironment: "HOME=\(home)") { kill(pid, SIGKILL) }
        probe.close()
        server.end()
        TemporaryDirectory.remove(home)
    }
}
