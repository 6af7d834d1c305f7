import InkstoneBase

/// Splitting and joining of trees, as used by an edit of more than one leaf. The resulting trees share as many
/// nodes as possible.
extension Rope {
    /// Returns the texts before and after byte `offset`, which may lie inside a scalar. O(log n).
    func split(at offset: Int) -> (Rope, Rope) {
        if offset <= 0 { return (Rope(), self) }
        if offset >= metrics.bytes { return (self, Rope()) }
        return Rope.split(RopeNode.Child(metrics: metrics, node: root), at: offset)
    }

    private static func split(_ tree: RopeNode.Child, at offset: Int) -> (Rope, Rope) {
        let node = tree.node
        if offset == 0 { return (Rope(), Rope(tree)) }
        if offset == tree.metrics.bytes { return (Rope(tree), Rope()) }
        if node.height == 0 {
            return (
                Rope(leafOf: node.bytes, count: offset),
                Rope(leafOf: node.bytes + offset, count: node.count - offset)
            )
        }
        let children = node.children
        var start = 0
        var i = 0
        while start + children[i].metrics.bytes <= offset {
            start += children[i].metrics.bytes
            i += 1
        }
        let (head, tail) = split(children[i], at: offset - start)
        return (
            join(Rope(children, 0..<i, height: node.height), head),
            join(tail, Rope(children, (i + 1)..<node.count, height: node.height))
        )
    }

    /// Concatenates two texts. Bytes on both sides of the seam that form one scalar or one CR LF end up in one
    /// leaf. O(log n + log m).
    static func concatenate(_ a: Rope, _ b: Rope) -> Rope {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        let last = RopeLeafCursor(a, at: a.metrics.bytes)
        let first = RopeLeafCursor(b, at: 0)
        guard UTF8Scan.joins(last.bytes, last.count, first.bytes, first.count) else { return join(a, b) }
        // Measure both leaves at the seam again as one text. Its outer ends stay valid leaf boundaries, because a
        // leaf with neighbours is longer than any scalar or invalid sequence.
        var seam = [UInt8](UnsafeBufferPointer(start: last.bytes, count: last.count))
        seam.append(contentsOf: UnsafeBufferPointer(start: first.bytes, count: first.count))
        let head = a.split(at: last.start).0
        let tail = b.split(at: first.count).1
        return join(join(head, Rope(bytes: seam)), tail)
    }

    /// Concatenates two trees. Bytes on both sides of the seam must not form one scalar or one CR LF.
    private static func join(_ a: Rope, _ b: Rope) -> Rope {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        let left = a.root
        let right = b.root
        let metrics = a.metrics + b.metrics
        if left.height == right.height {
            if left.height == 0 { return joinLeaves(left, right, metrics) }
            if left.count + right.count > RopeNode.fanOut, left.isFullEnough, right.isFullEnough {
                return Rope(pairOf: a, b)
            }
            var children = left.childArray[...]
            children.append(contentsOf: right.childArray)
            return Rope(children, height: left.height)
        }
        if left.height > right.height {
            var children = left.childArray
            let last = children.removeLast()
            let joined = join(Rope(last), b)
            children.append(contentsOf: joined.trees(ofHeight: left.height - 1))
            return Rope(children[...], height: left.height)
        }
        let children = right.childArray
        let joined = join(a, Rope(children[0]))
        let all = joined.trees(ofHeight: right.height - 1) + children.dropFirst()
        return Rope(all[...], height: right.height)
    }

    private static func joinLeaves(_ a: RopeNode, _ b: RopeNode, _ metrics: TextMetrics) -> Rope {
        let total = a.count + b.count
        if total > RopeNode.leafCapacity, a.isFullEnough, b.isFullEnough {
            return Rope(pairOf: Rope(measuring: a), Rope(measuring: b))
        }
        let leaf = RopeNode.makeLeaf(capacity: total > RopeNode.leafCapacity ? total : RopeNode.leafCapacity)
        leaf.bytes.update(from: a.bytes, count: a.count)
        (leaf.bytes + a.count).update(from: b.bytes, count: b.count)
        leaf.count = total
        if total <= RopeNode.leafCapacity { return Rope(root: leaf, metrics: metrics) }
        let cut = UTF8Scan.cut(leaf.bytes, total / 2, total)
        return withExtendedLifetime(leaf) {
            Rope(
                pairOf: Rope(leafOf: leaf.bytes, count: cut, capacity: RopeNode.leafCapacity),
                Rope(leafOf: leaf.bytes + cut, count: total - cut, capacity: RopeNode.leafCapacity))
        }
    }

    private var asChild: RopeNode.Child { RopeNode.Child(metrics: metrics, node: root) }

    /// Returns the tree as a single node of the given height, or its children if the tree is one level higher.
    private func trees(ofHeight height: Int) -> [RopeNode.Child] {
        root.height == height ? [asChild] : root.childArray
    }

    private init(_ child: RopeNode.Child) { self.init(root: child.node, metrics: child.metrics) }

    private init(measuring leaf: RopeNode) {
        self.init(root: leaf, metrics: UTF8Scan.measure(leaf.bytes, leaf.count))
    }

    private init(leafOf bytes: UnsafePointer<UInt8>, count: Int, capacity: Int? = nil) {
        self.init(
            root: .makeLeaf(UnsafeRawBufferPointer(start: bytes, count: count), capacity: capacity),
            metrics: UTF8Scan.measure(bytes, count))
    }

    private init(pairOf a: Rope, _ b: Rope) {
        let node = RopeNode.makeInner(height: a.root.height + 1)
        node.append(a.asChild)
        node.append(b.asChild)
        self.init(root: node, metrics: a.metrics + b.metrics)
    }

    /// Creates a range of a node's children as a tree: an empty text, the only child itself, or a new node.
    private init(_ children: UnsafePointer<RopeNode.Child>, _ range: Range<Int>, height: Int) {
        switch range.count {
        case 0: self.init()
        case 1: self.init(children[range.lowerBound])
        default:
            let node = RopeNode.makeInner(height: height)
            for i in range { node.append(children[i]) }
            self.init(root: node, metrics: node.childMetrics)
        }
    }

    /// Creates a tree of 2 to 64 children: one node, or two nodes of about equal size below a new root.
    private init(_ children: ArraySlice<RopeNode.Child>, height: Int) {
        guard children.count > RopeNode.fanOut else {
            let node = RopeNode.makeInner(height: height)
            for child in children { node.append(child) }
            self.init(root: node, metrics: node.childMetrics)
            return
        }
        let half = children.count / 2
        self.init(pairOf: Rope(children.prefix(half), height: height), Rope(children.dropFirst(half), height: height))
    }
}

extension RopeNode {
    /// An inner node's children.
    var childArray: [Child] { Array(UnsafeBufferPointer(start: children, count: count)) }
}
