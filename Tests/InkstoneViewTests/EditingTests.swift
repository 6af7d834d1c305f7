import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct EditingTests {
    @Test(arguments: [
        CommandCase("ab|c", .deleteBackward, to: "a|c"),
        CommandCase("ab|c", .deleteForward, to: "ab|"),
        CommandCase("a[bc|]d", .deleteBackward, to: "a|d"),
        CommandCase("|abc", .deleteBackward, to: "|abc"),
        CommandCase("abc|", .deleteForward, to: "abc|"),
        CommandCase("e\u{301}|", .deleteBackward, to: "|"),
        CommandCase("x👩‍👩‍👧|", .deleteBackward, to: "x|"),
        CommandCase("🇩🇪🇯🇵|", .deleteBackward, to: "🇩🇪|"),
        CommandCase("한|", .deleteBackward, to: "|"),
        CommandCase("a\r\n|b", .deleteBackward, to: "a|b"),
        CommandCase("one two|", .deleteWordBackward, to: "one |"),
        CommandCase("|one two", .deleteWordForward, to: "| two"),
        CommandCase("one| two\nx", .deleteToEndOfParagraph, to: "one|\nx"),
        CommandCase("one|\nx", .deleteToEndOfParagraph, to: "one|x"),
        CommandCase("one t|wo", .deleteToBeginningOfParagraph, to: "|wo"),
        CommandCase("ab|c", .insertNewline, to: "ab\n|c"),
        CommandCase("ab|c", .insertTab, to: "ab\t|c"),
        CommandCase("a[b|]c", .insertTab, to: "a\t|c"),
    ])
    func editsAreMadeByGraphemeClusterWordAndParagraph(_ test: CommandCase) {
        #expect(ViewScene(test.before).perform(test.commands[0]).description == test.after.description)
    }

    @Test(arguments: [
        CommandCase("a|bc", .moveRight, to: "ab|c"),
        CommandCase("ab|c", .moveLeft, to: "a|bc"),
        CommandCase("a[bc|]d", .moveLeft, to: "a|bcd"),
        CommandCase("a[bc|]d", .moveRight, to: "abc|d"),
        CommandCase("x|👩‍👩‍👧y", .moveRight, to: "x👩‍👩‍👧|y"),
        CommandCase("a|bc", .moveRightAndModifySelection, to: "a[b|]c"),
        CommandCase("a[|b]c", .moveRightAndModifySelection, to: "ab|c"),
        CommandCase("one tw|o", .moveWordLeft, to: "one |two"),
        CommandCase("o|ne two", .moveWordRight, to: "one| two"),
        CommandCase("one\ntw|o", .moveUp, to: "on|e\ntwo"),
        CommandCase("one\nt|wo", .moveToBeginningOfDocument, to: "|one\ntwo"),
        CommandCase("o|ne\ntwo", .moveToEndOfDocument, to: "one\ntwo|"),
        CommandCase("o|ne\ntwo", .moveToEndOfLine, to: "one|\ntwo"),
        CommandCase("one\ntw|o", .moveToBeginningOfLineAndModifySelection, to: "one\n[|tw]o"),
        CommandCase("on|e", .selectAll, to: "[one|]"),
        CommandCase("one tw|o x", .selectWord, to: "one [two|] x"),
        CommandCase("a[b|]c", .cancelOperation, to: "ab|c"),
    ])
    func movesGoInTheirVisualDirection(_ test: CommandCase) {
        #expect(ViewScene(test.before).perform(test.commands[0]).description == test.after.description)
    }

    @Test func movingUpAndDownKeepsTheColumnAcrossAShortLine() {
        let scene = ViewScene("long line\nx\nlong li|ne")
        #expect(scene.perform(.moveUp).description == "long line\nx|\nlong line")
        #expect(scene.perform(.moveUp).description == "long li|ne\nx\nlong line")
        #expect(scene.perform(.moveDown, .moveDown).description == "long line\nx\nlong li|ne")
    }

    @Test func typingReplacesTheSelectionAndIsOneStepOfUndo() {
        let scene = ViewScene("a[bc|]d")
        for letter in ["x", "y", "z"] { scene.view.insertText(letter) }
        #expect(scene.state.description == "axyz|d")
        #expect(scene.perform(.undo).description == "a[bc|]d")
        #expect(scene.perform(.redo).description == "axyz|d")
    }

    @Test func cutCopiesAndDeletes() {
        let scene = ViewScene("a[bc|]d")
        #expect(scene.perform(.cut).description == "a|d")
        #expect(scene.copied == "bc")
    }

    @Test func aReadOnlyViewTakesNoEditButMovesAndCopies() {
        let scene = ViewScene("a[bc|]d")
        scene.view.isEditable = false
        scene.view.insertText("x")
        scene.view.session.paste("y")
        #expect(scene.perform(.cut, .deleteBackward, .copy).description == "a[bc|]d")
        #expect(scene.copied == "bc")
        #expect(scene.perform(.moveLeft).description == "a|bcd")
    }

    @Test func loadingAFileLeavesTheCaretAtItsStart() {
        let scene = ViewScene()
        scene.view.store.replace(Range<ByteOffset>(uncheckedBounds: (0, 0)), with: "abc", origin: .load)
        #expect(scene.state.description == "|abc")
    }

    @Test func editsByOthersMoveTheSelectionWithItsText() {
        let scene = ViewScene("ab[cd|]e")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 1)), with: "XYZ")
        #expect(scene.state.description == "XYZb[cd|]e")
    }
}
