public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// Compositions: what an input method marks, commits and gives up, each step one transaction. The steps of a composition are
/// one step of undo. It happens at the primary range; what is committed goes to the other ranges as well.
extension EditorState {
    /// A composition begins: what is edited from now on is one step of undo, until it ends. Once for several calls.
    public mutating func beginComposition() {
        if composition == nil { composition = Composition(in: version, selection: selection) }
    }

    /// A composition is over; nothing may be marked any more.
    public mutating func endComposition() {
        if markedText == nil { composition = nil }
    }

    /// Marks text in place of a range and selects inside it. With empty text what is marked goes, or if nothing is, the text of
    /// the range.
    ///
    /// - Parameter selected: in UTF-16 units from the start of the marked text; clamped to it, and its end if `notFound`.
    public func marking(
        _ new: InputText, replacing range: Range<UTF16Offset>, selected: UTF16Range
    ) -> Transaction? {
        guard !new.string.isEmpty else {
            if let marked = markedText?.range { return deletingMarked(marked) }
            return range.isEmpty ? nil : replacing(range, with: "", origin: .inputMethod)
        }
        let isSame = string(in: range).hasSameScalars(as: new.string)
        let changes =
            isSame ? TextChangeSet(none: text) : TextChangeSet(replacing: range, with: Rope(new.string), in: text)
        var after = text
        after.apply(changes)
        let marked = range.lowerBound..<(range.lowerBound + new.string.utf16.count)
        var composing = composition ?? Composition(in: version, selection: selection)
        composing.markedText = MarkedText(range: marked, clauses: new.clauses)
        composing.isCaretHidden = new.isCaretHidden
        let length = UTF16Offset(marked.length())
        let inner = selected.clamped(to: 0..<length) ?? length..<length
        func stop(_ offset: UTF16Offset) -> UTF16Offset {
            max(marked.lowerBound, after.roundedDown(toGrapheme: marked.lowerBound + offset.value))
        }
        let primary = SelectionRange(anchor: stop(inner.lowerBound), head: stop(inner.upperBound))
        return self.composing(changes, as: composing, selecting: primary)
    }

    /// Takes a part of the marked text away, which stays marked unless nothing is left of it.
    func deletingMarked(_ range: Range<UTF16Offset>) -> Transaction? {
        guard var composing = composition, let marked = composing.markedText else { return nil }
        let changes = TextChangeSet(replacing: range, with: Rope(), in: text)
        guard let removed = changes.changeMap.first?.oldRange else { return nil }
        composing.markedText = marked.removing(removed)
        return self.composing(
            changes, as: composing.markedText == nil ? nil : composing,
            selecting: SelectionRange(caret: range.lowerBound))
    }

    /// Backspace while text is marked, at the primary range alone; see ``deletingBackward()``.
    func deletingBackward(beside marked: Range<UTF16Offset>) -> Transaction? {
        guard selection != nil else { return nil }
        var range = primary.range
        if range.isEmpty {
            range = text.graphemeBoundary(before: primary.head)..<primary.head
            if marked.lowerBound < primary.head { range = max(range.lowerBound, marked.lowerBound)..<primary.head }
        }
        if range.isEmpty { return nil }
        if marked.holds(range) { return deletingMarked(range) }
        return marked.overlaps(range)
            ? committing("", replacing: range) : replacing(range, with: "", origin: .deletion)
    }

    /// Ends the composition with `new` in place of `range`, which overlaps the marked text or lies at its ends: what is marked around
    /// it stays as ordinary text. The caret goes behind `new`, which typed over what stands behind the marked text up to `end`.
    ///
    /// Filters see all of the marked text replaced, also by the same: see ``concluding(_:)``.
    public func committing(
        _ new: String, replacing range: Range<UTF16Offset>, overwritingTo end: UTF16Offset? = nil
    ) -> Transaction? {
        guard let marked = markedText?.range else { return nil }
        let before = string(in: marked.lowerBound..<max(marked.lowerBound, range.lowerBound))
        let all = before + new + string(in: min(range.upperBound, marked.upperBound)..<marked.upperBound)
        let whole = min(marked.lowerBound, range.lowerBound)..<max(marked.upperBound, range.upperBound, end ?? 0)
        return ending(whole, as: all, caret: whole.lowerBound + (before + new).utf16.count)
    }

    /// Ends the composition with its text as it is. What is out of sight stays there: the text would move away under the click
    /// that ends the composition.
    public func keepingMarkedText() -> Transaction? {
        guard let marked = markedText?.range else { return nil }
        let all = string(in: marked)
        let caret = primary.isCaret ? primary.head : marked.upperBound
        var transaction = ending(marked, as: all, caret: caret)
        transaction?.reveal = false
        return transaction
    }

    private func ending(_ range: Range<UTF16Offset>, as new: String, caret: UTF16Offset) -> Transaction? {
        var builder = TextChangeSet.Builder(over: text)
        for (index, other) in (selection?.ranges ?? []).enumerated() where index != selection?.primaryIndex {
            if !other.range.overlaps(range) { builder.replace(other.range, with: new) }
        }
        builder.replace(range, with: new)
        let changes = builder.finish()
        // What is inserted in front moves the caret along.
        let shift = changes.count == 1 ? 0 : changes.map(range.lowerBound, bias: .upstream) - range.lowerBound
        return composing(changes, as: nil, selecting: SelectionRange(caret: caret + shift))
    }

    /// A transaction of the input method, with the primary range as it says and the others moved along.
    private func composing(
        _ changes: TextChangeSet, as composition: Composition?, selecting primary: SelectionRange
    ) -> Transaction {
        var after = Selection(primary)
        if let selection, selection.count > 1 {
            let others = selection.ranges.enumerated().filter { $0.offset != selection.primaryIndex }.map(\.element)
            let moved = Selection(others)?.map { range in
                guard composition == nil else { return range.mapped(through: changes) }
                return SelectionRange(caret: changes.map(range.range.upperBound, bias: .downstream))
            }
            after = (moved ?? after).adding(primary)
        }
        var result = transaction(changes, origin: .inputMethod, undo: .step, selection: .set(after))
        if let composition { result.undo = .group(composition.undoGroup) }
        result.composition = .set(composition)
        result.isFromInputSystem = true
        return result
    }

    /// The end of a composition, after the filters, as it is made: what they took decides where the caret is, and text that
    /// is to stay is not replaced by itself.
    public func concluding(_ transaction: consuming Transaction) -> Transaction {
        let transaction = transaction
        guard case .set(nil) = transaction.composition, let marked = markedText?.range else { return transaction }
        var result = transaction
        let map = transaction.changes.changeMap
        if let section = map.first(where: { $0.oldRange.overlaps(marked) }),
            case .set(let wanted?) = transaction.selection
        {
            let end = section.newRange.upperBound
            result.selection = .set(
                wanted.map { $0 == wanted.primary ? SelectionRange(caret: min($0.head, end)) : $0 })
        }
        let isKept = map.indices.map { index in
            transaction.changes.removedText(index) == transaction.changes.insertedText(index)
        }
        guard isKept.contains(true) else { return result }
        var builder = TextChangeSet.Builder(over: text)
        for (index, section) in map.enumerated() where !isKept[index] {
            builder.replace(section.oldRange, with: transaction.changes.insertedText(index))
        }
        result.changes = builder.finish()
        return result
    }
}

extension SelectionRange {
    /// Where the range lies after a change by others.
    fileprivate func mapped(through changes: TextChangeSet) -> SelectionRange {
        Selection(self).mapped { changes.map($0, bias: $1) }.primary
    }
}
