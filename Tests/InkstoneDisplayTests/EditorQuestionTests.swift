import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Questions that take the keys, and prompts that stay open until the answer is valid.
    @Suite struct EditorQuestionTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private func waitForProblem(_ editor: EditorProcess) throws {
            try waitUntil("a word about it", watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
        }

        private func saveAs(_ path: String) {
            probe.control("s", shift: true)
            probe.control("a")
            probe.type(path)
            probe.strike(.enter)
        }

        /// A second Return, from key repeat, changes neither file nor text; letters are meant for the text.
        @Test func aQuestionHasTheKeysAndReturnIsItsSafeAnswer() throws {
            defer { session.end() }
            let other = "\(session.home)/other.txt"
            try TextFiles.write("taken\n", to: other)
            let editor = try EditorProcess(in: session, text: "mine\n")
            try editor.waitForText()
            saveAs(other)
            try editor.waitForQuestion()
            probe.strike(.enter)
            probe.type("yx")
            try editor.save(expecting: "yxmine\n")
            #expect(try TextFiles.read(other) == "taken\n")
            // Tab moves from the last answer to the first.
            saveAs(other)
            probe.strike(.tab)
            probe.strike(.enter)
            try waitUntil("the other file", instead: { editor.report() }) {
                (try? TextFiles.read(other)) == "yxmine\n"
            }
            editor.end()
        }

        /// Nobody has seen the question when these keys are struck, so they belong to the text.
        @Test func keysStruckBeforeAQuestionAppearsAreTypedUnderIt() throws {
            defer { session.end() }
            let other = "\(session.home)/other.txt"
            try TextFiles.write("taken\n", to: other)
            let editor = try EditorProcess(in: session, text: "mine\n")
            try editor.waitForText()
            saveAs(other)
            probe.type("ab")
            try editor.waitForQuestion(answers: 3)
            try waitUntil("the letters, without an answer", instead: { editor.report() }) {
                editor.calls("insertText").suffix(2).compactMap { $0["text"]?.text } == ["a", "b"]
            }
            probe.strike(.escape)
            probe.type("c")
            try editor.save(expecting: "abcmine\n")
            #expect(try TextFiles.read(other) == "taken\n")
            editor.end()
        }

        /// Letters are neither text nor answers, and another save or Save As opens no second question.
        @Test func aQuestionAboutASaveKeepsTheKeysUntilItIsAnswered() throws {
            defer { session.end() }
            let other = "\(session.home)/other.txt"
            try TextFiles.write("taken\n", to: other)
            let editor = try EditorProcess(in: session, text: "mine\n")
            try editor.waitForText()
            saveAs(other)
            try editor.waitForQuestion(answers: 3)
            // Once a key has changed the chosen answer, the user has noticed the question.
            probe.strike(.tab)
            probe.type("o")
            probe.strike(.backspace)
            probe.control("s", shift: true)
            probe.control("s")
            probe.strike(.escape)
            probe.type("y")
            try editor.save(expecting: "ymine\n")
            #expect(try TextFiles.read(other) == "taken\n")
            saveAs(other)
            try editor.waitForQuestion(answers: 3)
            probe.strike(.tab)
            probe.type("o")
            probe.alt("o")
            try waitUntil("the other file", instead: { editor.report() }) {
                (try? TextFiles.read(other)) == "ymine\n"
            }
            editor.end()
        }

        /// The disk hangs while the list of recent files is read, longer than a prompt waits for it.
        @Test(.enabled(if: DiskFaults.library != nil))
        func keysBehindAnOpenMeetItsPromptThoughADiskHangs() throws {
            defer { session.end() }
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults",
                under: ["\(session.home)/.local/state/inkstone/recent"])
            session.environment.merge(faults.environment) { $1 }
            let other = "\(session.home)/other.txt"
            try TextFiles.write("other\n", to: other)
            let editor = try EditorProcess(in: session, text: "mine\n")
            try editor.waitForText()
            faults.set(.hanging)
            probe.control("o")
            probe.type(other)
            probe.strike(.enter)
            try waitUntil("the other file", within: 10_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().contains { $0.isViewable && $0.title.hasPrefix("other.txt") }
            }
            faults.set([])
            editor.end()
        }

        /// Keys wait behind the save for a slow input method, and for a disk that is slower still; then they go to
        /// the save's question.
        @Test func keysBehindASaveMeetItsQuestionHoweverSlowMethodAndDiskAre() throws {
            let server = session.makeSlowMethod()
            defer {
                server.end()
                session.end()
            }
            let folder = "\(session.home)/disk"
            mkdir(folder, 0o700)
            let faults = try DiskFaults(
                #require(DiskFaults.library), switchedBy: "\(session.home)/faults", under: [folder])
            session.environment.merge(faults.environment) { $1 }
            let other = "\(folder)/o"
            try TextFiles.write("taken\n", to: other)
            let editor = try session.startEditor(with: server, script: "on key * do block 100; answer", text: "mine\n")
            try editor.waitForText()
            faults.set(.slow, delay: 20_000)
            probe.control("s", shift: true)
            probe.control("a")
            probe.type(other)
            probe.strike(.enter)
            probe.alt("o")
            try waitUntil("the other file", within: 20_000, instead: { editor.report() }) {
                (try? TextFiles.read(other)) == "mine\n"
            }
            editor.end()
        }

        @Test func aPromptStaysOpenAtABadAnswer() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            try editor.waitForText()
            probe.control("l")
            probe.type("abc")
            probe.strike(.enter)
            try waitForProblem(editor)
            // The rejected name is selected, so typing replaces it.
            probe.type("2")
            probe.strike(.enter)
            probe.type("x")
            try editor.save(expecting: "one\nxtwo\n")
            probe.control("o")
            probe.type("no/such/file")
            probe.strike(.enter)
            try waitForProblem(editor)
            #expect(editor.currentWindow.title.hasPrefix("notes.txt"))
            probe.strike(.escape)
            probe.type("y")
            try editor.save(expecting: "one\nxytwo\n")
            editor.end()
        }

        /// Typing an absolute path replaces the folder in the prompt. Choosing a folder lists its files.
        @Test func aPathBeginsAnewAndAFolderIsEntered() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            mkdir("\(session.home)/folder", 0o700)
            probe.control("s", shift: true)
            probe.type("\(session.home)/folder")
            probe.strike(.enter)
            probe.type("copy.txt")
            probe.strike(.enter)
            try waitUntil("the copy", instead: { editor.report() }) {
                (try? TextFiles.read("\(session.home)/folder/copy.txt")) == "text\n"
            }
            editor.end()
        }

        /// The pointer opens a folder in the list; keys then choose a file there.
        @Test func aFileIsChosenFromTheListOfItsFolder() throws {
            defer { session.end() }
            mkdir("\(session.home)/choice", 0o700)
            for name in ["choice/inside.txt", "chosen.txt"] {
                try TextFiles.write("x\n", to: "\(session.home)/\(name)")
            }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            probe.control("o")
            probe.type("cho")
            let list = try editor.waitForOffer()
            // The folder is the first row.
            let edge = try #require(
                probe.screenshot(of: editor.currentWindow).flatMap { picture in
                    (0..<picture.height).first { row in
                        (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                    }
                })
            probe.click(x: editor.currentWindow.x + 30, y: editor.currentWindow.y + edge + 12)
            _ = try editor.waitForOffer(after: list)
            probe.strike(.down)
            probe.strike(.enter)
            try waitUntil("the other window", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().contains { $0.isViewable && $0.title.hasPrefix("inside.txt") }
            }
        }

        @Test func aPasteIntoOnePromptDoesNotArriveInTheNext() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            try editor.waitForText()
            // This selection owner answers only while it drains its events.
            let owner = try XProbe(display: session.server.display)
            defer { owner.close() }
            owner.ownClipboard("1")
            probe.control("l")
            probe.control("v")
            try editor.waitForQuestion()
            probe.strike(.escape)
            try editor.waitForEndOfQuestions()
            probe.control("l")
            try editor.waitForQuestion()
            probe.sync()
            for _ in 0..<20 {
                owner.drainEvents()
                owner.sync()
                probe.sync()
            }
            probe.type("2")
            probe.strike(.enter)
            probe.type("x")
            try editor.save(expecting: "one\nxtwo\n", serving: owner)
            editor.end()
        }
    }
}
