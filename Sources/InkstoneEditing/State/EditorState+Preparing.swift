public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// What becomes of a transaction that a view or a field would make: where its way through filters and delegate has led.
public enum PreparedTransaction: Sendable {
    /// It edits: the store makes it.
    case apply(Transaction)
    /// It only selects, or says what is composed: the state takes it in, and others hear nothing of it.
    case adopt(Transaction)
    /// It waits until the composition that goes on is over.
    case wait
    /// It is not made.
    case refuse

    /// Has it made by a store, or taken in. Returns what the store made; nil for nothing.
    ///
    /// - Parameter adopt: takes in a transaction that the store does not tell of, as ``EditorState/adopt(_:)`` does.
    @discardableResult
    package func perform(in store: TextStore, adopting adopt: (Transaction) -> Void) -> AppliedTransaction? {
        switch self {
        case .apply(let transaction):
            let applied = store.apply(transaction)
            // Attributes that the text has already make no new version, so no follower hears of it. What it selects, and the
            // composition that it ends, holds all the same.
            if transaction.changes.isEmpty, let applied, applied.before == applied.after {
                store.current(transaction).map(adopt)
            }
            return applied
        case .adopt(let transaction):
            // A delegate that was asked about it may have edited.
            store.current(transaction).map(adopt)
            return nil
        case .wait, .refuse: return nil
        }
    }
}

extension EditorState {
    /// Sends a transaction of this view through all that may refuse or change it, in order: the filters, a delegate, and the end of the
    /// composition. All who edit go this way: views, fields, and tests that need neither.
    ///
    /// - Parameter isAllowed: asked as ``approved(_:by:)`` says; nil for nobody. It may edit, so that the state it is asked about is a
    ///   copy, if it belongs to an object.
    public func prepared(
        _ transaction: consuming Transaction, asking isAllowed: ((Range<UTF16Offset>, String) -> Bool)? = nil
    ) -> PreparedTransaction {
        let transaction = transaction
        guard transaction.edits else { return .adopt(transaction) }
        switch filtered(transaction) {
        case .refuse: return .refuse
        case .defer: return .wait
        case .accept(let accepted):
            guard let isAllowed, options.isEditable else { return finished(accepted) }
            return approved(accepted, by: isAllowed).map { finished($0) } ?? .refuse
        }
    }

    /// The outcome for a transaction that has passed all filters, or is not asked about: composed text that is to stay is not replaced
    /// by itself.
    func finished(_ transaction: consuming Transaction) -> PreparedTransaction {
        var transaction = transaction
        if ends(transaction) {
            let map = transaction.changes.changeMap
            let isKept = map.indices.map {
                transaction.changes.removedText($0) == transaction.changes.insertedText($0)
            }
            if isKept.contains(true) {
                var builder = TextChangeSet.Builder(over: text)
                for (index, section) in map.enumerated() where !isKept[index] {
                    builder.replace(section.oldRange, with: transaction.changes.insertedText(index))
                }
                transaction.changes = builder.finish()
            }
        }
        return transaction.edits ? .apply(transaction) : .adopt(transaction)
    }

    /// The edit that waited until now. No filter is asked again: others that wait would make it wait on.
    package func released(_ edit: DeferredEdit) -> PreparedTransaction { finished(programEdit(edit)) }
}
