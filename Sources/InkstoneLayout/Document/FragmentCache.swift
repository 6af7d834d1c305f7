/// Which fragments have lines that are kept: some screens full, the ones used last.
struct FragmentCache {
    /// Units of text whose lines are kept at most.
    static let limit = 1 << 17

    /// Fragments that have lines, oldest use first as far as known.
    private(set) var kept: [LaidFragment] = []
    /// Their units, with something for each fragment's own size.
    private var units = 0
    private var clock = 0
    /// The fragment asked for last, of use as long as the generation stays and its lines are kept.
    private var last: (generation: Int, placed: PlacedFragment)?

    /// Whether more is kept than should be.
    var isOverfull: Bool { units > Self.limit }

    /// Keeps the lines of a new fragment.
    mutating func add(_ fragment: LaidFragment) {
        kept.append(fragment)
        units += fragment.memoryUnits
        clock += 1
        fragment.lastUse = clock
    }

    /// Notes that a fragment was asked for.
    mutating func use(_ placed: PlacedFragment, _ generation: Int) {
        clock += 1
        placed.fragment.lastUse = clock
        last = (generation, placed)
    }

    /// The fragment asked for last, if it holds a unit and the layout's generation is still the same.
    mutating func last(at unit: Int, _ generation: Int) -> PlacedFragment? {
        guard let last, last.generation == generation, last.placed.holds(unit) else { return nil }
        clock += 1
        last.placed.fragment.lastUse = clock
        return last.placed
    }

    /// What is kept so far, for ``drop(to:)``.
    var mark: Mark { Mark(count: kept.count, units: units) }

    /// Takes away what was added since a mark.
    mutating func drop(to mark: Mark) {
        kept.removeSubrange(mark.count...)
        units = mark.units
        last = nil
    }

    struct Mark {
        fileprivate var count: Int
        fileprivate var units: Int
    }

    /// Takes away what was used least lately, down to half of what may be kept. Returns what is left. O(n log n).
    mutating func evict() -> Set<ObjectIdentifier> {
        kept.sort { $0.lastUse > $1.lastUse }
        var sum = 0
        let end = kept.firstIndex { fragment in
            sum += fragment.memoryUnits
            return sum > Self.limit / 2
        }
        // What was used last stays, however long it is.
        kept.removeSubrange(max(1, end ?? kept.count)...)
        units = kept.reduce(0) { $0 + $1.memoryUnits }
        last = nil
        return Set(kept.map { ObjectIdentifier($0) })
    }
}
