import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Pointer events in a view whose text another thread holds: the view is asked, and selects and scrolls itself.
@Suite(.timeLimit(.minutes(5))) struct AsyncInteractionTests {
    final class Page: ReferenceTextView, AsyncTextInput {
        weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
        var log: [String] = []
        var refused: TextGesture?

        func textInteractionGesture(_ gesture: TextGesture, shouldBeginAt point: ViewPoint) -> Bool {
            log.append("may \(gesture)")
            return gesture != refused
        }
        func selectPosition(at point: ViewPoint) { log.append("caret \(Int(point.x))") }
        func selectText(in granularity: TextGranularity, at point: ViewPoint) {
            log.append("\(granularity) \(Int(point.x))")
        }
        func updateSelection(extent: ViewPoint, boundary: TextGranularity, completion: @escaping (Bool) -> Void) {
            log.append("extend \(boundary) \(Int(extent.x))")
            completion(true)
        }
        func autoscroll(to point: ViewPoint) { log.append("scroll \(Int(point.x))") }
        func cancelAutoscroll() { log.append("stop") }
    }

    private let page = Page("one two three four", columns: 40)
    private let interaction = TextInteraction(for: .editable, clock: { 0 })

    init() { interaction.textInput = page }

    private func pointer(_ kind: PointerEvent.Kind, _ x: Double, isDown: Bool = true, at time: UInt32 = 0) {
        var event = PointerEvent(kind: kind, location: WindowPoint(x: x, y: 5), timestamp: time)
        event.isPrimaryDown = isDown
        interaction.handle(event, at: ViewPoint(x: x, y: 5))
    }

    @Test func aDragIsTheViews() {
        pointer(.press(.primary), 10)
        pointer(.motion, 60)
        pointer(.motion, 500)
        pointer(.release(.primary), 500, isDown: false)
        #expect(
            page.log == [
                "may caret", "caret 10", "extend character 60", "scroll 60", "extend character 500", "scroll 500",
                "stop",
            ])
    }

    @Test func aRefusedGestureChangesNothing() {
        page.refused = .caret
        pointer(.press(.primary), 10)
        pointer(.motion, 60)
        pointer(.release(.primary), 60, isDown: false)
        #expect(page.log == ["may caret"])
    }

    @Test(arguments: ["cancel", "release", "focus"]) func autoscrollStops(_ how: String) {
        if how == "release" {
            pointer(.press(.primary), 10)
            pointer(.motion, 60)
            pointer(.release(.primary), 60, isDown: false)
        } else {
            interaction.autoscroll(to: ViewPoint(x: 5, y: 900))
            // Losing the focus ends autoscrolling by the same call as Escape.
            if how == "cancel" { interaction.cancelAutoscroll() } else { #expect(interaction.cancel()) }
        }
        #expect(page.log.last == "stop")
        #expect(page.log.count { $0 == "stop" } == 1)
        interaction.cancelAutoscroll()
        #expect(page.log.count { $0 == "stop" } == 1)
    }
}
