/// The number of blank lines to put before a source, to avoid a fault of md4c.
///
/// At a blank line, md4c examines the last eight bytes of its record of the blocks so far. If the first of them is 4,
/// md4c takes them for the start of a list item. But they may also be the end of the record of a line, which holds the
/// offsets at which the line's text starts and ends. So md4c takes an item for one without text, and ends it too early,
/// if a blank line follows a line whose text starts (in code: ends) 4 bytes after a multiple of 256. Blank lines before
/// the source move all of its text.
enum MarkdownPlacement {
    /// The maximum number of line ends that are tried. If none of these numbers helps, no line ends are added.
    private static let most = 32
    /// The maximum distance, in bytes, of an examined offset from the start of its line. Offsets further in a line
    /// count as not misread.
    private static let mostBefore = 1024

    /// Returns the number of line ends to put before a source, so that md4c finds the ends of items; 0 for nearly all
    /// sources. If no number avoids all positions that md4c might misread, returns 0. O(n) for sources without such
    /// positions.
    static func shift(for source: UnsafeBufferPointer<UInt8>) -> Int {
        (0...most).first { !isMisread(source, after: $0) } ?? 0
    }

    /// Whether md4c might misread a source after a number of line ends.
    private static func isMisread(_ source: UnsafeBufferPointer<UInt8>, after shift: Int) -> Bool {
        var at = 4 - shift
        while at < source.count {
            if at >= 0, isText(at, in: source), isBeforeBlankLine(at, in: source) { return true }
            at += 256
        }
        return false
    }

    /// Whether a blank line follows the line at an offset, or follows the line after that one, which may end a code
    /// block.
    private static func isBeforeBlankLine(_ offset: Int, in source: UnsafeBufferPointer<UInt8>) -> Bool {
        var at = offset
        for _ in 0..<2 {
            while at < source.count, source[at] != 0xa, source[at] != 0xd { at += 1 }
            guard at < source.count else { return false }
            at += source[at] == 0xd && at + 1 < source.count && source[at + 1] == 0xa ? 2 : 1
            var end = at
            // A line that has only blanks and marks of quotations counts as blank.
            while end < source.count, isBlank(source[end]) || source[end] == 0x3e { end += 1 }
            if end < source.count, source[end] == 0xa || source[end] == 0xd { return true }
        }
        return false
    }

    /// Whether the text of a line of an item may start at an offset, or end there.
    private static func isText(_ offset: Int, in source: UnsafeBufferPointer<UInt8>) -> Bool {
        func isLineEnd(_ byte: UInt8) -> Bool { byte == 0xa || byte == 0xd }
        let endsLine = isLineEnd(source[offset])
        var start = offset
        // Before the start of a line's text there can be only blanks and marks, but before the end of a line there can
        // be any text.
        while start > 0, !isLineEnd(source[start - 1]) {
            // Do not examine a long line, because it would be searched again for each offset in it.
            guard offset - start < mostBefore else { return false }
            start -= 1
            if !endsLine, !isBlank(source[start]), !isMark(source[start]) { return false }
        }
        // md4c can misread only lines of items. These begin with the item's marker or with blanks.
        return start < offset && (isBlank(source[start]) || isMark(source[start]))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }

    /// Whether a byte may belong to the marks before a line's text: the markers of items, headings and quotations.
    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2d, 0x2b, 0x2a, 0x2e, 0x29, 0x23, 0x3e: true  // digits, - + * . ) # >
        default: false
        }
    }
}
