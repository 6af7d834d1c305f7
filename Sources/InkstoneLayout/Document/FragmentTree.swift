/// What layout knows about one paragraph, about a part of a long one, or about a gap: text that nobody has looked at.
struct Fragment {
    /// UTF-16 units with terminators; the end of the document counts as a terminator of one unit.
    var units: Int
    /// Paragraphs that end in it: 0 or 1 if laid out.
    var paragraphs: Int
    /// Height in pixels; of no meaning for a gap.
    var height: Float
    /// Whether it is text of which only lengths are known.
    var isGap: Bool
    /// The lines laid out; nil for a gap.
    var lines: KeptLines?
    /// Width in pixels of a fragment that stands beside others on one line; 0 for all else.
    var width: Float = 0
    /// Whether a content manager hides it.
    var isHidden = false

    /// The lines laid out, as long as they are kept.
    var layout: LaidFragment? { lines?.layout }
}

/// The lines of a fragment, until the cache gives them up: it does so here and looks for no fragment in the tree.
final class KeptLines {
    @exclusivity(unchecked) var layout: LaidFragment?

    init(_ layout: LaidFragment) { self.layout = layout }
}

extension Fragment {
    /// Text of which only lengths are known.
    init(gap units: Int, paragraphs: Int) {
        self.init(units: units, paragraphs: paragraphs, height: 0, isGap: true, lines: nil)
    }
}

/// The lengths of a row of fragments.
struct FragmentSum {
    var units = 0
    var paragraphs = 0
    /// Height of what was laid out, in pixels.
    var height = 0.0
    /// Width of fragments that stand beside each other, in pixels.
    var width = 0.0
    /// What lies in gaps, for estimates.
    var gapUnits = 0
    var gapParagraphs = 0
    /// Fragments that are not hidden, gaps included.
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

/// Guesses the height of text that was not laid out: linear, so that cutting a gap in two changes no total.
struct HeightEstimate: Equatable {
    /// Pixels for each paragraph, and for each UTF-16 unit beside.
    var perParagraph: Double
    var perUnit: Double
    /// Width of a UTF-16 unit in pixels, for paragraphs on one line.
    var advance = 8.0

    /// Distance along a line that goes on and on, in pixels; only differences within one paragraph mean anything.
    func width(of sum: FragmentSum) -> Double { sum.width + Double(sum.gapUnits) * advance }

    func height(of sum: FragmentSum) -> Double {
        sum.height + Double(sum.gapParagraphs) * perParagraph + Double(sum.gapUnits) * perUnit
    }
}

/// All fragments of a document in order, as a B+-tree that sums units, paragraphs and heights.
///
/// Never empty. Finding and replacing cost O(log n) for n fragments; memory grows with what was laid out, not with the
/// document.
final class FragmentTree {
    /// Few, because a search looks at half of each node on its way.
    static let fanOut = 16

    /// Only the tree uses it, and never two names of a property at once: not checked, because a look-up reads some twenty.
    private final class Node {
        @exclusivity(unchecked) var fragments: [Fragment] = []
        @exclusivity(unchecked) var children: [Child] = []
        var isLeaf: Bool { children.isEmpty }

        init(fragments: [Fragment]) { self.fragments = fragments }

        init(children: [Child]) { self.children = children }
    }

    /// A node with the lengths of all below it, which stand beside it and not in it: a search reads only those of most.
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
    /// Grows with each replacement.
    @exclusivity(unchecked) private(set) var changes = 0
    @exclusivity(unchecked) private var cursor = Cursor()

    /// Where a unit was looked for last: who asks for one fragment mostly asks for it again, or for its neighbours next.
    private struct Cursor {
        /// Nil, and the leaf's end 0, after a change.
        unowned(unsafe) var leaf: Node?
        var beforeLeaf = FragmentSum()
        /// Units before the leaf's end.
        var leafEnd = 0
        /// Which of the leaf's fragments it was, and the lengths before that.
        var index = 0
        var before = FragmentSum()
    }

    /// A document of which only the lengths are known.
    init(units: Int, paragraphs: Int) {
        root = Child(Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)]))
    }

    /// A copy of another tree's fragments, which share their lines with it. O(n) for n fragments.
    init(copying other: FragmentTree) {
        root = Self.copy(of: other.root)
        changes = other.changes
    }

    private static func copy(of child: Child) -> Child {
        let node = child.node
        return Child(node.isLeaf ? Node(fragments: node.fragments) : Node(children: node.children.map(copy)))
    }

    /// Forgets all but the lengths of a document.
    func reset(units: Int, paragraphs: Int) {
        root = Child(Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)]))
        cursor = Cursor()
        changes += 1
    }

    /// Lengths of the whole document.
    var total: FragmentSum { root.sum }

    /// The fragment that holds a unit, and the lengths before it. Units beyond the end are in the last fragment.
    func fragment(at unit: Int) -> (fragment: Fragment, before: FragmentSum) {
        if unit < cursor.beforeLeaf.units || unit >= cursor.leafEnd { findLeaf(of: unit) }
        if unit < cursor.before.units { (cursor.index, cursor.before) = (0, cursor.beforeLeaf) }
        guard let leaf = cursor.leaf else { preconditionFailure("a leaf was just looked for") }
        leaf.fragments.withUnsafeBufferPointer { fragments in
            // On from where it was: units first, since most are asked for more than once.
            while cursor.index + 1 < fragments.count,
                cursor.before.units + fragments[cursor.index].units <= unit
            {
                cursor.before.add(fragments[cursor.index])
                cursor.index += 1
            }
        }
        return (leaf.fragments[cursor.index], cursor.before)
    }

    /// Moves the cursor to the first fragment of the leaf that holds a unit; of the last one for units beyond the end.
    private func findLeaf(of unit: Int) {
        // The tree keeps its nodes: none is held on to on the way.
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

    /// The fragment at a height in pixels, and the lengths before it; heights beyond an end are in the fragment there.
    func fragment(atY y: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        find { estimate.height(of: $0) <= y }
    }

    /// The fragment at a distance along lines that are fragments side by side.
    func fragment(atWidth x: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        find { estimate.width(of: $0) <= x }
    }

    /// The first fragment whose end does not satisfy `isBefore`, or the last one; and the lengths before it. The cursor is there then.
    @inline(__always)
    private func find(_ isBefore: (FragmentSum) -> Bool) -> (fragment: Fragment, before: FragmentSum) {
        let (leaf, before) = leaf(isBefore)
        let found = Self.index(in: leaf.node, before, isBefore)
        cursor = Cursor(
            leaf: leaf.node, beforeLeaf: before, leafEnd: before.units + leaf.sum.units, index: found.index,
            before: found.before)
        return (leaf.node.fragments[found.index], found.before)
    }

    /// The leaf of the first fragment whose end does not satisfy `isBefore`, or the last leaf; and the lengths before it.
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

    /// The first fragment of a leaf whose end does not satisfy `isBefore`, or the last one; and the lengths before it.
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

    /// Replaces the fragments that make up `range` exactly. Traps if the range does not start and end between fragments.
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

    /// Puts a fragment where one is that makes up units `low..<high` of a node: what a key does, and no node becomes smaller or
    /// larger by it. Returns what that adds to the sums; nil, with nothing done, if the range is not just one fragment.
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
        // Only what the range touches is looked into, and only there may nodes have become small.
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
            // Nothing stays of one that lies within the range.
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

    /// A node as one or more of bearable size; none if it is empty.
    private static func split(_ node: Node) -> [Child] {
        if node.isLeaf || !node.fragments.isEmpty {
            if node.fragments.isEmpty { return [] }
            if node.fragments.count <= fanOut { return [Child(node)] }
            return chunks(node.fragments.count).map { Child(Node(fragments: Array(node.fragments[$0]))) }
        }
        return node.children.count <= fanOut ? [Child(node)] : group(node.children)
    }

    /// Joins each of some children with the next as long as both together are small.
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

    /// Ranges of even size, none above the fan-out.
    private static func chunks(_ count: Int) -> [Range<Int>] {
        let parts = (count + fanOut - 1) / fanOut
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// Levels, and nodes on the lowest.
    var shape: (levels: Int, leaves: Int) {
        func visit(_ node: Node) -> (levels: Int, leaves: Int) {
            node.isLeaf
                ? (1, 1)
                : node.children.map { visit($0.node) }.reduce((1, 0)) { (max($0.0, $1.0 + 1), $0.1 + $1.1) }
        }
        return visit(root.node)
    }

    /// The range, in UTF-16 units, of the fragment with a number among those that are not hidden; nil if there is none. O(log n).
    func range(ofShown ordinal: Int) -> Range<Int>? {
        guard ordinal >= 0, ordinal < total.shown else { return nil }
        let (fragment, before) = find { $0.shown <= ordinal }
        return before.units..<before.units + fragment.units
    }

    /// Calls `body` with the lines of each fragment that are kept. O(n) for n fragments.
    func forEachLayout(_ body: (LaidFragment) -> Void) {
        func visit(_ node: Node) {
            for fragment in node.fragments { if let layout = fragment.layout { body(layout) } }
            for child in node.children { visit(child.node) }
        }
        visit(root.node)
    }

    /// The unit that the first gap starts at; nil if there is none. O(log n).
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
