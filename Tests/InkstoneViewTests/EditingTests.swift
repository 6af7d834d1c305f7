import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A view of 400 × 200 pixels in a fixed font, with what its host was told.
final class Scene: EditorViewHost {
    let view: EditorView
    var damage: [ViewRect] = []
    var copied: String?
    var time: Int64 = 0

    init(_ notation: CaretNotation = "", width: Double = 400, height: Double = 200) {
        var clock: () -> Int64 = { 0 }
        view = EditorView(
            store: TextStore(), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14), clock: { clock() })
        clock = { [unowned self] in time }
        view.host = self
        view.setFrame(WindowRect(x: 0, y: 0, width: width, height: height))
        view.set(notation)
        view.setFocused(true)
        damage = []
    }

    func editorView(_ view: EditorView, needsDisplay rect: ViewRect) { damage.append(rect) }
    func editorView(_ view: EditorView, copy text: String) { copied = text }

    var state: CaretNotation { CaretNotation(view) }

    func perform(_ commands: EditCommand...) -> CaretNotation {
        for command in commands { view.perform(command) }
        return state
    }
}

@Suite(.timeLimit(.minutes(5))) struct EditingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: CaretNotation
        var command: EditCommand
        var after: CaretNotation
        init(_ before: CaretNotation, _ command: EditCommand, _ after: CaretNotation) {
            self.before = before
            self.command = command
            self.after = after
        }
        var testDescription: String { "\(before) \(command) → \(after)" }
    }

    @Test(arguments: [
        Case("ab|c", .deleteBackward, "a|c"),
        Case("ab|c", .deleteForward, "ab|"),
        Case("a[bc|]d", .deleteBackward, "a|d"),
        Case("|abc", .deleteBackward, "|abc"),
        Case("abc|", .deleteForward, "abc|"),
        Case("e\u{301}|", .deleteBackward, "|"),
        Case("x👩‍👩‍👧|", .deleteBackward, "x|"),
        Case("🇩🇪🇯🇵|", .deleteBackward, "🇩🇪|"),
        Case("한|", .deleteBackward, "|"),
        Case("a\r\n|b", .deleteBackward, "a|b"),
        Case("one two|", .deleteWordBackward, "one |"),
        Case("|one two", .deleteWordForward, "| two"),
        Case("one| two\nx", .deleteToEndOfParagraph, "one|\nx"),
        Case("one|\nx", .deleteToEndOfParagraph, "one|x"),
        Case("one t|wo", .deleteToBeginningOfParagraph, "|wo"),
        Case("ab|c", .insertNewline, "ab\n|c"),
        Case("ab|c", .insertTab, "ab\t|c"),
        Case("a[b|]c", .insertTab, "a\t|c"),
    ])
    func editsAreMadeByGraphemeClusterWordAndParagraph(_ test: Case) {
        #expect(Scene(test.before).perform(test.command).description == test.after.description)
    }

    @Test(arguments: [
        Case("a|bc", .moveRight, "ab|c"),
        Case("ab|c", .moveLeft, "a|bc"),
        Case("a[bc|]d", .moveLeft, "a|bcd"),
        Case("a[bc|]d", .moveRight, "abc|d"),
        Case("x|👩‍👩‍👧y", .moveRight, "x👩‍👩‍👧|y"),
        Case("a|bc", .moveRightAndModifySelection, "a[b|]c"),
        Case("a[|b]c", .moveRightAndModifySelection, "ab|c"),
        Case("one tw|o", .moveWordLeft, "one |two"),
        Case("o|ne two", .moveWordRight, "one| two"),
        Case("one\ntw|o", .moveUp, "on|e\ntwo"),
        Case("one\nt|wo", .moveToBeginningOfDocument, "|one\ntwo"),
        Case("o|ne\ntwo", .moveToEndOfDocument, "one\ntwo|"),
        Case("o|ne\ntwo", .moveToEndOfLine, "one|\ntwo"),
        Case("one\ntw|o", .moveToBeginningOfLineAndModifySelection, "one\n[|tw]o"),
        Case("on|e", .selectAll, "[one|]"),
        Case("one tw|o x", .selectWord, "one [two|] x"),
        Case("a[b|]c", .cancelOperation, "ab|c"),
    ])
    func movesGoWhereTheyLook(_ test: Case) {
        #expect(Scene(test.before).perform(test.command).description == test.after.description)
    }

    @Test func movingUpAndDownKeepsTheColumnAcrossAShortLine() {
        let scene = Scene("long line\nx\nlong li|ne")
        #expect(scene.perform(.moveUp).description == "long line\nx|\nlong line")
        #expect(scene.perform(.moveUp).description == "long li|ne\nx\nlong line")
        #expect(scene.perform(.moveDown, .moveDown).description == "long line\nx\nlong li|ne")
    }

    @Test func typingReplacesTheSelectionAndIsOneStepOfUndo() {
        let scene = Scene("a[bc|]d")
        for letter in ["x", "y", "z"] { scene.view.insertText(letter) }
        #expect(scene.state.description == "axyz|d")
        #expect(scene.perform(.undo).description == "a[bc|]d")
        #expect(scene.perform(.redo).description == "axyz|d")
    }

    @Test func cutCopiesAndDeletes() {
        let scene = Scene("a[bc|]d")
        #expect(scene.perform(.cut).description == "a|d")
        #expect(scene.copied == "bc")
    }

    @Test func aReadOnlyViewTakesNoEditButMovesAndCopies() {
        let scene = Scene("a[bc|]d")
        scene.view.isEditable = false
        scene.view.insertText("x")
        scene.view.paste("y")
        #expect(scene.perform(.cut, .deleteBackward, .copy).description == "a[bc|]d")
        #expect(scene.copied == "bc")
        #expect(scene.perform(.moveLeft).description == "a|bcd")
    }

    @Test func loadingAFileLeavesTheCaretAtItsStart() {
        let scene = Scene()
        scene.view.store.replace(Range<ByteOffset>(uncheckedBounds: (0, 0)), with: "abc", kind: .load)
        #expect(scene.state.description == "|abc")
    }

    @Test func editsByOthersMoveTheSelectionWithItsText() {
        let scene = Scene("ab[cd|]e")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 1)), with: "XYZ")
        #expect(scene.state.description == "XYZb[cd|]e")
    }
}

@Suite(.timeLimit(.minutes(5))) struct ScrollBarTests {
    @Test func theThumbDragsTheTextAndAPressBesideItScrollsAPage() throws {
        let scene = Scene()
        scene.view.text = String(repeating: "line\n", count: 200)
        let thumb = try #require(scene.view.scrollThumb)
        let x = scene.view.bounds.maxX - 2
        #expect(scene.view.isOnScrollBar(ViewPoint(x: x, y: 100)))
        scene.view.scrollBarPressed(at: ViewPoint(x: x, y: 190))
        #expect(try #require(scene.view.scrollThumb).minY > thumb.minY)
        scene.view.perform(.scrollToBeginningOfDocument)
        scene.view.scrollBarPressed(at: ViewPoint(x: x, y: thumb.minY + 3))
        scene.view.scrollBarDragged(to: ViewPoint(x: x, y: 500))
        let end = try #require(scene.view.scrollThumb)
        #expect(end.maxY == scene.view.bounds.maxY)
        #expect(scene.view.scrollBarReleased())
        #expect(scene.state.head == 0)
    }

    @Test func withoutMoreTextThanFitsThereIsNoScrollBar() {
        let scene = Scene("short|")
        #expect(scene.view.scrollThumb == nil)
        #expect(!scene.view.isOnScrollBar(ViewPoint(x: scene.view.bounds.maxX - 2, y: 10)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct ScrollingTests {
    @Test func textThatGetsShorterAtTheBottomIsPaintedAnew() {
        let scene = Scene()
        scene.view.text = (1...40).map(String.init).joined(separator: "\n")
        scene.view.perform(.moveToEndOfDocument)
        scene.damage = []
        scene.view.store.replace(
            Range<UTF16Offset>(uncheckedBounds: (scene.view.textRange.upperBound - 8, scene.view.textRange.upperBound)),
            with: "")
        #expect(scene.damage.contains(scene.view.bounds))
    }

    @Test func anEditAboveLeavesWhatIsSeenWhereItIs() {
        let scene = Scene()
        scene.view.text = (1...100).map(String.init).joined(separator: "\n")
        scene.view.select(Selection(caret: 150))
        let before = scene.view.caretRect(for: scene.view.selectedTextRange!.start)
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 0)), with: "new\nlines\nabove\n")
        #expect(scene.view.caretRect(for: scene.view.selectedTextRange!.start) == before)
    }
}
