/// A cache of laid-out fragments: keeps the lines of the most recently used ones, enough for some screens.
struct FragmentCache {
    /// If the kept fragments cost more memory than this, lines are dropped until the rest costs at most half of
    /// this. In the measure of ``LaidFragment/memoryUnits``.
    static let limit = 1 << 17

    /// The lines kept. New lines are added at the end; an eviction sorts them, the most recently used first.
    private(set) var kept: [KeptLines] = []
    /// Memory cost of the kept fragments: the sum of their ``LaidFragment/memoryUnits``.
    private var units = 0
    private var clock = 0
    /// The fragment requested last. Valid only if the layout's generation is unchanged and the fragment's lines are
    /// still kept.
    private var last: (generation: Int, placed: PlacedFragment)?

    /// Whether the kept fragments cost more memory than ``limit``.
    var isOverfull: Bool { units > Self.limit }

    /// Adds a new fragment. Returns the box of its lines, for the tree.
    mutating func add(_ fragment: LaidFragment) -> KeptLines {
        let lines = KeptLines(fragment)
        kept.append(lines)
        units += fragment.memoryUnits
        clock += 1
        fragment.lastUse = clock
        return lines
    }

    /// Records a use of a fragment.
    mutating func use(_ placed: PlacedFragment, _ generation: Int) {
        clock += 1
        placed.fragment.lastUse = clock
        last = (generation, placed)
    }

    /// Returns the fragment requested last if it holds a UTF-16 unit and is still valid; nil otherwise.
    mutating func last(at unit: Int, _ generation: Int) -> PlacedFragment? {
        guard let last, last.generation == generation, last.placed.holds(unit) else { return nil }
        clock += 1
        last.placed.fragment.lastUse = clock
        return last.placed
    }

    /// A snapshot of the cache's size, for ``drop(to:)``.
    var mark: Mark { Mark(count: kept.count, units: units) }

    /// Drops the lines of the fragments added since a snapshot (``mark``). Between the two calls, ``evict(to:)`` must
    /// not be called.
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

    /// Drops the lines of fragments that are no longer in the tree. Then drops those of the least recently used
    /// fragments until the others cost at most `most` in the measure of ``LaidFragment/memoryUnits``. O(n log n) in
    /// the kept fragments.
    mutating func evict(to most: Int = Self.limit / 2) {
        for i in kept.indices where isKnownUniquelyReferenced(&kept[i]) { kept[i].layout = nil }
        kept.removeAll { $0.layout == nil }
        kept.sort { ($0.layout?.lastUse ?? 0) > ($1.layout?.lastUse ?? 0) }
        var sum = 0
        let end = kept.firstIndex { lines in
            sum += lines.layout?.memoryUnits ?? 0
            return sum > most
        }
        // The most recently used fragment stays, however long it is.
        let first = min(kept.count, max(1, end ?? kept.count))
        for lines in kept[first...] { lines.layout = nil }
        kept.removeSubrange(first...)
        units = kept.reduce(0) { $0 + ($1.layout?.memoryUnits ?? 0) }
        last = nil
    }
}
