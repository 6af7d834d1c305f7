import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Caret, highlight and handles of any `TextInput`, and in the view.
@Suite(.timeLimit(.minutes(5))) struct SelectionDisplayTests {
    /// A field that counts queries of its layout, and the view around it.
    private final class Field: ReferenceTextView, TextSelectionDisplayDelegate {
        var carets = 0
        var wholes = 0
        var asked = 0
        var damage: [ViewRect] = []
        var area = ViewRect(x: 0, y: 0, width: 200, height: 40)
        var time: Int64 = 0

        override func caretRect(for position: TextPosition) -> ViewRect {
            carets += 1
            return super.caretRect(for: position)
        }
        override func selectionRects(for range: TextRange) -> [TextSelectionRect] {
            wholes += 1
            return super.selectionRects(for: range)
        }
        func selectionDisplayNeedsUpdate(_ display: TextSelectionDisplayInteraction) { asked += 1 }
        func selectionDisplay(_ display: TextSelectionDisplayInteraction, needsDisplay rect: ViewRect) {
            damage.append(rect)
        }
        func visibleArea(of display: TextSelectionDisplayInteraction) -> ViewRect { area }
    }

    private func make(_ text: String) -> (Field, TextSelectionDisplayInteraction) {
        let field = Field(text)
        let display = TextSelectionDisplayInteraction(textInput: field, delegate: field, clock: { field.time })
        display.isActivated = true
        display.updateIfNeeded()
        field.damage = []
        (field.asked, field.carets, field.wholes) = (0, 0, 0)
        return (field, display)
    }

    private func painted(_ display: TextSelectionDisplayInteraction) -> RecordingCanvas {
        let canvas = RecordingCanvas(size: Size(width: 200, height: 200))
        display.updateIfNeeded()
        display.paintHighlight(on: canvas, origin: WindowPoint(x: 0, y: 0))
        display.paintCursor(on: canvas, origin: WindowPoint(x: 0, y: 0))
        return canvas
    }

    @Test func manyChangesAreOneQueryOfWhatIsSeen() {
        let (field, display) = make(String(repeating: "0123456789", count: 400))
        for end in 1...50 {
            field.select(0..<UTF16Offset(end * 20))
            display.setNeedsSelectionUpdate()
        }
        #expect(field.asked == 1 && field.wholes == 0 && field.carets == 0, "nothing before it is to be painted")
        display.updateIfNeeded()
        #expect(field.wholes == 1 && field.carets == 0)
        display.updateIfNeeded()
        #expect(field.wholes == 1)
        #expect(painted(display).fills(display.theme.selection).count == 2, "two lines are seen of fifty")
        #expect(!field.damage.isEmpty && field.damage.allSatisfy { $0.intersects(field.area) })
    }

    @Test func invisibleTextIsNotLaidOut() {
        let scene = ViewScene(
            CaretNotation(String(repeating: "some words that wrap, and more of them \n", count: 5000)))
        let field = Field("")
        field.area = scene.view.bounds
        let display = TextSelectionDisplayInteraction(textInput: scene.view, delegate: field)
        _ = scene.paint()
        scene.view.perform(.selectAll)
        #expect(scene.view.presenter.hasEstimatedHeights)
        display.setNeedsSelectionUpdate()
        #expect((1...40).contains(painted(display).fills(display.theme.inactiveSelection).count))
        #expect(scene.view.presenter.hasEstimatedHeights)
    }

    @Test func caretAndHighlightFollowFocusAndSelection() {
        let (field, display) = make("one two")
        field.select(3..<3)
        display.setNeedsSelectionUpdate()
        let caret = ViewRect(x: 30, y: 0, width: 2, height: 20)
        #expect(painted(display).fills(display.theme.caret) == [caret.converted(from: WindowPoint(x: 0, y: 0))])
        display.isActivated = false
        #expect(painted(display).fills(display.theme.caret).count == 4, "hollow")
        #expect(display.nextDeadline == nil)
        field.select(0..<3)
        display.setNeedsSelectionUpdate()
        let inactive = painted(display)
        #expect(
            inactive.fills(display.theme.inactiveSelection).count == 1 && inactive.fills(display.theme.caret).isEmpty)
        display.isActivated = true
        let active = painted(display)
        #expect(
            active.fills(display.theme.selection).count == 1 && active.fills(display.theme.inactiveSelection).isEmpty)
        field.selectedTextRange = nil
        display.setNeedsSelectionUpdate()
        #expect(painted(display).fills(display.theme.selection).isEmpty)
    }

    @Test func aCaretOutOfSightIsNotShown() {
        let (field, display) = make(String(repeating: "0123456789", count: 40))
        #expect(painted(display).fills(display.theme.caret).isEmpty && display.nextDeadline == nil, "at the end")
        field.select(5..<5)
        display.setNeedsSelectionUpdate()
        #expect(painted(display).fills(display.theme.caret).count == 1 && display.nextDeadline != nil)
    }

    /// Covers INT 33 of the checklist for interaction.
    @Test func theCaretIsSteadyDuringTypingAndStopsBlinkingInTheEnd() {
        let (field, display) = make("")
        field.select(0..<0)
        display.setNeedsSelectionUpdate()
        display.updateIfNeeded()
        let half = display.indicator.blink.interval
        for _ in 0..<10 {
            field.time += half - 1
            display.noteActivity()
            #expect(display.indicator.isOn)
        }
        field.time += half
        display.handleDeadline()
        #expect(!display.indicator.isOn && painted(display).fills(display.theme.caret).isEmpty)
        field.time += display.indicator.blink.restsAfter
        #expect(display.indicator.isOn && display.nextDeadline == nil, "for good")
        display.indicator.displayMode = .hidden
        #expect(painted(display).fills(display.theme.caret).isEmpty)
    }

    /// Creates another display of a view's selection, beside the view's own.
    private func display(of scene: ViewScene) -> (Field, TextSelectionDisplayInteraction) {
        let field = Field("")
        field.area = scene.view.bounds
        let display = TextSelectionDisplayInteraction(textInput: scene.view, delegate: field, clock: { 0 })
        display.isActivated = true
        return (field, display)
    }

    @Test func theCaretSplitsWhereDirectionsMeetAndItsFlagFollowsTheKeyboard() throws {
        let scene = ViewScene("abc|אבג")
        let (field, display) = display(of: scene)
        func fills() -> [WindowRect] {
            display.setNeedsSelectionUpdate()
            return painted(display).fills(display.theme.caret)
        }
        let place = try #require(scene.view.selectedTextRange).end
        let caret = scene.view.caretRect(for: place)
        let other = try #require(scene.view.secondaryCaretRect(for: place))
        #expect(abs(other.minX - caret.minX) > 10, "the two ends of the Hebrew word")
        let left = fills()
        #expect(left.contains { $0.minX == other.minX && $0.height == (other.height / 2).rounded() })
        let flag = left.filter { $0.height < 5 }
        #expect(!flag.isEmpty && flag.allSatisfy { $0.minX == caret.minX + 2 })
        scene.view.keyboardIsRightToLeft = true
        let right = fills().filter { $0.height < 5 }
        #expect(!right.isEmpty && right.allSatisfy { $0.maxX == caret.minX })
        scene.view.set("a|bcאבג")
        #expect(fills().count == 1, "one direction on both sides")
        withExtendedLifetime(field) {}
    }

    /// The highlight of text with two directions may be several rectangles; no unselected text is highlighted.
    @Test func theHighlightFollowsTheRuns() throws {
        // On the screen: abc גבא def. Two letters on each side of the left border of the Hebrew word are selected.
        let scene = ViewScene("a[bcא|]בג def")
        let (field, display) = display(of: scene)
        display.setNeedsSelectionUpdate()
        let pieces = painted(display).fills(display.theme.selection).sorted { $0.minX < $1.minX }
        #expect(pieces.count == 2, "\(pieces)")
        func rects(_ range: Range<Int>) -> [ViewRect] {
            scene.view.selectionRects(
                for: TextRange(
                    start: scene.view.position(UTF16Offset(range.lowerBound)),
                    end: scene.view.position(UTF16Offset(range.upperBound)))
            ).map(\.rect)
        }
        let (latin, hebrew, between) = (
            try #require(rects(1..<3).first), try #require(rects(3..<4).first), try #require(rects(4..<6).first)
        )
        #expect(pieces.first.map { ($0.minX, $0.maxX) } ?? (0, 0) == (latin.minX, latin.maxX))
        #expect(pieces.last.map { ($0.minX, $0.maxX) } ?? (0, 0) == (hebrew.minX, hebrew.maxX))
        #expect(latin.maxX <= between.minX && between.maxX <= hebrew.minX, "what is not selected lies between them")
        withExtendedLifetime(field) {}
    }

    /// Read-only text has no insertion point, but keys that extend a selection need a visible caret.
    @Test func textThatIsOnlyReadHasNoCaretOrOneThatStandsStill() {
        let scene = ViewScene("one| two")
        let (field, display) = display(of: scene)
        func carets() -> Int {
            display.setNeedsSelectionUpdate()
            return painted(display).fills(display.theme.caret).count
        }
        #expect(carets() == 1 && display.nextDeadline != nil)
        scene.view.isEditable = false
        #expect(carets() == 0 && display.nextDeadline == nil)
        display.showsCursorInReadOnlyText = true
        #expect(carets() == 1 && display.nextDeadline == nil)
        display.isActivated = false
        #expect(carets() == 0)
        // The view itself has keys that select, so it shows a caret.
        #expect(scene.paint().fills(scene.view.theme.caret).count == 1 && scene.view.nextDeadline == nil)
        scene.time += 531
        #expect(scene.paint().fills(scene.view.theme.caret).count == 1, "it does not blink")
        scene.view.setFocused(false)
        #expect(scene.paint().fills(scene.view.theme.caret).isEmpty)
        scene.view.isEditable = true
        #expect(scene.paint().fills(scene.view.theme.caret).count == 4, "hollow")
        withExtendedLifetime(field) {}
    }

    @Test func handlesStandAtBothEndsOutsideOfTheText() {
        let (field, display) = make("one two three four five six")
        display.showsHandles = true
        field.select(4..<25)
        display.setNeedsSelectionUpdate()
        let knobs = painted(display).fills(display.theme.caret)
        let left = knobs.filter { $0.minY >= 20 && $0.maxX <= 42 }
        let right = knobs.filter { $0.minY >= 40 && $0.minX >= 50 }
        #expect(!left.isEmpty && !right.isEmpty && left.count + right.count + 2 == knobs.count, "\(knobs)")
        field.area = ViewRect(x: 0, y: 0, width: 200, height: 20)
        display.setNeedsSelectionUpdate()
        #expect(painted(display).fills(display.theme.caret).count == left.count + 1, "one end is out of sight")
    }

    private final class Marks: TextCursorView, TextSelectionHighlightView, TextSelectionHandleView {
        static let color = Color(rgb: 0x123456)
        func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
            [ColoredRect(ViewRect(x: cursor.rect.minX, y: cursor.rect.maxY - 3, width: 9, height: 3), Self.color)]
        }
        func shape(of pieces: [TextSelectionRect], isActive: Bool, in theme: Theme) -> [ColoredRect] {
            pieces.map {
                ColoredRect(
                    ViewRect(x: $0.rect.minX, y: $0.rect.maxY - 1, width: $0.rect.width, height: 1), Self.color)
            }
        }
        func shape(of handle: TextSelectionHandle, in theme: Theme) -> [ColoredRect] {
            [ColoredRect(handle.edge, Self.color)]
        }
    }

    @Test func eachViewCanBeReplaced() {
        let (field, display) = make("one two")
        display.showsHandles = true
        (display.cursorView, display.highlightView, display.handleView) = (Marks(), Marks(), Marks())
        field.select(1..<1)
        display.setNeedsSelectionUpdate()
        #expect(painted(display).fills(Marks.color).map(\.width) == [9, 1], "with a handle")
        field.select(0..<3)
        display.setNeedsSelectionUpdate()
        #expect(painted(display).fills(Marks.color).map(\.height) == [1, 20, 20])

        let scene = ViewScene("one| two")
        (scene.view.presenter.cursorView, scene.view.presenter.highlightView) = (Marks(), Marks())
        #expect(
            scene.paint().fills(Marks.color).map(\.width) == [9] && scene.paint().fills(scene.view.theme.caret).isEmpty)
        scene.view.set("[one|] two")
        #expect(scene.paint().fills(Marks.color).map(\.height) == [1])
        #expect(scene.paint().fills(scene.view.theme.selection).isEmpty)
        scene.view.presenter.highlightView = nil
        #expect(scene.paint().fills(scene.view.theme.selection).count == 1)
    }

    // MARK: The view

    /// Covers INT 32 of the checklist for interaction.
    @Test func anUnfocusedCaretIsHollowOrPaleAndSleeps() {
        let scene = ViewScene("one| two")
        let color = scene.view.theme.caret
        let bar = scene.paint().fills(color)
        #expect(bar.count == 1 && scene.view.nextDeadline != nil)
        scene.view.setFocused(false)
        let box = scene.paint().fills(color)
        #expect(box.count == 4 && scene.view.nextDeadline == nil)
        let around = box.dropFirst().reduce(box[0]) { $0.union($1) }
        #expect(around == WindowRect(x: bar[0].minX - 1, y: bar[0].minY, width: 4, height: bar[0].height))
        let middle = WindowPoint(x: bar[0].minX + 0.5, y: bar[0].minY + bar[0].height / 2)
        #expect(!box.contains { $0.contains(middle) })
        scene.view.presenter.cursorView = StandardTextCursorView(whenInactive: .pale)
        #expect(scene.paint().fills(color.withAlpha(90)) == bar && scene.paint().fills(color).isEmpty)
    }

    @Test func theDropCaretGlidesOnALineAndJumpsToOthers() {
        let scene = ViewScene("|0123456789\n0123456789")
        let view = scene.view
        let drop = view.dropCaret
        func at(_ offset: Int) -> ViewRect { view.caretRect(for: view.position(UTF16Offset(offset))) }
        scene.damage = []
        drop.placeCaret(at: view.position(2))
        #expect(drop.rect == at(2) && drop.nextDeadline == nil && !scene.damage.isEmpty)
        #expect(scene.paint().fills(view.theme.caret).count == 4, "caret, and a bar with two feet")
        drop.placeCaret(at: view.position(8))
        #expect(drop.rect == at(2) && drop.nextDeadline != nil)
        var seen: [Double] = []
        while drop.nextDeadline != nil, seen.count < 100 {
            scene.time += 16
            view.handleDeadline()
            seen.append(drop.rect?.minX ?? -1)
        }
        #expect(seen == seen.sorted() && seen.count > 3 && drop.rect == at(8), "\(seen)")
        drop.placeCaret(at: view.position(15))
        #expect(drop.rect == at(15), "another line")
        _ = scene.paint()
        scene.damage = []
        drop.removeCaret()
        #expect(drop.rect == nil && scene.damage.contains { $0.intersects(at(15)) })
        #expect(scene.paint().fills(view.theme.caret).count == 1)
    }

    @Test func theDropCaretShowsWhileTheViewHasNoFocusAndItsOwnCaretIsOff() {
        let scene = ViewScene("|0123456789")
        scene.view.dropCaret.placeCaret(at: scene.view.position(5))
        scene.time += 531
        #expect(scene.paint().fills(scene.view.theme.caret).count == 3, "its own is off")
    }
}
