/// The properties that answers to requests for selections come in. A value that knows no display.
///
/// Whose request has been given up may still write into its property, so that one is left alone for longer than any known owner
/// goes on; as long as all others are taken too, there is one more. Times are milliseconds of any one clock.
struct SelectionSlots: Hashable, Sendable {
    /// How long a property rests that somebody may still write into: GTK 3 gives a requestor up after 30 s.
    static let rest: Int64 = 60_000

    private enum State: Hashable {
        case free
        case taken
        case resting(until: Int64)
    }

    private var states: [State] = []

    /// The number of properties there have ever been.
    var count: Int { states.count }

    /// Takes a property that nobody writes into, by its number from 0.
    mutating func take(at now: Int64) -> Int {
        let index = states.firstIndex {
            switch $0 {
            case .free: true
            case .taken: false
            case .resting(let end): now >= end
            }
        }
        guard let index else {
            states.append(.taken)
            return states.count - 1
        }
        states[index] = .taken
        return index
    }

    /// Gives a property back.
    ///
    /// - Parameter isQuiet: whether nobody will write into it any more.
    mutating func giveBack(_ index: Int, isQuiet: Bool, at now: Int64) {
        guard states.indices.contains(index) else { return }
        states[index] = isQuiet ? .free : .resting(until: now + Self.rest)
    }
}
