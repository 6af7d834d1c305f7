import InkstoneBase

/// The parts of a Markdown source that its parser does not report as text: marks, addresses, titles, definitions, and
/// cells beyond the header's columns. Some of these are not in the blocks that are read, so a block that is written
/// anew would lose them.
struct MarkdownUnread {
    /// The number of times that each word occurs in a source.
    private typealias Counts = [ArraySlice<UInt8>: Int]

    private let bytes: [UInt8]
    private let blocks: [MarkdownBlock]
    /// The byte ranges that do not count as unreported, in order: those of all texts, and deleted ones.
    private var pieces: [Range<Int>]

    /// Creates the unreported parts of a source, without the byte ranges in `deleted`.
    ///
    /// - Parameter pieces: the byte ranges of the blocks' texts, in order.
    init(_ source: String, _ blocks: [MarkdownBlock], _ pieces: [Range<Int>], deleted: [Range<Int>] = []) {
        (bytes, self.blocks, self.pieces) = (Array(source.utf8), blocks, pieces)
        guard !deleted.isEmpty else { return }
        self.pieces = (pieces + deleted).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Whether a source written for an edited text still contains the line separators of this source, and the words
    /// that are in none of its blocks, for example those of definitions. Words of addresses and titles may be missing
    /// if the new blocks do not have them either. Labels of references may be missing too. O(n).
    func isKept(in new: MarkdownUnread) -> Bool {
        let (own, other) = changedLines(new)
        let suspects = words(in: own).subtracting(new.words(in: other))
        let isBreakLost = separators(in: own) - new.separators(in: other) > max(0, breaks - new.breaks)
        if isBreakLost { return false }
        if suspects.isEmpty { return true }
        let (old, written) = (words(in: bytes.indices), new.words(in: new.bytes.indices))
        let (oldKnown, newKnown) = (Self.reported(blocks), Self.reported(new.blocks))
        return suspects.keys.allSatisfy { word in
            max(0, old[word, default: 0] - oldKnown[word, default: 0])
                <= max(0, written[word, default: 0] - newKnown[word, default: 0])
        }
    }

    /// Returns the ranges in which this source and another one differ, extended to whole lines.
    private func changedLines(_ other: MarkdownUnread) -> (own: Range<Int>, other: Range<Int>) {
        let (old, new) = (bytes, other.bytes)
        let most = min(old.count, new.count)
        var low = 0
        while low < most, old[low] == new[low] { low += 1 }
        low = old[..<low].lastIndex(of: 0xa).map { $0 + 1 } ?? 0
        var tail = 0
        while tail < most - low, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        // Leave out the first line of the equal end, because only a part of that line may be equal.
        tail -= old[(old.count - tail)...].firstIndex(of: 0xa).map { $0 + 1 - (old.count - tail) } ?? tail
        return (low..<old.count - tail, low..<new.count - tail)
    }

    // MARK: Counting words

    /// Returns the number of times that each word occurs outside of the texts in a range of lines. A word is a
    /// stretch of letters, digits and characters beyond ASCII. The sign `]:` of a definition counts as a word.
    private func words(in range: Range<Int>) -> Counts {
        var result: Counts = [:]
        var at = range.lowerBound
        let first = pieces.partitioningIndex { $0.upperBound > range.lowerBound }
        for piece in pieces[first...] {
            guard piece.lowerBound < range.upperBound else { break }
            if piece.lowerBound > at { addWords(in: at..<piece.lowerBound, to: &result) }
            at = max(at, piece.upperBound)
        }
        if at < range.upperBound { addWords(in: at..<range.upperBound, to: &result) }
        return result
    }

    private func addWords(in gap: Range<Int>, to result: inout Counts) {
        var at = gap.lowerBound
        while at < gap.upperBound {
            if at == 0 || Self.isLineEnd(bytes[at - 1]) {
                at = Self.endOfMarks(bytes[at..<gap.upperBound])
                guard at < gap.upperBound else { break }
            }
            switch bytes[at] {
            case 0x26:  // &
                // Skip an entity: the parser reports its character.
                let end = bytes[(at + 1)..<gap.upperBound].firstIndex { !Self.isWord($0) && $0 != 0x23 }
                at = end.map { bytes[$0] == 0x3b ? $0 + 1 : at + 1 } ?? at + 1
            case 0x5d where at + 1 < gap.upperBound && bytes[at + 1] == 0x5b:  // ][
                at = bytes[at..<gap.upperBound].dropFirst(2).firstIndex(of: 0x5d) ?? at + 2
            case 0x5d where at + 1 < gap.upperBound && bytes[at + 1] == 0x3a:  // ]:
                result[bytes[at..<at + 2], default: 0] += 1
                at += 2
            case let byte where Self.isWord(byte):
                let end = bytes[at..<gap.upperBound].firstIndex { !Self.isWord($0) } ?? gap.upperBound
                result[bytes[at..<end], default: 0] += 1
                at = end
            default: at += 1
            }
        }
    }

    /// Returns the number of times that each word occurs in the addresses, titles and languages of blocks, which the
    /// parser reports.
    private static func reported(_ blocks: [MarkdownBlock]) -> Counts {
        var result: Counts = [:]
        func add(_ text: String) {
            for word in Array(text.utf8).split(whereSeparator: { !isWord($0) }) { result[word, default: 0] += 1 }
        }
        func add(_ inlines: [MarkdownInline]) {
            var before: MarkdownInline?
            for inline in inlines {
                // Count a link or picture that consists of several runs once.
                if let link = inline.link, link != before?.link {
                    add(link.destination)
                    add(link.title)
                }
                if let image = inline.image, image != before?.image {
                    add(image.source)
                    add(image.title)
                }
                before = inline
            }
        }
        func add(_ blocks: [MarkdownBlock]) {
            for block in blocks {
                switch block {
                case .paragraph(let inlines), .header(_, let inlines): add(inlines)
                case .code(let language, _): add(language ?? "")
                case .html, .thematicBreak: break
                case .table(_, let rows): for row in rows { for cell in row { add(cell) } }
                case .quote(let blocks): add(blocks)
                case .list(_, let items): for item in items { add(item.blocks) }
                }
            }
        }
        add(blocks)
        return result
    }

    // MARK: Line separators

    /// Returns the number of line separators (U+2028) in a range of the source.
    private func separators(in range: Range<Int>) -> Int {
        guard range.count > 2 else { return 0 }
        return (range.lowerBound..<range.upperBound - 2).count {
            bytes[$0] == 0xe2 && bytes[$0 + 1] == 0x80 && bytes[$0 + 2] == 0xa8
        }
    }

    /// The number of line separators in the texts of all blocks.
    private var breaks: Int { blocks.reduce(0) { $0 + Self.breaks(in: $1) } }

    private static func breaks(in block: MarkdownBlock) -> Int {
        func count(_ inlines: [MarkdownInline]) -> Int {
            inlines.reduce(0) { $0 + $1.text.unicodeScalars.count { $0 == "\u{2028}" } }
        }
        return switch block {
        case .paragraph(let inlines), .header(_, let inlines): count(inlines)
        case .code(_, let lines), .html(let lines): count(lines.map { MarkdownInline($0) })
        case .thematicBreak: 0
        case .table(_, let rows): rows.joined().reduce(0) { $0 + count($1) }
        case .quote(let blocks): blocks.reduce(0) { $0 + breaks(in: $1) }
        case .list(_, let items): items.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + breaks(in: $1) } }
        }
    }

    // MARK: Definitions

    /// Returns the lines of the definitions in a range of lines, without the marks and the indent of the quotations
    /// and items around them, and without line ends. A definition may have several lines.
    ///
    /// - Parameter pieces: the byte ranges of the texts in these lines, in order. Lines with text are no definitions.
    static func definitions(
        in range: Range<Int>, _ bytes: [UInt8], _ pieces: ArraySlice<Range<Int>>
    ) -> [ArraySlice<UInt8>] {
        var result: [ArraySlice<UInt8>] = []
        var open: [ArraySlice<UInt8>] = []
        var next = pieces.partitioningIndex { $0.upperBound > range.lowerBound }
        func end() {
            if Array(open.joined()).containsDefinitionSign { result += open }
            open = []
        }
        var start = range.lowerBound
        while start < range.upperBound {
            let line = bytes[start..<range.upperBound].prefix { !isLineEnd($0) }
            while next < pieces.endIndex, pieces[next].upperBound <= line.startIndex { next += 1 }
            let hasText = next < pieces.endIndex && pieces[next].lowerBound < line.endIndex
            let marked = line[endOfMarks(line)...]
            let quoted = line.drop { isBlank($0) || $0 == 0x3e }
            if !hasText, marked.first == 0x5b {
                if MarkdownBlockFinder.isDefinition(marked) { end() }
                open.append(marked)
            } else if !open.isEmpty, !hasText, goesOn(quoted) {
                open.append(quoted)
            } else {
                end()
            }
            let isPair =
                line.endIndex + 1 < range.upperBound && bytes[line.endIndex] == 0xd && bytes[line.endIndex + 1] == 0xa
            start = line.endIndex + (isPair ? 2 : 1)
        }
        end()
        return result
    }

    /// Whether a line in which the parser has reported no text may be a further line of a definition.
    private static func goesOn(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first, first != 0x60, first != 0x7e else { return false }
        return line.contains(where: isWord) || [0x22, 0x27, 0x29].contains(first)
    }

    // MARK: Marks at the start of a line

    /// Returns the end of the indent, the quotation marks, the items' markers and the marks of tasks at the start of a
    /// line.
    static func endOfMarks<Line: RandomAccessCollection<UInt8>>(_ line: Line) -> Int where Line.Index == Int {
        var at = line.startIndex
        while true {
            while at < line.endIndex, isBlank(line[at]) || line[at] == 0x3e { at += 1 }
            let digits = line[at...].prefix { (0x30...0x39).contains($0) }
            let sign = digits.endIndex
            guard sign < line.endIndex else { return digits.isEmpty ? at : digits.startIndex }
            let isMark =
                digits.isEmpty
                ? [0x2a, 0x2b, 0x2d].contains(line[sign])
                : digits.count < 10 && (line[sign] == 0x2e || line[sign] == 0x29)
            guard isMark, sign + 1 == line.endIndex || isBlank(line[sign + 1]) || isLineEnd(line[sign + 1]) else {
                return at
            }
            at = sign + 1
            let text = line[at...].drop(while: isBlank)
            if isTask(text) { at = text.startIndex + 3 }
        }
    }

    /// Whether a text begins with the mark of a task and a blank, or is that mark.
    private static func isTask<Text: RandomAccessCollection<UInt8>>(_ text: Text) -> Bool {
        let mark = Array(text.prefix(4))
        guard mark.count > 2, mark[0] == 0x5b, mark[1] == 0x20 || mark[1] & 0xdf == 0x58, mark[2] == 0x5d else {
            return false
        }
        return mark.count == 3 || isBlank(mark[3]) || isLineEnd(mark[3])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0xa || byte == 0xd }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
    }
}

extension [ArraySlice<UInt8>: Int] {
    /// Returns the counts minus those of another table. Counts that are not above 0 are left out.
    fileprivate func subtracting(_ other: Self) -> Self {
        var result: Self = [:]
        for (word, count) in self {
            let rest = count - other[word, default: 0]
            if rest > 0 { result[word] = rest }
        }
        return result
    }
}

extension [UInt8] {
    /// Whether the bytes contain `]:`.
    fileprivate var containsDefinitionSign: Bool { zip(self, dropFirst()).contains { $0 == 0x5d && $1 == 0x3a } }
}
