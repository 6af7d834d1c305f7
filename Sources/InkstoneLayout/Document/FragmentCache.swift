/// Which fragments have lines that are kept: some screens full, the ones used last.
struct FragmentCache {
    /// Units of text whose lines are kept at most.
    static let limit = 1 << 17

    /// Fragments that have lines, oldest use first as far as known.
    private(set) var kept: [KeptLines] = []
    /// Their units, with something for each fragment's own size.
    private var units = 0
    private var clock = 0
    /// The fragment asked for last, of use as long as the generation stays and its lines are kept.
    private var last: (generation: Int, placed: PlacedFragment)?

    /// Whether more is kept than should be.
    var isOverfull: Bool { units > Self.limit }

    /// Keeps the lines of a new fragment.
    mutating func add(_ fragment: LaidFragment) -> KeptLines {
        let lines = KeptLines(fragment)
        kept.append(lines)
        units += fragment.memoryUnits
        clock += 1
        fragment.lastUse = clock
        return lines
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
        for lines in kept[mark.count...] { lines.layout = nil }
        kept.removeSubrange(mark.count...)
        units = mark.units
        last = nil
    }

    struct Mark {
        fileprivate var count: Int
        fileprivate var units: Int
    }

    /// Gives up the lines of fragments that the tree has replaced, and of those used least lately beyond half of what may be kept,
    /// or beyond `most` units. O(n log n) in what is kept.
    mutating func evict(to most: Int = Self.limit / 2) {
        for i in kept.indices where isKnownUniquelyReferenced(&kept[i]) { kept[i].layout = nil }
        kept.removeAll { $0.layout == nil }
        kept.sort { ($0.layout?.lastUse ?? 0) > ($1.layout?.lastUse ?? 0) }
        var sum = 0
        let end = kept.firstIndex { lines in
            sum += lines.layout?.memoryUnits ?? 0
            return sum > most
        }
        // What was used last stays, however long it is.
        let first = min(kept.count, max(1, end ?? kept.count))
        for lines in kept[first...] { lines.layout = nil }
        kept.removeSubrange(first...)
        units = kept.reduce(0) { $0 + ($1.layout?.memoryUnits ?? 0) }
        last = nil
    }
}
