import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor in use, without an input method.
    @Suite struct JourneyEditor {
        /// Waits for a question, which makes the strip below the text higher.
        private func waitForStrip(of editor: EditorProcess, after act: () -> Void) throws {
            let probe = editor.session.probe
            func height() -> Int? { probe.screenshot(of: editor.currentWindow)?.textAndStrip?.strip.height }
            let before = try #require(height())
            act()
            try waitUntil("a question", watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                return height() != before || !editor.process.isRunning
            }
        }

        @Test func quittingAsksAboutChanges() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "kept\n")
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            try waitForStrip(of: editor) { session.probe.control("q") }
            session.probe.alt("c")
            // After the cancel, the editor still runs, and the answer's letter was not typed.
            try editor.save(expecting: "xkept\n")
            let count = editor.calls("insertText").count
            session.probe.type("y")
            try editor.waitForCall("insertText", after: count)
            // The question appears after the running save has ended.
            try waitForStrip(of: editor) { session.probe.control("q") }
            session.probe.alt("d")
            let status = try editor.process.waitForExit(within: 10_000)
            #expect(status == .exited(0), "\(session.logText)")
            #expect(try TextFiles.read(editor.file) == "xkept\n")
        }

        /// A user who types on has not read the question, so letters are no answers.
        @Test func keysTypedAfterARequestToCloseDiscardNothing() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "kept\n")
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            // Letters that were struck before the question was on the screen are typed into the text.
            try waitForStrip(of: editor) { session.probe.control("w") }
            session.probe.type("discs")
            session.probe.alt("c")
            try editor.save(expecting: "xkept\n")
        }

        @Test func theCloseButtonAsksAsWellAndCanSave() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "kept\n")
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            try waitForStrip(of: editor) { session.probe.askToClose(editor.window.id) }
            #expect(editor.process.isRunning)
            session.probe.alt("s")
            let status = try editor.process.waitForExit(within: 10_000)
            #expect(status == .exited(0), "\(session.logText)")
            #expect(try TextFiles.read(editor.file) == "xkept\n")
        }

        @Test func anUnchangedFileIsLeftWithoutAQuestion() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "kept\n")
            session.probe.control("q")
            let status = try editor.process.waitForExit(within: 10_000)
            #expect(status == .exited(0), "\(session.logText)")
        }

        @Test func theMiddleButtonPastesWhereItClicks() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            let caret = try editor.waitForCaret()
            session.probe.ownPrimary("日本😀")
            session.probe.click(x: caret.left + 200, y: caret.top + caret.height + caret.height / 2, button: 2)
            try editor.save(expecting: "one\ntwo日本😀\n")
        }

        @Test func bytesThatAreNoTextSurviveASave() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let bytes = Array("caf\u{e9}".unicodeScalars.map { UInt8($0.value) }) + [0x0a, 0xff, 0xfe, 0x0a]
            try TextFiles.write(bytes, to: "\(session.home)/latin.txt")
            let editor = try EditorProcess(in: session, text: nil, named: "latin.txt")
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            session.probe.control("s")
            try waitUntil("the save", within: 10_000, instead: { editor.report() }) {
                try TextFiles.bytes(editor.file) != bytes
            }
            #expect(try TextFiles.bytes(editor.file) == [UInt8(ascii: "x")] + bytes)
        }

        @Test func anUnreadableFileIsReportedAndNotChanged() throws {
            let session = try DesktopSession()
            defer { session.end() }
            mkdir("\(session.home)/folder.txt", 0o755)
            let editor = try EditorProcess(in: session, text: nil, named: "folder.txt")
            try waitUntil("a message in the colour of problems", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                return (session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false)
            }
            session.probe.type("x")
            session.probe.control("s")
            session.probe.control("q")
            session.probe.alt("d")
            _ = try editor.process.waitForExit(within: 10_000)
            var status = stat()
            stat("\(session.home)/folder.txt", &status)
            #expect(status.st_mode & S_IFMT == S_IFDIR)
        }

        @Test func aFileThatCannotBeWrittenKeepsItsTextOnTheScreen() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\n", named: "folder/file.txt")
            TemporaryDirectory.remove("\(session.home)/folder")
            /// Waits until the text area (with its blinking caret) and the strip below satisfy a condition.
            func screen(_ what: String, _ fits: (_ text: Screenshot, _ strip: Screenshot) -> Bool) throws -> (
                text: Screenshot, strip: Screenshot
            ) {
                try waitFor(what, within: 10_000, watching: [session.probe.descriptor], instead: { editor.report() }) {
                    session.probe.drainEvents()
                    guard let parts = session.probe.screenshot(of: editor.currentWindow)?.textAndStrip,
                        parts.text.caret() != nil, fits(parts.text, parts.strip)
                    else { return nil }
                    return parts
                }
            }
            let before = try screen("the text") { _, _ in true }
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            let typed = try screen("what was typed") { text, _ in text != before.text }
            session.probe.control("s")
            // The opened file has been deleted, so the save asks first. Overwriting fails too, because its folder
            // is deleted.
            session.probe.alt("s")
            let warning = try screen("a message in the colour of problems") { _, strip in
                strip.shows(EditorColor.problem)
            }
            // A message of several lines makes the strip higher, and the offer about the file is above it.
            func isTheSame(_ text: Screenshot) -> Bool {
                let count = text.width * min(text.height, typed.text.height) / 2
                return text.height > typed.text.height / 2
                    && text.pixels.prefix(count) == typed.text.pixels.prefix(count)
            }
            #expect(isTheSame(warning.text), "the text is nowhere else")
            // The editor still asks before it quits.
            session.probe.control("q")
            let question = try screen("a question") { _, strip in strip != warning.strip }
            #expect(isTheSame(question.text) && editor.process.isRunning)
            session.probe.alt("d")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
        }

        /// Several pages of scrolling that wait together move the window's content once; the rest is painted at the
        /// final position.
        @Test func pagesThatWaitTogetherAreNotMovedOneByOne() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let proxy = try CountingProxy(to: session.server)
            defer { proxy.end() }
            let text = (1...2000).map { "line \($0)\n" }.joined()
            let editor = try EditorProcess(in: session, text: text, display: proxy.display)
            try editor.waitForText()
            kill(editor.process.pid, SIGSTOP)
            let before = proxy.total
            let pages = 40
            for _ in 0..<pages { session.probe.strike(.pageDown) }
            session.probe.sync()
            kill(editor.process.pid, SIGCONT)
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            let copies = (proxy.total - before).opcodes[62, default: 0]
            #expect(copies > 0)
            // Some copies belong to painting, and the keys may arrive in several batches.
            #expect(copies < pages / 2)
        }

        @Test(arguments: [false, true])
        func plainKeysMakeNoRoundTrip(_ withInputMethod: Bool) throws {
            let session = withInputMethod ? try RealInputMethod(.ibus, .hangul).borrow().session : try DesktopSession()
            defer { if withInputMethod { session.giveBack() } else { session.end() } }
            let proxy = try CountingProxy(to: session.server)
            defer { proxy.end() }
            let editor = try EditorProcess(in: session, text: "some text\n", display: proxy.display)
            if withInputMethod { try editor.waitForInputMethod("ibus") }
            // The first key loads glyphs and does other one-time work.
            session.probe.type("abc")
            try editor.save(expecting: withInputMethod ? "뮻some text\n" : "abcsome text\n")
            session.probe.watchPixels(of: editor.window.id)
            let before = try #require(proxy.counts.first)
            let keys = 50
            for _ in 0..<keys {
                session.probe.strike(TestKey(typing: "a")!)
                try session.probe.waitForPixels("the key to be shown")
            }
            let passed = try #require(proxy.counts.first) - before
            print(
                "\(keys) keys: \(passed.requests) requests, \(passed.requestBytes) bytes, \(passed.replies) replies, opcodes \(passed.opcodes)"
            )
            #expect(passed.replies == 0)
            #expect(passed.requests <= 16 * keys, "what a key costs on the wire does not grow unseen")
            if withInputMethod { try editor.cancelComposition() }
        }
    }
}
