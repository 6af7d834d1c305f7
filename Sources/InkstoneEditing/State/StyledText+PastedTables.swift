import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Tables that are pasted beside other tables.
extension StyledText {
    /// The maximum number of rows of a table in which a pasted row is searched.
    private static let mostRows = 20_000

    /// Returns a text that is pasted in place of a range, with new identities for the tables in it that must stay tables
    /// of their own. Rows of a table are recognized by the table's identity, which a copy has in common with its original,
    /// and by chance with a table of another document: the two would become one table, also later, when the paragraphs
    /// between them are deleted.
    ///
    /// Rows without a header directly below their table become rows of that table again. So do rows directly above it,
    /// unless they are still in the table too, which they are if they were copied and not cut.
    func separatingTables(of new: StyledText, at range: Range<UTF16Offset>) -> StyledText {
        guard new.runs != nil, new.rope.metrics.newlines > 0 || new.row(0) != nil else { return new }
        let (first, last) = (rope.paragraphIndex(at: range.lowerBound), rope.paragraphIndex(at: range.upperBound))
        let end = new.rope.paragraphCount - (new.endsLine ? 2 : 1)
        var tables = Set((0...end).compactMap { new.row($0)?.table })
        if let row = new.row(0), !row.isHeader, range.lowerBound == rope.utf16ContentRange(of: first).lowerBound,
            self.row(first.value - 1)?.table == row.table
        {
            tables.remove(row.table)
        }
        let endsParagraph = range.upperBound == rope.utf16ContentRange(of: last).upperBound
        let below = last.value + (endsParagraph && row(last.value) == nil ? 1 : 0)
        if let table = new.row(end)?.table, row(below)?.table == table {
            let start = (0...end).reversed().prefix { new.row($0)?.table == table }.last ?? end
            let copied = new.row(start)?.components.first?.identity
            var isCopied = false
            for paragraph in below..<below + Self.mostRows {
                guard let row = row(paragraph), row.table == table else { break }
                guard row.components.first?.identity == copied else { continue }
                isCopied = true
                break
            }
            if !isCopied { tables.remove(table) }
        }
        return tables.isEmpty ? new : new.withNewIdentities(of: tables)
    }

    /// Returns the text with a new identity for each of these tables.
    func withNewIdentities(of tables: Set<Int>) -> StyledText {
        let identities = Dictionary(uniqueKeysWithValues: tables.map { ($0, PresentationIntent.newIdentity) })
        return changingRows { components in
            if let identity = identities[components[1].identity] { components[1].identity = identity }
        }
    }
}
