import Glibc

/// Runs the scripted XIM server `inkstone-xim-server`: sends it rules and actions, reads its log, stops, kills and
/// restarts it.
///
/// `inkstone-xim-server --help` describes the script. The server is a process of its own because tests hang and kill it.
public final class InputMethodServerDriver {
    /// The server did not report that it is ready.
    public struct NotReady: Error, CustomStringConvertible {
        /// The server's output instead of `ready`.
        public let output: String
        /// A description for people.
        public var description: String { "inkstone-xim-server is not ready; it said: \(output)" }
    }

    /// The server does not understand a script, or cannot perform it.
    public struct ScriptRefused: Error, CustomStringConvertible {
        /// The server's message: the line's number within the script, the mistake, the line.
        public let output: String
        /// A description for people.
        public var description: String { output }
    }

    /// The name that clients request: `XMODIFIERS=@im=NAME`.
    public let name: String
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private var process: ChildProcess?
    package let log: LogFile
    private let errors: String
    private var generation = 0

    /// Prepares a server; ``start(script:)`` starts it.
    ///
    /// - Parameters:
    ///   - program: the path of the executable.
    ///   - name: the server's name in XIM_SERVERS.
    ///   - options: its command line's options, such as `["--flow", "sync"]`.
    ///   - log: the path of the log it writes; an older one there is removed.
    ///   - environment: its whole environment, with the display in `DISPLAY`.
    public init(
        program: String, name: String = "inkstone", options: [String] = [], log: String, environment: [String: String]
    ) {
        self.program = program
        self.name = name
        self.environment = environment
        errors = log + ".errors"
        unlink(log)
        unlink(errors)
        arguments = ["--server-name", name, "--log", log, "--script", "-"] + options
        self.log = LogFile(path: log)
    }

    deinit { end() }

    /// Starts the server and waits until clients can find it, then sends it `script`, one rule or action a line.
    ///
    /// Throws ``ScriptRefused`` if the script has a mistake, ``NotReady`` if the server does not start.
    public func start(script: String = "") throws {
        end()
        try check(script)
        let process = try ChildProcess(
            program, arguments, environment: environment, input: .pipe, output: .pipe, errors: .file(errors))
        self.process = process
        var said = ""
        while true {
            guard let line = try process.readLine(within: 5000) else { throw NotReady(output: said + complaints) }
            if line.hasPrefix("ready ") { break }
            said += line + "\n"
        }
        generation += 1
        send(script)
    }

    /// Sends more of the script to the server: rules for later, or actions to perform at once.
    ///
    /// Throws ``ScriptRefused`` if the script has a mistake; then none of it is performed. A separate process checks the script, because
    /// the server may be stopped. Actions that fail later are reported by ``settle()`` and
    /// ``waitForRequest(_:after:within:where:)``.
    public func tell(_ script: String) throws {
        try check(script)
        send(script)
    }

    private func send(_ script: String) {
        guard !script.isEmpty else { return }
        process?.write(script.hasSuffix("\n") ? script : script + "\n")
    }

    private func check(_ script: String) throws {
        guard !script.isEmpty else { return }
        let judge = try ChildProcess(program, ["--check"], environment: environment, input: .pipe, errors: .pipe)
        defer { judge.end() }
        judge.write(script)
        judge.closeInput()
        let output = judge.errors.map { Self.text(readFrom: $0) } ?? ""
        guard try judge.waitForExit(within: 5000) == .exited(0) else { throw ScriptRefused(output: output) }
    }

    /// Waits until the server has performed everything it was sent before.
    public func settle() throws {
        generation += 1
        let mark = "settled \(generation)"
        try tell("say \"\(mark)\"")
        try wait(for: "the server to do what it was told") { $0["text"]?.text == mark }
    }

    /// Waits for an entry of the log; throws ``ScriptRefused`` if the server ends because it cannot perform its script.
    @discardableResult
    private func wait(
        for what: String, after count: Int = 0, within milliseconds: Int = 5000, where fits: (LogEntry) -> Bool
    ) throws -> LogEntry {
        try log.wait(
            for: what, after: count, within: milliseconds,
            unless: {
                guard let process, !process.isRunning, process.status == .exited(2) else { return }
                throw ScriptRefused(output: complaints)
            }, where: fits)
    }

    /// The server's output to its standard error, across restarts.
    private var complaints: String {
        let descriptor = open(errors, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return Self.text(readFrom: descriptor)
    }

    /// Returns all text that can be read until the end.
    private static func text(readFrom descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The server's log so far, oldest first, across restarts.
    public var entries: [LogEntry] {
        log.refresh()
        return log.entries
    }

    /// Returns the requests of one name logged so far, such as `set_ic_values`.
    public func requests(_ name: String) -> [LogEntry] { entries.filter { $0["request"]?.text == name } }

    /// Waits until the server logs a request of this name after its first `count` entries.
    ///
    /// Throws ``ScriptRefused`` if the server ends instead because of its script.
    @discardableResult
    public func waitForRequest(
        _ name: String, after count: Int = 0, within milliseconds: Int = 5000,
        where fits: (LogEntry) -> Bool = { _ in true }
    ) throws -> LogEntry {
        try wait(for: "the request \(name)", after: count, within: milliseconds) {
            $0["request"]?.text == name && fits($0)
        }
    }

    /// Whether the process runs (a stopped process does).
    public var isRunning: Bool { process?.isRunning ?? false }

    /// Stops the server with SIGSTOP: it answers nothing until ``resume()``.
    public func stop() { process?.send(SIGSTOP) }

    /// Resumes a stopped server.
    public func resume() { process?.send(SIGCONT) }

    /// Kills the server with SIGKILL and waits until it is gone.
    public func kill() {
        process?.send(SIGKILL)
        _ = try? process?.waitForExit(within: 2000)
        process = nil
    }

    /// Ends the server.
    public func end() {
        process?.end()
        process = nil
    }
}
