import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Files that another program changes, touches or makes unreadable while they are open.
    @Suite struct EditorReloadTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private var recovery: String { "\(session.home)/.local/state/inkstone/recovery" }

        /// The upper edges of the strips, from above: two while something is offered, one if not.
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
            // A save asks nothing: what is asked would not let it write.
            try editor.save(expecting: "atext\n")
            // The same in another file of the same name.
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
            // Before the caret, and in its line.
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
            // What was before the reloads can be had back.
            for text in ["zero\nxone\nTWO LINES\nthree\n", "zero\nxone\ntw|o\nthree\n", "zero\nxone\ntwo\nthree\n"] {
                probe.control("z")
                try editor.save(expecting: text)
            }
            probe.control("z")
            try editor.save(expecting: "xone\ntwo\nthree\n")
            probe.control("z")
            try editor.save(expecting: "one\ntwo\nthree\n")
        }

        /// The file is read in what it was read in, not in what could not be read.
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
            // Each thread counts its own calls: those that opened the file have made three at most, as it came in larger pieces. A save
            // waits for all of it.
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
            // Megabytes are compared for some seconds by a debug build.
            probe.control("a")
            probe.type("z")
            try editor.save(expecting: "z")
            try TextFiles.write("é\n", to: editor.file)
            comeBack(to: editor)
            try waitForOffer(editor)
            probe.alt("r")
            try waitForNoOffer(editor)
            probe.type("x")
            // Before or behind the other letter, as the file came before or after what was typed.
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
            // ISO-8859-5, which has that name, and x-mac-cyrillic.
            try filter("cyrillic")
            probe.strike(.down)
            probe.strike(.enter)
            try waitForBytes([0x8f, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
            // KOI8-R, KOI8-U.
            try filter("koi")
            let edge = try waitFor("the list of two", instead: { editor.report() }) {
                let edges = stripEdges(editor)
                return edges.count == 2 && edges[1] - edges[0] < 60 ? edges[0] : nil
            }
            probe.click(x: editor.currentWindow.x + 30, y: editor.currentWindow.y + edge + 32)
            try waitForBytes([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4])
            #expect(edges(editor) == 1)
        }

        @Test func aGuessAtTheEncodingIsSaidAndChangedInOneStep() throws {
            defer { session.end() }
            session.environment["LC_ALL"] = "ru_RU.UTF-8"
            // windows-1251.
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

        /// While a file is read, nobody knows yet whether the rest is text in its encoding.
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

        /// The disk fails in the middle of the file, and the editor is killed: what was typed, before and after, comes back.
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
            // Each thread counts its own calls: that of a small file makes three.
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
            // As the file was when the text was read.
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
