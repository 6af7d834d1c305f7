import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Open files that another program changes, touches or makes unreadable.
    @Suite struct EditorReloadTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private var recovery: String { "\(session.home)/.local/state/inkstone/recovery" }

        /// The number of strips in the window: two while an offer is shown, otherwise one.
        private func edges(_ editor: EditorProcess) -> Int { stripEdges(editor).count }

        private func stripEdges(_ editor: EditorProcess) -> [Int] {
            probe.drainEvents()
            guard let picture = probe.screenshot(of: editor.currentWindow) else { return [] }
            return (0..<picture.height).filter { row in
                (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
            }
        }

        private func comeBack(to editor: EditorProcess) {
            probe.focusNothing()
            probe.focus(editor.window.id)
        }

        private func waitForOffer(_ editor: EditorProcess) throws {
            try waitUntil("an offer", within: 20_000, watching: [probe.descriptor], instead: { editor.report() }) {
                edges(editor) == 2
            }
        }

        private func waitForNoOffer(_ editor: EditorProcess) throws {
            try waitUntil("no offer", watching: [probe.descriptor], instead: { editor.report() }) {
                edges(editor) == 1
            }
        }

        private func setTime(of path: String, _ seconds: Int) {
            let time = timespec(tv_sec: seconds, tv_nsec: 0)
            var times = [time, time]
            utimensat(AT_FDCWD, path, &times, 0)
        }

        @Test func aFileThatWasOnlyTouchedOrCopiedOverItselfIsTheSame() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            setTime(of: editor.file, 1_000_000_000)
            comeBack(to: editor)
            // The save asks no question; an open question would keep it from writing.
            try editor.save(expecting: "atext\n")
            // Replace the file by another one with the same content.
            try TextFiles.write("atext\n", to: "\(session.home)/copy")
            rename("\(session.home)/copy", editor.file)
            comeBack(to: editor)
            probe.type("b")
            try editor.save(expecting: "abtext\n")
            setTime(of: editor.file, 1_000_000_000)
            probe.type("c")
            try editor.save(expecting: "abctext\n")
            #expect(edges(editor) == 1)
        }

        @Test func aReloadKeepsLineColumnAndUndo() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\nthree\n")
            try editor.waitForText()
            try editor.waitForInsertion(of: "x")
            try editor.save(expecting: "xone\ntwo\nthree\n")
            probe.strike(.down)
            probe.strike(.right)
            // Text is inserted before the caret's line, and in that line.
            try TextFiles.write("zero\nxone\ntwo\nthree\n", to: editor.file)
            comeBack(to: editor)
            try waitForOffer(editor)
            probe.alt("r")
            try waitForNoOffer(editor)
            probe.type("|")
            try editor.save(expecting: "zero\nxone\ntw|o\nthree\n")
            try TextFiles.write("zero\nxone\nTWO LINES\nthree\n", to: editor.file)
            comeBack(to: editor)
            try waitForOffer(editor)
            probe.alt("r")
            try waitForNoOffer(editor)
            probe.type("-")
            try editor.save(expecting: "zero\nxone\nTWO- LINES\nthree\n")
            // Undo restores the texts of before the reloads.
            for text in ["zero\nxone\nTWO LINES\nthree\n", "zero\nxone\ntw|o\nthree\n", "zero\nxone\ntwo\nthree\n"] {
                probe.control("z")
                try editor.save(expecting: text)
            }
            probe.control("z")
            try editor.save(expecting: "xone\ntwo\nthree\n")
            probe.control("z")
            try editor.save(expecting: "one\ntwo\nthree\n")
        }

        /// After a failed reload in another encoding, the file keeps the encoding in which it was read.
        @Test func anEncodingThatCouldNotBeReadIsNotChosen() throws {
            defer { session.end() }
            let lines = String(repeating: "a line of a file\n", count: 220_000)
            let editor = try EditorProcess(
                in: session, text: lines,
                under: [
                    "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-P", "\(session.home)/notes.txt", "-e",
                    "trace=read", "-e", "inject=read:error=EIO:when=4+",
                ])
            try editor.waitForText()
            // Faults count calls per thread: opening the file took at most three calls, because it came in larger
            // pieces. A save waits until all of it was read.
            try editor.waitForInsertion(of: "y")
            try editor.save(expecting: "y" + lines)
            try probe.chooseInMenu("de")
            probe.type("UTF-16LE")
            probe.strike(.enter)
            probe.strike(.enter)
            try waitUntil("a word about it", within: 20_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            // A debug build compares megabytes for some seconds.
            probe.control("a")
            probe.type("z")
            try editor.save(expecting: "z")
            try TextFiles.write("é\n", to: editor.file)
            comeBack(to: editor)
            try waitForOffer(editor)
            probe.alt("r")
            try waitForNoOffer(editor)
            probe.type("x")
            // The order of the two letters depends on whether the file arrived before or after the typed letter.
            try waitUntil("the text as it was read", within: 20_000, every: 200, instead: { editor.report() }) {
                probe.control("s")
                return ["xé\n", "éx\n"].contains((try? TextFiles.read(editor.file)) ?? "")
            }
        }

        @Test func anEncodingIsChosenFromAListByKeysAndPointer() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "Привет\n")
            try editor.waitForText()
            func filter(_ text: String) throws {
                try probe.chooseInMenu("de")
                probe.type(text)
                try waitForOffer(editor)
            }
            func waitForBytes(_ bytes: [UInt8]) throws {
                probe.alt("v")
                probe.control("s")
                try waitUntil("the encoding", instead: { editor.report() }) {
                    (try? TextFiles.bytes(editor.file)) == bytes + [0x0a]
                }
            }
            // Two encodings have this label: ISO-8859-5 and x-mac-cyrillic.
            try filter("cyrillic")
            probe.strike(.down)
            probe.strike(.enter)
            try waitForBytes([0x8f, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
            // Two encodings match: KOI8-R and KOI8-U.
            try filter("koi")
            let edge = try waitFor("the list of two", instead: { editor.report() }) {
                let edges = stripEdges(editor)
                return edges.count == 2 && edges[1] - edges[0] < 60 ? edges[0] : nil
            }
            probe.click(x: editor.currentWindow.x + 30, y: editor.currentWindow.y + edge + 32)
            try waitForBytes([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4])
            #expect(edges(editor) == 1)
        }

        @Test func aGuessedEncodingIsReportedAndChangedInOneStep() throws {
            defer { session.end() }
            session.environment["LC_ALL"] = "ru_RU.UTF-8"
            // “Привет” in windows-1251.
            let bytes: [UInt8] = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]
            try TextFiles.write(bytes, to: "\(session.home)/notes.txt")
            let editor = try EditorProcess(in: session, text: nil)
            try editor.waitForText()
            try waitForOffer(editor)
            probe.type("x")
            probe.control("s")
            try waitUntil("the same bytes", instead: { editor.report() }) {
                (try? TextFiles.bytes(editor.file)) == [0x78] + bytes
            }
            probe.alt("e")
            probe.type("KOI8-R")
            probe.strike(.enter)
            probe.strike(.enter)
            try waitForNoOffer(editor)
            try probe.chooseInMenu("de")
            probe.type("UTF-8")
            probe.strike(.enter)
            probe.alt("v")
            try editor.save(expecting: "xоПХБЕР\n")
        }

        /// While the file is being read, the rest may not be valid in its encoding, so nothing is converted yet.
        @Test func anEncodingThatIsChosenWhileTheFileIsReadConvertsNothing() throws {
            defer { session.end() }
            let lines = String(repeating: "a line of a café\n", count: 40_000)
            let editor = try EditorProcess(
                in: session, text: lines,
                under: [
                    "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-P", "\(session.home)/notes.txt", "-e",
                    "trace=read", "-e", "inject=read:delay_enter=2000000:when=1",
                ])
            try editor.waitForText()
            try editor.waitForInsertion(of: "x")
            try probe.chooseInMenu("de")
            probe.type("ISO-8859-1")
            probe.strike(.enter)
            try editor.save(expecting: "x" + lines)
        }

        /// The disk fails in the middle of the file, and the editor is killed: text typed before and after the
        /// failure is recovered.
        @Test func aReloadThatFailsHalfWayLeavesTextAndJournal() throws {
            defer { session.end() }
            let lines = String(repeating: "a line of a file\n", count: 40_000)
            let editor = try EditorProcess(
                in: session, text: lines,
                under: [
                    "strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-P", "\(session.home)/notes.txt", "-e",
                    "trace=read", "-e", "inject=read:error=EIO:when=4+",
                ])
            try editor.waitForText()
            try editor.waitForInsertion(of: "a")
            var status = stat()
            stat(editor.file, &status)
            // Faults count calls per thread: a small file takes three.
            try TextFiles.write("changed\n" + String(repeating: lines, count: 25), to: editor.file)
            comeBack(to: editor)
            try waitForOffer(editor)
            probe.alt("r")
            try waitUntil("a word about it", within: 20_000, instead: { editor.report() }) {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            try editor.waitForInsertion(of: "b")
            let directory = recovery
            try waitUntil("the journal to have it", instead: { editor.report() }) {
                TemporaryDirectory.names(in: directory).contains {
                    editor.isJournal("\(directory)/\($0)")
                        && (try? TextFiles.bytes("\(directory)/\($0)"))?.contains(UInt8(ascii: "b")) == true
                }
            }
            editor.process.send(SIGKILL)
            _ = try editor.process.waitForExit(within: 5000)
            // Restore the file's content and times as they were when the text was read.
            try TextFiles.write(lines, to: editor.file)
            var times = [status.st_atim, status.st_mtim]
            utimensat(AT_FDCWD, editor.file, &times, 0)
            let again = try EditorProcess(in: session, text: nil)
            try again.waitForText()
            try waitForOffer(again)
            probe.alt("r")
            try again.save(expecting: "ab" + lines)
        }
    }
}
