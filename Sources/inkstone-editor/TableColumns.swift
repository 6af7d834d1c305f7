import Inkstone

/// Lines up the columns of tables: gives the rows of one table shared tab stops, at which the widest cells still have
/// room.
///
/// The last column may wrap, and its further lines start where the column starts. A table keeps the regular tab stops
/// if its other columns leave no room for the last one, or if it has very many rows.
final class TableColumns {
    /// A row, and the widths in pixels of the lines of its cells. Each cell has at least one line; lines end at line
    /// breaks only.
    private struct Row {
        var text: StyledText
        var cells: [[Double]]
    }

    /// A table and the widths of its cells, as measured in a version of the text.
    private struct Table {
        var version: TextVersion
        /// The indices of the paragraphs that are the rows of the table.
        var paragraphs: Range<Int>
        /// The measured rows; nil if there are more than ``rowLimit``.
        var rows: [Row]?
        /// The width of the widest cell of each column, in pixels.
        var widths: [Double] = []
    }

    /// The properties of a layout by which the width of a text depends on it.
    private struct Measures: Equatable {
        let font: FontDescriptor
        let scale: Double
        let sheet: PresentationStyleSheet
        let definition: FormattingDefinition?
        let tools: AnyObject

        init(_ layout: TextLayoutManager) {
            (font, scale, sheet) = (layout.font, layout.attributeScale, layout.presentationStyleSheet)
            (definition, tools) = (layout.formattingDefinition, layout.fontTools)
        }

        static func == (a: Self, b: Self) -> Bool {
            a.tools === b.tools && a.font == b.font && a.scale == b.scale && a.sheet == b.sheet
                && a.definition == b.definition
        }
    }

    /// Called after the columns of a table have changed and its layout was discarded.
    var onChange: (() -> Void)?
    weak var layout: TextLayoutManager?
    /// The tables that were laid out, by identity. A table and its copies have one identity.
    private var tables: [Int: [Table]] = [:]
    /// The measures of the layout when the tables were measured; nil before.
    private var measures: Measures?

    /// The number of rows above which the columns of a table are not lined up. Each edit compares all rows.
    static let rowLimit = 500
    /// The number of identities, and of tables with one identity, at which all tables measured earlier are forgotten.
    private static let tableLimit = 200
    /// The width of the container in which cells are measured, in pixels.
    private static let measuringWidth = 100_000.0
    /// The width of a column without text, in multiples of the font size.
    private static let emptyColumn = 4.0

    /// Gives the style of a paragraph the tab stops and indents of its table, if it is a row.
    func lineUp(_ paragraph: Int, in store: TextStore, _ style: inout ParagraphStyle) {
        let text = store.styledText
        guard let layout, text.runs != nil, let intent = text.row(paragraph) else { return }
        let table = measured(intent.table, around: paragraph, in: text, store.version, layout)
        guard let rows = table.rows else { return }
        lineUp(&style, rows[paragraph - table.paragraphs.lowerBound], table, intent.columns, layout)
    }

    /// Measures the columns of the tables at and beside an edit again, but only at its first 64 changes. The rows
    /// beside removed ones are not laid out again by the edit, so they would keep the old column widths.
    func follow(_ applied: AppliedTransaction) {
        guard let layout, applied.runs != nil, !applied.changes.isEmpty else { return }
        let text = layout.store.styledText
        guard layout.store.version == applied.after else { return }
        for section in applied.changes.changeMap.prefix(64) {
            let range = section.newRange
            let first = text.rope.paragraphIndex(at: range.lowerBound).value
            let last = text.rope.paragraphIndex(at: range.upperBound).value
            for paragraph in Set([first - 1, first, last, last + 1]) {
                guard let intent = text.row(paragraph), tables[intent.table] != nil else { continue }
                _ = measured(intent.table, around: paragraph, in: text, applied.after, layout)
            }
        }
    }

    // MARK: Measuring

    private func measured(
        _ identity: Int, around paragraph: Int, in text: StyledText, _ version: TextVersion, _ layout: TextLayoutManager
    ) -> Table {
        let present = Measures(layout)
        // A change of the font, as by zooming, lays out all text anew, so that no row has to be invalidated for it.
        if present != measures { (measures, tables) = (present, [:]) }
        var others = tables[identity] ?? []
        if let known = others.first(where: { $0.version == version && $0.paragraphs.contains(paragraph) }) {
            return known
        }
        var paragraphs = paragraph..<paragraph + 1
        while paragraphs.count <= Self.rowLimit, text.row(paragraphs.lowerBound - 1)?.table == identity {
            paragraphs = paragraphs.lowerBound - 1..<paragraphs.upperBound
        }
        while paragraphs.count <= Self.rowLimit, text.row(paragraphs.upperBound)?.table == identity {
            paragraphs = paragraphs.lowerBound..<paragraphs.upperBound + 1
        }
        // Reuse the rows measured in an earlier version of this table: among the tables with its identity, choose the
        // one whose start is nearest.
        let start = paragraphs.lowerBound
        let index = others.indices.filter { others[$0].version != version }.min {
            abs(others[$0].paragraphs.lowerBound - start) < abs(others[$1].paragraphs.lowerBound - start)
        }
        let known = index.map { others[$0] }
        var table = Table(version: version, paragraphs: paragraphs)
        if paragraphs.count <= Self.rowLimit {
            let rows = paragraphs.map { text.slice(text.rope.utf16ContentRange(of: ParagraphIndex($0))) }
            let old = known?.rows ?? []
            let head = zip(rows, old).prefix { $0 == $1.text }.count
            let tail = zip(rows.dropFirst(head).reversed(), old.dropFirst(head).reversed())
                .prefix { $0 == $1.text }.count
            table.rows =
                old.prefix(head) + measure(rows[head..<rows.count - tail], layout) + old.suffix(tail)
            for row in table.rows ?? [] {
                for (column, lines) in row.cells.enumerated() {
                    let width = lines.max() ?? 0
                    if column == table.widths.count { table.widths.append(0) }
                    table.widths[column] = max(table.widths[column], width)
                }
            }
        }
        if let index { others[index] = table } else { others.append(table) }
        if tables.count >= Self.tableLimit || others.count >= Self.tableLimit { (tables, others) = ([:], [table]) }
        tables[identity] = others
        if let known, known.widths != table.widths {
            let start = text.rope.utf16Range(of: ParagraphIndex(start)).lowerBound
            let end = text.rope.utf16ContentRange(of: ParagraphIndex(paragraphs.upperBound - 1)).upperBound
            layout.invalidateLayout(for: start..<end)
            onChange?()
        }
        return table
    }

    /// Measures the lines of the cells of rows, each as a paragraph of its own.
    private func measure(_ rows: ArraySlice<StyledText>, _ layout: TextLayoutManager) -> [Row] {
        rows.map { row in
            let cells = row.parts(at: 0x09).map { $0.parts(at: 0x2028) }
            var lines = StyledText()
            var starts: [UTF16Offset] = []
            for line in cells.joined() {
                starts.append(lines.rope.utf16Range.upperBound)
                lines.append(line)
                lines.append(StyledText("\n"))
            }
            let measuring = TextLayoutManager(sharing: layout, store: TextStore(lines))
            // Pictures are never wider than the container, so use one that is wide enough for their own size.
            measuring.container = TextContainer(width: Self.measuringWidth, lineBreakMode: .byClipping)
            var widths = starts.map { start in
                let line = measuring.textLayoutFragment(for: start).textLineFragments.first
                return line?.typographicBounds.size.width.rounded(.up) ?? 0
            }[...]
            return Row(
                text: row,
                cells: cells.map { lines in
                    defer { widths = widths.dropFirst(lines.count) }
                    return Array(widths.prefix(lines.count))
                })
        }
    }

    // MARK: Tab stops

    private func lineUp(
        _ style: inout ParagraphStyle, _ row: Row, _ table: Table,
        _ columns: [PresentationIntent.TableColumn], _ layout: TextLayoutManager
    ) {
        let container = layout.container
        let size = layout.font.size
        let indent = style.firstLineIndent
        let room = container.width - 2 * container.lineFragmentPadding - style.tailIndent
        let gap = (size * 1.5).rounded()
        var starts = [indent]
        for width in table.widths.dropLast() {
            // Make a column without text wide enough to be visible.
            let column = width > 0 ? max(width, size) : size * Self.emptyColumn
            starts.append(starts[starts.count - 1] + column + gap)
        }
        let last = table.widths.count - 1
        let isNatural = !columns.indices.contains(last) || ![.center, .right].contains(columns[last].alignment)
        let least = isNatural ? min(table.widths[last], room * 0.25) : table.widths[last]
        guard starts[last] + least <= room else { return }
        var indents: [Double] = []
        for (column, start) in starts.enumerated() {
            let width = table.widths[column]
            let alignment = columns.indices.contains(column) ? columns[column].alignment : .natural
            func place(_ line: Double) -> Double {
                switch alignment {
                case .left, .natural: start
                case .right: start + max(0, width - line)
                case .center: start + (max(0, width - line) / 2).rounded(.down)
                }
            }
            let lines = column < row.cells.count ? row.cells[column] : []
            indents += lines.dropFirst().map(place)
            if column == 0 {
                style.firstLineIndent = place(lines.first ?? 0)
                continue
            }
            switch alignment {
            case .left, .natural: style.tabStops.append(TabStop(start))
            case .right: style.tabStops.append(TabStop(start + width, alignment: .trailing))
            case .center: style.tabStops.append(TabStop(start + (width / 2).rounded(.up), alignment: .center))
            }
        }
        // The lines of a cell stand below each other. A line that wraps in the last column continues there.
        style.columnIndents = indents
        if isNatural { style.indent = starts[last] }
    }

    /// Returns the positions of the rules between the columns, as distances in pixels from the edge at which lines of
    /// text start. Empty if the paragraph is no row, and if its columns are not lined up.
    ///
    /// - Parameter style: the paragraph's style with the tab stops of its table.
    func edges(of paragraph: Int, in store: TextStore, _ style: ParagraphStyle) -> [Double] {
        let text = store.styledText
        guard let layout, text.runs != nil, let intent = text.row(paragraph) else { return [] }
        let table = measured(intent.table, around: paragraph, in: text, store.version, layout)
        let count = table.widths.count - 1
        guard table.rows != nil, count > 0, style.tabStops.count >= count else { return [] }
        let gap = (layout.font.size * 1.5).rounded()
        return zip(style.tabStops.suffix(count), table.widths.dropFirst()).map { stop, width in
            let start =
                switch stop.alignment {
                case .trailing: stop.position - width
                case .center: stop.position - (width / 2).rounded(.up)
                default: stop.position
                }
            return (start - gap / 2).rounded()
        }
    }
}

extension StyledText {
    /// Returns the parts between the occurrences of a UTF-16 unit: for tabs, the cells of a row.
    fileprivate func parts(at separator: UInt16) -> [StyledText] {
        let units = rope.utf16(in: rope.utf16Range)
        let ends = units.indices.filter { units[$0] == separator } + [units.count]
        var start = 0
        return ends.map { end in
            defer { start = end + 1 }
            return slice(UTF16Offset(start)..<UTF16Offset(end))
        }
    }

    /// Returns the table of a paragraph that is a row, by identity, and its columns. Nil if the paragraph is no row.
    fileprivate func row(_ paragraph: Int) -> (table: Int, columns: [PresentationIntent.TableColumn])? {
        guard paragraph >= 0, paragraph < rope.paragraphCount else { return nil }
        let range = rope.utf16Range(of: ParagraphIndex(paragraph))
        guard !range.isEmpty, let intent = attributes(at: range.lowerBound)[PresentationIntentAttribute.self] else {
            return nil
        }
        switch intent.components.first?.kind {
        case .tableRow, .tableHeaderRow, .tableCell: break
        default: return nil
        }
        for component in intent.components {
            if case .table(let columns) = component.kind { return (component.identity, columns) }
        }
        return nil
    }
}
