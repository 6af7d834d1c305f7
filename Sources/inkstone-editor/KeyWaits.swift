/// All that has the keys of a window wait. They come when nothing has them wait any more, whichever of it ends first. A value.
struct KeyWaits: Hashable {
    /// What keys wait for.
    enum Reason: Hashable {
        /// The start of a file, behind which they are typed.
        case file
        /// The styled text that is made of a file.
        case styledText
        /// The text of a file that is read again.
        case reload
        /// Work that may lead to a question or a prompt, by its number.
        case work(Int)
    }

    /// One wait. If another one for the same reason has begun since, its end changes nothing.
    struct Wait: Hashable {
        fileprivate let reason: Reason
        fileprivate let number: Int
    }

    /// The number of the latest wait for each reason.
    private var pending: [Reason: Int] = [:]
    private var count = 0

    /// Whether nothing has keys wait.
    var isEmpty: Bool { pending.isEmpty }

    /// Has keys wait, with nil for work that nothing else waits for.
    mutating func begin(_ reason: Reason?) -> Wait {
        count += 1
        let wait = Wait(reason: reason ?? .work(count), number: count)
        pending[wait.reason] = count
        return wait
    }

    /// Whether a wait has not ended yet, and no other one taken its place.
    func contains(_ wait: Wait) -> Bool { pending[wait.reason] == wait.number }

    /// Ends one wait.
    mutating func end(_ wait: Wait) {
        if contains(wait) { pending[wait.reason] = nil }
    }

    /// Ends the wait for a reason.
    mutating func end(_ reason: Reason) { pending[reason] = nil }

    /// Ends all waits.
    mutating func endAll() { pending = [:] }
}
