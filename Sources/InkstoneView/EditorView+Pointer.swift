import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// What the ``EditorView/interaction`` works on.
extension EditorView: PointerTextInput, ScrollableTextInput {
    /// Whether the primary button is down on the text and selects.
    public var isDragging: Bool { interaction.isSelecting }

    /// The place in the text under a point of the view, in UTF-16 code units.
    public func offset(at point: ViewPoint) -> UTF16Offset { place(closestTo: point).offset }

    /// The place for a caret nearest to a point of the view.
    public func place(closestTo point: ViewPoint) -> CaretPlace { geometry.place(closestTo: documentPoint(point)) }

    /// The unit of text around a place.
    public func unit(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset> {
        geometry.range(granularity, enclosing: place)
    }

    /// What a rectangle selects between two points of the document.
    public func selection(inRectangleFrom corner: DocumentPoint, to head: DocumentPoint) -> Selection {
        geometry.selection(inRectangleFrom: corner, to: head)
    }

    /// Whether an offset may lie in sight.
    public func mayShow(_ offset: UTF16Offset) -> Bool { layout.geometry.mayShow(offset, in: visibleDocumentRect) }

    /// A composition ends, and what is typed next is a step of undo of its own.
    public func pointerWillSelect() {
        session.endComposition()
        store.breakUndoCoalescing()
    }

    /// The part of the view that shows text; it scrolls sideways where lines do not wrap.
    public var autoscrollArea: Autoscroll.Area {
        Autoscroll.Area(viewport.textArea, lineHeight: lineStep, scrollsSideways: !viewport.wraps)
    }
}
