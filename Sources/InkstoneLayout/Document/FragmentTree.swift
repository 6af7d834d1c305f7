import InkstoneText

/// All fragments of a document in order, in a ``SummedTree`` that sums units, paragraphs and heights.
///
/// The tree is never empty. Finding and replacing are O(log n) for n fragments. Memory grows with the text that was
/// laid out, not with the document.
final class FragmentTree {
    /// The largest number of fragments of a leaf and of children of a node: a small number, because a search scans half
    /// of each node on average.
    static let fanOut = 16

    /// Neighbouring fragments. Exclusivity checks are off: only the tree accesses leaves, and accesses never overlap.
    private final class Leaf: TreeLeaf {
        /// A leaf or a node with its sum.
        struct Child: TreeChild {
            var node: AnyObject
            var summary: FragmentSum
        }

        static var fanOut: Int { FragmentTree.fanOut }
        @exclusivity(unchecked) var fragments: [Fragment]

        init(_ fragments: [Fragment]) { self.fragments = fragments }

        var summary: FragmentSum {
            var sum = FragmentSum()
            fragments.withUnsafeBufferPointer { for i in 0..<$0.count { sum.add($0[i]) } }
            return sum
        }

        func copy() -> Leaf { Leaf(fragments) }

        static func areSmall(_ a: Leaf, _ b: Leaf) -> Bool { a.fragments.count + b.fragments.count <= fanOut / 2 }

        func append(_ next: Leaf) -> Leaf? {
            guard fragments.count + next.fragments.count <= Self.fanOut else { return next }
            fragments += next.fragments
            return nil
        }

        /// Returns the index in the leaf of the fragment that starts at `unit`; nil if there is none. `before` is the
        /// number of UTF-16 units before the leaf.
        func index(at unit: Int, after before: Int) -> Int? {
            var at = before
            for i in fragments.indices {
                if at >= unit { return at == unit ? i : nil }
                at += fragments[i].units
            }
            return nil
        }

        /// Replaces the fragments that lie within `range`; there are `before` units before the leaf. If no fragment
        /// lies within `range`, inserts the new fragments where it starts.
        func replace(_ range: Range<Int>, after before: Int, with new: [Fragment]) -> TreeEdit<Leaf> {
            var at = before
            var first = 0
            while first < fragments.count, at < range.lowerBound {
                at += fragments[first].units
                first += 1
            }
            var last = first
            while last < fragments.count, at < range.upperBound {
                at += fragments[last].units
                last += 1
            }
            let isSmaller = new.count < last - first
            fragments.replaceSubrange(first..<last, with: new)
            let count = fragments.count
            if count == 0 { return .replaced([]) }
            // Report a leaf that has become small as replaced: only replaced leaves are joined with their
            // neighbours.
            if count <= Self.fanOut { return isSmaller && count <= Self.fanOut / 4 ? .replaced([self]) : .changed }
            let parts = (count + Self.fanOut - 1) / Self.fanOut
            return .replaced(
                (0..<parts).map { Leaf(Array(fragments[count * $0 / parts..<count * ($0 + 1) / parts])) })
        }
    }

    @exclusivity(unchecked) private var tree: SummedTree<Leaf>
    /// Number of changes to the tree so far.
    @exclusivity(unchecked) private(set) var changes = 0
    @exclusivity(unchecked) private var cursor = Cursor()

    /// The result of the last lookup by unit: the next lookup is usually for the same fragment or a neighbour.
    private struct Cursor {
        /// The leaf that contains the fragment. After a change of the tree, nil, and `leafEnd` is 0.
        unowned(unsafe) var leaf: Leaf?
        var beforeLeaf = FragmentSum()
        /// Number of UTF-16 units up to the leaf's end.
        var leafEnd = 0
        /// Index of the fragment in the leaf.
        var index = 0
        /// Summed sizes of all fragments before the fragment.
        var before = FragmentSum()
    }

    /// Creates the tree of a document of which only the lengths are known: a single gap, nothing laid out.
    init(units: Int, paragraphs: Int) {
        tree = SummedTree(Leaf([Fragment(gap: units, paragraphs: paragraphs)]))
    }

    /// Creates a copy of another tree; both share the laid-out lines. O(1).
    init(copying other: FragmentTree) {
        tree = other.tree
        changes = other.changes
    }

    /// Discards all layout: the tree becomes a single gap of the given lengths, with nothing laid out.
    func reset(units: Int, paragraphs: Int) {
        tree = SummedTree(Leaf([Fragment(gap: units, paragraphs: paragraphs)]))
        cursor = Cursor()
        changes += 1
    }

    /// Summed sizes of all fragments.
    var total: FragmentSum { tree.summary }

    /// Returns the fragment that holds a UTF-16 unit, and the summed sizes before it; for units beyond the end, the
    /// last fragment.
    func fragment(at unit: Int) -> (fragment: Fragment, before: FragmentSum) {
        if unit < cursor.beforeLeaf.units || unit >= cursor.leafEnd {
            let (leaf, sum, before) = tree.leaf { $0.units <= unit }
            setCursor(leaf, sum, beforeLeaf: before, index: 0, before: before)
        }
        if unit < cursor.before.units { (cursor.index, cursor.before) = (0, cursor.beforeLeaf) }
        guard let leaf = cursor.leaf else { preconditionFailure("a leaf was just looked for") }
        leaf.fragments.withUnsafeBufferPointer { fragments in
            // Continue from the last lookup, since most fragments are requested more than once.
            while cursor.index + 1 < fragments.count,
                cursor.before.units + fragments[cursor.index].units <= unit
            {
                cursor.before.add(fragments[cursor.index])
                cursor.index += 1
            }
        }
        return (leaf.fragments[cursor.index], cursor.before)
    }

    /// Moves the cursor to a fragment of a leaf, which the tree keeps alive.
    @inline(__always)
    private func setCursor(
        _ leaf: Unmanaged<Leaf>, _ sum: FragmentSum, beforeLeaf: FragmentSum, index: Int, before: FragmentSum
    ) {
        leaf._withUnsafeGuaranteedRef {
            cursor = Cursor(
                leaf: $0, beforeLeaf: beforeLeaf, leafEnd: beforeLeaf.units + sum.units, index: index, before: before)
        }
    }

    /// Returns the fragment at a height in pixels, and the summed sizes before it; beyond the top or bottom, the
    /// first or last fragment.
    func fragment(atY y: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        find { estimate.height(of: $0) <= y }
    }

    /// Returns the fragment at a horizontal distance along fragments side by side, and the summed sizes before it.
    func fragment(atWidth x: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        find { estimate.width(of: $0) <= x }
    }

    /// Returns the first fragment whose end does not satisfy `isBefore`, or else the last, with the summed sizes
    /// before it. Moves the cursor there.
    @inline(__always)
    private func find(_ isBefore: (FragmentSum) -> Bool) -> (fragment: Fragment, before: FragmentSum) {
        let (leaf, sum, beforeLeaf) = tree.leaf(where: isBefore)
        var before = beforeLeaf
        var index = 0
        let fragment = leaf._withUnsafeGuaranteedRef {
            $0.fragments.withUnsafeBufferPointer { fragments in
                while index + 1 < fragments.count {
                    var after = before
                    after.add(fragments[index])
                    if !isBefore(after) { break }
                    before = after
                    index += 1
                }
                return fragments[index]
            }
        }
        setCursor(leaf, sum, beforeLeaf: beforeLeaf, index: index, before: before)
        return (fragment, before)
    }

    /// Replaces the fragments that cover `range`. Traps if the range is empty, or does not start and end between
    /// fragments.
    func replace(_ range: Range<Int>, with new: [Fragment]) {
        precondition(!range.isEmpty && range.upperBound <= total.units, "a range of the tree")
        changes += 1
        cursor = Cursor()
        if new.count == 1, exchange(range, new[0]) { return }
        let units = total.units - range.count + new.reduce(0) { $0 + $1.units }
        var pending = new
        tree.update { before, sum, _ in
            if before.units >= range.upperBound { return .stop }
            return before.units + sum.units <= range.lowerBound ? .skip : .enter
        } _: { leaf, before in
            // Put the new fragments into the first leaf that overlaps the range; from the other leaves, only remove
            // fragments.
            defer { pending = [] }
            return leaf.replace(range, after: before.units, with: pending)
        }
        precondition(!tree.isEmpty, "a document has at least one fragment")
        precondition(total.units == units, "a range of whole fragments")
    }

    /// Replaces one fragment that covers exactly `range`, the usual case for a key press, without resizing a leaf.
    /// If the range is not exactly one fragment, returns false and changes nothing.
    private func exchange(_ range: Range<Int>, _ new: Fragment) -> Bool {
        tree.changeLeaf {
            $0.units <= range.lowerBound
        } _: { leaf, before in
            guard let index = leaf.index(at: range.lowerBound, after: before.units),
                leaf.fragments[index].units == range.count
            else { return .none }
            var added = FragmentSum(new)
            added -= FragmentSum(leaf.fragments[index])
            leaf.fragments[index] = new
            return .added(added)
        }
    }

    /// The number of levels and of leaves, for tests.
    var shape: (levels: Int, leaves: Int) {
        var leaves = 0
        tree.forEachLeaf { _, _ in
            leaves += 1
            return true
        }
        return (tree.levels, leaves)
    }

    /// Returns the range, in UTF-16 units, of the fragment with an ordinal among the fragments that are not hidden;
    /// nil if there is none. O(log n).
    func range(ofShown ordinal: Int) -> Range<Int>? {
        guard ordinal >= 0, ordinal < total.shown else { return nil }
        let (fragment, before) = find { $0.shown <= ordinal }
        return before.units..<before.units + fragment.units
    }

    /// Calls `body` with the kept lines of each fragment. O(n) for n fragments.
    func forEachLayout(_ body: (LaidFragment) -> Void) {
        tree.forEachLeaf { leaf, _ in
            for fragment in leaf.fragments { if let layout = fragment.layout { body(layout) } }
            return true
        }
    }

    /// Returns the start of the first text that is not laid out, in units; nil if all is laid out. O(log n).
    func firstGap() -> Int? {
        var start: Int?
        tree.forEachLeaf { _, sum in
            sum.gapUnits > 0 ? .enter : .skip
        } _: { leaf, before in
            guard let index = leaf.fragments.firstIndex(where: \.isGap) else { return true }
            start = leaf.fragments[..<index].reduce(before.units) { $0 + $1.units }
            return false
        }
        return start
    }
}
