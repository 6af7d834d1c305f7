import InkstoneBase
import Testing

@testable import InkstoneX11

/// Accumulated axis values of real devices, and the resulting scroll distances.
@Suite(.timeLimit(.minutes(5))) struct ScrollAxesTests {
    private static let mouse: Int32 = 7
    private static let pad: Int32 = 11

    private func axis(_ number: Int, vertical: Bool = true, _ increment: Double, sum: Double?) -> ScrollAxes.Axis {
        ScrollAxes.Axis(number: number, isVertical: vertical, increment: increment, sum: sum)
    }

    /// A mouse with an increment of 120 and a touchpad with one of 15, whose sums are known.
    private var devices: ScrollAxes {
        var axes = ScrollAxes()
        axes.setAxes([axis(2, vertical: false, 120, sum: 0), axis(3, 120, sum: 240)], of: Self.mouse)
        axes.setAxes([axis(2, vertical: false, 15, sum: 7), axis(3, 15, sum: -30)], of: Self.pad)
        return axes
    }

    private func step(_ dx: Double, _ dy: Double) -> ScrollAxes.Step {
        ScrollAxes.Step(distance: Vector(dx: dx, dy: dy), isUncertain: false)
    }

    @Test func distancesAreDifferencesOfEachDevicesOwnSum() {
        var axes = devices
        #expect(axes.take([3: 360], of: Self.mouse, serial: 1) == step(0, 1))
        #expect(axes.take([3: -15], of: Self.pad, serial: 1) == step(0, 1))
        #expect(axes.take([3: 240], of: Self.mouse, serial: 1) == step(0, -1), "another device loses no tick")
        #expect(axes.take([2: 37, 3: -60], of: Self.pad, serial: 1) == step(2, -3), "one event with both axes")
        #expect(axes.take([3: -60], of: Self.pad, serial: 1) == step(0, 0), "fingers were lifted")
        #expect(axes.take([0: 100, 1: 50], of: Self.mouse, serial: 1) == nil, "a motion")
    }

    /// Covers INT 03 of the checklist for interaction.
    @Test func threeThirdsOfAClickAreAClick() {
        var axes = devices
        let sum = [280.0, 320, 360].reduce(0) { $0 + (axes.take([3: $1], of: Self.mouse, serial: 1)?.distance.dy ?? 0) }
        #expect(abs(sum - 1) < 1e-12)
    }

    /// Covers INT 08 of the checklist for interaction.
    @Test func aNegativeIncrementScrollsTheRightWay() {
        var axes = ScrollAxes()
        axes.setAxes([axis(3, -1, sum: 4)], of: Self.mouse)
        #expect(axes.take([3: 3], of: Self.mouse, serial: 1) == step(0, 1))
    }

    /// Covers INT 05, INT 06 of the checklist for interaction.
    @Test func aDeviceThatTakesOverCountsFromItsReportedValues() {
        var axes = devices
        // 240 were scrolled over another window; the server reports the new value before the next event.
        axes.setAxes([axis(3, 120, sum: 480)], of: Self.mouse)
        #expect(axes.take([3: 495], of: Self.mouse, serial: 1) == step(0, 0.125))
    }

    /// Covers INT 04, INT 05 of the checklist for interaction.
    @Test func scrollingInAnotherWindowIsNotCounted() {
        var axes = devices
        axes.rebase([axis(3, 120, sum: 480)], of: Self.mouse, serial: 100)
        #expect(axes.take([3: 495], of: Self.mouse, serial: 100) == step(0, 0.125), "the first tick counts")
        #expect(axes.take([3: 510], of: Self.mouse, serial: 102) == step(0, 0.125))
    }

    /// The queried value is newer than the pending events, so nothing must be scrolled back.
    @Test func eventsFromBeforeTheAnswerAreMeasuredFromEachOther() {
        var axes = devices
        axes.rebase([axis(3, 120, sum: 720)], of: Self.mouse, serial: 100)
        #expect(axes.take([3: 480], of: Self.mouse, serial: 98)?.isUncertain == true)
        #expect(axes.take([3: 600], of: Self.mouse, serial: 98) == step(0, 1))
        #expect(axes.take([3: 720], of: Self.mouse, serial: 99) == step(0, 1))
        #expect(axes.take([3: 840], of: Self.mouse, serial: 101) == step(0, 1))
    }

    @Test func anUnknownBaseIsUncertainOnce() {
        var axes = ScrollAxes()
        axes.setAxes([axis(3, 120, sum: nil)], of: Self.mouse)
        #expect(axes.take([3: 5000], of: Self.mouse, serial: 1) == ScrollAxes.Step(isUncertain: true))
        #expect(axes.take([3: 5120], of: Self.mouse, serial: 1) == step(0, 1))
    }

    @Test func brokenNumbersScrollNothing() {
        var axes = devices
        #expect(axes.take([3: 2_147_483_647], of: Self.mouse, serial: 1) == step(0, 0), "a sum that has wrapped")
        #expect(axes.take([3: .nan], of: Self.mouse, serial: 1) == nil)
        axes.setAxes([axis(3, 0, sum: 0)], of: Self.mouse)
        #expect(axes.take([3: 1], of: Self.mouse, serial: 1) == nil)
        #expect(!axes.hasAxis(Self.mouse, isVertical: true))
    }

    @Test func buttonsCountWhereThereIsNoAxisForThem() {
        var axes = devices
        axes.setAxes([axis(3, 120, sum: 0)], of: Self.mouse)
        axes.setAxes([], of: 4)
        #expect(axes.hasAxis(Self.mouse, isVertical: true) && !axes.hasAxis(Self.mouse, isVertical: false))
        #expect(axes.knows(4) && !axes.hasAxis(4, isVertical: true) && !axes.knows(99))
    }
}
