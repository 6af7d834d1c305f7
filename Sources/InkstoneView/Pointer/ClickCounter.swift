import InkstoneBase

/// A counter that distinguishes single, double and triple clicks. A plain value; times are those of the X server's
/// events, in milliseconds.
package struct ClickCounter: Hashable, Sendable {
    private var lastTime: UInt32?
    private var lastButton = PointerButton.primary
    /// The position of the first press of the series.
    private var first = ViewPoint(x: 0, y: 0)
    private var count = 0

    /// Creates a counter without any press.
    package init() {}

    /// Counts a press. Returns its number, from 1, in a series of quick presses of one button at one position. Each
    /// position is compared with that of the first press; otherwise a series could move across the view in small
    /// steps.
    package mutating func press(
        _ button: PointerButton = .primary, at location: ViewPoint, time: UInt32, _ settings: PointerSettings
    ) -> Int {
        if let lastTime, button == lastButton, time &- lastTime <= settings.doubleClickTime,
            abs(location.x - first.x) <= settings.doubleClickDistance,
            abs(location.y - first.y) <= settings.doubleClickDistance
        {
            count += 1
        } else {
            count = 1
            first = location
        }
        (lastTime, lastButton) = (time, button)
        return count
    }

    /// Ends the series: the next press counts as the first.
    package mutating func reset() { lastTime = nil }
}
