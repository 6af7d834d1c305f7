import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Unsaved text after the editor or its display has died, and with two editors at once.
    @Suite struct EditorRecoveryTests {
        private func journals(in home: String) -> [String] {
            let directory = "\(home)/.local/state/inkstone/recovery"
            return TemporaryDirectory.names(in: directory).map { "\(directory)/\($0)" }
        }

        /// Waits until a journal ends in a character typed last: then it holds all text typed before too.
        private func waitForJournal(in home: String, endingIn character: Character) throws -> String {
            try waitFor(
                "a journal ending in \(character)",
                instead: {
                    journals(in: home).map { "\($0): \((try? TextFiles.read($0)) ?? "")" }.joined(separator: "\n")
                }
            ) {
                journals(in: home).first { TypedJournal.ends(in: character, at: $0) }
            }
        }

        /// Starts the editor with a journal, and waits for its text.
        private func start(
            in session: DesktopSession, text: String? = "The file.\n", geometry: String = "640x400+100+80",
            errors: String? = nil, home: String? = nil, under wrapper: [String] = []
        ) throws -> EditorProcess {
            let home = home ?? session.home
            let before = Set(journals(in: home))
            let editor = try EditorProcess(
                in: session, text: text, geometry: geometry, errors: errors.map { .file($0) }, directory: home,
                under: wrapper)
            try waitUntil("its journal", instead: { editor.report() }) {
                Set(journals(in: home)).subtracting(before).contains(where: editor.isJournal)
            }
            return editor
        }

        /// Starts the editor again, accepts the recovered changes, and saves.
        private func expectRecovery(
            of expected: String, from journal: String, in session: DesktopSession, home: String
        ) throws {
            #expect(journals(in: home) == [journal])
            let editor = try start(in: session, text: nil, home: home)
            #expect(try TextFiles.read(editor.file) == "The file.\n")
            // The user types on before accepting the offer.
            session.probe.type("New. ")
            try editor.waitForOffer()
            session.probe.alt("r")
            try waitUntil("the old journal to go", instead: { editor.report() }) {
                access(journal, F_OK) != 0
            }
            try editor.save(expecting: "New. " + expected)
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(journals(in: home).isEmpty)
        }

        @Test func typedTextIsRecoveredExactlyAfterKillNine() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session)
            session.probe.type("Not yet")
            session.probe.strike(.backspace)
            session.probe.type("t saved!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            editor.process.send(SIGKILL)
            #expect(try editor.process.waitForExit(within: 5000) == .signalled(SIGKILL))
            try expectRecovery(of: "Not yet saved!The file.\n", from: journal, in: session, home: session.home)
        }

        /// A file of this size is read in several pieces.
        @Test func textTypedIntoAFileOfSeveralPiecesIsRecovered() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let lines = String(repeating: "A line of the file, of some length.\n", count: (18 << 20) / 36)
            let editor = try start(in: session, text: lines)
            session.probe.type("Not yet saved!")
            _ = try waitForJournal(in: session.home, endingIn: "!")
            editor.process.send(SIGKILL)
            #expect(try editor.process.waitForExit(within: 5000) == .signalled(SIGKILL))
            let again = try start(in: session, text: nil)
            try again.waitForOffer()
            session.probe.alt("r")
            try again.save(expecting: "Not yet saved!" + lines, within: 20_000)
            session.probe.control("q")
            #expect(try again.process.waitForExit(within: 5000) == .exited(0))
            #expect(journals(in: session.home).isEmpty)
        }

        @Test func typedTextIsRecoveredExactlyAfterTheServerIsGone() throws {
            let first = try DesktopSession(width: 800, height: 600)
            defer { first.end() }
            let errors = "\(first.home)/errors"
            let editor = try start(in: first, errors: errors)
            first.probe.type("Not yet saved!")
            let journal = try waitForJournal(in: first.home, endingIn: "!")
            first.server.send(SIGKILL)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(1))
            let output = try TextFiles.read(errors)
            #expect(output.hasSuffix("\n") && output.split(separator: "\n").count == 1, "\(output)")
            #expect(
                output.contains("Unsaved changes were kept: the next start with this file offers them."), "\(output)")
            let second = try DesktopSession(width: 800, height: 600)
            defer { second.end() }
            second.environment["XDG_STATE_HOME"] = "\(first.home)/.local/state"
            try expectRecovery(of: "Not yet saved!The file.\n", from: journal, in: second, home: first.home)
        }

        @Test func typedTextIsRecoveredExactlyAfterTheConnectionWasCut() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let errors = "\(session.home)/errors"
            let editor = try start(in: session, errors: errors)
            session.probe.type("Not yet saved!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            session.probe.killClient(of: editor.window.id)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(1))
            #expect(try TextFiles.read(errors).contains("Unsaved changes were kept"))
            try expectRecovery(of: "Not yet saved!The file.\n", from: journal, in: session, home: session.home)
        }

        /// Starts the editor, types, kills it, and returns the path of the journal left behind.
        private func leaveJournal(in session: DesktopSession) throws -> String {
            let editor = try start(in: session)
            session.probe.type("lost!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            try waitUntil("the copy of the file", instead: { editor.report() }) {
                TypedJournal.hasCopy(of: "The file.", at: journal)
            }
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            return journal
        }

        @Test func changesThatAreNotWantedAreSetAside() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let journal = try leaveJournal(in: session)
            let editor = try start(in: session, text: nil)
            try editor.waitForOffer()
            session.probe.alt("d")
            try waitUntil("the journal to go", instead: { editor.report() }) { access(journal, F_OK) != 0 }
            // The user may have pressed the key by mistake, so the journal is renamed, not deleted.
            #expect(access(journal + ".ignored", F_OK) == 0)
            session.probe.type("x")
            try editor.save(expecting: "xThe file.\n")
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(journals(in: session.home) == [journal + ".ignored"])
        }

        @Test func changesToAFileThatIsAnotherNowAreShownInAWindowOfTheirOwn() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let journal = try leaveJournal(in: session)
            // “Later” keeps the journal. Then the file changes, so that the journal no longer applies to it.
            let second = try start(in: session, text: nil)
            try second.waitForOffer()
            session.probe.alt("l")
            session.probe.type("x")
            try second.save(expecting: "xThe file.\n")
            session.probe.control("q")
            #expect(try second.process.waitForExit(within: 5000) == .exited(0))
            #expect(journals(in: session.home) == [journal])
            let third = try start(in: session, text: nil)
            try third.waitForOffer()
            session.probe.alt("w")
            // The new window writes a journal of its own. The old journal is deleted once the new one is on the
            // disk.
            func waitForText(in editor: EditorProcess, insteadOf journal: String) throws -> String {
                let new = try waitFor("the text in another journal", instead: { editor.report() }) {
                    journals(in: session.home).first {
                        $0 != journal && $0.hasSuffix(".journal")
                            && String(decoding: (try? TextFiles.bytes($0)) ?? [], as: UTF8.self)
                                .contains("lost!The file.")
                    }
                }
                try waitUntil("the old journal to go", instead: { editor.report() }) { access(journal, F_OK) != 0 }
                return new
            }
            let apart = try waitForText(in: third, insteadOf: journal)
            #expect(try TextFiles.read(third.file) == "xThe file.\n")
            // After another crash, the text is offered together with its file again.
            third.process.send(SIGKILL)
            _ = try third.process.waitForExit(within: 5000)
            let fourth = try start(in: session, text: nil)
            try fourth.waitForOffer()
            session.probe.alt("w")
            _ = try waitForText(in: fourth, insteadOf: apart)
        }

        /// Offsets in a text decoded in one encoding do not apply to the same bytes decoded in another.
        @Test func changesTypedInAnotherEncodingAreShownInAWindowOfTheirOwn() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            try session.startWindowManager()
            // The bytes are valid UTF-8 too, so the editor reads them as UTF-8 without a question.
            let line = [0xc3, 0xa4, 0xc3, 0xa4, 0xc3, 0xa4] + Array(" line\n".utf8)
            let file = "\(session.home)/notes.txt"
            try TextFiles.write(line + line, to: file)
            let editor = try EditorProcess(in: session, text: nil, options: ["--encoding", "ISO-8859-1"])
            try editor.waitForText()
            session.probe.strike(.end)
            session.probe.type(" lost!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            let again = try start(in: session, text: nil)
            try again.waitForOffer()
            session.probe.alt("w")
            try waitUntil("the old journal to go", instead: { again.report() }) { access(journal, F_OK) != 0 }
            try waitUntil("the window with the text", instead: { again.report() }) {
                session.probe.drainEvents()
                return session.probe.info(session.probe.focusedWindow)?.title.hasPrefix("Untitled") ?? false
            }
            // The text is saved in the encoding of the file that it was typed into.
            session.probe.control("s")
            session.probe.control("a")
            session.probe.type("~/saved.txt")
            session.probe.strike(.enter)
            let typed = line.dropLast() + Array(" lost!\n".utf8) + line
            try waitUntil("the saved text", instead: { again.report() }) {
                (try? TextFiles.bytes("\(session.home)/saved.txt")) == Array(typed)
            }
            #expect(try TextFiles.bytes(file) == line + line)
        }

        /// File and text are unchanged; the only thing to recover is the encoding chosen for the next save.
        @Test func anEncodingThatWasChosenIsRecovered() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session, text: "ä\n")
            try session.probe.chooseInMenu("de")
            session.probe.type("windows-1252")
            session.probe.strike(.enter)
            session.probe.alt("v")
            let directory = "\(session.home)/.local/state/inkstone/recovery"
            try waitUntil("the journal to have it", instead: { editor.report() }) {
                TemporaryDirectory.names(in: directory).contains { name in
                    guard let bytes = try? TextFiles.bytes("\(directory)/\(name)") else { return false }
                    return String(decoding: bytes, as: UTF8.self).contains("windows-1252")
                }
            }
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            let again = try start(in: session, text: nil)
            try again.waitForOffer()
            session.probe.alt("r")
            try waitUntil("the bytes", every: 100, instead: { again.report() }) {
                session.probe.control("s")
                return (try? TextFiles.bytes(again.file)) == [0xe4, 0x0a]
            }
        }

        /// The user has since replaced the text at which the changes were made, so they no longer apply to the
        /// document.
        @Test func changesThatMeetWhatWasTypedSinceAreShownInAWindowOfTheirOwn() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session, text: "one two\n")
            session.probe.strike(.right)
            session.probe.type("lost!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            let again = try start(in: session, text: nil)
            try again.waitForOffer()
            session.probe.control("a")
            session.probe.type("another text")
            session.probe.alt("r")
            try waitUntil("the old journal to go", instead: { again.report() }) {
                access(journal, F_OK) != 0
                    && journals(in: session.home).contains {
                        String(decoding: (try? TextFiles.bytes($0)) ?? [], as: UTF8.self).contains("olost!ne two")
                    }
            }
            try again.takeFocus()
            try again.save(expecting: "another text")
        }

        /// Texts without a file are unrelated: each is recovered in a window of its own, which does not hide the
        /// offer of the next one.
        @Test func eachUnnamedTextComesBackInItsOwnWindow() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            try session.startWindowManager()
            func waitForUntitled(_ title: String, other former: UInt32?, _ editor: EditorProcess) throws -> WindowInfo {
                try waitFor("a window of its own", instead: { editor.report() }) {
                    session.probe.drainEvents()
                    guard let window = session.probe.info(session.probe.focusedWindow), window.title.hasPrefix(title),
                        window.id != former
                    else { return nil }
                    return window
                }
            }
            let editor = try start(in: session)
            var last: UInt32?
            for text in ["one!", "two?", "three;"] {
                session.probe.control("n")
                last = try waitForUntitled("Untitled", other: last, editor).id
                session.probe.type(text)
            }
            let old = try "!?;".map { try waitForJournal(in: session.home, endingIn: $0) }
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            let again = try start(in: session, text: nil)
            session.probe.control("n")
            let window = try waitForUntitled("Untitled", other: nil, again)
            let offer = try again.waitForOffer(in: window)
            session.probe.alt("r")
            let second = try again.waitForOffer(after: offer, in: window)
            session.probe.alt("r")
            try waitUntil("the asking window above the new one", instead: { again.report() }) {
                session.probe.drainEvents()
                let texts = session.probe.windows().filter { $0.title.hasPrefix("Untitled") && $0.isViewable }
                return texts.count == 2 && session.probe.info(session.probe.focusedWindow)?.id == window.id
            }
            try again.waitForOffer(after: second, in: window)
            session.probe.alt("r")
            _ = try waitForUntitled("Untitled", other: window.id, again)
            try waitUntil("all texts", instead: { again.report() }) {
                let new = journals(in: session.home).filter { !old.contains($0) }.map {
                    String(decoding: (try? TextFiles.bytes($0)) ?? [], as: UTF8.self)
                }
                return old.allSatisfy { access($0, F_OK) != 0 }
                    && ["one!", "two?", "three;"].allSatisfy { text in new.count { $0.contains(text) } == 1 }
            }
        }

        @Test func withoutRecoveryNothingIsWritten() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "The file.\n", options: ["--no-recovery"])
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            try editor.save(expecting: "xThe file.\n")
            #expect(journals(in: session.home).isEmpty)
        }

        @Test func fullDiskIsReportedAndTheJournalIsCompleteOnceThereIsRoom() throws {
            guard try NotRun.unless(SmallDisk.isPossible, "needs a namespace to mount a small disk in") else { return }
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let disk = try SmallDisk(at: "\(session.home)/state")
            session.environment["XDG_STATE_HOME"] = disk.path
            let editor = try EditorProcess(in: session, text: "The file.\n", under: disk.wrapper())
            let recovery = disk.path(inside: editor.process.pid, "inkstone/recovery")
            func journal() -> String? {
                TemporaryDirectory.names(in: recovery).first { $0.hasSuffix(".journal") }.map { "\(recovery)/\($0)" }
            }
            func journal(endsIn character: Character) -> Bool {
                journal().map { TypedJournal.ends(in: character, at: $0) } ?? false
            }
            func showsAProblem() -> Bool {
                session.probe.drainEvents()
                return session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            session.probe.type("Before.")
            try waitUntil("a journal") { journal(endsIn: ".") }
            try disk.fill(inside: editor.process.pid)
            // Type more than fits in the page that the journal already has on the disk.
            for _ in 0..<6 { session.probe.type("A full disk does not take all that is typed into it, ") }
            try waitUntil("a word about the full disk", within: 10_000, instead: { editor.report() }) {
                showsAProblem()
            }
            session.probe.type("but it goes on")
            try disk.makeRoom(inside: editor.process.pid)
            session.probe.type("!")
            try waitUntil("the journal to have caught up", within: 10_000, instead: { editor.report() }) {
                journal(endsIn: "!")
            }
            let bytes = try TextFiles.bytes(#require(journal()))
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            // The small disk was mounted only for the editor that died.
            session.environment["XDG_STATE_HOME"] = "\(session.home)/.local/state"
            let saved = "\(session.home)/.local/state/inkstone/recovery/notes.txt.1.journal"
            try TextFiles.write(bytes, to: saved, mode: 0o600)
            let text = String(repeating: "A full disk does not take all that is typed into it, ", count: 6)
            try expectRecovery(
                of: "Before.\(text)but it goes on!The file.\n", from: saved, in: session, home: session.home)
        }

        /// The disk is full when the window opens. The journal is created once there is space, with all text typed
        /// until then.
        @Test func aJournalThatCannotBeMadeAtFirstIsMadeLater() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let library = try #require(DiskFaults.library, "scripts/test builds it and says where it is")
            let faults = try DiskFaults(
                library, switchedBy: "\(session.home)/faults", under: ["\(session.home)/.local/state"])
            session.environment.merge(faults.environment) { $1 }
            faults.set(.full)
            let editor = try EditorProcess(in: session, text: "The file.\n")
            try waitUntil("a word about it", instead: { editor.report() }) {
                session.probe.drainEvents()
                return session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            session.probe.type("Not yet saved")
            try editor.waitForInsertion(of: "!")
            #expect(journals(in: session.home).isEmpty)
            faults.set([])
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            session.probe.type("?")
            #expect(try waitForJournal(in: session.home, endingIn: "?") == journal)
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            for name in faults.environment.keys { session.environment[name] = nil }
            try expectRecovery(of: "Not yet saved!?The file.\n", from: journal, in: session, home: session.home)
        }

        /// Another thread waits for the hanging disk: typing is not blocked, whether the user saves, saves under
        /// another name or opens another file.
        @Test func aDiskThatHangsHoldsUpNothingThatIsTyped() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let texts = "\(session.home)/texts"
            mkdir(texts, 0o755)
            let library = try #require(DiskFaults.library, "scripts/test builds it and says where it is")
            let faults = try DiskFaults(library, switchedBy: "\(session.home)/faults", under: [texts])
            session.environment.merge(faults.environment) { $1 }
            let editor = try EditorProcess(in: session, text: "The file.\n", directory: texts)
            try editor.waitForInsertion(of: "a")
            faults.set(.hanging)
            probe.control("s")
            try editor.waitForInsertion(of: "b")
            probe.control("s", shift: true)
            probe.strike(.end)
            probe.type("2\n")
            try editor.waitForInsertion(of: "c")
            probe.control("o")
            probe.strike(.escape)
            probe.type("d")
            _ = try waitForJournal(in: session.home, endingIn: "d")
            faults.set([])
            try waitUntil("both saves", within: 10_000, instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "aThe file.\n"
                    && (try? TextFiles.read(editor.file + "2")) == "abcdThe file.\n"
            }
        }

        @Test func aFileThatAnotherProgramWroteCanBeReloaded() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session)
            session.probe.type("mine!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            try TextFiles.write("another program's\n", to: editor.file)
            session.probe.control("s")
            session.probe.alt("r")
            // The user discards the changes; the journal continues.
            session.probe.type(";")
            #expect(try waitForJournal(in: session.home, endingIn: ";") == journal)
            try editor.save(expecting: ";another program's\n")
        }

        /// Once the user has noticed that a save asks a question, letters are neither text nor answers, and a second
        /// save opens no second question.
        @Test func keysDuringTheQuestionOfASaveAreNotText() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session)
            session.probe.type("mine!")
            _ = try waitForJournal(in: session.home, endingIn: "!")
            try TextFiles.write("another program's\n", to: editor.file)
            session.probe.control("s")
            try editor.waitForQuestion()
            session.probe.strike(.tab)
            session.probe.type(" reload, or cancel ")
            session.probe.control("s")
            session.probe.alt("o")
            try waitUntil("the save", instead: { editor.report() }) {
                (try? TextFiles.read(editor.file)) == "mine!The file.\n"
            }
            // No other question follows.
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        /// Keys, including a shortcut, that arrive before any of the file was read.
        @Test func textTypedDuringAReloadIsInTheReloadedText() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try start(in: session)
            session.probe.type("mine!")
            _ = try waitForJournal(in: session.home, endingIn: "!")
            try TextFiles.write("another program's\n", to: editor.file)
            editor.process.send(SIGSTOP)
            session.probe.control("s")
            session.probe.alt("r")
            session.probe.type("typed ")
            session.probe.strike(.end)
            session.probe.type("!")
            editor.process.send(SIGCONT)
            try waitUntil("the reload", instead: { editor.report() }) { editor.currentWindow.title.contains("•") }
            try editor.save(expecting: "typed another program's!\n")
        }

        @Test func aServerThatGoesWithNothingUnsavedLeavesNoJournal() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let errors = "\(session.home)/errors"
            let editor = try start(in: session, errors: errors)
            session.probe.type("!")
            _ = try waitForJournal(in: session.home, endingIn: "!")
            try editor.save(expecting: "!The file.\n")
            session.server.send(SIGKILL)
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(1))
            let output = try TextFiles.read(errors)
            #expect(output.split(separator: "\n").count == 1 && !output.contains("Unsaved"), "\(output)")
            #expect(journals(in: session.home).isEmpty)
        }

        @Test func theSecondOfTwoEditorsIsAskedBeforeItOverwrites() throws {
            let session = try DesktopSession(width: 1280, height: 960)
            defer { session.end() }
            let probe = session.probe
            let one = try start(in: session)
            probe.type("one!")
            let journal = try waitForJournal(in: session.home, endingIn: "!")
            let two = try start(in: session, text: nil, geometry: "400x300+800+80")
            // The first editor's journal is not offered to the second; its keys are text.
            probe.type("read?")
            _ = try waitForJournal(in: session.home, endingIn: "?")
            try two.save(expecting: "read?The file.\n")
            #expect(access(journal, F_OK) == 0)
            // The first editor asks; C cancels, and later keys are text again.
            try one.takeFocus()
            probe.control("s")
            probe.alt("c")
            probe.type(";")
            _ = try waitForJournal(in: session.home, endingIn: ";")
            #expect(try TextFiles.read(one.file) == "read?The file.\n")
            probe.control("s")
            probe.alt("o")
            try one.save(expecting: "one!;The file.\n")
        }
    }
}
