import InkstoneBase
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

        /// Creates a line by splitting its bytes at the bars. A bar is text after a backslash, and in one of the texts
        /// that the parser has reported: for md4c, a bar in code or HTML does not end the cell.
        init(_ line: ArraySlice<UInt8>, _ pieces: ArraySlice<Range<Int>> = []) {
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
            var pieces = pieces[pieces.partitioningIndex { $0.upperBound > low }...]
            for at in low..<max(low, last) {
                while let piece = pieces.first, piece.upperBound <= at { pieces.removeFirst() }
                let isText = isEscaped || pieces.first?.contains(at) == true
                if line[at] == 0x7c, !isText { bars.append(at) }
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

        /// The line without the cells that have not even a blank between their bars: md4c skips these, so the next cell
        /// is shown in their column.
        var withShownCells: Line {
            guard cells.contains(where: \.isEmpty), !cells.allSatisfy(\.isEmpty) else { return self }
            var result = self
            result.cells.removeAll(where: \.isEmpty)
            return result
        }

        var hasFrontBar: Bool { front.contains(0x7c) }
        var hasBackBar: Bool { back.contains(0x7c) }
    }

    private let alignments: [PresentationIntent.TableColumn.Alignment]
    private let rows: [[[MarkdownInline]]]
    /// The lines of the table's rows, without the line of dashes below the header.
    private var lines: [Line] = []
    private let rule: Line

    /// Creates the patch of a table; nil for any other block, and if the lines do not correspond to the rows.
    ///
    /// - Parameter pieces: the byte ranges of the table's texts, in order.
    init?(_ block: MarkdownBlock, _ bytes: ArraySlice<UInt8>, _ pieces: ArraySlice<Range<Int>>) {
        guard case .table(let alignments, let rows) = block, rows.count > 0 else { return nil }
        (self.alignments, self.rows) = (alignments, rows)
        var rest = bytes
        while !rest.isEmpty {
            var end = rest.firstIndex { $0 == 0xa || $0 == 0xd } ?? rest.endIndex
            if end < rest.endIndex {
                end += rest[end] == 0xd && end + 1 < rest.endIndex && rest[end + 1] == 0xa ? 2 : 1
            }
            lines.append(Line(rest[..<end], pieces))
            rest = rest[end...]
        }
        guard lines.count == rows.count + 1, lines[1].cells.count == alignments.count else { return nil }
        rule = lines.remove(at: 1)
    }

    /// Returns the source of the table's lines with the rows and columns of another block. Nil if that block is no
    /// table, or has no rows or columns.
    func source(for block: MarkdownBlock, _ newline: String) -> [UInt8]? {
        guard case .table(let newAlignments, let new) = block, !new.isEmpty, !newAlignments.isEmpty else { return nil }
        let match = MarkdownTableMatch(rows, alignments.count, new, newAlignments.count)
        let isSameWidth = match.columns == alignments.indices.map { $0 }
        var written = zip(new, match.rows).map { row, old in
            if let old, isSameWidth, rows[old] == row { return lines[old] }
            return line(for: row, old, match.columns)
        }
        var rule = rule(newAlignments, match.columns)
        if isPadded { pad(&written, &rule, match.columns) }
        var result: [UInt8] = []
        func add(_ line: Line) {
            if !result.isEmpty, result.last != 0xa, result.last != 0xd { result += newline.utf8 }
            result += line.bytes
        }
        add(written[0])
        add(rule)
        written.dropFirst().forEach(add)
        // The new last line has a line end if the old last line had one.
        let endsLine = !(rows.count > 1 ? lines[lines.count - 1] : self.rule).end.isEmpty
        while let last = result.last, last == 0xa || last == 0xd { result.removeLast() }
        return endsLine ? result + newline.utf8 : result
    }

    /// Returns the byte ranges of the cells beyond the table's columns in the rows that `block`, the edited table, does
    /// not have; in all rows if `block` is nil. Empty if other rows are new or were edited, because they may have parts
    /// of the missing rows.
    func deletedCells(in block: MarkdownBlock?) -> [Range<Int>] {
        var kept: Set<Int> = []
        if case .table(let newAlignments, let new)? = block {
            let match = MarkdownTableMatch(rows, alignments.count, new, newAlignments.count)
            for (row, old) in zip(new, match.rows) {
                guard let old, zip(row, match.columns).allSatisfy({ $1 == nil || rows[old][$1 ?? 0] == $0 }) else {
                    return []
                }
                kept.insert(old)
            }
        }
        return lines.indices.filter { !kept.contains($0) }.flatMap { row in
            lines[row].withShownCells.cells.dropFirst(alignments.count).map { $0.startIndex..<$0.endIndex }
        }
    }

    /// Whether the cells of all rows are as wide as those of the line of dashes below the header.
    private var isPadded: Bool {
        let widths = rule.cells.map(Self.width)
        return lines.allSatisfy { $0.cells.map(Self.width) == widths }
    }

    /// Whether there are blanks between the bars and the texts: in the first cell with text, or else in the line of
    /// dashes below the header.
    private var isSpaced: Bool {
        let model = lines.lazy.flatMap(\.cells).first { !$0.trimmingBlanks.isEmpty } ?? rule.cells[0]
        return Self.isBlank(model.first) || Self.isBlank(model.last)
    }

    /// The number of scalars of a cell.
    private static func width(_ cell: ArraySlice<UInt8>) -> Int { cell.count { $0 & 0xc0 != 0x80 } }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x9 }

    // MARK: Rows

    /// Returns the line of a row.
    ///
    /// - Parameters:
    ///   - old: the index of the old row whose cells are kept where they are equal; nil for a new row.
    ///   - columns: for each column the index of the old one; nil for a new column.
    private func line(for row: [[MarkdownInline]], _ old: Int?, _ columns: [Int?]) -> Line {
        let model = (old.map { lines[$0] } ?? lines[lines.count - 1]).withShownCells
        var result = model
        // A row may have fewer cells than the table, or more of them, which are not shown.
        let isShort = old != nil && model.cells.count < alignments.count
        let extra = old == nil ? [] : model.cells.dropFirst(alignments.count)
        var cells: [ArraySlice<UInt8>?] = zip(row, columns).map { cell, column in
            guard let old, let column, model.cells.indices.contains(column) else {
                return isShort && cell.isEmpty ? nil : source(of: cell, nil)[...]
            }
            let source = model.cells[column]
            return rows[old][column] == cell ? source : self.source(of: cell, source)[...]
        }
        while extra.isEmpty, cells.count > 1, cells.last == .some(nil) { cells.removeLast() }
        result.cells = cells.map { $0 ?? source(of: [], nil)[...] } + extra
        Self.fit(&result, like: model, columns, isSpaced: isSpaced, mayStartBlock: true)
        return result
    }

    /// Returns the source of a cell that is written anew. It begins with as many blanks as the old cell, and ends with
    /// one if that did. If there is no old cell with text, it has a blank at both ends if other cells of the table
    /// have.
    private func source(of cell: [MarkdownInline], _ old: ArraySlice<UInt8>?) -> [UInt8] {
        var text: ArraySlice<UInt8> = []
        if !cell.isEmpty {
            let line = MarkdownWriter.lines([.table([.natural], [[cell]])], isPlain: true)[0]
            text = Line(ArraySlice(line.utf8)).cells[0].trimmingBlanks
        }
        var isSpaced = isSpaced
        var front: ArraySlice<UInt8> = isSpaced ? [0x20] : []
        if let old, !old.trimmingBlanks.isEmpty {
            front = old.prefix { Self.isBlank($0) }
            isSpaced = Self.isBlank(old.last)
        }
        // Add a blank after a backslash, which would escape the bar, and in an empty cell, which md4c would skip
        // without one.
        let isOpen = text.isEmpty && front.isEmpty || text.last == 0x5c
        return Array(front) + text + (isSpaced || isOpen ? [0x20] : [])
    }

    /// Adds and removes blanks and bars at the ends of a line whose first or last cell has changed.
    ///
    /// - Parameters:
    ///   - isSpaced: whether there are blanks between bars and texts.
    ///   - mayStartBlock: whether another block may start with the text of the line's first cell.
    private static func fit(
        _ line: inout Line, like model: Line, _ columns: [Int?], isSpaced: Bool, mayStartBlock: Bool
    ) {
        let blank: [UInt8] = isSpaced ? [0x20] : []
        let last = line.cells.count - 1
        if !model.hasFrontBar {
            if let inner = columns.firstIndex(of: 0), inner > 0, inner <= last, !isBlank(line.cells[inner].first) {
                line.cells[inner] = blank + line.cells[inner]
            }
            let first = line.cells[0].drop { isBlank($0) }
            // A bar is needed before a cell without text, and before a text that may be the start of another block.
            let isText = first.first.map { $0 >= 0x41 && $0 != 0x60 && $0 != 0x7e } ?? false
            let isOther = first != model.cells[0].drop { isBlank($0) }
            let needsBar = columns.count == 1 || first.isEmpty || mayStartBlock && isOther && !isText
            if needsBar { line.front += [0x7c] + (first.isEmpty ? [0x20] : blank) }
            line.cells[0] = first
        }
        if !model.hasBackBar {
            let old = model.cells.count - 1
            if let inner = columns.firstIndex(of: old), inner < last, !isBlank(line.cells[inner].last) {
                line.cells[inner] += blank
            }
            if model.cells.indices.contains(old), line.cells[last] != model.cells[old] {
                while isBlank(line.cells[last].last) { line.cells[last].removeLast() }
            }
            let isEmpty = line.cells[last].trimmingBlanks.isEmpty
            if columns.count == 1 || isEmpty { line.back = (isEmpty ? [0x20] : blank) + [0x7c] }
        }
    }

    // MARK: Columns

    /// Returns the line of dashes below the header, for the new columns.
    private func rule(_ alignments: [PresentationIntent.TableColumn.Alignment], _ columns: [Int?]) -> Line {
        if alignments == self.alignments, columns == alignments.indices.map({ $0 }) { return rule }
        var result = rule
        let isSpaced = Self.isBlank(rule.cells[0].first) || Self.isBlank(rule.cells[0].last)
        result.cells = zip(alignments, columns).map { alignment, column in
            if let column, alignment == self.alignments[column] { return rule.cells[column] }
            let old = column.map { rule.cells[$0] }
            let width = max(3, old.map { Self.width($0.trimmingBlanks) } ?? 3)
            let blanks: ArraySlice<UInt8> = old?.prefix { Self.isBlank($0) } ?? (isSpaced ? [0x20] : [])
            let back = old?.reversed().prefix { Self.isBlank($0) }.reversed() ?? Array(blanks)
            return blanks + Self.dashes(width, alignment) + back
        }
        Self.fit(&result, like: rule, columns, isSpaced: isSpaced, mayStartBlock: false)
        return result
    }

    /// Returns the dashes and colons of a column, without blanks.
    private static func dashes(_ width: Int, _ alignment: PresentationIntent.TableColumn.Alignment) -> [UInt8] {
        var result = [UInt8](repeating: 0x2d, count: width)
        if alignment == .left || alignment == .center { result[0] = 0x3a }
        if alignment == .right || alignment == .center { result[width - 1] = 0x3a }
        return result
    }

    /// Fills cells with blanks up to the width of their column. A new column is as wide as its widest cell.
    private func pad(_ lines: inout [Line], _ rule: inout Line, _ columns: [Int?]) {
        for (column, old) in columns.enumerated() {
            let isLast = column == columns.count - 1
            var width = old.map { Self.width(self.rule.cells[$0]) } ?? 0
            if old == nil {
                width = lines.reduce(Self.width(rule.cells[column])) { most, line in
                    line.cells.indices.contains(column) ? max(most, Self.width(line.cells[column])) : most
                }
                let missing = width - Self.width(rule.cells[column])
                let place = rule.cells[column].firstIndex(of: 0x2d) ?? rule.cells[column].endIndex
                rule.cells[column].insert(contentsOf: [UInt8](repeating: 0x2d, count: missing), at: place)
            }
            for index in lines.indices where lines[index].cells.indices.contains(column) {
                if isLast, !lines[index].hasBackBar { continue }
                let missing = width - Self.width(lines[index].cells[column])
                if missing > 0 { lines[index].cells[column] += [UInt8](repeating: 0x20, count: missing) }
            }
        }
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
