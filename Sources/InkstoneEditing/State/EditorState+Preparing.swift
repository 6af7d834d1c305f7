public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// The answer of a filter, and of all filters together, to a transaction that a view or a field would make.
public enum FilterVerdict: Sendable {
    /// The transaction may be made as it is now, with what filters changed of it.
    case accept
    /// The transaction has to wait for the end of the composition: an edit by the program is made then, and for one by the user the
    /// composition ends at once, with its text kept, so that no edit of the user's is lost or overtaken.
    ///
    /// The same as ``FilterVerdict/accept`` for the steps of the composition itself, and where nothing is composed.
    case wait
    /// The transaction is not made.
    case refuse
}

extension TextStore {
    /// Makes a transaction that all filters have accepted, or has the state take it in. Returns what was made; nil for nothing.
    ///
    /// - Parameter adopt: takes in a transaction that no follower hears of, as ``EditorState/adopt(_:)`` does.
    @discardableResult
    package func make(_ transaction: Transaction, adopting adopt: (Transaction) -> Void) -> AppliedTransaction? {
        guard transaction.edits else {
            // A delegate that was asked about it may have edited.
            current(transaction).map(adopt)
            return nil
        }
        let applied = apply(transaction)
        // Attributes that the text has already, and a deletion of what others have deleted, make no new version, so no follower hears of
        // them. What they select, their effects and the composition that they end hold all the same.
        if let applied, applied.before == applied.after { current(applied.transaction).map(adopt) }
        return applied
    }
}

extension EditorState {
    /// Sends a transaction of this view through all that may refuse or change it, in order: the filters, a delegate, and the end of the
    /// composition. All who edit go this way: views, fields, and tests that need neither.
    ///
    /// - Parameters:
    ///   - hasWaited: whether it waits for nothing more.
    ///   - isWhole: whether it is refused where a filter would make a part of it, or a text of another length.
    ///   - isAllowed: asked as ``approve(_:by:)`` says; nil for nobody. It may edit, so that the state it is asked about is a copy, if it
    ///     belongs to an object.
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

    /// Leaves composed text that is to stay out of a transaction that has passed all filters: it is not replaced by itself, and keeps its
    /// attributes but for what filters have given and taken.
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

    /// The attributes that a transaction gives, where some of its sections are left out because their text is there already.
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
