import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// Drops on the view: the place where one would land, and the caret that shows it. The edits are the ``EditingSession``'s.
extension EditorView {
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
            dropCaret.placeCaret(at: position(place))
        } else {
            dropAnimator?.removeCaret()
        }
    }

    /// Takes in what was dropped at a point, as one step of undo, and selects it. Returns whether it did.
    @discardableResult
    public func drop(_ copied: CopiedText, at point: ViewPoint) -> Bool {
        session.drop(copied, for: deferDrop(at: point))
    }

    /// Keeps the place of a drop whose text is still to come: see ``EditingSession/deferDrop(at:)``.
    public func deferDrop(at point: ViewPoint) -> DeferredEdit.ID {
        session.deferDrop(at: dropOffset(at: point))
    }

    /// Moves what is dragged in this view to a point, as one step of undo, and selects it. Returns whether it did.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to point: ViewPoint) -> Bool {
        session.moveDragged(dragged, to: dropOffset(at: point))
    }

    /// The place of a drop that is made: a composition ends before it is looked for.
    private func dropOffset(at point: ViewPoint) -> UTF16Offset {
        session.endComposition()
        setDropPlace(nil)
        return offset(at: point)
    }
}
