import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The headers of tables after edits: the first row of each table is its header, and no other row is.
extension EditorState {
    /// The maximum number of paragraphs that are examined after each replacement of an edit. Headers farther down
    /// stay as they are.
    private static let mostRows = 20_000

    /// Changes a transaction by the user that would leave a table without a header, or with a header that is not its
    /// first row, for example by deleting, moving or inserting rows. Markdown has no such tables: without this, the
    /// table would be shown in another way than it is saved. Only in a view that makes blocks as Markdown does.
    func keepHeaders(_ transaction: inout Transaction) {
        guard options.makesBlocks, transaction.origin.isUser, !transaction.changes.isEmpty,
            ![.history, .load].contains(where: transaction.origin.isWithin)
        else { return }
        let insertsStyles = transaction.changes.hasStyles || transaction.restyling != nil
        guard insertsStyles || styledText.runs != nil else { return }
        let sections = transaction.changes.changeMap.filter { section in
            section.removed.newlines + section.inserted.newlines > 0
                && (insertsStyles || isBesideRow(section.oldRange))
        }
        guard !sections.isEmpty else { return }
        var resolved = transaction
        resolved.resolve(in: styledText)
        var after = styledText
        after.apply(resolved.changes)
        var restyling = Restyling()
        var done = 0
        for section in sections {
            let first = max(done, after.rope.paragraphIndex(at: section.newRange.lowerBound).value - 1)
            let last = after.rope.paragraphIndex(at: section.newRange.upperBound).value + 1
            guard first <= last else { continue }
            for paragraph in first...min(last, first + Self.mostRows) {
                guard let row = after.row(paragraph) else { continue }
                let above = after.row(paragraph - 1)
                let isFirst = above?.table != row.table
                guard row.isHeader != isFirst else { continue }
                var components = row.components
                let number = if case .tableRow(let above)? = above?.components.first?.kind { above + 1 } else { 1 }
                components[0].kind = isFirst ? .tableHeaderRow : .tableRow(rowIndex: number)
                restyling.set(
                    PresentationIntent(components: components), of: PresentationIntentAttribute.self,
                    in: after.rope.utf16Range(of: ParagraphIndex(paragraph)))
            }
            done = last + 1
        }
        guard !restyling.isEmpty else { return }
        let changes = after.apply(TextChangeSet(none: after.rope), restyling: restyling)
        resolved.changes = resolved.changes.composed(with: changes)
        transaction = resolved
    }

    private func isBesideRow(_ range: Range<UTF16Offset>) -> Bool {
        let (first, last) = (text.paragraphIndex(at: range.lowerBound), text.paragraphIndex(at: range.upperBound))
        return [first.value - 1, first.value, last.value, last.value + 1].contains(where: isRow)
    }
}

extension StyledText {
    /// Returns the blocks of a paragraph that is a row of a table, the innermost first, and the table's identity. Nil
    /// for other paragraphs.
    func row(
        _ paragraph: Int
    ) -> (components: [PresentationIntent.IntentType], table: Int, isHeader: Bool)? {
        guard runs != nil, paragraph >= 0, paragraph < rope.paragraphCount else { return nil }
        let range = rope.utf16Range(of: ParagraphIndex(paragraph))
        guard !range.isEmpty,
            let components = attributes(at: range.lowerBound)[PresentationIntentAttribute.self]?.components,
            components.count > 1, case .table = components[1].kind
        else { return nil }
        switch components[0].kind {
        case .tableHeaderRow: return (components, components[1].identity, true)
        case .tableRow: return (components, components[1].identity, false)
        default: return nil
        }
    }
}
