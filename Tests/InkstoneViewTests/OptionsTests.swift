import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import InkstoneView
import Testing

/// The effects of a text view's options on editing.
@Suite(.timeLimit(.minutes(5))) struct OptionsTests {
    private func scene(_ notation: CaretNotation, _ change: (inout TextInputOptions) -> Void) -> ViewScene {
        let scene = ViewScene(notation)
        change(&scene.view.options)
        return scene
    }

    private func compose(_ scene: ViewScene, _ text: String) {
        scene.view.setMarkedText(text, selectedRange: UTF16Range(location: text.utf16.count, length: 0))
    }

    /// After a change of wrapping, the remembered column of vertical moves is meaningless.
    @Test func theColumnThatOneComesFromIsForgottenWhenLinesWrapOtherwise() {
        let scene = ViewScene("abcdefgh|\na\nabcdefgh\nabc")
        scene.view.perform(.moveDown)
        #expect(scene.state == "abcdefgh\na|\nabcdefgh\nabc")
        scene.view.wrapsLines = false
        scene.view.perform(.moveDown)
        #expect(scene.state == "abcdefgh\na\na|bcdefgh\nabc")
    }

    /// Layout, display and input system apply options that are set together with an edit, as they do options set
    /// alone.
    @Test func optionsThatComeWithAnEditAreFollowed() throws {
        let scene = ViewScene("ab|")
        let view = scene.view
        var changes: [ViewUpdate.Changes] = []
        let observation = view.observe { changes.append($0.changes) }
        let position = view.position(from: view.beginningOfDocument, offset: 2)
        let before = position.map { view.caretRect(for: $0) }
        var transaction = try #require(view.state.inserting("c"))
        var options = view.options
        options.isSecureTextEntry = true
        options.baseWritingDirection = .rightToLeft
        transaction.effects = [StateEffect.options(options), StateEffect.overwriting(true)]
        view.store.apply(transaction)
        #expect(view.layout.masksCharacters && view.layout.paragraphStyle.baseDirection == .rightToLeft)
        #expect(position.map { view.caretRect(for: $0) } != before && !scene.damage.isEmpty)
        #expect(view.store.isConfidential && !view.acceptsInputMethod)
        #expect(changes.first?.contains(.text) == true && changes.contains(.geometry) && changes.contains(.mode))
        withExtendedLifetime(observation) {}
    }

    @Test func aReadOnlyViewRefusesEveryEditAndKeepsItsSelectionWorking() {
        let scene = scene("a[bc|]d") { $0.isEditable = false }
        for command in EditCommand.all where !command.rawValue.contains("ove") && !command.rawValue.contains("elect") {
            scene.view.perform(command)
            #expect(scene.view.text == "abcd", "\(command)")
        }
        compose(scene, "x")
        scene.view.replace(scene.view.range(0, 1), withText: "x")
        scene.view.insertText("x", replacementRange: .notFound)
        scene.view.session.paste("x", for: scene.view.session.deferPaste())
        #expect(scene.view.text == "abcd" && scene.view.markedText == nil)
        #expect(!scene.view.acceptsInputMethod)
        #expect(!scene.view.canPerformAction(.paste, withSender: nil))
        #expect(scene.perform(.selectAll, .copy).description == "[abcd|]")
        #expect(scene.copied == "abcd")
        // The program may still edit.
        scene.view.session.replaceText(in: 0..<1, with: "x")
        #expect(scene.view.text == "xbcd")
    }

    @Test func aViewThatBecomesReadOnlyKeepsWhatIsComposed() {
        let scene = scene("a|") { _ in }
        compose(scene, "にほ")
        scene.view.isEditable = false
        #expect(scene.view.text == "aにほ")
        #expect(scene.view.markedText == nil)
    }

    @Test func aTextThatIsHiddenOnceIsConfidentialForGood() {
        let scene = scene("a|") { $0.isSingleLine = true }
        #expect(!scene.view.store.isConfidential)
        scene.view.options.isSecureTextEntry = true
        #expect(scene.view.store.isConfidential)
        // Showing a password does not make the text less confidential.
        scene.view.options.isSecureTextEntry = false
        #expect(scene.view.store.isConfidential)
        scene.view.store.isConfidential = false
        var all = TextInputOptions()
        (all.isSecureTextEntry, all.isEditable) = (true, false)
        scene.view.options = all
        #expect(scene.view.store.isConfidential)
    }

    @Test func aSingleLineTakesNoNewlines() {
        let scene = scene("a|") { $0.isSingleLine = true }
        #expect(!scene.view.perform(.insertNewline))
        #expect(!scene.view.perform(.insertLineBreak))
        scene.view.insertText("\n")
        #expect(scene.state.description == "a|")
        scene.view.session.paste("b\r\nc\n")
        #expect(scene.state.description == "ab c|")
        compose(scene, "d\ne")
        scene.view.unmarkText()
        #expect(scene.state.description == "ab cd e|")
    }

    @Test func aSingleLineDoesNotWrap() {
        let scene = scene("|") { $0.isSingleLine = true }
        scene.view.text = String(repeating: "word ", count: 100)
        let end = scene.view.caretRect(for: scene.view.endOfDocument)
        #expect(end.minY == scene.view.caretRect(for: scene.view.beginningOfDocument).minY)
    }

    @Test func theMaximumLengthCountsCharactersAndLeavesCompositionsAlone() {
        let scene = scene("ab|") { $0.maximumLength = 4 }
        scene.view.insertText("👨‍👩‍👧")
        scene.view.session.paste("xyz")
        #expect(scene.state.description == "ab👨‍👩‍👧x|")
        scene.view.insertText("y")
        #expect(scene.state.description == "ab👨‍👩‍👧x|")
        // A combining accent adds no character.
        scene.view.insertText("\u{301}")
        #expect(scene.view.text.utf16.count == 12)
        scene.view.deleteBackward()
        compose(scene, "にほんご")
        #expect(scene.state.description == "ab👨‍👩‍👧⟨にほんご|⟩")
        scene.view.insertText("日本語", replacementRange: .notFound)
        #expect(scene.state.description == "ab👨‍👩‍👧日|")
        // Replacing a selection makes room.
        scene.view.select(Selection(anchor: 0, head: 2))
        scene.view.insertText("cde")
        #expect(scene.view.text == "cd👨‍👩‍👧日")
        // A text that the program has set may exceed the limit, and can be shortened.
        scene.view.text = "123456"
        scene.view.perform(.deleteForward)
        #expect(scene.view.text == "23456")
    }

    @Test func aFilterIsAskedOfFinishedTextAlone() {
        let scene = scene("1|") { $0.inputFilter = { $0.filter(\.isNumber) } }
        scene.view.insertText("x")
        scene.view.insertText("2")
        #expect(scene.state.description == "12|")
        compose(scene, "x3y")
        #expect(scene.state.description == "12⟨x3y|⟩")
        scene.view.unmarkText()
        #expect(scene.state.description == "123|")
        compose(scene, "abc")
        scene.view.insertText("def", replacementRange: .notFound)
        #expect(scene.state.description == "123|")
        // If the filter rejects everything, the selection stays.
        scene.view.select(Selection(anchor: 0, head: 3))
        scene.view.insertText("x")
        #expect(scene.state.description == "[123|]")
    }

    @Test func aFilteredCommitIsOneStepOfUndo() {
        let scene = scene("1[2|]") { $0.inputFilter = { $0.filter(\.isNumber) } }
        compose(scene, "a")
        compose(scene, "a34")
        scene.view.unmarkText()
        #expect(scene.state.description == "134|")
        #expect(scene.perform(.undo).description == "1[2|]")
    }

    private final class Judge: EditingSessionDelegate {
        var asked: [String] = []
        var refuses: (String) -> Bool = { _ in false }
        func session(
            _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
        ) -> Bool {
            asked.append("\(range.lowerBound.value)..<\(range.upperBound.value) \(text)")
            return !refuses(text)
        }
    }

    @Test func theDelegateIsAskedOnceForEachEditByTheUserAndNeverInAComposition() {
        let scene = ViewScene("a[b|]c")
        let judge = Judge()
        scene.view.session.delegate = judge
        scene.view.insertText("x")
        scene.view.deleteBackward()
        compose(scene, "に")
        compose(scene, "にほ")
        #expect(judge.asked == ["1..<2 x", "1..<2 "])
        scene.view.insertText("日", replacementRange: .notFound)
        scene.view.session.paste("p")
        scene.view.session.replaceText(in: 0..<1, with: "program")
        scene.view.session.undo()
        #expect(judge.asked.dropFirst(2) == ["1..<3 日", "2..<2 p"])
    }

    @Test func textThatTheDelegateKeepsIsNotInTheClipboard() {
        let scene = ViewScene("a[b|]c")
        let judge = Judge()
        judge.refuses = { $0.isEmpty }
        scene.view.session.delegate = judge
        scene.view.perform(.cut)
        #expect(scene.state.description == "a[b|]c")
        #expect(scene.copied == nil)
        judge.refuses = { _ in false }
        scene.view.perform(.cut)
        #expect(scene.state.description == "a|c")
        #expect(scene.copied == "b")
    }

    @Test func theDelegateTheFilterAndTheMaximumLengthJudgeRewritingToo() {
        let scene = ViewScene("one two|")
        let judge = Judge()
        judge.refuses = { _ in true }
        scene.view.session.delegate = judge
        for command in [EditCommand.transpose, .transposeWords] { scene.view.perform(command) }
        scene.view.perform(.selectAll)
        for command in [EditCommand.uppercaseWord, .capitalizeWord] { scene.view.perform(command) }
        #expect(scene.view.text == "one two")
        #expect(judge.asked.contains { $0.hasSuffix("ONE TWO") })
        scene.view.session.delegate = nil
        scene.view.options.inputFilter = { $0.filter { $0 != "O" } }
        scene.view.perform(.selectAll)
        scene.view.perform(.uppercaseWord)
        #expect(scene.view.text == "NE TW")
        scene.view.options.inputFilter = nil
        scene.view.text = "straße"
        scene.view.options.maximumLength = 6
        scene.view.perform(.selectAll)
        scene.view.perform(.uppercaseWord)
        #expect(scene.view.text.count == 6)
        scene.view.options.maximumLength = nil
        scene.view.text = "straße"
        scene.view.perform(.selectAll)
        scene.view.perform(.uppercaseWord)
        #expect(scene.view.text == "STRASSE")
    }

    @Test func editsThatTheDelegateRefusesAreNotMade() {
        let scene = ViewScene("a[b|]c")
        let judge = Judge()
        judge.refuses = { $0 != "ok" }
        scene.view.session.delegate = judge
        scene.view.insertText("x")
        scene.view.session.paste("y")
        scene.view.perform(.deleteBackward)
        scene.view.perform(.cut)
        scene.view.replace(scene.view.range(0, 1), withText: "z")
        #expect(scene.state.description == "a[b|]c")
        compose(scene, "bad")
        scene.view.unmarkText()
        #expect(scene.state.description == "a|c")
        compose(scene, "so")
        scene.view.insertText("ok", replacementRange: .notFound)
        #expect(scene.state.description == "aok|c")
    }

    @Test func theDelegateIsAskedAboutAttributes() {
        let scene = ViewScene("a[bc|]d")
        let judge = Judge()
        scene.view.session.delegate = judge
        scene.view.session.setAttribute("x", of: Note.self)
        #expect(judge.asked == ["1..<3 bc"] && scene.view.store.styledText.attributes(at: 1)[Note.self] == "x")
        judge.refuses = { _ in true }
        scene.view.session.setAttribute(nil, of: Note.self)
        #expect(scene.view.store.styledText.attributes(at: 1)[Note.self] == "x")
        scene.view.isEditable = false
        scene.view.session.undo()
        #expect(scene.view.store.canUndo)
    }

    private enum Note: AttributeKey {
        typealias Value = String
        static let name = "note of options"
    }

    @Test func theTabKeyTypesATabOrBlanksOrIsPassedOn() {
        #expect(scene("a|") { $0.tabBehavior = .insertsTab }.perform(.insertTab).description == "a\t|")
        let blanks = scene("x\n\tabc|") { $0.tabBehavior = .insertsSpaces(4) }
        #expect(blanks.perform(.insertTab).description == "x\n\tabc |")
        #expect(blanks.perform(.insertTab).description == "x\n\tabc     |")
        let moving = scene("a|") { $0.tabBehavior = .movesFocus }
        #expect(!moving.view.perform(.insertTab))
        #expect(moving.perform(.insertTabIgnoringFieldEditor).description == "a\t|")
    }

    @Test func theDefaultDirectionIsThatOfParagraphsWithoutTheirOwn() {
        let scene = scene("abc|") { $0.baseWritingDirection = .rightToLeft }
        #expect(scene.view.caretRect(for: scene.view.beginningOfDocument).minX > 200)
        scene.view.options.baseWritingDirection = .natural
        #expect(scene.view.caretRect(for: scene.view.beginningOfDocument).minX < 20)
        scene.view.text = "שלום"
        #expect(scene.view.caretRect(for: scene.view.beginningOfDocument).minX > 200)
        scene.view.options.baseWritingDirection = .leftToRight
        #expect(scene.view.caretRect(for: scene.view.endOfDocument).minX < 200)
    }

    private func painted(_ scene: ViewScene, _ color: Color) -> Bool {
        !scene.paint().glyphs(color).isEmpty
    }

    @Test func thePlaceholderShowsWhileThereIsNoText() {
        let scene = scene("|") { $0.placeholder = "Name" }
        #expect(painted(scene, scene.view.theme.placeholder))
        compose(scene, "に")
        #expect(!painted(scene, scene.view.theme.placeholder))
        compose(scene, "")
        #expect(painted(scene, scene.view.theme.placeholder))
        scene.view.insertText("x")
        #expect(!painted(scene, scene.view.theme.placeholder))
        #expect(scene.view.text == "x")
    }

    @Test func aSecureViewDoesNotRevealItsText() {
        let scene = scene("se[cr|]et") { $0.isSecureTextEntry = true }
        let view = scene.view
        #expect(view.session.selectedText == nil)
        #expect(!view.perform(.copy) && !view.perform(.cut) && scene.copied == nil)
        #expect(view.text(in: view.range(0, 3)) == nil)
        #expect(view.attributedSubstring(forProposedRange: UTF16Range(location: 0, length: 3)) == nil)
        #expect(view.attributedString().string.isEmpty)
        #expect(!view.acceptsInputMethod)
        #expect(TextInputCapabilities(of: view).missing[.inputMethod]?.contains("secure") == true)
        // Word boundaries of a secure text are not revealed either.
        view.select(Selection(caret: 0))
        view.text = "two words"
        #expect(scene.perform(.moveWordRight).description == "two words|")
        #expect(scene.perform(.selectWord).description == "[two words|]")
        view.insertText("x")
        view.deleteBackward()
        #expect(view.text == "")
    }

    @Test func aSecureViewShowsTheSameForAllTextsOfALength() {
        let scene = scene("|") { $0.isSecureTextEntry = true }
        func paintedGlyphs(_ text: String) -> [CanvasGlyph] {
            scene.view.text = text
            return scene.paint().glyphs(scene.view.theme.text).filter { $0.glyph != 0 }
        }
        let shown = paintedGlyphs("iiii")
        #expect(shown.count == 4)
        #expect(paintedGlyphs("WWWW") == shown)
        #expect(paintedGlyphs("שלום") == shown)
        #expect(paintedGlyphs("a\tb ") == shown)
        // Each character, whatever its scalars, has one bullet.
        scene.view.text = "e\u{301}👨‍👩‍👧x"
        scene.view.select(Selection(caret: 0))
        #expect(scene.perform(.moveRight, .moveRight).head == 10)
        let carets = [0, 2, 10, 11].map { scene.view.caretRect(for: scene.view.range($0, $0).start).minX }
        #expect(Set(zip(carets, carets.dropFirst()).map { $1 - $0 }).count == 1)
        scene.view.options.isSecureTextEntry = false
        #expect(paintedGlyphs("iiii") != shown)
    }

    @Test func wordsOfProgramsEndAtDots() {
        let scene = ViewScene("|store.text")
        #expect(scene.perform(.moveWordRight).description == "store.text|")
        scene.view.wordStyle = .code
        #expect(scene.perform(.moveWordLeft).description == "store.|text")
        #expect(scene.perform(.moveWordLeft).description == "|store.text")
        #expect(scene.perform(.moveWordRight, .deleteWordBackward).description == "|.text")
    }
}

extension RecordingCanvas {
    /// The glyphs drawn in one colour.
    fileprivate func glyphs(_ color: Color) -> [CanvasGlyph] {
        operations.flatMap { operation -> [CanvasGlyph] in
            if case .glyphs(let glyphs, color) = operation { glyphs } else { [] }
        }
    }
}
