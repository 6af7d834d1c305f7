import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Markdown in the editor: shown with styles or as source.
    @Suite struct EditorRichTests {
        /// Waits for the window that replaces another one and has the focus; returns it.
        private func windowInPlace(of former: UInt32..., in editor: EditorProcess) throws -> UInt32 {
            let probe = editor.session.probe
            let window = try probe.waitForWindow("the other window") {
                !$0.overrideRedirect && !former.contains($0.id)
            }.id
            try waitUntil("its focus", watching: [probe.descriptor], instead: { editor.report() }) {
                probe.focus(window)
                return probe.focusedWindow == window || probe.ancestors(of: probe.focusedWindow).contains(window)
            }
            return window
        }

        /// Text typed during the save for a change of style is not in the file yet, so the editor asks about it.
        /// The new window has the caret at the same position and the same undo steps.
        @Test(.enabled(if: DiskFaults.library != nil))
        func textTypedBeforeTheOtherWindowComesIsAskedAbout() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let editor = try EditorProcess(
                in: session, text: "- a\n- b\n- c\n", named: "page.md", options: ["--rich"], directory: folder)
            try editor.waitForText()
            probe.strike(.end, holding: [.leftControl])
            try editor.waitForInsertion(of: "x")
            try probe.chooseInMenu("dm")
            try editor.waitForQuestion(answers: 2)
            faults.set(.hanging)
            probe.alt("s")
            try editor.waitForInsertion(of: "y")
            faults.set([])
            // The user has typed on, so the question comes as an offer.
            try editor.waitForOffer(belowFormatBar: true)
            #expect(try TextFiles.read(editor.file) == "- a\n- b\n- cx\n")
            probe.alt("s")
            _ = try windowInPlace(of: editor.window.id, in: editor)
            #expect(try TextFiles.read(editor.file) == "- a\n- b\n- cxy\n")
            probe.type("z")
            probe.control("s")
            try waitUntil("the file", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "- a\n- b\n- cxyz\n"
            }
            probe.control("z")
            probe.control("z")
            probe.control("s")
            try waitUntil("the file without what was typed before it was shown otherwise", instead: { editor.report() })
            {
                (try? TextFiles.read(editor.file)).map { !$0.contains("y") } ?? false
            }
            editor.end()
        }

        /// The file is too large for styled text. The keys that wait for it are typed into the plain text that is
        /// shown instead.
        @Test(.enabled(if: DiskFaults.library != nil))
        func keysThatWaitForStyledTextReachThePlainTextInItsPlace() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let text = String(repeating: "a line of the file\n", count: 1_000_000)
            let path = "\(folder)/large.md"
            try TextFiles.write(text, to: path)
            let editor = try EditorProcess(in: session, text: "text\n", named: "page.md", options: ["--rich"])
            try editor.waitForText()
            faults.set(.hanging)
            probe.control("o")
            probe.control("a")
            probe.type(path)
            probe.strike(.enter)
            let waiting = try windowInPlace(of: editor.window.id, in: editor)
            probe.type("xy")
            probe.sync()
            // After this reply, the window has received the keys.
            try probe.ping(waiting)
            faults.set([])
            _ = try windowInPlace(of: editor.window.id, waiting, in: editor)
            probe.control("s")
            try waitUntil("the file with what was typed", within: 20_000, instead: { editor.report() }) {
                var found = stat()
                return stat(path, &found) == 0 && found.st_size == text.utf8.count + 2
            }
            #expect(try TextFiles.read(path).hasPrefix("xya line"))
            editor.end()
        }

        /// The file cannot be shown with styles. The plain text in its place gets the keys that wait, and its window
        /// asks about them, because the close button was pressed.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aCloseGoesOnAtThePlainTextOfARefusedFile() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            // A link with so many pieces and so long an address is refused.
            let pieces = String(repeating: "*a* b ", count: 20_000)
            let (path, text) = ("\(folder)/other.md", "[\(pieces)](\(String(repeating: "a", count: 200_000)))\n")
            try TextFiles.write(text, to: path)
            let editor = try EditorProcess(in: session, text: "text\n", named: "page.md", options: ["--rich"])
            try editor.waitForText()
            faults.set(.hanging)
            probe.control("o")
            probe.control("a")
            probe.type(path)
            probe.strike(.enter)
            let waiting = try windowInPlace(of: editor.window.id, in: editor)
            probe.type("xy")
            probe.sync()
            // After this reply, the window has received the keys.
            try probe.ping(waiting)
            probe.askToClose(waiting)
            try probe.ping(waiting)
            faults.set([])
            let plain = try windowInPlace(of: editor.window.id, waiting, in: editor)
            try editor.waitForQuestion(answers: 3, in: probe.info(plain))
            probe.alt("s")
            try waitUntil("the file with what was typed", within: 20_000, instead: { editor.report() }) {
                var found = stat()
                return stat(path, &found) == 0 && found.st_size == text.utf8.count + 2
            }
            #expect(try TextFiles.read(path).hasPrefix("xy[*a*"))
            editor.end()
        }

        /// A signal comes while keys wait for styled text: they are typed into it before the program ends, and are in
        /// the journal.
        @Test(.enabled(if: DiskFaults.library != nil))
        func keysThatWaitForStyledTextOutliveASignal() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let (path, errors) = ("\(folder)/other.md", "\(session.home)/errors")
            try TextFiles.write("a line of the file\n", to: path)
            let editor = try EditorProcess(
                in: session, text: "text\n", named: "page.md", options: ["--rich"], errors: .file(errors))
            try editor.waitForText()
            faults.set(.hanging)
            probe.control("o")
            probe.control("a")
            probe.type(path)
            probe.strike(.enter)
            let waiting = try windowInPlace(of: editor.window.id, in: editor)
            probe.type("xy")
            probe.sync()
            // After this reply, the window has received the keys.
            try probe.ping(waiting)
            editor.process.send(SIGTERM)
            try probe.ping(waiting)
            faults.set([])
            #expect(try editor.process.waitForExit(within: 20_000) == .exited(0))
            let output = try TextFiles.read(errors)
            #expect(output.contains("Unsaved changes were kept"), "\(output)")
        }

        /// While a quit asks about one window, another one is replaced: the answer still ends the program.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aQuitGoesOnWhenAWindowIsReplacedMeanwhile() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let editor = try EditorProcess(in: session, text: "# One\n", named: "page.md", directory: folder)
            try editor.waitForText()
            probe.control("n")
            let other = try windowInPlace(of: editor.window.id, in: editor)
            probe.type("u")
            try waitUntil("the unsaved text", instead: { editor.report() }) {
                probe.info(other)?.title.contains("•") ?? false
            }
            probe.focus(editor.window.id)
            faults.set(.hanging)
            try probe.chooseInMenu("dm")
            probe.focus(other)
            probe.control("q")
            probe.sync()
            try probe.ping(other)
            faults.set([])
            _ = try windowInPlace(of: editor.window.id, other, in: editor)
            probe.focus(other)
            try editor.waitForQuestion(answers: 3, in: probe.info(other))
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 20_000) == .exited(0))
        }

        /// The document is shown without it after a while, and closes.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aPictureOnADiskThatHangsHoldsUpNeitherTypingNorSavingNorClosing() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            try TextFiles.write("no picture", to: folder + "/p.png")
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            faults.set(.hanging)
            let source = "![p](disk/p.png)\n\ntext"
            let editor = try EditorProcess(in: session, text: source + "\n", named: "page.md", options: ["--rich"])
            probe.strike(.end, holding: [.leftControl])
            probe.type("x")
            try waitUntil("the file", within: 20_000, instead: { editor.report() }) {
                probe.control("s")
                return (try? TextFiles.read(editor.file)) == source + "x\n"
            }
            probe.control("w")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
        }

        @Test func aPictureGetsADescription() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            try TextFiles.write(TestImages.png, to: "\(session.home)/p.png")
            let editor = try EditorProcess(
                in: session, text: "![](p.png) text\n", named: "page.md", options: ["--rich"])
            try editor.waitForText()
            probe.strike(.home, holding: [.leftControl])
            probe.strike(.right, holding: [.leftShift])
            for (typed, description) in [("of a thing", "of a thing"), (" seen", "of a thing seen")] {
                try probe.chooseInMenu("tp")
                // The prompt has the present description.
                probe.strike(.end)
                probe.type(typed)
                probe.strike(.enter)
                try editor.save(expecting: "![\(description)](p.png) text\n")
            }
            probe.control("z")
            try editor.save(expecting: "![of a thing](p.png) text\n")
        }

        /// A picture that was left out of the file is nowhere but in the window.
        @Test func aWindowWithAPictureThatIsInNoFileAsksBeforeItCloses() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let folder = "\(session.home)/texts"
            mkdir(folder, 0o700)
            try TextFiles.write(TestImages.png, to: "\(session.home)/p.png")
            let editor = try EditorProcess(
                in: session, text: "text\n", named: "page.md", options: ["--rich"], directory: folder)
            try editor.waitForInsertion(of: "x")
            try probe.chooseInMenu("tiiii", entering: true)
            probe.type("\(session.home)/p.png")
            probe.strike(.enter)
            probe.type("y")
            probe.control("s")
            try editor.waitForQuestion(answers: 3)
            probe.alt("t")
            try waitUntil("the file", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "xytext\n"
            }
            #expect(probe.info(editor.window.id)?.title.contains("•") == true)
            probe.control("w")
            try editor.waitForQuestion(answers: 3)
            // The save asks about the picture again.
            probe.alt("s")
            probe.alt("t")
            #expect(try editor.process.waitForExit(within: 20_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "xytext\n")
        }

        /// The bytes of a converted file do not show its encoding: the other window reads them as this one has saved
        /// them.
        @Test func aConvertedFileIsShownOtherwiseInItsEncoding() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "żółć\n", named: "page.md")
            try editor.waitForText()
            try probe.chooseInMenu("de")
            probe.type("ISO-8859-2")
            probe.strike(.enter)
            probe.alt("v")
            probe.control("s")
            let bytes: [UInt8] = [0xbf, 0xf3, 0xb3, 0xe6, 0x0a]
            try waitUntil("the converted file", instead: { editor.report() }) {
                (try? TextFiles.bytes(editor.file)) == bytes
            }
            try probe.chooseInMenu("dm")
            _ = try windowInPlace(of: editor.window.id, in: editor)
            // No key of the test's layout types a letter that the two encodings write differently.
            probe.ownClipboard("ó")
            probe.control("v")
            probe.control("s")
            try waitUntil("the file in one encoding", watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                return (try? TextFiles.bytes(editor.file)) == [0xf3] + bytes
            }
        }

        /// The new window would read the file, which is deleted; this window has the only copy of the text, so it
        /// stays.
        @Test func aTextWhoseFileIsGoneStaysInItsWindow() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "# One\n", named: "page.md")
            try editor.waitForText()
            unlink(editor.file)
            try probe.chooseInMenu("dm")
            try editor.waitForOffer()
            probe.alt("k")
            try editor.save(expecting: "# One\n")
        }

        /// The same key types at the start of the source, and at the start of the heading in the styled text.
        @Test func aFileIsShownWithStylesAndAsItIsWrittenInOneWindow() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "# One\n", named: "page.md")
            try editor.waitForText()
            var window = editor.window.id
            func typeAtStart(_ text: String, expecting expected: String) throws {
                probe.strike(.home, holding: [.leftControl])
                probe.type(text)
                probe.control("s")
                try waitUntil("the file to begin with \(expected)", instead: { editor.report() }) {
                    (try? TextFiles.read(editor.file))?.hasPrefix(expected) ?? false
                }
            }
            // Unsaved text is saved before the file is read again.
            probe.strike(.end, holding: [.leftControl])
            probe.type("t")
            try probe.chooseInMenu("dm")
            try editor.waitForQuestion(answers: 2)
            probe.alt("s")
            window = try windowInPlace(of: window, in: editor)
            #expect(try TextFiles.read(editor.file) == "# One\nt")
            try typeAtStart("x", expecting: "# xOne\n")
            try probe.chooseInMenu("dm")
            window = try windowInPlace(of: window, in: editor)
            try typeAtStart("y", expecting: "y# xOne\n")
        }
    }
}
