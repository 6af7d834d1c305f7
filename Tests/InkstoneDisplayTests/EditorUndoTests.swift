import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Undo by keys in the editor itself: what one step is, and where the caret is afterwards.
    ///
    /// The saved file tells the text, and a letter that is typed and taken back again tells where the caret is.
    @Suite struct EditorUndoTests {
        private let session: DesktopSession
        private let server: InputMethodServerDriver

        init() throws {
            session = try DesktopSession(width: 800, height: 600)
            server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
        }

        /// Takes back a step and waits until saving gives this text.
        private func undo(_ editor: EditorProcess, to text: String) throws {
            session.probe.control("z")
            try editor.save(expecting: text)
        }

        private func redo(_ editor: EditorProcess, to text: String) throws {
            session.probe.control("z", shift: true)
            try editor.save(expecting: text)
        }

        /// Types this, where a newline is Return, and waits until saving gives this text.
        private func type(_ keys: String, _ editor: EditorProcess, to text: String) throws {
            session.probe.type(keys)
            try editor.save(expecting: text)
        }

        @Test func aTypedRunIsOneStepAndTheCaretComesBack() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one two\n")
            // Two runs, because the caret was moved between them.
            session.probe.strike(.end)
            session.probe.type("-three")
            session.probe.strike(.home)
            try type("zero-", editor, to: "zero-one two-three\n")
            try undo(editor, to: "one two-three\n")
            try undo(editor, to: "one two\n")
            try redo(editor, to: "one two-three\n")
            // The caret is behind what came back, where typing goes on; that is a step of its own.
            try type("!", editor, to: "one two-three!\n")
            try undo(editor, to: "one two-three\n")
            try undo(editor, to: "one two\n")
            try type("|", editor, to: "one two|\n")

            // Deleted keys are a run too, and typing over a selection gives the selection back.
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
            // Typed, taken back in part, converted, converted back and converted again: one step.
            session.probe.type("abc")
            session.probe.strike(.backspace)
            session.probe.type("d ")
            try editor.waitForMarkedText("日本文")
            session.probe.strike(.backspace)
            try editor.waitForMarkedText("あいえ")
            try type(" \n", editor, to: "one日本文 two\n")
            // Another composition right behind it is a step of its own.
            try type("a\n", editor, to: "one日本文あ two\n")
            try undo(editor, to: "one日本文 two\n")
            try undo(editor, to: "one two\n")
            try redo(editor, to: "one日本文 two\n")
            try undo(editor, to: "one two\n")
            // The caret is where the composition began; in the midst of one, undo takes that back alone.
            session.probe.type("ab")
            try editor.waitForMarkedText("あい")
            session.probe.control("z")
            try editor.waitForMarkedText(nil)
            try editor.save(expecting: "one two\n")
            try type("c\n", editor, to: "oneう two\n")
        }
    }
}
