import Glibc
import InkstoneTesting
import Testing

/// A second process of this test program, which may be killed: it plays a role instead of running the tests.
///
/// The child reports its progress by bytes through a named pipe.
final class RoleProcess {
    /// The role that this process is to play; nil in the process that runs the tests.
    static var role: String? { variable("INKSTONE_CHILD") }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The pipe to the parent, in the child.
    static func openReport() -> Int32 { open(variable("INKSTONE_CHILD_REPORT") ?? "", O_WRONLY) }

    private let process: ChildProcess
    private let report: Int32

    /// Starts a child in a role, with more environment, under a wrapper such as strace.
    init(_ role: String, in scratch: Scratch, environment more: [String: String] = [:], under wrapper: [String] = [])
        throws
    {
        let pipe = scratch.file("report-\(UInt32.random(in: .min ... .max))")
        try #require(mkfifo(pipe, 0o666) == 0)
        chmod(pipe, 0o666)
        let command =
            wrapper + [Products.running, "--testing-library", "swift-testing", "--filter", "childProcessPlaysItsRole"]
        var variables = ["INKSTONE_CHILD": role, "INKSTONE_CHILD_REPORT": pipe].merging(more) { $1 }
        var at = environ
        while let entry = at.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "="), variables[String(text[..<equals])] == nil {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            at += 1
        }
        let output = ChildProcess.Stream.file(scratch.file("child-output"))
        process = try ChildProcess(
            command[0], Array(command.dropFirst()), environment: variables, output: output, errors: output)
        // It does not wait for the child's end, and the child waits for this one.
        report = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    deinit { close(report) }

    /// The next bytes of its report: waits for `count` of them; fewer if it ended before, or in 30 seconds.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        try? waitUntil("\(count) bytes of a report", within: 30_000, watching: [report]) {
            // Before it is looked at what is there: nothing comes any more once it has ended.
            let hasEnded = !process.isRunning
            while bytes.count < count {
                var buffer = [UInt8](repeating: 0, count: count - bytes.count)
                let got = Glibc.read(report, &buffer, buffer.count)
                guard got > 0 else { break }
                bytes += buffer[..<got]
            }
            return hasEnded || bytes.count == count
        }
        return bytes
    }

    /// Stops it at a moment at which a condition holds: it is stopped, and goes on if the condition does not hold any more. Returns false if
    /// there is none in half a minute.
    func stop(when condition: () -> Bool) -> Bool {
        let isStopped: ()? = try? waitUntil("\(process.name) to be stopped", within: 30_000, every: 0) {
            guard condition() else { return false }
            process.send(SIGSTOP)
            try waitUntil("the stop", every: 1) {
                let status = (try? TextFiles.read("/proc/\(process.pid)/stat")) ?? ""
                return !process.isRunning || status.split(separator: ")").last?.hasPrefix(" T") == true
            }
            if condition() { return true }
            process.send(SIGCONT)
            return false
        }
        return isStopped != nil
    }

    func kill() { process.send(SIGKILL) }

    /// Waits for its end, a minute at most; true if it ended by itself and well.
    @discardableResult
    func wait() -> Bool { (try? process.waitForExit(within: 60_000)) == .exited(0) }
}
