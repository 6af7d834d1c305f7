import Glibc
import InkstoneBase

/// The speed of a finger or touchpad at the moment of release, computed from the last motions. A plain value; times
/// are those of the events.
struct VelocityTracker: Hashable, Sendable {
    private struct Sample: Hashable {
        var time: UInt32
        var moved: Vector
    }

    /// The period before the release in which motions count, in milliseconds.
    private static let interval: UInt32 = 150
    private var samples: [Sample] = []

    /// Records the distance moved since the last call, in pixels.
    mutating func add(_ distance: Vector, at time: UInt32) {
        samples.removeAll { time &- $0.time > Self.interval }
        samples.append(Sample(time: time, moved: distance))
    }

    /// Returns the speed at the release, in pixels per second; zero if the finger had stopped moving by then.
    func velocity(at time: UInt32) -> Vector {
        let recent = samples.filter { time &- $0.time <= Self.interval }
        // The first sample only marks the start of the time: its distance was covered before.
        guard let first = recent.first, recent.count > 1, time != first.time else { return Vector(dx: 0, dy: 0) }
        let seconds = Double(time &- first.time) / 1000
        let sum = recent.dropFirst().reduce(Vector(dx: 0, dy: 0)) {
            Vector(dx: $0.dx + $1.moved.dx, dy: $0.dy + $1.moved.dy)
        }
        return Vector(dx: sum.dx / seconds, dy: sum.dy / seconds)
    }
}

/// Scrolling that continues after a finger has been lifted, and slows down. A plain value: the caller passes the
/// time, and limits the distance to the ends of the text.
struct KineticScroll: Hashable, Sendable {
    /// The decay of the speed: after t seconds, exp(-friction·t) of it is left.
    private static let friction = 4.0
    /// The speed below which the scrolling ends, in pixels per second.
    private static let slowest = 20.0
    /// Milliseconds from one step to the next.
    private static let interval: Int64 = 16
    /// The longest step, in milliseconds. Without it, the text would jump after the event loop has been blocked.
    private static let longestStep: Int64 = 100

    private var velocity: Vector
    private var last: Int64
    private var rest = ScrollRemainder()

    /// Creates kinetic scrolling at a speed in pixels per second; nil if the speed is below the slowest.
    init?(_ velocity: Vector, at now: Int64) {
        self.velocity = velocity
        last = now
        if isOver { return nil }
    }

    private var isOver: Bool { max(abs(velocity.dx), abs(velocity.dy)) < Self.slowest }

    /// The time for the next call of ``step(at:)``, in milliseconds.
    var deadline: Int64 { last + Self.interval }

    /// Returns the distance to scroll for the time since the last step, in whole pixels. Zero if the next step is
    /// not due yet; nil when the scrolling has ended.
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
