/// The layout of one paragraph or of a part of a long one; or a gap, which is text that was not laid out.
struct Fragment {
    /// UTF-16 units of the fragment, paragraph terminators included; the end of the document counts as a terminator
    /// of one unit.
    var units: Int
    /// Number of paragraphs that end in the fragment: 0 or 1 unless it is a gap.
    var paragraphs: Int
    /// Height in pixels; meaningless for a gap.
    var height: Float
    /// Whether the fragment was not laid out. Only its lengths are then known.
    var isGap: Bool
    /// The box for the laid-out lines; nil for a gap.
    var lines: KeptLines?
    /// Width in pixels of a fragment that lies beside other fragments on one line; 0 for any other fragment.
    var width: Float = 0
    /// Whether a content manager hides the fragment.
    var isHidden = false

    /// The laid-out lines; nil for a gap, or if the cache dropped them.
    var layout: LaidFragment? { lines?.layout }
}

/// A box for the lines of a fragment, shared by tree and cache. The cache empties the box to drop the lines,
/// without searching the tree.
final class KeptLines {
    @exclusivity(unchecked) var layout: LaidFragment?

    init(_ layout: LaidFragment) { self.layout = layout }
}

extension Fragment {
    /// Creates a gap: text that was not laid out, with known lengths.
    init(gap units: Int, paragraphs: Int) {
        self.init(units: units, paragraphs: paragraphs, height: 0, isGap: true, lines: nil)
    }
}

/// The summed sizes of consecutive fragments.
struct FragmentSum {
    var units = 0
    var paragraphs = 0
    /// Height of the laid-out fragments, in pixels.
    var height = 0.0
    /// Width of the fragments side by side, in pixels.
    var width = 0.0
    /// Units and paragraphs that are not laid out (in gaps); their height is estimated.
    var gapUnits = 0
    var gapParagraphs = 0
    /// Number of fragments that are not hidden, gaps included.
    var shown = 0

    init() {}

    init(_ fragment: Fragment) { add(fragment) }

    @inline(__always)
    mutating func add(_ fragment: borrowing Fragment) {
        units += fragment.units
        paragraphs += fragment.paragraphs
        if !fragment.isHidden { shown += 1 }
        if fragment.isGap {
            gapUnits += fragment.units
            gapParagraphs += fragment.paragraphs
        } else {
            height += Double(fragment.height)
            width += Double(fragment.width)
        }
    }

    @inline(__always)
    static func += (a: inout Self, b: Self) {
        a.units += b.units
        a.paragraphs += b.paragraphs
        a.height += b.height
        a.width += b.width
        a.gapUnits += b.gapUnits
        a.gapParagraphs += b.gapParagraphs
        a.shown += b.shown
    }

    @inline(__always)
    static func -= (a: inout Self, b: Self) {
        a.units -= b.units
        a.paragraphs -= b.paragraphs
        a.height -= b.height
        a.width -= b.width
        a.gapUnits -= b.gapUnits
        a.gapParagraphs -= b.gapParagraphs
        a.shown -= b.shown
    }
}

/// An estimate of the height of text that was not laid out. It is linear in paragraphs and units: dividing the text
/// that is not laid out does not change the total.
struct HeightEstimate: Equatable {
    /// Pixels for each paragraph, and pixels for each UTF-16 unit; the height of a text is the sum of both parts.
    var perParagraph: Double
    var perUnit: Double
    /// Estimated width of a UTF-16 unit in pixels, for paragraphs that are one line.
    var advance = 8.0

    /// Returns the width of fragments put side by side, in pixels; only differences within one paragraph are
    /// meaningful.
    func width(of sum: FragmentSum) -> Double { sum.width + Double(sum.gapUnits) * advance }

    func height(of sum: FragmentSum) -> Double {
        sum.height + Double(sum.gapParagraphs) * perParagraph + Double(sum.gapUnits) * perUnit
    }
}

/// All fragments of a document in order, as a B+-tree that sums units, paragraphs and heights.
///
/// The tree is never empty. Finding and replacing are O(log n) for n fragments. Memory grows with the text that was
/// laid out, not with the document.
final class FragmentTree {
    /// The largest number of entries of a node. It is small, because a search scans half of each node on average.
    static let fanOut = 16

    /// A node of the tree. Only the tree accesses nodes, and accesses never overlap. Exclusivity checks are
    /// therefore off: a lookup reads some twenty properties.
    private final class Node {
        @exclusivity(unchecked) var fragments: [Fragment] = []
        @exclusivity(unchecked) var children: [Child] = []
        var isLeaf: Bool { children.isEmpty }

        init(fragments: [Fragment]) { self.fragments = fragments }

        init(children: [Child]) { self.children = children }
    }

    /// A node with the summed sizes of its fragments. The sum is stored beside the reference. A search need not
    /// load nodes that it passes.
    private struct Child {
        var sum: FragmentSum
        var node: Node

        init(_ node: Node) {
            var all = FragmentSum()
            node.fragments.withUnsafeBufferPointer { for i in 0..<$0.count { all.add($0[i]) } }
            node.children.withUnsafeBufferPointer { for i in 0..<$0.count { all += $0[i].sum } }
            (sum, self.node) = (all, node)
        }
    }

    @exclusivity(unchecked) private var root: Child
    /// Number of changes to the tree so far.
    @exclusivity(unchecked) private(set) var changes = 0
    @exclusivity(unchecked) private var cursor = Cursor()

    /// The result of the last lookup by unit: the next lookup is usually for the same fragment or a neighbour.
    private struct Cursor {
        /// The leaf of the fragment; nil after a change of the tree, with `leafEnd` 0.
        unowned(unsafe) var leaf: Node?
        var beforeLeaf = FragmentSum()
        /// Number of units up to the leaf's end.
        var leafEnd = 0
        /// Index of the fragment in the leaf, and the summed sizes before the fragment.
        var index = 0
        var before = FragmentSum()
    }

    /// Creates the tree of a document of which only the lengths are known: a single gap, nothing laid out.
    init(units: Int, paragraphs: Int) {
        root = Child(Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)]))
    }

    /// Copies another tree; both share the laid-out lines. O(n) for n fragments.
    init(copying other: FragmentTree) {
        root = Self.copy(of: other.root)
        changes = other.changes
    }

    private static func copy(of child: Child) -> Child {
        let node = child.node
        return Child(node.isLeaf ? Node(fragments: node.fragments) : Node(children: node.children.map(copy)))
    }

    /// Discards all layout: the tree becomes a single gap of the given lengths, with nothing laid out.
    func reset(units: Int, paragraphs: Int) {
        root = Child(Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)]))
        cursor = Cursor()
        changes += 1
    }

    /// Summed sizes of all fragments.
    var total: FragmentSum { root.sum }

    /// Returns the fragment that holds a unit, and the summed sizes before it; for units beyond the end, the last
    /// fragment.
    func fragment(at unit: Int) -> (fragment: Fragment, before: FragmentSum) {
        if unit < cursor.beforeLeaf.units || unit >= cursor.leafEnd { findLeaf(of: unit) }
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

    /// Moves the cursor to the first fragment of the leaf that holds a unit; if the unit is beyond the end, of the
    /// last leaf.
    private func findLeaf(of unit: Int) {
        // The tree keeps its nodes alive, so avoid retaining and releasing each one.
        var node = Unmanaged.passUnretained(root.node)
        var units = root.sum.units
        var before = FragmentSum()
        while case let next? = node._withUnsafeGuaranteedRef({ node in
            node.children.withUnsafeBufferPointer { children -> Unmanaged<Node>? in
                guard !children.isEmpty else { return nil }
                var i = 0
                while i + 1 < children.count, before.units + children[i].sum.units <= unit {
                    before += children[i].sum
                    i += 1
                }
                units = children[i].sum.units
                return Unmanaged.passUnretained(children[i].node)
            }
        }) { node = next }
        node._withUnsafeGuaranteedRef {
            cursor = Cursor(leaf: $0, beforeLeaf: before, leafEnd: before.units + units, index: 0, before: before)
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
        let (leaf, before) = leaf(isBefore)
        let found = Self.index(in: leaf.node, before, isBefore)
        cursor = Cursor(
            leaf: leaf.node, beforeLeaf: before, leafEnd: before.units + leaf.sum.units, index: found.index,
            before: found.before)
        return (leaf.node.fragments[found.index], found.before)
    }

    /// Returns the leaf that holds the first fragment whose end does not satisfy `isBefore`, or else the last leaf,
    /// with the summed sizes before it.
    @inline(__always)
    private func leaf(_ isBefore: (FragmentSum) -> Bool) -> (leaf: Child, before: FragmentSum) {
        var child = root
        var before = FragmentSum()
        while !child.node.isLeaf {
            child = child.node.children.withUnsafeBufferPointer { children in
                for i in 0..<(children.count - 1) {
                    var after = before
                    after += children[i].sum
                    if !isBefore(after) { return children[i] }
                    before = after
                }
                return children[children.count - 1]
            }
        }
        return (child, before)
    }

    /// Returns the index of the first fragment in a leaf whose end does not satisfy `isBefore`, or else of the
    /// last, with the summed sizes before it.
    @inline(__always)
    private static func index(
        in leaf: Node, _ start: FragmentSum, _ isBefore: (FragmentSum) -> Bool
    ) -> (index: Int, before: FragmentSum) {
        var before = start
        return leaf.fragments.withUnsafeBufferPointer { fragments in
            for i in 0..<(fragments.count - 1) {
                var after = before
                after.add(fragments[i])
                if !isBefore(after) { return (i, before) }
                before = after
            }
            return (fragments.count - 1, before)
        }
    }

    /// Replaces the fragments that cover `range`. Traps if the range does not start and end between fragments.
    func replace(_ range: Range<Int>, with fragments: [Fragment]) {
        precondition(!range.isEmpty && range.upperBound <= total.units, "a range of whole fragments")
        changes += 1
        cursor = Cursor()
        if fragments.count == 1, Self.exchange(range.lowerBound, range.upperBound, fragments[0], in: &root) != nil {
            return
        }
        var nodes = replace(root, range.lowerBound, range.upperBound, fragments)
        while nodes.count > 1 { nodes = Self.group(nodes) }
        root = nodes.first ?? Child(Node(fragments: []))
        while root.node.children.count == 1 { root = root.node.children[0] }
        precondition(!root.node.fragments.isEmpty || !root.node.isLeaf, "a document has at least one fragment")
    }

    /// Replaces one fragment that covers exactly the units `low..<high` of a node, the usual case for a key press,
    /// without resizing a node. Returns the change of the sums. If the range is not exactly one fragment, returns
    /// nil and changes nothing.
    private static func exchange(_ low: Int, _ high: Int, _ new: Fragment, in child: inout Child) -> FragmentSum? {
        let node = child.node
        var at = 0
        if node.isLeaf {
            for i in 0..<node.fragments.count {
                let units = node.fragments[i].units
                guard at < low else {
                    guard at == low, low + units == high else { return nil }
                    var added = FragmentSum(new)
                    added -= FragmentSum(node.fragments[i])
                    node.fragments[i] = new
                    child.sum += added
                    return added
                }
                at += units
            }
            return nil
        }
        for i in 0..<node.children.count {
            let units = node.children[i].sum.units
            if at + units > low {
                guard let added = exchange(low - at, high - at, new, in: &node.children[i]) else { return nil }
                child.sum += added
                return added
            }
            at += units
        }
        return nil
    }

    private func replace(_ child: Child, _ low: Int, _ high: Int, _ new: [Fragment]) -> [Child] {
        let node = child.node
        var pending = new
        if node.isLeaf {
            var at = 0
            var first = node.fragments.count
            var last = node.fragments.count
            for (i, fragment) in node.fragments.enumerated() {
                if at >= low, first == node.fragments.count { first = i }
                at += fragment.units
                if at >= high {
                    last = i + 1
                    break
                }
            }
            precondition(at >= high || high > child.sum.units, "the range ends inside a fragment")
            node.fragments.replaceSubrange(min(first, last)..<last, with: pending)
            return Self.split(node)
        }
        // Visit only children that the range touches. The other children do not become smaller, so they need not be
        // merged.
        var (first, last) = (0, 0)
        var at = 0
        var start = 0
        node.children.withUnsafeBufferPointer { children in
            while first < children.count, at + children[first].sum.units <= low {
                at += children[first].sum.units
                first += 1
            }
            (last, start) = (first, at)
            while last < children.count, at < high {
                at += children[last].sum.units
                last += 1
            }
        }
        var parts: [Child] = []
        at = start
        for child in node.children[first..<last] {
            let end = at + child.sum.units
            // A child that lies entirely within the range is not kept. Only the first one is: it takes the new
            // fragments.
            if at < low || end > high || !pending.isEmpty {
                parts += replace(child, max(low - at, 0), min(high, end) - at, pending)
                pending = []
            }
            at = end
        }
        node.children.replaceSubrange(first..<last, with: parts)
        Self.join(&node.children, max(0, first - 1)..<(first + parts.count))
        return Self.split(node)
    }

    /// Splits a node into nodes of at most ``fanOut`` entries; returns no node if it is empty.
    private static func split(_ node: Node) -> [Child] {
        if node.isLeaf || !node.fragments.isEmpty {
            if node.fragments.isEmpty { return [] }
            if node.fragments.count <= fanOut { return [Child(node)] }
            return chunks(node.fragments.count).map { Child(Node(fragments: Array(node.fragments[$0]))) }
        }
        return node.children.count <= fanOut ? [Child(node)] : group(node.children)
    }

    /// Merges each child in a range with its next sibling while the two have at most half of ``fanOut`` entries.
    private static func join(_ children: inout [Child], _ range: Range<Int>) {
        var i = range.lowerBound
        var end = range.upperBound
        while i < end, i + 1 < children.count {
            let a = children[i].node
            let b = children[i + 1].node
            let small = fanOut / 2
            if a.isLeaf, b.isLeaf, a.fragments.count + b.fragments.count <= small {
                a.fragments += b.fragments
            } else if !a.isLeaf, !b.isLeaf, a.children.count + b.children.count <= small {
                a.children += b.children
            } else {
                i += 1
                continue
            }
            children[i].sum += children[i + 1].sum
            children.remove(at: i + 1)
            end -= 1
        }
    }

    private static func group(_ nodes: [Child]) -> [Child] {
        chunks(nodes.count).map { Child(Node(children: Array(nodes[$0]))) }
    }

    /// Returns ranges of nearly equal length that together cover `count` entries, none longer than ``fanOut``.
    private static func chunks(_ count: Int) -> [Range<Int>] {
        let parts = (count + fanOut - 1) / fanOut
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// The number of levels and of leaves, for tests.
    var shape: (levels: Int, leaves: Int) {
        func visit(_ node: Node) -> (levels: Int, leaves: Int) {
            node.isLeaf
                ? (1, 1)
                : node.children.map { visit($0.node) }.reduce((1, 0)) { (max($0.0, $1.0 + 1), $0.1 + $1.1) }
        }
        return visit(root.node)
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
        func visit(_ node: Node) {
            for fragment in node.fragments { if let layout = fragment.layout { body(layout) } }
            for child in node.children { visit(child.node) }
        }
        visit(root.node)
    }

    /// Returns the start of the first text that is not laid out, in units; nil if all is laid out. O(log n).
    func firstGap() -> Int? {
        var node = root.node
        var at = 0
        guard root.sum.gapUnits > 0 else { return nil }
        while !node.isLeaf {
            for child in node.children {
                if child.sum.gapUnits > 0 {
                    node = child.node
                    break
                }
                at += child.sum.units
            }
        }
        for fragment in node.fragments {
            if fragment.isGap { return at }
            at += fragment.units
        }
        return nil
    }
}
