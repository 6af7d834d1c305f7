public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// The decision of a filter, or of all filters together, about a transaction.
public enum FilterVerdict: Sendable {
    /// The transaction may be made, with the changes of the filters.
    case accept
    /// The transaction has to wait for the end of the composition, if it is an edit by the program. If it is an
    /// edit by the user, the composition ends immediately, and its text is kept. So edits by the user are neither
    /// lost nor made out of order.
    ///
    /// For transactions of the composition itself, and without a composition, this is the same as
    /// ``FilterVerdict/accept``.
    case wait
    /// The transaction must not be made.
    case refuse
}

extension TextStore {
    /// Makes a transaction that all filters have accepted. Returns the applied transaction. If the transaction sets
    /// neither text nor attributes, only calls `adopt`, and returns nil.
    ///
    /// - Parameter adopt: adopts a transaction of which followers are not notified, as `EditorState.adopt(_:)`
    ///   does.
    @discardableResult
    package func make(_ transaction: Transaction, adopting adopt: (Transaction) -> Void) -> AppliedTransaction? {
        guard transaction.edits else {
            // Map the transaction to the present version, because the delegate may have edited the text.
            current(transaction).map(adopt)
            return nil
        }
        let applied = apply(transaction)
        // A transaction may turn out to change nothing, if the text already has the attributes, or if others have
        // deleted the text. Then there is no new version, and followers are not notified. The transaction's selection,
        // its effects and the end of a composition still apply.
        if let applied, applied.before == applied.after { current(applied.transaction).map(adopt) }
        return applied
    }
}

extension EditorState {
    /// Applies everything that may refuse or change a transaction of this view, in this order: the filters, the
    /// delegate, the separation of text from rules and tables, the headers of tables, the joining of lists, the
    /// addresses of links, and the end of the composition. All edits go through this method, by views, by fields, and by
    /// tests that use neither.
    ///
    /// - Parameters:
    ///   - hasWaited: whether the transaction has waited already, and need not wait again.
    ///   - isWhole: whether to refuse the transaction if a filter or the delegate would change its sections.
    ///   - isAllowed: called as described in ``approve(_:by:)``; nil for no delegate. The delegate may edit, so if
    ///     an object owns the state, call this method on a copy.
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
        if case .accept = verdict {
            keepRulesApart(&transaction)
            keepTextBelowTable(&transaction)
            keepHeaders(&transaction)
            joinLists(&transaction)
            followAddresses(&transaction)
        }
        if case .accept = verdict { finish(&transaction) }
        return verdict
    }

    /// Changes a transaction that ends a composition: removes the sections that replace composed text by the same
    /// text. This text then keeps its attributes, except for the changes that the filters make to them.
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

    /// Returns the attributes that a transaction sets. The sections for which `isKept` is true are omitted from the
    /// changes, since their text does not change.
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
