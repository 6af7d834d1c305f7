import InkstoneBase

extension Rope {
    /// Replaces a range of bytes by another text, whose leaves are shared if it has several. O(log n + log m).
    public mutating func replace(_ range: Range<ByteOffset>, with text: Rope) {
        if text.root.height == 0 {
            withExtendedLifetime(text) {
                replace(range, with: UnsafeRawBufferPointer(start: text.root.bytes, count: text.root.count))
            }
            return
        }
        let range = range.clamped(into: byteRange)
        replaceTree(range.lowerBound.value, range.upperBound.value, text)
    }

    /// Replaces a range of bytes. O(log n + m).
    public mutating func replace(_ range: Range<ByteOffset>, with string: some StringProtocol) {
        var copy = String(string)
        copy.withUTF8 { replace(range, with: UnsafeRawBufferPointer($0)) }
    }

    /// Replaces a range of bytes by other bytes, which need not be valid UTF-8. O(log n + m).
    public mutating func replace(_ range: Range<ByteOffset>, with bytes: UnsafeRawBufferPointer) {
        let range = range.clamped(into: byteRange)
        let low = range.lowerBound.value
        let high = range.upperBound.value
        if low == high, bytes.isEmpty { return }
        if bytes.count < RopeNode.leafCapacity,
            let delta = Rope.edit(&root, low, high, bytes, Place())
        {
            metrics += delta
            return
        }
        replaceTree(low, high, Rope(bytes: bytes))
    }

    /// Adds a text at the end. O(log n + log m).
    public mutating func append(_ text: Rope) {
        self = Rope.concatenate(self, text)
    }

    private mutating func replaceTree(_ low: Int, _ high: Int, _ text: Rope) {
        let head = split(at: low).0
        let tail = split(at: high).1
        self = Rope.concatenate(Rope.concatenate(head, text), tail)
    }

    /// The position of a node in its tree, on which two limits of an edit in place depend: the root may be smaller than
    /// other nodes, and the first and last leaf have no neighbour on one side.
    private struct Place {
        var isRoot = true
        var isFirst = true
        var isLast = true
    }

    /// Edits one leaf in place and corrects the lengths on the path to it. Returns the change of the length.
    ///
    /// Returns nil and leaves the text unchanged if such an edit does not suffice. That is so if the range covers
    /// several leaves, or if the leaf would be too full or too empty. It is also so if bytes at an end of the leaf
    /// could form a scalar or a CR LF with the neighbouring leaf.
    private static func edit(
        _ node: inout RopeNode, _ low: Int, _ high: Int, _ new: UnsafeRawBufferPointer, _ place: Place
    ) -> TextMetrics? {
        if node.height == 0 { return editLeaf(&node, low, high, new, place) }
        var start = 0
        var i = 0
        let children = node.children
        // An insertion between two leaves is made at the end of the first.
        let least = low == high ? low : low + 1
        let last = node.count - 1
        while i < last {
            let end = start &+ children[i].metrics.bytes
            if end >= least { break }
            start = end
            i &+= 1
        }
        guard high <= start + children[i].metrics.bytes else { return nil }
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
        let own = node.children
        let inner = Place(
            isRoot: false, isFirst: place.isFirst && i == 0, isLast: place.isLast && i == last)
        let delta = edit(&own[i].node, low - start, high - start, new, inner)
        if let delta { own[i].metrics += delta }
        return delta
    }

    private static func editLeaf(
        _ leaf: inout RopeNode, _ low: Int, _ high: Int, _ new: UnsafeRawBufferPointer, _ place: Place
    ) -> TextMetrics? {
        let n = leaf.count
        let growth = new.count - (high - low)
        guard n + growth <= RopeNode.leafCapacity, place.isRoot || n + growth >= RopeNode.leafMinimum else {
            return nil
        }
        let p = UnsafePointer(leaf.bytes)
        // The window in which scalars and newlines can change: it starts at a scalar or an invalid sequence, and
        // ends before a byte that cannot continue anything before it.
        var from = low
        while from > 0 {
            from -= 1
            if !UTF8Scan.isContinuation(p[from]), !(p[from] == 0x0a && from > 0 && p[from - 1] == 0x0d) { break }
        }
        var to = high
        while to < n, UTF8Scan.mayJoinLeft(p[to]) { to += 1 }
        // If bytes at a changed end of the leaf could form a scalar or a CR LF with the neighbouring leaf, an edit
        // of this leaf alone does not suffice.
        if !place.isFirst, low == 0, UTF8Scan.mayJoinLeft(new.first ?? p[high]) { return nil }
        if !place.isLast, to == n, isOpenEnded(p, n, low, high, new) { return nil }
        let before = UTF8Scan.measure(p + from, to - from)

        if !isKnownUniquelyReferenced(&leaf) || leaf.room < n + growth {
            let small = place.isRoot && n + growth < 512
            let capacity = small ? Swift.max(32, 2 * (n + growth)) : RopeNode.leafCapacity
            leaf = .makeLeaf(UnsafeRawBufferPointer(start: p, count: n), capacity: capacity)
        }
        let raw = UnsafeMutableRawPointer(leaf.bytes)
        (raw + low + new.count).copyMemory(from: raw + high, byteCount: n - high)
        if let base = new.baseAddress { (raw + low).copyMemory(from: base, byteCount: new.count) }
        leaf.count = n + growth
        return UTF8Scan.measure(UnsafePointer(leaf.bytes) + from, to - from + growth) - before
    }

    /// Whether the leaf of `n` bytes would end in CR or in an incomplete UTF-8 sequence after an edit.
    private static func isOpenEnded(
        _ p: UTF8Scan.Bytes, _ n: Int, _ low: Int, _ high: Int, _ new: UnsafeRawBufferPointer
    ) -> Bool {
        let growth = new.count - (high - low)
        let count = Swift.min(4, n + growth)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { tail in
            for k in 0..<count {
                let i = n + growth - count + k
                tail[k] = i < low ? p[i] : i < low + new.count ? new[i - low] : p[i - growth]
            }
            guard let base = tail.baseAddress else { return false }
            return UTF8Scan.isOpenEnded(base, count)
        }
    }
}
