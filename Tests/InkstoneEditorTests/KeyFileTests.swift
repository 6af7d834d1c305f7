import Glibc
import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// Finding and reading a user's file of key bindings.
@Suite(.timeLimit(.minutes(5))) struct KeyFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(path) }
        try body(path)
    }

    private func write(_ text: String, to path: String) {
        guard let file = fopen(path, "w") else {
            Issue.record("cannot write \(path)")
            return
        }
        fputs(text, file)
        fclose(file)
    }

    @Test func goodLinesAreTakenAndBadOnesNamed() throws {
        try withDirectory { directory in
            let path = directory + "/keys"
            write("base = emacs\nF2 = saveDocument\nF3 = nonsense\n", to: path)
            let (table, problem) = KeyBindingTable.contents(of: FilePath(path))
            #expect(table.match([KeyStroke(0xffbf)]) == .commands([.saveDocument]))
            #expect(table.match([KeyStroke(0x78, .control)]) == .prefix)
            #expect(problem?.description.hasPrefix("\(path):3: there is no command nonsense") == true)
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesThatAreNoTextAreNamedAndTheOthersTaken(_ newline: String) throws {
        try withDirectory { directory in
            let path = directory + "/keys"
            let lines: [[UInt8]] = [
                Array("F2 = saveDocument".utf8), Array("# caf".utf8) + [0xe9], Array("F3 = nonsense".utf8),
                Array("F4 = undo".utf8) + [0xff], Array("F5 = redo".utf8),
            ]
            try TextFiles.write(Array(lines.joined(separator: Array(newline.utf8))), to: path)
            let (table, problem) = KeyBindingTable.contents(of: FilePath(path))
            #expect(table.match([KeyStroke(0xffbf)]) == .commands([.saveDocument]))
            #expect(table.match([KeyStroke(0xffc2)]) == .commands([.redo]))
            #expect(problem?.lines.map(\.number) == [2, 3, 4])
            #expect(problem?.lines.last?.message == "its bytes are no UTF-8")
        }
    }

    @Test func linesEndAsTheirProgramWroteThem() throws {
        for newline in ["\n", "\r\n", "\r"] {
            let text = [
                "\u{feff}base = emacs", "# \u{301}comment", "#\u{301}", "F2 = saveDocument #\u{301}", "F3 = undo", "",
            ]
            .joined(separator: newline)
            let table = try KeyBindingTable(parsing: text)
            #expect(table.match([KeyStroke(0xffbf)]) == .commands([.saveDocument]))
            #expect(table.match([KeyStroke(0xffc0)]) == .commands([.undo]))
            #expect(table.match([KeyStroke(0x78, .control)]) == .prefix)
        }
        #expect(EditorSettings(text: "\u{feff}size = 125\r\nwrap = no\r\nfont =\u{301}x\r\n").size == 125)
        #expect(!EditorSettings(text: "size = 125\r\nwrap = no\r\n").wraps)
    }

    @Test func theStatusLineNamesTheFirstMistakeAndTheLinesOfTheOthers() {
        func notice(_ lines: String...) -> String? {
            do {
                _ = try KeyBindingTable(parsing: lines.joined(separator: "\n"))
                return nil
            } catch { return error.notice }
        }
        let bad = "F2 = complete"
        let first = "Key bindings, line 2: the command complete is not supported: nothing here completes words."
        #expect(notice("F2 = undo") == nil)
        #expect(notice("", bad) == first)
        #expect(notice("", bad, "", bad) == first + " Line 4 is wrong as well.")
        #expect(notice("", bad, bad, "F2 = undo", bad) == first + " Lines 3, 5 are wrong as well.")
        #expect(notice("", bad, bad, bad, bad, bad, bad, bad)?.contains(". 6 more lines are wrong") == true)
        #expect(notice("F2 = undoo")?.hasSuffix("did you mean undo?") == true)
        let unread = KeyBindingFileError(file: "keys", reason: "No such file")
        #expect(unread.notice == unread.description)
    }

    @Test func anUnreadableKeyFileIsReportedAndTheDesktopsTableUsed() throws {
        try withDirectory { directory in
            for (path, reason) in [(directory + "/keys", "No such file"), (directory, "ordinary file")] {
                let (table, problem) = KeyBindingTable.contents(of: FilePath(path))
                #expect(table == .desktop)
                #expect(problem?.description.contains(reason) == true, "\(problem as Any)")
            }
            // A named pipe without a writer: reading must not block on it.
            let path = directory + "/keys"
            try #require(mkfifo(path, 0o600) == 0)
            #expect(KeyBindingTable.contents(of: FilePath(path)).problem != nil)
            unlink(path)
            write(String(repeating: "#", count: 1 << 20 + 1), to: path)
            #expect(KeyBindingTable.contents(of: FilePath(path)).problem?.reason?.contains("large") == true)
        }
    }

    @Test func everyDesktopCommandOfTheProgramHasItsKey() {
        #expect(KeyBindingTable.desktop.strokes(for: .saveDocument) == [KeyStroke(0x73, .control)])
        #expect(KeyBindingTable.desktop.strokes(for: .terminate) == [KeyStroke(0x71, .control)])
        #expect(KeyBindingTable.emacs.match([KeyStroke(0x73, .control)]) == .commands([.findOrNext]))
    }
}
