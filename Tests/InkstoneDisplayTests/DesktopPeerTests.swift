import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Copying and pasting between Inkstone and programs of other toolkits, in both directions, and with a
    /// clipboard manager.
    @Suite struct DesktopPeerTests {
        private static let text = "Größe – 日本語 😀\r\nline\rend\n"
        private static let latin1 = text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : 0x3f }
        private static let large: String = {
            let line = "0123456789 abcdefghijklmnopqrstuvwxyz, äöü 日本\n"
            return String(repeating: line, count: 100_000_000 / line.utf8.count + 1)
        }()
        private static let isLong = getenv("INKSTONE_LONG_TESTS") != nil

        /// The bytes of ``text`` in each target.
        private static let targets: [(name: String, bytes: [UInt8])] = [
            ("UTF8_STRING", Array(text.utf8)), ("text/plain;charset=utf-8", Array(text.utf8)),
            ("text/plain", Array(text.utf8)), ("STRING", latin1),
        ]

        /// Covers INT 37 of the checklist for interaction.
        @Test(arguments: PeerProgram.Toolkit.allCases)
        func theyPasteWhatWeCopied(toolkit: PeerProgram.Toolkit) throws {
            let text = Self.text
            let scene = try DisplayScene()
            defer { scene.end() }
            scene.display.clipboard.own(timestamp: 0) { text }
            let peer = try PeerProgram(toolkit, in: scene.session)
            #expect(try scene.ask(peer, "paste", peer.file) == ["pasted"])
            // GTK 3 requests a MIME type, and converts each line end of its text to LF.
            let expected = toolkit == .gtk3 ? text.replacing("\r\n", with: "\n").replacing("\r", with: "\n") : text
            #expect(try TextFiles.read(peer.file) == expected)
            for (name, bytes) in Self.targets {
                // Qt knows no X target names, and GTK 4 converts STRING in its own way.
                if toolkit == .qt5 && !name.hasPrefix("text/plain") || toolkit == .gtk4 && name == "STRING" { continue }
                unlink(peer.file)
                #expect(try scene.ask(peer, "paste", peer.file, name) == ["pasted"], "\(name)")
                #expect(try TextFiles.bytes(peer.file) == bytes, "\(name)")
            }
        }

        /// Covers INT 38 of the checklist for interaction.
        @Test(arguments: PeerProgram.Toolkit.allCases)
        func wePasteWhatTheyCopied(toolkit: PeerProgram.Toolkit) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let peer = try PeerProgram(toolkit, in: scene.session)
            // The text is larger than one INCR piece, except for GTK 4.8, which loses every second such transfer.
            let text = String(repeating: Self.text, count: toolkit == .gtk4 ? 100 : 40_000)
            try TextFiles.write(text, to: peer.file)
            #expect(try scene.ask(peer, "copy", peer.file) == ["copied"])
            try scene.pump("their ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let pasted = try scene.pasteClipboard()
            let isWhole = pasted.utf8.elementsEqual(text.utf8)
            #expect(isWhole, "\(pasted.utf8.count) bytes of \(text.utf8.count)")
        }

        /// Covers INT 39 of the checklist for interaction.
        @Test(arguments: ["xclip", "xsel"]) func aHundredMegabytesGoToTheCommandLineAndBack(program: String) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let text = Self.large
            let path = scene.session.home + "/large"
            let isXclip = program == "xclip"
            func run(_ arguments: String, _ redirection: String) throws -> ChildProcess {
                let options = isXclip ? "-selection clipboard" : "--clipboard"
                return try scene.session.start(
                    "sh", ["-c", "exec \(program) \(options) \(arguments) \(redirection)\(path)"])
            }
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var start = Deadline.now
            let reader = try run(isXclip ? "-o -t UTF8_STRING" : "-o", ">")
            try scene.pump("\(program) to end", within: 120_000) { !reader.isRunning }
            Self.reportSpeed("to \(program)", since: start)
            try Self.expect(TextFiles.bytes(path))
            // Wait until Inkstone has lost the selection to the program. xsel sends pieces of 4,000 bytes, ten
            // times as slowly as xclip, so it gets less text.
            let part = isXclip || Self.isLong ? text : String(text.prefix(10_000_000))
            try TextFiles.write(part, to: path)
            _ = try run("-i", "<")
            try scene.pump("its ownership", within: 120_000) { !scene.display.clipboard.isOwner }
            start = Deadline.now
            let pasted = try scene.pasteClipboard(within: 120_000)
            Self.reportSpeed("from \(program)", since: start, bytes: part.utf8.count)
            try Self.expect(pasted.utf8, of: part)
        }

        @Test(.enabled(if: isLong), arguments: [PeerProgram.Toolkit.gtk3, .gtk4, .qt5])
        func aHundredMegabytesGoToToolkitsAndBack(toolkit: PeerProgram.Toolkit) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let text = Self.large
            scene.display.clipboard.own(timestamp: 0) { text }
            let peer = try PeerProgram(toolkit, in: scene.session)
            var start = Deadline.now
            #expect(try scene.ask(peer, "paste", peer.file, within: 120_000) == ["pasted"])
            Self.reportSpeed("to \(toolkit)", since: start)
            try Self.expect(TextFiles.bytes(peer.file))
            // As selection owner, GTK 4.8 loses texts of more than one piece.
            if toolkit == .gtk4 { return }
            #expect(try scene.ask(peer, "copy", peer.file, within: 120_000) == ["copied"])
            try scene.pump("their ownership") { !scene.display.clipboard.isOwner }
            start = Deadline.now
            let pasted = try scene.pasteClipboard(within: 120_000)
            Self.reportSpeed("from \(toolkit)", since: start)
            try Self.expect(pasted.utf8)
        }

        private static func reportSpeed(_ what: String, since start: Double, bytes: Int = large.utf8.count) {
            let time = Deadline.now - start
            print("\(bytes / 1_000_000) MB \(what): \(Int(time)) ms, \(Int(Double(bytes) / 1000 / time)) MB/s")
        }

        /// Compares the bytes here, because a failing `#expect` would print all of them.
        private static func expect(_ bytes: some Collection<UInt8>, of text: String = large) throws {
            let isWhole = bytes.elementsEqual(text.utf8)
            #expect(isWhole, "\(bytes.count) bytes of \(text.utf8.count)")
        }

        // MARK: Clipboard managers

        /// Starts Xfce's clipboard manager as in a session. It saves the clipboard when the owning program ends.
        private func startManager(_ session: DesktopSession) throws {
            try session.startBus()
            try session.start("xfsettingsd", ["--no-daemon"])
            try waitUntil("the clipboard manager", within: 20_000, instead: { session.logText }) {
                session.probe.selectionOwner("CLIPBOARD_MANAGER") != 0
            }
        }

        @Test func aManagerKeepsTheEditorsTextAfterItsEnd() throws {
            let session = try DesktopSession()
            defer { session.end() }
            try startManager(session)
            let text = "kept: Größe 日本 😀\n"
            let editor = try EditorProcess(in: session, text: text)
            session.probe.control("a")
            session.probe.control("c")
            session.probe.control("q")
            try editor.process.waitForExit(within: 10_000)
            let pasted = try session.run("xclip", ["-o", "-selection", "clipboard", "-t", "UTF8_STRING"])
            #expect(pasted.output == text)
        }

        /// Covers INT 50 of the checklist for interaction.
        @Test func aManagerKeepsAHundredMegabytes() throws {
            let text = Self.large
            let scene = try DisplayScene()
            let later = try scene.connectOther()
            defer { scene.end() }
            try startManager(scene.session)
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let start = Deadline.now
            scene.display.saveClipboard()
            print("\(text.utf8.count) bytes kept by a manager in \(Int(Deadline.now - start)) ms")
            scene.display.close()
            var answer: Result<String, Clipboard.Failure>?
            later.clipboard.timeout = 30_000
            later.clipboard.request(timestamp: 0) { answer = $0 }
            try waitUntil("the text", within: 60_000, watching: [later.fileDescriptor]) {
                later.processEvents()
                return answer != nil
            }
            try Self.expect(#require(answer).get().utf8)
        }

        /// INT 50. If the clipboard manager does not answer, or there is none, the editor still ends within the
        /// time of ``Display/saveClipboard(withinMilliseconds:)``.
        @Test(arguments: [false, true])
        func theEditorEndsWhoeverKeepsTheClipboard(isSilent: Bool) throws {
            let session = try DesktopSession()
            let silent = try RawRequestor(session.server.display)
            defer {
                silent.close()
                session.end()
            }
            if isSilent {
                XSetSelectionOwner(silent.connection, silent.atom("CLIPBOARD_MANAGER"), silent.window, 0)
                XSync(silent.connection, 0)
            }
            let editor = try EditorProcess(in: session, text: "kept")
            session.probe.control("a")
            session.probe.control("c")
            try waitUntil("ownership") { session.probe.selectionOwner("CLIPBOARD") != 0 }
            let start = Deadline.now
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 60_000) == .exited(0))
            let time = Deadline.now - start
            print("ended after \(Int(time)) ms, \(isSilent ? "with a silent manager" : "without a manager")")
            guard isSilent else { return #expect(session.probe.selectionOwner("CLIPBOARD") == 0) }
            // A silent manager gets three seconds, one that makes progress thirty. A busy machine adds some time.
            #expect(time >= 3000 && time < 30_000, "\(time) ms")
            #expect(try silent.next(SelectionRequest).xselectionrequest.target == silent.atom("SAVE_TARGETS"))
        }
    }
}

extension DisplayScene {
    /// Sends a command to the program of another toolkit and returns its answer; serves the display meanwhile.
    func ask(_ peer: PeerProgram, _ words: String..., within milliseconds: Int = 20_000) throws -> [Substring] {
        peer.send(words)
        var answer: [Substring]?
        try pump("an answer to \(words)", within: milliseconds, instead: { self.session.logText }) {
            answer = try? peer.answer()
            return answer != nil
        }
        return answer ?? []
    }

    /// Returns the clipboard's text from its current owner.
    func pasteClipboard(within milliseconds: Int = 20_000) throws -> String {
        var answer: Result<String, Clipboard.Failure>?
        display.clipboard.request(timestamp: 0) { answer = $0 }
        try pump("the clipboard", within: milliseconds) { answer != nil }
        return try #require(answer).get()
    }
}
