import InkstoneBase

/// Walks over the leaves of a rope in either direction. It keeps the nodes alive, so its pointers stay valid.
struct RopeLeafCursor {
    // Parents from the root down, with the index of the child taken.
    private var path: [(node: RopeNode, index: Int)] = []
    private var leaf: RopeNode
    /// The leaf's start, in bytes of the rope.
    private(set) var start: Int
    /// The leaf's length.
    private(set) var metrics: TextMetrics

    /// The leaf that holds byte `offset`, clamped: the last one at the end. O(log n).
    init(_ rope: Rope, at offset: Int) {
        leaf = rope.root
        metrics = rope.metrics
        start = 0
        while leaf.height > 0 {
            let children = leaf.children
            var i = 0
            while i < leaf.count - 1, start + children[i].metrics.bytes <= offset {
                start += children[i].metrics.bytes
                i += 1
            }
            path.append((leaf, i))
            metrics = children[i].metrics
            leaf = children[i].node
        }
    }

    /// Number of bytes of the leaf; 0 only for an empty rope.
    var count: Int { metrics.bytes }

    /// The leaf's bytes; valid until the cursor moves or goes away.
    var bytes: UnsafePointer<UInt8> { UnsafePointer(leaf.bytes) }

    /// Goes on to the next leaf; false, and where it was, at the last one. O(1) amortised.
    mutating func moveToNext() -> Bool {
        guard let level = path.lastIndex(where: { $0.index + 1 < $0.node.count }) else { return false }
        start += count
        path[level].index += 1
        descend(from: level) { _ in 0 }
        return true
    }

    /// Goes back to the leaf before; false, and where it was, at the first one. O(1) amortised.
    mutating func moveToPrevious() -> Bool {
        guard let level = path.lastIndex(where: { $0.index > 0 }) else { return false }
        path[level].index -= 1
        descend(from: level) { $0 - 1 }
        start -= count
        return true
    }

    private mutating func descend(from level: Int, choose: (Int) -> Int) {
        path.removeSubrange((level + 1)...)
        var child = path[level].node.children[path[level].index]
        while child.node.height > 0 {
            let i = choose(child.node.count)
            path.append((child.node, i))
            child = child.node.children[i]
        }
        leaf = child.node
        metrics = child.metrics
    }
}
