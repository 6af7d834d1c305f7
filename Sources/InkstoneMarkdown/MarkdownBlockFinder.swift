/// A search for the lines of the blocks in a Markdown source. The parser md4c reports only the positions of texts, not
/// those of the marks around them.
struct MarkdownBlockFinder {
    private let bytes: [UInt8]
    /// The start of the first line after the blocks that were found.
    private var at: Int
    /// The block found last, which ends before `at`, and the mark of a list or code block; nil at the start.
    private var before: (block: MarkdownBlock, mark: UInt8?)?

    init(_ bytes: [UInt8], from start: Int = 0) { (self.bytes, at) = (bytes, start) }

    /// Returns the lines of each block, as byte ranges in order. A block whose start is not found begins at the first
    /// line after the preceding block that is neither blank nor a definition. O(n) for n bytes.
    mutating func ranges(of blocks: [MarkdownTopBlock]) -> [Range<Int>] {
        blocks.map { block in
            let start = start(of: block)
            before = (block.block, block.mark)
            return start..<max(start, at)
        }
    }

    private mutating func start(of block: MarkdownTopBlock) -> Int {
        var start = block.known.map { max(at, lineStart($0.lowerBound)) }
        if block.isFenced, let mark = block.mark {
            let found = first { fence($0, mark) != nil } ?? start ?? at
            let length = fence(line(found), mark) ?? 3
            at = lineEnd(found)
            while at < bytes.count {
                let last = line(at)
                at = lineEnd(at)
                if let count = fence(last, mark), count >= length,
                    last.drop(while: { $0 == 0x20 }).allSatisfy({ $0 == mark || isBlank($0) })
                {
                    break
                }
            }
            return found
        }
        switch block.block {
        case .thematicBreak: start = first { isBreak($0) }
        case .quote:
            while let found = start, found > at, let above = lineAbove(found), trimmed(line(above)).first == 0x3e {
                start = above
            }
        case .list:
            // The first items of a list may have no text, or begin with a code fence or a thematic break: search for
            // the first marker.
            if let marker = firstMarker(of: block, before: start ?? bytes.count) { start = marker }
        case .table:
            while let found = start, found > at, let above = lineAbove(found), trimmed(line(above)).first == 0x7c {
                start = above
            }
        case .paragraph, .header:
            let known = start
            while let found = start, found > at, trimmed(line(found)).first != 0x23,
                !MarkdownFootnotes.isDefinition(line(found)), let above = lineAbove(found),
                !isOfBlockBefore(line(above))
            {
                start = above
            }
            if let first = start, let known { start = endOfDefinitions(first..<known) }
        default: break
        }
        let found = start ?? first { !$0.allSatisfy(isBlank) && !Self.isDefinition($0) } ?? at
        var end = lineEnd(max(found, (block.known?.upperBound ?? found + 1) - 1))
        if case .header = block.block, trimmed(line(found)).first != 0x23 { end = lineEnd(end) }
        at = max(at, end)
        return found
    }

    /// Whether a line is a link reference definition, which is not shown. False for the definition of a footnote, which
    /// is shown.
    static func isDefinition(_ line: ArraySlice<UInt8>) -> Bool {
        if MarkdownFootnotes.isDefinition(line) { return false }
        let text = line.drop { $0 == 0x20 }
        guard text.first == 0x5b, line.count - text.count < 4, let end = text.firstIndex(of: 0x5d) else { return false }
        return end + 1 < text.endIndex && text[end + 1] == 0x3a
    }

    /// Returns the start of the first line in a range of lines that is not part of a link definition. The range has the
    /// lines of a paragraph above its first text that the parser has reported. They are parsed separately, because a
    /// definition may have several lines.
    private func endOfDefinitions(_ lines: Range<Int>) -> Int {
        guard !lines.isEmpty, trimmed(line(lines.lowerBound)).first == 0x5b else { return lines.lowerBound }
        guard let first = MarkdownReader.read(bytes[lines])?.first else { return lines.upperBound }
        return first.known.map { max(lines.lowerBound, lineStart(lines.lowerBound + $0.lowerBound)) }
            ?? lines.lowerBound
    }

    // MARK: Lines

    private func lineStart(_ offset: Int) -> Int {
        bytes[..<offset].lastIndex { $0 == 0xa || $0 == 0xd }.map { $0 + 1 } ?? 0
    }

    /// Returns the start of the line after the one that contains an offset.
    private func lineEnd(_ offset: Int) -> Int {
        guard let end = bytes[min(offset, bytes.count)...].firstIndex(where: { $0 == 0xa || $0 == 0xd }) else {
            return bytes.count
        }
        return bytes[end] == 0xd && end + 1 < bytes.count && bytes[end + 1] == 0xa ? end + 2 : end + 1
    }

    private func line(_ start: Int) -> ArraySlice<UInt8> {
        let end = bytes[start...].firstIndex { $0 == 0xa || $0 == 0xd } ?? bytes.count
        return bytes[start..<end]
    }

    /// Returns the start of the line above a line; nil if the line above is blank, or belongs to the preceding
    /// block.
    private func lineAbove(_ start: Int) -> Int? {
        guard start > at else { return nil }
        var end = start - 1
        if bytes[end] == 0xa, end > at, bytes[end - 1] == 0xd { end -= 1 }
        let above = max(at, lineStart(end))
        return line(above).allSatisfy(isBlank) ? nil : above
    }

    /// Returns the start of the first line after the preceding block that satisfies a condition; nil if there is
    /// none.
    private func first(where isWanted: (ArraySlice<UInt8>) -> Bool) -> Int? {
        var start = at
        while start < bytes.count {
            if isWanted(line(start)) { return start }
            start = lineEnd(start)
        }
        return nil
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }

    private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> { line.drop { isBlank($0) } }

    /// Returns the length of the code fence at the start of a line; nil if there is none.
    private func fence(_ line: ArraySlice<UInt8>, _ mark: UInt8) -> Int? {
        let text = line.drop { $0 == 0x20 }
        let count = text.prefix { $0 == mark }.count
        return count >= 3 && line.count - text.count < 4 ? count : nil
    }

    private func isBreak(_ line: ArraySlice<UInt8>) -> Bool {
        let marks = line.filter { !isBlank($0) }
        guard marks.count >= 3, let mark = marks.first, [0x2a, 0x2d, 0x5f].contains(mark) else { return false }
        return marks.allSatisfy { $0 == mark }
    }

    /// Returns the start of the first line after the preceding block, at or before an offset, that begins with the
    /// mark of the list; nil if there is none.
    private func firstMarker(of list: MarkdownTopBlock, before end: Int) -> Int? {
        var start = at
        // Two lists with the same mark can only follow each other if the first one ends with an item without text.
        // That item is among the lines right after the first list: skip them.
        if let before, before.mark == list.mark {
            while start < end, !line(start).allSatisfy(isBlank) { start = lineEnd(start) }
        }
        while start <= end, start < bytes.count {
            if isMarker(line(start), list.mark) { return start }
            start = lineEnd(start)
        }
        return nil
    }

    /// Whether a line begins with the mark of a list item.
    private func isMarker(_ line: ArraySlice<UInt8>, _ mark: UInt8?) -> Bool {
        let text = line.drop { $0 == 0x20 }
        let digits = text.prefix { (0x30...0x39).contains($0) }.count
        let isNumbered = mark == 0x2e || mark == 0x29
        guard line.count - text.count < 4, text.dropFirst(digits).first == mark, isNumbered == (digits > 0) else {
            return false
        }
        return text.dropFirst(digits + 1).first.map(isBlank) ?? true
    }

    /// Whether a line right after the preceding block belongs to that block: after a quotation, a line that begins with
    /// `>`; after a list, a line that begins with a bullet, a digit, or another character whose code is below that of
    /// `:`.
    private func isOfBlockBefore(_ line: ArraySlice<UInt8>) -> Bool {
        switch before?.block {
        case .list: [0x2a, 0x2b, 0x2d].contains(trimmed(line).first) || trimmed(line).first.map { $0 < 0x3a } == true
        case .quote: trimmed(line).first == 0x3e
        default: false
        }
    }
}
