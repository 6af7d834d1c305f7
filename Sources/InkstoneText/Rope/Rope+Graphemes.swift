import InkstoneBase
import InkstoneUnicode

/// Grapheme cluster boundaries. Only the text around an offset is segmented, from a position that is certainly a
/// boundary.
extension Rope {
    /// Returns the first grapheme cluster boundary after an offset; the end of the text if there is none.
    ///
    /// Costs O(log n) and the length of the surroundings, commonly some dozen units.
    public func graphemeBoundary(after offset: UTF16Offset) -> UTF16Offset {
        let offset = offset.clamped(in: utf16Range)
        if offset == utf16Range.upperBound { return offset }
        let start = metrics(before: offset)
        if start.utf16 == offset.value, isASCIICluster(start.bytes) { return offset + 1 }
        return withGraphemes(around: UTF16Offset(start.utf16)) { $0.following($1) }
    }

    /// Returns the last grapheme cluster boundary before an offset; the start of the text if there is none.
    public func graphemeBoundary(before offset: UTF16Offset) -> UTF16Offset {
        let offset = offset.clamped(in: utf16Range)
        if offset == utf16Range.lowerBound { return offset }
        let end = metrics(before: offset)
        if end.utf16 < offset.value { return roundedDown(toGrapheme: UTF16Offset(end.utf16)) }
        if isASCIICluster(end.bytes - 1, endsAnywhere: true) { return offset - 1 }
        return withGraphemes(around: offset) { $0.preceding($1) }
    }

    /// Whether the byte at an offset is ASCII and a grapheme cluster of its own: both neighbours are ASCII or
    /// absent, and the byte is no half of a CR LF. False does not mean the opposite; ICU decides those cases. If
    /// `endsAnywhere` is true, the text after the byte is not checked.
    private func isASCIICluster(_ at: Int, endsAnywhere: Bool = false) -> Bool {
        let byte = byte(at: ByteOffset(at))
        guard byte < 0x80 else { return false }
        func isApart(_ other: Int, _ body: (UInt8) -> Bool) -> Bool {
            guard other >= 0, other < metrics.bytes else { return true }
            let neighbor = self.byte(at: ByteOffset(other))
            return neighbor < 0x80 && !body(neighbor)
        }
        return isApart(at - 1) { $0 == 0x0d && byte == 0x0a }
            && (endsAnywhere || isApart(at + 1) { byte == 0x0d && $0 == 0x0a })
    }

    /// Returns the start of the grapheme cluster that contains an offset; the offset itself if it is a boundary.
    public func roundedDown(toGrapheme offset: UTF16Offset) -> UTF16Offset {
        let offset = scalarStart(offset.clamped(in: utf16Range))
        if offset == utf16Range.lowerBound || offset == utf16Range.upperBound { return offset }
        return withGraphemes(around: offset) { $0.isBoundary($1) ? $1 : $0.preceding($1) }
    }

    /// Returns the end of the grapheme cluster that contains an offset; the offset itself if it is a boundary.
    package func roundedUp(toGrapheme offset: UTF16Offset) -> UTF16Offset {
        let offset = offset.clamped(in: utf16Range)
        let start = roundedDown(toGrapheme: offset)
        return start < offset ? graphemeBoundary(after: start) : start
    }

    private func scalarStart(_ offset: UTF16Offset) -> UTF16Offset { UTF16Offset(metrics(before: offset).utf16) }

    /// The largest number of scalars that are read to find a certain boundary: one that does not depend on the text
    /// around it. If none is found backwards, for example in a mark that is repeated thousands of times, text is
    /// cut at a multiple of ``TextBreaker/longestGrapheme`` units. Every search then cuts it at the same position.
    private static let reach = 2048

    private func withGraphemes(
        around offset: UTF16Offset, _ find: (TextBreaker, Int) -> Int?
    ) -> UTF16Offset {
        let middle = byteOffset(at: offset)
        let start = certainBoundary(before: middle)
        let startUnits = utf16Offset(at: start)
        let local = offset - startUnits
        var length = 64
        while true {
            let end = Swift.min(ByteOffset(metrics.bytes), roundedDown(toScalar: middle + length))
            let isEnd = end.value == metrics.bytes
            let units = utf16(in: start..<end)
            let found = TextBreaker.withShared(.grapheme) { breaker in
                breaker.setText(units)
                return find(breaker, local)
            }
            // Accept a boundary at the end of the window only at the end of the text: elsewhere the window may have
            // cut a cluster.
            if let found, isEnd || found < units.count { return startUnits + found }
            if isEnd { return utf16Range.upperBound }
            length *= 4
        }
    }

    /// Returns a grapheme cluster boundary after `offset` that does not depend on text before it, or the end of the
    /// text. If about ``reach`` scalars have no such boundary, returns the position after them, which may be inside
    /// a cluster.
    package func certainBoundary(after offset: ByteOffset) -> ByteOffset {
        var at = roundedDown(toScalar: offset)
        var last: Unicode.Scalar?
        var seen = 0
        while at < byteRange.upperBound, seen < Self.reach {
            let end = Swift.min(byteRange.upperBound, roundedDown(toScalar: at + 256))
            // Count UTF-16 units instead of bytes, because an invalid byte reads as U+FFFD, which has three bytes
            // in the string.
            var units = 0
            for scalar in string(in: at..<end).unicodeScalars {
                if let last, UnicodeData.isCertainGraphemeBoundary(last, scalar) {
                    return byteOffset(at: utf16Offset(at: at) + units)
                }
                last = scalar
                units += UTF16.width(scalar)
                seen += 1
            }
            at = end
        }
        return at
    }

    /// Returns a grapheme cluster boundary before `offset` that does not depend on text after it, or the start of
    /// the text. If ``reach`` scalars have no such boundary, returns a position near the first of them, which may
    /// be inside a cluster.
    package func certainBoundary(before offset: ByteOffset) -> ByteOffset {
        var cursor = RopeLeafCursor(self, at: Swift.max(0, offset.value - 1))
        var at = offset.value
        var next: Unicode.Scalar?
        for _ in 0..<Self.reach {
            guard at > 0 else { return 0 }
            if at == cursor.start { _ = cursor.moveToPrevious() }
            let local = UTF8Scan.partStart(cursor.bytes, at - 1 - cursor.start, cursor.count)
            let part = UTF8Scan.part(cursor.bytes, local, cursor.count)
            let scalar = Unicode.Scalar(UTF8Scan.scalar(cursor.bytes, local, part)) ?? "\u{fffd}"
            if let next, UnicodeData.isCertainGraphemeBoundary(scalar, next) { return ByteOffset(at) }
            next = scalar
            at = cursor.start + local
        }
        let unit = utf16Offset(at: ByteOffset(at)).value
        return byteOffset(at: UTF16Offset(unit - unit % TextBreaker.longestGrapheme))
    }
}

extension Offset {
    func clamped(in range: Range<Self>) -> Self { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
