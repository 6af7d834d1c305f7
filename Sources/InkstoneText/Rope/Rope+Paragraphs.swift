import InkstoneBase

extension Rope {
    /// Number of paragraphs: one more than the number of newlines, so never 0.
    public var paragraphCount: Int { metrics.newlines + 1 }

    /// Returns the paragraph that contains a byte. A newline belongs to the paragraph that it ends. O(log n).
    public func paragraphIndex(at offset: ByteOffset) -> ParagraphIndex {
        ParagraphIndex(metrics(before: offset).newlines)
    }

    /// Returns the paragraph that contains a UTF-16 unit. O(log n).
    public func paragraphIndex(at offset: UTF16Offset) -> ParagraphIndex {
        ParagraphIndex(metrics(before: offset).newlines)
    }

    /// Returns the length of the text before a paragraph, in all units; for an index beyond the last paragraph, of
    /// the whole text. O(log n).
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

    /// Returns the length of the text before a paragraph, and the length up to the paragraph's end with its
    /// newline. O(log n), and faster than measuring the text before the paragraph and before the next one
    /// separately.
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
            // Measure the paragraph here if it ends in the leaf in which it starts, as most paragraphs do.
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

    /// Returns the length of the newline that ends at `offset`, which is the same in bytes and in UTF-16 units. 0
    /// if no newline ends there, or if it would start before `start`.
    private func newlineLength(before offset: ByteOffset, from start: ByteOffset) -> Int {
        guard offset > start else { return 0 }
        let last = byte(at: offset - 1)
        if last == 0x0a { return offset - 2 >= start && byte(at: offset - 2) == 0x0d ? 2 : 1 }
        return last == 0x0d ? 1 : 0
    }
}

extension UTF8Scan {
    /// Returns the offset of the byte after the `target`-th newline of `n` bytes, `target` counting from 1; `n` if
    /// there are fewer newlines.
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
