import Glibc
import InkstoneBase

/// How fast a finger or a touchpad moves when it lets go: a plain value that remembers the last moments. Times are those of the events.
struct VelocityTracker: Hashable, Sendable {
    private struct Sample: Hashable {
        var time: UInt32
        var moved: Vector
    }

    /// What counts, in milliseconds before the end.
    private static let interval: UInt32 = 150
    private var samples: [Sample] = []

    /// It has moved by a distance since the last time, in pixels.
    mutating func add(_ distance: Vector, at time: UInt32) {
        samples.removeAll { time &- $0.time > Self.interval }
        samples.append(Sample(time: time, moved: distance))
    }

    /// Pixels a second when it lets go; nothing if it has rested before.
    func velocity(at time: UInt32) -> Vector {
        let recent = samples.filter { time &- $0.time <= Self.interval }
        // The first says where it was then, not how long it took to come there.
        guard let first = recent.first, recent.count > 1, time != first.time else { return Vector(dx: 0, dy: 0) }
        let seconds = Double(time &- first.time) / 1000
        let sum = recent.dropFirst().reduce(Vector(dx: 0, dy: 0)) {
            Vector(dx: $0.dx + $1.moved.dx, dy: $0.dy + $1.moved.dy)
        }
        return Vector(dx: sum.dx / seconds, dy: sum.dy / seconds)
    }
}

/// Scrolling that goes on after a finger has let go, and slows down: a plain value that is told the time. It goes no farther than the ends.
struct KineticScroll: Hashable, Sendable {
    /// Share of the speed that is lost in a second, as the exponent of a decay.
    private static let friction = 4.0
    /// Slower than so many pixels a second it is over.
    private static let slowest = 20.0
    /// Milliseconds from one step to the next.
    private static let interval: Int64 = 16
    /// A loop that was held up does not jump: no step counts more milliseconds.
    private static let longestStep: Int64 = 100

    private var velocity: Vector
    private var last: Int64
    private var rest = ScrollRemainder()

    /// Scrolling at a speed in pixels a second; nil if that is too slow to be seen.
    init?(_ velocity: Vector, at now: Int64) {
        self.velocity = velocity
        last = now
        if isOver { return nil }
    }

    private var isOver: Bool { max(abs(velocity.dx), abs(velocity.dy)) < Self.slowest }

    /// When ``step(at:)`` wants to be called, in milliseconds.
    var deadline: Int64 { last + Self.interval }

    /// How far to scroll on, in whole pixels, for the time since the last step; nil when it is over.
    mutating func step(at now: Int64) -> Vector? {
        guard !isOver else { return nil }
        guard now >= deadline else { return Vector(dx: 0, dy: 0) }
        let left = exp(-Self.friction * Double(min(now - last, Self.longestStep)) / 1000)
        let way = (1 - left) / Self.friction
        last = now
        defer { velocity = Vector(dx: velocity.dx * left, dy: velocity.dy * left) }
        return rest.take(Vector(dx: velocity.dx * way, dy: velocity.dy * way))
    }
}
