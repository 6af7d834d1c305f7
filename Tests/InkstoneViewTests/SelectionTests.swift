import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@testable import InkstoneLayout

/// The view's selection: none, one and several ranges; effects of others; geometry of right-to-left text.
@Suite(.timeLimit(.minutes(5))) struct SelectionTests {
    // MARK: None

    /// Records the delegate's calls.
    private final class Delegate: TextInputDelegate {
        var calls: [String] = []
        func textWillChange(_ textInput: (any TextInput)?) { calls.append("text") }
        func textDidChange(_ textInput: (any TextInput)?) {}
        func selectionWillChange(_ textInput: (any TextInput)?) { calls.append("selection will") }
        func selectionDidChange(_ textInput: (any TextInput)?) { calls.append("selection did") }
    }

    @Test func aViewWithoutASelectionShowsNoCaretAndTakesNoText() {
        let scene = ViewScene("one t|wo")
        let view = scene.view
        #expect(scene.paint().fills(view.theme.caret).count == 1)
        scene.damage = []
        view.selectedTextRange = nil
        #expect(view.selection == nil && view.selectedTextRange == nil && view.selectedRange() == .notFound)
        #expect(!scene.damage.isEmpty, "the caret is painted away")
        #expect(scene.paint().fills(view.theme.caret).isEmpty && view.nextDeadline == nil)
        view.insertText("x")
        view.deleteBackward()
        view.insertText("x", replacementRange: .notFound)
        view.setMarkedText("x", selectedRange: UTF16Range(location: 0, length: 0))
        view.session.paste("x")
        #expect(view.text == "one two" && view.markedTextRange == nil && view.selection == nil)
        for command: EditCommand in [
            .moveRight, .moveWordLeftAndModifySelection, .deleteForward, .copy, .paste, .insertNewline, .indent,
            .setMark,
            .selectWord, .transpose,
        ] {
            #expect(!view.perform(command), "\(command) needs a selection")
        }
        #expect(view.text == "one two" && view.selection == nil)
        #expect(view.perform(.selectAll) && view.selection?.range == 0..<7)
    }

    @Test func aSelectionComesBackByAClickOrFromTheProgram() {
        let scene = ViewScene("one t|wo")
        scene.view.select(nil)
        scene.click(at: ViewPoint(x: 1, y: 5), .shift)
        #expect(scene.view.selection?.isCaret == true)
        scene.view.select(nil)
        scene.view.select(Selection(anchor: 1, head: 99))
        #expect(scene.state.description == "o[ne two|]")
        scene.view.select(nil)
        scene.view.insertText("1", replacementRange: UTF16Range(location: 0, length: 3))
        #expect(scene.state.description == "1| two", "a range that is named needs no selection")
    }

    @Test func goingWithoutASelectionIsReportedOnce() {
        let scene = ViewScene("one t|wo")
        let delegate = Delegate()
        scene.view.inputDelegate = delegate
        scene.view.select(nil)
        scene.view.select(nil)
        #expect(delegate.calls == ["selection will", "selection did"])
        // The input system is not notified of its own changes.
        scene.view.selectedTextRange = scene.view.range(0, 1)
        scene.view.selectedTextRange = nil
        #expect(delegate.calls.count == 2)
    }

    @Test func editsByOthersAndUndoNeedNoSelection() {
        let scene = ViewScene("one t|wo")
        scene.view.select(nil)
        scene.view.store.replace(4..<4 as Range<UTF16Offset>, with: "x")
        #expect(scene.view.selection == nil && scene.view.text == "one xtwo")
        scene.view.perform(.undo)
        #expect(scene.view.text == "one two" && scene.view.selection == nil)
        scene.view.perform(.redo)
        #expect(scene.view.text == "one xtwo" && scene.view.selection == nil)
        // The undo step has no selection to restore, so it selects its position.
        scene.view.select(Selection(caret: 7))
        scene.view.perform(.undo)
        #expect(scene.view.text == "one two" && scene.view.selection == Selection(caret: 4))
    }

    @Test func undoOfWhatWasTypedSelectsNothingWhereNothingIsSelected() {
        let scene = ViewScene("one t|wo")
        scene.view.insertText("x")
        scene.view.select(nil)
        scene.view.perform(.undo)
        #expect(scene.view.text == "one two" && scene.view.selection == nil)
    }

    // MARK: Edits by others

    @Test func textThatOthersInsertAtAnEndIsNotSelected() {
        let scene = ViewScene("one [two|] three")
        scene.view.store.replace(7..<7 as Range<UTF16Offset>, with: "!")
        #expect(scene.state.description == "one [two|]! three")
        scene.view.store.replace(4..<4 as Range<UTF16Offset>, with: ">")
        #expect(scene.state.description == "one >[two|]! three")
        scene.view.store.replace(4..<9 as Range<UTF16Offset>, with: "gone")
        #expect(scene.state.description == "one gone| three")
    }

    // MARK: Several ranges

    private static let several = Selection(
        [SelectionRange(caret: 1), SelectionRange(anchor: 4, head: 7), SelectionRange(caret: 9)], primary: 1)

    @Test func allRangesArePaintedAndMoved() {
        let scene = ViewScene("one two three|")
        let view = scene.view
        view.select(Self.several)
        let canvas = scene.paint()
        #expect(canvas.fills(view.theme.caret).count == 2 && canvas.fills(view.theme.selection).count == 1)
        view.perform(.moveRightAndModifySelection)
        #expect(view.selection?.description == "1→2 4→8* 9→10")
        view.perform(.moveToEndOfDocument)
        #expect(view.selection?.description == "13")
    }

    @Test func everyRangeMovesWithEditsByOthers() {
        let scene = ViewScene("one two three|")
        scene.view.select(Self.several)
        scene.view.store.replace(0..<0 as Range<UTF16Offset>, with: "...")
        #expect(scene.view.selection?.description == "4 7→10* 12")
        scene.view.store.replace(3..<11 as Range<UTF16Offset>, with: "")
        #expect(scene.view.selection?.description == "3* 4")
    }

    @Test func changesOfSeveralRangesArePaintedAgain() {
        let scene = ViewScene("one two three|")
        scene.view.select(Self.several)
        scene.damage = []
        scene.view.select(Selection(caret: 12))
        let rects = [1, 5, 9, 12].map { scene.view.caretRect(for: scene.view.range($0, $0).start) }
        for rect in rects { #expect(scene.damage.contains { $0.intersects(rect) }, "\(rect)") }
    }

    // MARK: Right to left

    @Test func theFarthestPositionAndTheRestOfALineGoByTheDirection() {
        let scene = ViewScene("|שלום עולם")
        let view = scene.view
        func offset(_ position: TextPosition?) -> Int? {
            position.map { view.offset(from: view.beginningOfDocument, to: $0) }
        }
        func offsets(_ range: TextRange?) -> [Int?] { [offset(range?.start), offset(range?.end)] }
        let range = view.range(1, 6)
        #expect(offset(view.position(within: range, farthestIn: .left)) == 6)
        #expect(offset(view.position(within: range, farthestIn: .right)) == 1)
        #expect(offset(view.position(within: range, farthestIn: .up)) == 1)
        #expect(offset(view.position(within: range, farthestIn: .down)) == 6)
        #expect(offsets(view.characterRange(byExtending: range.start, in: .left)) == [1, 9])
        #expect(offsets(view.characterRange(byExtending: range.start, in: .right)) == [0, 1])
        view.text = "abc אבג def"
        // The left end of the right-to-left run is after its last letter.
        #expect(offset(view.position(within: view.range(4, 6), farthestIn: .left)) == 6)
        #expect(offset(view.position(within: view.range(4, 6), farthestIn: .right)) == 4)
        #expect(offset(view.position(within: view.range(2, 6), farthestIn: .right)) == 4)
        #expect(offsets(view.characterRange(byExtending: view.range(5, 5).start, in: .left)) == [0, 5])
    }

    @Test func commandsGoByTheDirectionOfWhatIsSeen() {
        let scene = ViewScene("|שלום עולם")
        #expect(scene.perform(.moveWordLeft).head == 4)
        #expect(scene.perform(.moveToLeftEndOfLine).head == 9)
        #expect(scene.perform(.moveToRightEndOfLine).head == 0)
        scene.view.set("abc א[בג|] def")
        #expect(scene.perform(.moveRight).head == 5, "the end on the right is the first in the text")
        scene.view.set("abc א[בג|] def")
        #expect(scene.perform(.moveLeft).head == 7)
        scene.view.set("abc [אבג|] def")
        #expect(scene.perform(.moveForward).head == 7)
    }

    @Test func aTokenizerThatOutlivesItsViewFindsNothing() {
        var scene: ViewScene? = ViewScene("one two|")
        let tokenizer = scene?.view.tokenizer
        let position = scene?.view.beginningOfDocument
        #expect(position.flatMap { tokenizer?.rangeEnclosingPosition($0, with: .line, inDirection: .forward) } != nil)
        scene = nil
        #expect(position.flatMap { tokenizer?.rangeEnclosingPosition($0, with: .line, inDirection: .forward) } == nil)
    }

    // MARK: Long lines

    /// Returns the number of UTF-16 units laid out so far.
    private static func laidOut(_ view: EditorView) -> Int {
        view.layout.document.tree.total.units - view.layout.document.tree.total.gapUnits
    }

    @Test func convertingInALongLineAsksForItsSegmentOnly() {
        let scene = ViewScene()
        scene.view.wrapsLines = false
        scene.view.text = String(repeating: "日本語の文章です ", count: 200_000)
        let middle = 900_000
        scene.view.select(Selection(caret: UTF16Offset(middle)))
        let before = Self.laidOut(scene.view)
        let answer = scene.view.firstRect(forCharacterRange: UTF16Range(location: middle, length: 3))
        #expect(answer.actualRange == UTF16Range(location: middle, length: 3) && answer.rect.width > 0)
        let line = scene.view.tokenizer.rangeEnclosingPosition(
            scene.view.range(middle, middle).start, with: .line, inDirection: .forward)
        #expect(line.map { scene.view.offset(from: $0.start, to: $0.end) } == 1_800_000)
        _ = scene.view.selectionRects(for: scene.view.range(middle, middle + 3))
        let more = Self.laidOut(scene.view) - before
        #expect(more < 100_000, "\(more) units laid out")
    }

    @Test(arguments: [true, false]) func enumerationLaysOutOnlyTheSegmentsThatAreRequested(_ wraps: Bool) {
        let scene = ViewScene()
        scene.view.wrapsLines = wraps
        scene.view.text = String(repeating: "some words in a paragraph\n", count: 20_000)
        scene.view.select(Selection(caret: 0))
        let before = Self.laidOut(scene.view)
        var taken: [TextSegment] = []
        scene.view.geometry.enumerateTextSegments(in: scene.view.textRange, type: .standard) {
            taken.append($0)
            return taken.count < 3
        }
        #expect(taken.map(\.utf16Range.lowerBound) == [0, 26, 52] && taken[0].containsStart)
        let more = Self.laidOut(scene.view) - before
        #expect(more < 5000, "\(more) units laid out")
    }

    @Test func theFirstRectOfALongUnwrappedLineIsThatOfThePartItNames() {
        let scene = ViewScene()
        scene.view.wrapsLines = false
        scene.view.text = String(repeating: "word ", count: 400_000)
        scene.view.select(Selection(caret: 1_900_000))
        let before = Self.laidOut(scene.view)
        let answer = scene.view.firstRect(forCharacterRange: UTF16Range(location: 1_900_000, length: 90_000))
        let more = Self.laidOut(scene.view) - before
        #expect(more < 100_000, "\(more) units laid out")
        let part = answer.actualRange
        #expect(part.location == 1_900_000 && part.length > 0 && part.length <= 90_000)
        let ends = scene.view.range(1_900_000, 1_900_000 + part.length)
        let width = scene.view.caretRect(for: ends.end).minX - scene.view.caretRect(for: ends.start).minX
        #expect(abs(answer.rect.width - width) <= 1)
    }

    @Test(arguments: [true, false]) func theVisiblePartOfALongSelectionIsAllThatIsLaidOut(_ wraps: Bool) {
        let scene = ViewScene()
        scene.view.wrapsLines = wraps
        scene.view.text = String(repeating: "some words in a paragraph\n", count: 20_000)
        scene.view.select(Selection(caret: 0))
        let whole = scene.view.range(0, scene.view.textRange.upperBound.value)
        let before = Self.laidOut(scene.view)
        let rects = scene.view.selectionRects(for: whole, within: scene.view.bounds)
        #expect(
            rects.count >= 10 && rects.count < 30 && rects[0].containsStart && !rects.contains(where: \.containsEnd))
        let more = Self.laidOut(scene.view) - before
        #expect(more < 5000, "\(more) units laid out")
        scene.view.perform(.selectAll)
        #expect(
            scene.view.selectionRects(for: whole, within: scene.view.bounds)
                == scene.view.selectionRects(for: scene.view.range(0, 2000)).filter {
                    $0.rect.intersects(scene.view.bounds)
                })
    }
}
