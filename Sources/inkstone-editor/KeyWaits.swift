/// The reasons for which a window's keys are held. The keys are delivered when no reason is left, in whatever order they end. A value.
struct KeyWaits: Hashable {
    /// A reason for holding the keys.
    enum Reason: Hashable {
        /// The first part of a file, after which the keys are typed.
        case file
        /// The styled text that is made from a file.
        case styledText
        /// The text of a file that is read again.
        case reload
        /// Work that may lead to a question or a prompt, by its number.
        case work(Int)
    }

    /// A single wait. If a later one for the same reason has begun since, ending this one has no effect.
    struct Wait: Hashable {
        fileprivate let reason: Reason
        fileprivate let number: Int
    }

    /// The number of the latest wait for each reason.
    private var pending: [Reason: Int] = [:]
    private var count = 0

    /// Whether the keys are not held.
    var isEmpty: Bool { pending.isEmpty }

    /// Begins a wait for a reason, with nil for work of its own.
    mutating func begin(_ reason: Reason?) -> Wait {
        count += 1
        let wait = Wait(reason: reason ?? .work(count), number: count)
        pending[wait.reason] = count
        return wait
    }

    /// Whether a wait has neither ended nor been replaced by a later one.
    func contains(_ wait: Wait) -> Bool { pending[wait.reason] == wait.number }

    /// Ends a single wait.
    mutating func end(_ wait: Wait) {
        if contains(wait) { pending[wait.reason] = nil }
    }

    /// Ends the wait for a reason.
    mutating func end(_ reason: Reason) { pending[reason] = nil }

    /// Ends all waits.
    mutating func endAll() { pending = [:] }
}
