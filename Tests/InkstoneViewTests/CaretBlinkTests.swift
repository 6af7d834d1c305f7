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

    /// INT 33.
    @Test func aKeyMakesItSteadyAgain() {
        var blink = CaretBlink()
        blink.restart(at: 0)
        blink.restart(at: 600)
        #expect(blink.isVisible(at: 700))
        #expect(blink.nextChange(after: 700) == 1130)
    }

    /// INT 33.
    @Test func restsShownWhenIdleAndWhenStopped() {
        var blink = CaretBlink()
        #expect(blink.nextChange(after: 5) == nil)
        blink.restart(at: 0)
        #expect(blink.nextChange(after: 10_000) == nil)
        #expect(blink.isVisible(at: 10_000))
        blink.stop()
        #expect(blink.isVisible(at: 600))
        #expect(blink.nextChange(after: 600) == nil)
    }
}
