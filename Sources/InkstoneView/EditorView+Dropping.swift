import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// What is dragged out of the view and dropped on it: the edits, and the caret that shows where a drop would land.
extension EditorView {
    /// Begins to drag what is selected; nil if that is nothing, or secret. Ends with ``endDragging(_:deleting:)``.
    public func beginDragging() -> (dragged: DeferredEdit.ID, copied: CopiedText)? {
        endComposition()
        guard let copied = state.selectedCopy, let dragged = state.draggedText() else { return nil }
        change(.deferring(dragged))
        store.dragGroup = UndoGroupID()
        return (dragged.id, copied)
    }

    /// A drag is over. What was dragged goes from the text if it was moved out of the view; within it, it has gone already.
    public func endDragging(_ dragged: DeferredEdit.ID, deleting: Bool) {
        guard let edit = release(dragged) else { return }
        defer { store.dragGroup = nil }
        guard deleting, isEditable else { return }
        endComposition()
        dispatch(joiningDrag(state.removing(edit)))
    }

    /// A transaction as part of the drag that has begun in a view of this text.
    private func joiningDrag(_ transaction: consuming Transaction?) -> Transaction? {
        if let group = store.dragGroup { transaction?.undo = .group(group) }
        return transaction
    }

    // MARK: Drops

    /// Shows where a drop at a point would land, and says whether it may land there; nil takes that away.
    ///
    /// - Parameters:
    ///   - dragged: what is dragged, if it comes from this view: it cannot be dropped within itself.
    ///   - moving: whether it would be moved.
    @discardableResult
    public func showDrop(at point: ViewPoint?, of dragged: DeferredEdit.ID? = nil, moving: Bool = false) -> Bool {
        var place: CaretPlace?
        if let point, isEditable, selection != nil || dragged == nil {
            let found = geometry.place(closestTo: documentPoint(point))
            let edit = dragged.flatMap { state.deferredEdit($0) }
            if edit.map({ state.isDragged(found.offset, of: $0, edges: moving) }) != true { place = found }
        }
        setDropPlace(place)
        return place != nil
    }

    private func setDropPlace(_ place: CaretPlace?) {
        if let place {
            dropCaret.placeCaret(at: position(place.offset, place.affinity))
        } else {
            dropAnimator?.removeCaret()
        }
    }

    /// Takes in what was dropped at a point, as one step of undo, and selects it. Returns whether it did.
    @discardableResult
    public func drop(_ copied: CopiedText, at point: ViewPoint) -> Bool { drop(copied, for: deferDrop(at: point)) }

    /// Keeps the place of a drop whose text is still to come. ``drop(_:for:)`` puts it there, ``cancelDrop(_:)`` gives it up.
    public func deferDrop(at point: ViewPoint) -> DeferredEdit.ID {
        endComposition()
        setDropPlace(nil)
        let edit = state.dropToCome(at: geometry.place(closestTo: documentPoint(point)).offset)
        change(.deferring(edit))
        return edit.id
    }

    /// Takes in what was dropped, as one step of undo, and selects it. Returns whether it did.
    @discardableResult
    public func drop(_ copied: CopiedText, for drop: DeferredEdit.ID) -> Bool {
        endComposition()
        guard let edit = release(drop), isEditable else { return false }
        return dispatch(joiningDrag(state.dropping(copied, for: edit))) != nil
    }

    /// Gives up a drop whose text does not come.
    public func cancelDrop(_ drop: DeferredEdit.ID) { change(.releasing(drop)) }

    /// Moves what is dragged in this view to a point, as one step of undo, and selects it. Returns whether it did.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to point: ViewPoint) -> Bool {
        endComposition()
        setDropPlace(nil)
        guard isEditable, let edit = state.deferredEdit(dragged) else { return false }
        let place = geometry.place(closestTo: documentPoint(point))
        return dispatch(state.moving(edit, to: place.offset)) != nil
    }
}
