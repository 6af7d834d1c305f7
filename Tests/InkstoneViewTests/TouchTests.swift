import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Touches in a view.
@Suite(.timeLimit(.minutes(5))) struct TouchTests {
    private static let lines = CaretNotation((0..<100).map { "line \($0) of some" }.joined(separator: "\n"))

    private func point(_ scene: ViewScene, _ offset: Int) -> ViewPoint {
        let caret = scene.view.caretRect(for: scene.view.position(UTF16Offset(offset)))
        return ViewPoint(x: caret.minX + 1, y: caret.minY + caret.height / 2)
    }

    private func knob(_ scene: ViewScene, _ role: TextSelectionHandle.Role) throws -> ViewPoint {
        let handle = try #require(scene.view.interaction.handles.first { $0.role == role })
        return ViewPoint(x: handle.edge.minX + (handle.isLeft ? -7 : 7), y: handle.edge.maxY + 8)
    }

    /// Returns the painted knobs from left to right, each by its widest row.
    private func knobs(_ scene: ViewScene) -> [WindowRect] {
        scene.paint().fills(scene.view.theme.caret).filter { $0.width == 14 && $0.height == 1 }
    }

    private func roles(_ scene: ViewScene) -> [TextSelectionHandle.Role] { scene.view.interaction.handles.map(\.role) }

    /// A delegate and host that may refuse gestures.
    private final class Guardian: TextInteractionDelegate, TextInteractionHost {
        var asked: [TextInteraction.Gesture] = []
        var refused: Set<TextInteraction.Gesture> = []
        var log: [String] = []
        var takesFocus = true

        init(_ scene: ViewScene) {
            scene.view.interaction.delegate = self
            scene.view.interaction.host = self
        }
        func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool {
            asked.append(gesture)
            return !refused.contains(gesture)
        }
        func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) { log.append("loupe") }
        func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) { log.append("held") }
        func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) { log.append("selected") }
        func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {
            log.append("menu")
        }
        func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
            log.append("focus")
            return takesFocus
        }
    }

    // MARK: Taps

    /// Covers INT 14 of the checklist for interaction.
    @Test func aTapPutsTheCaretWithAHandleAndASecondOneOnThatSelectsTheWord() throws {
        let scene = ViewScene("|one two three")
        let guardian = Guardian(scene)
        scene.tap(at: point(scene, 5))
        #expect(scene.state.description == "one t|wo three" && roles(scene) == [.caret])
        #expect(!knobs(scene).isEmpty)
        let drop = try knob(scene, .caret)
        scene.touch(.began, at: ViewPoint(x: drop.x - 8, y: drop.y - 8))
        scene.touch(.ended, at: ViewPoint(x: drop.x - 8, y: drop.y - 8))
        #expect(scene.state.description == "one [two|] three" && roles(scene) == [.start, .end])
        #expect(guardian.log == ["focus", "focus", "selected"] && guardian.asked == [.caret, .word])
        // A tap on the selection, or much later on the handle, opens the menu.
        scene.tap(at: point(scene, 5))
        scene.tap(at: point(scene, 1))
        scene.tap(at: try knob(scene, .caret))
        #expect(guardian.log.filter { $0 == "menu" }.count == 2 && scene.state.description == "o|ne two three")
        #expect(!scene.view.interaction.isActive)
    }

    @Test func handlesStandOutsideOfTheTextInBothDirections() throws {
        let scene = ViewScene("|abc אבגדה def")
        scene.tap(at: point(scene, 6))
        scene.touch(.began, at: point(scene, 6))
        scene.touch(.ended, at: point(scene, 6))
        #expect(scene.view.selection?.range == 4..<9)
        let handles = scene.view.interaction.handles
        let selected = try #require(scene.view.selectedTextRange)
        let word = try #require(scene.view.selectionRects(for: selected).first).rect
        #expect(handles.map(\.edge.minX) == [word.maxX, word.minX] && handles.map(\.isLeft) == [false, true])
        scene.tap(at: point(scene, 1))
        scene.touch(.began, at: point(scene, 1))
        scene.touch(.ended, at: point(scene, 1))
        #expect(scene.view.interaction.handles.map(\.isLeft) == [true, false])
    }

    /// Covers INT 15 of the checklist for interaction.
    @Test func aFingerScrollsAndSelectsNothing() {
        let scene = ViewScene(Self.lines)
        let selection = scene.view.selection
        scene.touch(.began, at: ViewPoint(x: 50, y: 180))
        for y in stride(from: 160.0, through: 60, by: -20) { scene.touch(.moved, at: ViewPoint(x: 50, y: y)) }
        #expect(scene.view.viewport.scroll.y == 120 && scene.view.interaction.nextDeadline == nil)
        scene.touch(.ended, at: ViewPoint(x: 50, y: 60))
        #expect(scene.view.interaction.nextDeadline != nil, "it scrolls on")
        scene.pass(milliseconds: 3000)
        let y = scene.view.viewport.scroll.y
        #expect(y > 300 && scene.view.interaction.nextDeadline == nil, "and rests: \(y)")
        #expect(scene.view.selection == selection && roles(scene).isEmpty)
        // A finger, a button, the wheel or a key stops momentum; the finger does nothing else.
        for end in ["finger", "button", "wheel", "key"] {
            scene.touch(.began, at: ViewPoint(x: 50, y: 180))
            for y in stride(from: 160.0, through: 100, by: -20) { scene.touch(.moved, at: ViewPoint(x: 50, y: y)) }
            scene.touch(.ended, at: ViewPoint(x: 50, y: 100))
            scene.pass(milliseconds: 50)
            #expect(scene.view.interaction.nextDeadline != nil)
            switch end {
            case "finger":
                scene.tap(at: ViewPoint(x: 50, y: 100))
                #expect(scene.view.selection == selection && roles(scene).isEmpty)
            case "button": scene.press(at: ViewPoint(x: 50, y: 100), button: .middle)
            case "wheel": scene.point(.scroll(Vector(dx: 0, dy: 1)), at: ViewPoint(x: 50, y: 100))
            default: scene.view.interaction.keyWasPressed()
            }
            let stopped = scene.view.viewport.scroll.y
            #expect(scene.view.interaction.nextDeadline == nil, "\(end)")
            scene.pass(milliseconds: 500)
            #expect(scene.view.viewport.scroll.y == stopped, "\(end)")
            scene.release(at: ViewPoint(x: 50, y: 100), button: .middle)
        }
    }

    @Test func aTouchpadThatIsLetGoScrollsOn() {
        let scene = ViewScene(Self.lines)
        let at = ViewPoint(x: 50, y: 100)
        for _ in 0..<6 {
            scene.point(.scroll(Vector(dx: 0, dy: 0.5)), at: at)
            scene.pointerTime += 16
        }
        #expect(scene.view.interaction.nextDeadline == nil, "a wheel never says so")
        scene.point(.scroll(Vector(dx: 0, dy: 0)), at: at)
        #expect(scene.view.interaction.nextDeadline != nil)
        scene.pass(milliseconds: 3000)
        #expect(scene.view.viewport.scroll.y > 200 && scene.view.interaction.nextDeadline == nil)
        // A rest before the end, or Ctrl, which zooms, leaves no momentum.
        scene.point(.scroll(Vector(dx: 0, dy: 0)), at: at)
        #expect(scene.view.interaction.nextDeadline == nil)
        for dy in [0.5, 0.5, 0] {
            scene.point(.scroll(Vector(dx: 0, dy: dy)), at: at, .control)
            scene.pointerTime += 16
        }
        #expect(scene.view.interaction.nextDeadline == nil)
    }

    // MARK: Long presses and handles

    /// Covers INT 16 of the checklist for interaction.
    @Test func aLongPressSelectsTheWordAndGoesOnByWords() {
        let scene = ViewScene("|one two three four")
        let guardian = Guardian(scene)
        scene.touch(.began, at: point(scene, 5))
        scene.pass(milliseconds: 500)
        #expect(scene.state.description == "one [two|] three four" && guardian.log == ["focus", "loupe"])
        #expect(roles(scene) == [.start, .end] && scene.view.isDragging)
        scene.touch(.moved, at: point(scene, 10))
        #expect(scene.state.description == "one [two three|] four" && roles(scene) == [.start, .end])
        scene.touch(.moved, at: point(scene, 1))
        #expect(scene.state.description == "[|one two] three four")
        scene.touch(.ended, at: point(scene, 1))
        #expect(guardian.log == ["focus", "loupe", "selected"] && !scene.view.interaction.isActive)
        #expect(scene.view.interaction.nextDeadline == nil && roles(scene) == [.start, .end])
    }

    /// Covers INT 18 of the checklist for interaction.
    @Test func aSecondFingerEndsTheSelectionOfTheFirst() {
        let scene = ViewScene("|one two three four")
        let guardian = Guardian(scene)
        scene.touch(.began, at: point(scene, 5))
        scene.pass(milliseconds: 500)
        scene.touch(.began, at: point(scene, 15), id: 2)
        #expect(!scene.view.isDragging && scene.view.interaction.nextDeadline == nil)
        scene.touch(.moved, at: point(scene, 10))
        scene.touch(.ended, at: point(scene, 10))
        scene.touch(.ended, at: point(scene, 15), id: 2)
        #expect(scene.state.description == "one [two|] three four")
        #expect(guardian.log == ["focus", "loupe"] && !scene.view.interaction.isActive)
    }

    private func selecting(_ text: CaretNotation, word offset: Int) -> ViewScene {
        let scene = ViewScene(text)
        scene.touch(.began, at: point(scene, offset))
        scene.pass(milliseconds: 500)
        scene.touch(.ended, at: point(scene, offset))
        return scene
    }

    /// Covers INT 17 of the checklist for interaction.
    @Test func handlesKeepTheFingersOffsetAndCannotPassEachOther() throws {
        let scene = selecting("|one two three four", word: 5)
        let finger = try knob(scene, .end)
        func moved(_ point: ViewPoint, from a: Int, to b: Int) -> ViewPoint {
            ViewPoint(x: point.x + self.point(scene, b).x - self.point(scene, a).x, y: point.y)
        }
        scene.touch(.began, at: finger)
        scene.touch(.moved, at: moved(finger, from: 7, to: 11))
        #expect(scene.state.description == "one [two thr|]ee four", "the finger's distance stays, and by characters")
        #expect(scene.view.interaction.handles.last?.isHeld == true)
        scene.touch(.moved, at: moved(finger, from: 7, to: 0))
        #expect(scene.state.description == "one [t|]wo three four", "one character stays")
        scene.touch(.moved, at: moved(finger, from: 7, to: 9))
        scene.touch(.ended, at: moved(finger, from: 7, to: 9))
        #expect(
            scene.state.description == "one [two t|]hree four"
                && !scene.view.interaction.handles.contains(where: \.isHeld))
        let start = try knob(scene, .start)
        scene.touch(.began, at: start)
        scene.touch(.moved, at: moved(start, from: 4, to: 16))
        #expect(scene.state.description == "one two [|t]hree four")
        scene.touch(.moved, at: moved(start, from: 4, to: 1))
        scene.touch(.ended, at: moved(start, from: 4, to: 1))
        #expect(scene.state.description == "o[|ne two t]hree four" && roles(scene) == [.start, .end])
    }

    @Test func aCaretsHandleMovesTheCaret() throws {
        let scene = ViewScene("|one two three four")
        let guardian = Guardian(scene)
        scene.tap(at: point(scene, 5))
        let finger = try knob(scene, .caret)
        scene.pointerTime += 1000
        scene.touch(.began, at: finger)
        scene.touch(.moved, at: ViewPoint(x: finger.x + point(scene, 11).x - point(scene, 5).x, y: finger.y))
        #expect(scene.state.description == "one two thr|ee four" && guardian.log.last == "held")
        scene.touch(.ended, at: finger)
        #expect(roles(scene) == [.caret] && guardian.asked == [.caret, .extending])
    }

    @Test func wholeClustersStayBetweenHandles() throws {
        let scene = selecting("|ab e\u{301}e\u{301}e\u{301} cd", word: 4)
        #expect(scene.view.selection?.range == 3..<9)
        let finger = try knob(scene, .end)
        scene.touch(.began, at: finger)
        scene.touch(.moved, at: ViewPoint(x: 0, y: finger.y))
        #expect(scene.view.selection?.range == 3..<5)
    }

    /// Covers INT 17 of the checklist for interaction.
    @Test func aHandleThatIsHeldAtTheEdgeScrolls() throws {
        let scene = selecting(Self.lines, word: 2)
        let finger = try knob(scene, .end)
        scene.touch(.began, at: finger)
        scene.touch(.moved, at: ViewPoint(x: finger.x, y: 100))
        #expect(scene.view.interaction.nextDeadline == nil)
        scene.touch(.moved, at: ViewPoint(x: finger.x, y: 195))
        let head = scene.view.selection?.head ?? 0
        scene.pass(milliseconds: 1000)
        #expect(scene.view.viewport.scroll.y > 50 && (scene.view.selection?.head ?? 0) > head)
        #expect(roles(scene) == [.end], "the other is out of sight")
        scene.touch(.ended, at: ViewPoint(x: finger.x, y: 195))
        let y = scene.view.viewport.scroll.y
        scene.pass(milliseconds: 1000)
        #expect(scene.view.viewport.scroll.y == y && scene.view.interaction.nextDeadline == nil)
        scene.view.scroll(by: -y)
        #expect(roles(scene) == [.start] || roles(scene) == [.start, .end], "in sight again")
    }

    @Test(arguments: ["key", "button", "typing", "moving", "focus", "program"]) func handlesGo(_ end: String) {
        let scene = selecting("|one two three four", word: 5)
        #expect(knobs(scene).count >= 2)
        scene.damage = []
        switch end {
        case "key": scene.view.interaction.keyWasPressed()
        case "button": scene.press(at: point(scene, 5), button: .secondary)
        case "typing": scene.view.insertText("x")
        case "moving": scene.view.perform(.moveRight)
        case "focus": scene.view.setFocused(false)
        default: scene.view.select(Selection(caret: 0))
        }
        #expect(roles(scene).isEmpty && knobs(scene).isEmpty)
        #expect(scene.damage.contains { $0.maxY > point(scene, 5).y + 18 }, "where the knobs were is painted")
    }

    @Test func editsOfOthersMoveTheHandles() {
        let scene = selecting("|one two three four", word: 5)
        let before = scene.view.interaction.handles
        scene.view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "ab ")
        let after = scene.view.interaction.handles
        #expect(after.map(\.role) == [.start, .end])
        #expect(zip(before, after).allSatisfy { $1.edge.minX > $0.edge.minX })
        scene.view.scroll(by: 0)
        #expect(knobs(scene).count >= 2)
    }

    // MARK: Who may refuse

    @Test func refusedTouchGestureChangesNothing() throws {
        let refused: [(TextInteraction.Gesture, (ViewScene) throws -> Void)] = [
            (.caret, { $0.tap(at: self.point($0, 8)) }),
            (
                .word,
                {
                    $0.tap(at: self.point($0, 5))
                    $0.touch(.began, at: self.point($0, 5))
                    $0.touch(.ended, at: self.point($0, 5))
                }
            ),
            (
                .longPress,
                {
                    $0.touch(.began, at: self.point($0, 5))
                    $0.pass(milliseconds: 600)
                    $0.touch(.moved, at: self.point($0, 12))
                    $0.touch(.ended, at: self.point($0, 12))
                }
            ),
            (
                .extending,
                {
                    $0.tap(at: self.point($0, 5))
                    $0.pointerTime += 1000
                    let finger = try self.knob($0, .caret)
                    $0.touch(.began, at: finger)
                    $0.touch(.moved, at: ViewPoint(x: finger.x + 60, y: finger.y))
                    $0.touch(.ended, at: ViewPoint(x: finger.x + 60, y: finger.y))
                }
            ),
        ]
        for (kind, act) in refused {
            let scene = ViewScene("one t|wo three")
            let guardian = Guardian(scene)
            guardian.refused = [kind]
            try act(scene)
            #expect(scene.state.description == "one t|wo three", "\(kind)")
            #expect(guardian.asked.last == kind && !guardian.log.contains("loupe") && !guardian.log.contains("held"))
            let allowed = guardian.asked.filter { $0 != kind }
            #expect(guardian.log.filter { $0 == "focus" }.count == allowed.count, "\(kind) takes no focus")
            #expect(!scene.view.interaction.isActive && scene.view.interaction.nextDeadline == nil)
        }
        // The view cannot get the focus.
        let scene = ViewScene("one t|wo three")
        let guardian = Guardian(scene)
        guardian.takesFocus = false
        scene.tap(at: point(scene, 8))
        #expect(scene.state.description == "one t|wo three" && guardian.asked == [.caret])
    }

    @Test func aTextThatCannotBeEditedIsSelectedAllTheSame() {
        let scene = ViewScene("|one two three")
        scene.view.isEditable = false
        scene.tap(at: point(scene, 5))
        #expect(roles(scene).isEmpty, "no caret")
        scene.touch(.began, at: point(scene, 9))
        scene.pass(milliseconds: 500)
        scene.touch(.ended, at: point(scene, 9))
        #expect(scene.state.description == "one two [three|]" && roles(scene) == [.start, .end])
    }

    /// Covers INT 19 of the checklist for interaction.
    @Test func cancelledTouchLeavesNothing() {
        let scene = ViewScene(Self.lines)
        for phase in [TouchEvent.Phase.ended, .cancelled] {
            scene.touch(.began, at: point(scene, 5))
            scene.pass(milliseconds: 500)
            scene.touch(.moved, at: ViewPoint(x: 20, y: 100))
            scene.touch(.moved, at: ViewPoint(x: 20, y: 198))
            #expect(scene.view.interaction.nextDeadline != nil)
            scene.touch(phase, at: ViewPoint(x: 20, y: 198))
            #expect(!scene.view.interaction.isActive && scene.view.interaction.nextDeadline == nil)
        }
    }
}
