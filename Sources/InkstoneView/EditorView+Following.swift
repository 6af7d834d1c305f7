import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

// What follows from each transaction, whoever made it.
extension EditorView: TextStoreFollower {
    /// The input system is told, unless it makes the transaction itself, in this view.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeWillBegin(.text) }
    }

    /// It came to nothing.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeDidEnd() }
    }

    /// In order: layout, state, scroll anchor, damage.
    package func storeDidApply(_ applied: AppliedTransaction) {
        let changes = applied.changes.changeMap
        let isOwn = applied.view == id
        let (selected, marked, wasHidden) = (selection, markedText, caretIsHidden)
        state.apply(applied)
        defer { damageRestyled(applied.changes.restyledRanges) }
        let change = layout.apply(applied)
        if isOwn || store.isLastSelected(id) { noteSelection() }
        // Where only colours change, all stays where it is.
        if !changes.isEmpty || !change.utf16Range.isEmpty { show(change, of: applied) }
        if marked != markedText { damageMarkedText(from: marked) }
        if wasHidden != caretIsHidden { damageCaret() }
        guard isOwn, !changes.isEmpty || selection != selected else { return }
        damageSelectionChange(from: selected?.mapped { changes.map($0, bias: $1) }, to: selection)
        restartBlinking()
        // The host is told of the coordinates, and of the deadline, once it may edit.
        if applied.transaction.reveal { bringCaretIntoSight() }
    }

    /// Paints ranges anew that have got other attributes.
    private func damageRestyled(_ ranges: [Range<UTF16Offset>]) {
        guard ranges.count <= Self.damageLimit else { return setNeedsDisplay() }
        for range in ranges where !range.isEmpty { setNeedsDisplay(offsets: range, includingInk: true) }
    }

    /// Tells the host and the program, which may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        host?.editorView(self, didApply: applied)
        reportSelection()
        host?.editorViewCoordinatesDidChange(self)
        let isOwn = applied.view == id
        if isOwn, isFocused { host?.editorViewDeadlineDidChange(self) }
        if !(isOwn && applied.origin.isFromInputSystem) { changeDidEnd() }
        // A composition that others took away.
        if !isOwn || applied.transaction.composition == .mapped { forgetLostComposition() }
        if applied.changes.changeMap.isEmpty { return }
        if markedText != nil { changes.markingDidChange(true) }
        let ranges = applied.coveringRanges
        changes.textDidChange(TextChange(oldRange: ranges.old, newRange: ranges.new), to: applied.text)
        if markedText == nil { changes.markingDidChange(false) }
    }

    /// Once nothing is marked the program's waiting edits are made, in order.
    package func storeDidSettle() -> Bool {
        guard let edit = state.nextDeferred else { return false }
        change(.releasing(edit.id))
        var transaction = state.programEdit(edit)
        if case .accept = state.filter(&transaction, hasWaited: true) { perform(transaction) }
        return true
    }

    /// Takes in a transaction of this view that replaces no text: another selection, the start or the end of a composition, effects.
    func adopt(_ transaction: Transaction) {
        let old = transaction.effects.isEmpty ? nil : (options: options, isOverwriting: isOverwriting)
        defer { if let old { effectsDidApply(transaction.effects, old.options, old.isOverwriting) } }
        // Nobody hears of a composition that has marked nothing yet.
        if case .mapped = transaction.selection, transaction.typing == nil { return state.adopt(transaction) }
        let (selected, marked, wasHidden) = (selection, markedText, caretIsHidden)
        let isTold = !transaction.origin.isFromInputSystem && changesSelection(transaction)
        if isTold { changeWillBegin(.selection) }
        state.adopt(transaction)
        let isMoved = selection != selected
        if isMoved {
            damageSelectionChange(from: selected, to: selection)
            noteSelection()
        }
        if marked != markedText { damageMarkedText(from: marked) }
        if wasHidden != caretIsHidden { damageCaret() }
        if isTold { changeDidEnd() }
        reportSelection()
        if isMoved || marked != markedText { host?.editorViewCoordinatesDidChange(self) }
        noteActivity()
        if transaction.reveal { scrollToCaret() }
        guard marked != markedText else { return }
        changes.markingDidChange(markedText != nil)
        if markedText == nil { store.settle() }
    }

    /// What follows from effects, with what was there before them.
    private func effectsDidApply(_ effects: [any TransactionEffect], _ options: TextInputOptions, _ isOverwriting: Bool)
    {
        for case let effect as StateEffect in effects {
            if case .options = effect { optionsDidChange(from: options) }
            if case .overwriting(let new) = effect, new != isOverwriting { overwritingDidChange() }
        }
    }

    private func changesSelection(_ transaction: Transaction) -> Bool {
        transaction.selection.resolved(after: transaction.changes.changeMap, from: selection) != selection
    }

    /// Says to the store where the user is: to be selected again when what others do is taken back.
    func noteSelection() { store.noteSelection(selection, of: id) }

    /// Tells the host of the selection, if it is another than the one told last.
    func reportSelection() {
        guard selection != reportedSelection else { return }
        reportedSelection = selection
        host?.editorViewSelectionDidChange(self)
    }

    private func damageMarkedText(from old: MarkedText?) {
        if let old { setNeedsDisplay(offsets: old.range) }
        if let markedText { setNeedsDisplay(offsets: markedText.range) }
    }
}
