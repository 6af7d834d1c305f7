import InkstoneBase

extension Rope {
    /// Widens a replacement to valid section boundaries: neither in the old nor in the new text does an end of the
    /// returned range lie inside a scalar or a CR LF. Also returns the new text, with the text that was included by
    /// widening, and the length of the text before the range. O(log n).
    ///
    /// First the range is clamped to the text, and an end inside a scalar moved to the scalar's start.
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
            // Include the LF of a CR LF, or continuation bytes that would complete a scalar with the end of the new
            // text.
            var end = high
            while end < metrics.bytes, end < high + 4, UTF8Scan.mayJoinLeft(byte(at: ByteOffset(end))) { end += 1 }
            new.append(slice(ByteOffset(high)..<ByteOffset(end)))
            high = end
        }
        return (ByteOffset(low)..<ByteOffset(high), new, before)
    }

    private var firstByte: UInt8? { isEmpty ? nil : root.height == 0 ? root.bytes[0] : byte(at: 0) }

    /// Whether the text ends in CR or in an incomplete UTF-8 sequence. Text appended to it could combine with such
    /// an end.
    var isOpenEnded: Bool {
        isOpenEnded(before: metrics.bytes)
    }

    /// Whether a leaf ends in CR or in an incomplete UTF-8 sequence: the leaf that contains the byte at `offset`,
    /// or the last leaf if `offset` is the end of the text.
    private func isOpenEnded(before offset: Int) -> Bool {
        withLeaf(at: offset) { leaf, _ in leaf.baseAddress.map { UTF8Scan.isOpenEnded($0, leaf.count) } ?? false }
    }

    /// A boundary between scalars, with its surroundings.
    private struct Place {
        /// The length of the text before the boundary.
        var before: TextMetrics
        /// The byte after the boundary; nil at the end of the text.
        var next: UInt8?
        /// Whether the bytes before the boundary end in CR or in an incomplete UTF-8 sequence.
        var isOpenEnded = false
    }

    /// Returns the boundary at a byte, or at the start of the scalar or invalid sequence that contains the byte.
    /// Descends the tree once, because every edit calls this.
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
