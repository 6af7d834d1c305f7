import InkstoneBase

/// Scrolling that goes on by itself while the pointer is held at or beyond an edge. A plain value: it is told where the pointer is
/// and what time it is, and says how far to scroll.
///
/// The farther out the pointer, the faster. A zone inside the edge counts as well, once the pointer has been outside of it: who
/// presses on the first line does not want to scroll.
public struct Autoscroll: Hashable, Sendable {
    /// The part of a view that shows text, and how it scrolls.
    public struct Area: Hashable, Sendable {
        /// Where text is seen, in view pixels.
        public var rect: ViewRect
        /// Height of a line in pixels.
        public var lineHeight: Double
        /// Whether the text scrolls to the sides as well.
        public var scrollsSideways: Bool

        /// An area by its parts.
        public init(_ rect: ViewRect, lineHeight: Double, scrollsSideways: Bool) {
            self.rect = rect
            self.lineHeight = lineHeight
            self.scrollsSideways = scrollsSideways
        }
    }

    /// Where the pointer is.
    public private(set) var location: ViewPoint
    /// When it scrolled last, in milliseconds; nil while there is nothing to scroll for.
    private var lastStep: Int64?
    /// Whether the zone inside the edge counts, sideways and up and down.
    private var armedX: Bool
    private var armedY: Bool
    /// Parts of pixels that are still to be scrolled.
    private var rest = Vector(dx: 0, dy: 0)

    /// Milliseconds from one step to the next.
    static let interval: Int64 = 20
    /// A loop that was held up does not jump: no step counts more milliseconds.
    private static let longestStep: Int64 = 100
    /// Heights of the view that are scrolled in a second at most.
    private static let fastest = 4.0

    /// Scrolling for a pointer that is somewhere.
    ///
    /// - Parameter isArmed: whether the zone inside the edge counts from the start on.
    public init(at location: ViewPoint, isArmed: Bool = false) {
        self.location = location
        (armedX, armedY) = (isArmed, isArmed)
    }

    /// When ``step(in:_:at:)`` wants to be called, in milliseconds; nil for never.
    public var deadline: Int64? { lastStep.map { $0 + Self.interval } }

    /// The pointer is at a point, at a time.
    public mutating func move(to point: ViewPoint, in area: Area, _ settings: PointerSettings, at now: Int64) {
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

    /// How far to scroll on, in whole pixels, for the time since the last step; nil if the time has not come.
    public mutating func step(in area: Area, _ settings: PointerSettings, at now: Int64) -> Vector? {
        guard let lastStep, now >= lastStep + Self.interval else { return nil }
        self.lastStep = now
        let seconds = Double(min(now - lastStep, Self.longestStep)) / 1000
        let speed = speed(in: area, settings)
        let wanted = Vector(dx: rest.dx + speed.dx * seconds, dy: rest.dy + speed.dy * seconds)
        let whole = Vector(dx: wanted.dx.rounded(.towardZero), dy: wanted.dy.rounded(.towardZero))
        rest = Vector(dx: wanted.dx - whole.dx, dy: wanted.dy - whole.dy)
        return whole
    }

    /// Pixels a second, to the right and down if positive.
    func speed(in area: Area, _ settings: PointerSettings) -> Vector {
        func speed(_ at: Double, _ low: Double, _ high: Double, _ isArmed: Bool) -> Double {
            // A field of one line has no room for a zone.
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
