import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

// The reactions to the session's updates.
extension TextPresenter: EditingPresenter {
    package func keepEndInSight(during edit: () -> Void) {
        let wasAtEnd = isAtEnd
        edit()
        if wasAtEnd { scrollToEnd() }
    }

    /// Updates layout, scroll anchor and damage, in this order. Then scrolls to the caret if the view's own
    /// transaction reveals it. Returns whether this scroll has moved anything.
    package func sessionDidApply(_ applied: AppliedTransaction, from old: EditingSession.Places, isOwn: Bool) -> Bool {
        let changes = applied.changes.changeMap
        viewportLayout.attachmentViews.follow(applied)
        let change = layout.apply(applied)
        defer { damageRestyled(applied.changes.restyledRanges) }
        // If only colours have changed, no text has moved, and no line has to be laid out or scrolled.
        if !changes.isEmpty || !change.utf16Range.isEmpty { show(change, of: applied) }
        damageComposition(from: old)
        guard isOwn, !changes.isEmpty || selection != old.selection else { return false }
        damageSelectionChange(from: old.selection?.mapped { changes.map($0, bias: $1) }, to: selection)
        return applied.transaction.reveal && bringCaretIntoSight()
    }

    package func sessionDidAdopt(from old: EditingSession.Places, reveals: Bool) -> Bool {
        if selection != old.selection {
            damageSelectionChange(from: old.selection, to: selection)
        } else {
            damageCaretIfTypedOtherwise()
        }
        damageComposition(from: old)
        return reveals && bringCaretIntoSight()
    }

    /// Called after an action of the user: shows the caret without blinking for a moment.
    package func sessionDidAct() {
        guard isFocused else { return }
        let now = clock()
        let wasVisible = caret.blink.isVisible(at: now)
        caret.blink.restart(at: now)
        if !wasVisible { damageCaret() }
        view?.deadlineDidChange()
    }

    package func sessionModeDidChange() { damageCaret() }

    package func sessionOptionsDidChange(from old: TextInputOptions) {
        if options.isSecureTextEntry != old.isSecureTextEntry {
            layout.masksCharacters = options.isSecureTextEntry
            viewportLayout.restoreAnchor()
        }
        if options.isSingleLine != old.isSingleLine { updateContainer() }
        if options.baseWritingDirection != old.baseWritingDirection {
            layout.paragraphStyle.baseDirection =
                switch options.baseWritingDirection {
                case .natural: .natural
                case .leftToRight: .leftToRight
                case .rightToLeft: .rightToLeft
                }
            viewportLayout.restoreAnchor()
        }
        setNeedsDisplay()
    }

    package func sessionDidSelectByCommand() { view?.didSelectByKeys() }

    package func carryOut(_ request: EditRequest) {
        switch request {
        case .copy(let copied): view?.copy(copied)
        case .paste(let source, let edit): view?.requestPaste(from: source, for: edit.id)
        case .scroll(let step): scroll(step)
        case .keep, .undo, .redo: break
        }
    }

    private func scroll(_ step: ScrollStep) {
        switch step {
        case .lines(let count): scroll(by: Double(count) * lineStep)
        case .pages(let count): scroll(by: Double(count) * pageStep)
        case .start: scrollToStart()
        case .end: scrollToEnd()
        case .centerCaret: centerCaret()
        }
    }

    /// Damages ranges whose attributes have changed.
    private func damageRestyled(_ ranges: [Range<UTF16Offset>]) {
        guard ranges.count <= EditorView.damageLimit else { return setNeedsDisplay() }
        for range in ranges where !range.isEmpty { setNeedsDisplay(offsets: range, includingInk: true) }
    }

    private func damageComposition(from old: EditingSession.Places) {
        if markedText != old.markedText {
            if let marked = old.markedText { setNeedsDisplay(offsets: marked.range) }
            if let markedText { setNeedsDisplay(offsets: markedText.range) }
        }
        if caretIsHidden != old.hidesCaret { damageCaret() }
    }
}
