import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// The behaviour of ``TextInteraction`` in a view, apart from selecting by units.
@Suite(.timeLimit(.minutes(5))) struct TextInteractionTests {
    /// The delegate and the host of a view, which record their calls.
    final class Surroundings: TextInteractionDelegate, TextInteractionHost {
        var refused: TextInteraction.Gesture?
        var asked: [TextInteraction.Gesture] = []
        var log: [String] = []
        /// The gestures that the host was asked to prepare for.
        var begun: [TextInteraction.Gesture] = []
        var takesDrags = true
        /// The range of a link, in UTF-16 code units.
        var link: Range<Int>?

        init(_ scene: ViewScene) {
            scene.view.interaction.delegate = self
            scene.view.interaction.host = self
        }

        func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool {
            asked.append(gesture)
            return gesture != refused
        }
        func textInteraction(_ interaction: TextInteraction, hasLinkAt position: TextPosition) -> Bool {
            link?.contains(position.offset.value) ?? false
        }
        func textInteraction(_ interaction: TextInteraction, openLinkAt position: TextPosition) {
            log.append("open \(position.offset.value)")
        }
        func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
            begun.append(gesture)
            return true
        }
        func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) { log.append("selected") }
        func textInteraction(
            _ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32
        ) { log.append("paste \(position.offset.value)") }
        func textInteraction(
            _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
        ) -> Bool {
            log.append(event.modifiers.contains(.control) ? "drag a copy" : "drag")
            return takesDrags
        }
        func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {
            log.append("menu")
        }
        func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) { log.append("long") }
        func textInteractionDidAutoscroll(_ interaction: TextInteraction) { log.append("scrolled") }
    }

    private func point(_ scene: ViewScene, _ offset: Int) -> ViewPoint {
        let caret = scene.view.caretRect(for: scene.view.position(UTF16Offset(offset)))
        return ViewPoint(x: caret.minX + 1, y: caret.minY + caret.height / 2)
    }

    private func ranges(_ scene: ViewScene) -> String { scene.view.selection?.description ?? "none" }

    // MARK: Presses on selected text

    /// Covers INT 23 of the checklist for interaction.
    @Test func aPressOnSelectedTextDragsItOrPutsTheCaretThere() {
        let scene = ViewScene("one [two|] three")
        let surroundings = Surroundings(scene)
        scene.press(at: point(scene, 5))
        #expect(scene.state.description == "one [two|] three", "it waits")
        scene.release(at: point(scene, 5))
        #expect(scene.state.description == "one t|wo three" && surroundings.log.isEmpty)

        scene.view.set("one [two|] three")
        scene.press(at: point(scene, 5))
        scene.drag(to: point(scene, 8))
        #expect(surroundings.log == ["drag"] && scene.state.description == "one [two|] three")
        scene.drag(to: point(scene, 12))
        scene.release(at: point(scene, 12))
        #expect(surroundings.log == ["drag"] && scene.state.description == "one [two|] three", "the host's by then")
    }

    @Test func aDragThatNobodyTakesSelectsFromThePress() {
        let scene = ViewScene("one [two|] three")
        let surroundings = Surroundings(scene)
        surroundings.takesDrags = false
        scene.press(at: point(scene, 5))
        scene.drag(to: point(scene, 10))
        #expect(scene.state.description == "one t[wo th|]ree")
    }

    /// Covers INT 23 of the checklist for interaction.
    @Test func theBlankBesideALineIsNoSelectedText() {
        let scene = ViewScene("one [two\nthree|]")
        let surroundings = Surroundings(scene)
        let beside = ViewPoint(x: 300, y: point(scene, 5).y)
        scene.press(at: beside)
        #expect(scene.state.description == "one two|\nthree", "at once")
        scene.drag(to: point(scene, 1))
        #expect(surroundings.log.isEmpty && scene.state.description == "o[|ne two]\nthree")
    }

    /// Covers INT 22 of the checklist for interaction.
    @Test func doubleAndTriplePressesOnSelectedTextSelect() {
        for (count, expected) in [(2, "one two three [four|]"), (3, "[one two three four|]")] {
            let scene = ViewScene("[one two three four|]")
            let surroundings = Surroundings(scene)
            scene.press(at: point(scene, 15), count: count)
            scene.drag(to: point(scene, 17))
            #expect(!surroundings.log.contains("drag") && scene.state.description == expected)
        }
    }

    /// The caret position nearest to the right half of a word's last letter is after the word, where no word is.
    @Test func aDoubleClickSelectsTheWordUnderItWhicheverEdgeOfTheLetterIsNearer() {
        for (text, low, word) in [("a b cd", 0, "a"), ("a b cd", 2, "b"), ("a b cd", 5, "cd"), ("אב גד", 1, "אב")] {
            let scene = ViewScene("|")
            scene.view.text = text
            let letter = scene.view.firstRect(for: scene.view.range(UTF16Offset(low)..<UTF16Offset(low + 1)))
            for x in [letter.minX + 1, letter.maxX - 1] {
                scene.click(at: ViewPoint(x: x, y: letter.minY + letter.height / 2), count: 2)
                #expect(scene.view.session.selectedText == word, "\(text) at \(x)")
            }
        }
        let scene = ViewScene("|one two three")
        let letters = [4, 12].map { scene.view.firstRect(for: scene.view.range(UTF16Offset($0)..<UTF16Offset($0 + 1))) }
        scene.press(at: ViewPoint(x: letters[0].minX + 1, y: letters[0].minY + 5), count: 2)
        scene.drag(to: ViewPoint(x: letters[1].maxX - 1, y: letters[1].minY + 5))
        #expect(scene.state.description == "one [two three|]", "a drag goes on by the words under it")
    }

    @Test func aTripleClickMaySelectTheVisualLine() {
        let scene = ViewScene(CaretNotation("|" + String(repeating: "word ", count: 40)))
        scene.view.interaction.settings.tripleClickSelectsLine = true
        let line = { (y: Double) in
            scene.view.unit(.line, enclosing: scene.view.place(closestTo: ViewPoint(x: 9, y: y)))
        }
        scene.press(at: ViewPoint(x: 50, y: 30), count: 3)
        #expect(scene.view.selection?.range == line(30) && line(30) != line(50))
        scene.drag(to: ViewPoint(x: 50, y: 50))
        #expect(scene.view.selection?.range == line(30).lowerBound..<line(50).upperBound)
    }

    // MARK: Several ranges

    /// Covers INT 31 of the checklist for interaction.
    @Test func controlAddsAndTakesAway() {
        let scene = ViewScene("one| two three")
        scene.click(at: point(scene, 7), .control)
        #expect(ranges(scene) == "3 7*")
        scene.press(at: point(scene, 9), .control)
        #expect(ranges(scene) == "3 7*", "not before it is clear what is meant")
        scene.drag(to: point(scene, 12), .control)
        scene.release(at: point(scene, 12), .control)
        #expect(ranges(scene) == "3 7 9→12*")
        scene.click(at: point(scene, 3), .control)
        #expect(ranges(scene) == "7 9→12*")
        scene.click(at: point(scene, 7), .control)
        scene.click(at: point(scene, 10), .control)
        #expect(ranges(scene) == "9→12", "the last one stays")
        scene.click(at: point(scene, 1), count: 2, .control)
        #expect(ranges(scene) == "0→3* 9→12", "a word as well")
        scene.view.insertText("x")
        #expect(scene.view.text == "x two txe")
        scene.click(at: point(scene, 0))
        #expect(ranges(scene) == "0")
    }

    @Test func anAddedSelectionIsExtendedByWords() {
        let scene = ViewScene("|one two three four")
        scene.press(at: point(scene, 5), count: 2, .control)
        scene.drag(to: point(scene, 10), .control)
        #expect(ranges(scene) == "0 4→13*")
        scene.drag(to: point(scene, 1), .control)
        #expect(ranges(scene) == "7→0", "it has come over the caret")
    }

    @Test(arguments: [KeyModifiers.alt, [.control, .shift]]) func aRectangleSelectsOnEachLine(_ modifiers: KeyModifiers)
    {
        let scene = ViewScene("|0123456789\nab\n0123456789\n\n0123")
        let start = point(scene, 3)
        let end = point(scene, 21)
        scene.press(at: start, modifiers)
        scene.drag(to: end, modifiers)
        #expect(ranges(scene) == "3→7 17→21*", "a line that ends left of it has nothing")
        scene.drag(to: ViewPoint(x: end.x, y: start.y), modifiers)
        #expect(ranges(scene) == "3→7")
        scene.drag(to: ViewPoint(x: start.x, y: end.y), modifiers)
        #expect(ranges(scene) == "3 17*", "carets")
        scene.drag(to: ViewPoint(x: 0, y: end.y), modifiers)
        #expect(ranges(scene) == "3→0 13→11 17→14*")
        scene.release(at: end, modifiers)
        scene.view.insertText("-")
        #expect(scene.view.text == "-3456789\n-\n-3456789\n\n0123")
    }

    @Test func aRectangleFromBelowAndBesideAllLines() {
        let scene = ViewScene("|0123\n01\n0123")
        scene.press(at: point(scene, 11), .alt)
        scene.drag(to: ViewPoint(x: point(scene, 1).x, y: point(scene, 1).y), .alt)
        #expect(ranges(scene) == "3→1* 7→6 11→9")
        let far = ViewPoint(x: 300, y: point(scene, 0).y)
        scene.press(at: far, .alt)
        scene.drag(to: ViewPoint(x: 320, y: point(scene, 9).y), .alt)
        #expect(ranges(scene) == "4 7 12*", "nothing reaches in: the ends")
    }

    @Test func rectanglesTakeWholeClustersAndVisualOrder() {
        // Tabs are included by their centre; Hebrew is in visual order.
        let scene = ViewScene("|a\tb\n012345678\nabאבגדef")
        scene.press(at: point(scene, 4), .alt)
        let third = point(scene, 7)
        scene.drag(to: ViewPoint(x: third.x, y: point(scene, 14).y), .alt)
        #expect(
            scene.view.selection?.ranges.map(\.range) == [4..<7, 14..<16, 19..<20], "what is seen in three columns")
        scene.press(at: ViewPoint(x: point(scene, 0).x, y: point(scene, 0).y), .alt)
        scene.drag(to: ViewPoint(x: point(scene, 7).x, y: point(scene, 4).y), .alt)
        #expect(scene.view.selection?.ranges.first?.range == 0..<1, "the tab's centre lies beyond")
        scene.drag(to: ViewPoint(x: point(scene, 10).x, y: point(scene, 4).y), .alt)
        #expect(scene.view.selection?.ranges.first?.range == 0..<2)
    }

    // MARK: Vetoes

    /// Covers INT 25 of the checklist for interaction.
    @Test(arguments: TextInteraction.Gesture.allCases) func aVetoedGestureChangesNothing(
        _ gesture: TextInteraction.Gesture
    ) {
        let scene = ViewScene("one [two|] three four")
        let surroundings = Surroundings(scene)
        surroundings.link = 14..<18
        surroundings.refused = gesture
        scene.view.interaction.settings.longPressInterval = 500
        let before = scene.state
        let there = point(scene, 9)
        switch gesture {
        case .caret: scene.press(at: there)
        case .word:
            surroundings.refused = .caret
            scene.click(at: there)
            surroundings.refused = .word
            scene.pointerTime -= 5_050
            scene.press(at: there)
        case .paragraph:
            // Refuse the first two gestures too, which would select.
            for refused in [TextInteraction.Gesture.caret, .word] {
                surroundings.refused = refused
                scene.click(at: there)
                scene.pointerTime -= 5_050
            }
            surroundings.refused = .paragraph
            scene.press(at: there)
        case .extending: scene.press(at: there, .shift)
        case .several: scene.press(at: there, .control)
        case .rectangle: scene.press(at: there, .alt)
        case .drag: scene.press(at: point(scene, 5))
        case .paste: scene.press(at: there, button: .middle)
        case .link: scene.press(at: point(scene, 15), .control)
        case .longPress:
            scene.press(at: point(scene, 5))
            scene.time += 600
            scene.view.handleDeadline()
        case .menu: scene.press(at: there, button: .secondary)
        }
        if gesture == .caret || gesture == .drag || gesture == .rectangle { scene.drag(to: point(scene, 12)) }
        let button: PointerButton = gesture == .paste ? .middle : gesture == .menu ? .secondary : .primary
        scene.release(at: there, gesture == .link || gesture == .several ? .control : [], button: button)
        #expect(surroundings.asked.contains(gesture), "asked for \(surroundings.asked)")
        #expect(!surroundings.begun.contains(gesture), "neither focus nor composition")
        #expect(scene.state == before && surroundings.log.isEmpty, "\(scene.state), \(surroundings.log)")
        #expect(!scene.view.interaction.isActive)
        // The next gesture is judged anew.
        surroundings.refused = nil
        scene.click(at: point(scene, 1))
        #expect(scene.state.description == "o|ne two three four")
    }

    // MARK: Middle button, links, menu, long press

    /// Covers INT 28 of the checklist for interaction.
    @Test func theMiddleButtonPastesAtThePointer() {
        let scene = ViewScene("[one|] two")
        let surroundings = Surroundings(scene)
        scene.click(at: point(scene, 5), button: .middle)
        #expect(surroundings.log == ["paste 5"] && scene.state.description == "[one|] two", "the host pastes")
        scene.press(at: point(scene, 5), button: .middle)
        scene.point(.scroll(Vector(dx: 0, dy: 1)), at: point(scene, 5))
        scene.release(at: point(scene, 5), button: .middle)
        scene.view.isEditable = false
        scene.click(at: point(scene, 5), button: .middle)
        #expect(surroundings.log == ["paste 5"])
    }

    @Test func linksOpenWithControlOrWhereTextIsNotEdited() {
        let scene = ViewScene("|one two")
        let surroundings = Surroundings(scene)
        surroundings.link = 4..<7
        scene.click(at: point(scene, 5))
        #expect(surroundings.log.isEmpty && scene.state.description == "one t|wo")
        scene.click(at: point(scene, 6), .control)
        #expect(surroundings.log == ["open 6"] && scene.state.description == "one t|wo")
        scene.view.interaction.mode = .nonEditable
        scene.click(at: point(scene, 4))
        #expect(surroundings.log == ["open 6", "open 4"])
        scene.press(at: point(scene, 4))
        scene.drag(to: point(scene, 7))
        scene.release(at: point(scene, 7))
        #expect(surroundings.log == ["open 6", "open 4", "selected"])
    }

    @Test func theMenuKeepsASelectionThatItIsOpenedOn() {
        let scene = ViewScene("one [two|] three")
        let surroundings = Surroundings(scene)
        scene.click(at: point(scene, 5), button: .secondary)
        #expect(surroundings.log == ["menu"] && scene.state.description == "one [two|] three")
        scene.click(at: point(scene, 10), button: .secondary)
        #expect(surroundings.log == ["menu", "menu"] && scene.state.description == "one two th|ree")
    }

    @Test func aLongPressSelectsAWordAndGoesOnByWords() {
        let scene = ViewScene("|one two three")
        let surroundings = Surroundings(scene)
        scene.view.interaction.settings.longPressInterval = 500
        scene.press(at: point(scene, 5))
        #expect(scene.view.interaction.nextDeadline == 500)
        scene.time = 500
        scene.view.handleDeadline()
        #expect(surroundings.log == ["long"] && scene.state.description == "one [two|] three")
        scene.drag(to: point(scene, 9))
        #expect(scene.state.description == "one [two three|]")
    }

    // MARK: Autoscroll

    private static let lines = CaretNotation("|" + (0..<400).map { "line \($0)\n" }.joined())

    /// Creates a view with a drag held below its lower edge.
    private func scrolling() -> ViewScene {
        let scene = ViewScene(Self.lines)
        scene.press(at: ViewPoint(x: 20, y: 50))
        scene.drag(to: ViewPoint(x: 20, y: 230))
        return scene
    }

    private func wait(_ scene: ViewScene, milliseconds: Int64 = 1000) {
        for _ in 0..<(milliseconds / 20) {
            scene.time += 20
            scene.view.handleDeadline()
        }
    }

    /// Covers INT 26 of the checklist for interaction.
    @Test func aDragScrollsOnAtRestAndSelects() {
        let scene = scrolling()
        let first = scene.view.viewport.scroll.y
        let head = scene.view.selection?.head ?? 0
        wait(scene)
        let slow = scene.view.viewport.scroll.y - first
        #expect(slow > 0 && (scene.view.selection?.head ?? 0) > head)
        scene.drag(to: ViewPoint(x: 20, y: 300))
        let second = scene.view.viewport.scroll.y
        wait(scene)
        #expect(scene.view.viewport.scroll.y - second > slow, "faster with distance")
        #expect(scene.view.selection?.head == scene.view.offset(at: ViewPoint(x: 20, y: 300)))
    }

    /// Covers INT 26 of the checklist for interaction.
    @Test(arguments: ["release", "escape", "cancel", "focus", "lost release", "back inside"])
    func autoscrollEnds(_ end: String) {
        let scene = scrolling()
        wait(scene, milliseconds: 100)
        switch end {
        case "release": scene.release(at: ViewPoint(x: 20, y: 230))
        case "escape": #expect(scene.view.perform(.cancelOperation))
        case "cancel": scene.view.interaction.cancelAutoscroll()
        case "focus": scene.view.setFocused(false)
        case "lost release":
            scene.view.point(.motion, at: ViewPoint(x: 20, y: 230), isPrimaryDown: false)
        default: scene.drag(to: ViewPoint(x: 20, y: 100))
        }
        let selection = scene.view.selection
        let y = scene.view.viewport.scroll.y
        #expect(y > 0 && scene.view.interaction.nextDeadline == nil)
        wait(scene)
        #expect(scene.view.viewport.scroll.y == y && scene.view.selection == selection)
        #expect(scene.view.isDragging == (end == "cancel" || end == "back inside"))
    }

    @Test func aHostScrollsToAPointOfItsOwn() {
        let scene = ViewScene(Self.lines)
        let surroundings = Surroundings(scene)
        scene.view.interaction.autoscroll(to: ViewPoint(x: 20, y: 198))
        wait(scene, milliseconds: 200)
        #expect(
            scene.view.viewport.scroll.y > 0 && surroundings.log.contains("scrolled"), "in the zone inside the edge")
        scene.view.interaction.cancelAutoscroll()
        let y = scene.view.viewport.scroll.y
        wait(scene)
        #expect(scene.view.viewport.scroll.y == y && scene.view.selection == Selection(caret: 0))
    }

    /// Covers INT 10 of the checklist for interaction.
    @Test func aWheelDuringADragScrollsAndSelects() {
        let scene = ViewScene(Self.lines)
        let point = ViewPoint(x: 20, y: 100)
        scene.press(at: ViewPoint(x: 20, y: 50))
        scene.drag(to: point)
        let head = scene.view.selection?.head ?? 0
        scene.view.scroll(by: 60)
        scene.point(.scroll(Vector(dx: 0, dy: 1)), at: point)
        #expect((scene.view.selection?.head ?? 0) > head && scene.view.selection?.head == scene.view.offset(at: point))
    }

    @Test func aPressScrollsNothingUnderTheButton() {
        let scene = ViewScene(Self.lines)
        let half = ViewPoint(x: 20, y: 199)
        scene.press(at: half)
        #expect(scene.view.viewport.scroll.y == 0)
        scene.drag(to: ViewPoint(x: 21, y: 199))
        #expect(scene.view.selection?.isCaret == true)
        scene.release(at: half)
        #expect(scene.view.viewport.scroll.y > 0, "at the release the whole line comes into sight")
    }

    @Test func theInitialSelectionOfAGestureFollowsEdits() {
        let scene = ViewScene("|one two three")
        scene.press(at: point(scene, 5), count: 2)
        scene.view.session.replaceText(in: 0..<3, with: "hundred")
        scene.drag(to: point(scene, 13))
        #expect(scene.state.description == "hundred [two three|]")
    }
}
