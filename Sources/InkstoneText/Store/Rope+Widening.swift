import InkstoneBase

extension Rope {
    /// A replacement with its range widened so that nothing joins at its ends, in the old or in the new text.
    ///
    /// The range is clamped, and an end inside a scalar moved to its start, first.
    func widened(_ range: Range<ByteOffset>, _ new: Rope) -> (Range<ByteOffset>, Rope) {
        let range = range.clamped(into: byteRange)
        var low = roundedDown(toScalar: range.lowerBound).value
        var high = range.isEmpty ? low : roundedDown(toScalar: range.upperBound).value
        let before = RopeWindow(self, around: low)
        let after = low == high ? before : RopeWindow(self, around: high)
        let joinsHead = UTF8Scan.mayJoinLeft(new.isEmpty ? after.next ?? 0 : new.byte(at: 0))
        let joinedHead = UTF8Scan.mayJoinLeft(before.next ?? 0)
        var new = new
        if before.isOpenEnded, joinsHead || joinedHead {
            let start = roundedDown(toScalar: ByteOffset(low - 1)).value
            new.replace(0..<0, with: slice(ByteOffset(start)..<ByteOffset(low)))
            low = start
        }
        if UTF8Scan.mayJoinLeft(after.next ?? 0),
            after.isOpenEnded || RopeWindow(new, around: new.metrics.bytes).isOpenEnded
        {
            // The LF of a CR LF, or continuation bytes that the new text's end may take in.
            var end = high
            while end < metrics.bytes, end < high + 4, UTF8Scan.mayJoinLeft(byte(at: ByteOffset(end))) { end += 1 }
            new.append(slice(ByteOffset(high)..<ByteOffset(end)))
            high = end
        }
        return (ByteOffset(low)..<ByteOffset(high), new)
    }
}

/// What stands at a place between parts of a rope.
private struct RopeWindow {
    /// The byte after it.
    var next: UInt8?
    /// Whether what stands before it could go on.
    var isOpenEnded = false

    init(_ rope: Rope, around offset: Int) {
        var cursor = RopeLeafCursor(rope, at: offset)
        if offset < rope.metrics.bytes { next = cursor.bytes[offset - cursor.start] }
        guard offset > 0 else { return }
        if offset == cursor.start { _ = cursor.moveToPrevious() }
        let count = offset - cursor.start
        isOpenEnded = UTF8Scan.isOpenEnded(cursor.bytes, count)
    }
}
