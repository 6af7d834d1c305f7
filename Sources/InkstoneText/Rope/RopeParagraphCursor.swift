import InkstoneBase

/// A paragraph found by a ``RopeParagraphCursor``.
package struct RopeParagraph: Hashable, Sendable {
    /// The paragraph's text, without the newline that ends it, in bytes.
    package var bytes: Range<ByteOffset>
    /// The paragraph's text, without the newline that ends it, in UTF-16 units.
    package var utf16: Range<UTF16Offset>
    /// Length of the newline that ends the paragraph, in bytes and in UTF-16 units; 0 for the last paragraph.
    package var newlineLength: Int

    /// The range of the paragraph with the newline that ends it, in UTF-16 units.
    package var utf16WithNewline: Range<UTF16Offset> { utf16.lowerBound..<utf16.upperBound + newlineLength }
}

/// A cursor over the paragraphs of a text, or of a part of a text, in order. The cursor passes each byte once,
/// whereas finding each paragraph by its number measures a leaf each time. O(log n) to begin, O(m) in all for the m
/// bytes that the cursor passes.
package struct RopeParagraphCursor: IteratorProtocol {
    private var leaf: RopeLeafCursor
    /// Number of the leaf's bytes that the cursor has passed.
    private var at: Int
    /// The end of the paragraph returned last, with its newline, in bytes.
    private var bytes: Int
    /// The end of the paragraph returned last, with its newline, in UTF-16 units.
    private var utf16: Int
    /// The end of the part of the text, in bytes.
    private let limit: Int
    private var isDone = false
    /// Number of bytes searched for newlines, for tests.
    package private(set) var steps = 0

    /// Creates a cursor before the first paragraph of a text.
    package init(_ rope: Rope) {
        leaf = RopeLeafCursor(rope, at: 0)
        (at, bytes, utf16, limit) = (0, 0, 0, rope.metrics.bytes)
    }

    /// Creates a cursor before the first paragraph of a part of a text. The part is treated as a whole text.
    package init(_ rope: Rope, in range: Range<UTF16Offset>) {
        let start = rope.metrics(before: range.lowerBound)
        leaf = RopeLeafCursor(rope, at: start.bytes)
        (bytes, utf16) = (start.bytes, start.utf16)
        limit = max(start.bytes, rope.byteOffset(at: range.upperBound).value)
        at = start.bytes - leaf.start
    }

    /// Returns the next paragraph; nil after the last one, which may be empty.
    package mutating func next() -> RopeParagraph? {
        guard !isDone else { return nil }
        let start = (bytes, utf16)
        func paragraph(_ newlineLength: Int) -> RopeParagraph {
            RopeParagraph(
                bytes: ByteOffset(start.0)..<ByteOffset(bytes), utf16: UTF16Offset(start.1)..<UTF16Offset(utf16),
                newlineLength: newlineLength)
        }
        while true {
            let count = min(leaf.count, limit - leaf.start)
            let end = endOfLine(count)
            pass(end)
            if end < count {
                // If the newline is CR LF, its LF is in this leaf too, because no leaf ends between CR and LF.
                let p = leaf.bytes
                let length = p[end] == 0x0d && end + 1 < count && p[end + 1] == 0x0a ? 2 : 1
                defer {
                    at += length
                    bytes += length
                    utf16 += length
                }
                return paragraph(length)
            }
            guard leaf.start + count < limit, leaf.moveToNext() else { break }
            at = 0
        }
        isDone = true
        return paragraph(0)
    }

    /// Returns the offset in the leaf of the first newline at or after the cursor and before `count`; `count` if
    /// there is none.
    private mutating func endOfLine(_ count: Int) -> Int {
        let p = leaf.bytes
        var end = leaf.metrics.newlines == 0 ? count : at
        while end < count, p[end] != 0x0a, p[end] != 0x0d { end += 1 }
        steps += end - at
        return max(at, end)
    }

    /// Advances to a byte of the leaf that starts a scalar or an invalid sequence.
    private mutating func pass(_ end: Int) {
        let count = end - at
        guard count > 0 else { return }
        let p = leaf.bytes + at
        if leaf.metrics.isUniform {
            utf16 += count
        } else {
            utf16 += (leaf.metrics.invalidParts == 0 ? UTF8Blocks.measure(p, count) : UTF8Scan.measure(p, count)).utf16
        }
        bytes += count
        at = end
    }
}
