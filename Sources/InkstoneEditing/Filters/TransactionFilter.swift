public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// A rule for the transactions of a view, as a value in its ``EditorState``. A program can add rules of its own.
///
/// A filter changes a transaction, refuses it or has it wait. It removes text by `Transaction.rewrite(in:_:)`, which maps the selection over the
/// rest, and changes attributes by `Transaction.restyling`. Applied twice, it gives the same result. It should be linear in the transaction,
/// whatever the length of the text.
///
/// ```swift
/// view.session.filters.append(TransactionFilter("plain", attributes: { _ in TextAttributes() }))
/// ```
public struct TransactionFilter: Sendable, Identifiable {
    /// The name, by which a program finds it in ``EditorState/filters``.
    public let id: String
    /// Whether the filter reads attributes: then a transaction's changes are resolved before the filter is applied, and include the attributes that
    /// all text will have after the filters before it.
    public let readsAttributes: Bool
    /// The rule. It receives the state before the transaction.
    let verdict: @Sendable (inout Transaction, EditorState) -> FilterVerdict
    /// Returns whether a command whose transaction has an origin would do anything now; nil if that depends on the transaction.
    let allows: (@Sendable (Origin, EditorState) -> Bool)?
    /// The rule of a constraint of attributes; nil for another filter.
    private(set) var attributeRule: (@Sendable (TextAttributes) -> TextAttributes)?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - allows: whether commands whose transactions have an origin can be performed now; nil for all of them.
    ///   - verdict: the rule for a transaction. It receives the state before it.
    public init(
        _ id: String, readsAttributes: Bool = false, allows: (@Sendable (Origin, EditorState) -> Bool)? = nil,
        _ verdict: @escaping @Sendable (inout Transaction, EditorState) -> FilterVerdict
    ) {
        (self.id, self.readsAttributes, self.allows, self.verdict) = (id, readsAttributes, allows, verdict)
    }

    /// Creates a constraint of attributes: text that a transaction inserts or restyles gets the rule's result, whoever makes the transaction. Undo,
    /// redo and a file being read are exempt.
    ///
    /// - Parameter rule: receives the attributes that text will have, inherited ones included. It must leave its own result unchanged.
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

    /// Creates a constraint of attributes from a definition. Commands that it would revert cannot be performed.
    public init(_ definition: FormattingDefinition, id: String = "formatting-definition") {
        self.init(id) { definition.constrained($0) }
    }
}

/// The filters of every state. The view's delegate is called last.
///
/// | Filter | applies to | effect |
/// |---|---|---|
/// | read-only | all edits by the user, undo and attributes too | refuses |
/// | composition | edits by the program and its tools | edits that touch marked text wait, and all after them |
/// | single line | text that the user inserts | lines become one |
/// | input filter | the same | keeps the text that ``TextInputOptions/inputFilter`` accepts |
/// | maximum length | the same | keeps the text that there is room for |
///
/// A view of a copy refuses all edits, the program's too, before any filter is applied.
///
/// Text still being composed is not filtered, only the text at the end of the composition: otherwise the view's text would differ from the input
/// method's. Undo and redo restore text that was accepted before.
extension TransactionFilter {
    /// The standard filters, in order.
    public static let standard = [readOnly, composition, singleLine, inputFilter, maximumLength]

    /// A filter that refuses edits by the user in a text that may not be edited.
    public static let readOnly = TransactionFilter("read-only", allows: { $1.options.isEditable }) {
        transaction, state in
        // Text composed before the view became read-only stays.
        if state.ends(transaction), transaction.changes.keepsText { return .accept }
        return state.options.isEditable || !transaction.origin.isUser || !transaction.edits ? .accept : .refuse
    }

    /// A filter that makes edits by the program wait if they touch marked text or follow such an edit.
    public static let composition = TransactionFilter("composition") { transaction, state in
        guard !transaction.origin.isUser, transaction.view == state.view else { return .accept }
        if state.hasWaitingEdits { return .wait }
        guard let marked = state.markedText?.range else { return .accept }
        return transaction.changes.changeMap.overlaps(marked) ? .wait : .accept
    }

    /// A filter that joins the lines of text that the user inserts.
    public static let singleLine = TransactionFilter(
        "single-line",
        allows: { origin, state in
            !state.options.isSingleLine || ![.newline, .indentation, .reordering].contains(where: origin.isWithin)
        }
    ) { transaction, state in
        guard state.options.isSingleLine, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.joiningLines() } }
    }

    /// A filter that keeps the text that ``TextInputOptions/inputFilter`` accepts.
    public static let inputFilter = TransactionFilter("input-filter") { transaction, state in
        guard let filter = state.options.inputFilter, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.filtered(by: filter) } }
    }

    /// A filter that keeps the inserted text that there is room for.
    public static let maximumLength = TransactionFilter("maximum-length") { transaction, state in
        guard let limit = state.options.maximumLength, transaction.insertsText else { return .accept }
        return transaction.limitLength(to: limit, in: state)
    }
}

extension EditorState {
    /// Applies the ``filters`` to a transaction of this view, in order. A section whose text is rejected completely is omitted: the old text stays,
    /// or composed text is removed.
    ///
    /// - Parameter hasWaited: whether the transaction has waited for the end of a composition, and need not wait any more.
    public func filter(_ transaction: inout Transaction, hasWaited: Bool = false) -> FilterVerdict {
        // A copy cannot be edited in place of the document, whatever filters there are.
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

    /// Whether a transaction has anything to wait for: the end of a composition that it is no step of or, for an edit by the program, the edits
    /// before it.
    private func canWait(_ transaction: Transaction) -> Bool {
        guard case .mapped = transaction.composition else { return false }
        return markedText != nil || !transaction.origin.isUser && hasWaitingEdits
    }

    /// Returns attributes after the constraints among the filters.
    func constrained(_ attributes: TextAttributes) -> TextAttributes {
        filters.reduce(attributes) { $1.attributeRule?($0) ?? $0 }
    }

    /// Whether a step that changes attributes still has an effect after the constraints among the filters. Checks a bounded number of runs, and
    /// assumes an effect beyond them.
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

    /// Calls a delegate, after all filters, for each section that the user replaces with the final text, and for each range that the user restyles
    /// with its present text; refuses if the delegate accepts none. Does not call it for text still being composed, nor for undo and redo.
    ///
    /// - Parameter isAllowed: receives the range and the new text. It may edit: the transaction is then for an older version, and a store moves it
    ///   along.
    public func approve(
        _ transaction: inout Transaction, by isAllowed: (Range<UTF16Offset>, String) -> Bool
    ) -> FilterVerdict {
        if transaction.origin.isWithin(.styling) {
            transaction.restyling?.removeAll { !isAllowed($0, string(in: $0)) }
            return transaction.edits ? .accept : .refuse
        }
        if transaction.origin.isWithin(.reordering) {
            // Accept all sections or none: half of a reordering would lose a line or double one.
            let map = transaction.changes.changeMap
            return map.enumerated().allSatisfy { index, section in
                let new = transaction.changes.insertedText(index)
                return isAllowed(section.oldRange, new.string(in: new.byteRange))
            } ? .accept : .refuse
        }
        guard transaction.insertsText || transaction.origin.isWithin(.deletion) else { return .accept }
        let map = transaction.changes.changeMap
        return transaction.rewrite(in: self) { index, text in
            isAllowed(map[index].oldRange, text.rope.string(in: text.rope.byteRange)) ? text : nil
        }
    }

    /// Whether a transaction ends the composition in progress.
    func ends(_ transaction: Transaction) -> Bool {
        guard case .set(nil) = transaction.composition else { return false }
        return markedText != nil
    }
}

extension Transaction {
    /// Whether the transaction inserts text by the user that is no longer being composed.
    public var insertsText: Bool {
        if case .set(_?) = composition { return false }
        return origin.isWithin(.input)
    }

    /// Replaces the inserted text of each section by the result of `filter`, in order. A section whose result is nil is omitted, so that its old
    /// text stays, except that composed text is removed if the transaction ends a composition.
    ///
    /// The selection afterwards is mapped over the accepted text.
    ///
    /// - Parameter filter: receives the index of a section and its new text with the attributes that it gets, which is empty for a deletion.
    public mutating func rewrite(
        in state: EditorState, _ filter: (Int, StyledText) -> StyledText?
    ) -> FilterVerdict {
        let map = changes.changeMap
        // The text after the transaction, if the transaction itself sets attributes.
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
        // Select dropped pieces as one, since their ranges no longer hold.
        if origin.isWithin(.drop), map.count == 1 { selection = .selectInserted }
        let marked = state.ends(self) ? state.markedText?.range : nil
        var replacements: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for (index, section) in map.enumerated() {
            if let text = texts[index] {
                replacements.append((section.oldRange, text))
            } else if let marked, section.oldRange.overlaps(marked) {
                // The text behind the marked text was to be overwritten by text that was rejected, so it stays.
                replacements.append((section.oldRange.clamped(to: marked), StyledText()))
            }
        }
        (changes, restyling) = state.styledText.replacing(
            replacements, isStyled: after != nil || texts.contains { $0?.runs != nil })
        // Keep the attributes set on text that stays.
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
    /// Maps the selection after a transaction to the selection after the rest that a filter has left of it. An offset within inserted text keeps
    /// its distance from the start, clamped to the end. O(n log k) for n ranges and k sections.
    ///
    /// - Parameter clamp: receives a distance from the start of a section's inserted text, and the section's index; returns the distance in the
    ///   rest of it.
    fileprivate func moved(
        from old: TextChangeMap, to new: TextChangeMap, clamp: (Int, Int) -> Int
    ) -> Selection {
        func place(_ offset: UTF16Offset) -> UTF16Offset {
            let low = old.firstIndex(whichIsBehind: { $0.newRange.upperBound >= offset })
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
    /// Whether all inserted text equals the removed text.
    var keepsText: Bool { (0..<count).allSatisfy { removedText($0) == insertedText($0) } }
}

extension StyledText {
    /// Returns the part of the text that a filter accepts; nil if that is empty. A deletion is returned unchanged.
    fileprivate func taking(_ filter: (StyledText) -> StyledText) -> StyledText? {
        if rope.isEmpty { return self }
        let taken = filter(self)
        return taken.rope.isEmpty ? nil : taken
    }
}
