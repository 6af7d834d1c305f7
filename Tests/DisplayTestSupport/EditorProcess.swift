import Glibc
import InkstoneTesting

/// The built editor program in a session, with one window, a file and a trace.
package final class EditorProcess {
    /// The process.
    package let process: ChildProcess
    /// The editor's top-level window, as it was when it was mapped.
    package let window: WindowInfo
    /// The file that it was given.
    package let file: String
    /// The file that `--trace` writes.
    package let trace: LogFile
    /// The session in which the editor runs.
    package let session: DesktopSession

    /// Starts the editor on a file with this text, waits for its window and gives it the focus.
    ///
    /// - Parameters:
    ///   - text: the file's content; nil for a file that does not exist.
    ///   - geometry: the window's size and place.
    ///   - font: a fontconfig pattern.
    ///   - display: another name for the display than the session's, such as a ``CountingProxy``'s.
    ///   - directory: where the file lies, if not in the session's home.
    ///   - wrapper: a program with its arguments that becomes the editor in the end, in the same process.
    package init(
        in session: DesktopSession, text: String? = "", named name: String = "notes.txt",
        geometry: String = "640x400+100+80", options: [String] = [], display: String? = nil, focus: Bool = true,
        errors: ChildProcess.Stream? = nil, directory: String? = nil, under wrapper: [String] = []
    ) throws {
        self.session = session
        file = "\(directory ?? session.home)/\(name)"
        if let text { try TextFiles.write(text, to: file) }
        let tracePath = "\(session.home)/\(name.split(separator: "/").joined(separator: "-")).trace"
        unlink(tracePath)
        trace = LogFile(path: tracePath)
        let command =
            wrapper + [Products.path(of: "inkstone"), "--trace", tracePath, "--geometry", geometry] + options + [file]
        process = try session.start(
            command[0], Array(command.dropFirst()),
            adding: display.map { ["DISPLAY": $0] } ?? [:], errors: errors)
        let process = process
        let found = try waitFor(
            "the editor's window", within: 10_000, watching: [session.probe.descriptor],
            instead: { session.logText }
        ) { () -> WindowInfo?? in
            session.probe.drainEvents()
            guard process.isRunning else { return .some(nil) }
            let window = session.probe.windows().first { info in
                // Find the window by its process only: the server reuses the IDs of destroyed windows.
                info.isViewable && session.probe.numbers("_NET_WM_PID", of: info.id) == [UInt32(process.pid)]
            }
            return window.map { .some($0) }
        }
        guard let found else {
            throw TimedOut(
                what: "the editor to start", milliseconds: 0,
                instead: "it ended: \(process.status as Any)\n\(session.logText)")
        }
        window = found
        if focus { try takeFocus() }
    }

    /// Gives the window the X focus and waits until it has it.
    package func takeFocus() throws {
        let probe = session.probe
        try waitUntil("the focus for the editor", watching: [probe.descriptor]) {
            probe.focus(window.id)
            return isAncestorOrSelf(of: probe.focusedWindow)
        }
    }

    private func isAncestorOrSelf(of id: UInt32) -> Bool {
        id == window.id || session.probe.ancestors(of: id).contains(window.id)
    }

    /// The current state of the editor's window.
    package var currentWindow: WindowInfo { session.probe.info(window.id) ?? window }

    /// Saves with Ctrl+S until the file holds `expected`: answers of an input method may still be on their way.
    package func save(expecting expected: String, within milliseconds: Int = 5000, serving owner: XProbe? = nil) throws
    {
        try save(expectingOneOf: [expected], within: milliseconds, serving: owner)
    }

    /// Saves with Ctrl+S until the file holds one of the texts, and gives that one. `owner` goes on answering who asks for its
    /// selections.
    @discardableResult
    package func save(
        expectingOneOf expected: [String], within milliseconds: Int = 5000, serving owner: XProbe? = nil
    ) throws -> String {
        var nextSave = 0.0
        var last = ""
        let file = file
        return try waitFor(
            "the saved file to hold \(expected.map(\.debugDescription).joined(separator: " or "))",
            within: milliseconds, watching: [session.probe.descriptor] + (owner.map { [$0.descriptor] } ?? []),
            instead: { "\(last.debugDescription)\n\(self.report())" },
            {
                session.probe.drainEvents()
                owner?.drainEvents()
                if Deadline.now >= nextSave {
                    session.probe.control("s")
                    nextSave = Deadline.now + 200
                }
                last = (try? TextFiles.read(file)) ?? ""
                return expected.contains(last) ? last : nil
            })
    }

    /// The first and last lines of the trace and of the session's log, for the report of a failure.
    package func report() -> String {
        trace.refresh()
        let lines = trace.entries.map(\.line)
        var shown = lines
        if lines.count > 240 {
            let whole = KeptFile.write(Array(lines.joined(separator: "\n").utf8), as: "trace.jsonl")
            shown = lines.prefix(100) + ["… the whole of it: \(whole)"] + lines.suffix(140)
        }
        return "trace:\n\(shown.joined(separator: "\n"))\nlog:\n\(session.logText)"
    }

    /// Ends it without asking.
    package func end() { process.end() }
}
