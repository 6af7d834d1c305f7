import InkstoneBase

extension Rope {
    /// Number of paragraphs: one more than there are newlines, so never 0.
    public var paragraphCount: Int { metrics.newlines + 1 }

    /// Returns the paragraph that holds a byte; a newline belongs to the paragraph that it ends. O(log n).
    public func paragraphIndex(at offset: ByteOffset) -> ParagraphIndex {
        ParagraphIndex(metrics(before: offset).newlines)
    }

    /// Returns the paragraph that holds a UTF-16 unit. O(log n).
    public func paragraphIndex(at offset: UTF16Offset) -> ParagraphIndex {
        ParagraphIndex(metrics(before: offset).newlines)
    }

    /// Returns the length of the text before a paragraph, in all units; of the whole text for an index beyond the last.
    /// O(log n).
    package func metrics(before paragraph: ParagraphIndex) -> TextMetrics {
        let target = paragraph.value
        if target <= 0 { return .zero }
        if target > metrics.newlines { return metrics }
        return seek {
            $0.newlines < target
        } leaf: { p, leaf in
            UTF8Scan.index(p, leaf.metrics.bytes, afterNewlines: target - leaf.before.newlines)
        }
    }

    /// Returns the length of the text before a paragraph, and up to its end with the newline that ends it. O(log n), and faster than
    /// two calls.
    package func metrics(around paragraph: ParagraphIndex) -> (before: TextMetrics, through: TextMetrics) {
        let target = max(0, paragraph.value)
        if target >= metrics.newlines { return (metrics(before: paragraph), metrics) }
        var length: TextMetrics?
        let before = seek {
            $0.newlines < target
        } leaf: { p, leaf in
            let n = leaf.metrics.bytes
            let start =
                target > leaf.before.newlines ? UTF8Scan.index(p, n, afterNewlines: target - leaf.before.newlines) : 0
            // Most paragraphs end in the leaf that they start in.
            if leaf.metrics.invalidParts == 0, start < n, leaf.before.newlines + leaf.metrics.newlines > target {
                length = UTF8Blocks.measure(p + start, UTF8Scan.index(p + start, n - start, afterNewlines: 1))
            }
            return start
        }
        return (before, length.map { before + $0 } ?? metrics(before: paragraph + 1))
    }

    /// Returns the bytes of a paragraph, with the newline that ends it. O(log n).
    public func byteRange(of paragraph: ParagraphIndex) -> Range<ByteOffset> {
        ByteOffset(metrics(before: paragraph).bytes)..<ByteOffset(metrics(before: paragraph + 1).bytes)
    }

    /// Returns the UTF-16 units of a paragraph, with the newline that ends it. O(log n).
    public func utf16Range(of paragraph: ParagraphIndex) -> Range<UTF16Offset> {
        UTF16Offset(metrics(before: paragraph).utf16)..<UTF16Offset(metrics(before: paragraph + 1).utf16)
    }

    /// Returns the bytes of a paragraph, without the newline that ends it. O(log n).
    public func contentRange(of paragraph: ParagraphIndex) -> Range<ByteOffset> {
        let range = byteRange(of: paragraph)
        return range.lowerBound..<(range.upperBound - newlineLength(before: range.upperBound, from: range.lowerBound))
    }

    /// Returns the UTF-16 units of a paragraph, without the newline that ends it. O(log n).
    public func utf16ContentRange(of paragraph: ParagraphIndex) -> Range<UTF16Offset> {
        let bytes = byteRange(of: paragraph)
        let units = utf16Range(of: paragraph)
        let length = newlineLength(before: bytes.upperBound, from: bytes.lowerBound)
        return units.lowerBound..<(units.upperBound - length)
    }

    /// Returns the length in bytes, and in UTF-16 units, of the newline that ends at `offset`, 0 if none does or if it would start before `start`.
    private func newlineLength(before offset: ByteOffset, from start: ByteOffset) -> Int {
        guard offset > start else { return 0 }
        let last = byte(at: offset - 1)
        if last == 0x0a { return offset - 2 >= start && byte(at: offset - 2) == 0x0d ? 2 : 1 }
        return last == 0x0d ? 1 : 0
    }
}

extension UTF8Scan {
    /// Returns the byte after the `target`-th newline of `n` bytes, `target` from 1; `n` if there are fewer.
    static func index(_ p: Bytes, _ n: Int, afterNewlines target: Int) -> Int {
        let skipped = UTF8Blocks.skip(p, n, newlines: target)
        var i = skipped.byte
        var left = target - skipped.newlines
        while i < n {
            let byte = p[i]
            i += 1
            if byte == 0x0a {
                left -= 1
            } else if byte == 0x0d {
                if i < n, p[i] == 0x0a { continue }
                left -= 1
            } else {
                continue
            }
            if left == 0 { return i }
        }
        return n
    }
}
