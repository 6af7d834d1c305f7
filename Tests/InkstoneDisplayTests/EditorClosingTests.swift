import CX11
import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Closing windows twice, during a save, with keys in flight or by another client; and quitting meanwhile.
    @Suite struct EditorClosingTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws {
            session = try DesktopSession(width: 1000, height: 800)
            try session.startWindowManager()
        }

        /// A strace command that makes the first fsync of a file take two seconds.
        private static let slowDisk = [
            "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "-e",
            "inject=fsync:delay_enter=2000000:when=1",
        ]

        private func waitForKeys(in title: String, _ editor: EditorProcess) throws {
            try waitUntil("\(title) to have the focus", instead: { editor.report() }) {
                probe.info(probe.focusedWindow)?.title.hasPrefix(title) ?? false
            }
        }

        private func window(titled title: String) -> WindowInfo? {
            probe.drainEvents()
            return probe.windows().first { $0.isViewable && $0.title.hasPrefix(title) }
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

        private func focus(_ id: UInt32, _ editor: EditorProcess) throws {
            try waitUntil("a window to have the focus", instead: { editor.report() }) {
                probe.focus(id)
                return probe.focusedWindow == id || probe.ancestors(of: probe.focusedWindow).contains(id)
            }
        }

        private func waitForSaveToBegin(_ editor: EditorProcess) throws {
            try waitUntil("the save to begin", instead: { editor.report() }) {
                TemporaryDirectory.names(in: session.home).contains { $0.hasSuffix(".inkstone") }
            }
        }

        /// Opens a second window with unsaved text, and returns to the first.
        private func openSecond(_ editor: EditorProcess, typing text: String) throws {
            probe.control("n")
            try waitForKeys(in: "Untitled", editor)
            probe.type(text)
            try waitForKeys(in: "Untitled •", editor)
            let first = editor.window.id
            try waitUntil("the first window to have the focus", instead: { editor.report() }) {
                probe.focus(first)
                return probe.focusedWindow == first || probe.ancestors(of: probe.focusedWindow).contains(first)
            }
        }

        enum Twice: CaseIterable { case closeButton, closeKey, quitKey }

        @Test(arguments: Twice.allCases)
        func closingOrQuittingTwiceDuringASaveAsksAboutTheOtherWindow(_ how: Twice) throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", under: Self.slowDisk)
            try editor.waitForText()
            try openSecond(editor, typing: "kept")
            try waitForKeys(in: "notes.txt", editor)
            try editor.waitForInsertion(of: "a")
            probe.control("s")
            try waitForSaveToBegin(editor)
            for _ in 0..<2 {
                switch how {
                case .closeButton: probe.askToClose(editor.window.id)
                case .closeKey: probe.control("w")
                case .quitKey: probe.control("q")
                }
            }
            // A quit closes no window before the questions of all windows are answered.
            if how != .quitKey {
                try waitUntil("the first window to go", within: 10_000, instead: { editor.report() }) {
                    probe.drainEvents()
                    return !editor.process.isRunning || probe.info(editor.window.id) == nil
                }
            }
            try waitForKeys(in: "Untitled •", editor)
            #expect(editor.process.isRunning)
            #expect(try TextFiles.read(editor.file) == "atext\n")
            // Quitting asks about the second window, and so does closing the last window.
            if how != .quitKey { probe.control("q") }
            probe.alt("c")
            probe.type("!")
            probe.control("q")
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func twoClosesInOneTurnCloseOneWindow() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try openSecond(editor, typing: "kept")
            try waitForKeys(in: "notes.txt", editor)
            editor.process.send(SIGSTOP)
            probe.control("w")
            probe.control("w")
            probe.askToClose(editor.window.id)
            probe.sync()
            editor.process.send(SIGCONT)
            try waitForKeys(in: "Untitled •", editor)
            #expect(editor.process.isRunning)
            probe.control("w")
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func quittingGoesOnAfterAQuestionThatWasOpenBefore() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try openSecond(editor, typing: "kept")
            try waitForKeys(in: "notes.txt", editor)
            try editor.waitForInsertion(of: "a")
            probe.control("w")
            let second = try #require(window(titled: "Untitled"))
            try waitUntil("the second window to have the focus", instead: { editor.report() }) {
                probe.focus(second.id)
                return probe.focusedWindow == second.id || probe.ancestors(of: probe.focusedWindow).contains(second.id)
            }
            probe.control("q")
            try waitForKeys(in: "notes.txt", editor)
            probe.alt("d")
            // The quit continues, and asks about the other window now.
            try waitForKeys(in: "Untitled •", editor)
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func theWindowManagersCloseWaitsForKeysInFlight() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key * do block 700; answer")
            probe.type("x")
            try server.waitForRequest("forward_event")
            probe.askToClose(editor.window.id)
            // The key in flight has changed the text, so the editor asks about saving.
            try editor.waitForQuestion()
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "xtext\n")
        }

        /// An input method that answers probes, and perhaps clears an empty preedit, while its engine still
        /// processes the key.
        @Test(arguments: ["", "start; draw 0 0 0 null; "])
        func aCloseRightBehindAKeyWaitsForASlowEngine(_ before: String) throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key x do \(before)delay 900; answer")
            probe.type("x")
            try server.waitForRequest("forward_event")
            probe.askToClose(editor.window.id)
            try editor.waitForQuestion()
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "xtext\n")
            #expect(server.isRunning)
        }

        /// The quit asks to close before the keys that waited after it are entered, so these go to the question.
        @Test func keysBehindAQuitMeetItsQuestionHoweverSlowTheMethodIs() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key x do block 700; answer")
            probe.type("x")
            try server.waitForRequest("forward_event")
            probe.control("q")
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0), "\(editor.report())")
            #expect(try TextFiles.read(editor.file) == "xtext\n")
        }

        @Test func aCloseRightBehindKeysWaitsForAnEngineThatIsSlowWithEach() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key * do delay 150; answer")
            probe.type("xyz")
            try server.waitForRequest("forward_event") { $0["key"]?.text == "z" }
            probe.askToClose(editor.window.id)
            try editor.waitForQuestion()
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "xyztext\n")
        }

        /// Before a close goes on without the keys sent to an input method, the editor detects that the method no
        /// longer answers.
        @Test func aCloseRightBehindAKeyWaitsForAMethodThatHasStopped() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForInputMethod("inkstone")
            try editor.waitForInsertion(of: "a")
            try editor.save(expecting: "atext\n")
            server.stop()
            probe.type("x")
            probe.askToClose(editor.window.id)
            try editor.waitForQuestion()
            probe.alt("s")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "axtext\n")
        }

        @Test func workThatWaitsForKeysOfAClosedWindowIsDropped() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let editor = try session.startEditor(with: server, script: "on key * do block 700; answer")
            probe.control("n")
            try waitForKeys(in: "Untitled", editor)
            probe.focus(editor.window.id)
            try waitForKeys(in: "notes.txt", editor)
            probe.type("x")
            try server.waitForRequest("forward_event")
            probe.control("s")
            probe.askToClose(editor.window.id)
            probe.askToClose(editor.window.id)
            try waitUntil("the window to go", within: 10_000, instead: { editor.report() }) {
                probe.drainEvents()
                return !editor.process.isRunning || probe.info(editor.window.id) == nil
            }
            try waitForKeys(in: "Untitled", editor)
            #expect(editor.process.isRunning)
            #expect(try TextFiles.read(editor.file) == "xtext\n")
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
        }

        @Test func aWindowThatAnotherClientDestroysLeavesItsJournal() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try openSecond(editor, typing: "other")
            try waitForKeys(in: "notes.txt", editor)
            try editor.waitForInsertion(of: "a")
            probe.destroy(editor.window.id)
            try waitForKeys(in: "Untitled •", editor)
            let directory = "\(session.home)/.local/state/inkstone/recovery"
            try waitUntil("the journal of the window to stay alone", instead: { editor.report() }) {
                TemporaryDirectory.names(in: directory).contains { editor.isJournal("\(directory)/\($0)") }
            }
            probe.control("w")
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            let again = try EditorProcess(in: session, text: nil)
            try waitForOffer(again)
            probe.alt("r")
            try again.save(expecting: "atext\n")
        }

        /// Saving and closing wait for the text of a paste in flight, as they do for keys.
        @Test func aPasteInFlightIsInTheSaveBehindItAndAClosingWindowWaitsForIt() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            // This selection owner answers only while it drains its events.
            let owner = try XProbe(display: session.server.display)
            defer { owner.close() }
            owner.ownClipboard("PASTED")
            probe.type("ab")
            probe.control("v")
            probe.type("cd")
            let count = saves(editor)
            probe.control("s")
            probe.control("w")
            try waitUntil("the save and the close", instead: { editor.report() }) { saves(editor) >= count + 2 }
            try waitUntil("the end", within: 10_000, watching: [owner.descriptor], instead: { editor.report() }) {
                owner.drainEvents()
                return !editor.process.isRunning
            }
            #expect(editor.process.status == .exited(0))
            #expect(try TextFiles.read(editor.file) == "abPASTEDcdtext\n")
        }

        /// The number of saves and closes that were requested after the earlier keys.
        private func saves(_ editor: EditorProcess) -> Int {
            editor.records("item").count { ["save", "close"].contains($0["kind"]?.text) }
        }

        @Test func aCloseThatWaitedForAPasteEndsIfThatDoesNotCome() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            // This selection owner never answers.
            let owner = try XProbe(display: session.server.display)
            defer { owner.close() }
            owner.ownClipboard("PASTED")
            probe.type("ab")
            probe.control("v")
            probe.control("s")
            probe.control("w")
            try waitUntil("a word about it", within: 20_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            // The save does not wait longer, and writes the text that is there.
            try waitUntil("the save", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "abtext\n"
            }
            try editor.waitForInsertion(of: "c")
            probe.control("w")
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        /// Neither the window closes, nor is the text inserted when it comes after all.
        @Test func escapeEndsTheWaitForAPasteThatDoesNotCome() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            // This selection owner answers only while it drains its events.
            let owner = try XProbe(display: session.server.display)
            defer { owner.close() }
            owner.ownClipboard("PASTED")
            probe.type("ab")
            probe.control("v")
            let count = saves(editor)
            probe.control("w")
            try waitUntil("the close", instead: { editor.report() }) { saves(editor) > count }
            let before = probe.screenshot(of: editor.currentWindow)
            try waitUntil("a word about it", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow) != before
            }
            probe.strike(.escape)
            probe.type("c")
            // The owner counts as one that does not answer only after five seconds.
            try editor.save(expecting: "abctext\n", within: 4000)
            probe.type("d")
            try editor.save(expecting: "abcdtext\n", serving: owner)
            probe.control("w")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        /// Reading the file fails after a close has requested to save the typed text: the window stays open, and so
        /// do the others.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aCloseWhoseSaveCannotBeginIsForgotten() throws {
            defer { session.end() }
            let directory = "\(session.home)/texts"
            mkdir(directory, 0o755)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [directory])
            session.environment.merge(faults.environment) { $1 }
            faults.set(.slow, delay: 2_000_000)
            let editor = try EditorProcess(
                in: session, text: String(repeating: "some text\n", count: 100_000), directory: directory)
            try waitUntil("keys to be taken ahead of the file", instead: { editor.report() }) {
                if !editor.calls("insertText").isEmpty { return true }
                probe.type("a")
                return false
            }
            probe.control("q")
            probe.alt("s")
            faults.set(.failingReads)
            try waitUntil("a word about it", within: 20_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            probe.control("n")
            try waitUntil("another window") {
                probe.drainEvents()
                return probe.windows().count { $0.isViewable && $0.title.contains("Inkstone") } == 2
            }
            let second = try #require(
                probe.windows().first {
                    $0.isViewable && $0.title.contains("Inkstone") && $0.id != editor.window.id
                })
            try waitUntil("its focus") {
                probe.focus(second.id)
                return probe.focusedWindow == second.id || probe.ancestors(of: probe.focusedWindow).contains(second.id)
            }
            probe.control("w")
            try waitUntil("the other window to go") {
                probe.drainEvents()
                return probe.info(second.id) == nil
            }
            // The first window shows no question, so Alt+D has no effect there.
            try editor.takeFocus()
            probe.alt("d")
            probe.control("n")
            try waitUntil("another window", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().count { $0.isViewable && $0.title.contains("Inkstone") } == 2
            }
            #expect(editor.process.isRunning)
            editor.end()
        }

        /// On a slow disk, a close asks about its save beside the text. A user who types on instead of answering
        /// keeps the window, and a later save does not close it.
        @Test func aCloseThatIsNotAnsweredEndsWithTheNextKey() throws {
            defer { session.end() }
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let editor = try EditorProcess(in: session, text: "text\n", directory: folder)
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            try TextFiles.write("another program's\n", to: editor.file)
            faults.set(.hanging)
            probe.control("q")
            probe.alt("s")
            try editor.waitForInsertion(of: "b")
            faults.set([])
            try waitForOffer(editor)
            probe.control("s")
            try editor.waitForQuestion()
            probe.alt("o")
            try waitUntil("the save", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "abtext\n" || !editor.process.isRunning
            }
            try editor.waitForInsertion(of: "c")
            #expect(editor.process.isRunning)
            editor.end()
        }

        @Test func aCloseGoesOnWhenWhatItsSaveHasMetIsAnswered() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            try TextFiles.write("another program's\n", to: editor.file)
            probe.control("q")
            probe.alt("s")
            // Return chooses the safe answer: nothing is saved, and the window stays.
            probe.strike(.enter)
            try editor.waitForInsertion(of: "b")
            #expect(try TextFiles.read(editor.file) == "another program's\n")
            probe.control("q")
            probe.alt("s")
            probe.alt("o")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "abtext\n")
        }

        /// No text is discarded before all windows' questions are answered: a cancelled quit leaves everything
        /// unchanged.
        @Test func aQuitThatIsCancelledTakesNothingAway() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try openSecond(editor, typing: "second")
            try waitForKeys(in: "notes.txt", editor)
            try editor.waitForInsertion(of: "a")
            probe.control("q")
            try editor.waitForQuestion()
            probe.alt("d")
            try waitForKeys(in: "Untitled •", editor)
            probe.strike(.escape)
            try waitUntil("the first window", instead: { editor.report() }) {
                probe.focus(editor.window.id)
                return probe.focusedWindow == editor.window.id
                    || probe.ancestors(of: probe.focusedWindow).contains(editor.window.id)
            }
            try editor.waitForInsertion(of: "b")
            // A new quit repeats the question that was answered; after the last answer all windows close.
            probe.control("q")
            try editor.waitForQuestion()
            probe.alt("s")
            try waitForKeys(in: "Untitled •", editor)
            #expect(try TextFiles.read(editor.file) == "abtext\n")
            probe.alt("d")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        /// Opens two windows with unsaved text; the first has the focus.
        private func startWithTwoTexts() throws -> EditorProcess {
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try openSecond(editor, typing: "second")
            try waitForKeys(in: "notes.txt", editor)
            try editor.waitForInsertion(of: "a")
            return editor
        }

        /// Answers “discard” for the first window of a quit; a cancel at the second window's question leaves the
        /// first open.
        private func expectThatDiscardingWaits(_ editor: EditorProcess) throws {
            probe.alt("d")
            try waitForKeys(in: "Untitled •", editor)
            probe.strike(.escape)
            try focus(editor.window.id, editor)
            try editor.waitForInsertion(of: "b")
        }

        enum OpenBefore: CaseIterable { case prompt, questionOfItsSave }

        @Test(arguments: OpenBefore.allCases)
        func closingPromptsDoesNotEndAQuit(_ what: OpenBefore) throws {
            defer { session.end() }
            let editor = try startWithTwoTexts()
            switch what {
            case .prompt:
                probe.control("s", shift: true)
                // The other window may cover this one and hide its answers, so wait for the editor's record.
                try waitUntil("the prompt", instead: { editor.report() }) {
                    editor.records("document").contains { $0["text"]?.text == editor.file }
                }
            case .questionOfItsSave:
                try TextFiles.write("another program's\n", to: editor.file)
                probe.control("q")
                probe.alt("s")
                try editor.waitForQuestion()
            }
            probe.control("q")
            try expectThatDiscardingWaits(editor)
            editor.end()
        }

        @Test func anAnswerInAnotherWindowEndsNoQuit() throws {
            defer { session.end() }
            let editor = try startWithTwoTexts()
            probe.control("q")
            try editor.waitForQuestion()
            try focus(#require(window(titled: "Untitled")).id, editor)
            probe.control("w")
            probe.alt("c")
            try focus(editor.window.id, editor)
            try expectThatDiscardingWaits(editor)
            editor.end()
        }

        /// Quitting waits for keys, but not without limit: here its own key release waits for a disk.
        @Test(.enabled(if: DiskFaults.library != nil))
        func aQuitThatHasWaitedForADiskEndsTheEditor() throws {
            defer { session.end() }
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults",
                under: ["\(session.home)/.local/state/inkstone/recent"])
            session.environment.merge(faults.environment) { $1 }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try focus(editor.window.id, editor)
            faults.set(.hanging)
            probe.control("o")
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 20_000) == .exited(0))
        }

        /// Letters typed at the question of a close are neither text nor answers, and the close continues after an
        /// answer.
        @Test func lettersAtAQuestionOfACloseAreNoText() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            try TextFiles.write("another program's\n", to: editor.file)
            probe.control("q")
            probe.alt("s")
            try editor.waitForQuestion()
            probe.type("bo")
            probe.alt("o")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "atext\n")
        }

        @Test(arguments: [["q"], ["w"], ["x", "c"]])
        func aQuestionAboutAProgramTakesCloseAndQuitAsNo(_ keys: [String]) throws {
            defer { session.end() }
            try TextFiles.write([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0, 2], to: "\(session.home)/program")
            let editor = try EditorProcess(
                in: session, text: nil, named: "program", options: keys.count > 1 ? ["--keys", "emacs"] : [])
            try editor.waitForQuestion()
            for key in keys { probe.control(Character(key)) }
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        /// A question takes pointer events too: a click in the text does not move the caret.
        @Test func aQuestionHasThePointer() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            let caret = try editor.waitForCaret()
            try editor.waitForInsertion(of: "a")
            probe.control("w")
            try editor.waitForQuestion()
            let below = caret.top + caret.height + caret.height / 2
            probe.click(x: caret.left + 40, y: below)
            try probe.waitForClicks()
            probe.alt("c")
            try editor.waitForInsertion(of: "b")
            try editor.save(expecting: "abone\ntwo\n")
            // After the question, a click goes to the text again.
            probe.click(x: caret.left + 200, y: below)
            try probe.waitForClicks()
            try editor.waitForInsertion(of: "c")
            try editor.save(expecting: "abone\ntwoc\n")
            editor.end()
        }

        /// A clipboard manager may be slow; the windows close before, so that nobody types into them.
        @Test func theWindowsGoBeforeTheClipboardIsKept() throws {
            defer { session.end() }
            let silent = try RawRequestor(session.server.display)
            defer { silent.close() }
            XSetSelectionOwner(silent.connection, silent.atom("CLIPBOARD_MANAGER"), silent.window, 0)
            XSync(silent.connection, 0)
            let editor = try EditorProcess(in: session, text: "kept")
            probe.control("a")
            probe.control("c")
            try waitUntil("ownership") { probe.selectionOwner("CLIPBOARD") != 0 }
            probe.control("q")
            #expect(try silent.next(SelectionRequest).xselectionrequest.target == silent.atom("SAVE_TARGETS"))
            #expect(probe.info(editor.window.id) == nil)
            #expect(editor.process.isRunning)
            #expect(try editor.process.waitForExit(within: 60_000) == .exited(0))
        }

        @Test func theFileOfAnotherWindowIsNotOverwritten() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try openSecond(editor, typing: "other")
            let second = try #require(window(titled: "Untitled"))
            try waitUntil("the second window to have the focus", instead: { editor.report() }) {
                probe.focus(second.id)
                return probe.focusedWindow == second.id || probe.ancestors(of: probe.focusedWindow).contains(second.id)
            }
            probe.control("s")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try waitUntil("a word about it", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: probe.info(second.id) ?? second)?.shows(EditorColor.problem) ?? false
            }
            #expect(try TextFiles.read(editor.file) == "text\n")
            #expect(window(titled: "Untitled •") != nil)
        }
    }
}
