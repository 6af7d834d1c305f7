import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Undo by keys in the editor: the extent of one step, and the caret after it.
    ///
    /// The saved file shows the text. A letter that is typed, saved and undone shows the caret.
    @Suite struct EditorUndoTests {
        private let session: DesktopSession
        private let server: InputMethodServerDriver

        init() throws {
            session = try DesktopSession(width: 800, height: 600)
            server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
        }

        /// Undoes a step, and waits until a save writes this text.
        private func undo(_ editor: EditorProcess, to text: String) throws {
            session.probe.control("z")
            try editor.save(expecting: text)
        }

        private func redo(_ editor: EditorProcess, to text: String) throws {
            session.probe.control("z", shift: true)
            try editor.save(expecting: text)
        }

        /// Types these keys (a newline is Return), and waits until a save writes this text.
        private func type(_ keys: String, _ editor: EditorProcess, to text: String) throws {
            session.probe.type(keys)
            try editor.save(expecting: text)
        }

        @Test func aTypedRunIsOneStepAndTheCaretComesBack() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one two\n")
            // Moving the caret ends the first run, so there are two undo steps.
            session.probe.strike(.end)
            session.probe.type("-three")
            session.probe.strike(.home)
            try type("zero-", editor, to: "zero-one two-three\n")
            try undo(editor, to: "one two-three\n")
            try undo(editor, to: "one two\n")
            try redo(editor, to: "one two-three\n")
            // Undo puts the caret after the restored text; text typed there is a step of its own.
            try type("!", editor, to: "one two-three!\n")
            try undo(editor, to: "one two-three\n")
            try undo(editor, to: "one two\n")
            try type("|", editor, to: "one two|\n")

            // Deletions form a run too. Undo of typing over a selection restores the selection.
            for _ in 0..<4 { session.probe.strike(.backspace) }
            try editor.save(expecting: "one \n")
            try undo(editor, to: "one two|\n")
            session.probe.strike(.home)
            for _ in 0..<3 { session.probe.strike(.right, holding: [.leftShift]) }
            try type("XYZ", editor, to: "XYZ two|\n")
            try undo(editor, to: "one two|\n")
            try type("Q", editor, to: "Q two|\n")
        }

        @Test func aCompositionIsOneStepAndTheCaretComesBack() throws {
            defer {
                server.end()
                session.end()
            }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            let editor = try EditorProcess(in: session, text: "one two\n", options: ["--goto", "1:4"])
            try editor.waitForInputMethod("inkstone")
            // A composition is one step: typed, deleted in part, converted, converted back and converted again.
            session.probe.type("abc")
            session.probe.strike(.backspace)
            session.probe.type("d ")
            try editor.waitForMarkedText("日本文")
            session.probe.strike(.backspace)
            try editor.waitForMarkedText("あいえ")
            try type(" \n", editor, to: "one日本文 two\n")
            // A composition right after another one is a step of its own.
            try type("a\n", editor, to: "one日本文あ two\n")
            try undo(editor, to: "one日本文 two\n")
            try undo(editor, to: "one two\n")
            try redo(editor, to: "one日本文 two\n")
            try undo(editor, to: "one two\n")
            // The caret returns to the start of the composition. During a composition, undo removes only that.
            session.probe.type("ab")
            try editor.waitForMarkedText("あい")
            session.probe.control("z")
            try editor.waitForMarkedText(nil)
            try editor.save(expecting: "one two\n")
            try type("c\n", editor, to: "oneう two\n")
        }
    }
}
