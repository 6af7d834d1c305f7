import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The screen of the whole editor while a server hangs or dies: the typed letters appear in time.
    @Suite struct JourneyFreezesScreen {
        private static let typed = ["hello", "さあhello", "hello"]

        /// The pixel rows of a line of text up to the caret; nil if the line is not in the picture.
        private func line(_ number: Int, of editor: EditorProcess, to caret: PixelRect, _ session: DesktopSession)
            -> [UInt32]?
        {
            let window = editor.currentWindow
            guard let shot = session.probe.screenshot(of: window) else { return nil }
            let top = caret.top - window.y + (number - 1) * caret.height
            return (top..<top + caret.height).flatMap { row in
                (0..<caret.left - window.x - 1).map { shot[$0 - shot.x, row - shot.y] }
            }
        }

        @Test func typedTextIsSeenInTimeHoweverTheServerEnds() throws {
            let stall = try EditorProcess.leastStall { try run() }
            #expect(stall <= EditorProcess.stallLimit)
        }

        /// Lets a server fail in three ways; returns the longest time that the window took to answer a ping.
        private func run() throws -> Double {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
            defer { server.end() }
            let blank = String(repeating: "\n", count: 5)
            let final = Self.typed.joined(separator: "\n") + "\n\n\n"

            // The reference picture: the same text in the same window, opened from a file.
            let reference = try EditorProcess(
                in: session, text: final, named: "reference.txt", options: ["--no-recovery"])
            let first = try reference.waitForCaret()
            var wanted: [(caret: PixelRect, pixels: [UInt32])] = []
            for number in 1...Self.typed.count {
                session.probe.strike(.end)
                let caret = try waitFor("the caret at the end of line \(number)", watching: [session.probe.descriptor])
                {
                    () -> PixelRect? in
                    session.probe.drainEvents()
                    guard let caret = reference.caret(), caret.left > first.left + 20,
                        caret.top == first.top + (number - 1) * first.height
                    else { return nil }
                    return caret
                }
                let place = PixelRect(left: caret.left, top: first.top, right: caret.right, bottom: first.bottom)
                wanted.append((place, try #require(line(number, of: reference, to: place, session))))
                session.probe.strike(.home)
                session.probe.strike(.down)
            }
            reference.end()

            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            let editor = try EditorProcess(in: session, text: blank, options: ["--no-recovery"])
            try editor.waitForInputMethod("inkstone")
            _ = try editor.waitForCaret()
            var longest = 0.0

            /// Types, and waits until the screen shows the text; checks that the window responds meanwhile.
            func check(_ number: Int, _ what: String) throws {
                let start = Deadline.now
                session.probe.type("hello")
                try waitUntil(
                    "the screen to show “\(Self.typed[number - 1])” (\(what))", within: 6000,
                    watching: [session.probe.descriptor],
                    instead: { "\(editor.report())\n\(session.probe.screenshot()?.kept("screen") ?? "")" }
                ) {
                    longest = max(longest, try editor.stall { try session.probe.ping(editor.window.id) })
                    return line(number, of: editor, to: wanted[number - 1].caret, session) == wanted[number - 1].pixels
                }
                print(
                    "\(what): seen after \(Int(Deadline.now - start)) ms, longest stall so far \(longest.rounded()) ms")
            }
            server.stop()
            try check(1, "stopped while idle")
            server.kill()
            try server.start()
            try editor.waitForInputMethod("inkstone", within: 10_000)

            session.probe.strike(.down)
            session.probe.type("ka")
            try editor.waitForMarkedText("さあ")
            server.kill()
            try check(2, "killed in mid-composition")
            try server.start()
            try editor.waitForInputMethod("inkstone", within: 10_000)

            session.probe.strike(.down)
            try server.perform("once on set_ic_focus do hang")
            try server.waitUntilIdle()
            session.probe.focusNothing()
            try editor.takeFocus()
            try check(3, "hung in a call")
            try editor.save(expecting: final)
            return longest
        }
    }
}
