public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// The verdict of a filter, or of all filters together, on a transaction of a view or a field.
public enum FilterVerdict: Sendable {
    /// The transaction may be made with the filters' changes.
    case accept
    /// The transaction has to wait for the end of the composition: an edit by the program is made then, and one by the user ends the composition at
    /// once, with its text kept, so that no edit by the user is lost or overtaken.
    ///
    /// Same as ``FilterVerdict/accept`` for the steps of the composition itself, and without a composition.
    case wait
    /// The transaction is not made.
    case refuse
}

extension TextStore {
    /// Makes a transaction that all filters have accepted, or has the state adopt it. Returns the applied transaction; nil for none.
    ///
    /// - Parameter adopt: adopts a transaction that followers are not notified of, as ``EditorState/adopt(_:)`` does.
    @discardableResult
    package func make(_ transaction: Transaction, adopting adopt: (Transaction) -> Void) -> AppliedTransaction? {
        guard transaction.edits else {
            // The delegate may have edited when it was called.
            current(transaction).map(adopt)
            return nil
        }
        let applied = apply(transaction)
        // Attributes that the text has already, and a deletion of text that others have deleted, make no new version, and followers are not
        // notified. Their selection, their effects and the end of a composition still apply.
        if let applied, applied.before == applied.after { current(applied.transaction).map(adopt) }
        return applied
    }
}

extension EditorState {
    /// Applies everything that may refuse or change a transaction of this view, in order: the filters, a delegate, and the end of the composition.
    /// All edits pass through here: those of views, of fields, and of tests that need neither.
    ///
    /// - Parameters:
    ///   - hasWaited: whether the transaction need not wait any more.
    ///   - isWhole: whether to refuse the transaction if a filter would change its sections.
    ///   - isAllowed: called as ``approve(_:by:)`` describes; nil for no delegate. It may edit, so call this on a copy of a state that belongs to
    ///     an object.
    public func prepare(
        _ transaction: inout Transaction, hasWaited: Bool = false, isWhole: Bool = false,
        asking isAllowed: ((Range<UTF16Offset>, String) -> Bool)? = nil
    ) -> FilterVerdict {
        guard transaction.edits else { return .accept }
        let wanted = isWhole ? transaction.changes.changeMap : nil
        var verdict = filter(&transaction, hasWaited: hasWaited)
        if case .accept = verdict, let isAllowed, options.isEditable {
            verdict = approve(&transaction, by: isAllowed)
        }
        if let wanted, transaction.changes.changeMap != wanted { return .refuse }
        if case .accept = verdict { finish(&transaction) }
        return verdict
    }

    /// Removes kept composed text from the changes of a transaction that has passed all filters: the text is not replaced by itself, and keeps its
    /// attributes but for the filters' changes.
    package func finish(_ transaction: inout Transaction) {
        guard ends(transaction) else { return }
        let changes = transaction.changes
        let isKept = (0..<changes.count).map { changes.removedText($0) == changes.insertedText($0) }
        guard isKept.contains(true) else { return }
        var builder = TextChangeSet.Builder(over: text)
        for (index, section) in changes.changeMap.enumerated() where !isKept[index] {
            builder.replace(section.oldRange, with: changes.insertedText(index))
        }
        let rest = builder.finish()
        if changes.hasStyles || transaction.restyling != nil {
            transaction.restyling = styles(of: transaction, keeping: isKept)
        }
        transaction.changes = rest
    }

    /// Returns the attributes that a transaction sets, where some of its sections are omitted because their text is there already.
    private func styles(of transaction: Transaction, keeping isKept: [Bool]) -> Restyling {
        var (given, plain) = (styledText, styledText)
        var result = Restyling()
        for range in given.apply(transaction).restyledRanges { result.set(given.slice(range).attributeRuns, in: range) }
        plain.apply(transaction.changes.withoutAttributes, overrides: transaction.typing ?? AttributeOverrides())
        for (section, isKept) in zip(transaction.changes.changeMap, isKept) where isKept {
            let range = section.newRange
            let (old, new) = (plain.slice(range).attributeRuns, given.slice(range).attributeRuns)
            result.set(styledText.slice(section.oldRange).attributeRuns.changed(as: old, to: new), in: range)
        }
        return result
    }
}
