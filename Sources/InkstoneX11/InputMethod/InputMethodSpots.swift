import InkstoneBase

/// The spot near which the input method's server shows its part of the composition, such as a list of candidates. It is
/// the bottom left corner of the composed clause or of the caret; near the monitor's lower edge, it is the top left
/// corner. Also the rectangle of the clause or the caret. Spot and rectangle are in pixels of the window, in 16 bits as
/// XIM requires.
struct InputMethodSpot: Hashable, Sendable {
    var x: Int16
    var y: Int16
    var areaX: Int16
    var areaY: Int16
    var areaWidth: UInt16
    var areaHeight: UInt16
    /// The origin of the window on the screen. Servers translate the spot when they receive it. So it must be sent
    /// again when the window has moved.
    var rootX: Int32
    var rootY: Int32

    /// The minimum height of candidate lists, in pixels at scale 1. If there is less room below the line, every
    /// server that usually opens its list downwards opens it upwards. The list's lower edge is then at the spot.
    static let leastListHeight = 72.0

    /// Creates the spot below `rect`, or above it if a list opens upwards. Both coordinates are clamped, because
    /// XIM's numbers have 16 bits, and because servers treat (0, 0) and less as “not set”.
    init(at rect: WindowRect, isAbove: Bool, rootOrigin: RootPoint) {
        x = Self.clamp(rect.origin.x, 1...Double(Int16.max))
        y = Self.clamp(rect.origin.y + (isAbove ? 0 : rect.size.height), 1...Double(Int16.max))
        areaX = Self.clamp(rect.origin.x, Double(Int16.min)...Double(Int16.max))
        areaY = Self.clamp(rect.origin.y, Double(Int16.min)...Double(Int16.max))
        areaWidth = Self.clamp(rect.size.width, 1...Double(UInt16.max))
        areaHeight = Self.clamp(rect.size.height, 1...Double(UInt16.max))
        rootX = Self.clamp(rootOrigin.x, -1e9...1e9)
        rootY = Self.clamp(rootOrigin.y, -1e9...1e9)
    }

    private static func clamp<Number: FixedWidthInteger>(_ value: Double, _ range: ClosedRange<Double>) -> Number {
        guard value == value else { return Number(range.lowerBound) }
        return Number(min(max(value.rounded(), range.lowerBound), range.upperBound))
    }
}

/// The spots of the windows: for each window the latest one, and the one that was last sent to the server.
struct InputMethodSpots: Hashable, Sendable {
    private var wanted: [WindowID: InputMethodSpot] = [:]
    private var sent: [WindowID: InputMethodSpot] = [:]

    /// Returns the latest spot of a window, sent or not; nil if there is none.
    func spot(of window: WindowID) -> InputMethodSpot? { wanted[window] }

    /// Stores the spot of a window, changed or not.
    mutating func want(_ spot: InputMethodSpot, in window: WindowID) { wanted[window] = spot }

    /// Marks the spot of a window as known to the server.
    mutating func didSend(_ spot: InputMethodSpot, in window: WindowID) { sent[window] = spot }

    /// Marks the spot of a window as not sent, because the server has a new context for the window.
    mutating func invalidateSent(in window: WindowID) { sent[window] = nil }

    mutating func forget(_ window: WindowID) {
        wanted[window] = nil
        sent[window] = nil
    }

    /// Returns the spot of a window if the server does not have it yet; otherwise nil.
    func unsent(in window: WindowID) -> InputMethodSpot? {
        guard let spot = wanted[window], sent[window] != spot else { return nil }
        return spot
    }

    /// Returns the time at which an unsent spot may be sent. It is some time after the last traffic in either
    /// direction. While a press is unanswered, it is also some time after the last press.
    static func dueTime(
        lastTraffic: Milliseconds, lastPress: Milliseconds, hasUnansweredPress: Bool, timing: InputTiming
    ) -> Milliseconds {
        let quiet = lastTraffic + timing.quiet
        return hasUnansweredPress ? max(quiet, lastPress + timing.probeDelay) : quiet
    }
}
