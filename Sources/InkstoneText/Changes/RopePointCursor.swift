import InkstoneBase

/// A position in a text that moves forward only, with the length of the text before it: for looking up many offsets
/// in ascending order. Each move costs O(log n) at most; a move within a leaf measures only the bytes that it
/// passes.
struct RopePointCursor {
    private let rope: Rope
    private var leaf: RopeLeafCursor
    /// The length of the text before the current leaf.
    private var leafStart = TextMetrics.zero
    /// The length of the text before the position, which is between scalars.
    private(set) var metrics = TextMetrics.zero

    init(_ rope: Rope) {
        self.rope = rope
        leaf = RopeLeafCursor(rope, at: 0)
    }

    /// The largest number of leaves that a move passes one by one. A longer move descends from the root instead.
    private static let hops = 4

    /// Moves to an offset at or after the present position and within the text. For an offset inside a scalar,
    /// moves to the scalar's start.
    mutating func move(to target: Int, _ unit: TextPointUnit) {
        var hops = 0
        while target >= leafEnd(unit), leafStart.bytes + leaf.count < rope.metrics.bytes {
            guard hops < Self.hops else { return descend(to: target, unit) }
            hops += 1
            leafStart += leaf.metrics
            _ = leaf.moveToNext()
            metrics = leafStart
        }
        let from = metrics.bytes - leafStart.bytes
        let p = leaf.bytes + from
        let n = leaf.count - from
        let isValid = leaf.metrics.invalidParts == 0
        let k: Int
        switch unit {
        case .bytes: k = min(target - metrics.bytes, n)
        case .utf16: k = UTF8Scan.index(p, n, utf16: target - metrics.utf16, isValid: isValid)
        }
        guard k > 0 else { return }
        metrics += UTF8Scan.measurePrefix(p, k, n, isValid: isValid)
    }

    private func leafEnd(_ unit: TextPointUnit) -> Int {
        switch unit {
        case .bytes: leafStart.bytes + leaf.metrics.bytes
        case .utf16: leafStart.utf16 + leaf.metrics.utf16
        }
    }

    private mutating func descend(to target: Int, _ unit: TextPointUnit) {
        metrics =
            switch unit {
            case .bytes: rope.metrics(before: ByteOffset(target))
            case .utf16: rope.metrics(before: UTF16Offset(target))
            }
        leaf = RopeLeafCursor(rope, at: metrics.bytes)
        let inLeaf = metrics.bytes - leaf.start
        leafStart =
            metrics
            - UTF8Scan.measurePrefix(leaf.bytes, inLeaf, leaf.count, isValid: leaf.metrics.invalidParts == 0)
    }

    /// The byte after the position; nil at the end of the text.
    var next: UInt8? {
        let at = metrics.bytes - leafStart.bytes
        if at < leaf.count { return leaf.bytes[at] }
        return metrics.bytes < rope.metrics.bytes ? rope.byte(at: ByteOffset(metrics.bytes)) : nil
    }

    /// Whether the text before the position ends in CR or in an incomplete UTF-8 sequence. Text after the position
    /// could combine with such an end.
    var isOpenEnded: Bool {
        let at = metrics.bytes - leafStart.bytes
        if at > 0 { return UTF8Scan.isOpenEnded(leaf.bytes, at) }
        guard metrics.bytes > 0 else { return false }
        let previous = RopeLeafCursor(rope, at: metrics.bytes - 1)
        return UTF8Scan.isOpenEnded(previous.bytes, previous.count)
    }
}
