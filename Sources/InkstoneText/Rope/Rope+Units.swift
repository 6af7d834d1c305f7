import InkstoneBase

extension Rope {
    /// Returns the length of the text before byte `offset`, in all units. O(log n).
    package func metrics(before offset: ByteOffset) -> TextMetrics {
        let offset = min(max(0, offset.value), metrics.bytes)
        return seek {
            $0.bytes <= offset
        } leaf: { _, leaf in
            offset - leaf.before.bytes
        }
    }

    /// Returns the UTF-16 offset of a byte. O(log n).
    public func utf16Offset(at offset: ByteOffset) -> UTF16Offset {
        let offset = min(max(0, offset.value), metrics.bytes)
        if metrics.isUniform { return UTF16Offset(offset) }
        return withLeaf(holding: offset, { $0.bytes }, { $0.utf16 }) { p, leaf, distance, before in
            if distance >= leaf.bytes { return UTF16Offset(before + leaf.utf16) }
            if leaf.isUniform { return UTF16Offset(before + distance) }
            return UTF16Offset(before + UTF8Scan.measurePrefix(p, distance, of: leaf).utf16)
        }
    }

    /// Returns the scalar offset of a byte. O(log n).
    package func scalarOffset(at offset: ByteOffset) -> ScalarOffset { ScalarOffset(metrics(before: offset).scalars) }

    /// Returns the byte offset of a UTF-16 offset; inside a surrogate pair, of the pair's scalar. O(log n).
    public func byteOffset(at offset: UTF16Offset) -> ByteOffset {
        let offset = min(max(0, offset.value), metrics.utf16)
        if metrics.isUniform { return ByteOffset(offset) }
        return withLeaf(holding: offset, { $0.utf16 }, { $0.bytes }) { p, leaf, distance, before in
            if distance >= leaf.utf16 { return ByteOffset(before + leaf.bytes) }
            if leaf.isUniform { return ByteOffset(before + distance) }
            return ByteOffset(
                before + UTF8Scan.index(p, leaf.bytes, utf16: distance, isValid: leaf.invalidParts == 0))
        }
    }

    /// Returns the byte of a scalar offset. O(log n).
    package func byteOffset(at offset: ScalarOffset) -> ByteOffset { ByteOffset(metrics(before: offset).bytes) }

    /// Returns the length of the text before a UTF-16 offset, in all units. An offset inside a surrogate pair means
    /// the pair's start. O(log n).
    public func metrics(before offset: UTF16Offset) -> TextMetrics {
        metrics(before: offset.value, \.utf16) { UTF8Scan.index($0, $1, utf16: $2, isValid: $3) }
    }

    /// Returns the length of the text before a scalar offset, in all units. O(log n).
    public func metrics(before offset: ScalarOffset) -> TextMetrics {
        metrics(before: offset.value, \.scalars) { UTF8Scan.index($0, $1, scalars: $2, isValid: $3) }
    }

    /// Returns the length of the text before an offset in the unit that `unit` selects, clamped to the text.
    /// `index` finds the byte at a distance in a leaf. Its arguments: the leaf's bytes, their number, the distance,
    /// and whether all of the bytes are valid UTF-8.
    @inline(__always)
    private func metrics(
        before offset: Int, _ unit: (TextMetrics) -> Int, _ index: (UTF8Scan.Bytes, Int, Int, Bool) -> Int
    ) -> TextMetrics {
        let offset = min(max(0, offset), unit(metrics))
        return seek {
            unit($0) <= offset
        } leaf: { p, leaf in
            let distance = offset - unit(leaf.before)
            return leaf.metrics.isUniform ? distance : index(p, leaf.metrics.bytes, distance, leaf.isValid)
        }
    }

    /// Returns the UTF-16 offset of a scalar offset. O(log n).
    public func utf16Offset(at offset: ScalarOffset) -> UTF16Offset { UTF16Offset(metrics(before: offset).utf16) }

    /// Returns the scalar offset of a UTF-16 offset. O(log n).
    public func scalarOffset(at offset: UTF16Offset) -> ScalarOffset { ScalarOffset(metrics(before: offset).scalars) }

    /// Returns the byte range of a UTF-16 range. O(log n).
    public func byteRange(of range: Range<UTF16Offset>) -> Range<ByteOffset> {
        let low = byteOffset(at: range.lowerBound)
        return low..<max(low, byteOffset(at: range.upperBound))
    }

    /// Returns the UTF-16 range of a byte range. O(log n).
    public func utf16Range(of range: Range<ByteOffset>) -> Range<UTF16Offset> {
        let low = utf16Offset(at: range.lowerBound)
        return low..<max(low, utf16Offset(at: range.upperBound))
    }

    /// Returns the start of the scalar, or of the invalid sequence, that contains a byte. O(log n).
    public func roundedDown(toScalar offset: ByteOffset) -> ByteOffset {
        ByteOffset(metrics(before: offset).bytes)
    }

    /// Descends to the leaf that contains an offset in one unit, and adds up the text before the leaf in another
    /// unit only. This is cheaper than ``seek``, which adds up all units. `body` gets four values: the leaf's
    /// bytes, the leaf's length, the distance of the offset from the leaf's start in the first unit, and the length
    /// of the text before the leaf in the second unit.
    @inline(__always)
    private func withLeaf<R>(
        holding offset: Int, _ unit: (TextMetrics) -> Int, _ other: (TextMetrics) -> Int,
        _ body: (UTF8Scan.Bytes, TextMetrics, Int, Int) -> R
    ) -> R {
        var distance = offset
        var before = 0
        var node = Unmanaged.passUnretained(root)
        var leaf = metrics
        while true {
            let next: RopeNode.ChildReference? = node._withUnsafeGuaranteedRef { node in
                guard node.height > 0 else { return nil }
                let children = node.children
                let last = node.count - 1
                var i = 0
                while i < last {
                    let length = unit(children[i].metrics)
                    if length > distance { break }
                    distance &-= length
                    before &+= other(children[i].metrics)
                    i &+= 1
                }
                return RopeNode.ChildReference(
                    node: Unmanaged.passUnretained(children[i].node), metrics: children[i].metrics)
            }
            guard let next else { break }
            node = next.node
            leaf = next.metrics
        }
        return withExtendedLifetime(root) {
            body(UnsafePointer(node._withUnsafeGuaranteedRef { $0.bytes }), leaf, distance, before)
        }
    }

    /// Descends to the last leaf for which the length of the text before it satisfies `isBefore`. `leaf` returns
    /// the number of bytes of that leaf to include. Returns the length of the text up to there.
    @inline(__always)
    func seek(
        _ isBefore: (TextMetrics) -> Bool, leaf: (UTF8Scan.Bytes, RopeLeafLocation) -> Int
    ) -> TextMetrics {
        var before = TextMetrics.zero
        var node = Unmanaged.passUnretained(root)
        var metrics = self.metrics
        while true {
            let next: RopeNode.ChildReference? = node._withUnsafeGuaranteedRef { node in
                guard node.height > 0 else { return nil }
                let children = node.children
                let last = node.count - 1
                var i = 0
                while i < last {
                    let after = before + children[i].metrics
                    if !isBefore(after) { break }
                    before = after
                    i += 1
                }
                return RopeNode.ChildReference(
                    node: Unmanaged.passUnretained(children[i].node), metrics: children[i].metrics)
            }
            guard let next else { break }
            node = next.node
            metrics = next.metrics
        }
        let n = metrics.bytes
        return withExtendedLifetime(root) {
            let p = UnsafePointer(node._withUnsafeGuaranteedRef { $0.bytes })
            let k = leaf(p, RopeLeafLocation(metrics: metrics, before: before))
            if k >= n { return before + metrics }
            return before + UTF8Scan.measurePrefix(p, k, of: metrics)
        }
    }
}

/// A leaf found by a search.
struct RopeLeafLocation {
    /// The length of the leaf in all units.
    var metrics: TextMetrics
    /// The length of the text before the leaf, in all units.
    var before: TextMetrics

    var isValid: Bool { metrics.invalidParts == 0 }
}

extension RopeNode {
    struct ChildReference {
        var node: Unmanaged<RopeNode>
        var metrics: TextMetrics
    }
}

extension UTF8Scan {
    /// Returns the offset of the byte at which the UTF-16 unit `target` of `n` bytes starts; for the second unit of
    /// a surrogate pair, the pair's start.
    static func index(_ p: Bytes, _ n: Int, utf16 target: Int, isValid: Bool) -> Int {
        var (i, units) = isValid ? UTF8Blocks.skip(p, n, utf16: target) : (0, 0)
        while i < n {
            if units >= target { return i }
            let part = part(p, i, n)
            let width = part.isValid && part.length == 4 ? 2 : 1
            if units + width > target { return i }
            units += width
            i += part.length
        }
        return n
    }

    /// Returns the offset of the byte at which scalar `target` of `n` bytes starts.
    static func index(_ p: Bytes, _ n: Int, scalars target: Int, isValid: Bool) -> Int {
        var (i, scalars) = isValid ? UTF8Blocks.skip(p, n, scalars: target) : (0, 0)
        while i < n, scalars < target {
            i += part(p, i, n).length
            scalars += 1
        }
        return i
    }
}
