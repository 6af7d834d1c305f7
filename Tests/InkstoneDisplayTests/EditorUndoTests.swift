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

        private func undo() { session.probe.control("z") }
        private func redo() { session.probe.control("z", shift: true) }

        @Test func aTypedRunIsOneStepAndTheCaretComesBack() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one two\n")
            // Two runs, because the caret was moved between them.
            session.probe.strike(.end)
            session.probe.type("-three")
            session.probe.strike(.home)
            session.probe.type("zero-")
            try editor.save(expecting: "zero-one two-three\n")
            undo()
            try editor.save(expecting: "one two-three\n")
            undo()
            try editor.save(expecting: "one two\n")
            redo()
            try editor.save(expecting: "one two-three\n")
            // The caret is behind what came back, where typing goes on; that is a step of its own.
            session.probe.type("!")
            try editor.save(expecting: "one two-three!\n")
            undo()
            try editor.save(expecting: "one two-three\n")
            undo()
            try editor.save(expecting: "one two\n")
            session.probe.type("|")
            try editor.save(expecting: "one two|\n")

            // Deleted keys are a run too, and typing over a selection gives the selection back.
            for _ in 0..<4 { session.probe.strike(.backspace) }
            try editor.save(expecting: "one \n")
            undo()
            try editor.save(expecting: "one two|\n")
            session.probe.strike(.home)
            for _ in 0..<3 { session.probe.strike(.right, holding: [.leftShift]) }
            session.probe.type("XYZ")
            try editor.save(expecting: "XYZ two|\n")
            undo()
            try editor.save(expecting: "one two|\n")
            session.probe.type("Q")
            try editor.save(expecting: "Q two|\n")
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
            session.probe.type(" \n")
            try editor.save(expecting: "one日本文 two\n")
            // Another composition right behind it is a step of its own.
            session.probe.type("a\n")
            try editor.save(expecting: "one日本文あ two\n")
            undo()
            try editor.save(expecting: "one日本文 two\n")
            undo()
            try editor.save(expecting: "one two\n")
            redo()
            try editor.save(expecting: "one日本文 two\n")
            undo()
            try editor.save(expecting: "one two\n")
            // The caret is where the composition began; in the midst of one, undo takes that back alone.
            session.probe.type("ab")
            try editor.waitForMarkedText("あい")
            undo()
            try editor.waitForMarkedText(nil)
            try editor.save(expecting: "one two\n")
            session.probe.type("c\n")
            try editor.save(expecting: "oneう two\n")
        }
    }
}
