import InkstoneBase
import InkstoneText
import InkstoneView
import Testing

/// Pointer gestures recognized from events, without a text.
@Suite(.timeLimit(.minutes(5))) struct PointerGestureTests {
    private let settings = PointerSettings()
    private let here = ViewPoint(x: 50, y: 50)
    private let near = ViewPoint(x: 58, y: 42)
    private let far = ViewPoint(x: 59, y: 50)

    private func press(
        _ gesture: inout PointerGesture, _ button: PointerButton = .primary, _ modifiers: KeyModifiers = [],
        time: UInt32 = 1000, on target: PointerGesture.Target = PointerGesture.Target()
    ) -> [PointerGesture.Action] {
        gesture.press(button, at: here, modifiers: modifiers, time: time, settings) { target }
    }

    /// Covers INT 20 of the checklist for interaction.
    @Test func clicksSelectLargerUnitsAndTheFourthNothingNew() {
        var gesture = PointerGesture()
        let units: [TextGranularity] = [.character, .word, .paragraph, .paragraph]
        for (index, unit) in units.enumerated() {
            #expect(press(&gesture, time: 1000 + UInt32(index) * 100) == [.select(unit, at: here)])
            #expect(gesture.isSelecting)
            #expect(gesture.release(.primary) == [.finish])
        }
        #expect(!gesture.isActive)
    }

    @Test func besideTheTextAFirstPressTakesWholeParagraphs() {
        var gesture = PointerGesture()
        let selected = PointerGesture.Target(isSelected: true)
        var settings = settings
        settings.longPressInterval = 500
        #expect(
            gesture.press(.primary, at: here, time: 1000, by: .paragraph, settings) { selected }
                == [.select(.paragraph, at: here)])
        #expect(gesture.deadline == nil, "a long press there means nothing")
        #expect(gesture.move(to: far, settings) == [.drag(to: far)])
        _ = gesture.release(.primary)
        #expect(
            gesture.press(.primary, at: here, modifiers: .shift, time: 1100, by: .paragraph, settings) { selected }
                == [.extend(to: here, by: .paragraph)])
    }

    /// Covers INT 23 of the checklist for interaction.
    @Test func aPressOnSelectedTextWaitsForTheReleaseOrTheThreshold() {
        let selected = PointerGesture.Target(isSelected: true)
        var gesture = PointerGesture()
        #expect(press(&gesture, on: selected).isEmpty && gesture.isActive && !gesture.isSelecting)
        #expect(gesture.move(to: near, settings).isEmpty, "8 px are not beyond the threshold")
        #expect(gesture.release(.primary) == [.select(.character, at: here), .finish])
        #expect(press(&gesture, time: 5000, on: selected).isEmpty)
        #expect(gesture.move(to: far, settings) == [.dragSelection(from: here, to: far)])
        #expect(gesture.move(to: here, settings).isEmpty && gesture.release(.primary).isEmpty, "the host's by then")
        // Only the first press of a multiple click can start a drag.
        #expect(press(&gesture, time: 9000, on: selected).isEmpty)
        #expect(gesture.release(.primary).count == 2)
        #expect(press(&gesture, time: 9100, on: selected) == [.select(.word, at: here)])
        #expect(gesture.move(to: far, settings) == [.drag(to: far)])
    }

    @Test func aDragThatNobodyTakesSelects() {
        var gesture = PointerGesture()
        _ = press(&gesture, on: PointerGesture.Target(isSelected: true))
        _ = gesture.move(to: far, settings)
        #expect(gesture.selectInstead(from: here, to: far) == [.select(.character, at: here), .drag(to: far)])
        #expect(gesture.isSelecting && gesture.release(.primary) == [.finish])
    }

    /// Covers INT 31, RT 82 of the checklist for interaction.
    @Test func aPressWithControlHasFourMeanings() {
        func meaning(_ target: PointerGesture.Target, moving: Bool) -> [PointerGesture.Action] {
            var gesture = PointerGesture()
            #expect(press(&gesture, .primary, .control, on: target).isEmpty, "decided later")
            let moved = moving ? gesture.move(to: far, settings) : []
            return moved + gesture.release(.primary)
        }
        #expect(meaning(.init(isLink: true), moving: false) == [.openLink(at: here)])
        #expect(meaning(.init(isSelected: true), moving: true) == [.dragSelection(from: here, to: far)])
        #expect(meaning(.init(), moving: false) == [.toggleCaret(at: here), .finish])
        #expect(meaning(.init(), moving: true) == [.add(.character, at: here), .drag(to: far), .finish])
        #expect(meaning(.init(isLink: true), moving: true).first == .add(.character, at: here))
        #expect(meaning(.init(takesSeveral: false), moving: false) == [.select(.character, at: here), .finish])
    }

    @Test func rectanglesHaveTwoBindings() {
        for modifiers: KeyModifiers in [.alt, [.control, .shift]] {
            var gesture = PointerGesture()
            #expect(press(&gesture, .primary, modifiers) == [.beginRectangle(at: here)])
            #expect(gesture.move(to: far, settings) == [.drag(to: far)])
            #expect(gesture.release(.primary) == [.finish])
            #expect(
                press(&gesture, .primary, modifiers, time: 9000, on: .init(takesSeveral: false)).first
                    != .beginRectangle(at: here))
        }
    }

    /// Covers INT 29 of the checklist for interaction.
    @Test func theMiddleButtonPastesUnlessSomethingMovesMeanwhile() {
        var gesture = PointerGesture()
        #expect(press(&gesture, .middle).isEmpty)
        #expect(gesture.move(to: near, isHeld: false, settings).isEmpty, "the first button is not what is held")
        #expect(gesture.release(.middle) == [.paste(at: here)])
        _ = press(&gesture, .middle)
        _ = gesture.move(to: far, isHeld: false, settings)
        #expect(gesture.release(.middle).isEmpty)
        _ = press(&gesture, .middle)
        #expect(gesture.scroll(at: here).isEmpty)
        #expect(gesture.release(.middle).isEmpty)
        var off = settings
        off.pastesPrimary = false
        _ = gesture.press(.middle, at: here, time: 0, off) { .init() }
        #expect(gesture.release(.middle).isEmpty)
    }

    @Test func linksOpenAtTheReleaseWhereTextIsNotEdited() {
        let link = PointerGesture.Target(isLink: true, opensLinks: true)
        var gesture = PointerGesture()
        #expect(press(&gesture, on: link) == [.select(.character, at: here)])
        _ = gesture.move(to: near, settings)
        #expect(gesture.release(.primary) == [.finish, .openLink(at: here)])
        _ = press(&gesture, time: 9000, on: link)
        _ = gesture.move(to: far, settings)
        #expect(gesture.release(.primary) == [.finish], "it was a drag")
        _ = press(&gesture, time: 19000, on: .init(isLink: true))
        #expect(gesture.release(.primary) == [.finish], "it is edited")
    }

    @Test func aLostReleaseEndsTheDrag() {
        var gesture = PointerGesture()
        _ = press(&gesture)
        #expect(gesture.move(to: far, isHeld: false, settings).isEmpty && !gesture.isActive)
        #expect(gesture.release(.primary).isEmpty)
    }

    @Test func otherButtonsMeanNothingDuringADrag() {
        var gesture = PointerGesture()
        _ = press(&gesture)
        #expect(press(&gesture, .secondary).isEmpty && press(&gesture, .middle).isEmpty && gesture.isSelecting)
        #expect(gesture.release(.middle).isEmpty && gesture.release(.secondary).isEmpty && gesture.isSelecting)
        #expect(gesture.scroll(at: far) == [.drag(to: far)], "a wheel scrolls and selects")
        #expect(gesture.release(.primary) == [.finish])
        #expect(press(&gesture, .secondary) == [.openMenu(at: here)])
    }

    @Test func aPressThatIsHeldStillIsALongOne() {
        var patient = settings
        patient.longPressInterval = 500
        func held(until end: Int64, moving: ViewPoint?) -> [PointerGesture.Action] {
            var gesture = PointerGesture()
            _ = gesture.press(.primary, at: here, time: 0, at: 1000, patient) { .init() }
            if let moving { _ = gesture.move(to: moving, patient) }
            return gesture.deadlinePassed(at: end)
        }
        #expect(held(until: 1499, moving: nil).isEmpty)
        #expect(held(until: 1500, moving: near) == [.longPress(at: here)])
        #expect(held(until: 1500, moving: far).isEmpty)
        var gesture = PointerGesture()
        _ = press(&gesture)
        #expect(gesture.deadline == nil, "not with a mouse")
    }
}
