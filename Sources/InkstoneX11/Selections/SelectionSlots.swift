/// The properties into which owners write their answers to selection requests, by number. This value has no
/// display.
///
/// The owner of an abandoned request may still write into its property. So the property stays unused for a minute,
/// after which all known programs have given up. If no property is free, a new one is added, or beyond a limit an
/// abandoned one is used. Times are milliseconds of any one clock.
struct SelectionSlots: Hashable, Sendable {
    /// The time for which an abandoned property stays unused. GTK 3 gives up a transfer after 30 s.
    static let quarantine: Int64 = 60_000
    /// The number of properties from which on abandoned ones are used again early, the oldest first. Any client can
    /// start drops whose data never comes, thousands of times a second.
    static let limit = 64

    /// The state of a property: it can be reserved; it is reserved for a request; or it was released, but an owner may
    /// still write into it.
    private enum State: Hashable {
        case free
        case taken
        case quarantined(until: Int64)
    }

    private var states: [State] = []

    /// The number of properties used so far, free ones included.
    var count: Int { states.count }

    /// Reserves a property and returns its number, from 0.
    mutating func take(at now: Int64) -> Int {
        func due(_ index: Int) -> Int64 {
            switch states[index] {
            case .free: .min
            case .taken: .max
            case .quarantined(let end): end
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

    /// Releases a reserved property. `isQuiet`: whether the property can be reused at once, because no owner will write
    /// into it any more.
    mutating func giveBack(_ index: Int, isQuiet: Bool, at now: Int64) {
        guard states.indices.contains(index) else { return }
        states[index] = isQuiet ? .free : .quarantined(until: now + Self.quarantine)
    }
}
