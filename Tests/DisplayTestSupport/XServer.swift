import Glibc
import InkstoneTesting

/// A private X server on a free display: Xvfb unless another is asked for.
package final class XServer {
    /// The display's name, such as `:7`.
    package let display: String
    private let process: ChildProcess

    /// Starts one with a screen of `width` × `height` pixels of 24 bits and waits until it takes connections.
    ///
    /// `-noreset`, because a reset when the last client leaves would wipe XIM_SERVERS and refuse connections meanwhile.
    package convenience init(width: Int = 1280, height: Int = 960) throws {
        try self.init(
            starting: "Xvfb",
            [
                "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-noreset", "-nolisten", "tcp", "-dpi",
                "96",
            ])
    }

    /// Starts a server that writes its display's number to its standard output.
    package init(starting program: String, _ arguments: [String]) throws {
        let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"]
        process = try ChildProcess(
            program, arguments, environment: environment, output: .pipe, errors: .null)
        let line = try process.readLine(within: 20_000)
        guard let line, let number = Int(line) else {
            throw TimedOut(
                what: "\(program) to start", milliseconds: 20_000, instead: "status \(process.status as Any)")
        }
        display = ":\(number)"
    }

    /// Gives the keyboard other XKB layouts, such as `us,il`, the first of them in force, as a user's settings do.
    ///
    /// - Parameters:
    ///   - variant: the layout's variant, such as `intl`; empty for none.
    ///   - option: one of XKB's options, such as `compose:ralt`; empty for none.
    package func setLayout(_ layouts: String, variant: String = "", option: String = "") throws {
        let parts = [("-layout", layouts), ("-variant", variant), ("-option", option)].filter { !$0.1.isEmpty }
        let process = try ChildProcess(
            "setxkbmap", ["-display", display] + parts.flatMap { [$0.0, $0.1] }, environment: ["PATH": "/usr/bin:/bin"])
        let status = try process.waitForExit(within: 5000)
        guard status == .exited(0) else {
            throw TimedOut(what: "the keyboard layout \(layouts)", milliseconds: 0, instead: "\(status)")
        }
    }

    /// Sends it a signal: SIGSTOP shows what a client does that waits for no answer.
    package func send(_ signal: CInt) { process.send(signal) }

    /// The server's process ID.
    package var pid: pid_t { process.pid }

    /// Whether it still runs.
    package var isRunning: Bool { process.isRunning }

    /// Ends it, and with it every client's connection.
    package func end() { process.end() }
}
