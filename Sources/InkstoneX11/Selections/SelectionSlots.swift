/// The properties that answers to requests for selections come in. A value that knows no display.
///
/// Whose request has been given up may still write into its property, so that one is left alone for longer than any known owner
/// goes on; as long as all others are taken too, there is one more, up to a limit. Times are milliseconds of any one clock.
struct SelectionSlots: Hashable, Sendable {
    /// How long a property rests that somebody may still write into: GTK 3 gives a requestor up after 30 s.
    static let rest: Int64 = 60_000
    /// The number from which on a property that rests is taken before its time, the first that would have been: anybody can drop
    /// something on a window that never comes, thousands of times a second.
    static let limit = 64

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
        func due(_ index: Int) -> Int64 {
            switch states[index] {
            case .free: .min
            case .taken: .max
            case .resting(let end): end
            }
        }
        let latest = states.count < Self.limit ? now : .max - 1
        guard let index = states.indices.min(by: { due($0) < due($1) }), due(index) <= latest else {
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
