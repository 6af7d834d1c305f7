import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Texts that are pasted into the rows of tables.
extension StyledText {
    /// The largest text that is fitted into a row, in UTF-16 units. Larger ones are inserted as they are.
    private static let longestInRow = 1 << 20

    /// Returns the form in which a text is pasted in place of a range, and the range that it replaces. They change
    /// only if the range is in a row of a table:
    ///
    /// - Whole rows become rows of the table. In an empty row, they take its place.
    /// - Cells take the place of the empty cells after the caret.
    /// - Other paragraphs become a part of the cell, with line breaks between them. At the start of a table, styled
    ///   paragraphs are inserted above it.
    func fittingRow(
        _ new: StyledText, _ range: Range<UTF16Offset>, isStyled: Bool
    ) -> (range: Range<UTF16Offset>, text: StyledText) {
        let index = rope.paragraphIndex(at: range.lowerBound)
        guard runs != nil, !new.rope.isEmpty, new.rope.metrics.utf16 <= Self.longestInRow,
            rope.paragraphIndex(at: range.upperBound) == index, let row = row(index.value)
        else { return (range, new) }
        let content = rope.utf16ContentRange(of: index)
        let isEmptyRow = rope.utf16(in: content).allSatisfy { $0 == 0x09 }
        guard new.rope.metrics.newlines > 0 else { return (fillingCells(range, content, new), new) }
        var lines = new.lines
        let isAtStart = range.isEmpty && range.lowerBound == content.lowerBound
        let isFirst = self.row(index.value - 1)?.table != row.table
        let rows = new.rowCount
        if isStyled, isAtStart {
            if rows == lines.count {
                let isOwnTable = isFirst && !isEmptyRow && new.row(0)?.isHeader == true
                let text = isOwnTable ? new : new.withRows(in: row.components[1])
                return isEmptyRow ? (content, text.withoutLastLineEnd) : (range, text.endingLine)
            }
            if isFirst, rows == 0 { return (range, new.endingLine) }
        }
        if !isStyled, lines.contains(where: { $0.rope.hasTab }) {
            // Lines of cells that are separated by tabs, as a spreadsheet copies them. They inherit the style of the
            // row.
            let last = lines.removeLast()
            return (fillingCells(range, content, last), new.withoutLastLineEnd)
        }
        var text = lines[0]
        for line in lines.dropFirst() {
            text.append(StyledText("\u{2028}"))
            text.append(line)
        }
        return (range, text)
    }

    /// Whether a text consists of whole paragraphs and is inserted directly before a paragraph with text.
    func insertsParagraphs(_ new: StyledText, at range: Range<UTF16Offset>) -> Bool {
        guard range.isEmpty, new.endsLine else { return false }
        let content = rope.utf16ContentRange(of: rope.paragraphIndex(at: range.lowerBound))
        return range.lowerBound == content.lowerBound && !content.isEmpty
    }

    /// Returns the range extended over the empty cells after it, at most as many as the inserted text has tabs. If text
    /// follows the range in its cell, returns the range unchanged.
    private func fillingCells(
        _ range: Range<UTF16Offset>, _ content: Range<UTF16Offset>, _ new: StyledText
    ) -> Range<UTF16Offset> {
        let tabs = new.rope.utf16(in: new.rope.utf16Range).count { $0 == 0x09 }
        let rest = rope.utf16(in: range.upperBound..<max(range.upperBound, content.upperBound))
        let empty = rest.prefix { $0 == 0x09 }.count
        // If text follows the tabs, the last tab does not end an empty cell.
        let cells = empty == rest.count ? empty : max(0, empty - 1)
        return range.lowerBound..<range.upperBound + min(tabs, cells)
    }

    /// The number of paragraphs that are rows. An empty last paragraph does not count.
    private var rowCount: Int { (0..<rope.paragraphCount).count { row($0) != nil } }

    /// Returns the text with its rows made rows of another table.
    private func withRows(in table: PresentationIntent.IntentType) -> StyledText {
        var restyling = Restyling()
        for paragraph in 0..<rope.paragraphCount {
            guard var components = row(paragraph)?.components else { continue }
            components[1] = table
            components[0].kind = .tableRow(rowIndex: 1)
            restyling.set(
                PresentationIntent(components: components), of: PresentationIntentAttribute.self,
                in: rope.utf16Range(of: ParagraphIndex(paragraph)))
        }
        var result = self
        result.apply(TextChangeSet(none: rope), restyling: restyling)
        return result
    }

    private var withoutLastLineEnd: StyledText {
        guard endsLine else { return self }
        return slice(0..<rope.utf16ContentRange(of: ParagraphIndex(rope.metrics.newlines - 1)).upperBound)
    }

    /// The text with a line end after its last paragraph, which has the attributes of that paragraph.
    private var endingLine: StyledText {
        guard !endsLine else { return self }
        var result = self
        let end = rope.utf16Range.upperBound
        let last = rope.utf16Range(of: rope.paragraphIndex(at: end)).lowerBound
        // Append the same line end that the first paragraph has. The text has several paragraphs, so it has one.
        let first = rope.utf16ContentRange(of: ParagraphIndex(0)).upperBound
        result.append(StyledText(slice(first..<rope.utf16Range(of: ParagraphIndex(0)).upperBound).rope))
        guard last < end else { return result }
        var restyling = Restyling()
        restyling.set(attributes(at: last), in: end..<result.rope.utf16Range.upperBound)
        result.apply(TextChangeSet(none: result.rope), restyling: restyling)
        return result
    }
}

extension Rope {
    fileprivate var hasTab: Bool { utf16(in: utf16Range).contains(0x09) }
}
