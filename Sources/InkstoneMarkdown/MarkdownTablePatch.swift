import InkstoneText

/// The source of an edited table. Unchanged rows, the line of dashes below the header, and the unchanged cells of
/// edited rows keep their bytes.
struct MarkdownTablePatch {
    /// A line of a table: the bytes before, between and after its cells.
    private struct Line {
        var front: ArraySlice<UInt8>
        /// The cells with the blanks around them.
        var cells: [ArraySlice<UInt8>]
        /// The bytes after the last cell, without the line end.
        var back: ArraySlice<UInt8>
        var end: ArraySlice<UInt8>

        /// Splits a line at its bars. A bar after a backslash is text.
        init(_ line: ArraySlice<UInt8>) {
            var low = line.startIndex
            var high = line.endIndex
            while high > low, line[high - 1] == 0xa || line[high - 1] == 0xd { high -= 1 }
            end = line[high...]
            var last = high
            func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
            while low < high, isBlank(line[low]) { low += 1 }
            while last > low, isBlank(line[last - 1]) { last -= 1 }
            if low < last, line[low] == 0x7c { low += 1 }
            var bars: [Int] = []
            var isEscaped = false
            for at in low..<max(low, last) {
                if line[at] == 0x7c, !isEscaped { bars.append(at) }
                isEscaped = line[at] == 0x5c && !isEscaped
            }
            // A bar at the end of the line ends the last cell. Without such a bar, the blanks at the end belong to the
            // cell.
            if bars.last == last - 1 { bars.removeLast() } else { last = high + 1 }
            front = line[..<low]
            back = line[min(last - 1, high)..<high]
            var start = low
            cells = []
            for bar in bars {
                cells.append(line[start..<bar])
                start = bar + 1
            }
            cells.append(line[start..<max(start, min(last - 1, high))])
        }

        var bytes: [UInt8] { Array(front) + cells.joined(separator: [0x7c]) + back + end }
    }

    private let alignments: [PresentationIntent.TableColumn.Alignment]
    private let rows: [[[MarkdownInline]]]
    /// The lines of the rows.
    private var lines: [Line] = []
    private let rule: Line

    /// Creates the patch of a table; nil for any other block, and if the lines do not correspond to the rows.
    init?(_ block: MarkdownBlock, _ bytes: ArraySlice<UInt8>) {
        guard case .table(let alignments, let rows) = block, rows.count > 0 else { return nil }
        (self.alignments, self.rows) = (alignments, rows)
        var rest = bytes
        while !rest.isEmpty {
            var end = rest.firstIndex { $0 == 0xa || $0 == 0xd } ?? rest.endIndex
            if end < rest.endIndex {
                end += rest[end] == 0xd && end + 1 < rest.endIndex && rest[end + 1] == 0xa ? 2 : 1
            }
            lines.append(Line(rest[..<end]))
            rest = rest[end...]
        }
        guard lines.count == rows.count + 1, lines[1].cells.count == alignments.count else { return nil }
        rule = lines.remove(at: 1)
    }

    /// Returns the source of the table's lines with the rows of another block. Nil if that block is no table, or has
    /// other columns.
    func source(for block: MarkdownBlock, _ newline: String) -> [UInt8]? {
        guard case .table(alignments, let new) = block, !new.isEmpty else { return nil }
        let most = min(rows.count, new.count)
        let low = zip(rows, new).prefix { $0 == $1 }.count
        let tail = zip(rows.reversed(), new.reversed()).prefix(most - low).prefix { $0 == $1 }.count
        let newEnd = new.count - tail
        let isPadded = isPadded
        let written = new.indices.map { index in
            if index < low { return lines[index] }
            if index >= newEnd { return lines[index - new.count + rows.count] }
            let isPaired = rows.count == new.count
            return line(for: new[index], isPaired ? index : nil, isPadded)
        }
        var result: [UInt8] = []
        func add(_ line: Line) {
            if !result.isEmpty, result.last != 0xa, result.last != 0xd { result += newline.utf8 }
            result += line.bytes
        }
        add(written[0])
        add(rule)
        written.dropFirst().forEach(add)
        // The new last line has a line end if the old last line had one.
        let endsLine = !(rows.count > 1 ? lines[lines.count - 1] : rule).end.isEmpty
        while let last = result.last, last == 0xa || last == 0xd { result.removeLast() }
        return endsLine ? result + newline.utf8 : result
    }

    /// Whether the cells of each row are as wide as those of the line of dashes.
    private var isPadded: Bool {
        let widths = rule.cells.map(Self.width)
        return lines.allSatisfy { $0.cells.map(Self.width) == widths }
    }

    /// The number of scalars of a cell.
    private static func width(_ cell: ArraySlice<UInt8>) -> Int { cell.count { $0 & 0xc0 != 0x80 } }

    /// Returns the source of a row.
    ///
    /// - Parameter old: the index of the old row whose equal cells are kept; nil for a new row.
    private func line(for row: [[MarkdownInline]], _ old: Int?, _ isPadded: Bool) -> Line {
        var known: [Int: (cell: [MarkdownInline], source: ArraySlice<UInt8>)] = [:]
        var result = Line(ArraySlice(MarkdownWriter.lines([.table(alignments, [row])], isPlain: true)[0].utf8))
        if let old, lines[old].cells.count == row.count {
            for column in row.indices where column < rows[old].count {
                known[column] = (rows[old][column], lines[old].cells[column])
            }
            (result.front, result.back) = (lines[old].front, lines[old].back)
        } else if let model = lines.last {
            (result.front, result.back) = (model.front, model.back)
        }
        guard result.cells.count == row.count else { return result }
        for column in row.indices {
            if let known = known[column], known.cell == row[column] {
                result.cells[column] = known.source
                continue
            }
            let text = result.cells[column].trimmingBlanks
            // Start with the same blanks as the old cell, unless that had no text.
            var front: ArraySlice<UInt8> = [0x20]
            if let source = known[column]?.source, !source.trimmingBlanks.isEmpty {
                front = source.prefix { $0 == 0x20 || $0 == 0x9 }
            }
            var cell = Array(front) + text
            let isLast = column == row.count - 1 && result.back.isEmpty
            if isPadded, rule.cells.indices.contains(column) {
                let missing = Self.width(rule.cells[column]) - Self.width(cell[...])
                cell += [UInt8](repeating: 0x20, count: max(isLast || front.isEmpty ? 0 : 1, missing))
            } else if !isLast, !front.isEmpty {
                cell.append(0x20)
            }
            result.cells[column] = cell[...]
        }
        return result
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
        var result = drop(while: isBlank)
        while let last = result.last, isBlank(last) { result.removeLast() }
        return result
    }
}
