import InkstoneBase

/// Scrolling that continues while the pointer is held at or beyond an edge of the view.
///
/// A plain value: the caller passes the pointer's position and the time, and gets the distance to scroll. The speed
/// grows with the pointer's distance from the edge. A zone inside the edge counts as well, but only once the
/// pointer has been outside of that zone. A press on the first line therefore does not scroll.
public struct Autoscroll: Hashable, Sendable {
    /// The part of a view that shows text, and how it scrolls.
    public struct Area: Hashable, Sendable {
        /// The rectangle that shows text, in view pixels.
        public var rect: ViewRect
        /// The height of a line, in pixels.
        public var lineHeight: Double
        /// Whether the text scrolls horizontally as well.
        public var scrollsSideways: Bool

        /// Creates an area from its parts.
        public init(_ rect: ViewRect, lineHeight: Double, scrollsSideways: Bool) {
            self.rect = rect
            self.lineHeight = lineHeight
            self.scrollsSideways = scrollsSideways
        }
    }

    /// The position of the pointer, in view pixels.
    package private(set) var location: ViewPoint
    /// The time of the last step, in milliseconds; nil while the pointer is not at an edge.
    private var lastStep: Int64?
    /// Whether the zones inside the left and right edges count: true from the start, or once the pointer has been
    /// beside the text or between the zones.
    private var armedX: Bool
    /// Whether the zones inside the upper and lower edges count: true from the start, or once the pointer has been
    /// above or below the text or between the zones.
    private var armedY: Bool
    /// The fractions of a pixel that are not scrolled yet.
    private var rest = Vector(dx: 0, dy: 0)

    /// The time from one step to the next, in milliseconds.
    static let interval: Int64 = 20
    /// The longest step, in milliseconds. Without it, the text would jump after the event loop has been blocked.
    private static let longestStep: Int64 = 100
    /// The highest speed, in view heights or widths per second.
    private static let fastest = 4.0

    /// Creates the scrolling for a pointer at a position.
    ///
    /// - Parameter isArmed: whether the zones inside the edges count from the start.
    package init(at location: ViewPoint, isArmed: Bool = false) {
        self.location = location
        (armedX, armedY) = (isArmed, isArmed)
    }

    /// The time for the next call of ``step(in:_:at:)``, in milliseconds; nil for never.
    package var deadline: Int64? { lastStep.map { $0 + Self.interval } }

    /// Records the position of the pointer at a time.
    package mutating func move(to point: ViewPoint, in area: Area, _ settings: PointerSettings, at now: Int64) {
        location = point
        let zone = settings.autoscrollZone
        func arms(_ at: Double, _ low: Double, _ high: Double) -> Bool {
            at < low || at >= high || at >= low + zone && at < high - zone
        }
        if arms(point.x, area.rect.minX, area.rect.maxX) { armedX = true }
        if arms(point.y, area.rect.minY, area.rect.maxY) { armedY = true }
        let speed = speed(in: area, settings)
        if speed.dx == 0, speed.dy == 0 {
            lastStep = nil
            rest = Vector(dx: 0, dy: 0)
        } else if lastStep == nil {
            lastStep = now
        }
    }

    /// Returns the distance to scroll for the time since the last step, in whole pixels. Nil if the pointer is not
    /// at an edge, or if the next step is not due yet.
    package mutating func step(in area: Area, _ settings: PointerSettings, at now: Int64) -> Vector? {
        guard let lastStep, now >= lastStep + Self.interval else { return nil }
        self.lastStep = now
        let seconds = Double(min(now - lastStep, Self.longestStep)) / 1000
        let speed = speed(in: area, settings)
        let wanted = Vector(dx: rest.dx + speed.dx * seconds, dy: rest.dy + speed.dy * seconds)
        let whole = Vector(dx: wanted.dx.rounded(.towardZero), dy: wanted.dy.rounded(.towardZero))
        rest = Vector(dx: wanted.dx - whole.dx, dy: wanted.dy - whole.dy)
        return whole
    }

    /// Returns the speed in pixels per second, positive to the right and down.
    func speed(in area: Area, _ settings: PointerSettings) -> Vector {
        func speed(_ at: Double, _ low: Double, _ high: Double, _ isArmed: Bool) -> Double {
            // A view of a single line is too low for a zone inside its edges.
            let zone = isArmed && high - low >= 4 * settings.autoscrollZone ? settings.autoscrollZone : 0
            let before = low + zone - at
            let behind = at - (high - zone)
            guard before > 0 || behind >= 0 else { return 0 }
            let distance = max(before, behind)
            let speed = (settings.autoscrollSpeed + settings.autoscrollGain * distance) * area.lineHeight
            return min(speed, Self.fastest * max(area.lineHeight, high - low)) * (before > 0 ? -1 : 1)
        }
        return Vector(
            dx: area.scrollsSideways ? speed(location.x, area.rect.minX, area.rect.maxX, armedX) : 0,
            dy: speed(location.y, area.rect.minY, area.rect.maxY, armedY))
    }
}
