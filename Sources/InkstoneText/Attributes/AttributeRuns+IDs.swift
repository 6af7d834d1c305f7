/// A builder of the runs of a text, which are appended in order. It fills the leaves of the tree directly, because a
/// list of all runs before them would retain and release the attributes of each run once more.
package struct AttributeRunsBuilder {
    private var leaves: [AttributeRunLeaf] = []
    private var lengths: [UInt32] = []
    private var ids: [AttributeID] = []

    /// Creates a builder without runs.
    package init() {}

    /// Appends a run with a length in UTF-16 units, or makes the last run longer if it has the same attributes.
    package mutating func append(_ length: Int, _ id: AttributeID) {
        guard length > 0 else { return }
        let last = ids.count - 1
        if last >= 0, ids[last] == id, Int(lengths[last]) + length <= AttributeRun.longest {
            lengths[last] += UInt32(length)
            return
        }
        // Complete a full leaf only now, because the run above may still have become longer.
        if ids.count == AttributeRunLeaf.capacity { completeLeaf() }
        // Most texts and edits have a few runs only: reserve memory for a whole leaf only after a full one.
        if ids.isEmpty, !leaves.isEmpty {
            lengths.reserveCapacity(AttributeRunLeaf.capacity)
            ids.reserveCapacity(AttributeRunLeaf.capacity)
        }
        lengths.append(UInt32(length))
        ids.append(id)
    }

    /// Returns the runs, and leaves the builder without any.
    package mutating func finish() -> AttributeRuns {
        // If few runs are in the last leaf, copy its arrays, which releases the unused memory.
        if ids.capacity > ids.count + 8 { (lengths, ids) = (lengths.map { $0 }, ids.map { $0 }) }
        if !ids.isEmpty { completeLeaf() }
        defer { leaves = [] }
        return AttributeRuns(leaves: leaves)
    }

    private mutating func completeLeaf() {
        leaves.append(AttributeRunLeaf(lengths: lengths, ids: ids))
        (lengths, ids) = ([], [])
    }
}
