import InkstoneBase
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClickCounterTests {
    @Test func countsQuickPressesAtOnePlaceToThreeAndStartsAgain() {
        var counter = ClickCounter()
        let here = WindowPoint(x: 10, y: 10)
        #expect([0, 100, 200, 300].map { counter.press(at: here, time: $0) } == [1, 2, 3, 1])
    }

    @Test func aSlowOrDistantPressStartsAnew() {
        var counter = ClickCounter()
        #expect(counter.press(at: WindowPoint(x: 0, y: 0), time: 0) == 1)
        #expect(counter.press(at: WindowPoint(x: 0, y: 0), time: 401) == 1)
        #expect(counter.press(at: WindowPoint(x: 6, y: 0), time: 500) == 1)
        #expect(counter.press(at: WindowPoint(x: 6, y: 5), time: 600) == 2)
    }

    @Test func survivesTheServersClockWrappingAround() {
        var counter = ClickCounter()
        #expect(counter.press(at: WindowPoint(x: 0, y: 0), time: .max - 50) == 1)
        #expect(counter.press(at: WindowPoint(x: 0, y: 0), time: 49) == 2)
    }
}
