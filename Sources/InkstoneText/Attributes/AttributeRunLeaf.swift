/// A run of text with the same attributes.
struct AttributeRun: Equatable, Sendable {
    /// Length in UTF-16 units.
    var length: Int
    var id: AttributeID

    /// The largest length of a run, in UTF-16 units. Longer text is divided into several equal runs.
    static let longest = Int(UInt32.max)

    /// Whether the next run can be merged into this one.
    func joins(_ next: AttributeRun) -> Bool { id == next.id && length + next.length <= Self.longest }
}

/// The totals of a sequence of adjacent runs, as each node of the tree stores them.
struct AttributeRunSum: TreeSummary {
    /// Length in UTF-16 units.
    var length = 0
    /// The union of the rules of all runs.
    var rules: AttributeRules = []
    /// Whether any of the runs has attributes.
    var hasAttributes = false

    @inline(__always)
    static func += (a: inout Self, b: Self) {
        a.length &+= b.length
        a.rules.formUnion(b.rules)
        a.hasAttributes = a.hasAttributes || b.hasAttributes
    }
}

/// Up to 64 runs. Their lengths and their attributes are in separate arrays, so that an edit which only changes a
/// run's length copies numbers at most, without reference counting of attributes.
final class AttributeRunLeaf: TreeLeaf {
    struct Child: TreeChild {
        var node: AnyObject
        var summary: AttributeRunSum
    }

    /// The largest number of runs of a leaf.
    static let capacity = 64
    /// The largest number of children of a node above the leaves.
    static let fanOut = 32

    private(set) var lengths: [UInt32]
    private(set) var ids: [AttributeID]

    init(lengths: [UInt32], ids: [AttributeID]) {
        self.lengths = lengths
        self.ids = ids
    }

    /// Creates a leaf of one run.
    convenience init(_ run: AttributeRun) { self.init(lengths: [UInt32(run.length)], ids: [run.id]) }

    var summary: AttributeRunSum {
        var sum = AttributeRunSum()
        for i in ids.indices {
            sum += AttributeRunSum(length: Int(lengths[i]), rules: ids[i].rules, hasAttributes: ids[i] != .none)
        }
        return sum
    }

    func copy() -> AttributeRunLeaf { AttributeRunLeaf(lengths: lengths, ids: ids) }

    func run(_ index: Int) -> AttributeRun { AttributeRun(length: Int(lengths[index]), id: ids[index]) }

    var runs: [AttributeRun] { ids.indices.map { run($0) } }

    /// Returns the index of the run that contains a UTF-16 unit of the leaf, and the run's start. A unit at or after
    /// the end of the leaf counts as a unit of the last run.
    @inline(__always)
    func index(of unit: Int) -> (index: Int, start: Int) {
        lengths.withUnsafeBufferPointer { lengths in
            var start = 0
            var i = 0
            // The buffer has no bounds checks in release: never read beyond its end.
            while i + 1 < lengths.count, start + Int(lengths[i]) <= unit {
                start += Int(lengths[i])
                i += 1
            }
            return (i, start)
        }
    }

    /// Changes the length of the run that holds a UTF-16 unit.
    func resizeRun(at unit: Int, by delta: Int) {
        let i = index(of: unit).index
        lengths[i] = UInt32(Int(lengths[i]) + delta)
    }

    /// Replaces a range of the leaf by runs. The range must not contain the leaf's first or last unit: if these
    /// changed, the leaf's outer runs might become equal to runs of the neighbouring leaves. Returns false, and
    /// changes nothing, if the leaf has no room.
    func replace(_ range: Range<Int>, by new: some Collection<AttributeRun>) -> Bool {
        let (first, start) = index(of: range.lowerBound - 1)
        let (last, lastStart) = index(of: range.upperBound)
        // Collect the remains of the runs that the range cuts at its start and end, and the new runs between them.
        var parts = [AttributeRun(length: range.lowerBound - start, id: ids[first])]
        let rest = AttributeRun(length: lastStart + Int(lengths[last]) - range.upperBound, id: ids[last])
        for run in new { Self.add(run, to: &parts) }
        Self.add(rest, to: &parts)
        let count = ids.count - (last - first + 1) + parts.count
        guard count <= Self.capacity else { return false }
        reserve(count)
        lengths.replaceSubrange(first...last, with: parts.lazy.map { UInt32($0.length) })
        ids.replaceSubrange(first...last, with: parts.lazy.map(\.id))
        // If few of many runs are left, copy the arrays, which releases the unused memory.
        if ids.capacity > count + 8 { (lengths, ids) = (lengths.map { $0 }, ids.map { $0 }) }
        return true
    }

    /// Appends a run. If it has the attributes of the last run, makes the last run longer instead.
    private static func add(_ run: AttributeRun, to all: inout [AttributeRun]) {
        if let last = all.last, last.joins(run) { all[all.count - 1].length += run.length } else { all.append(run) }
    }

    /// Splits the leaf at a UTF-16 unit: returns a leaf of the runs before the unit and a leaf of the others. A run
    /// that begins before the unit and contains it is cut in two.
    func split(at unit: Int) -> (AttributeRunLeaf, AttributeRunLeaf) {
        let (i, start) = index(of: unit)
        var (head, tail) = (Array(lengths[..<i]), Array(lengths[i...]))
        if unit > start {
            head.append(UInt32(unit - start))
            tail[0] -= UInt32(unit - start)
        }
        return (
            AttributeRunLeaf(lengths: head, ids: Array(ids[..<head.count])),
            AttributeRunLeaf(lengths: tail, ids: Array(ids[i...]))
        )
    }

    static func areSmall(_ a: AttributeRunLeaf, _ b: AttributeRunLeaf) -> Bool {
        a.ids.count + b.ids.count <= capacity / 2
    }

    /// Appends the runs of the next leaf. If the two runs at the seam are equal, they become one run. Returns nil if
    /// this leaf now has all runs; otherwise the leaf that follows it. That is `next` itself if both leaves are at
    /// least half full and no runs were merged, else a leaf with the second half of all runs.
    func append(_ next: AttributeRunLeaf) -> AttributeRunLeaf? {
        let merged = run(ids.count - 1).joins(next.run(0)) ? 1 : 0
        let count = ids.count + next.ids.count - merged
        if merged == 0, min(ids.count, next.ids.count) >= Self.capacity / 2 { return next }
        if count <= Self.capacity { reserve(count) }
        if merged == 1 { lengths[lengths.count - 1] += next.lengths[0] }
        lengths += next.lengths.dropFirst(merged)
        ids += next.ids.dropFirst(merged)
        guard count > Self.capacity else { return nil }
        let rest = AttributeRunLeaf(lengths: Array(lengths[(count / 2)...]), ids: Array(ids[(count / 2)...]))
        (lengths, ids) = (Array(lengths[..<(count / 2)]), Array(ids[..<(count / 2)]))
        return rest
    }

    /// Reserves memory for exactly `count` runs, because an array that grows by itself reserves much more.
    private func reserve(_ count: Int) {
        lengths.reserveCapacity(count)
        ids.reserveCapacity(count)
    }

    /// Checks the leaf and its totals stored in the tree, and appends a description of each violation to `problems`.
    func check(_ sum: AttributeRunSum, _ problems: inout [String]) {
        if ids.isEmpty || ids.count > Self.capacity { problems.append("a leaf of \(ids.count) runs") }
        if ids.count != lengths.count { problems.append("\(lengths.count) lengths of \(ids.count) runs") }
        if lengths.contains(0) { problems.append("an empty run") }
        if summary.length != sum.length || summary.rules != sum.rules || summary.hasAttributes != sum.hasAttributes {
            problems.append("a leaf's sum \(sum), not \(summary)")
        }
    }
}
