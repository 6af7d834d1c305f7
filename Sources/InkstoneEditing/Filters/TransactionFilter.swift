public import InkstoneBase
public import InkstoneText
import InkstoneInput

/// A rule for what transactions of a view may do, as a value in its ``EditorState``. A program adds rules of its own.
///
/// A filter changes a transaction, refuses it or has it wait. It takes text from it by `Transaction.rewrite(in:_:)`, which maps
/// the selection over what is taken, and gives or takes attributes by `Transaction.restyling`. Asked twice, it says the same. It
/// should be linear in the transaction, whatever the length of the text.
///
/// ```swift
/// view.session.filters.append(TransactionFilter("plain", attributes: { _ in TextAttributes() }))
/// ```
public struct TransactionFilter: Sendable, Identifiable {
    /// The name, by which a program finds it in ``EditorState/filters``.
    public let id: String
    /// Whether the filter looks at attributes: then the changes of a transaction are resolved before it is asked, and say what all
    /// text will have, with what filters before it have taken and given.
    public let readsAttributes: Bool
    /// The rule. It gets the state before the transaction.
    let verdict: @Sendable (inout Transaction, EditorState) -> FilterVerdict
    /// Whether a command would do anything now whose transaction has an origin; nil if it depends on the transaction.
    let allows: (@Sendable (Origin, EditorState) -> Bool)?
    /// The rule of a constraint of attributes; nil for another filter.
    private(set) var attributeRule: (@Sendable (TextAttributes) -> TextAttributes)?

    /// A filter.
    ///
    /// - Parameters:
    ///   - allows: whether commands whose transactions have an origin can be performed now; nil for all of them.
    ///   - verdict: what becomes of a transaction. It gets the state before it.
    public init(
        _ id: String, readsAttributes: Bool = false, allows: (@Sendable (Origin, EditorState) -> Bool)? = nil,
        _ verdict: @escaping @Sendable (inout Transaction, EditorState) -> FilterVerdict
    ) {
        (self.id, self.readsAttributes, self.allows, self.verdict) = (id, readsAttributes, allows, verdict)
    }

    /// A constraint of attributes: text that a transaction inserts or gives other attributes gets what the rule makes of them, whoever
    /// makes the transaction. Undo, redo and a file that is read are left alone.
    ///
    /// - Parameter rule: gets the attributes that text will have, inherited ones included. Its own result it leaves as it is.
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

    /// A constraint of attributes by a definition. Commands that it would revert cannot be performed.
    public init(_ definition: FormattingDefinition, id: String = "formatting-definition") {
        self.init(id) { definition.constrained($0) }
    }
}

/// The filters of every state. The view's delegate is asked last of all.
///
/// | Filter | asked of | what it does |
/// |---|---|---|
/// | read-only | all that the user does, undo and attributes too | refuses |
/// | composition | edits by the program and its tools | those that touch marked text wait, and all behind them |
/// | single line | text that the user inserts | lines become one |
/// | input filter | the same | takes what ``TextInputOptions/inputFilter`` takes |
/// | maximum length | the same | takes what there is room for |
///
/// A view of a copy refuses all edits, the program's too, before any filter is asked.
///
/// Text that is still composed is not asked about, only what it is at last: a text other than the input method's would leave the
/// two with different ideas of it. Undo and redo bring back what was accepted once.
extension TransactionFilter {
    /// All of these, in order.
    public static let standard = [readOnly, composition, singleLine, inputFilter, maximumLength]

    /// Refuses what the user does in a text that may not be edited.
    public static let readOnly = TransactionFilter("read-only", allows: { $1.options.isEditable }) {
        transaction, state in
        // What was composed before the view became read-only stays.
        if state.ends(transaction), transaction.changes.keepsText { return .accept }
        return state.options.isEditable || !transaction.origin.isUser || !transaction.edits ? .accept : .refuse
    }

    /// Has the program's edits wait that touch marked text, and those behind them.
    public static let composition = TransactionFilter("composition") { transaction, state in
        guard !transaction.origin.isUser, transaction.view == state.view else { return .accept }
        if state.hasWaitingEdits { return .wait }
        guard let marked = state.markedText?.range else { return .accept }
        return transaction.changes.changeMap.overlaps(marked) ? .wait : .accept
    }

    /// Makes one line of what the user inserts.
    public static let singleLine = TransactionFilter(
        "single-line",
        allows: { origin, state in
            !state.options.isSingleLine || ![.newline, .indentation, .reordering].contains(where: origin.isWithin)
        }
    ) { transaction, state in
        guard state.options.isSingleLine, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.joiningLines() } }
    }

    /// Takes what ``TextInputOptions/inputFilter`` takes.
    public static let inputFilter = TransactionFilter("input-filter") { transaction, state in
        guard let filter = state.options.inputFilter, transaction.insertsText else { return .accept }
        return transaction.rewrite(in: state) { _, text in text.taking { $0.filtered(by: filter) } }
    }

    /// Takes what there is room for.
    public static let maximumLength = TransactionFilter("maximum-length") { transaction, state in
        guard let limit = state.options.maximumLength, transaction.insertsText else { return .accept }
        return transaction.limitLength(to: limit, in: state)
    }
}

extension EditorState {
    /// Sends a transaction of this view through the ``filters``, in order. A section of which nothing is taken is left out: its text
    /// stays, or what was composed there goes.
    ///
    /// - Parameter hasWaited: whether it has waited for the end of a composition, and waits for nothing more.
    public func filter(_ transaction: inout Transaction, hasWaited: Bool = false) -> FilterVerdict {
        // Nobody may edit a copy in place of the document, whatever filters there are.
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

    /// Whether there is anything that a transaction can wait for: the end of a composition that it is no step of, and for the program's
    /// edits those before it.
    private func canWait(_ transaction: Transaction) -> Bool {
        guard case .mapped = transaction.composition else { return false }
        return markedText != nil || !transaction.origin.isUser && hasWaitingEdits
    }

    /// Attributes as the constraints among the filters leave them.
    func constrained(_ attributes: TextAttributes) -> TextAttributes {
        filters.reduce(attributes) { $1.attributeRule?($0) ?? $0 }
    }

    /// Whether anything is left of a step that changes attributes once the constraints among the filters have had their say. Looks at a bounded
    /// number of runs, and takes it that there is something beyond them.
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

    /// Asks the last of the chain, a delegate, about each section that the user replaces, and each range that the user gives other
    /// attributes, with its text as it is: nil if it takes none. Not about text that is still composed, undo and redo.
    ///
    /// - Parameter isAllowed: gets the range and the new text. It may edit: then the transaction is for an older version, and a
    ///   store moves it along.
    public func approve(
        _ transaction: inout Transaction, by isAllowed: (Range<UTF16Offset>, String) -> Bool
    ) -> FilterVerdict {
        if transaction.origin.isWithin(.styling) {
            transaction.restyling?.removeAll { !isAllowed($0, string(in: $0)) }
            return transaction.edits ? .accept : .refuse
        }
        if transaction.origin.isWithin(.reordering) {
            // Half of it would lose a line or double one.
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

    /// Whether a transaction ends the composition that is going on.
    func ends(_ transaction: Transaction) -> Bool {
        guard case .set(nil) = transaction.composition else { return false }
        return markedText != nil
    }
}

extension Transaction {
    /// Whether the user inserts text by it that is not composed any more.
    public var insertsText: Bool {
        if case .set(_?) = composition { return false }
        return origin.isWithin(.input)
    }

    /// Replaces the inserted text of each section by what `filter` makes of it, in order. A section for which that is nil is left
    /// out, so that its text stays, but for text that ends a composition: that goes.
    ///
    /// The selection afterwards is mapped over what the filter takes.
    ///
    /// - Parameter filter: gets the index of a section and its new text with the attributes that it is given, which is empty for a
    ///   deletion.
    public mutating func rewrite(
        in state: EditorState, _ filter: (Int, StyledText) -> StyledText?
    ) -> FilterVerdict {
        let map = changes.changeMap
        // The text after it, if the transaction itself says what attributes that has.
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
        // Pieces are selected where they were to lie.
        if origin.isWithin(.drop), map.count == 1 { selection = .selectInserted }
        let marked = state.ends(self) ? state.markedText?.range : nil
        var replacements: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for (index, section) in map.enumerated() {
            if let text = texts[index] {
                replacements.append((section.oldRange, text))
            } else if let marked, section.oldRange.overlaps(marked) {
                // What stands behind the marked text was to be typed over by text that is not taken.
                replacements.append((section.oldRange.clamped(to: marked), StyledText()))
            }
        }
        (changes, restyling) = state.styledText.replacing(
            replacements, isStyled: after != nil || texts.contains { $0?.runs != nil })
        // Attributes of text that stays.
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
    /// The selection of the text after a transaction, as it is after what a filter has left of that. What was within the text that a
    /// section inserts stays as far from its start, and goes no further than its end. O(n log k) for n ranges and k sections.
    ///
    /// - Parameter clamp: gets a distance from the start of what a section inserts, and the section's index; returns the distance in
    ///   what is left of it.
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
    /// Whether all that it inserts is what it removes.
    var keepsText: Bool { (0..<count).allSatisfy { removedText($0) == insertedText($0) } }
}

extension StyledText {
    /// What a filter takes of the text; nil if that is nothing. A deletion stays one.
    fileprivate func taking(_ filter: (StyledText) -> StyledText) -> StyledText? {
        if rope.isEmpty { return self }
        let taken = filter(self)
        return taken.rope.isEmpty ? nil : taken
    }
}
