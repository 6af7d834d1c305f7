import InkstoneBase

extension Rope {
    /// A replacement with its range widened so that nothing joins at its ends, in the old or in the new text; and the length
    /// of the text before it. O(log n).
    ///
    /// The range is clamped, and an end inside a scalar moved to its start, first.
    func widened(
        _ range: Range<ByteOffset>, _ new: Rope
    ) -> (range: Range<ByteOffset>, new: Rope, before: TextMetrics) {
        let range = range.clamped(into: byteRange)
        let head = place(at: range.lowerBound.value)
        let tail = range.isEmpty ? head : place(at: range.upperBound.value)
        var before = head.before
        var low = before.bytes
        var high = tail.before.bytes
        let joinsHead = UTF8Scan.mayJoinLeft(new.firstByte ?? tail.next ?? 0)
        let joinedHead = UTF8Scan.mayJoinLeft(head.next ?? 0)
        var new = new
        if head.isOpenEnded, joinsHead || joinedHead {
            before = metrics(before: ByteOffset(low - 1))
            new.replace(0..<0, with: slice(ByteOffset(before.bytes)..<ByteOffset(low)))
            low = before.bytes
        }
        if UTF8Scan.mayJoinLeft(tail.next ?? 0), tail.isOpenEnded || new.isOpenEnded {
            // The LF of a CR LF, or continuation bytes that the new text's end may take in.
            var end = high
            while end < metrics.bytes, end < high + 4, UTF8Scan.mayJoinLeft(byte(at: ByteOffset(end))) { end += 1 }
            new.append(slice(ByteOffset(high)..<ByteOffset(end)))
            high = end
        }
        return (ByteOffset(low)..<ByteOffset(high), new, before)
    }

    private var firstByte: UInt8? { isEmpty ? nil : root.height == 0 ? root.bytes[0] : byte(at: 0) }

    /// Whether its end could go on in what follows.
    var isOpenEnded: Bool {
        isOpenEnded(before: metrics.bytes)
    }

    /// Whether the leaf before a byte, or the last one, ends so that it could go on.
    private func isOpenEnded(before offset: Int) -> Bool {
        withLeaf(at: offset) { leaf, _ in leaf.baseAddress.map { UTF8Scan.isOpenEnded($0, leaf.count) } ?? false }
    }

    /// What stands at a place between parts.
    private struct Place {
        /// The length of the text before it.
        var before: TextMetrics
        /// The byte after it.
        var next: UInt8?
        /// Whether what stands before it could go on.
        var isOpenEnded = false
    }

    /// The place at a byte, or at the start of the part that holds it. Goes down the tree once, because each edit asks.
    private func place(at offset: Int) -> Place {
        var next: UInt8?
        var isOpenEnded = false
        var isLeafStart = false
        let before = seek {
            $0.bytes <= offset
        } leaf: { p, leaf in
            let n = leaf.metrics.bytes
            let at = UTF8Scan.partStart(p, offset - leaf.before.bytes, n)
            if at < n { next = p[at] }
            isLeafStart = at == 0
            isOpenEnded = UTF8Scan.isOpenEnded(p, at)
            return at
        }
        if isLeafStart, before.bytes > 0 {
            isOpenEnded = self.isOpenEnded(before: before.bytes - 1)
        }
        return Place(before: before, next: next, isOpenEnded: isOpenEnded)
    }
}
