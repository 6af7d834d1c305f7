import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// Views without an input method, and edits by the program during a composition.
    @Suite struct InputMethodFieldTests {
        /// A text field that declares its content secret.
        private final class SecretField: ReferenceTextView {}

        @Test("XIM 59 a read-only view has no input method")
        func aReadOnlyViewTakesNone() throws {
            let scene = try InputMethodScene(options: ["--mode", "kana-like", "--on-reset", "late"])
            defer { scene.end() }
            try scene.type("ab", expecting: "<⟨あい|⟩>")
            scene.view.isEditable = false
            try scene.pump("the loss of the focus") { !scene.driver.requests("unset_ic_focus").isEmpty }
            try scene.expect("<あい|>")
            let presses = scene.presses
            scene.type("cd")
            try scene.waitUntilQuiet()
            #expect(scene.presses == presses)
            #expect(CaretNotation(scene.view) == "<あい|>")
            scene.view.isEditable = true
            try scene.type("e", expecting: "<あい⟨お|⟩>")
        }

        @Test("XIM 59 a secure field has no input method, and leaves no trace")
        func secureFieldGetsNoInputMethod() throws {
            let scene = try InputMethodScene(options: ["--mode", "kana-like"])
            defer { scene.end() }
            try scene.type("a", expecting: "<⟨あ|⟩>")
            let field = SecretField("")
            field.isSecureTextEntry = true
            let context = TextInputContext(client: field)
            scene.window.session.activate(context)
            try scene.pump("the loss of the focus") { !scene.driver.requests("unset_ic_focus").isEmpty }
            try scene.expect("<あ|>")
            let presses = scene.presses
            let count = scene.records.count
            scene.type("secret7")
            try scene.pump("the secret") { field.string == "secret7" }
            try scene.waitUntilQuiet()
            #expect(scene.presses == presses)
            #expect(scene.records.dropFirst(count).allSatisfy { if case .focus = $0.event { true } else { false } })
            scene.window.session.activate(scene.view.inputContext)
            try scene.type("b", expecting: "<あ⟨い|⟩>")
            // A view may become secret during a composition.
            let reported = scene.spotsSent
            let traced = scene.records.count
            scene.view.options.isSecureTextEntry = true
            try scene.expect("<あい|>")
            try scene.type("secret8", expecting: "<あいsecret8|>")
            try scene.waitUntilQuiet()
            #expect(scene.presses.count == presses.count + 1)
            #expect(scene.spotsSent.last == reported.last)
            #expect(!scene.records.dropFirst(traced).contains { "\($0)".contains("secret") })
            #expect(!scene.driver.entries.contains { $0.line.contains("secret") })
        }

        @Test("XIM 58 a server that asks for the text around gets no answer that it could use")
        func stringConversionIsNotOffered() throws {
            let bench = try InputMethodBench(script: "on key a do packet 71 0 0 0 0 1 1\non error do pass")
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.driver.waitForRequest("error")
            #expect(bench.driver.requests("str_conversion_reply").isEmpty)
            bench.type("b")
            try bench.wait("the next preedit") { bench.field.preedit.text == "い" }
        }

        // MARK: Edits by the program (composition goes on, or ends with its text kept)

        private func composing(_ how: String = "late") throws -> InputMethodScene {
            let scene = try InputMethodScene(
                "one <|> two", options: ["--mode", "kana-like", "--on-reset", how])
            try scene.type("ab", expecting: "one <⟨あい|⟩> two")
            return scene
        }

        @Test func editsApartFromTheCompositionAreMadeAtOnce() throws {
            let scene = try composing()
            defer { scene.end() }
            let editor = scene.view
            editor.session.replaceText(in: 0..<3, with: "eleven")
            #expect(CaretNotation(editor) == "eleven <⟨あい|⟩> two")
            try scene.type("c", expecting: "eleven <⟨あいう|⟩> two")
            editor.session.replaceText(in: 13..<16, with: "twelve")
            #expect(CaretNotation(editor) == "eleven <⟨あいう|⟩> twelve")
            try scene.type("\n", expecting: "eleven <あいう|> twelve")
            try scene.pump("the spot behind it") { scene.spotsSent.last == scene.spot }
            #expect(scene.driver.requests("reset_ic").isEmpty)
        }

        @Test func editsOfTheCompositionWaitForItsEndInOrder() throws {
            let scene = try composing()
            defer { scene.end() }
            let editor = scene.view
            editor.session.replaceText(in: 4..<8, with: "(both)")
            editor.session.replaceText(in: 0..<3, with: "1")
            editor.session.replaceText(in: 0..<1, with: "first")
            #expect(CaretNotation(editor) == "one <⟨あい|⟩> two")
            try scene.type("c", expecting: "one <⟨あいう|⟩> two")
            scene.type("\n")
            try scene.pump("the edits") { editor.text == "first (both) two" }
            try scene.waitUntilQuiet()
            #expect(editor.text == "first (both) two")
        }

        @Test func aWholeReplacementWaitsAndCommitsNothingHalfTyped() throws {
            let scene = try composing()
            defer { scene.end() }
            scene.view.text = "new"
            #expect(CaretNotation(scene.view) == "one <⟨あい|⟩> two")
            scene.type("c\n")
            try scene.pump("the replacement") { scene.view.text == "new" }
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "new")
            #expect(scene.driver.requests("reset_ic").isEmpty)
        }

        @Test(arguments: ["text", "late", "empty", "clear"])
        func aForcedEditKeepsTheMarkedTextFirst(how: String) throws {
            let scene = try composing(how)
            defer { scene.end() }
            scene.view.session.replaceText(in: 4..<5, with: "(", forcing: true)
            #expect(scene.view.text == "one (あい> two")
            #expect(scene.view.markedText == nil)
            try scene.pump("the reset") { !scene.driver.requests("reset_ic").isEmpty }
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "one (あい> two")
            try scene.type("c", expecting: "one (あい⟨う|⟩> two")
        }

        @Test(arguments: ["text", "late", "empty", "clear"])
        func undoAndPasteEndTheComposition(how: String) throws {
            let scene = try composing(how)
            defer { scene.end() }
            let editor = scene.view
            scene.probe.control("z")
            try scene.expect("one <|> two")
            try scene.waitUntilQuiet()
            #expect(CaretNotation(editor) == "one <|> two")
            editor.perform(.redo)
            #expect(editor.text == "one <あい> two")
            editor.select(Selection(anchor: 0, head: 3))
            editor.perform(.copy)
            editor.select(Selection(caret: 7))
            try scene.type("c", expecting: "one <あい⟨う|⟩> two")
            scene.probe.control("v")
            try scene.expect("one <あいうone|> two")
            try scene.waitUntilQuiet()
            #expect(CaretNotation(editor) == "one <あいうone|> two")
        }
    }
}
