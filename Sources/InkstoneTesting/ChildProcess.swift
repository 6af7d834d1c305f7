import Glibc

/// The way in which a child process ended.
package enum ExitStatus: Hashable, Sendable {
    /// The process returned this code from `main` or called `exit` with it.
    case exited(CInt)
    /// A signal ended the process.
    case signalled(CInt)
}

/// An error of an operation on a child process.
package enum ChildProcessError: Error, CustomStringConvertible {
    /// The program could not be started; `code` is the `errno`.
    case notStarted(String, code: CInt)
    /// The process has not ended within the given time.
    case stillRunning(String, pid: pid_t)

    package var description: String {
        switch self {
        case .notStarted(let name, let code): "could not start \(name): \(String(cString: strerror(code)))"
        case .stillRunning(let name, let pid): "\(name) (process \(pid)) has not ended in time"
        }
    }
}

/// A program run by a test. It is in a process group of its own, is ended with the test, and is only addressed by
/// its own identifier.
///
/// When the test process itself ends, a guard process ends the group (see ``ProcessGuard``). The child inherits no
/// descriptors except the three standard ones.
package final class ChildProcess {
    /// The source or destination of a standard stream of the child.
    package enum Stream: Hashable, Sendable {
        /// The stream of the test process.
        case inherited
        /// An empty input, or an output that is discarded.
        case null
        /// A pipe. Its other end is ``ChildProcess/input``, ``ChildProcess/output`` or ``ChildProcess/errors``.
        case pipe
        /// The file at this path, which is created if it does not exist. An output is appended to it.
        case file(String)
    }

    /// The name of the program for messages: the last part of its path.
    package let name: String
    /// The process identifier, which is also that of the process group.
    package let pid: pid_t
    /// The descriptor for writing to the child's standard input; nil if that is not a pipe, or is closed.
    package private(set) var input: CInt?
    /// The descriptor for reading the child's standard output; nil if that is not a pipe.
    package private(set) var output: CInt?
    /// The descriptor for reading the child's standard error; nil if that is not a pipe.
    package private(set) var errors: CInt?
    /// The exit status; nil until ``isRunning`` or a wait has collected it.
    package private(set) var status: ExitStatus?
    private var unread: [UInt8] = []
    private var outputHasEnded = false

    /// Creates a child process that runs `program`: a path, or a name that is searched in the PATH of `environment`.
    /// The child's environment is `environment` alone.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String],
        input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited
    ) throws(ChildProcessError) {
        name = String(program.split(separator: "/").last ?? "?")
        let path = Self.find(program, in: environment["PATH"] ?? "/usr/bin:/bin")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var theirs: [CInt] = []
        defer { for fd in theirs { close(fd) } }

        func connect(_ stream: Stream, to fd: CInt) -> CInt? {
            switch stream {
            case .inherited: return nil
            case .null:
                posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0)
                return nil
            case .file(let path):
                posix_spawn_file_actions_addopen(&actions, fd, path, O_RDWR | O_CREAT | O_APPEND, 0o644)
                return nil
            case .pipe:
                let ends = privatePipe()
                let (mine, their) = fd == 0 ? (ends[1], ends[0]) : (ends[0], ends[1])
                posix_spawn_file_actions_adddup2(&actions, their, fd)
                theirs.append(their)
                return mine
            }
        }
        self.input = connect(input, to: 0)
        self.output = connect(output, to: 1)
        self.errors = connect(errors, to: 2)
        closeInheritedDescriptors(&actions)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        // Reset ignored signals: the tests may run under nohup, or in the background of a shell.
        for signal in [SIGPIPE, SIGHUP, SIGINT] { sigaddset(&defaults, signal) }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        let flags = Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, flags)

        var argv = cStrings([path] + arguments)
        var envp = cStrings(environment.map { "\($0.key)=\($0.value)" })
        defer { for pointer in argv + envp { free(pointer) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, path, &actions, &attributes, &argv, &envp)
        pid = started
        guard code == 0 else {
            for fd in [self.input, self.output, self.errors] { if let fd { close(fd) } }
            status = .exited(127)
            throw .notStarted(program, code: code)
        }
        ProcessGuard.shared.add(pid)
    }

    deinit {
        end()
        for fd in [input, output, errors] { if let fd { close(fd) } }
    }

    private static func find(_ program: String, in path: String) -> String {
        if program.contains("/") { return program }
        for directory in path.split(separator: ":") {
            let candidate = "\(directory)/\(program)"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return program
    }

    /// Whether the process is still running. Stores its exit status when it has ended.
    package var isRunning: Bool {
        guard status == nil else { return false }
        var raw: CInt = 0
        guard waitpid(pid, &raw, WNOHANG) == pid else { return true }
        let signal = raw & 0x7f
        status = signal == 0 ? .exited((raw >> 8) & 0xff) : .signalled(signal)
        return false
    }

    /// Sends `signal` to the process alone; does nothing once it has ended.
    package func send(_ signal: CInt) {
        if isRunning { kill(pid, signal) }
    }

    /// Sends `signal` to the whole process group; does nothing once the process has ended.
    package func sendToGroup(_ signal: CInt) {
        if isRunning { kill(-pid, signal) }
    }

    /// Waits until the process ends, at most `milliseconds`. Throws ``ChildProcessError/stillRunning(_:pid:)`` if
    /// it is still running then.
    @discardableResult
    package func waitForExit(within milliseconds: Int) throws(ChildProcessError) -> ExitStatus {
        try? waitUntil("\(name) to end", within: milliseconds, every: 2) { !isRunning }
        guard let status else { throw .stillRunning(name, pid: pid) }
        return status
    }

    /// Ends the process and its group: sends SIGTERM, waits up to `milliseconds`, then sends SIGKILL. If the
    /// process has ended already, only sends SIGKILL to what is left of its group.
    package func end(within milliseconds: Int = 1000) {
        // With an invalid process identifier, the signal would go to the group of the tests.
        guard pid > 0 else { return }
        if isRunning {
            kill(-pid, SIGTERM)
            kill(-pid, SIGCONT)
            _ = try? waitForExit(within: milliseconds)
        }
        kill(-pid, SIGKILL)
        if isRunning { _ = try? waitForExit(within: 5000) }
        ProcessGuard.shared.remove(pid)
    }

    /// Closes the child's standard input, at whose end many programs exit.
    package func closeInput() {
        if let fd = input { close(fd) }
        input = nil
    }

    /// Writes all of `text` to the child's standard input. Returns false if the input is closed or no pipe, or if
    /// writing failed.
    @discardableResult
    package func write(_ text: String) -> Bool {
        guard let input else { return false }
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = Glibc.write(input, base, rest.count)
                if count < 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

extension ChildProcess {
    /// Reads the next line of the child's standard output, without the newline, as UTF-8. Nil once the child has
    /// closed its output, or if the output is no pipe. Text without a newline at the end is no line.
    package func readLine(within milliseconds: Int = 5000) throws -> String? {
        try waitUntil("a line from \(name)", within: milliseconds, watching: output.map { [$0] } ?? []) {
            takeOutput()
            return unread.contains(0x0a) || outputHasEnded || output == nil
        }
        guard let end = unread.firstIndex(of: 0x0a) else { return nil }
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
    }

    /// Reads the child's standard output as UTF-8 until the child closes it. Throws ``TimedOut`` if the child does
    /// not close it in time. If the output is no pipe, returns an empty text at once.
    package func readToEnd(within milliseconds: Int) throws -> String {
        try waitUntil("\(name) to close its output", within: milliseconds, watching: output.map { [$0] } ?? []) {
            takeOutput()
            return outputHasEnded || output == nil
        }
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Reads the available output of the child, without waiting.
    private func takeOutput() {
        guard let output, !outputHasEnded else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 0) == 1 {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else {
                outputHasEnded = true
                return
            }
            unread += buffer.prefix(count)
        }
    }
}

/// Makes the child close all descriptors above 2 that are open now, because not all descriptors of this process are
/// close-on-exec.
func closeInheritedDescriptors(_ actions: inout posix_spawn_file_actions_t) {
    guard let directory = opendir("/proc/self/fd") else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
        let fd = withUnsafePointer(to: &entry.pointee.d_name) {
            atoi(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
        if fd > 2 { posix_spawn_file_actions_addclose(&actions, fd) }
    }
}

/// Returns a null-terminated array of C strings, each to be freed by the caller.
func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { strdup($0) } + [nil]
}

/// Returns a pipe that no child inherits: first the read end, then the write end.
func privatePipe() -> [CInt] {
    var ends: [CInt] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
}
