import InkstoneBase

/// An applied transaction: its changes, with the text before and after.
public struct AppliedTransaction: Sendable {
    /// The transaction as it was applied. If the text was edited after the transaction was made, this is the
    /// rebased transaction. Its changes apply to the text of version ``before``.
    public let transaction: Transaction
    /// The version of the new text: the one after ``before``, or ``before`` itself if no text or attribute changed.
    public let after: TextVersion
    /// The new text. The store's text may be a later one, if an observer has edited the text since.
    public let text: Rope
    /// The new text's attribute runs; nil if it has none.
    public let runs: AttributeRuns?

    /// The replacements of text and the changes of attributes.
    public var changes: TextChangeSet { transaction.changes }
    /// The source of the change.
    public var origin: Origin { transaction.origin }
    /// The version of the old text.
    public var before: TextVersion { transaction.version }
    /// The view that made the transaction; nil if no view did.
    public var view: ViewID? { transaction.view }
    /// The selection in ``view`` after the transaction.
    public var selection: SelectionAfter { transaction.selection }

    /// The new text with its attributes.
    public var styledText: StyledText { StyledText(unchecked: text, runs) }

    /// The old text with its attributes. O(k log n) for k sections.
    public var styledTextBefore: StyledText {
        var text = styledText
        if changes.patch != nil { text.apply(changes.inverted) } else { text.rope = textBefore }
        return text
    }

    /// Creates an applied transaction.
    ///
    /// - Parameters:
    ///   - changes: the applied changes: the transaction's own, or rebased ones.
    ///   - text: the new text.
    ///   - before: the version of the old text.
    package init(
        _ transaction: consuming Transaction, as changes: TextChangeSet, to text: StyledText, from before: TextVersion,
        after: TextVersion
    ) {
        transaction.changes = changes
        transaction.version = before
        self.transaction = transaction
        self.after = after
        self.text = text.rope
        runs = text.runs
    }

    /// The old text. O(k log n) for k sections.
    public var textBefore: Rope {
        var text = text
        text.apply(changes.inverted)
        return text
    }

    /// The range of the new text from the first section that was replaced or restyled to the last, in UTF-16 units.
    /// If there are no such sections, an empty range at the start.
    package var changedRange: Range<UTF16Offset> {
        let (replaced, restyled) = (coveringRanges.new, changes.restyledRanges)
        guard let first = restyled.first, let last = restyled.last else { return replaced }
        guard !changes.changeMap.isEmpty else { return first.lowerBound..<last.upperBound }
        return min(replaced.lowerBound, first.lowerBound)..<max(replaced.upperBound, last.upperBound)
    }

    /// The ranges from the first section to the last, in UTF-16 units of the old and of the new text; without
    /// sections, empty ranges at the start. O(1).
    public var coveringRanges: (old: Range<UTF16Offset>, new: Range<UTF16Offset>) {
        let map = changes.changeMap
        guard let first = map.first, let last = map.last else { return (0..<0, 0..<0) }
        return (
            UTF16Offset(first.oldStart.utf16)..<UTF16Offset(last.oldEnd.utf16),
            UTF16Offset(first.newStart.utf16)..<UTF16Offset(last.newEnd.utf16)
        )
    }
}
