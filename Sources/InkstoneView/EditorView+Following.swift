import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Observers of this view.
extension EditorView {
    /// Calls `body` once for each turn of the view from the next one on, on its thread, in the order in which observers registered. Drop the
    /// token to end; it may be dropped within a call, and nothing more is heard then.
    ///
    /// `body` may edit, select and scroll. That happens at once, and is a turn of its own, which all hear of after this one; a chain of more
    /// than ``TextStore/roundLimit`` such answers is cut. The view is held by nobody: `body` should refer to what owns the token `unowned`.
    ///
    ///     observation = view.observe { [unowned self] update in
    ///         if update.textChange != nil { textDidChange() }
    ///     }
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { delivery.observe(body) }

    /// A turn of the view alone is over: it has moved, or has another look or the focus.
    func viewDidChange(_ changes: ViewUpdate.Changes) {
        deliver(
            ViewUpdate(
                changes: changes, selectionBefore: selection, selection: selection, markedTextBefore: markedText,
                markedText: markedText, origin: nil, isFromInputSystem: false))
    }

    private func deliver(_ update: ViewUpdate) {
        guard !update.changes.isEmpty else { return endChange(of: update) }
        delivery.append(isTransaction: false, update)
        guard !store.deliverTurn(of: self) else { return }
        delivery.removeLast()
        endChange(of: update)
    }

    private func endChange(of update: ViewUpdate) {
        if update.endsChange { changeDidEnd() }
    }
}

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
        let effects = isOwn ? applied.transaction.effects : []
        let old = effects.isEmpty ? nil : (options: options, isOverwriting: isOverwriting)
        state.apply(applied)
        var changed: ViewUpdate.Changes = .text
        defer {
            damageRestyled(applied.changes.restyledRanges)
            delivery.append(
                isTransaction: true,
                turn(
                    changed, from: selected, marked, applied.origin,
                    isFromInputSystem: isOwn && applied.origin.isFromInputSystem))
        }
        let change = layout.apply(applied)
        if isOwn || store.isLastSelected(id) { noteSelection() }
        // Where only colours change, all stays where it is.
        if !changes.isEmpty || !change.utf16Range.isEmpty { show(change, of: applied) }
        if let old { effectsDidApply(effects, old.options, old.isOverwriting) }
        if marked != markedText { damageMarkedText(from: marked) }
        if wasHidden != caretIsHidden { damageCaret() }
        guard isOwn, !changes.isEmpty || selection != selected else { return }
        damageSelectionChange(from: selected?.mapped { changes.map($0, bias: $1) }, to: selection)
        restartBlinking()
        // The host is told of the deadline once it may edit.
        if applied.transaction.reveal, bringCaretIntoSight() { changed.insert(.scrolling) }
    }

    /// A turn in which text, selection or composition may be others than before.
    private func turn(
        _ changes: ViewUpdate.Changes, from selected: Selection?, _ marked: MarkedText?, _ origin: Origin,
        isFromInputSystem: Bool
    ) -> ViewUpdate {
        var update = ViewUpdate(
            changes: changes, selectionBefore: selected, selection: selection, markedTextBefore: marked,
            markedText: markedText, origin: origin, isFromInputSystem: isFromInputSystem)
        if selected != selection { update.changes.insert(.selection) }
        if marked != markedText { update.changes.insert(.markedText) }
        return update
    }

    /// Paints ranges anew that have got other attributes.
    private func damageRestyled(_ ranges: [Range<UTF16Offset>]) {
        guard ranges.count <= Self.damageLimit else { return setNeedsDisplay() }
        for range in ranges where !range.isEmpty { setNeedsDisplay(offsets: range, includingInk: true) }
    }

    /// Others hear of the transaction, and may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        deliver(applied)
        let isOwn = applied.view == id
        for case let effect as StateEffect in isOwn ? applied.transaction.effects : [] {
            if case .options = effect { inputOptionsDidChange() }
        }
        if isOwn, isFocused { host?.editorViewDeadlineDidChange(self) }
        if !(isOwn && applied.origin.isFromInputSystem) { changeDidEnd() }
        // A composition that others took away.
        if !isOwn || applied.transaction.composition == .mapped { forgetLostComposition() }
    }

    /// Others hear of a turn of this view alone, and may edit.
    package func storeDidReachTurn() {
        if let update = deliver(nil) { endChange(of: update) }
    }

    @discardableResult
    private func deliver(_ applied: AppliedTransaction?) -> ViewUpdate? {
        delivery.deliver(isTransaction: applied != nil) { update in
            update.applied = applied
            guard applied != nil || update.changes.contains(.markedText) else { return }
            update.textChange = changes.textDidChange(
                applied?.changes, to: applied?.text ?? store.text, isComposing: update.markedText != nil)
        }
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
        defer {
            if let old {
                if options.isEditable != old.options.isEditable
                    || options.isSecureTextEntry != old.options.isSecureTextEntry
                {
                    inputOptionsDidChange()
                }
                effectsDidApply(transaction.effects, old.options, old.isOverwriting)
            }
        }
        // Nobody hears of a composition that has marked nothing yet.
        if case .mapped = transaction.selection, transaction.typing == nil { return state.adopt(transaction) }
        let isTold = !transaction.origin.isFromInputSystem && changesSelection(transaction)
        if isTold { changeWillBegin(.selection) }
        let (selected, marked, wasHidden) = (selection, markedText, caretIsHidden)
        state.adopt(transaction)
        let isMoved = selection != selected
        if isMoved {
            damageSelectionChange(from: selected, to: selection)
            noteSelection()
        }
        if marked != markedText { damageMarkedText(from: marked) }
        if wasHidden != caretIsHidden { damageCaret() }
        let hasScrolled = transaction.reveal && bringCaretIntoSight()
        var update = turn(
            hasScrolled ? .scrolling : [], from: selected, marked, transaction.origin,
            isFromInputSystem: transaction.origin.isFromInputSystem)
        update.endsChange = isTold
        deliver(update)
        noteActivity()
    }

    /// Follows the effects of a transaction, given the options and the mode before it.
    private func effectsDidApply(_ effects: [any TransactionEffect], _ options: TextInputOptions, _ isOverwriting: Bool)
    {
        for case let effect as StateEffect in effects {
            if case .options = effect { optionsDidChange(from: options) }
            guard case .overwriting(let new) = effect, new != isOverwriting else { continue }
            store.breakUndoCoalescing()
            damageCaret()
            viewDidChange(.mode)
        }
    }

    private func changesSelection(_ transaction: Transaction) -> Bool {
        transaction.selection.resolved(after: transaction.changes.changeMap, from: selection) != selection
    }

    /// Says to the store where the user is: to be selected again when what others do is taken back.
    func noteSelection() { store.noteSelection(selection, of: id) }

    private func damageMarkedText(from old: MarkedText?) {
        if let old { setNeedsDisplay(offsets: old.range) }
        if let markedText { setNeedsDisplay(offsets: markedText.range) }
    }
}
