import InkstoneBase
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClickCounterTests {
    private let settings = PointerSettings()

    private func point(_ x: Double, _ y: Double) -> ViewPoint { ViewPoint(x: x, y: y) }

    /// Covers INT 20 of the checklist for interaction.
    @Test func countsQuickPressesAtOnePlace() {
        var counter = ClickCounter()
        #expect([0, 100, 200, 300].map { counter.press(at: point(10, 10), time: $0, settings) } == [1, 2, 3, 4])
        counter.reset()
        #expect(counter.press(at: point(10, 10), time: 350, settings) == 1)
    }

    /// Covers INT 20 of the checklist for interaction.
    @Test func aSlowPressStartsAnewByTheSettings() {
        var counter = ClickCounter()
        #expect(counter.press(at: point(0, 0), time: 0, settings) == 1)
        #expect(counter.press(at: point(0, 0), time: 401, settings) == 1)
        #expect(counter.press(at: point(0, 0), time: 801, settings) == 2)
        var slow = settings
        slow.doubleClickTime = 1000
        #expect(counter.press(at: point(0, 0), time: 1800, slow) == 3)
    }

    /// Covers INT 20 of the checklist for interaction.
    @Test func distanceCountsOnEachAxisFromTheFirstPress() {
        var counter = ClickCounter()
        #expect(counter.press(at: point(0, 0), time: 0, settings) == 1)
        #expect(counter.press(at: point(5, -5), time: 100, settings) == 2)
        #expect(counter.press(at: point(6, 0), time: 200, settings) == 1, "near the last press, not the first")
        #expect(counter.press(at: point(6, 6), time: 300, settings) == 1)
        #expect(counter.press(at: point(14, 6), time: 400, settings.scaled(by: 2)) == 2)
    }

    @Test func buttonsCountApart() {
        var counter = ClickCounter()
        #expect(counter.press(.primary, at: point(0, 0), time: 0, settings) == 1)
        #expect(counter.press(.middle, at: point(0, 0), time: 50, settings) == 1)
        #expect(counter.press(.primary, at: point(0, 0), time: 100, settings) == 1)
    }

    @Test func survivesTheServersClockWrappingAround() {
        var counter = ClickCounter()
        #expect(counter.press(at: point(0, 0), time: .max - 50, settings) == 1)
        #expect(counter.press(at: point(0, 0), time: 49, settings) == 2)
    }
}
