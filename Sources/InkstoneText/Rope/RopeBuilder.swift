import InkstoneBase

/// A builder of a rope from bytes that arrive in order, in any pieces: used for loading a file. O(n) in all.
package struct RopeBuilder {
    // The node of each height that is being filled, the lowest height first. A full node is appended to the node
    // one height above it.
    private var open: [RopeNode] = []
    private var pending: [UInt8] = []

    /// Creates a builder of an empty text.
    package init() {}

    /// Adds bytes at the end. A scalar may be split between two calls.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        let p = base.assumingMemoryBound(to: UInt8.self)
        let n = bytes.count
        var i = 0
        while !pending.isEmpty, i < n {
            // Fill the leaf that the last call left unfinished. Take up to eight bytes more than a leaf is filled
            // with, to find a boundary between scalars at which to end the leaf.
            let take = min(n - i, RopeNode.leafFill + 8 - pending.count)
            pending.append(contentsOf: UnsafeBufferPointer(start: p + i, count: take))
            i += take
            guard pending.count == RopeNode.leafFill + 8 else { return }
            let cut = pending.withUnsafeBufferPointer { buffer -> Int in
                guard let q = buffer.baseAddress else { return 0 }
                let cut = UTF8Scan.cut(q, RopeNode.leafFill, buffer.count)
                addLeaf(q, cut)
                return cut
            }
            pending.removeFirst(cut)
            if pending.count <= i {
                i -= pending.count
                pending.removeAll(keepingCapacity: true)
            }
        }
        while n - i >= RopeNode.leafFill + 8 {
            let cut = UTF8Scan.cut(p + i, RopeNode.leafFill, n - i)
            addLeaf(p + i, cut)
            i += cut
        }
        pending.append(contentsOf: UnsafeBufferPointer(start: p + i, count: n - i))
    }

    /// Returns the text of all bytes added; the builder is empty afterwards.
    package mutating func finish() -> Rope {
        defer {
            open = []
            pending = []
        }
        var rope = Rope()
        // Join the unfinished nodes from the greatest height down: each is a tree of its own, to the left of the
        // lower ones.
        for node in open.reversed() where node.count > 0 {
            let tree = node.count == 1 ? node.children[0].node : node
            let metrics = node.childMetrics
            rope = Rope.concatenate(rope, Rope(root: tree, metrics: metrics))
        }
        if !pending.isEmpty {
            let tail = pending.withUnsafeBytes { bytes in
                Rope(
                    root: .makeLeaf(bytes),
                    metrics: UTF8Scan.measure(bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count))
            }
            rope = Rope.concatenate(rope, tail)
        }
        return rope
    }

    private mutating func addLeaf(_ p: UnsafePointer<UInt8>, _ n: Int) {
        let leaf = RopeNode.makeLeaf(UnsafeRawBufferPointer(start: p, count: n), capacity: RopeNode.leafCapacity)
        var child = RopeNode.Child(metrics: UTF8Scan.measure(p, n), node: leaf)
        var level = 0
        while true {
            if level == open.count { open.append(.makeInner(height: level + 1)) }
            open[level].append(child)
            guard open[level].count == RopeNode.fanOut else { return }
            child = RopeNode.Child(metrics: open[level].childMetrics, node: open[level])
            open[level] = .makeInner(height: level + 1)
            level += 1
        }
    }
}
