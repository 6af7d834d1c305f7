import InkstoneBase

/// A transaction that was made: what changed, with the text before and after.
public struct AppliedTransaction: Sendable {
    /// What was replaced: as it was made, so perhaps moved along from what was asked for.
    public let changes: TextChangeSet
    /// Where it came from.
    public let origin: Origin
    /// The version of the old text.
    public let before: TextVersion
    /// The version of the new text: the next one. The same as ``before`` if nothing was replaced.
    public let after: TextVersion
    /// The new text. The store's may be a later one, if an observer has edited since.
    public let text: Rope
    /// The runs of its attributes; nil if it has none.
    public let runs: AttributeRuns?
    /// The view that made it.
    public let view: ViewID?
    /// What is selected afterwards in that view.
    public let selection: SelectionAfter
    /// What is being composed afterwards in that view.
    public let composition: CompositionAfter
    /// What the user has chosen to type with in that view; nil for nothing.
    public let typing: AttributeOverrides?
    /// Whether that view's input system made it.
    public let isFromInputSystem: Bool
    /// Whether that view brings the caret into sight.
    public let reveal: Bool

    /// The new text with its attributes.
    public var styledText: StyledText { StyledText(unchecked: text, runs) }

    /// The old text with its attributes. O(k log n) for k sections.
    public var styledTextBefore: StyledText {
        var text = styledText
        if changes.patch != nil { text.apply(changes.inverted) } else { text.rope = textBefore }
        return text
    }

    /// What a transaction became.
    ///
    /// - Parameters:
    ///   - changes: what was replaced: the transaction's, or those moved along.
    ///   - text: the new text.
    ///   - before: the version of the old text.
    package init(
        _ transaction: Transaction, as changes: TextChangeSet, to text: StyledText, from before: TextVersion,
        after: TextVersion
    ) {
        self.changes = changes
        origin = transaction.origin
        self.before = before
        self.after = after
        self.text = text.rope
        runs = text.runs
        view = transaction.view
        selection = transaction.selection
        composition = transaction.composition
        typing = transaction.typing
        isFromInputSystem = transaction.isFromInputSystem
        reveal = transaction.reveal
    }

    /// The old text. O(k log n) for k sections.
    public var textBefore: Rope {
        var text = text
        text.apply(changes.inverted)
        return text
    }

    /// The sections as edits, one after the other: each counts in a text in which those before it are made already.
    public var edits: [TextEdit] {
        changes.changeMap.enumerated().map { index, section in
            TextEdit(
                at: section.newStart, removed: changes.removedText(index), inserted: changes.insertedText(index))
        }
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

    /// One edit that replaces all from the first section to the last, with the text between them; for no section, nothing at
    /// the start of the text. O(log n), with ``textBefore`` if there are several sections.
    public var coveringEdit: TextEdit {
        let map = changes.changeMap
        guard let first = map.first, let last = map.last else {
            return TextEdit(at: .zero, removed: Rope(), inserted: Rope())
        }
        if map.count == 1 {
            return TextEdit(
                at: first.oldStart, removed: changes.removedText(0), inserted: changes.insertedText(0))
        }
        let start = ByteOffset(first.oldStart.bytes)
        return TextEdit(
            at: first.oldStart, removed: textBefore.slice(start..<ByteOffset(last.oldEnd.bytes)),
            inserted: text.slice(start..<ByteOffset(last.newEnd.bytes)))
    }
}
