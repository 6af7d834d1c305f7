import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Return in the rows of tables.
extension EditorState {
    /// Handles Return in a row of a table. At the end of a row, inserts an empty row with as many cells. In an empty
    /// last row below others, leaves the table. At the start of a table with which the text begins, inserts body text
    /// above it. Elsewhere, inserts a line break into the cell or, in a view without line separators, goes to the same
    /// column of the next row, which is added if there is none. Over a selection in several cells, inserts the line
    /// break in the first of them, or only deletes the selection. Nil if new text would not be in a row.
    func insertingNewlineInRow() -> Transaction? {
        guard styledText.runs != nil, options.isEditable, !options.isSingleLine, markedText == nil,
            let selection, selection.count == 1
        else { return nil }
        let range = selection.primary.range
        let place = styledText.replacedParts(of: range, inserting: true).place
        let row = text.paragraphIndex(at: place.lowerBound).value
        guard isRow(row),
            let intent = styledText.attributes(at: text.utf16Range(of: ParagraphIndex(row)).lowerBound)[
                PresentationIntentAttribute.self]
        else { return nil }
        let table = rows(around: row, of: intent)
        let cells = cells(ofRow: row)
        if range.isEmpty {
            if range.lowerBound == 0, row == table.lowerBound, let body = insertingBodyAboveTable() { return body }
            let isLast = row + 1 == table.upperBound
            if isLast, row > table.lowerBound, cells.allSatisfy(\.isEmpty) { return makingBody(ofRow: row, .newline) }
            if range.lowerBound == cells.last?.upperBound { return insertingRow(at: row + 1, in: table, cells.count) }
        }
        if options.insertsLineSeparators { return inserting("\u{2028}", origin: .newline) }
        if place != range || text.paragraphIndex(at: range.upperBound).value > row {
            return editing(origin: .deletion, undo: .deleting) { ($0.range, "") }
        }
        guard row + 1 < table.upperBound else { return insertingRow(at: row + 1, in: table, cells.count) }
        let column = cells.firstIndex { $0.lowerBound <= range.lowerBound && range.lowerBound <= $0.upperBound } ?? 0
        let below = self.cells(ofRow: row + 1)
        return selecting(Selection(caret: below[min(column, below.count - 1)].lowerBound))
    }

    /// Inserts an empty paragraph outside of the table with which the text begins. Nil if that table is in a list
    /// item, in which the new paragraph would have to take over the marker.
    private func insertingBodyAboveTable() -> Transaction? {
        guard styledText.attributes(at: 0)[ListAttribute.self] == nil else { return nil }
        let start = textRange.lowerBound..<textRange.lowerBound
        var result = transaction(
            TextChangeSet(replacing: start, with: Rope(newline), in: text), origin: .styling, undo: .step,
            selection: .set(Selection(caret: 0)))
        var attributes = TextAttributes()
        attributes[PresentationIntentAttribute.self] = outerIntent(ofRow: 0)
        var restyling = Restyling()
        restyling.set(attributes, in: 0..<UTF16Offset(newline.utf16.count))
        result.restyling = restyling
        return result
    }

    /// Makes a row an empty paragraph outside of its table.
    func makingBody(ofRow paragraph: Int, _ origin: Origin) -> Transaction {
        let content = text.utf16ContentRange(of: ParagraphIndex(paragraph))
        let outer = outerIntent(ofRow: paragraph)
        var result = transaction(
            TextChangeSet(replacing: content, with: "", in: text), origin: origin, undo: .step,
            selection: .set(Selection(caret: content.lowerBound)))
        // Clear the chosen styles and the intent of the row: text typed next must not be in a row again.
        result.typing = AttributeOverrides()
        result.typing?.set(outer, of: PresentationIntentAttribute.self)
        if content.upperBound < textRange.upperBound {
            var restyling = Restyling()
            restyling.set(
                outer, of: PresentationIntentAttribute.self, in: content.lowerBound..<content.lowerBound + 1)
            result.restyling = restyling
        }
        return result
    }
}
