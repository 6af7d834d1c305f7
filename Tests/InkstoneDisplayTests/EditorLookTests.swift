import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// How the editor looks, as its user has it: dark, and so again at the next start.
    @Suite struct EditorLookTests {
        private static let dark: UInt32 = 0x1e2227
        /// What frames the field that has the focus.
        private static let accent: UInt32 = 0x78b0ff
        private static let menuKey = TestKey(135)

        /// The colour behind the text at its lower right.
        private func ground(_ editor: EditorProcess) -> UInt32? {
            editor.session.probe.drainEvents()
            guard let picture = editor.session.probe.screenshot(of: editor.currentWindow) else { return nil }
            return picture[picture.width / 2, picture.height / 2]
        }

        @Test func darkIsChosenInTheMenuAndRemembered() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let first = try EditorProcess(in: session, text: "text\n")
            try first.waitForText()
            try waitUntil("a light ground", watching: [session.probe.descriptor]) { ground(first) == 0xffffff }
            session.probe.strike(Self.menuKey)
            _ = try session.probe.waitForWindow("the menu") { $0.overrideRedirect }
            // The last line that can be chosen.
            session.probe.strike(.end)
            session.probe.strike(.enter)
            try waitUntil("a dark ground") { ground(first) == Self.dark }
            session.probe.control("q")
            #expect(try first.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: "text\n")
            try second.waitForText()
            try waitUntil("a dark ground again", watching: [session.probe.descriptor]) { ground(second) == Self.dark }
            // All of the window is dark: the strip below, the field that its frame tells of, and the one for a path in the strip.
            func waitForField(_ name: String, _ isThere: (Screenshot) -> Bool) throws {
                var picture: Screenshot?
                try waitUntil(name, watching: [session.probe.descriptor]) {
                    session.probe.drainEvents()
                    picture = session.probe.screenshot(of: second.currentWindow)
                    return picture.map(isThere) ?? false
                }
                #expect(picture?.pixels.contains { $0 == 0xf6f8fa || $0 == 0xffffff } == false, "\(name) is dark")
            }
            session.probe.control("f")
            try waitForField("the find bar's field") { $0.pixels.count { $0 == Self.accent } >= 200 }
            session.probe.strike(.escape)
            session.probe.control("s", shift: true)
            try waitForField("the path's field") {
                $0.pixels.suffix($0.width * 30).count { $0 == Self.dark } >= 1000
            }
            // Back to what the desktop has, which is light, and that is remembered too.
            session.probe.strike(.escape)
            try choose(fromEnd: 2, in: session)
            try waitUntil("a light ground", watching: [session.probe.descriptor]) { ground(second) == 0xffffff }
            try waitUntil("the settings to be written") {
                (try? TextFiles.read("\(session.home)/.config/inkstone/settings"))?.contains("appearance = desktop\n")
                    ?? false
            }
        }

        /// Who types without an input method is told once how to have one, and then has the room for the text.
        @Test func adviceAboutInputMethodsGoesOnceOneTypes() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            /// How many pixels have the colour of advice.
            func waitForAdvice(_ what: String, _ isRight: (Int) -> Bool) throws {
                try waitUntil(what, watching: [session.probe.descriptor]) {
                    session.probe.drainEvents()
                    let picture = session.probe.screenshot(of: editor.currentWindow)
                    return picture.map { isRight($0.pixels.count { $0 == 0x8a5a00 }) } ?? false
                }
            }
            try waitForAdvice("the advice") { $0 > 20 }
            session.probe.type("a")
            try waitForAdvice("no advice") { $0 == 0 }
        }

        private func choose(fromEnd steps: Int, in session: DesktopSession) throws {
            session.probe.strike(Self.menuKey)
            try session.probe.chooseInMenu(fromEnd: steps)
        }

        private func waitForCaret(
            _ what: String, in editor: EditorProcess, _ isThere: (PixelRect) -> Bool
        ) throws -> PixelRect {
            try waitFor(what, watching: [editor.session.probe.descriptor]) {
                editor.session.probe.drainEvents()
                return editor.caret().flatMap { isThere($0) ? $0 : nil }
            }
        }

        @Test func lineNumbersFollowTheTextAndSelectLines() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let lines = (1...99).map { "line \($0)\n" }
            let editor = try EditorProcess(in: session, text: lines.joined())
            try editor.waitForText()
            let plain = try editor.waitForCaret()
            try choose(fromEnd: 4, in: session)
            let beside = try waitForCaret("the text moves aside", in: editor) { $0.left > plain.left + 15 }
            /// The colours left of the text.
            func strip() throws -> [UInt32] {
                let picture = try #require(probe.screenshot(of: editor.currentWindow))
                let width = beside.left - editor.currentWindow.x - 1
                return (0..<picture.height - 60).flatMap { row in (0..<width).map { picture[$0, row] } }
            }
            #expect(try strip().contains { $0 != 0xffffff })
            // From the second number to the fourth.
            func row(_ line: Int) -> Int { beside.top + (line - 1) * beside.height + beside.height / 2 }
            probe.movePointer(x: plain.left, y: row(2))
            probe.button(1, down: true)
            probe.movePointer(x: plain.left, y: row(3))
            probe.movePointer(x: plain.left, y: row(4))
            probe.button(1, down: false)
            probe.type("x")
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4...]).joined())
            // Moved by the wheel, by lines that come and go and by the caret, they look as if painted anew.
            probe.click(x: plain.left, y: row(8), button: 5, count: 3)
            probe.control("l")
            probe.type("60")
            probe.strike(.enter)
            probe.strike(.enter)
            try waitUntil("one more line") { editor.currentWindow.title.contains("•") }
            probe.click(x: plain.left, y: row(8), button: 5, count: 2)
            probe.strike(.backspace)
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4...]).joined())
            // The file held that before.
            try waitUntil("all of it to be saved") { !editor.currentWindow.title.contains("•") }
            let caret = try editor.waitForCaret()
            probe.strike(.enter)
            probe.strike(.enter)
            _ = try waitForCaret("two more lines", in: editor) { $0.top == caret.top + 2 * caret.height }
            // Saving repaints more.
            let followed = try strip()
            let end = "\n\n" + lines[62...].joined()
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4..<62] + [end]).joined())
            try choose(fromEnd: 4, in: session)
            let without = try waitForCaret("the numbers to go", in: editor) { $0.left < beside.left }
            #expect(without.left == plain.left)
            try choose(fromEnd: 4, in: session)
            _ = try waitForCaret("the numbers to come", in: editor) { $0.left == beside.left }
            #expect(try strip() == followed)
            // They are there at the next start.
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: "text\n")
            #expect(try second.waitForCaret().left == beside.left)
        }

        @Test func aFontIsChosenAndRemembered() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            let plain = try editor.waitForCaret()
            func choose(_ font: String) throws {
                try self.choose(fromEnd: 3, in: session)
                probe.control("a")
                probe.type(font)
            }
            // One that is not there changes nothing.
            try choose("no such font")
            probe.strike(.enter)
            try choose("dejavu sans mon")
            probe.strike(.tab)
            probe.strike(.enter)
            try waitUntil("the font to be remembered", instead: { editor.report() }) {
                (try? TextFiles.read("\(session.home)/.config/inkstone/settings"))?.contains(
                    "font = DejaVu Sans Mono\n")
                    ?? false
            }
            try choose("DejaVu Sans Mono:pixelsize=30")
            probe.strike(.enter)
            let large = try waitForCaret("a larger caret", in: editor) { $0.height > plain.height }
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: "text\n")
            #expect(try second.waitForCaret().height == large.height)
        }
    }
}
