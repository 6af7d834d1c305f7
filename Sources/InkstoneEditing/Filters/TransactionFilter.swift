public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// A rule for the transactions of a view, which is a value in its ``EditorState``. Programs can add rules of their
/// own.
///
/// A filter changes a transaction, refuses it or lets it wait. It removes text by `Transaction.rewrite(in:_:)`,
/// which maps the selection to the rest of the text, and changes attributes by `Transaction.restyling`. Applying it
/// twice must give the same result as applying it once. Its cost should be linear in the transaction and
/// independent of the length of the text.
///
/// ```swift
/// view.session.filters.append(TransactionFilter("plain", attributes: { _ in TextAttributes() }))
/// ```
public struct TransactionFilter: Sendable, Identifiable {
    /// The name of the filter, by which a program finds it in ``EditorState/filters``.
    public let id: String
    /// Whether the filter reads attributes. If so, the transaction that it receives states the attributes of all
    /// text that the transaction inserts or restyles, as the filters before have left them.
    public let readsAttributes: Bool
    /// The rule. It receives the transaction and the state before it.
    let verdict: @Sendable (inout Transaction, EditorState) -> FilterVerdict
    /// Returns whether the filter now permits commands whose transactions have a given origin. Nil if this is known
    /// only once the transaction is made.
    let allows: (@Sendable (Origin, EditorState) -> Bool)?
    /// The function that returns the attributes for given attributes, in a filter that constrains attributes; nil in
    /// any other filter.
    private(set) var attributeRule: (@Sendable (TextAttributes) -> TextAttributes)?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - allows: returns whether the filter permits commands whose transactions have a given origin now; nil
    ///     permits all commands.
    ///   - verdict: the rule. It receives the transaction and the state before it.
    public init(
        _ id: String, readsAttributes: Bool = false, allows: (@Sendable (Origin, EditorState) -> Bool)? = nil,
        _ verdict: @escaping @Sendable (inout Transaction, EditorState) -> FilterVerdict
    ) {
        (self.id, self.readsAttributes, self.allows, self.verdict) = (id, readsAttributes, allows, verdict)
    }

    /// Creates a filter that constrains attributes: text that a transaction inserts or restyles gets the attributes
    /// that the rule returns, whoever makes the transaction. Undo, redo and reading a file are exempt.
    ///
    /// - Parameter rule: receives the attributes that text would get, including inherited ones. Attributes that the
    ///   rule has returned must not change when it receives them again.
    public init(_ id: String, attributes rule: @escaping @Sendable (TextAttributes) -> TextAttributes) {
        self.init(id, readsAttributes: true) { transaction, state in
            if transaction.origin.isWithin(.history) || transaction.origin.isWithin(.load) { return .accept }
            var after = state.styledText
            let changes = after.apply(transaction)
            var restyling = transaction.restyling ?? Restyling()
            for range in changes.changeMap.map(\.newRange) + changes.restyledRanges {
                for run in after.attributes(in: range) {
                    let new = rule(run.attributes)
                    if new != run.attributes { restyling.set(new, in: run.range) }
                }
            }
            if !restyling.isEmpty { transaction.restyling = restyling }
            return .accept
        }
        attributeRule = rule
    }

    /// Creates a filter that constrains attributes by a definition. Commands whose effect the filter would revert
    /// cannot be performed.
    public init(_ definition: FormattingDefinition, id: String = "formatting-definition") {
        self.init(id) { definition.constrained($0) }
    }
}

/// The standard filters, which a new state has. The view's delegate is called after all filters.
///
/// | Filter | applies to | effect |
/// |---|---|---|
/// | read-only | all edits by the user, including undo and attributes | refuses |
/// | composition | edits by the program and its tools | edits of marked text wait, and all after them |
/// | single line | text that the user inserts | joins lines |
/// | input filter | text that the user inserts | keeps the text that ``TextInputOptions/inputFilter`` accepts |
/// | maximum length | text that the user inserts | keeps the text for which there is room |
///
/// A view of a copy refuses all edits, including the program's, before any filter is applied.
///
/// Text that is still being composed is not filtered; only the text at the end of the composition is. Otherwise the
/// text in the view would differ from the input method's. Undo and redo restore text that was accepted before.
extension TransactionFilter {
    /// The standard filters, in order.
    public static let standard = [readOnly, composition, singleLine, inputFilter, maximumLength]

    /// A filter that refuses edits by the user in a text that is not editable.
    public static let readOnly = TransactionFilter("read-only", allows: { $1.options.isEditable }) {
        transaction, state in
        // Accept a transaction that ends a composition and keeps its text: the text may have been composed before
        // the view became read-only.
        if state.ends(transaction), transaction.changes.keepsText { return .accept }
        return state.options.isEditable || !transaction.origin.isUser || !transaction.edits ? .accept : .refuse
    }

    /// A filter for edits by the program in this view. An edit waits if it removes marked text or inserts text
    /// between marked characters, or if an earlier edit waits.
    public static let composition = TransactionFilter("composition") { transaction, state in
        guard !transaction.origin.isUser, transaction.view == state.view else { return .accept }
        if state.hasWaitingEdits { return .wait }
        guard let marked = state.markedText?.range else { return .accept }
        return transaction.changes.changeMap.overlaps(marked) ? .wait : .accept
    }

    /// A filter for single-line views; it does nothing in other views. Joins the lines of text that the user inserts,
    /// and refuses the commands that insert newlines, indent or reorder lines. Text that is still being composed is not
    /// filtered.
    public static let singleLine = TransactionFilter(
        "single-line",
        allows: { origin, state in
            !state.options.isSingleLine || ![.newline, .indentation, .reordering].contains(where: origin.isWithin)
        }
    ) { transaction, state in
        guard state.options.isSingleLine, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.joiningLines() } }
    }

    /// A filter that keeps only the part that ``TextInputOptions/inputFilter`` accepts of the text that the user
    /// inserts. Text that is still being composed is not filtered.
    public static let inputFilter = TransactionFilter("input-filter") { transaction, state in
        guard let filter = state.options.inputFilter, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.filtered(by: filter) } }
    }

    /// A filter that keeps only as much of the text that the user inserts as the maximum length leaves room for.
    /// Text that is still being composed is not filtered.
    public static let maximumLength = TransactionFilter("maximum-length") { transaction, state in
        guard let limit = state.options.maximumLength, transaction.insertsText else { return .accept }
        return transaction.limitLength(to: limit, in: state)
    }
}

extension EditorState {
    /// Applies the ``filters`` to a transaction of this view, in order. If a filter rejects all the text of a
    /// section, the section is omitted: the old text is kept, or composed text is removed.
    ///
    /// - Parameter hasWaited: whether the transaction has already waited for the end of a composition, and need not
    ///   wait again.
    public func filter(_ transaction: inout Transaction, hasWaited: Bool = false) -> FilterVerdict {
        // A copy cannot be edited, whatever filters the program has set. Only the end of a composition that keeps
        // its text is accepted.
        if isCopy, !(ends(transaction) && transaction.changes.keepsText) { return .refuse }
        for filter in filters {
            if filter.readsAttributes { transaction.resolve(in: styledText) }
            switch filter.verdict(&transaction, self) {
            case .accept: continue
            case .wait where hasWaited || !canWait(transaction): continue
            case let verdict: return verdict
            }
        }
        return .accept
    }

    /// Whether the transaction can be deferred. A transaction without a composition of its own can wait while text is
    /// marked. An edit by the program can also wait for the deferred edits before it.
    private func canWait(_ transaction: Transaction) -> Bool {
        guard case .mapped = transaction.composition else { return false }
        return markedText != nil || !transaction.origin.isUser && hasWaitingEdits
    }

    /// Returns attributes after all filters that constrain attributes.
    func constrained(_ attributes: TextAttributes) -> TextAttributes {
        filters.reduce(attributes) { $1.attributeRule?($0) ?? $0 }
    }

    /// Whether the filters that constrain attributes leave a transaction any effect. Checks a limited number of runs,
    /// and assumes an effect if there are more. Always true without such filters, without a transaction, and for a
    /// transaction that changes the text.
    package func permits(_ step: @autoclosure () -> Transaction?) -> Bool {
        guard filters.contains(where: { $0.attributeRule != nil }), let step = step() else { return true }
        func differs(_ old: TextAttributes, _ new: TextAttributes) -> Bool { constrained(new) != constrained(old) }
        if !step.changes.isEmpty || step.restyling?.gives(in: styledText, within: 4096, where: differs) == true {
            return true
        }
        guard let typing = step.typing, let caret = selection?.ranges.first(where: \.isCaret) else { return false }
        let taken = styledText.typingAttributes(replacing: caret.range)
        return differs(self.typing.applied(to: taken), typing.applied(to: taken))
    }

    /// Asks a delegate, after all filters. It is asked about each section that the user replaces, with the new
    /// text, and about each range that the user restyles, with the present text. Parts that the delegate refuses
    /// are removed from the transaction. The lines of a reordering are accepted or refused together, and so are the text
    /// and the styles of a styling command that also changes text, such as one that deletes a row of a table.
    ///
    /// The delegate is not asked about text that is still being composed, nor about undo, redo and edits by the
    /// program.
    ///
    /// - Parameter isAllowed: receives the range and the new text. It may edit; the transaction is then for an
    ///   older version, and a store maps it to the present one.
    public func approve(
        _ transaction: inout Transaction, by isAllowed: (Range<UTF16Offset>, String) -> Bool
    ) -> FilterVerdict {
        if transaction.origin.isWithin(.styling), !transaction.changes.isEmpty {
            // Accept the text and the styles or none: a part of the command would leave, for example, a row without
            // its table. The ranges of the styles are those of the new text: ask about the old text in them.
            let map = transaction.changes.changeMap
            let kept = transaction.restyling?.ranges.flatMap(map.inverted.remains) ?? []
            return areAllowed(transaction.changes, by: isAllowed)
                && kept.allSatisfy { isAllowed($0, string(in: $0)) } ? .accept : .refuse
        }
        if transaction.origin.isWithin(.styling) {
            transaction.restyling?.removeAll { !isAllowed($0, string(in: $0)) }
            return transaction.edits ? .accept : .refuse
        }
        if transaction.origin.isWithin(.reordering) {
            // Accept all sections or none: a part of a reordering would lose a line or duplicate one.
            return areAllowed(transaction.changes, by: isAllowed) ? .accept : .refuse
        }
        guard transaction.insertsText || transaction.origin.isWithin(.deletion) else { return .accept }
        let map = transaction.changes.changeMap
        return transaction.rewrite(in: self) { index, text in
            isAllowed(map[index].oldRange, text.rope.string(in: text.rope.byteRange)) ? text : nil
        }
    }

    /// Whether the delegate accepts all sections of some changes.
    private func areAllowed(
        _ changes: TextChangeSet, by isAllowed: (Range<UTF16Offset>, String) -> Bool
    ) -> Bool {
        changes.changeMap.enumerated().allSatisfy { index, section in
            let new = changes.insertedText(index)
            return isAllowed(section.oldRange, new.string(in: new.byteRange))
        }
    }

    /// Whether a transaction ends a composition that has marked text.
    func ends(_ transaction: Transaction) -> Bool {
        guard case .set(nil) = transaction.composition else { return false }
        return markedText != nil
    }
}

extension Transaction {
    /// Whether this transaction is the user's input and its text is final, not text that is still being composed.
    public var insertsText: Bool {
        if case .set(_?) = composition { return false }
        return origin.isWithin(.input)
    }

    /// Replaces the inserted text of each section by the result of `filter`, in order. A section whose result is nil is
    /// omitted: its old text is kept. If the transaction ends a composition, the section instead removes the composed
    /// text.
    ///
    /// The selection after the transaction is mapped to the accepted text.
    ///
    /// - Parameter filter: receives the index of a section and its new text with attributes; the text is empty for
    ///   a deletion.
    public mutating func rewrite(
        in state: EditorState, _ filter: (Int, StyledText) -> StyledText?
    ) -> FilterVerdict {
        let map = changes.changeMap
        // The text after the transaction, and the ranges that the transaction restyles; needed if the transaction
        // sets attributes.
        var after: StyledText?
        var restyled: [Range<UTF16Offset>] = []
        if restyling != nil || changes.hasStyles {
            var text = state.styledText
            restyled = text.apply(self).restyledRanges
            after = text
        }
        var texts: [StyledText?] = []
        var isChanged = false
        for index in 0..<map.count {
            let old = after?.slice(map[index].newRange) ?? StyledText(changes.insertedText(index))
            let new = filter(index, old)
            if new != old { isChanged = true }
            texts.append(new)
        }
        guard isChanged else { return .accept }
        // Select the whole inserted text: a filter has changed dropped text, and the ranges of its pieces in
        // `selection` are no longer right.
        if origin.isWithin(.drop), map.count == 1 { selection = .selectInserted }
        let marked = state.ends(self) ? state.markedText?.range : nil
        var replacements: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for (index, section) in map.enumerated() {
            if let text = texts[index] {
                replacements.append((section.oldRange, text))
            } else if let marked, section.oldRange.overlaps(marked) {
                // Remove only the marked text. The section may also replace the text after it, for example when
                // typing overwrites: that text is kept, because its replacement was rejected.
                replacements.append((section.oldRange.clamped(to: marked), StyledText()))
            }
        }
        (changes, restyling) = state.styledText.replacing(
            replacements, isStyled: after != nil || texts.contains { $0?.runs != nil })
        // Keep the attributes that the transaction sets on text that it does not replace.
        for kept in restyled.flatMap(map.inverted.remains) {
            guard let text = after?.slice(map.map(kept)) else { break }
            restyling = restyling ?? Restyling()
            restyling?.set(text.attributeRuns, in: changes.map(kept))
        }
        if case .set(let wanted?) = selection {
            let new = changes.changeMap
            selection = .set(wanted.moved(from: map, to: new) { min($0, texts[$1]?.rope.metrics.utf16 ?? 0) })
        }
        return changes.isEmpty && marked == nil ? .refuse : .accept
    }
}

extension Selection {
    /// Maps the selection after a transaction to the text as a filter has changed it. An offset within inserted
    /// text keeps its distance from the start of that text, at most up to its end. O(n log k) for n ranges and k
    /// sections.
    ///
    /// - Parameter clamp: receives a distance from the start of a section's inserted text, and the section's index;
    ///   returns the distance in the rest of that text.
    fileprivate func moved(
        from old: TextChangeMap, to new: TextChangeMap, clamp: (Int, Int) -> Int
    ) -> Selection {
        func place(_ offset: UTF16Offset) -> UTF16Offset {
            let low = old.partitioningIndex(where: { $0.newRange.upperBound >= offset })
            guard low < old.count, old[low].newRange.lowerBound <= offset else {
                return new.map(old.inverted.map(offset, bias: .downstream), bias: .downstream)
            }
            let start = new.map(old[low].oldRange.lowerBound, bias: .upstream)
            return start + clamp(offset - old[low].newRange.lowerBound, low)
        }
        return map { SelectionRange(anchor: place($0.anchor), head: place($0.head)) }
    }
}

extension TextChangeSet {
    /// Whether every inserted text equals the text that it replaces.
    var keepsText: Bool { (0..<count).allSatisfy { removedText($0) == insertedText($0) } }
}

extension StyledText {
    /// Returns the part of the text that `filter` accepts; nil if it accepts none. An empty text (a deletion) is
    /// returned unchanged.
    fileprivate func taking(_ filter: (StyledText) -> StyledText) -> StyledText? {
        if rope.isEmpty { return self }
        let taken = filter(self)
        return taken.rope.isEmpty ? nil : taken
    }
}
