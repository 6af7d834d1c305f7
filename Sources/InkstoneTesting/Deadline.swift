import Glibc
import InkstoneBase

/// A time on the monotonic clock at which a wait ends.
package struct Deadline: Sendable {
    /// The present time of the monotonic clock, in milliseconds.
    package static var now: Double {
        Double(MonotonicClock.nanoseconds) / 1_000_000
    }

    /// The time of the deadline, in milliseconds of the monotonic clock.
    package let moment: Double

    /// Creates a deadline `milliseconds` from now.
    package init(milliseconds: Int) { moment = Self.now + Double(milliseconds) }

    package var hasPassed: Bool { Self.now >= moment }

    /// The time until the deadline, in whole milliseconds rounded up; 0 once the deadline has passed.
    package var remaining: CInt { CInt(max(0, (moment - Self.now).rounded(.up))) }
}

/// The error that a condition did not become true in time.
package struct TimedOut: Error, CustomStringConvertible {
    /// A description of the awaited event.
    package let what: String
    /// The length of the wait, in milliseconds.
    package let milliseconds: Int
    /// A description of the state at the end of the wait, for the failure message.
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

/// Waits until `condition` returns a value, and returns the value. Evaluates the condition whenever one of
/// `descriptors` is readable, and at least every `interval` milliseconds.
///
/// - Parameter instead: describes the state if the time is over.
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

/// Waits until the value of `observation`, which shows the progress of some work, has not changed for `quiet`
/// milliseconds. If the work signals its end, wait for that signal instead.
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
