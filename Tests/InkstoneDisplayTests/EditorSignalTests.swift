import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Signals, resource limits, and descriptors that are closed, full or without a reader.
    @Suite struct EditorSignalTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private func journals() -> [String] {
            TemporaryDirectory.names(in: "\(session.home)/.local/state/inkstone/recovery")
                .filter { $0.hasSuffix(".journal") }
        }

        private func showsAProblem(by editor: EditorProcess) -> Bool {
            probe.drainEvents()
            return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
        }

        /// Waits for an offer: a strip with its own edge above the status line.
        private func waitForOffer(_ editor: EditorProcess) throws {
            try waitUntil("an offer", within: 20_000, watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                guard let picture = probe.screenshot(of: editor.currentWindow) else { return false }
                return (0..<picture.height).filter { row in
                    (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                }.count == 2
            }
        }

        /// A shell command that does some preparation, and then executes the editor.
        private func shell(_ preparation: String) -> [String] { ["sh", "-c", "\(preparation); exec \"$@\"", "sh"] }

        @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
        func aSignalLeavesTheJournalAndTheNextStartOffersIt(_ signal: CInt) throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try editor.waitForInsertion(of: "x")
            editor.process.send(signal)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "text\n")
            let again = try EditorProcess(in: session, text: nil)
            try waitForOffer(again)
            probe.alt("r")
            try again.save(expecting: "xtext\n")
            again.process.send(signal)
            #expect(try again.process.waitForExit(within: 10_000) == .exited(0))
            // There was no unsaved text, so no journal is left.
            #expect(journals() == [])
        }

        /// Opens a second window, and returns to the first.
        private func openOtherWindow(_ editor: EditorProcess) throws {
            probe.control("n")
            try waitUntil("the other window", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().contains { $0.isViewable && $0.title.hasPrefix("Untitled") }
            }
            try editor.takeFocus()
        }

        /// Starts the editor again without an input method, recovers the text and saves it.
        private func expectRecovery(of text: String) throws {
            session.environment["XMODIFIERS"] = nil
            let again = try EditorProcess(in: session, text: nil)
            try waitForOffer(again)
            probe.alt("r")
            try again.save(expecting: text)
        }

        @Test func aSignalWaitsForKeysInFlight() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key * do block 700; answer")
            probe.type("x")
            try server.waitForRequest("forward_event")
            editor.process.send(SIGTERM)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            server.end()
            try expectRecovery(of: "xtext\n")
        }

        /// A signal ends the editor after the keys that wait in any window, here behind a save of one.
        @Test func aSignalWaitsForTheKeysOfAllWindows() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key x do block 1500; answer")
            try openOtherWindow(editor)
            probe.type("x")
            try server.waitForRequest("forward_event")
            probe.control("s")
            probe.type("y")
            // Wait until the editor has received the keys; they wait for the input method, and the ping is answered
            // after them.
            try probe.ping(editor.window.id)
            editor.process.send(SIGTERM)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "xtext\n")
            server.end()
            try expectRecovery(of: "xytext\n")
        }

        /// A window closes while the signal waits for its keys: the signal then goes on with the other windows.
        @Test func aSignalEndsTheOtherWindowsIfTheFirstOneGoesMeanwhile() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key * do block 700; answer")
            try openOtherWindow(editor)
            probe.type("x")
            try server.waitForRequest("forward_event")
            editor.process.send(SIGTERM)
            probe.destroy(editor.window.id)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
        }

        @Test func aSignalThatIsIgnoredAtTheStartStaysSo() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", under: shell("trap '' HUP"))
            try editor.waitForText()
            editor.process.send(SIGHUP)
            try editor.waitForInsertion(of: "x")
            try editor.save(expecting: "xtext\n")
        }

        enum Errors: String, CaseIterable {
            case closed = "exec 0<&- 1>&- 2>&-"
            case full = "exec 2>/dev/full"
            case withoutReader = "exec 2> >(:)"
        }

        /// The error in the keys file goes to standard error, which cannot be written, and to the window.
        @Test(arguments: Errors.allCases)
        func messagesThatCannotBeWrittenEndNothing(_ errors: Errors) throws {
            defer { session.end() }
            let keys = "\(session.home)/keys"
            try TextFiles.write("nonsense\n", to: keys)
            let editor = try EditorProcess(
                in: session, text: "text\n", options: ["--keys", keys],
                under: ["bash", "-c", "\(errors.rawValue); exec \"$@\"", "bash"])
            try editor.waitForText()
            try waitUntil("a word about it", instead: { editor.report() }) { showsAProblem(by: editor) }
            try editor.waitForInsertion(of: "x")
            try editor.save(expecting: "xtext\n")
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func aSaveBeyondTheLimitOfAFileIsReported() throws {
            defer { session.end() }
            let editor = try EditorProcess(
                in: session, text: String(repeating: "text\n", count: 400_000), under: shell("ulimit -f 2000"))
            try editor.waitForText()
            try editor.waitForInsertion(of: "x")
            probe.control("s")
            try waitUntil("a word about it", instead: { editor.report() }) { showsAProblem(by: editor) }
            #expect(try TextFiles.bytes(editor.file).count == 2_000_000)
            try editor.waitForInsertion(of: "y")
        }

        @Test func theInspectorFailsQuietlyWithoutAReader() throws {
            defer { session.end() }
            let file = "\(session.home)/long.txt"
            try TextFiles.write(String(repeating: "text\n", count: 20_000), to: file)
            let program = Products.path(of: "inkstone")
            for output in ["| true", ">&-"] {
                let command = "set -o pipefail; \"\(program)\" layout --font zz-none \"\(file)\" 2>errors \(output)"
                let (status, _) = try session.run("bash", ["-c", "cd \"\(session.home)\"; \(command)"], within: 20_000)
                #expect(status == .exited(1), "with \(output)")
                let message = try TextFiles.read("\(session.home)/errors")
                #expect(!message.contains("Fatal") && !message.contains("Error"), "\(message)")
            }
        }
    }
}
