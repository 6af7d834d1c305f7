import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor's appearance as the user chooses it: dark, and again at the next start.
    @Suite struct EditorAppearanceTests {
        private static let dark: UInt32 = 0x1e2227
        /// The colour of the frame around the focused field.
        private static let accent: UInt32 = 0x78b0ff

        /// The background colour at the lower right of the text.
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
            // The menu's button is at the left of the status line; the menu opens above it.
            let window = first.currentWindow
            session.probe.click(x: window.x + 10, y: window.bottom - 10)
            let menu = try session.probe.waitForWindow("the menu") { $0.overrideRedirect }
            #expect(menu.bottom <= window.bottom && menu.bottom >= window.bottom - 40 && menu.x == window.x)
            #expect(menu.height < 500, "it fits a small screen")
            try session.probe.chooseInOpenMenu("vd")
            try waitUntil("a dark ground") { ground(first) == Self.dark }
            session.probe.control("q")
            #expect(try first.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: "text\n")
            try second.waitForText()
            try waitUntil("a dark ground again", watching: [session.probe.descriptor]) { ground(second) == Self.dark }
            // All parts of the window are dark: the status line, the field with the focus frame, and the field for
            // a path.
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
            // Switching back to the desktop's appearance, which is light, is kept too.
            session.probe.strike(.escape)
            try session.probe.chooseInMenu("vu")
            try waitUntil("a light ground", watching: [session.probe.descriptor]) { ground(second) == 0xffffff }
            try waitUntil("the settings to be written") {
                (try? TextFiles.read("\(session.home)/.config/inkstone/settings"))?.contains("appearance = desktop\n")
                    ?? false
            }
        }

        /// If the environment names no input method, advice about one appears only after a click. If one is named
        /// but not found, the advice appears at once.
        @Test(arguments: [false, true])
        func adviceAboutInputMethodsIsForThoseWhoAskForOne(naming isNamed: Bool) throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            if isNamed { session.environment["XMODIFIERS"] = "@im=nobody" }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            /// The number of pixels in the colour of advice.
            func waitForAdvice(_ what: String, _ isRight: (Int) -> Bool) throws {
                try waitUntil(what, watching: [session.probe.descriptor], instead: { editor.report() }) {
                    session.probe.drainEvents()
                    let picture = session.probe.screenshot(of: editor.currentWindow)
                    return picture.map { isRight($0.pixels.count { $0 == 0x8a5a00 }) } ?? false
                }
            }
            if isNamed { return try waitForAdvice("the advice") { $0 > 0 } }
            try waitForAdvice("no advice") { $0 == 0 }
            session.probe.click(x: editor.currentWindow.right - 20, y: editor.currentWindow.bottom - 10)
            try waitForAdvice("the advice") { $0 > 0 }
            session.probe.type("a")
            try waitForAdvice("no advice") { $0 == 0 }
        }

        /// A click on the position asks for a line number; a click on the line ends opens a menu.
        @Test func partsOfTheStatusLineAreButtons() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            try editor.waitForText()
            let window = editor.currentWindow
            /// Returns the horizontal ranges of the status line's parts, which are separated by gaps wider than a
            /// space, in window pixels.
            func parts() throws -> [Range<Int>] {
                probe.drainEvents()
                let picture = try #require(probe.screenshot(of: window))
                let row = picture.height - 12
                var parts: [Range<Int>] = []
                for x in 0..<picture.width {
                    let isBlank = (row - 6..<row + 6).allSatisfy { picture[x, $0] == picture[picture.width - 1, row] }
                    if isBlank { continue }
                    if let last = parts.last, x - last.upperBound < 10 {
                        parts[parts.count - 1] = last.lowerBound..<x + 1
                    } else {
                        parts.append(x..<x + 1)
                    }
                }
                return parts
            }
            /// Clicks a part once all are shown: menu button, file, position, indentation, line ends, encoding and
            /// input method.
            func click(_ part: Int) throws {
                try waitUntil("the parts", watching: [probe.descriptor], instead: { editor.report() }) {
                    // While a message is shown, the parts lie farther apart.
                    let parts = try parts()
                    return parts.count == 7 && parts[2].lowerBound - parts[1].upperBound < 40
                }
                let part = try parts()[part]
                probe.click(x: window.x + (part.lowerBound + part.upperBound) / 2, y: window.bottom - 12)
            }
            try click(4)
            try probe.chooseInOpenMenu("w")
            try editor.save(expecting: "one\r\ntwo\r\n")
            // The next key removes the save message, and moving the pointer away removes the hint.
            probe.movePointer(x: window.x + 100, y: window.y + 100)
            probe.strike(.right)
            try click(2)
            try editor.waitForQuestion()
            probe.type("2")
            probe.strike(.enter)
            probe.type("x")
            try editor.save(expecting: "one\r\nxtwo\r\n")
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
            try session.probe.chooseInMenu("vl", entering: true)
            let beside = try waitForCaret("the text moves aside", in: editor) { $0.left > plain.left + 15 }
            /// The pixels of the line numbers, left of the text.
            func strip() throws -> [UInt32] {
                let picture = try #require(probe.screenshot(of: editor.currentWindow))
                let width = beside.left - editor.currentWindow.x - 1
                return (0..<picture.height - 60).flatMap { row in (0..<width).map { picture[$0, row] } }
            }
            #expect(try strip().contains { $0 != 0xffffff })
            // Drag from the second line number to the fourth.
            func row(_ line: Int) -> Int { beside.top + (line - 1) * beside.height + beside.height / 2 }
            probe.movePointer(x: plain.left, y: row(2))
            probe.button(1, down: true)
            probe.movePointer(x: plain.left, y: row(3))
            probe.movePointer(x: plain.left, y: row(4))
            probe.button(1, down: false)
            probe.type("x")
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4...]).joined())
            // After scrolling, inserting and removing lines and moving the caret, the line numbers look as if
            // painted anew.
            probe.click(x: plain.left, y: row(8), button: 5, count: 3)
            probe.control("l")
            probe.type("60")
            probe.strike(.enter)
            probe.strike(.enter)
            try waitUntil("one more line") { editor.currentWindow.title.contains("•") }
            probe.click(x: plain.left, y: row(8), button: 5, count: 2)
            probe.strike(.backspace)
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4...]).joined())
            // Wait on the title: the file already had the expected content before.
            try waitUntil("all of it to be saved") { !editor.currentWindow.title.contains("•") }
            let caret = try editor.waitForCaret()
            probe.strike(.enter)
            probe.strike(.enter)
            _ = try waitForCaret("two more lines", in: editor) { $0.top == caret.top + 2 * caret.height }
            // Read the pixels before saving, which repaints more of the window.
            let followed = try strip()
            let end = "\n\n" + lines[62...].joined()
            try editor.save(expecting: (lines[..<1] + ["x"] + lines[4..<62] + [end]).joined())
            try session.probe.chooseInMenu("vl", entering: true)
            let without = try waitForCaret("the numbers to go", in: editor) { $0.left < beside.left }
            #expect(without.left == plain.left)
            try session.probe.chooseInMenu("vl", entering: true)
            _ = try waitForCaret("the numbers to come", in: editor) { $0.left == beside.left }
            #expect(try strip() == followed)
            // The line numbers are shown again at the next start.
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
                try probe.chooseInMenu("vf", entering: true)
                probe.control("a")
                probe.type(font)
            }
            // A font that is not installed changes nothing.
            try choose("no such font")
            probe.strike(.enter)
            probe.control("a")
            // Type the whole name, because the list of fonts is read in the background and may not be complete.
            probe.type("DejaVu Sans Mono")
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
