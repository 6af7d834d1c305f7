import InkstoneTesting
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct CaretBlinkTests {
    @Test func blinksInPhasesFromTheLastKey() {
        var blink = CaretBlink()
        blink.restart(at: 1000)
        #expect(blink.isVisible(at: 1000))
        #expect(blink.nextChange(after: 1000) == 1530)
        #expect(!blink.isVisible(at: 1530))
        #expect(blink.nextChange(after: 1530) == 2060)
        #expect(blink.isVisible(at: 2060))
    }

    /// Covers INT 33 of the checklist for interaction.
    @Test func aKeyMakesItSteadyAgain() {
        var blink = CaretBlink()
        blink.restart(at: 0)
        blink.restart(at: 600)
        #expect(blink.isVisible(at: 700))
        #expect(blink.nextChange(after: 700) == 1130)
    }

    /// Covers INT 33 of the checklist for interaction.
    @Test func theCaretStaysVisibleWhenIdleAndWhenStopped() {
        var blink = CaretBlink()
        #expect(blink.nextChange(after: 5) == nil)
        blink.restart(at: 0)
        #expect(blink.nextChange(after: 10_000) == nil)
        #expect(blink.isVisible(at: 10_000))
        blink.stop()
        #expect(blink.isVisible(at: 600))
        #expect(blink.nextChange(after: 600) == nil)
    }

    /// INT 33. The host schedules the next blink only when it is notified of a deadline; otherwise the caret would
    /// stay on or off.
    @Test func inATextThatCanBeEditedAgainItBlinksAgain() {
        let scene = ViewScene("ab|")
        var reported: [Int64?] = []
        scene.onDeadline = { reported.append(scene.view.nextDeadline) }
        func isShown() -> Bool { !scene.paint().fills(scene.view.theme.caret).isEmpty }
        scene.time = 600
        scene.view.handleDeadline()
        #expect(!isShown())
        scene.view.isEditable = false
        #expect(isShown() && reported.last == .some(nil), "it stands still: \(reported)")
        scene.time = 5000
        scene.view.isEditable = true
        #expect(isShown() && reported.last == 5530, "\(reported)")
        scene.time = 5530
        scene.view.handleDeadline()
        #expect(!isShown() && reported.last == 6060, "\(reported)")
    }
}
