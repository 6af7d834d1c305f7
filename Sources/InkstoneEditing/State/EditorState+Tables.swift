import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The commands that insert tables and rules, and the keys in the rows of tables.
extension EditorState {
    /// Inserts a rule, in place of the paragraph of the primary range's head if that paragraph is empty, otherwise
    /// below it. The caret goes to the paragraph after the rule. Nil if editing is not allowed, without a
    /// selection, in a single-line view, and while text is marked. Also nil in a table or in code, which the rule
    /// would cut in two.
    package func insertingRule() -> Transaction? {
        guard options.isEditable, !options.isSingleLine, markedText == nil, let selection,
            !isLiteral(text.paragraphIndex(at: selection.primary.head).value)
        else { return nil }
        let content = contentOfParagraph(at: selection.primary.head)
        return insertingRule(replacing: content.isEmpty ? content : content.upperBound..<content.upperBound)
    }

    private func insertingRule(replacing range: Range<UTF16Offset>) -> Transaction {
        let isOwn = range == contentOfParagraph(at: range.lowerBound)
        return insertingBlocks(
            ["\u{2e3b}"], replacing: range, startsLine: isOwn, endsLine: true,
            intents: [PresentationIntent(.thematicBreak, identity: PresentationIntent.newIdentity)])
    }

    /// Inserts an empty table of two rows, in place of the paragraph of the primary range's head if that paragraph is
    /// empty, otherwise below it. The caret goes into the first cell. Nil if editing is not allowed, without a
    /// selection, in a single-line view, while text is marked, and in a table or in code.
    package func insertingTable(columns: Int = 2) -> Transaction? {
        guard options.isEditable, !options.isSingleLine, markedText == nil, let selection,
            !isLiteral(text.paragraphIndex(at: selection.primary.head).value)
        else { return nil }
        let content = contentOfParagraph(at: selection.primary.head)
        let table = PresentationIntent(
            .table(columns: Array(repeating: .init(), count: columns)), identity: PresentationIntent.newIdentity)
        let cells = String(repeating: "\t", count: columns - 1)
        return insertingBlocks(
            [cells, cells], replacing: content.isEmpty ? content : content.upperBound..<content.upperBound,
            startsLine: content.isEmpty, endsLine: false,
            intents: [
                PresentationIntent(.tableHeaderRow, identity: PresentationIntent.newIdentity, parent: table),
                PresentationIntent(.tableRow(rowIndex: 1), identity: PresentationIntent.newIdentity, parent: table),
            ])
    }

    /// Inserts paragraphs, each of them with its intent and without other attributes.
    ///
    /// - Parameters:
    ///   - startsLine: whether the range is at the start of a paragraph; otherwise the new paragraphs are inserted
    ///     after the range's paragraph.
    ///   - endsLine: whether the caret is placed in a paragraph of body text after the new ones; otherwise it is
    ///     placed in the first new one.
    private func insertingBlocks(
        _ lines: [String], replacing range: Range<UTF16Offset>, startsLine: Bool, endsLine: Bool,
        intents: [PresentationIntent]
    ) -> Transaction {
        let isLast = range.upperBound == textRange.upperBound
        let new =
            (startsLine ? "" : newline) + lines.joined(separator: newline)
            + (endsLine || isLast ? newline : "")
        let length = newline.utf16.count
        let start = startsLine ? range.lowerBound : range.lowerBound + length
        let end = range.lowerBound + new.utf16.count
        var result = transaction(
            TextChangeSet(replacing: range, with: Rope(new), in: text), origin: .styling, undo: .step,
            selection: .set(Selection(caret: endsLine ? end : start)))
        var restyling = Restyling()
        var at = start
        for (line, intent) in zip(lines, intents) {
            let next = at + line.utf16.count + length
            restyling.set(TextAttributes(PresentationIntentAttribute.self, intent), in: at..<next)
            at = next
        }
        if endsLine {
            if isLast {
                // After the last line end there is no character that could hold a style. Set the style for the text
                // typed next instead.
                result.typing = AttributeOverrides()
                result.typing?.set(nil, of: PresentationIntentAttribute.self)
            } else {
                restyling.set(TextAttributes(), in: end..<end + 1)
            }
        }
        result.restyling = restyling
        return result
    }

    // MARK: Keys in rows of tables

    /// Handles Tab and Shift+Tab in a row of a table: moves the caret to the start of the next or previous cell. Tab in
    /// the last cell of the table adds a row, and Shift+Tab in the first cell changes nothing. A selection in the table
    /// moves from its head, because a tab in its place would be another cell. Nil outside of tables, with several
    /// selected ranges, where editing is not allowed, in a single-line view, and while text is marked.
    func movingToCell(forward: Bool) -> Transaction? {
        guard let selection, selection.count == 1 else { return nil }
        var state = self
        state.selection = Selection(caret: selection.primary.head)
        guard let (paragraph, intent, _) = state.caretBlock, intent.isRow,
            selection.isCaret
                || [selection.primary.range.lowerBound, selection.primary.range.upperBound].allSatisfy({
                    isInBlock(of: intent, text.paragraphIndex(at: $0).value)
                })
        else { return nil }
        let content = text.utf16ContentRange(of: ParagraphIndex(paragraph))
        let caret = primary.head
        let row = text.utf16(in: content)
        let place = caret - content.lowerBound
        func select(_ offset: UTF16Offset) -> Transaction { selecting(Selection(caret: offset)) }
        func cells(in paragraph: Int) -> Range<UTF16Offset>? {
            isInBlock(of: intent, paragraph) ? text.utf16ContentRange(of: ParagraphIndex(paragraph)) : nil
        }
        if forward {
            if let tab = row[place...].firstIndex(of: 0x09) { return select(content.lowerBound + tab + 1) }
            if let next = cells(in: paragraph + 1) { return select(next.lowerBound) }
            let table = rows(around: paragraph, of: intent)
            return insertingRow(at: paragraph + 1, in: table, row.count { $0 == 0x09 } + 1)
        }
        if let tab = row[..<place].lastIndex(of: 0x09) {
            // The previous cell starts after the tab before this one, or at the start of the row.
            return select(content.lowerBound + (row[..<tab].lastIndex(of: 0x09).map { $0 + 1 } ?? 0))
        }
        guard let before = cells(in: paragraph - 1) else { return selecting(selection) }
        let last = text.utf16(in: before).lastIndex(of: 0x09).map { $0 + 1 } ?? 0
        return select(before.lowerBound + last)
    }

    /// Handles Backspace at the start of a table row. If the row has no text, deletes it or, if it is the table's only
    /// row, makes it body text. Otherwise the caret only moves to the end of the row above, because joining the two
    /// would give that row more cells. Nil elsewhere, and in the first row if that has text or rows below it.
    func leavingRowByBackspace() -> Transaction? {
        guard let (paragraph, intent, _) = caretBlock, intent.isRow else { return nil }
        let content = text.utf16ContentRange(of: ParagraphIndex(paragraph))
        guard primary.head == content.lowerBound else { return nil }
        let isEmpty = text.utf16(in: content).allSatisfy { $0 == 0x09 }
        guard isInBlock(of: intent, paragraph - 1) else {
            guard isEmpty, !isInBlock(of: intent, paragraph + 1) else { return nil }
            return makingBody(ofRow: paragraph, .deleteBackward)
        }
        let above = text.utf16ContentRange(of: ParagraphIndex(paragraph - 1)).upperBound
        guard isEmpty else { return selecting(Selection(caret: above)) }
        return transaction(
            TextChangeSet(replacing: above..<content.upperBound, with: "", in: text), origin: .deleteBackward,
            undo: .step, selection: .set(Selection(caret: above)))
    }

    /// Returns the text between a caret and another position, without borders of table cells: a deletion from a
    /// caret in a cell ends at the cell's border, and no paragraph with text is joined to a row.
    func keepingCells(from caret: UTF16Offset, to other: UTF16Offset) -> Range<UTF16Offset> {
        let range = min(caret, other)..<max(caret, other)
        guard styledText.runs != nil, !options.isSingleLine else { return range }
        if let cell = styledText.cell(at: caret) { return range.clamped(to: cell) }
        let content = contentOfParagraph(at: caret)
        guard range.lowerBound < content.lowerBound || range.upperBound > content.upperBound, !content.isEmpty,
            isRow(text.paragraphIndex(at: other).value)
        else { return range }
        return range.clamped(to: content)
    }

    func isRow(_ paragraph: Int) -> Bool {
        guard paragraph >= 0, paragraph < text.paragraphCount else { return false }
        let range = text.utf16Range(of: ParagraphIndex(paragraph))
        guard !range.isEmpty else { return false }
        return styledText.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]?.isRow == true
    }
}
