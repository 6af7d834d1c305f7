/// The waits for which the keys of a window are held. The keys are delivered when all waits have ended, in any order.
struct KeyWaits: Hashable {
    /// A reason for holding the keys.
    enum Reason: Hashable {
        /// The first part of a file has not arrived; the keys are meant for it.
        case file
        /// The styled text of a file is not ready yet.
        case styledText
        /// A file that is read again has not replaced the document yet.
        case reload
        /// Work is running that may lead to a question or a prompt. The number identifies the wait.
        case work(Int)
    }

    /// A wait that has begun. If a later wait for the same reason has begun since, ending this one has no effect.
    struct Wait: Hashable {
        fileprivate let reason: Reason
        fileprivate let number: Int
    }

    /// The reasons for which a wait is pending, with the number of the latest wait for each.
    private var pending: [Reason: Int] = [:]
    private var count = 0

    /// Whether no wait is pending. The keys need not be held then.
    var isEmpty: Bool { pending.isEmpty }

    /// Begins a wait for a reason, and returns the wait. The reason nil is for work that is independent of other
    /// waits.
    mutating func begin(_ reason: Reason?) -> Wait {
        count += 1
        let wait = Wait(reason: reason ?? .work(count), number: count)
        pending[wait.reason] = count
        return wait
    }

    /// Whether a wait is pending: it has neither ended nor been replaced by a later one for the same reason.
    func contains(_ wait: Wait) -> Bool { pending[wait.reason] == wait.number }

    /// Ends a wait, unless a later one for the same reason has replaced it.
    mutating func end(_ wait: Wait) {
        if contains(wait) { pending[wait.reason] = nil }
    }

    mutating func end(_ reason: Reason) { pending[reason] = nil }

    mutating func endAll() { pending = [:] }
}
