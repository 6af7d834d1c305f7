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
    /// What was laid out, as long as it is kept.
    var layout: LaidFragment?
    /// Width in pixels of a fragment that stands beside others on one line; 0 for all else.
    var width: Float = 0
}

extension Fragment {
    /// Text of which only lengths are known.
    init(gap units: Int, paragraphs: Int) {
        self.init(units: units, paragraphs: paragraphs, height: 0, isGap: true, layout: nil)
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

    init() {}

    init(_ fragment: Fragment) { add(fragment) }

    @inline(__always)
    mutating func add(_ fragment: borrowing Fragment) {
        units += fragment.units
        paragraphs += fragment.paragraphs
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
    }

    @inline(__always)
    static func -= (a: inout Self, b: Self) {
        a.units -= b.units
        a.paragraphs -= b.paragraphs
        a.height -= b.height
        a.width -= b.width
        a.gapUnits -= b.gapUnits
        a.gapParagraphs -= b.gapParagraphs
    }
}

/// Guesses the height of text that was not laid out: linear, so that cutting a gap in two changes no total.
struct HeightEstimate {
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
        @exclusivity(unchecked) var sum = FragmentSum()
        @exclusivity(unchecked) var fragments: [Fragment] = []
        @exclusivity(unchecked) var children: [Node] = []
        var isLeaf: Bool { children.isEmpty }

        init(fragments: [Fragment]) {
            self.fragments = fragments
            add()
        }

        init(children: [Node]) {
            self.children = children
            add()
        }

        func add() {
            var all = FragmentSum()
            fragments.withUnsafeBufferPointer { for i in 0..<$0.count { all.add($0[i]) } }
            children.withUnsafeBufferPointer { for i in 0..<$0.count { all += $0[i].sum } }
            sum = all
        }
    }

    @exclusivity(unchecked) private var root: Node
    /// Grows with each replacement.
    @exclusivity(unchecked) private(set) var changes = 0
    /// Where a unit was looked for last: who asks for one fragment mostly asks for it again, or for its neighbours next. Nil after
    /// a change.
    @exclusivity(unchecked) private var last: Place?

    private struct Place {
        unowned(unsafe) var leaf: Node
        var beforeLeaf: FragmentSum
        /// Which of the leaf's fragments it was, and the lengths before that.
        var index: Int
        var before: FragmentSum
    }

    /// A document of which only the lengths are known.
    init(units: Int, paragraphs: Int) {
        root = Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)])
    }

    /// Forgets all but the lengths of a document.
    func reset(units: Int, paragraphs: Int) {
        root = Node(fragments: [Fragment(gap: units, paragraphs: paragraphs)])
        last = nil
        changes += 1
    }

    /// Lengths of the whole document.
    var total: FragmentSum { root.sum }

    /// The fragment that holds a unit, and the lengths before it. Units beyond the end are in the last fragment.
    func fragment(at unit: Int) -> (fragment: Fragment, before: FragmentSum) {
        if let last {
            let leaf = last.leaf
            let end = last.before.units + leaf.fragments[last.index].units
            if unit >= last.before.units, unit < end { return (leaf.fragments[last.index], last.before) }
            let next = last.index + 1
            if unit == end, next < leaf.fragments.count, leaf.fragments[next].units > 0 {
                // From one to the next, as a document is gone through.
                var before = last.before
                before.add(leaf.fragments[last.index])
                self.last = Place(leaf: leaf, beforeLeaf: last.beforeLeaf, index: next, before: before)
                return (leaf.fragments[next], before)
            }
            let start = last.beforeLeaf.units
            if unit >= start, unit < start + leaf.sum.units { return fragment(at: unit, in: leaf, last.beforeLeaf) }
        }
        let (leaf, before) = leaf { $0.units <= unit }
        return fragment(at: unit, in: leaf, before)
    }

    private func fragment(
        at unit: Int, in leaf: Node, _ before: FragmentSum
    ) -> (fragment: Fragment, before: FragmentSum) {
        let found = Self.index(in: leaf, before) { $0.units <= unit }
        last = Place(leaf: leaf, beforeLeaf: before, index: found.index, before: found.before)
        return (leaf.fragments[found.index], found.before)
    }

    /// The fragment at a height in pixels, and the lengths before it; heights beyond an end are in the fragment there.
    func fragment(atY y: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        let (leaf, before) = leaf { estimate.height(of: $0) <= y }
        let found = Self.index(in: leaf, before) { estimate.height(of: $0) <= y }
        return (leaf.fragments[found.index], found.before)
    }

    /// The fragment at a distance along lines that are fragments side by side.
    func fragment(atWidth x: Double, _ estimate: HeightEstimate) -> (fragment: Fragment, before: FragmentSum) {
        let (leaf, before) = leaf { estimate.width(of: $0) <= x }
        let found = Self.index(in: leaf, before) { estimate.width(of: $0) <= x }
        return (leaf.fragments[found.index], found.before)
    }

    /// The leaf of the first fragment whose end does not satisfy `isBefore`, or the last leaf; and the lengths before it.
    @inline(__always)
    private func leaf(_ isBefore: (FragmentSum) -> Bool) -> (leaf: Node, before: FragmentSum) {
        var node = root
        var before = FragmentSum()
        while !node.isLeaf {
            node = node.children.withUnsafeBufferPointer { children in
                for i in 0..<(children.count - 1) {
                    var after = before
                    after += children[i].sum
                    if !isBefore(after) { return children[i] }
                    before = after
                }
                return children[children.count - 1]
            }
        }
        return (node, before)
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
        last = nil
        if fragments.count == 1, Self.exchange(range.lowerBound, range.upperBound, fragments[0], in: root) != nil {
            return
        }
        var nodes = replace(root, range.lowerBound, range.upperBound, fragments)
        while nodes.count > 1 { nodes = Self.group(nodes) }
        root = nodes.first ?? Node(fragments: [])
        while root.children.count == 1 { root = root.children[0] }
        precondition(!root.fragments.isEmpty || !root.children.isEmpty, "a document has at least one fragment")
    }

    /// Puts a fragment where one is that makes up units `low..<high` of a node: what a key does, and no node becomes smaller or
    /// larger by it. Returns what that adds to the sums; nil, with nothing done, if the range is not just one fragment.
    private static func exchange(_ low: Int, _ high: Int, _ new: Fragment, in node: Node) -> FragmentSum? {
        var at = 0
        if node.isLeaf {
            for i in 0..<node.fragments.count {
                let units = node.fragments[i].units
                guard at < low else {
                    guard at == low, low + units == high else { return nil }
                    var added = FragmentSum(new)
                    added -= FragmentSum(node.fragments[i])
                    node.fragments[i] = new
                    node.sum += added
                    return added
                }
                at += units
            }
            return nil
        }
        for i in 0..<node.children.count {
            let child = node.children[i]
            let units = child.sum.units
            if at + units > low {
                guard let added = exchange(low - at, high - at, new, in: child) else { return nil }
                node.sum += added
                return added
            }
            at += units
        }
        return nil
    }

    private func replace(_ node: Node, _ low: Int, _ high: Int, _ new: [Fragment]) -> [Node] {
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
            precondition(at >= high || high > node.sum.units, "the range ends inside a fragment")
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
        var parts: [Node] = []
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
    private static func split(_ node: Node) -> [Node] {
        if node.isLeaf || !node.fragments.isEmpty {
            if node.fragments.isEmpty { return [] }
            if node.fragments.count <= fanOut {
                node.add()
                return [node]
            }
            return chunks(node.fragments.count).map { Node(fragments: Array(node.fragments[$0])) }
        }
        if node.children.count <= fanOut {
            node.add()
            return [node]
        }
        return chunks(node.children.count).map { Node(children: Array(node.children[$0])) }
    }

    /// Joins each of some children with the next as long as both together are small.
    private static func join(_ children: inout [Node], _ range: Range<Int>) {
        var i = range.lowerBound
        var end = range.upperBound
        while i < end, i + 1 < children.count {
            let a = children[i]
            let b = children[i + 1]
            let small = fanOut / 2
            if a.isLeaf, b.isLeaf, a.fragments.count + b.fragments.count <= small {
                a.fragments += b.fragments
            } else if !a.isLeaf, !b.isLeaf, a.children.count + b.children.count <= small {
                a.children += b.children
            } else {
                i += 1
                continue
            }
            a.add()
            children.remove(at: i + 1)
            end -= 1
        }
    }

    private static func group(_ nodes: [Node]) -> [Node] {
        chunks(nodes.count).map { Node(children: Array(nodes[$0])) }
    }

    /// Ranges of even size, none above the fan-out.
    private static func chunks(_ count: Int) -> [Range<Int>] {
        let parts = (count + fanOut - 1) / fanOut
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// Levels, and nodes on the lowest.
    var shape: (levels: Int, leaves: Int) {
        func visit(_ node: Node) -> (levels: Int, leaves: Int) {
            node.isLeaf ? (1, 1) : node.children.map(visit).reduce((1, 0)) { (max($0.0, $1.0 + 1), $0.1 + $1.1) }
        }
        return visit(root)
    }

    /// Forgets the lines of fragments, not their heights. O(n) for n fragments.
    func dropLayouts(_ isDropped: (LaidFragment) -> Bool) {
        func visit(_ node: Node) {
            for i in node.fragments.indices {
                if let layout = node.fragments[i].layout, isDropped(layout) { node.fragments[i].layout = nil }
            }
            for child in node.children { visit(child) }
        }
        visit(root)
    }

    /// Forgets the lines of the fragment that holds a unit.
    func dropLayout(at unit: Int) {
        var node = root
        var at = unit
        while !node.isLeaf {
            var next = node.children.count - 1
            for (i, child) in node.children.dropLast().enumerated() {
                if at < child.sum.units {
                    next = i
                    break
                }
                at -= child.sum.units
            }
            node = node.children[next]
        }
        for i in node.fragments.indices {
            if at < node.fragments[i].units {
                node.fragments[i].layout = nil
                return
            }
            at -= node.fragments[i].units
        }
    }

    /// The unit that the first gap starts at; nil if there is none. O(log n).
    func firstGap() -> Int? {
        var node = root
        var at = 0
        guard node.sum.gapUnits > 0 else { return nil }
        while !node.isLeaf {
            for child in node.children {
                if child.sum.gapUnits > 0 {
                    node = child
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
