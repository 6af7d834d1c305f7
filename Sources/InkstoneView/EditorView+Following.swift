import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

// What follows from a transaction of the store, whoever made it.
extension EditorView: TextStoreFollower {
    /// If this view is not at work itself, someone edits the store directly: the input system is told.
    package func storeWillApply(by view: ViewID?) {
        isWithinStoreEdit = true
        guard view != id, inputSystemDepth == 0, !isTellingDelegate, toldOfForeignEdit == nil, let inputDelegate else {
            return
        }
        toldOfForeignEdit = inputDelegate
        inputDelegate.textWillChange(self)
    }

    /// In order: layout, selection, marked text, scroll anchor, damage.
    package func storeDidApply(_ applied: AppliedTransaction) {
        // An edit that is made in answer to this one is another's.
        let isOwn = isWithinOwnEdit && applied.view == id
        let isMarking = isWithinMarking && isOwn
        if isOwn { (isWithinOwnEdit, isWithinMarking) = (false, false) }
        let changes = applied.changes.changeMap
        let change = layout.apply(applied)
        if applied.origin == .load {
            // A file's text comes in behind the caret, not before it.
            selection = selection?.mapped(caret: .upstream) { changes.map($0, bias: $1) }
        } else if !isOwn {
            selection = selection?.mapped { changes.map($0, bias: $1) }
        }
        if store.isLastSelected(id) { store.noteSelection(primary.range, of: id) }
        if !isMarking, let marked = markedText {
            markedText = marked.mapped(through: changes)
            if markedText == nil {
                caretIsHidden = false
                compositionDidEnd()
                hasLostComposition = true
            }
        }
        let edit = applied.coveringEdit
        untoldEdits.append(edit)
        if !pendingEdits.waiting.isEmpty {
            for edit in applied.edits {
                pendingEdits.textDidChange(TextChange(oldRange: edit.utf16Range, newRange: edit.insertedUTF16Range))
            }
        }
        drag = drag?.mapped(through: changes)
        scroll.map(through: changes)
        let y = scroll.y
        restoreScrollAnchor()
        damage(change, scrolledFrom: y)
        damagePlaceholder(edit)
    }

    /// Tells the host, which may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        host?.editorView(self, didApply: applied.coveringEdit)
        reportSelection()
        host?.editorViewCoordinatesDidChange(self)
        finishStoreEdit()
    }

    /// Ends what ``storeWillApply(by:)`` began.
    package func storeDidNotApply() { finishStoreEdit() }

    private func finishStoreEdit() {
        let told = toldOfForeignEdit
        toldOfForeignEdit = nil
        isWithinStoreEdit = false
        told?.textDidChange(self)
    }

    /// Tells the host of the selection, if it is another than the one told last.
    func reportSelection() {
        guard selection != reportedSelection else { return }
        reportedSelection = selection
        host?.editorViewSelectionDidChange(self)
    }

    /// Where a place in the text after an edit lies now: observers may have edited since.
    func present(_ offset: UTF16Offset, after edit: TextEdit) -> UTF16Offset {
        guard edit.after < store.version else { return offset }
        return store.offset(
            of: TextPosition(document: store.id, version: edit.after, offset: offset, affinity: .downstream))
    }
}
