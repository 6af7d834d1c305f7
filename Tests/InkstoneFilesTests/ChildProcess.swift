import Glibc
import Testing

/// This test program once more, as a process of its own that may be killed: it plays one role instead of the tests.
///
/// It tells what it does by bytes through a named pipe.
final class ChildProcess {
    /// The role that this process is to play; nil in the process that runs the tests.
    static var role: String? { variable("INKSTONE_CHILD") }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The pipe to the parent, in the child.
    static func openReport() -> Int32 { open(variable("INKSTONE_CHILD_REPORT") ?? "", O_WRONLY) }

    let pid: pid_t
    private let report: Int32
    private(set) var status: Int32?

    /// Starts a child in a role, with more environment, under a wrapper such as strace.
    init(_ role: String, in scratch: Scratch, environment more: [String: String] = [:], under wrapper: [String] = [])
        throws
    {
        let pipe = scratch.file("report-\(UInt32.random(in: .min ... .max))")
        try #require(mkfifo(pipe, 0o666) == 0)
        chmod(pipe, 0o666)
        // Both ends, so that opening does not wait and the child's end is the last to close.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var buffer = [CChar](repeating: 0, count: 4096)
        let n = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = String(decoding: buffer[..<max(0, n)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let arguments =
            wrapper + [program, "--testing-library", "swift-testing", "--filter", "childProcessPlaysItsRole"]
        var variables = ["INKSTONE_CHILD": role, "INKSTONE_CHILD_REPORT": pipe].merging(more) { $1 }
        var at = environ
        while let entry = at.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "="), variables[String(text[..<equals])] == nil {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            at += 1
        }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(
            &actions, 1, scratch.file("child-output"), O_WRONLY | O_CREAT | O_APPEND, 0o666)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var pid = pid_t()
        let error = posix_spawnp(&pid, arguments[0], &actions, nil, &argv, &envp)
        try #require(error == 0, "cannot start \(arguments[0]): \(error)")
        self.pid = pid
        report = reader
    }

    /// The next bytes of its report: waits for `count` of them; fewer if it ended before, or in 30 seconds.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var waited = 0
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let n = Glibc.read(report, &buffer, buffer.count)
            if n > 0 {
                bytes += buffer[..<n]
                continue
            }
            if n == 0, hasEnded { break }
            var descriptor = pollfd(fd: report, events: Int16(POLLIN), revents: 0)
            // Before the child opened the pipe there is an end of file at once: look again soon.
            if n == 0 { poll(nil, 0, 5) } else { poll(&descriptor, 1, 5) }
            waited += 5
            if waited > 30_000 { break }
        }
        return bytes
    }

    private var hasEnded: Bool {
        if status != nil { return true }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return false }
        self.status = status
        return true
    }

    func kill() { _ = Glibc.kill(pid, SIGKILL) }

    /// Waits for its end; true if it ended by itself and well.
    @discardableResult
    func wait() -> Bool {
        var status: Int32 = 0
        while self.status == nil {
            if waitpid(pid, &status, 0) == pid { self.status = status }
        }
        return self.status == 0
    }

    deinit {
        if status == nil {
            kill()
            wait()
        }
        close(report)
    }
}
