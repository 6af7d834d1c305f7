import DisplayTestSupport
import FoundationEssentials
import Glibc
import InkstoneTesting
import Testing

/// The signals that the program does not inherit from whoever starts it.
@Suite(.timeLimit(.minutes(5))) struct StartingSignalTests {
    /// Whether a process ignores a signal; false if it is gone.
    private func ignores(_ signal: Int32, _ process: ChildProcess) -> Bool {
        let status = (try? TextFiles.read("/proc/\(process.pid)/status")) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
        let ignored = line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) } ?? 0
        return ignored & 1 << UInt64(signal - 1) != 0
    }

    /// Starts a program with the end of children ignored; it waits for its input.
    private func start(_ command: [String]) throws -> ChildProcess {
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        return try ChildProcess(
            "/usr/bin/env", ["--ignore-signal=CHLD"] + command, environment: variables, input: .pipe, output: .null)
    }

    /// If the end of children were ignored, as some launchers do, the exit status of a filter would be lost.
    @Test func theEndOfChildrenIsNotIgnored() throws {
        let other = try start(["/bin/cat"])
        defer { other.end() }
        try waitUntil("the signal that others ignore then", within: 60_000) { ignores(SIGCHLD, other) }
        let editor = try start([Products.path(of: "inkstone"), "layout"])
        defer { editor.end() }
        // The program ignores broken pipes from its start.
        try waitUntil("the program's own signals", within: 60_000) {
            ignores(SIGPIPE, editor) && !ignores(SIGCHLD, editor)
        }
    }
}
