import Glibc
import InkstoneBase

/// The speed of a finger or a touchpad when it lets go: a plain value that remembers the last moments. Times are those of the events.
struct VelocityTracker: Hashable, Sendable {
    private struct Sample: Hashable {
        var time: UInt32
        var moved: Vector
    }

    /// The period before the release whose motion counts, in milliseconds.
    private static let interval: UInt32 = 150
    private var samples: [Sample] = []

    /// Adds the distance moved since the last call, in pixels.
    mutating func add(_ distance: Vector, at time: UInt32) {
        samples.removeAll { time &- $0.time > Self.interval }
        samples.append(Sample(time: time, moved: distance))
    }

    /// Returns the speed at the release, in pixels per second; zero if the finger stopped moving before.
    func velocity(at time: UInt32) -> Vector {
        let recent = samples.filter { time &- $0.time <= Self.interval }
        // The first sample gives only a start time: its distance was covered before.
        guard let first = recent.first, recent.count > 1, time != first.time else { return Vector(dx: 0, dy: 0) }
        let seconds = Double(time &- first.time) / 1000
        let sum = recent.dropFirst().reduce(Vector(dx: 0, dy: 0)) {
            Vector(dx: $0.dx + $1.moved.dx, dy: $0.dy + $1.moved.dy)
        }
        return Vector(dx: sum.dx / seconds, dy: sum.dy / seconds)
    }
}

/// Scrolling that continues after a finger has let go and slows down: a plain value. The caller passes the time and clamps to the ends.
struct KineticScroll: Hashable, Sendable {
    /// Share of the speed that is lost in a second, as the exponent of a decay.
    private static let friction = 4.0
    /// Speed below which the scrolling ends, in pixels per second.
    private static let slowest = 20.0
    /// Milliseconds from one step to the next.
    private static let interval: Int64 = 16
    /// Longest step in milliseconds, so that a stalled event loop causes no jump.
    private static let longestStep: Int64 = 100

    private var velocity: Vector
    private var last: Int64
    private var rest = ScrollRemainder()

    /// Creates scrolling at a speed in pixels per second; nil if that is too slow to be seen.
    init?(_ velocity: Vector, at now: Int64) {
        self.velocity = velocity
        last = now
        if isOver { return nil }
    }

    private var isOver: Bool { max(abs(velocity.dx), abs(velocity.dy)) < Self.slowest }

    /// The time for the next call of ``step(at:)``, in milliseconds.
    var deadline: Int64 { last + Self.interval }

    /// Returns the distance to scroll for the time since the last step, in whole pixels; nil when the scrolling has ended.
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
