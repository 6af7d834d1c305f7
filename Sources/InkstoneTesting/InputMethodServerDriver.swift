import Glibc

/// A driver of the scripted XIM server `inkstone-xim-server`: it sends the server rules and actions, reads its log,
/// and stops, kills and restarts it.
///
/// `inkstone-xim-server --help` describes the script. The server runs in a process of its own, because tests stop
/// and kill it.
public final class InputMethodServerDriver {
    /// The error that the server did not report that it is ready.
    public struct NotReady: Error, CustomStringConvertible {
        /// The output of the server instead of `ready`.
        public let output: String
        /// The error as a message.
        public var description: String { "inkstone-xim-server is not ready; it said: \(output)" }
    }

    /// The error that the server does not understand a script, or cannot perform it.
    public struct ScriptRefused: Error, CustomStringConvertible {
        /// The message of the server: the number of the line in the script, the mistake, and the line.
        public let output: String
        /// The error as a message.
        public var description: String { output }
    }

    /// The name by which clients request the server: `XMODIFIERS=@im=NAME`.
    public let name: String
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private var process: ChildProcess?
    package let log: LogFile
    private let errors: String
    private var generation = 0

    /// Creates a driver of a server; ``start(script:)`` starts the server.
    ///
    /// - Parameters:
    ///   - program: the path of the executable.
    ///   - name: the name of the server in XIM_SERVERS.
    ///   - options: the options for its command line, such as `["--flow", "sync"]`.
    ///   - log: the path of the log that the server writes; an older file there is removed.
    ///   - environment: the whole environment of the server, with the display in `DISPLAY`.
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

    /// Starts the server, waits until clients can find it, and sends it `script`, with one rule or action in each
    /// line.
    ///
    /// Throws ``ScriptRefused`` if the script has a mistake, ``NotReady`` if the server ends before it is ready.
    public func start(script: String = "") throws {
        end()
        try check(script)
        let process = try ChildProcess(
            program, arguments, environment: environment, input: .pipe, output: .pipe, errors: .file(errors))
        self.process = process
        var output = ""
        while true {
            guard let line = try process.readLine(within: 5000) else { throw NotReady(output: output + complaints) }
            if line.hasPrefix("ready ") { break }
            output += line + "\n"
        }
        generation += 1
        send(script)
    }

    /// Sends more lines of the script to the server: rules for later, or actions to perform immediately.
    ///
    /// Throws ``ScriptRefused`` if the lines have a mistake; then none of them is performed. A separate process
    /// checks them, because the server may be stopped. Actions that fail later are reported by ``waitUntilIdle()`` and
    /// ``waitForRequest(_:after:within:where:)``.
    public func perform(_ script: String) throws {
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

    /// Waits until the server has performed all lines that it was sent.
    public func waitUntilIdle() throws {
        generation += 1
        let mark = "idle \(generation)"
        try perform("say \"\(mark)\"")
        try wait(for: "the server to perform its script") { $0["text"]?.text == mark }
    }

    /// Waits for an entry of the log, and returns it. Throws ``ScriptRefused`` if the server ends because it cannot
    /// perform its script, and `TimedOut` after `milliseconds`.
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

    /// The server's output to standard error, including that before restarts.
    private var complaints: String {
        let descriptor = open(errors, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return Self.text(readFrom: descriptor)
    }

    /// Returns the remaining content of a descriptor as text.
    private static func text(readFrom descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The entries of the server's log so far, oldest first, including those before restarts.
    public var entries: [LogEntry] {
        log.refresh()
        return log.entries
    }

    /// Returns the logged requests called `name`, such as `set_ic_values`.
    public func requests(_ name: String) -> [LogEntry] { entries.filter { $0["request"]?.text == name } }

    /// Waits until the server has logged a request called `name` after the first `count` entries of its log, and
    /// returns the request.
    ///
    /// Throws ``ScriptRefused`` if the server ends instead because of its script, and `TimedOut` after
    /// `milliseconds`.
    @discardableResult
    public func waitForRequest(
        _ name: String, after count: Int = 0, within milliseconds: Int = 5000,
        where fits: (LogEntry) -> Bool = { _ in true }
    ) throws -> LogEntry {
        try wait(for: "the request \(name)", after: count, within: milliseconds) {
            $0["request"]?.text == name && fits($0)
        }
    }

    /// Whether the server's process exists, even if ``stop()`` has stopped it.
    public var isRunning: Bool { process?.isRunning ?? false }

    /// Stops the server with SIGSTOP: it does not answer until ``resume()``.
    public func stop() { process?.send(SIGSTOP) }

    /// Resumes a stopped server.
    public func resume() { process?.send(SIGCONT) }

    /// Kills the server with SIGKILL and waits until it is gone.
    public func kill() {
        process?.send(SIGKILL)
        _ = try? process?.waitForExit(within: 2000)
        process = nil
    }

    /// Ends the server's process, with SIGTERM first.
    public func end() {
        process?.end()
        process = nil
    }
}
