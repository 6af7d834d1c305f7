import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// Drops on the view: the offset of a drop, and the caret that shows it. The ``EditingSession`` makes the edits.
extension EditorView {
    /// The caret that shows the position of a drop. Place it at each motion of a drag over the text. Remove it when
    /// the drag leaves the text, ends in a drop or is cancelled.
    public var dropCaret: TextCursorDropPositionAnimator {
        if let made = presenter.dropAnimator { return made }
        let made = TextCursorDropPositionAnimator(textInput: self, clock: presenter.clock)
        made.onChange = { [weak self] in
            guard let self else { return }
            presenter.damageCaret()
            deadlineDidChange()
        }
        presenter.dropAnimator = made
        return made
    }

    /// Shows the position of a drop at a point; nil hides it. Returns whether the drop is allowed there. False for
    /// nil, in text that cannot be edited, within the dragged text, and for dragged text of this view if the view
    /// has no selection any more.
    ///
    /// - Parameters:
    ///   - dragged: the dragged text if it comes from this view, since it cannot be dropped within itself.
    ///   - moving: whether the drop would move the text. It then cannot be dropped at its own ends either.
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
            dropCaret.placeCaret(at: position(place))
        } else {
            presenter.dropAnimator?.removeCaret()
        }
    }

    /// Inserts text dropped at a point, as one undo step, and selects it. A composition ends first, with its text
    /// kept, and ``dropCaret`` is removed. Returns whether any text was inserted.
    @discardableResult
    public func drop(_ copied: CopiedText, at point: ViewPoint) -> Bool {
        session.drop(copied, for: deferDrop(at: point))
    }

    /// Reserves the position of a drop whose text has not arrived yet, and removes ``dropCaret``: see
    /// ``EditingSession/deferDrop(at:)``.
    public func deferDrop(at point: ViewPoint) -> DeferredEdit.ID {
        session.deferDrop(at: dropOffset(at: point))
    }

    /// Moves text dragged in this view to a point, as one undo step, and selects it. A composition ends first, with
    /// its text kept, and ``dropCaret`` is removed. Returns whether the text was moved.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to point: ViewPoint) -> Bool {
        session.moveDragged(dragged, to: dropOffset(at: point))
    }

    /// Ends the composition, hides the position of the drop, and returns the offset of a drop at a point.
    private func dropOffset(at point: ViewPoint) -> UTF16Offset {
        session.endComposition()
        setDropPlace(nil)
        return offset(at: point)
    }
}
