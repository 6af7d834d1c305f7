import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Texts that are pasted into the rows of tables.
extension StyledText {
    /// The length of the longest text that is fitted into a row, in UTF-16 units. Longer texts are inserted unchanged.
    private static let longestInRow = 1 << 20

    /// Returns the form in which a text is pasted in place of a range, and the range that it replaces. Outside of
    /// tables, see ``separatingBlocks(of:at:isStyled:)``. In a row of a table:
    ///
    /// - Whole styled rows become rows of the table: above the caret's row if the caret is at the row's start, and else
    ///   below that row. At the start of an empty row, they take its place.
    /// - Cells take the place of the empty cells after the caret.
    /// - Lines with tabs and without styles, as a spreadsheet copies them, are inserted unchanged. Each line after the
    ///   first begins a row.
    /// - Other paragraphs become a part of the cell, with line breaks between them. At the start of a table, styled
    ///   paragraphs are inserted above it.
    func fittingRow(
        _ new: StyledText, _ range: Range<UTF16Offset>, isStyled: Bool
    ) -> (range: Range<UTF16Offset>, text: StyledText) {
        let index = rope.paragraphIndex(at: range.lowerBound)
        guard runs != nil, !new.rope.isEmpty, new.rope.metrics.utf16 <= Self.longestInRow,
            rope.paragraphIndex(at: range.upperBound) == index, let row = row(index.value)
        else {
            let text = isStyled ? separatingTables(of: new, at: range) : new
            return (range, separatingBlocks(of: text, at: range, isStyled: isStyled))
        }
        let content = rope.utf16ContentRange(of: index)
        let isEmptyRow = rope.utf16(in: content).allSatisfy { $0 == 0x09 }
        guard new.rope.metrics.newlines > 0 else {
            return fillingCells(range, content, new, row.components[1]) ?? (range, new.withoutTabs)
        }
        var lines = new.lines
        let isAtStart = range.isEmpty && range.lowerBound == content.lowerBound
        let isFirst = self.row(index.value - 1)?.table != row.table
        let rows = new.rowCount
        if isStyled, isAtStart {
            if rows == lines.count {
                let isOwnTable = isFirst && !isEmptyRow && new.row(0)?.isHeader == true
                let text = isOwnTable ? separatingTables(of: new, at: range) : new.withRows(in: row.components[1])
                return isEmptyRow ? (content, text.withoutLastLineEnd) : (range, text.endingLine)
            }
            if isFirst, rows == 0 { return (range, new.endingLine) }
        }
        if isStyled, range.isEmpty, rows == lines.count {
            let text = new.withRows(in: row.components[1])
            let next = rope.utf16Range(of: index).upperBound
            if next > content.upperBound { return (next..<next, text.endingLine) }
            var below = StyledText(text.firstLineEnd)
            below.append(text.withoutLastLineEnd)
            return (next..<next, below)
        }
        if !isStyled, lines.contains(where: { $0.rope.hasTab }) {
            // Lines with tabs are rows of cells, as a spreadsheet copies them. Insert them as they are: they inherit
            // the style of the row.
            let last = lines.removeLast()
            let filled = fillingCells(range, content, last, row.components[1])?.range ?? range
            return (filled, new.withoutLastLineEnd)
        }
        var text = StyledText()
        for (index, line) in lines.enumerated() {
            if index > 0 { text.append(StyledText("\u{2028}")) }
            // Replace tabs by spaces: a tab would begin another cell.
            text.append(line.withoutTabs)
        }
        return (range, text)
    }

    /// Returns the replacements that paste a text over a range. The range is divided as for any other edit: see
    /// ``replacedParts(of:inserting:)``. As many paragraphs as the range has rows are pasted into these rows, rows take
    /// the place of whole rows, and several paragraphs that of a whole table. The text gets the form of
    /// ``fittingRow(_:_:isStyled:)``.
    func fittingCells(
        _ new: StyledText, _ range: Range<UTF16Offset>, isStyled: Bool
    ) -> [(range: Range<UTF16Offset>, text: StyledText)] {
        let first = rope.paragraphIndex(at: range.lowerBound).value
        let isWholeRows = isWholeRows(range)
        let last = rope.paragraphIndex(at: range.upperBound).value - (isWholeRows ? 1 : 0)
        let cells = cells(in: range)
        if cells != nil || isWholeRows, !new.rope.isEmpty, new.rope.metrics.utf16 <= Self.longestInRow {
            let lines = new.withoutLastLineEnd.lines
            let areRows = isStyled ? new.rowCount == lines.count : lines.contains { $0.rope.hasTab }
            if isWholeRows, areRows, lines.count != last - first + 1, let row = row(first) {
                // The line end of the last row stays.
                let rows = range.lowerBound..<rope.utf16ContentRange(of: ParagraphIndex(last)).upperBound
                let text = new.withoutLastLineEnd
                return [(rows, isStyled ? text.withRows(in: row.components[1]) : text)]
            }
            if lines.count == last - first + 1 {
                return zip(first...last, lines).flatMap { paragraph, line in
                    let content = rope.utf16ContentRange(of: ParagraphIndex(paragraph))
                    let part = range.clamped(to: content)
                    guard line.rope.hasTab else {
                        let parts = replacedParts(of: part, inserting: true)
                        return replacing(parts, parts.place, line)
                    }
                    var line = line
                    for _ in 0..<max(0, rope.tabs(in: part) - line.rope.tabs(in: line.rope.utf16Range)) {
                        line.append(StyledText("\t"))
                    }
                    if let row = row(paragraph), let filled = fillingCells(part, content, line, row.components[1]) {
                        return [filled]
                    }
                    let parts = replacedParts(of: part, inserting: true)
                    return replacing(parts, parts.place, line.withoutTabs)
                }
            }
        }
        let isWholeTable =
            cells == nil && !isWholeRows && first < last && row(first) != nil && row(first)?.table == row(last)?.table
        if isWholeTable, new.rope.metrics.newlines > 0 { return [fittingRow(new, range, isStyled: isStyled)] }
        let parts = replacedParts(of: range, inserting: !new.rope.isEmpty)
        let fitted = fittingRow(new, parts.place, isStyled: isStyled)
        let isApart = parts.emptied.allSatisfy {
            $0.upperBound <= fitted.range.lowerBound || fitted.range.upperBound <= $0.lowerBound
        }
        return isApart ? replacing(parts, fitted.range, fitted.text) : replacing(parts, parts.place, new)
    }

    /// Returns the replacements that put a text in place of a range, and empty the other parts.
    private func replacing(
        _ parts: ReplacedParts, _ place: Range<UTF16Offset>, _ new: StyledText
    ) -> [(range: Range<UTF16Offset>, text: StyledText)] {
        [(place, new)] + parts.emptied.map { ($0, StyledText()) }
    }

    /// Returns the content of the table cell at an offset, without the borders beside it. Nil outside of the rows of
    /// tables. O(n) for a row of n UTF-16 units.
    func cell(at offset: UTF16Offset) -> Range<UTF16Offset>? {
        guard runs != nil else { return nil }
        let paragraph = rope.paragraphIndex(at: offset)
        let start = rope.utf16Range(of: paragraph).lowerBound
        let content = rope.utf16ContentRange(of: paragraph)
        guard start < rope.utf16Range(of: paragraph).upperBound,
            attributes(at: start)[PresentationIntentAttribute.self]?.isRow == true
        else { return nil }
        let units = rope.utf16(in: content)
        let place = min(offset, content.upperBound) - content.lowerBound
        let low = units[..<place].lastIndex(of: 0x09).map { content.lowerBound + $0 + 1 } ?? content.lowerBound
        let high = units[place...].firstIndex(of: 0x09).map { content.lowerBound + $0 } ?? content.upperBound
        return low..<max(low, high)
    }

    /// Whether a text is inserted at the start of a paragraph, before some or all of its text, and keeps the style of its
    /// first paragraph there: it consists of whole paragraphs, or its first one is another block than that paragraph.
    func insertsParagraphs(_ new: StyledText, at range: Range<UTF16Offset>) -> Bool {
        guard new.rope.metrics.newlines > 0 else { return false }
        guard new.endsLine ? range.isEmpty || new.startsWithBlock : startsWithOtherBlock(new, range.lowerBound) else {
            return false
        }
        let content = rope.utf16ContentRange(of: rope.paragraphIndex(at: range.lowerBound))
        return range.lowerBound == content.lowerBound && range.upperBound < content.upperBound
    }

    /// Returns the paste of cells in place of a range in a row: the range is extended over the empty cells after it, at
    /// most as many as the pasted text has more tabs. If text follows the range in its cell, it is not extended. Nil if
    /// cells with text would move to other columns, or out of the table.
    private func fillingCells(
        _ range: Range<UTF16Offset>, _ content: Range<UTF16Offset>, _ new: StyledText,
        _ table: PresentationIntent.IntentType
    ) -> (range: Range<UTF16Offset>, text: StyledText)? {
        let tabs = max(0, new.rope.tabs(in: new.rope.utf16Range) - rope.tabs(in: range))
        let rest = rope.utf16(in: range.upperBound..<max(range.upperBound, content.upperBound))
        let empty = rest.prefix { $0 == 0x09 }.count
        // If text follows the tabs, the last tab does not end an empty cell.
        let cells = empty == rest.count ? empty : max(0, empty - 1)
        var most = cells
        if case .table(let columns) = table.kind, empty == rest.count {
            // A row may have fewer cells than the table has columns.
            most += max(0, columns.count - 1 - rope.tabs(in: content))
        }
        guard tabs <= most else { return nil }
        return (range.lowerBound..<range.upperBound + min(tabs, cells), new)
    }

    /// The number of paragraphs that are rows. An empty last paragraph does not count.
    private var rowCount: Int { (0..<rope.paragraphCount).count { row($0) != nil } }

    /// Returns the text with its rows made rows of another table.
    private func withRows(in table: PresentationIntent.IntentType) -> StyledText {
        changingRows {
            $0[1] = table
            $0[0].kind = .tableRow(rowIndex: 1)
        }
    }

    /// Returns the text with the intents of its rows changed. The first component of an intent is the row, the second one
    /// its table.
    func changingRows(_ change: (inout [PresentationIntent.IntentType]) -> Void) -> StyledText {
        var restyling = Restyling()
        for paragraph in 0..<rope.paragraphCount {
            guard let old = row(paragraph)?.components else { continue }
            var components = old
            change(&components)
            guard components != old else { continue }
            restyling.set(
                PresentationIntent(components: components), of: PresentationIntentAttribute.self,
                in: rope.utf16Range(of: ParagraphIndex(paragraph)))
        }
        var result = self
        result.apply(TextChangeSet(none: rope), restyling: restyling)
        return result
    }

    /// The line end of the first paragraph; empty if the text is one paragraph without a line end.
    var firstLineEnd: Rope {
        let end = rope.utf16ContentRange(of: ParagraphIndex(0)).upperBound
        return slice(end..<rope.utf16Range(of: ParagraphIndex(0)).upperBound).rope
    }

    /// The text without the line end after its last paragraph, if it has one.
    var withoutLastLineEnd: StyledText {
        guard endsLine else { return self }
        return slice(0..<rope.utf16ContentRange(of: ParagraphIndex(rope.metrics.newlines - 1)).upperBound)
    }

    /// The text with a space in place of each tab.
    var withoutTabs: StyledText {
        guard rope.hasTab else { return self }
        var result = StyledText()
        var start = UTF16Offset(0)
        for (index, unit) in rope.utf16(in: rope.utf16Range).enumerated() where unit == 0x09 {
            result.append(slice(start..<UTF16Offset(index)))
            result.append(StyledText(" "))
            start = UTF16Offset(index + 1)
        }
        result.append(slice(start..<rope.utf16Range.upperBound))
        return result
    }

    /// The text with a line end after its last paragraph, which has the attributes of that paragraph.
    var endingLine: StyledText {
        guard !endsLine else { return self }
        var result = self
        let end = rope.utf16Range.upperBound
        let last = rope.utf16Range(of: rope.paragraphIndex(at: end)).lowerBound
        // The text has several paragraphs, so the first one has a line end.
        result.append(StyledText(firstLineEnd))
        guard last < end else { return result }
        var restyling = Restyling()
        restyling.set(attributes(at: last), in: end..<result.rope.utf16Range.upperBound)
        result.apply(TextChangeSet(none: result.rope), restyling: restyling)
        return result
    }
}

extension Rope {
    fileprivate var hasTab: Bool { utf16(in: utf16Range).contains(0x09) }

    fileprivate func tabs(in range: Range<UTF16Offset>) -> Int { utf16(in: range).count { $0 == 0x09 } }
}
