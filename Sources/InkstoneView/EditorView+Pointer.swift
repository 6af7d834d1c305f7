import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The operations that the ``EditorView/interaction`` needs from the view.
extension EditorView: PointerTextInput, ScrollableTextInput {
    /// Whether the user is selecting text with the pointer or a finger now.
    public var isDragging: Bool { interaction.isSelecting }

    /// Returns the offset of the caret position closest to a point of the view, in UTF-16 units.
    public func offset(at point: ViewPoint) -> UTF16Offset { place(closestTo: point).offset }

    /// Returns the caret position closest to a point of the view.
    public func place(closestTo point: ViewPoint) -> CaretPlace { geometry.place(closestTo: documentPoint(point)) }

    /// Returns the unit of text around a caret position.
    public func unit(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset> {
        geometry.range(granularity, enclosing: place)
    }

    /// Returns the selection of the text in a rectangle between two points of the document.
    public func selection(inRectangleFrom corner: DocumentPoint, to head: DocumentPoint) -> Selection {
        geometry.selection(inRectangleFrom: corner, to: head)
    }

    /// Whether an offset may be visible. Does not lay out text that is out of view.
    public func mayShow(_ offset: UTF16Offset) -> Bool {
        layout.geometry.mayShow(offset, in: viewport.visibleDocumentRect)
    }

    /// Returns the range of the attachment's character at a point; nil if there is no attachment.
    public func object(at point: ViewPoint) -> Range<UTF16Offset>? {
        let place = documentPoint(point)
        guard let fragment = layout.textLayoutFragment(for: place), fragment.hasAttachments else { return nil }
        return fragment.textLineFragments.lazy.flatMap(\.attachments).first { $0.frame.contains(place) }
            .map { $0.offset..<($0.offset + 1) }
    }

    /// Toggles the checkbox of the list item at a point. A composition ends first, with its text kept. Returns
    /// false if there is no checkbox, or if the text cannot be edited.
    public func press(besideTextAt point: ViewPoint) -> Bool {
        let place = documentPoint(point)
        guard let item = layout.textLayoutFragment(for: place), item.markerFrame?.contains(place) == true,
            state.togglingCheckbox(at: item.utf16Range.lowerBound) != nil
        else { return false }
        // Keep the item's position in an anchor: ending the composition may change the length of the text before
        // the item.
        let anchor = store.makeAnchor(at: item.utf16Range.upperBound - 1, gravity: .downstream)
        session.endComposition()
        session.dispatch(state.togglingCheckbox(at: anchor.offset))
        return true
    }

    /// Ends the composition, and makes the next typing an undo step of its own.
    public func pointerWillSelect() {
        session.endComposition()
        store.breakUndoCoalescing()
    }

    /// The part of the view that shows text. It scrolls horizontally only if lines do not wrap.
    public var autoscrollArea: Autoscroll.Area {
        Autoscroll.Area(viewport.textArea, lineHeight: presenter.lineStep, scrollsSideways: !viewport.wraps)
    }
}
