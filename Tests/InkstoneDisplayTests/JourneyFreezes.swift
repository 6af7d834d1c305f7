import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A hanging or dying server must not be noticeable: the window responds, and no typed key is lost.
    @Suite struct JourneyFreezes {
        /// The way in which the server fails.
        enum Fate: String, CaseIterable, Sendable {
            case stopped
            case killed
        }

        /// The activity during which the server fails.
        enum Moment: String, CaseIterable, Sendable {
            case idle
            case composing
            case midCall
        }

        struct Case: CustomStringConvertible, Sendable {
            let fate: Fate
            let moment: Moment
            var description: String { "\(fate) while \(moment)" }
            static let all = Fate.allCases.flatMap { fate in Moment.allCases.map { Case(fate: fate, moment: $0) } }
        }

        /// Scrolls back and forth until a condition holds; returns the longest time that the window took to
        /// respond.
        private func longestStall(
            _ session: DesktopSession, _ editor: EditorProcess, until isOver: () -> Bool
        ) throws -> Double {
            var longest = 0.0
            var down = true
            session.probe.watchPixels(of: editor.window.id)
            while !isOver() {
                let stall = try editor.stall {
                    session.probe.button(down ? 5 : 4, down: true)
                    session.probe.button(down ? 5 : 4, down: false)
                    try session.probe.waitForPixels("the window to scroll", within: 10_000)
                }
                down.toggle()
                longest = max(longest, stall)
            }
            return longest
        }

        @Test(arguments: Case.all)
        func nothingIsLostAndTheWindowGoesOn(_ which: Case) throws {
            let stall = try EditorProcess.leastStall { try run(which) }
            #expect(stall <= EditorProcess.stallLimit, "the window repaints while the server is \(which.fate)")
        }

        /// Lets a server fail and starts a new one; returns the longest time that the window took to respond
        /// meanwhile.
        private func run(_ which: Case) throws -> Double {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            defer { server.end() }
            // The caret is in the middle, so that the wheel can scroll in both directions.
            let head = (0..<40).map { "line \($0)\n" }.joined()
            let rest = (40..<80).map { "line \($0)\n" }.joined()
            let editor = try EditorProcess(in: session, text: head + rest, options: ["--goto", "41"])
            try editor.waitForInputMethod("inkstone")
            let window = editor.currentWindow
            session.probe.movePointer(x: window.x + 200, y: window.y + 100)

            var expected = ""
            switch which.moment {
            case .idle: break
            case .composing:
                session.probe.type("kana")
                try waitUntil("a composition of four letters", watching: [session.probe.descriptor]) {
                    editor.markedText?.count == 4
                }
                expected = try #require(editor.markedText)
            case .midCall:
                // The server fails while it answers the call that is made when the focus was lost and has returned.
                try server.perform(
                    which.fate == .stopped ? "once on set_ic_focus do hang" : "once on set_ic_focus do die")
                try server.waitUntilIdle()
                let logged = server.entries.count
                session.probe.focusNothing()
                // Wait in between: two focus changes that the editor sees together cancel out.
                try server.waitForRequest("unset_ic_focus", after: logged)
                try editor.takeFocus()
                try server.waitForRequest("set_ic_focus", after: logged)
            }
            if which.moment != .midCall {
                if which.fate == .stopped { server.stop() } else { server.kill() }
            }
            let gone = Deadline.now
            let waiting = WaitingTime(of: [])
            session.probe.type("hello")
            expected += "hello"
            // A save makes pending keys be typed at once, so do not save before the time-outs should have typed
            // them.
            let (least, most) = (Deadline(milliseconds: 2500), Deadline(milliseconds: 8000))
            let stall = try longestStall(session, editor) {
                let typed = editor.calls("insertText").compactMap { $0["text"]?.text }.joined()
                return least.hasPassed && (typed.hasSuffix("hello") || most.hasPassed)
            }
            let saved = head + expected + rest
            let stolen = Deadline.now - gone - waiting.milliseconds
            try editor.save(expecting: saved, within: 10_000)
            let inserted = try #require(editor.calls("insertText").last, "\(editor.report())")
            let took = max(0, inserted.time - gone - stolen)
            print("\(which): longest stall \(stall.rounded()) ms, the last key stood after \(took.rounded()) ms")
            #expect(took <= 3000)

            // The editor connects to a new server without a restart.
            if which.fate == .stopped { server.kill() }
            try server.start()
            try editor.waitForInputMethod("inkstone", within: 10_000)
            session.probe.type("ka")
            try waitUntil(
                "composing to work again", within: 5000, watching: [session.probe.descriptor],
                instead: { editor.report() }
            ) { !(editor.markedText ?? "").isEmpty }
            return stall
        }

        @Test func aServerThatWakesUpLateSpeaksToNobody() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), options: ["--mode", "commit-each"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            defer { server.end() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod("inkstone")
            server.stop()
            session.probe.type("once")
            try editor.save(expecting: "once", within: 4000)
            server.resume()
            try server.waitUntilIdle()
            session.probe.type(" more")
            try editor.save(expecting: "once more")
        }
    }
}
