/// The blinking of a caret. It is steady after each key, then blinks, and is steady again after a while. Without
/// the focus it does not blink.
///
/// A plain value; times are milliseconds of a monotonic clock that the caller reads.
public struct CaretBlink: Hashable, Sendable {
    /// The duration of one phase, in milliseconds; 0 for a caret that never blinks.
    public var interval: Int64 = 530
    /// The time without a key after which the caret stays on, in milliseconds. An idle window then needs no timer.
    public var restsAfter: Int64 = 10_000
    private var start: Int64 = 0
    private var isActive = false

    /// Creates a caret that does not blink until ``restart(at:)``.
    package init() {}

    /// Shows the caret and starts a new phase. Call for each key and each move of the caret while the view has the
    /// focus.
    package mutating func restart(at now: Int64) {
        start = now
        isActive = true
    }

    /// Stops blinking. Call when the view loses the focus.
    package mutating func stop() {
        isActive = false
    }

    /// Whether the caret is visible at a time; always true while it does not blink.
    package func isVisible(at now: Int64) -> Bool {
        guard isBlinking(at: now) else { return true }
        return (now - start) / interval % 2 == 0
    }

    /// Returns the time of the next change between on and off; nil if there is none.
    package func nextChange(after now: Int64) -> Int64? {
        guard isBlinking(at: now) else { return nil }
        return start + ((now - start) / interval + 1) * interval
    }

    private func isBlinking(at now: Int64) -> Bool {
        isActive && interval > 0 && now - start < restsAfter
    }
}
