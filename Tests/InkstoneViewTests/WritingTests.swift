import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The commands that Emacs's keys are bound to.
@Suite struct WritingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: CaretNotation
        var commands: [EditCommand]
        var after: CaretNotation
        init(_ before: CaretNotation, _ commands: EditCommand..., to after: CaretNotation) {
            self.before = before
            self.commands = commands
            self.after = after
        }
        var testDescription: String { "\(before) \(commands.map(\.rawValue)) → \(after)" }
    }

    @Test(arguments: [
        Case("a|bc", .transpose, to: "ba|c"),
        Case("abc|", .transpose, to: "acb|"),
        Case("|abc", .transpose, to: "|abc"),
        Case("x|", .transpose, to: "x|"),
        Case("ab\n|cd", .transpose, to: "ab\n|cd"),
        Case("e\u{301}|👩‍👩‍👧x", .transpose, to: "👩‍👩‍👧e\u{301}|x"),
        Case("one| two", .transposeWords, to: "two one|"),
        Case("one, t|wo three", .transposeWords, to: "two, one| three"),
        Case("|one two", .uppercaseWord, to: "ONE| two"),
        Case("one| two", .uppercaseWord, to: "one TWO|"),
        Case("[ONE TWO|]", .lowercaseWord, to: "one two|"),
        Case("[one don't|] x", .capitalizeWord, to: "One Don't| x"),
        Case("stra|ße", .uppercaseWord, to: "straSSE|"),
        Case("e\u{301}|", .deleteBackwardByDecomposingPreviousCharacter, to: "e|"),
        Case("ab|", .deleteBackwardByDecomposingPreviousCharacter, to: "a|"),
        Case("a|b\nc", .deleteToEndOfParagraph, .moveToEndOfDocument, .yank, to: "a\ncb|"),
        Case("a|\nc", .deleteToEndOfParagraph, .yank, to: "a\n|c"),
        Case("|abc", .setMark, .moveRight, .moveRight, .deleteToMark, to: "|c"),
        Case("abc|", .setMark, .moveLeft, .selectToMark, .cut, to: "ab|"),
        Case("|abc", .setMark, .moveToEndOfDocument, .swapWithMark, to: "|abc"),
        Case("|abc", .setMark, .moveToEndOfDocument, .swapWithMark, .swapWithMark, to: "abc|"),
        Case("ab|c", .selectToMark, .deleteToMark, .yank, to: "ab|c"),
        Case("o|ne\ntwo\n\nx", .moveParagraphForward, .moveParagraphForward, to: "one\ntwo|\n\nx"),
        Case("one\nt|wo", .moveParagraphBackward, .moveParagraphBackward, to: "|one\ntwo"),
    ])
    func commandsDoTheirWork(_ c: Case) {
        let scene = Scene(c.before)
        for command in c.commands { scene.view.perform(command) }
        #expect(scene.state == c.after)
    }

    @Test func theMarkMovesWithTheTextAndAnExchangeIsOneStepOfUndo() {
        let scene = Scene("abc|")
        scene.view.perform(.setMark)
        scene.view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "xy")
        scene.view.perform(.moveToBeginningOfDocument)
        scene.view.perform(.selectToMark)
        #expect(scene.view.selectedText == "xyabc")
        let words = Scene("one| two")
        words.view.perform(.transposeWords)
        words.view.undo()
        #expect(words.view.text == "one two")
    }

    @Test func aSecureOrReadOnlyViewYieldsNothingToYank() {
        let scene = Scene("|secret")
        scene.view.options.isSecureTextEntry = true
        scene.view.perform(.deleteToEndOfParagraph)
        #expect(scene.view.text.isEmpty)
        scene.view.options.isSecureTextEntry = false
        #expect(!scene.view.perform(.yank) && scene.view.text.isEmpty)
        let fixed = Scene("|text")
        fixed.view.isEditable = false
        for command in [EditCommand.transpose, .uppercaseWord, .deleteToEndOfParagraph, .deleteToMark, .yank] {
            #expect(!fixed.view.perform(command), "\(command)")
        }
        #expect(fixed.view.text == "text")
    }
}
