/// A run of text with the same attributes.
struct AttributeRun: Equatable, Sendable {
    /// The length of the run in UTF-16 units.
    var length: Int
    var id: AttributeID

    /// The maximum length of a run. Longer text with equal attributes is several runs.
    static let longest = Int(UInt32.max)

    /// Whether the run that follows can be merged into this one.
    func joins(_ next: AttributeRun) -> Bool { id == next.id && length + next.length <= Self.longest }
}

/// A node of a tree of attribute runs: runs (height 0), or children with the length of each.
///
/// A leaf stores the lengths and the attributes of its runs in separate arrays. Typing, which makes a run longer,
/// then copies only the lengths, without reference counting of the attributes.
///
/// `Sendable` because a node is written to only while a single tree refers to it.
final class AttributeRunNode: @unchecked Sendable {
    struct Child {
        var length: Int
        var node: AttributeRunNode

        init(_ node: AttributeRunNode) {
            length = node.length
            self.node = node
        }
    }

    /// Most runs of a leaf.
    static let leafCapacity = 64
    /// Most children of an inner node. The fewest are two.
    static let fanOut = 32

    private(set) var length: Int
    let height: Int
    /// The lengths of a leaf's runs.
    private var lengths: [UInt32]
    /// The attributes of a leaf's runs.
    private let ids: [AttributeID]
    private(set) var children: [Child]
    /// The union of the rules of all runs below the node.
    let rules: AttributeRules
    /// Whether no run below the node has attributes.
    let isPlain: Bool

    convenience init(runs: [AttributeRun]) {
        self.init(lengths: runs.map { UInt32($0.length) }, ids: runs.map(\.id))
    }

    private init(lengths: [UInt32], ids: [AttributeID]) {
        self.lengths = lengths
        self.ids = ids
        children = []
        height = 0
        (length, rules, isPlain) = Self.sum(zip(lengths, ids).lazy.map { (Int($0), $1.rules, $1 == .none) })
    }

    init(children: [Child]) {
        self.children = children
        lengths = []
        ids = []
        height = children[0].node.height + 1
        (length, rules, isPlain) = Self.sum(children.lazy.map { ($0.length, $0.node.rules, $0.node.isPlain) })
    }

    /// The length, the rules and the plainness of a node's parts together.
    private typealias Sum = (length: Int, rules: AttributeRules, isPlain: Bool)

    private static func sum(_ parts: some Sequence<Sum>) -> Sum {
        parts.reduce(into: (0, [], true)) { sum, part in
            sum.length += part.length
            sum.rules.formUnion(part.rules)
            sum.isPlain = sum.isPlain && part.isPlain
        }
    }

    private init(copying node: AttributeRunNode) {
        lengths = node.lengths
        ids = node.ids
        children = node.children
        height = node.height
        length = node.length
        rules = node.rules
        isPlain = node.isPlain
    }

    var runCount: Int { height == 0 ? ids.count : children.reduce(0) { $0 + $1.node.runCount } }

    /// The only run of a leaf; nil if there are several runs.
    var onlyRun: AttributeRun? { ids.count == 1 ? run(0) : nil }

    private func run(_ index: Int) -> AttributeRun { AttributeRun(length: Int(lengths[index]), id: ids[index]) }

    // MARK: Looking up

    /// Returns the run that contains a unit of the tree's text, and the start of the run.
    func find(_ offset: Int) -> (run: AttributeRun, start: Int) {
        var node = self
        var start = 0
        while node.height > 0 {
            var i = 0
            while start + node.children[i].length <= offset {
                start += node.children[i].length
                i += 1
            }
            node = node.children[i].node
        }
        var i = 0
        while start + Int(node.lengths[i]) <= offset {
            start += Int(node.lengths[i])
            i += 1
        }
        return (node.run(i), start)
    }

    /// Calls `body` with the runs that overlap a range and with their starts, until it returns false.
    func forEachRun(
        from low: Int, to high: Int, startingAt start: Int = 0, _ body: (AttributeRun, Int) -> Bool
    ) -> Bool {
        var start = start
        if height == 0 {
            for i in lengths.indices {
                if start >= high { return true }
                let end = start + Int(lengths[i])
                if end > low, !body(run(i), start) { return false }
                start = end
            }
            return true
        }
        for child in children {
            if start >= high { return true }
            if start + child.length > low,
                !child.node.forEachRun(from: low, to: high, startingAt: start, body)
            {
                return false
            }
            start += child.length
        }
        return true
    }

    /// Calls `body` with the runs to which a rule applies, and with their starts. Subtrees without such runs are
    /// skipped.
    func forEachRun(with rule: AttributeRules, startingAt start: Int = 0, _ body: (AttributeRun, Int) -> Void) {
        guard rules.contains(rule) else { return }
        var start = start
        for i in lengths.indices {
            if ids[i].rules.contains(rule) { body(run(i), start) }
            start += Int(lengths[i])
        }
        for child in children {
            child.node.forEachRun(with: rule, startingAt: start, body)
            start += child.length
        }
    }

    // MARK: Changing

    /// Changes the length of the run that contains a unit: in place, except that nodes shared with other trees are
    /// copied.
    static func resizeRun(_ node: inout AttributeRunNode, at offset: Int, by delta: Int) {
        if !isKnownUniquelyReferenced(&node) { node = AttributeRunNode(copying: node) }
        node.length += delta
        var rest = offset
        var i = 0
        if node.height == 0 {
            while node.lengths[i] <= rest {
                rest -= Int(node.lengths[i])
                i += 1
            }
            node.lengths[i] = UInt32(Int(node.lengths[i]) + delta)
        } else {
            while node.children[i].length <= rest {
                rest -= node.children[i].length
                i += 1
            }
            node.children[i].length += delta
            resizeRun(&node.children[i].node, at: rest, by: delta)
        }
    }

    /// The runs of a leaf, in order.
    var leafRuns: [AttributeRun] { ids.indices.map { run($0) } }

    /// Returns the tree with other runs in a range, if only one leaf and the nodes above it change; otherwise nil.
    /// The range must not reach the leaf's ends, because there runs of two leaves might become equal.
    func replacing(_ range: Range<Int>, by new: [AttributeRun]) -> AttributeRunNode? {
        guard height > 0 else { return replacingInLeaf(range, by: new) }
        var start = 0
        var i = 0
        while i < children.count - 1, start + children[i].length <= range.lowerBound {
            start += children[i].length
            i += 1
        }
        guard range.upperBound < start + children[i].length,
            let child = children[i].node.replacing(range.lowerBound - start..<range.upperBound - start, by: new)
        else { return nil }
        var result = children
        result[i] = Child(child)
        return AttributeRunNode(children: result)
    }

    private func replacingInLeaf(_ range: Range<Int>, by new: [AttributeRun]) -> AttributeRunNode? {
        guard range.lowerBound > 0, range.upperBound < length else { return nil }
        var result: [AttributeRun] = []
        result.reserveCapacity(ids.count + new.count + 1)
        func add(_ run: AttributeRun) {
            if run.length == 0 { return }
            if let last = result.last, last.joins(run) {
                result[result.count - 1].length += run.length
            } else {
                result.append(run)
            }
        }
        var start = 0
        var isPending = true
        for i in ids.indices {
            let end = start + Int(lengths[i])
            add(AttributeRun(length: max(0, min(end, range.lowerBound) - start), id: ids[i]))
            if isPending, end >= range.lowerBound {
                for run in new { add(run) }
                isPending = false
            }
            add(AttributeRun(length: max(0, end - max(start, range.upperBound)), id: ids[i]))
            start = end
        }
        return result.count <= Self.leafCapacity ? AttributeRunNode(runs: result) : nil
    }

    /// Returns the runs before and after an offset. A run that contains the offset is split.
    static func split(_ tree: AttributeRunNode?, at offset: Int) -> (AttributeRunNode?, AttributeRunNode?) {
        guard let tree else { return (nil, nil) }
        if offset <= 0 { return (nil, tree) }
        if offset >= tree.length { return (tree, nil) }
        var rest = offset
        var i = 0
        if tree.height == 0 {
            while tree.lengths[i] <= rest {
                rest -= Int(tree.lengths[i])
                i += 1
            }
            var (head, tail) = (Array(tree.lengths[..<i]), Array(tree.lengths[i...]))
            if rest > 0 {
                head.append(UInt32(rest))
                tail[0] -= UInt32(rest)
            }
            return (
                AttributeRunNode(lengths: head, ids: Array(tree.ids[..<head.count])),
                AttributeRunNode(lengths: tail, ids: Array(tree.ids[i...]))
            )
        }
        while tree.children[i].length <= rest {
            rest -= tree.children[i].length
            i += 1
        }
        let (head, tail) = split(tree.children[i].node, at: rest)
        return (joined(of(tree.children[..<i]), head), joined(tail, of(tree.children[(i + 1)...])))
    }

    private static func of(_ children: ArraySlice<Child>) -> AttributeRunNode? {
        children.count > 1 ? AttributeRunNode(children: Array(children)) : children.first?.node
    }

    /// Concatenates two trees. Equal runs on both sides of the seam are merged.
    static func joined(_ a: AttributeRunNode?, _ b: AttributeRunNode?) -> AttributeRunNode? {
        guard let a else { return b }
        guard let b else { return a }
        let (first, second) = concatenated(a, b)
        guard let second else { return first }
        return AttributeRunNode(children: [Child(first), Child(second)])
    }

    /// Concatenates two trees to one or two nodes, whose height is the greater of the two heights.
    private static func concatenated(
        _ a: AttributeRunNode, _ b: AttributeRunNode
    ) -> (AttributeRunNode, AttributeRunNode?) {
        if a.height == 0, b.height == 0 {
            var lengths = a.lengths
            var rest = b.lengths[...]
            if a.run(a.ids.count - 1).joins(b.run(0)) { lengths[lengths.count - 1] += rest.removeFirst() }
            lengths += rest
            let ids = a.ids + b.ids.suffix(rest.count)
            guard ids.count > leafCapacity else { return (AttributeRunNode(lengths: lengths, ids: ids), nil) }
            let half = ids.count / 2
            return (
                AttributeRunNode(lengths: Array(lengths[..<half]), ids: Array(ids[..<half])),
                AttributeRunNode(lengths: Array(lengths[half...]), ids: Array(ids[half...]))
            )
        }
        var children: [Child] = []
        children.reserveCapacity(fanOut * 2)
        if a.height >= b.height { children += a.children.dropLast() }
        let seam = concatenated(
            a.height >= b.height ? a.children[a.children.count - 1].node : a,
            b.height >= a.height ? b.children[0].node : b)
        children.append(Child(seam.0))
        if let second = seam.1 { children.append(Child(second)) }
        if b.height >= a.height { children += b.children.dropFirst() }
        guard children.count > fanOut else { return (AttributeRunNode(children: children), nil) }
        let half = children.count / 2
        return (
            AttributeRunNode(children: Array(children[..<half])), AttributeRunNode(children: Array(children[half...]))
        )
    }

    /// Builds a tree from ordered runs; nil without runs. O(n).
    static func make(_ runs: [AttributeRun]) -> AttributeRunNode? {
        guard !runs.isEmpty else { return nil }
        var level = chunks(runs, leafCapacity).map { AttributeRunNode(runs: $0) }
        while level.count > 1 { level = chunks(level.map(Child.init), fanOut).map { AttributeRunNode(children: $0) } }
        return level[0]
    }

    /// Returns parts of an array of about equal size, at most `limit` elements each.
    private static func chunks<Element>(_ all: [Element], _ limit: Int) -> [[Element]] {
        let count = (all.count + limit - 1) / limit
        return (0..<count).map { Array(all[(all.count * $0 / count)..<(all.count * ($0 + 1) / count)]) }
    }

    /// Adds violated invariants to `problems`.
    func check(_ problems: inout [String]) {
        if height == 0 {
            if ids.isEmpty || ids.count > Self.leafCapacity { problems.append("a leaf of \(ids.count) runs") }
            if ids.count != lengths.count { problems.append("\(lengths.count) lengths of \(ids.count) runs") }
            if lengths.contains(0) { problems.append("an empty run") }
            if length != lengths.reduce(0, { $0 + Int($1) }) { problems.append("a leaf's length") }
            return
        }
        if children.count < 2 || children.count > Self.fanOut { problems.append("a node of \(children.count)") }
        if length != children.reduce(0, { $0 + $1.length }) { problems.append("a node's length") }
        for child in children {
            if child.node.height != height - 1 { problems.append("uneven heights") }
            if child.node.length != child.length { problems.append("a child's length") }
            child.node.check(&problems)
        }
    }
}
