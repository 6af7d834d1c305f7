import InkstoneBase

/// Tells single, double and triple clicks apart. A plain value; times are the X server's milliseconds.
public struct ClickCounter: Hashable, Sendable {
    /// How long after a press the next one still counts on, in milliseconds.
    public var maximumInterval: UInt32 = 400
    /// How far from a press the next one still counts on, in pixels.
    public var maximumDistance = 5.0
    private var lastTime: UInt32?
    private var lastLocation = WindowPoint(x: 0, y: 0)
    private var lastCount = 0

    /// A counter that has seen no press.
    public init() {}

    /// Takes a press and returns the how manieth of a row it is: 1, 2, 3, and then 1 again.
    public mutating func press(at location: WindowPoint, time: UInt32) -> Int {
        var count = 1
        if let lastTime, time &- lastTime <= maximumInterval,
            abs(location.x - lastLocation.x) <= maximumDistance,
            abs(location.y - lastLocation.y) <= maximumDistance
        {
            count = lastCount % 3 + 1
        }
        lastTime = time
        lastLocation = location
        lastCount = count
        return count
    }
}
