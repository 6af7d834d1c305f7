import InkstoneBase

/// A transaction that was made: what changed, with the text before and after.
public struct AppliedTransaction: Sendable {
    /// The transaction as it was made, perhaps moved along from what was asked for: its changes are of ``before``.
    public let transaction: Transaction
    /// The version of the new text: the next one. The same as ``before`` if nothing was replaced.
    public let after: TextVersion
    /// The new text. The store's may be a later one, if an observer has edited since.
    public let text: Rope
    /// The runs of its attributes; nil if it has none.
    public let runs: AttributeRuns?

    /// The replaced text and attributes.
    public var changes: TextChangeSet { transaction.changes }
    /// The source of the change.
    public var origin: Origin { transaction.origin }
    /// The version of the old text.
    public var before: TextVersion { transaction.version }
    /// The view that made it.
    public var view: ViewID? { transaction.view }
    /// The selection afterwards in that view.
    public var selection: SelectionAfter { transaction.selection }

    /// The new text with its attributes.
    public var styledText: StyledText { StyledText(unchecked: text, runs) }

    /// The old text with its attributes. O(k log n) for k sections.
    public var styledTextBefore: StyledText {
        var text = styledText
        if changes.patch != nil { text.apply(changes.inverted) } else { text.rope = textBefore }
        return text
    }

    /// A transaction that was made.
    ///
    /// - Parameters:
    ///   - changes: what was replaced: the transaction's, or those moved along.
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

    /// All of the new text from the first place to the last that was replaced or has other attributes, in UTF-16 units; for neither, nothing
    /// at the start.
    package var changedRange: Range<UTF16Offset> {
        let (replaced, restyled) = (coveringRanges.new, changes.restyledRanges)
        guard let first = restyled.first, let last = restyled.last else { return replaced }
        guard !changes.changeMap.isEmpty else { return first.lowerBound..<last.upperBound }
        return min(replaced.lowerBound, first.lowerBound)..<max(replaced.upperBound, last.upperBound)
    }

    /// All from the first section to the last, in UTF-16 units of the old and of the new text; for no section, nothing at the start.
    /// O(1).
    public var coveringRanges: (old: Range<UTF16Offset>, new: Range<UTF16Offset>) {
        let map = changes.changeMap
        guard let first = map.first, let last = map.last else { return (0..<0, 0..<0) }
        return (
            UTF16Offset(first.oldStart.utf16)..<UTF16Offset(last.oldEnd.utf16),
            UTF16Offset(first.newStart.utf16)..<UTF16Offset(last.newEnd.utf16)
        )
    }
}
