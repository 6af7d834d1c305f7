import Glibc
import InkstoneBase

/// A moment on the monotonic clock that limits a wait.
package struct Deadline: Sendable {
    /// Monotonic time now, in milliseconds.
    package static var now: Double {
        Double(MonotonicClock.nanoseconds) / 1_000_000
    }

    /// The moment, in milliseconds of the monotonic clock.
    package let moment: Double

    /// Creates the moment `milliseconds` from now.
    package init(milliseconds: Int) { moment = Self.now + Double(milliseconds) }

    /// Whether the moment has passed.
    package var hasPassed: Bool { Self.now >= moment }

    /// The remaining time, in whole milliseconds rounded up; 0 once the moment has passed.
    package var remaining: CInt { CInt(max(0, (moment - Self.now).rounded(.up))) }
}

/// A condition did not become true in time.
package struct TimedOut: Error, CustomStringConvertible {
    /// The awaited event.
    package let what: String
    /// Length of the wait, in milliseconds.
    package let milliseconds: Int
    /// The state found instead, for the failure message.
    package let instead: String

    package init(what: String, milliseconds: Int, instead: String = "") {
        self.what = what
        self.milliseconds = milliseconds
        self.instead = instead
    }

    package var description: String {
        "waited \(milliseconds) ms in vain for \(what)" + (instead.isEmpty ? "" : "; instead: \(instead)")
    }
}

/// Waits until `condition` returns a value. Evaluates it when one of `descriptors` becomes readable, and at least every `interval`
/// milliseconds.
///
/// - Parameter instead: describes the state when the time is up.
@discardableResult
package func waitFor<Value>(
    _ what: String, within milliseconds: Int = 5000, watching descriptors: [CInt] = [], every interval: CInt = 10,
    instead: () -> String = { "" }, _ condition: () throws -> Value?
) throws -> Value {
    let deadline = Deadline(milliseconds: milliseconds)
    while true {
        if let value = try condition() { return value }
        if deadline.hasPassed { throw TimedOut(what: what, milliseconds: milliseconds, instead: instead()) }
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), min(interval, deadline.remaining))
    }
}

/// Waits until `condition` is true; see ``waitFor(_:within:watching:every:instead:_:)``.
package func waitUntil(
    _ what: String, within milliseconds: Int = 5000, watching descriptors: [CInt] = [], every interval: CInt = 10,
    instead: () -> String = { "" }, _ condition: () throws -> Bool
) throws {
    try waitFor(what, within: milliseconds, watching: descriptors, every: interval, instead: instead) {
        try condition() ? true : nil
    }
}

/// Waits until the value of `observation`, which shows ongoing work, has been unchanged for some milliseconds. If something
/// signals the end of the work, wait for that instead.
package func waitUntilQuiet<Value: Equatable>(
    _ what: String, for quiet: Int, within milliseconds: Int = 5000, watching descriptors: [CInt] = [],
    _ observation: () throws -> Value
) throws {
    var last: Value?
    var end = Deadline(milliseconds: quiet)
    try waitUntil("\(what) to come to rest", within: milliseconds, watching: descriptors) {
        let now = try observation()
        if now != last { (last, end) = (now, Deadline(milliseconds: quiet)) }
        return end.hasPassed
    }
}
