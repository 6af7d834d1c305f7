import InkstoneBase

/// A cursor over the leaves of a rope, in both directions. The cursor retains the nodes, so that pointers to their
/// bytes stay valid.
struct RopeLeafCursor {
    /// A node above the leaf, and the index of the child through which the path leads.
    private struct Step {
        var node: Unmanaged<RopeNode>
        var index: Int
    }

    // The root of the rope. Retaining it keeps all nodes alive, and prevents writing to them, because shared nodes are
    // never written to.
    private let root: RopeNode
    // The path from the root down, with room for more levels than any text has: each level multiplies the size by
    // eight, from 1 KB on, and a text that shares leaves may be longer than memory. Stored inline, because reading
    // at an offset must not allocate.
    private var path: InlineArray<16, Step>
    private let levels: Int
    private var leaf: Unmanaged<RopeNode>
    /// The leaf's start, in bytes of the rope.
    private(set) var start: Int
    /// The leaf's length in all units.
    private(set) var metrics: TextMetrics

    /// Creates a cursor at the leaf that contains byte `offset`, clamped to the text; at the end of the text, the last
    /// leaf. O(log n).
    init(_ rope: Rope, at offset: Int) {
        root = rope.root
        let top = Unmanaged.passUnretained(rope.root)
        path = InlineArray(repeating: Step(node: top, index: 0))
        levels = rope.root.height
        leaf = top
        metrics = rope.metrics
        start = 0
        for level in 0..<levels {
            let (index, before) = leaf._withUnsafeGuaranteedRef { node in
                let children = node.children
                let last = node.count - 1
                var i = 0
                var end = start
                while i < last {
                    let next = end &+ children[i].metrics.bytes
                    if next > offset { break }
                    end = next
                    i &+= 1
                }
                return (i, end)
            }
            start = before
            path[level] = Step(node: leaf, index: index)
            enter(level)
        }
    }

    /// Number of bytes of the leaf; 0 only for an empty rope.
    var count: Int { metrics.bytes }

    /// The leaf's bytes; valid until the cursor moves or is released.
    var bytes: UnsafePointer<UInt8> { leaf._withUnsafeGuaranteedRef { UnsafePointer($0.bytes) } }

    /// Moves to the next leaf; at the last leaf returns false and does not move. O(1) amortised.
    mutating func moveToNext() -> Bool {
        var level = levels - 1
        while level >= 0, path[level].index == Self.count(path[level].node) - 1 { level -= 1 }
        guard level >= 0 else { return false }
        start += count
        path[level].index += 1
        enter(level)
        for below in (level + 1)..<max(levels, level + 1) {
            path[below] = Step(node: leaf, index: 0)
            enter(below)
        }
        return true
    }

    /// Moves to the previous leaf; at the first leaf returns false and does not move. O(1) amortised.
    mutating func moveToPrevious() -> Bool {
        var level = levels - 1
        while level >= 0, path[level].index == 0 { level -= 1 }
        guard level >= 0 else { return false }
        path[level].index -= 1
        enter(level)
        for below in (level + 1)..<max(levels, level + 1) {
            path[below] = Step(node: leaf, index: Self.count(leaf) - 1)
            enter(below)
        }
        start -= count
        return true
    }

    private static func count(_ node: Unmanaged<RopeNode>) -> Int { node._withUnsafeGuaranteedRef { $0.count } }

    /// Descends one level, to the child that `path` names.
    private mutating func enter(_ level: Int) {
        let step = path[level]
        (leaf, metrics) = step.node._withUnsafeGuaranteedRef { node in
            let child = node.children + step.index
            return (Unmanaged.passUnretained(child.pointee.node), child.pointee.metrics)
        }
    }
}
