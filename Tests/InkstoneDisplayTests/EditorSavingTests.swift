import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Saving in use: under another name, while the user types, on a full disk, and with text that is not valid.
    @Suite struct EditorSavingTests {
        private func showsAProblem(by editor: EditorProcess, in session: DesktopSession) -> Bool {
            session.probe.drainEvents()
            return session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
        }

        /// Replaces the text of the prompt by a file name, and accepts it.
        private func answer(_ name: String, in session: DesktopSession) {
            session.probe.control("a")
            session.probe.type(name)
            session.probe.strike(.enter)
        }

        private func wait(for path: String, toHold text: String, _ editor: EditorProcess) throws {
            try waitUntil("\(path) to hold \(text.debugDescription)", instead: { editor.report() }) {
                (try? TextFiles.read(path)) == text
            }
        }

        /// Another thread sorts many lines; a save requested after that contains the sorted lines.
        @Test func aSaveBehindALargeSortHasTheSortedLines() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let (count, tail) = (400, String(repeating: "x", count: 98) + "\n")
            let editor = try EditorProcess(
                in: session, text: String(repeating: "b\(tail)a\(tail)", count: count))
            try editor.waitForText()
            session.probe.control("a")
            session.probe.strike(.f9)
            try editor.save(
                expecting: String(repeating: "a\(tail)", count: count) + String(repeating: "b\(tail)", count: count))
            editor.end()
        }

        @Test func aFileThatIsOnlyReadIsNotWritten() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", options: ["--read-only"])
            var (before, after) = (stat(), stat())
            #expect(stat(editor.file, &before) == 0)
            session.probe.control("s")
            try waitUntil("a word about it", instead: { editor.report() }) { showsAProblem(by: editor, in: session) }
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(stat(editor.file, &after) == 0)
            #expect(after.st_ino == before.st_ino && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
        }

        @Test func aTextIsSavedUnderAnotherNameAndThatIsItsFileThen() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "kept\n")
            probe.type("x")
            probe.control("s", shift: true)
            // After the prompt was cancelled, keys are text again.
            probe.type("nonsense")
            probe.strike(.escape)
            probe.type("y")
            probe.control("s", shift: true)
            let other = "\(session.home)/other.txt"
            answer(other, in: session)
            try wait(for: other, toHold: "xykept\n", editor)
            #expect(try TextFiles.read(editor.file) == "kept\n")
            try waitUntil("the title") { editor.currentWindow.title.hasPrefix("other.txt") }
            probe.type("z")
            probe.control("s")
            try wait(for: other, toHold: "xyzkept\n", editor)
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "kept\n")
        }

        @Test func theStripIsAsHighAsItsMessage() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "text\n")
            func top() -> Int? {
                probe.drainEvents()
                guard let picture = probe.screenshot(of: editor.currentWindow) else { return nil }
                return (0..<picture.height).first { row in
                    (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                }
            }
            func wait(_ what: String, until isRight: (Int) -> Bool) throws -> Int {
                try waitFor(what, instead: { editor.report() }) { top().flatMap { isRight($0) ? $0 : nil } }
            }
            // At first the strip is the status line, one line high.
            let first = try waitFor("the strip", instead: { editor.report() }) { top() }
            for _ in 0..<2 {
                // A problem and its remedy take two lines; the next key removes them.
                probe.control("s", shift: true)
                answer("/dev/null", in: session)
                try waitUntil("the word about it") { showsAProblem(by: editor, in: session) }
                _ = try wait("two lines") { $0 < first }
                probe.strike(.right)
                _ = try wait("one line") { $0 == first }
            }
        }

        @Test func aNameThatIsTakenIsAskedAbout() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let other = "\(session.home)/other.txt"
            try TextFiles.write("taken\n", to: other)
            let editor = try EditorProcess(in: session, text: "mine\n")
            session.probe.control("s", shift: true)
            answer(other, in: session)
            session.probe.alt("c")
            session.probe.type("x")
            try editor.save(expecting: "xmine\n")
            #expect(try TextFiles.read(other) == "taken\n")
            session.probe.control("s", shift: true)
            answer(other, in: session)
            session.probe.alt("o")
            try wait(for: other, toHold: "xmine\n", editor)
        }

        /// Consent to overwrite another file is not consent to lose bytes of this one.
        @Test func overwritingAnotherFileAsksAboutLossAsWell() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let (path, other) = ("\(session.home)/notes.txt", "\(session.home)/other.txt")
            // UTF-16 whose last code unit is incomplete.
            try TextFiles.write([0x61, 0, 0x62], to: path)
            try TextFiles.write("taken\n", to: other)
            let editor = try EditorProcess(in: session, text: nil, options: ["--encoding", "UTF-16LE"])
            try editor.waitForText()
            // An unchanged line would keep its bytes, so change it.
            session.probe.type("x")
            try editor.waitForCall("insertText", after: 0)
            func overwrite() throws {
                session.probe.control("s", shift: true)
                answer(other, in: session)
                try editor.waitForQuestion(answers: 3)
                session.probe.alt("o")
                // Whether the encoding loses characters is tested in the background.
                try editor.waitForQuestion(answers: 2)
            }
            // Agree to overwrite the file, but not to the loss.
            try overwrite()
            session.probe.alt("c")
            #expect(try TextFiles.read(other) == "taken\n")
            try overwrite()
            session.probe.alt("s")
            try waitUntil("the other file", instead: { editor.report() }) {
                (try? TextFiles.bytes(other))?.starts(with: [0x78, 0, 0x61, 0]) == true
            }
        }

        @Test func onlyTheUserMakesATextOfAProgram() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let bytes = [UInt8]([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 0xff, 0x0a])
            let path = "\(session.home)/program"
            try TextFiles.write(bytes, to: path)
            let first = try EditorProcess(in: session, text: nil, named: "program")
            session.probe.alt("q")
            #expect(try first.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: nil, named: "program")
            // The text is not inserted before the question is answered, and letters are no answers.
            session.probe.type("xo")
            session.probe.alt("o")
            try second.waitForText()
            try second.waitForInsertion(of: "y")
            session.probe.control("s")
            try waitUntil("the file", instead: { second.report() }) {
                (try? TextFiles.bytes(path)) == [UInt8(ascii: "y")] + bytes
            }
        }

        @Test func typingGoesOnDuringASaveAndQuittingWaitsForIt() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            // Make the first fsync of the file take two seconds.
            let slow = [
                "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "-e",
                "inject=fsync:delay_enter=2000000:when=1",
            ]
            let editor = try EditorProcess(in: session, text: "text\n", under: slow)
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            session.probe.control("s")
            try waitUntil("the save to begin", instead: { editor.report() }) {
                TemporaryDirectory.names(in: session.home).contains { $0.hasSuffix(".inkstone") }
            }
            try editor.waitForInsertion(of: "b")
            #expect(try TextFiles.read(editor.file) == "text\n", "typed during the save, not after it")
            session.probe.control("s")
            session.probe.control("s")
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "abtext\n")
            #expect(!TemporaryDirectory.names(in: session.home).contains { $0.hasSuffix(".inkstone") })
        }

        /// Starts a session with a folder on a simulated disk that can be slow and fail.
        private func slowDisk() throws -> (session: DesktopSession, faults: DiskFaults, folder: String) {
            let library = try #require(DiskFaults.library, "scripts/test builds it and says where it is")
            let session = try DesktopSession(width: 800, height: 600)
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(library, switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            return (session, faults, folder)
        }

        /// When the first disk is slow, the user saves to another; this save succeeds although the first one fails.
        @Test func aSaveElsewhereIsDoneAlthoughTheOneBeforeItFails() throws {
            let (session, faults, folder) = try slowDisk()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", directory: folder)
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            faults.set([.slow, .failingSyncs], delay: 700_000)
            session.probe.control("s")
            try waitUntil("the save to begin", instead: { editor.report() }) {
                TemporaryDirectory.names(in: folder).contains { $0.hasSuffix(".inkstone") }
            }
            session.probe.control("s", shift: true)
            answer("\(session.home)/copy.txt", in: session)
            try wait(for: "\(session.home)/copy.txt", toHold: "atext\n", editor)
            #expect(try TextFiles.read(editor.file) == "text\n")
            editor.end()
        }

        /// The text is unchanged, but the user has asked for a copy under another name.
        @Test func aCloseAsksAboutASaveThatWaitsForTheFile() throws {
            let (session, faults, folder) = try slowDisk()
            defer { session.end() }
            let text = String(repeating: "a line of the file\n", count: 1_000_000)
            faults.set(.slow, delay: 100_000)
            let editor = try EditorProcess(in: session, text: text, directory: folder)
            session.probe.control("s", shift: true)
            answer("\(session.home)/copy.txt", in: session)
            session.probe.control("w")
            session.probe.alt("s")
            faults.set([])
            #expect(try editor.process.waitForExit(within: 20_000) == .exited(0))
            #expect(try TextFiles.read("\(session.home)/copy.txt") == text)
        }

        /// A close that waits for a slow disk must not ask while the user is typing.
        @Test func typingDuringTheSaveOfACloseKeepsTheWindowOpen() throws {
            let (session, faults, folder) = try slowDisk()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", directory: folder)
            try editor.waitForInsertion(of: "a")
            faults.set(.hanging)
            session.probe.control("s")
            session.probe.control("w")
            try editor.waitForInsertion(of: "b")
            faults.set([])
            try wait(for: editor.file, toHold: "atext\n", editor)
            try editor.waitForInsertion(of: "c")
            try editor.save(expecting: "abctext\n")
            editor.end()
        }

        /// While the disk does not answer, the editor cannot know whether a file of that name exists.
        @Test(.enabled(if: DiskFaults.library != nil)) func pagesAreNotPutOverAFileThatIsNotSeenYet() throws {
            let (session, faults, folder) = try slowDisk()
            defer { session.end() }
            let other = "\(folder)/other.pdf"
            try TextFiles.write("other\n", to: other)
            let editor = try EditorProcess(in: session, text: "text\n", directory: folder)
            try editor.waitForText()
            session.probe.control("p")
            session.probe.alt("f")
            faults.set(.hanging)
            answer(other, in: session)
            // Type a key that reaches the text once the wait has ended.
            session.probe.type("x")
            try waitUntil("the text to change", instead: { editor.report() }) {
                editor.currentWindow.title.contains("•")
            }
            faults.set([])
            // The user has typed on, so the question comes as an offer.
            try editor.waitForOffer()
            #expect(try TextFiles.read(other) == "other\n")
            session.probe.alt("o")
            try waitUntil("the pages", within: 20_000, instead: { editor.report() }) {
                (try? TextFiles.bytes(other))?.starts(with: Array("%PDF".utf8)) ?? false
            }
            editor.end()
        }

        @Test func aFullDiskLeavesTheOldFileAndTheTextGoesElsewhere() throws {
            guard try NotRun.unless(SmallDisk.isPossible, "needs a namespace to mount a small disk in") else { return }
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let disk = try SmallDisk(at: "\(session.home)/disk")
            let editor = try EditorProcess(
                in: session, text: nil, directory: disk.path, under: disk.wrapper(holding: ["notes.txt": "old"]))
            try editor.waitForText()
            let pid = editor.process.pid
            try disk.fill(inside: pid)
            try editor.waitForInsertion(of: "x")
            session.probe.control("s")
            try waitUntil("a word about it", instead: { editor.report() }) {
                showsAProblem(by: editor, in: session)
            }
            #expect(try TextFiles.read(disk.path(inside: pid, "notes.txt")) == "old")
            #expect(Set(TemporaryDirectory.names(in: disk.path(inside: pid, ""))) == ["notes.txt", "ballast"])
            session.probe.control("s", shift: true)
            let other = "\(session.home)/elsewhere.txt"
            answer(other, in: session)
            try wait(for: other, toHold: "xold", editor)
        }

        /// The permission to write in place holds as long as the path names the same file.
        @Test func aFileOfSeveralNamesIsWrittenInPlaceAfterAskingOnce() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let (path, other) = ("\(session.home)/notes.txt", "\(session.home)/other.txt")
            try TextFiles.write("text\n", to: path)
            try #require(link(path, other) == 0)
            let editor = try EditorProcess(in: session, text: nil)
            try editor.waitForInsertion(of: "a")
            probe.control("s")
            try editor.waitForQuestion()
            #expect(try TextFiles.read(path) == "text\n")
            probe.alt("i")
            try wait(for: other, toHold: "atext\n", editor)
            probe.type("b")
            probe.type("c")
            probe.control("s")
            try wait(for: other, toHold: "abctext\n", editor)
            // A new file at the same path needs a new permission, and a close waits for it.
            unlink(path)
            try TextFiles.write("abctext\n", to: path)
            let third = "\(session.home)/third.txt"
            try #require(link(path, third) == 0)
            probe.type("d")
            probe.control("s")
            try editor.waitForQuestion()
            probe.alt("n")
            try wait(for: path, toHold: "abcdtext\n", editor)
            #expect(try TextFiles.read(third) == "abctext\n")
            #expect(try TextFiles.read(other) == "abctext\n")
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func theOldTextIsPutBackAfterASaveThatWasCutOff() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let path = "\(session.home)/notes.txt"
            let directory = "\(session.home)/.local/state/inkstone/recovery"
            let editor = try EditorProcess(in: session, text: "old\n")
            try editor.waitForInsertion(of: "x")
            try waitUntil("a journal", instead: { editor.report() }) {
                TemporaryDirectory.names(in: directory).contains { name in
                    TypedJournal.ends(in: "x", at: "\(directory)/\(name)")
                }
            }
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            // The state that a save leaves behind if it is killed after half of the file was written.
            try TextFiles.write("xo-half-", to: path)
            try TextFiles.write("old\n", to: "\(directory)/save-0-0-0-0-0.backup")
            try #require(symlink(path, "\(directory)/save-0-0-0-0-0.target") == 0)
            let again = try EditorProcess(in: session, text: nil)
            try again.waitForOffer()
            session.probe.alt("p")
            try wait(for: path, toHold: "old\n", again)
            try waitUntil("the backup to go", instead: { again.report() }) {
                !TemporaryDirectory.names(in: directory).contains { $0.hasPrefix("save-") && !$0.hasSuffix(".ignored") }
            }
            // The journal applies to the restored file.
            try again.waitForOffer()
            session.probe.alt("r")
            try again.waitForInsertion(of: "y")
            session.probe.control("s")
            try waitUntil("both edits to be saved", instead: { again.report() }) {
                let text = (try? TextFiles.read(path)) ?? ""
                return text == "xyold\n" || text == "yxold\n"
            }
        }

        @Test func textTypedBeforeASlowFileArrivesIsInFrontOfItsText() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let path = "\(session.home)/notes.txt"
            let slow = [
                "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-P", path, "-e", "trace=openat", "-e",
                "inject=openat:delay_enter=2000000:when=1",
            ]
            let editor = try EditorProcess(in: session, text: "text\n", under: slow)
            // The window is shown before the text was read; a save requested now waits for it.
            session.probe.type("ahead ")
            try editor.waitForCall("insertText", after: 0)
            session.probe.control("s")
            session.probe.type("of ")
            #expect(try TextFiles.read(path) == "text\n")
            try waitUntil("the file to be saved", instead: { editor.report() }) {
                (try? TextFiles.read(path)) == "ahead of text\n"
            }
            try editor.save(expecting: "ahead of text\n")
        }

        /// Tab lists a folder on a disk that does not answer; another name can still be entered.
        @Test func aNameIsTakenAlthoughTheFolderOfACompletionHangs() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let hung = "\(session.home)/hung"
            mkdir(hung, 0o755)
            let slow = [
                "strace", "-D", "-f", "-o", "/dev/null", "-P", hung, "-e", "trace=getdents64", "-e",
                "inject=getdents64:delay_enter=60000000",
            ]
            let editor = try EditorProcess(in: session, text: "text\n", under: slow)
            session.probe.control("s", shift: true)
            session.probe.control("a")
            session.probe.type("\(hung)/a")
            session.probe.strike(.tab)
            let other = "\(session.home)/other.txt"
            answer(other, in: session)
            try wait(for: other, toHold: "text\n", editor)
            editor.end()
        }
    }
}
