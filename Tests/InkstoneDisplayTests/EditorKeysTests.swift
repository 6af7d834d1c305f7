import CX11
import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The effects of the editor's keys, menu and drops, checked in the saved file.
    @Suite struct EditorKeysTests {
        private static let f3 = TestKey(69)
        /// The background colour of the current match.
        private static let currentMatch: UInt32 = 0xff9b3d
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private func settings() -> String { (try? TextFiles.read("\(session.home)/.config/inkstone/settings")) ?? "" }

        private func wait(_ what: String, _ editor: EditorProcess, until isRight: () -> Bool) throws {
            try waitUntil(what, watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                return isRight()
            }
        }

        // MARK: Several carets

        @Test func keysMakeSeveralCarets() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "ab cd\nab cd\nab cd\n")
            // Add two carets below, and remove one again.
            probe.strike(.down, holding: [.leftControl, .leftAlt])
            probe.strike(.down, holding: [.leftControl, .leftAlt])
            probe.strike(.up, holding: [.leftControl, .leftAlt])
            probe.type("1")
            try editor.save(expecting: "1ab cd\n1ab cd\nab cd\n")
            // Select the word at the caret, and add its next occurrence.
            probe.strike(.escape)
            probe.strike(.home, holding: [.leftControl])
            probe.control("d")
            probe.control("d")
            probe.type("x")
            try editor.save(expecting: "x cd\nx cd\nab cd\n")
            // Split the selection into one for each line.
            probe.control("a")
            probe.control("l", shift: true)
            probe.strike(.end)
            probe.type("!")
            try editor.save(expecting: "x cd!\nx cd!\nab cd!\n")
            probe.control("z")
            try editor.save(expecting: "x cd\nx cd\nab cd\n")
        }

        @Test func aCommitGoesToAllCarets() throws {
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
            defer {
                server.end()
                session.end()
            }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            let editor = try EditorProcess(in: session, text: "one\ntwo\nthree\n")
            try editor.waitForInputMethod("inkstone")
            probe.strike(.down, holding: [.leftControl, .leftAlt])
            probe.strike(.down, holding: [.leftControl, .leftAlt])
            // The input method composes at one of the carets.
            probe.type("a")
            try editor.waitForMarkedText("あ")
            probe.type("\n")
            try editor.save(expecting: "あone\nあtwo\nあthree\n")
            probe.control("z")
            try editor.save(expecting: "one\ntwo\nthree\n")
        }

        // MARK: Looking

        @Test func controlAndTheWheelZoom() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            let plain = try editor.waitForCaret()
            probe.movePointer(x: plain.left + 50, y: plain.top + 5)
            probe.key(TestKey.leftControl.keycode, down: true)
            func turn(_ button: UInt8, _ size: Int) throws {
                probe.button(button, down: true)
                probe.button(button, down: false)
                try wait("text of \(size) %", editor) { settings().contains("size = \(size)\n") }
            }
            try turn(4, 110)
            try turn(4, 125)
            try wait("larger text", editor) { editor.caret().map { $0.height > plain.height } ?? false }
            try turn(5, 110)
            try turn(5, 100)
            probe.key(TestKey.leftControl.keycode, down: false)
            try wait("text as large as before", editor) { editor.caret()?.height == plain.height }
        }

        /// A window that is zoomed shows the same as one that opens with this size of text.
        @Test func paragraphsKeepTheirDistanceWhenTheyAreZoomed() throws {
            defer { session.end() }
            func distance(_ editor: EditorProcess) throws -> Int {
                probe.strike(.home, holding: [.leftControl])
                let upper = try editor.waitForCaret()
                probe.strike(.down)
                return try waitFor("the caret below", watching: [probe.descriptor], instead: { editor.report() }) {
                    probe.drainEvents()
                    return editor.caret().flatMap { $0.top > upper.top ? $0.top - upper.top : nil }
                }
            }
            let text = "one\n\ntwo\n"
            let editor = try EditorProcess(in: session, text: text, named: "a.md", options: ["--rich"])
            let plain = try editor.waitForCaret()
            for _ in 0..<5 { probe.control("=") }
            try wait("text of 200 %", editor) { settings().contains("size = 200\n") }
            try wait("larger text", editor) { editor.caret().map { $0.height > plain.height * 3 / 2 } ?? false }
            let zoomed = try distance(editor)
            probe.control("w")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            let other = try EditorProcess(in: session, text: text, named: "b.md", options: ["--rich"])
            try wait("text as large", other) { other.caret().map { $0.height > plain.height * 3 / 2 } ?? false }
            #expect(try distance(other) == zoomed)
        }

        /// A window manager may take the keys of these commands; the menu still has them.
        @Test func linesAreSortedAndJoinedByTheMenu() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "b\na\nc\n")
            try editor.waitForText()
            probe.control("a")
            try probe.chooseInMenu("els")
            try editor.save(expecting: "a\nb\nc\n")
            probe.control("a")
            try probe.chooseInMenu("elj")
            try editor.save(expecting: "a b c\n")
        }

        @Test func theMenuSetsWrappingLineEndsAndEncoding() throws {
            defer { session.end() }
            let line = "café" + String(repeating: " word", count: 60)
            let editor = try EditorProcess(in: session, text: line + "\n")
            try editor.waitForText()
            /// Types a text at the end of the visual line, and returns the saved text.
            func typeAtEnd(_ mark: String) throws -> String {
                probe.strike(.home)
                probe.strike(.end)
                probe.type(mark)
                probe.control("s")
                var text = ""
                try wait("\(mark) to be saved", editor) {
                    text = (try? TextFiles.read(editor.file)) ?? ""
                    return text.contains(mark)
                }
                return text
            }
            #expect(try !typeAtEnd("1").hasSuffix("1\n"))
            try probe.chooseInMenu("vw")
            try wait("the choice to be kept", editor) { settings().contains("wrap = no\n") }
            let unwrapped = try typeAtEnd("2")
            #expect(unwrapped.hasSuffix("2\n"))
            try probe.chooseInMenu("dw")
            try editor.save(expecting: unwrapped.dropLast() + "\r\n")
            try probe.chooseInMenu("de")
            probe.control("a")
            probe.type("ISO-8859-1")
            probe.strike(.enter)
            probe.alt("v")
            probe.control("s")
            let latin = (unwrapped.dropLast() + "\r\n").unicodeScalars.map { UInt8($0.value) }
            try wait("the other encoding", editor) { (try? TextFiles.bytes(editor.file)) == latin }
        }

        @Test func aFileThatWasReadInTheWrongEncodingIsReadAgain() throws {
            defer { session.end() }
            try TextFiles.write([0x63, 0x61, 0x66, 0xe9, 0x0a], to: "\(session.home)/latin.txt")
            let editor = try EditorProcess(in: session, text: nil, named: "latin.txt")
            try editor.waitForText()
            func take(_ encoding: String) throws {
                try probe.chooseInMenu("de")
                // Replace the encoding that the prompt contains.
                probe.type(encoding)
                probe.strike(.enter)
            }
            try take("ISO-8859-1")
            // Return chooses to read the file again.
            probe.strike(.enter)
            probe.strike(.end)
            probe.type("s")
            probe.control("s")
            try wait("the same bytes", editor) {
                (try? TextFiles.bytes(editor.file)) == [0x63, 0x61, 0x66, 0xe9, 0x73, 0x0a]
            }
            // The decoded text can be stored in another encoding.
            try take("UTF-8")
            probe.alt("v")
            try editor.save(expecting: "cafés\n")
        }

        @Test func aReadOnlyDocumentIsMarkedAsSuch() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", options: ["--read-only"])
            try wait("the mark", editor) { editor.currentWindow.title.contains("[Read Only]") }
        }

        /// The two editors' texts differ only in the number of words, so their status lines are equal until the
        /// words are counted.
        @Test func theMenuCountsWords() throws {
            defer { session.end() }
            for name in ["a", "b"] { mkdir("\(session.home)/\(name)", 0o700) }
            let editors = try [("a", "one two three\n", 0), ("b", "one twothree\n", 300)].map { name, text, top in
                try EditorProcess(
                    in: session, text: text, geometry: "640x280+0+\(top)", directory: "\(session.home)/\(name)")
            }
            for editor in editors { try editor.waitForText() }
            /// The pixels of the window below the text.
            func strip(_ editor: EditorProcess) -> [UInt32]? {
                probe.drainEvents()
                guard let picture = probe.screenshot(of: editor.currentWindow) else { return nil }
                let edge = (0..<picture.height).first { row in
                    (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                }
                return edge.map { Array(picture.pixels[($0 * picture.width)...]) }
            }
            func count(in editor: EditorProcess) throws {
                try editor.takeFocus()
                try probe.chooseInMenu("dc")
            }
            try wait("the same in both", editors[0]) { strip(editors[0]) == strip(editors[1]) }
            for editor in editors { try count(in: editor) }
            try wait("other words", editors[0]) { strip(editors[0]) != strip(editors[1]) }
            // The next key removes the message. A count that ends after the key shows its message then, for the key after it.
            try wait("the same again", editors[0]) {
                for editor in editors {
                    try? editor.takeFocus()
                    probe.strike(.home)
                }
                return strip(editors[0]) == strip(editors[1])
            }
        }

        // MARK: Finding

        @Test func f3OpensTheBarWithoutAnEarlierSearchAndReportsThatNothingIsFound() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one two\n")
            try editor.waitForText()
            func showsAProblem() -> Bool {
                probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            probe.strike(Self.f3)
            probe.type("two")
            try wait("the match", editor) {
                probe.screenshot(of: editor.currentWindow)?.shows(Self.currentMatch) ?? false
            }
            // The match that was found stays selected.
            probe.strike(.enter)
            probe.strike(.escape)
            probe.type("2")
            try editor.save(expecting: "one 2\n")
            #expect(!showsAProblem())
            probe.strike(Self.f3)
            try wait("a message", editor) { showsAProblem() }
            probe.type("!")
            try editor.save(expecting: "one 2!\n")
        }

        /// A message quotes a long pasted text, but leaves room for the document.
        @Test func aMessageLeavesRoomForTheText() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\n")
            try editor.waitForText()
            probe.ownClipboard(String(repeating: "word ", count: 4000))
            probe.control("l")
            probe.control("v")
            probe.strike(.enter)
            var height = 0
            try wait("the message", editor) {
                let picture = probe.screenshot(of: editor.currentWindow)
                height = picture?.textAndStrip?.text.height ?? 0
                return picture?.shows(EditorColor.problem) ?? false
            }
            #expect(height > editor.window.height / 3)
            editor.end()
        }

        // MARK: Other programs

        /// Drops a list of files on the editor's text, as another program would.
        private func drop(_ list: String, on editor: EditorProcess) throws {
            let raw = try RawRequestor(session.server.display)
            defer { raw.close() }
            let owner = try RawOwner(
                session.server.display, "XdndSelection",
                answers: [("text/uri-list", "text/uri-list", Array(list.utf8))])
            defer { owner.close() }
            let caret = try editor.waitForCaret()
            func send(_ message: String, _ words: [Int]) {
                var event = XEvent()
                event.xclient.type = ClientMessage
                event.xclient.window = UInt(editor.window.id)
                event.xclient.message_type = raw.atom(message)
                event.xclient.format = 32
                event.xclient.data.l = (Int(raw.window), words[0], words[1], words[2], words[3])
                XSendEvent(raw.connection, UInt(editor.window.id), 0, 0, &event)
                XFlush(raw.connection)
            }
            func answer() throws -> (name: String, word: Int) {
                try waitFor(
                    "an answer", within: 20_000, watching: [XConnectionNumber(raw.connection)],
                    instead: { editor.report() }
                ) {
                    owner.serve()
                    var event = XEvent()
                    guard XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 else { return nil }
                    return (raw.name(of: event.xclient.message_type), event.xclient.data.l.1)
                }
            }
            let point = (caret.left + 5) << 16 | (caret.top + 5)
            send("XdndEnter", [5 << 24, Int(raw.atom("text/uri-list")), 0, 0])
            send("XdndPosition", [0, point, 0, Int(raw.atom("XdndActionCopy"))])
            let status = try answer()
            #expect(status.name == "XdndStatus" && status.word & 1 == 1)
            send("XdndDrop", [0, 0, 0, 0])
            #expect(try answer() == ("XdndFinished", 1))
        }

        @Test func filesThatAreDroppedOpen() throws {
            defer { session.end() }
            let paths = ["\(session.home)/a b.txt", "\(session.home)/50%.txt"]
            for path in paths { try TextFiles.write("dropped\n", to: path) }
            let editor = try EditorProcess(in: session, text: "kept\n")
            try drop(
                "# two of them\r\nfile://\(session.home)/a%20b.txt\r\nfile://\(session.home)/50%25.txt\r\n", on: editor)
            try wait("their windows", editor) {
                let titles = probe.windows().map(\.title)
                return ["a b.txt", "50%.txt"].allSatisfy { name in titles.contains { $0.hasPrefix(name) } }
            }
            #expect(!editor.currentWindow.title.contains("•"), "nothing of it is text")
            #expect(try TextFiles.read(paths[1]) == "dropped\n")
        }

        /// When all files of a folder are dropped by mistake, only some of them are opened, so that those open
        /// already are still found.
        @Test func noMoreThanSomeOfManyFilesOpen() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "kept\n")
            let names = (100..<160).map { "file \($0).txt" }
            try drop(
                names.map { "file://\(session.home)/\($0.replacing(" ", with: "%20"))\r\n" }.joined(), on: editor)
            func open() -> Int { probe.windows().count { $0.title.hasPrefix("file 1") } }
            try wait("the windows", editor) { open() >= 50 }
            try probe.ping(editor.window.id)
            #expect(open() == 50)
            editor.end()
        }
    }
}
