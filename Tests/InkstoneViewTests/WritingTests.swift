import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The commands that Emacs's keys are bound to.
@Suite(.timeLimit(.minutes(5))) struct WritingTests {
    @Test(arguments: [
        CommandCase("a|bc", .transpose, to: "ba|c"),
        CommandCase("abc|", .transpose, to: "acb|"),
        CommandCase("|abc", .transpose, to: "|abc"),
        CommandCase("x|", .transpose, to: "x|"),
        CommandCase("ab\n|cd", .transpose, to: "ab\n|cd"),
        CommandCase("e\u{301}|👩‍👩‍👧x", .transpose, to: "👩‍👩‍👧e\u{301}|x"),
        CommandCase("one| two", .transposeWords, to: "two one|"),
        CommandCase("one, t|wo three", .transposeWords, to: "two, one| three"),
        CommandCase("|one two", .uppercaseWord, to: "ONE| two"),
        CommandCase("one| two", .uppercaseWord, to: "one TWO|"),
        CommandCase("[ONE TWO|]", .lowercaseWord, to: "[one two|]"),
        CommandCase("[one don't|] x", .capitalizeWord, to: "[One Don't|] x"),
        CommandCase("a [|straße] b", .uppercaseWord, .uppercaseWord, .lowercaseWord, to: "a [|strasse] b"),
        CommandCase("stra|ße", .uppercaseWord, to: "straSSE|"),
        CommandCase("e\u{301}|", .deleteBackwardByDecomposingPreviousCharacter, to: "e|"),
        CommandCase("ab|", .deleteBackwardByDecomposingPreviousCharacter, to: "a|"),
        CommandCase("a|b\nc", .deleteToEndOfParagraph, .moveToEndOfDocument, .yank, to: "a\ncb|"),
        CommandCase("a|\nc", .deleteToEndOfParagraph, .yank, to: "a\n|c"),
        CommandCase("|abc", .setMark, .moveRight, .moveRight, .deleteToMark, to: "|c"),
        CommandCase("abc|", .setMark, .moveLeft, .selectToMark, .cut, to: "ab|"),
        CommandCase("|abc", .setMark, .moveToEndOfDocument, .swapWithMark, to: "|abc"),
        CommandCase("|abc", .setMark, .moveToEndOfDocument, .swapWithMark, .swapWithMark, to: "abc|"),
        CommandCase("ab|c", .selectToMark, .deleteToMark, .yank, to: "ab|c"),
        CommandCase("o|ne\ntwo\n\nx", .moveParagraphForward, .moveParagraphForward, to: "one\ntwo|\n\nx"),
        CommandCase("one\nt|wo", .moveParagraphBackward, .moveParagraphBackward, to: "|one\ntwo"),
    ])
    func commandsDoTheirWork(_ c: CommandCase) {
        let scene = ViewScene(c.before)
        for command in c.commands { scene.view.perform(command) }
        #expect(scene.state == c.after)
    }

    @Test(arguments: [
        (EditCommand.transposeWords, 2), (.transpose, 2), (.uppercaseWord, 0), (.capitalizeWord, 0),
    ])
    func bytesThatAreNotValidStayAsTheyAre(_ command: EditCommand, _ caret: Int) {
        let bytes: [UInt8] = [0x61, 0xff, 0x62, 0x20, 0x63]
        let scene = ViewScene("|")
        scene.view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: Rope(bytes: bytes))
        scene.view.select(Selection(caret: UTF16Offset(caret)))
        scene.view.perform(command)
        let text = scene.view.store.text
        #expect(text.bytes(in: text.byteRange).filter { $0 > 0x7f } == [0xff])
    }

    @Test func theMarkMovesWithTheTextAndAnExchangeIsOneStepOfUndo() {
        let scene = ViewScene("abc|")
        scene.view.perform(.setMark)
        scene.view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "xy")
        scene.view.perform(.moveToBeginningOfDocument)
        scene.view.perform(.selectToMark)
        #expect(scene.view.session.selectedText == "xyabc")
        let words = ViewScene("one| two")
        words.view.perform(.transposeWords)
        words.view.session.undo()
        #expect(words.view.text == "one two")
    }

    @Test func aReadOnlyViewRefusesToWrite() {
        let fixed = ViewScene("|text")
        fixed.view.isEditable = false
        for command in [EditCommand.transpose, .uppercaseWord, .deleteToEndOfParagraph, .deleteToMark, .yank] {
            #expect(!fixed.view.perform(command), "\(command)")
        }
        #expect(fixed.view.text == "text")
    }
}
