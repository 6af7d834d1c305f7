import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The text view inside another program, in each of the three ways to run the event loop. The program is
    /// Tests/EmbeddingExample, a package of its own, whose X error and I/O handlers call `exit`.
    @Suite struct JourneyHosting {
        static let ways = ["poll", "adopted", "run"]

        /// The path of a built program of Tests/EmbeddingExample.
        static func program(_ name: String, file: String = #filePath) throws -> String {
            let root = file.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
            let program = "\(root)/.build-example/debug/\(name)"
            try #require(access(program, X_OK) == 0, "built by scripts/test: \(program)")
            return program
        }

        /// A running example program, which prints its text whenever it has changed.
        final class Host {
            let process: ChildProcess
            let window: WindowInfo
            private let way: String

            init(_ way: String, in session: DesktopSession, file: String = #filePath) throws {
                let program = try JourneyHosting.program("embedding-example", file: file)
                process = try session.start(program, [way], output: .pipe)
                window = try session.probe.waitForWindow("the host's window", within: 10_000) { $0.title == "Host" }
                if way != "run" {
                    let probe = session.probe
                    let parent = window.id
                    _ = try probe.waitForWindow("the text view") { probe.ancestors(of: $0.id).contains(parent) }
                }
                self.way = way
                try takeFocus(in: session, x: 200)
            }

            /// Clicks into the text view and waits for the focus. A child window takes the focus at a press;
            /// without a window manager, a top-level window has to be given it.
            func takeFocus(in session: DesktopSession, x: Int) throws {
                if way == "run" { session.probe.focus(window.id) }
                session.probe.click(x: window.x + x, y: window.y + 150)
                try waitUntil("the text view to have the focus", watching: [session.probe.descriptor]) {
                    session.probe.drainEvents()
                    let focused = session.probe.focusedWindow
                    return focused == window.id || session.probe.ancestors(of: focused).contains(window.id)
                }
            }

            /// Waits until the text is `expected`.
            func expect(_ expected: String, within milliseconds: Int = 5000) throws {
                let deadline = Deadline(milliseconds: milliseconds)
                var last = ""
                while last != "text: \(expected.debugDescription)" {
                    guard let line = try? process.readLine(within: Int(deadline.remaining)) else {
                        throw TimedOut(
                            what: "the text \(expected.debugDescription)", milliseconds: milliseconds,
                            instead: "\(last), \(process.isRunning ? "running" : "\(process.status as Any)")")
                    }
                    last = line
                }
            }
        }

        /// Starts an example with a window of 640 × 400 pixels, types a letter, closes the window, and returns the
        /// line that the example printed for the letter. Its errors go to the file `errors` of the session's directory.
        ///
        /// - Parameter greeting: the line that the example prints before any key; nil for none.
        private func line(
            of name: String, _ arguments: [String] = [], after greeting: String? = nil, in session: DesktopSession
        ) throws -> String? {
            // Line buffering: with a pipe, the program would print everything at its end.
            let process = try session.start(
                "stdbuf", ["-oL", try Self.program(name)] + arguments, output: .pipe,
                errors: .file("\(session.home)/errors"))
            let probe = session.probe
            let window = try probe.waitForWindow("its window", within: 10_000) {
                $0.isViewable && $0.width == 640 && $0.title == "Notes"
            }
            try waitUntil("it to have the focus", watching: [probe.descriptor]) {
                probe.focus(window.id)
                probe.drainEvents()
                return probe.focusedWindow == window.id || probe.ancestors(of: probe.focusedWindow).contains(window.id)
            }
            if let greeting { #expect(try process.readLine() == greeting) }
            probe.type("a")
            let line = try process.readLine()
            probe.askToClose(window.id)
            #expect(try process.waitForExit(within: 10_000) == .exited(0))
            return line
        }

        @Test func theLinesOfTheReadmeAreAProgram() throws {
            let session = try DesktopSession()
            defer { session.end() }
            #expect(try line(of: "ten-lines", in: session) == "a日本語もどうぞ。")
        }

        @Test func theLoopOfFoundationRunsADisplay() throws {
            let session = try DesktopSession()
            defer { session.end() }
            #expect(try line(of: "run-loop", in: session) == "a")
        }

        /// After the first `await` of an asynchronous `main`, the main actor is on another thread, and the display's
        /// loop keeps it.
        @Test(arguments: [false, true]) func theLostMainActorIsReported(_ isLate: Bool) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let line =
                try isLate
                ? line(of: "async-main", ["late"], in: session) : line(of: "async-main", after: "begun", in: session)
            let errors = try TextFiles.read("\(session.home)/errors")
            #expect(line?.contains("a") == true && line?.contains("begun") == !isLate, "\(line ?? "nothing")")
            #expect(errors.contains("Display.run() was called on the main actor") == isLate, "\(errors)")
        }

        @Test(arguments: ways) func eachWayTypesJapanese(_ way: String) throws {
            let (session, _) = try RealInputMethod(.ibus, .anthy).borrow()
            defer { session.giveBack() }
            let host = try Host(way, in: session)
            session.probe.type("nihongo\n", pause: 10)
            try host.expect("にほんご")
            session.probe.askToClose(host.window.id)
            #expect(try host.process.waitForExit(within: 10_000) == .exited(0))
        }

        /// The example reports through the main actor. Dispatch leaves the descriptor that announces its work
        /// readable, which must not make the loop spin.
        @Test(arguments: ways) func theLoopIsIdleWhenTheMainActorIsDone(_ way: String) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let host = try Host(way, in: session)
            session.probe.type("ab")
            try host.expect("ab")
            var idleTurns = 0
            try waitUntil("a hundred looks in a row at a process that sleeps") {
                idleTurns = ProcessTable.sleeps(host.process.pid) ? idleTurns + 1 : 0
                return idleTurns == 100
            }
        }

        @Test(arguments: ways) func aStrictHostSurvivesAHungServer(_ way: String) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), options: ["--mode", "commit-each"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            defer { server.end() }
            let host = try Host(way, in: session)
            session.probe.type("a")
            try host.expect("a")
            try server.perform("once on set_ic_focus do hang")
            try server.waitUntilIdle()
            session.probe.focusNothing()
            try host.takeFocus(in: session, x: 300)
            session.probe.type("bc")
            try host.expect("abc", within: 4000)
            server.kill()
            let logged = server.entries.count
            try server.start()
            try server.waitForRequest("set_ic_focus", after: logged)
            session.probe.type("d")
            try host.expect("abcd")
            // Check that the key went to the server: typed plainly, the result would look the same.
            try server.waitForRequest("forward_event", after: logged) { $0["key"]?.text == "d" }
        }
    }
}
