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
        endComposition()
        store.breakUndoCoalescing()
    }

    /// The part of the view that shows text; it scrolls sideways where lines do not wrap.
    public var autoscrollArea: Autoscroll.Area {
        Autoscroll.Area(viewport.textArea, lineHeight: lineStep, scrollsSideways: !viewport.wraps)
    }
}

/// Clicks and drags on the scroll bar.
extension EditorView {
    /// A button went down on the scroll bar. On the thumb it takes that. Beside it the thumb goes there and is held; or, as
    /// ``PointerSettings/warpsScrollBar`` says, the text scrolls a page towards the pointer, and on as long as the button is held.
    ///
    /// - Parameter warps: whether the thumb goes to the pointer, whatever the settings say: that of the middle button.
    public func scrollBarPressed(at point: ViewPoint, warps: Bool = false) {
        guard let thumb = scrollThumb else { return }
        if (thumb.minY..<thumb.maxY).contains(point.y) {
            scrollBar.drag = viewport.drag(of: thumb, at: point.y, in: layout)
        } else if warps || interaction.settings.warpsScrollBar {
            scrollBar.drag = viewport.drag(of: thumb, at: thumb.minY + thumb.height / 2, in: layout)
            scrollBarDragged(to: point)
        } else {
            page(towards: point.y, pause: ScrollBarUse.firstPause)
            host?.editorViewDeadlineDidChange(self)
        }
    }

    private func page(towards y: Double, pause: Int64) {
        scrollBar.paging = nil
        guard let thumb = scrollThumb, !(thumb.minY..<thumb.maxY).contains(y) else { return }
        scroll(by: y < thumb.minY ? -pageStep : pageStep)
        scrollBar.paging = ScrollBarUse.Paging(y: y, deadline: clock() + pause)
    }

    /// Scrolls by another page, if it is time.
    func pageOn() {
        guard let paging = scrollBar.paging, clock() >= paging.deadline else { return }
        page(towards: paging.y, pause: ScrollBarUse.pause)
    }

    /// Whether the thumb is held.
    public var thumbIsHeld: Bool { scrollBar.drag != nil }

    /// Whether a button is down on the scroll bar that does something there.
    public var scrollBarIsPressed: Bool { scrollBar.drag != nil || scrollBar.paging != nil }

    /// The pointer is at a point of the view with no button down; nil when it has left. The thumb shows whether it is there.
    public func scrollBarPointed(at point: ViewPoint?) {
        let isPointedAt = point.map { scrollThumb?.contains($0) ?? false } ?? false
        if isPointedAt != scrollBar.isPointedAt { scrollBar.isPointedAt = isPointedAt }
    }

    /// The pointer moved while the thumb is held. Returns whether it is.
    @discardableResult
    public func scrollBarDragged(to point: ViewPoint) -> Bool {
        guard var drag = scrollBar.drag else { return false }
        drag.pointer = point.y
        scrollBar.drag = drag
        scroll(by: drag.target - viewport.scroll.y)
        damageThumb()
        return true
    }

    /// The button came up. Returns whether the scroll bar had it.
    @discardableResult
    public func scrollBarReleased() -> Bool {
        guard scrollBar.drag != nil || scrollBar.paging != nil else { return false }
        (scrollBar.drag, scrollBar.paging) = (nil, nil)
        damageThumb()
        host?.editorViewDeadlineDidChange(self)
        return true
    }
}
