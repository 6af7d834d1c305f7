import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A change of the rows or columns of a table.
package enum TableChange: Hashable, Sendable, CaseIterable {
    /// Inserts an empty row above the selected ones.
    case insertRowAbove
    /// Inserts an empty row below the selected ones.
    case insertRowBelow
    /// Inserts an empty column before the selected ones, on the side where lines start.
    case insertColumnBefore
    /// Inserts an empty column after the selected ones.
    case insertColumnAfter
    /// Deletes the selected rows.
    case deleteRow
    /// Deletes the selected columns.
    case deleteColumn
    /// Aligns the texts of the selected columns at the left edges of their cells.
    case alignLeft
    /// Centers the texts of the selected columns in their cells.
    case alignCenter
    /// Aligns the texts of the selected columns at the right edges of their cells.
    case alignRight
}

/// The commands that insert and delete rows and columns of tables, and align columns.
extension EditorState {
    /// A table, and the rows and columns of it that are selected.
    private struct TablePart {
        /// The numbers of the paragraphs that are the table's rows.
        var table: Range<Int>
        /// The paragraphs of the selected rows, as ranges that do not touch, in order; not empty.
        var rows: [Range<Int>]
        /// The selected columns, counted from 0, as ranges that do not touch, in order; not empty.
        var columns: [Range<Int>]
        /// The selected columns, as for `columns`. Of a range that ends at the start of a row, all columns from its
        /// first one on.
        var alignedColumns: [Range<Int>]
        /// The number of columns of the widest row.
        var columnCount: Int
        /// The properties of the columns, such as their alignments. There may be fewer of them than columns.
        var properties: [PresentationIntent.TableColumn]
    }

    /// The largest number of columns of a table. No column can be added to a table that has so many, because
    /// ``PresentationIntentAttribute`` keeps no more.
    private static let mostColumns = 1000

    /// Changes the rows or columns that the selection touches. The caret goes into the new row or column or, after a
    /// deletion, into the cell that is now at its row and column. If none would be left, the whole table is deleted.
    /// Nil if the selection is not within one table, where editing is not allowed, and while text is marked.
    ///
    /// - Parameter place: an offset, such as the pointer's, that stands for the selection if that does not touch it.
    package func changingTable(_ change: TableChange, at place: UTF16Offset? = nil) -> Transaction? {
        if let place, selection?.ranges.contains(where: { $0.range.touches(place) }) != true {
            var state = self
            state.selection = Selection(caret: place)
            return state.changingTable(change)
        }
        guard let part = selectedTable, let above = part.rows.first?.lowerBound, let below = part.rows.last?.upperBound,
            let before = part.columns.first?.lowerBound, let after = part.columns.last?.upperBound
        else { return nil }
        switch change {
        case .insertRowAbove: return insertingRow(at: above, in: part.table, part.columnCount)
        case .insertRowBelow: return insertingRow(at: below, in: part.table, part.columnCount)
        case .insertColumnBefore: return insertingColumn(before, in: part)
        case .insertColumnAfter: return insertingColumn(after, in: part)
        case .deleteRow: return deletingRows(part)
        case .deleteColumn: return deletingColumns(part)
        case .alignLeft: return aligning(part, .left)
        case .alignCenter: return aligning(part, .center)
        case .alignRight: return aligning(part, .right)
        }
    }

    /// Whether all of the selection is within one table that may be edited.
    package var isInTable: Bool { selectedTable != nil }

    private var selectedTable: TablePart? {
        guard styledText.runs != nil, options.isEditable, !options.isSingleLine, markedText == nil, let selection,
            let first = selectedParagraphs.first?.lowerBound, isRow(first),
            let intent = styledText.attributes(at: start(ofRow: first))[PresentationIntentAttribute.self]
        else { return nil }
        let table = rows(around: first, of: intent)
        let paragraphs = selectedParagraphs
        guard paragraphs.allSatisfy({ $0.lowerBound >= table.lowerBound && $0.upperBound <= table.upperBound }) else {
            return nil
        }
        var (columns, aligned): ([Range<Int>], [Range<Int>]) = ([], [])
        for range in selection.ranges {
            var ends = [column(of: range.range.lowerBound)]
            // A range that ends at the start of a row does not touch that row: its last column is not counted.
            let end = range.range.upperBound
            let isAtStart = !range.isCaret && start(ofRow: text.paragraphIndex(at: end).value) == end
            if !isAtStart { ends.append(column(of: end)) }
            columns.append((ends.min() ?? 0)..<(ends.max() ?? 0) + 1)
            aligned.append((ends.min() ?? 0)..<(isAtStart ? Int.max : (ends.max() ?? 0) + 1))
        }
        var properties: [PresentationIntent.TableColumn] = []
        for component in intent.components {
            guard case .table(let known) = component.kind else { continue }
            properties = known
            break
        }
        let count = table.reduce(properties.count) { max($0, cells(ofRow: $1).count) }
        return TablePart(
            table: table, rows: lineBlocks, columns: columns.map { $0.clamped(to: 0..<count) }.merged(),
            alignedColumns: aligned.map { $0.clamped(to: 0..<count) }.merged(),
            columnCount: count, properties: properties)
    }

    /// Returns the paragraphs of the table that contains a row.
    func rows(around row: Int, of intent: PresentationIntent) -> Range<Int> {
        var (low, high) = (row, row + 1)
        while isInBlock(of: intent, low - 1) { low -= 1 }
        while isInBlock(of: intent, high) { high += 1 }
        return low..<high
    }

    /// Returns the ranges of the cells of a row, without the tabs between them; at least one.
    func cells(ofRow paragraph: Int) -> [Range<UTF16Offset>] {
        let content = text.utf16ContentRange(of: ParagraphIndex(paragraph))
        let units = text.utf16(in: content)
        var result: [Range<UTF16Offset>] = []
        var start = content.lowerBound
        for place in units.indices where units[place] == 0x09 {
            result.append(start..<content.lowerBound + place)
            start = content.lowerBound + place + 1
        }
        return result + [start..<content.upperBound]
    }

    private func start(ofRow paragraph: Int) -> UTF16Offset {
        text.utf16Range(of: ParagraphIndex(paragraph)).lowerBound
    }

    /// Returns the column of an offset in a row: the number of tabs before it.
    private func column(of offset: UTF16Offset) -> Int {
        text.utf16(in: contentOfParagraph(at: offset).lowerBound..<offset).count { $0 == 0x09 }
    }

    /// Returns the attributes of a new row beside a row, which is in the same blocks and list item.
    private func attributes(besideRow paragraph: Int) -> TextAttributes {
        let row = styledText.attributes(at: start(ofRow: paragraph))
        var result = TextAttributes()
        result[PresentationIntentAttribute.self] = row[PresentationIntentAttribute.self]
        result[ParagraphStyleAttribute.self] = row[ParagraphStyleAttribute.self]
        result[ListAttribute.self] = row[ListAttribute.self]?.continued
        return result
    }

    // MARK: Inserting and deleting rows

    /// Inserts an empty row before a paragraph, which is a row of the table or the one after the last. The caret goes
    /// into its first cell.
    func insertingRow(at paragraph: Int, in table: Range<Int>, _ columns: Int) -> Transaction {
        let tabs = String(repeating: "\t", count: max(0, columns - 1))
        let isBelow = paragraph == table.upperBound
        let beside = isBelow ? paragraph - 1 : paragraph
        var attributes = attributes(besideRow: beside)
        attributes[PresentationIntentAttribute.self] = attributes[PresentationIntentAttribute.self]?.rowBeside(
            isBelow: isBelow)
        var place = start(ofRow: paragraph)
        var new = tabs + newline
        var start = place
        if isBelow {
            place = text.utf16ContentRange(of: ParagraphIndex(beside)).upperBound
            start = place + newline.utf16.count
            // The line end holds the attributes of the new row, which has no other characters.
            new = newline + tabs + (paragraph == text.paragraphCount ? newline : "")
        }
        var restyling = Restyling()
        if !isBelow, let item = styledText.attributes(at: place)[ListAttribute.self], item.hasMarker {
            // If the table begins a list item, the new first row gets the item's marker, and the old first row loses
            // it.
            attributes[ListAttribute.self] = item
            let old = place + new.utf16.count
            restyling.set(item.continued, of: ListAttribute.self, in: old..<old + 1)
        }
        restyling.set(attributes, in: start..<start + tabs.utf16.count + 1)
        var result = transaction(
            TextChangeSet(replacing: place..<place, with: Rope(new), in: text), origin: .newline, undo: .step,
            selection: .set(Selection(caret: start)))
        result.restyling = restyling
        return result
    }

    private func deletingRows(_ part: TablePart) -> Transaction {
        if part.rows == [part.table] {
            let lines = lines(of: part.table)
            return removing(lines, lines.lowerBound, ofWhole: part.table)
        }
        var builder = TextChangeSet.Builder(over: text)
        var (caret, removed) = (UTF16Offset(0), 0)
        let headRow = text.paragraphIndex(at: primary.range.lowerBound).value
        for rows in part.rows {
            let lines = lines(of: rows)
            if rows.contains(headRow) {
                // Place the caret in the row after the deleted ones, or else in the row above them.
                let isLast = rows.upperBound == part.table.upperBound
                let cells = cells(ofRow: isLast ? rows.lowerBound - 1 : rows.upperBound)
                caret = cells[min(part.columns[0].lowerBound, cells.count - 1)].lowerBound - removed
                if !isLast { caret = caret - lines.length() }
            }
            builder.replace(lines, with: "")
            removed += lines.length()
        }
        return transaction(
            builder.finish(), origin: .styling, undo: .step, selection: .set(Selection(caret: caret)))
    }

    /// Returns the range of some paragraphs with their line ends; if the last of them has none, with the line end
    /// before them.
    private func lines(of paragraphs: Range<Int>) -> Range<UTF16Offset> {
        let lines = utf16Range(ofLines: paragraphs)
        guard paragraphs.upperBound == text.paragraphCount, paragraphs.lowerBound > 0 else { return lines }
        return text.utf16ContentRange(of: ParagraphIndex(paragraphs.lowerBound - 1)).upperBound..<lines.upperBound
    }

    /// Deletes a range of a table. If that is the whole table, text that is typed then is not in a table.
    private func removing(_ range: Range<UTF16Offset>, _ caret: UTF16Offset, ofWhole table: Range<Int>?) -> Transaction
    {
        var result = transaction(
            TextChangeSet(replacing: range, with: "", in: text), origin: .styling, undo: .step,
            selection: .set(Selection(caret: caret)))
        if let table, range.upperBound == textRange.upperBound {
            result.typing = AttributeOverrides()
            result.typing?.set(outerIntent(ofRow: table.lowerBound), of: PresentationIntentAttribute.self)
        }
        return result
    }

    // MARK: Inserting and deleting columns

    private func insertingColumn(_ column: Int, in part: TablePart) -> Transaction? {
        guard part.columnCount < Self.mostColumns else { return nil }
        var builder = TextChangeSet.Builder(over: text)
        var restyling = Restyling()
        var (shift, caret) = (0, UTF16Offset(0))
        let headRow = text.paragraphIndex(at: primary.head).value
        for row in part.table {
            let cells = cells(ofRow: row)
            // Fill up a row that has fewer cells with empty ones.
            let count = max(1, column + 1 - cells.count)
            let isInside = column < cells.count
            let place = isInside ? cells[column].lowerBound : cells[cells.count - 1].upperBound
            builder.replace(place..<place, with: Rope(String(repeating: "\t", count: count)))
            let start = place + shift
            restyling.set(attributes(besideRow: row), in: start..<start + count)
            shift += count
            if row == headRow { caret = isInside ? start : start + count }
        }
        var properties = part.properties
        while properties.count < column { properties.append(.init()) }
        properties.insert(.init(), at: column)
        let whole = utf16Range(ofLines: part.table)
        restyling.map(
            PresentationIntentAttribute.self, in: whole.lowerBound..<whole.upperBound + shift, Self.setting(properties))
        keepMarker(of: part, &restyling)
        var result = transaction(
            builder.finish(), origin: .styling, undo: .step, selection: .set(Selection(caret: caret)))
        result.restyling = restyling
        return result
    }

    private func deletingColumns(_ part: TablePart) -> Transaction {
        if part.columns == [0..<part.columnCount] {
            let lines = lines(of: part.table)
            return removing(lines, lines.lowerBound, ofWhole: part.table)
        }
        var builder = TextChangeSet.Builder(over: text)
        var (shift, caret) = (0, UTF16Offset(0))
        let headRow = text.paragraphIndex(at: primary.head).value
        let headColumn = column(of: primary.head)
        let own = part.columns.first { $0.contains(headColumn) } ?? part.columns[0]
        for row in part.table {
            let cells = cells(ofRow: row)
            // If the deleted columns are the last ones, the caret goes to the column before them.
            let next = own.upperBound < cells.count ? own.upperBound : max(0, min(own.lowerBound, cells.count) - 1)
            if row == headRow { caret = cells[next].lowerBound + shift }
            for deleted in part.columns where deleted.lowerBound < cells.count {
                let high = min(deleted.upperBound, cells.count)
                let range =
                    deleted.lowerBound > 0
                    ? cells[deleted.lowerBound - 1].upperBound..<cells[high - 1].upperBound
                    : cells[0].lowerBound..<(high < cells.count ? cells[high].lowerBound : cells[high - 1].upperBound)
                builder.replace(range, with: "")
                shift -= range.length()
                if row == headRow, range.upperBound <= cells[next].lowerBound { caret = caret - range.length() }
            }
        }
        var whole = utf16Range(ofLines: part.table)
        var restyling = Restyling()
        if part.table.upperBound == text.paragraphCount {
            // Append a newline, because the last row may have lost all characters that could hold its attributes.
            builder.replace(whole.upperBound..<whole.upperBound, with: Rope(newline))
            let end = whole.upperBound + shift
            restyling.set(attributes(besideRow: part.table.upperBound - 1), in: end..<end + 1)
            whole = whole.lowerBound..<whole.upperBound + newline.utf16.count
        }
        var properties = part.properties
        for deleted in part.columns.reversed() {
            properties.removeSubrange(deleted.clamped(to: 0..<properties.count))
        }
        restyling.map(
            PresentationIntentAttribute.self, in: whole.lowerBound..<whole.upperBound + shift, Self.setting(properties))
        var result = transaction(
            builder.finish(), origin: .styling, undo: .step, selection: .set(Selection(caret: caret)))
        result.restyling = restyling
        return result
    }

    /// Sets the alignment of the columns that the selection touches. The text of a cell cannot be justified. Nil in
    /// that case, and if the selection is not within one table.
    func aligningColumns(_ alignment: ParagraphStyle.Alignment) -> Transaction? {
        guard let part = selectedTable else { return nil }
        switch alignment {
        case .natural: return aligning(part, .natural)
        case .left: return aligning(part, .left)
        case .center: return aligning(part, .center)
        case .right: return aligning(part, .right)
        case .justified: return nil
        }
    }

    private func aligning(_ part: TablePart, _ alignment: PresentationIntent.TableColumn.Alignment) -> Transaction {
        var properties = part.properties
        for column in part.alignedColumns.flatMap({ Array($0) }) {
            while properties.count <= column { properties.append(.init()) }
            properties[column].alignment = alignment
        }
        var restyling = Restyling()
        restyling.map(
            PresentationIntentAttribute.self, in: utf16Range(ofLines: part.table), Self.setting(properties))
        return styling(by: restyling)
    }

    /// Keeps the marker of a list item that a table begins, because a new cell at its start has no marker.
    private func keepMarker(of part: TablePart, _ restyling: inout Restyling) {
        let start = start(ofRow: part.table.lowerBound)
        guard let item = styledText.attributes(at: start)[ListAttribute.self], item.hasMarker else { return }
        restyling.set(item, of: ListAttribute.self, in: start..<start + 1)
    }

    /// Returns a function that changes a row's intent so that its table has these columns.
    private static func setting(
        _ columns: [PresentationIntent.TableColumn]
    ) -> @Sendable (PresentationIntent?) -> PresentationIntent? {
        { intent in
            guard var components = intent?.components,
                let index = components.firstIndex(where: { if case .table = $0.kind { true } else { false } })
            else { return intent }
            components[index].kind = .table(columns: columns)
            return PresentationIntent(components: components)
        }
    }
}

extension PresentationIntent {
    /// Returns the intent of a new row below this row, or of one that takes this row's place.
    fileprivate func rowBeside(isBelow: Bool) -> PresentationIntent? {
        var rows = components
        var number = 0
        if case .tableRow(let known) = rows[0].kind { number = known }
        rows[0].identity = Self.newIdentity
        if isBelow { rows[0].kind = .tableRow(rowIndex: number + 1) }
        return PresentationIntent(components: rows)
    }
}

extension Array<Range<Int>> {
    /// Returns these ranges in order, with those merged that overlap or touch.
    fileprivate func merged() -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}

extension Range<UTF16Offset> {
    /// Whether an offset lies in the range or at one of its ends.
    func touches(_ offset: UTF16Offset) -> Bool { lowerBound <= offset && offset <= upperBound }
}
