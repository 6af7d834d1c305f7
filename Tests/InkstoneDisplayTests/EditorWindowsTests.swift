import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Several documents in one editor, opened and closed by keys under a window manager.
    @Suite struct EditorWindowsTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws {
            session = try DesktopSession(width: 1000, height: 800)
            try session.startWindowManager()
        }

        /// Waits until a window with this title has the focus.
        private func waitForKeys(in title: String, _ editor: EditorProcess) throws {
            try waitUntil("\(title) to have the focus", instead: { editor.report() }) {
                probe.info(probe.focusedWindow)?.title.hasPrefix(title) ?? false
            }
        }

        private func waitForFile(_ path: String, toHold text: String, _ editor: EditorProcess) throws {
            try waitUntil("\(path) to hold \(text.debugDescription)", instead: { editor.report() }) {
                (try? TextFiles.read(path)) == text
            }
        }

        /// With two windows on one file, text typed into one would be missing in the other.
        @Test func aFileOfSeveralNamesIsOpenedOnce() throws {
            defer { session.end() }
            let names = ["first.txt", "a.txt", "link.txt"].map { "\(session.home)/\($0)" }
            for name in names.prefix(2) { try TextFiles.write("text\n", to: name) }
            try #require(symlink(names[1], names[2]) == 0)
            let editor = try EditorProcess(in: session, text: "last\n", named: "last.txt", options: names)
            func titles() -> [String] {
                probe.drainEvents()
                return probe.windows().filter(\.isViewable).map(\.title)
            }
            try waitUntil("the last file's window", instead: { editor.report() }) {
                titles().contains { $0.hasPrefix("last.txt") }
            }
            #expect(titles().contains { $0.hasPrefix("a.txt") })
            #expect(!titles().contains { $0.hasPrefix("link.txt") })
            editor.end()
        }

        /// A file that is still being read counts as open too.
        @Test func aFileThatIsBeingReadIsOpenedOnce() throws {
            defer { session.end() }
            let library = try #require(DiskFaults.library, "scripts/test builds it and says where it is")
            let large = "\(session.home)/large"
            mkdir(large, 0o700)
            let faults = try DiskFaults(library, switchedBy: "\(session.home)/faults", under: [large])
            session.environment.merge(faults.environment) { $1 }
            let path = "\(large)/large.txt"
            try TextFiles.write(String(repeating: "a line of the file\n", count: 1_000_000), to: path)
            let editor = try EditorProcess(in: session, text: "first\n", named: "first.txt")
            try waitForKeys(in: "first.txt", editor)
            faults.set(.slow, delay: 100_000)
            func open() {
                probe.control("o")
                probe.control("a")
                probe.type(path)
                probe.strike(.enter)
            }
            open()
            try waitForKeys(in: "large.txt", editor)
            open()
            probe.control("o")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try waitForKeys(in: "first.txt", editor)
            faults.set([])
            probe.drainEvents()
            #expect(probe.windows().filter { $0.title.hasPrefix("large.txt") }.count == 1)
        }

        @Test func eachTextHasAWindowAndIsAskedAbout() throws {
            defer { session.end() }
            try TextFiles.write("other\n", to: "\(session.home)/other one.txt")
            try TextFiles.write("third\n", to: "\(session.home)/third.txt")
            let editor = try EditorProcess(in: session, text: "first\n", named: "first.txt")
            try waitForKeys(in: "first.txt", editor)
            probe.type("1")
            // A file opens in a new window. Tab completes its name, and `~` stands for the home folder.
            probe.control("o")
            probe.control("a")
            probe.type("~/oth")
            probe.strike(.tab)
            probe.strike(.enter)
            try waitForKeys(in: "other one.txt", editor)
            probe.type("2")
            probe.control("s")
            try waitForFile("\(session.home)/other one.txt", toHold: "2other\n", editor)
            // Opening a file again only focuses its window.
            probe.control("o")
            probe.control("a")
            probe.type(editor.file)
            probe.strike(.enter)
            try waitForKeys(in: "first.txt •", editor)
            // Quitting asks about each changed document; here the answer is to discard.
            probe.control("n")
            try waitForKeys(in: "Untitled", editor)
            probe.type("3")
            try waitForKeys(in: "Untitled •", editor)
            probe.control("q")
            try waitForKeys(in: "first.txt •", editor)
            probe.alt("s")
            try waitForFile(editor.file, toHold: "1first\n", editor)
            try waitForKeys(in: "Untitled •", editor)
            // No window closes before all questions are answered.
            try waitUntil("the window of the file that was saved", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().contains { $0.isViewable && $0.title.hasPrefix("first.txt (") }
            }
            probe.alt("c")
            // An empty window shows the opened file itself, after text that was typed before the file arrived.
            probe.control("n")
            try waitForKeys(in: "Untitled 2 –", editor)
            // A file that cannot be read leaves the window unchanged.
            probe.control("o")
            probe.control("a")
            probe.type("/dev/null")
            probe.strike(.enter)
            probe.type("5")
            try waitForKeys(in: "Untitled 2 •", editor)
            probe.control("z")
            try waitForKeys(in: "Untitled 2 –", editor)
            probe.control("o")
            probe.control("a")
            probe.type("~/third.txt")
            probe.strike(.enter)
            probe.type("4")
            try waitForKeys(in: "third.txt •", editor)
            probe.control("s")
            try waitForFile("\(session.home)/third.txt", toHold: "4third\n", editor)
            probe.control("w")
            try waitForKeys(in: "Untitled •", editor)
            // Close the windows one by one; the last one ends the program.
            probe.control("w")
            probe.alt("d")
            var last: UInt32?
            for _ in 0..<2 {
                let next: WindowInfo = try waitFor("another window to have the focus", instead: { editor.report() }) {
                    guard let window = probe.info(probe.focusedWindow), window.id != last else { return nil }
                    return ["other one.txt", "first.txt"].contains { window.title.hasPrefix($0) } ? window : nil
                }
                probe.control("w")
                last = next.id
            }
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            let recent = try TextFiles.read("\(session.home)/.local/state/inkstone/recent")
            #expect(recent.contains("/other one.txt\n") && recent.contains(editor.file))
        }

        @Test func upGoesThroughTheRecentFilesWhereOneOpensAnother() throws {
            defer { session.end() }
            let paths = ["latest", "older"].map { "\(session.home)/\($0).txt" }
            for path in paths { try TextFiles.write("text\n", to: path) }
            let state = "\(session.home)/.local/state/inkstone"
            for depth in [".local", ".local/state", ".local/state/inkstone"] {
                mkdir("\(session.home)/\(depth)", 0o700)
            }
            try TextFiles.write(paths.map { $0 + "\n" }.joined(), to: "\(state)/recent")
            let editor = try EditorProcess(in: session, text: nil, named: "new.txt")
            try waitForKeys(in: "new.txt", editor)
            probe.type("1")
            try waitForKeys(in: "new.txt •", editor)
            // Up stops at the oldest file; Down leads back, at last to the typed text.
            probe.control("o")
            for key in [TestKey.up, .up, .up, .down] { probe.strike(key) }
            probe.strike(.enter)
            try waitForKeys(in: "latest.txt", editor)
            probe.control("o")
            probe.control("a")
            probe.type("~/older.txt")
            probe.strike(.up)
            probe.strike(.down)
            probe.strike(.enter)
            try waitForKeys(in: "older.txt", editor)
        }

        @Test func theKeysAreListedAndTheTextGrows() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n", named: "text.txt")
            try waitForKeys(in: "text.txt", editor)
            let caret = try editor.waitForCaret()
            probe.strike(.f1)
            try waitForKeys(in: "Keyboard Shortcuts", editor)
            // The list of keys is read-only.
            probe.type("x")
            probe.control("w")
            try waitForKeys(in: "text.txt", editor)
            probe.strike(TestKey(21), holding: [.leftControl])
            probe.strike(TestKey(21), holding: [.leftControl])
            func waitForText(_ what: String, _ isThere: (Int) -> Bool) throws {
                try waitUntil(what, watching: [probe.descriptor], instead: { editor.report() }) {
                    probe.drainEvents()
                    return editor.caret().map { isThere($0.height) } ?? false
                }
            }
            try waitForText("larger text") { $0 > caret.height }
            probe.control("0")
            try waitForText("text as large as before") { $0 == caret.height }
            // A setting changed in one window applies to all.
            probe.control("n")
            try waitForKeys(in: "Untitled", editor)
            probe.strike(TestKey(21), holding: [.leftControl])
            probe.strike(TestKey(21), holding: [.leftControl])
            probe.control("w")
            try waitForKeys(in: "text.txt", editor)
            try waitForText("text as large as in the other window") { $0 > caret.height }
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }
    }
}
