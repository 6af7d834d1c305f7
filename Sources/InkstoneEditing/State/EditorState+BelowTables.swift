import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The empty last paragraph below a table with which a text ends. It has no characters that could hold attributes,
/// and text inserted in it would inherit the attributes of the row above it, but it is shown as body text.
extension EditorState {
    /// Whether an offset is in an empty last paragraph below a row of a table.
    func isBelowTable(_ offset: UTF16Offset) -> Bool {
        guard styledText.runs != nil, offset == textRange.upperBound else { return false }
        let last = text.paragraphCount - 1
        return text.utf16Range(of: ParagraphIndex(last)).isEmpty && isRow(last - 1)
    }

    /// Changes a transaction by the user that inserts text in the empty last paragraph below a table: the text does not
    /// become a row of that table, unless it has attributes of its own, as a pasted row has.
    func keepTextBelowTable(_ transaction: inout Transaction) {
        guard transaction.origin.isUser, !transaction.changes.isEmpty, isBelowTable(textRange.upperBound),
            ![.history, .load, .reordering].contains(where: transaction.origin.isWithin),
            let section = Array(transaction.changes.changeMap).last,
            section.oldRange.lowerBound == textRange.upperBound,
            transaction.origin.isWithin(.styling) || transaction.restyling == nil && !transaction.changes.hasStyles
        else { return }
        let above = text.paragraphCount - 2
        var after = styledText
        after.apply(transaction)
        let first = after.rope.paragraphIndex(at: section.newRange.lowerBound).value
        let last = after.rope.paragraphIndex(at: section.newRange.upperBound).value
        guard let table = styledText.row(above)?.table, after.row(first)?.table == table else { return }
        let end = after.rope.utf16Range(of: ParagraphIndex(last)).upperBound
        var restyling = transaction.restyling ?? Restyling()
        restyling.set(
            outerIntent(ofRow: above), of: PresentationIntentAttribute.self, in: section.newRange.lowerBound..<end)
        transaction.restyling = restyling
    }
}
