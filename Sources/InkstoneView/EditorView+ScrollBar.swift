import InkstoneBase

/// A drag of the scroll bar's thumb: what it started with, so that heights that become known meanwhile do not move it.
struct ThumbDrag: Hashable {
    /// Where the pointer went down and what the view was scrolled to, in view and document pixels.
    var startPointer: Double
    var startScroll: Double
    /// Document pixels for each pixel of the pointer.
    var ratio: Double
    /// The thumb when it was taken, and where the pointer is now, in view pixels.
    var startThumb: ViewRect
    var pointer: Double

    /// The thumb as far from where it was taken as the pointer is.
    func thumb(in frame: WindowRect) -> ViewRect {
        var thumb = startThumb
        thumb.origin.y = min(max(0, thumb.minY + pointer - startPointer), max(0, frame.height - thumb.height)).rounded()
        return thumb
    }
}

extension EditorView {
    /// Whether a point of the view lies on the scroll bar, which shows only while not all text is in sight.
    public func isOnScrollBar(_ point: ViewPoint) -> Bool {
        scrollThumb != nil && point.x >= frame.width - theme.scrollBarWidth && bounds.contains(point)
    }

    /// The primary button went down on the scroll bar: takes the thumb, or scrolls a page towards the pointer.
    public func scrollBarPressed(at point: ViewPoint) {
        guard let thumb = scrollThumb else { return }
        if point.y < thumb.minY { return scroll(by: -pageStep) }
        if point.y >= thumb.maxY { return scroll(by: pageStep) }
        let track = max(1, frame.height - thumb.height)
        thumbDrag = ThumbDrag(
            startPointer: point.y, startScroll: scroll.y, ratio: maximumScroll / track, startThumb: thumb,
            pointer: point.y)
    }

    /// The pointer moved while the thumb is held. Returns whether it is.
    @discardableResult
    public func scrollBarDragged(to point: ViewPoint) -> Bool {
        guard let thumbDrag else { return false }
        self.thumbDrag?.pointer = point.y
        let y = thumbDrag.startScroll + (point.y - thumbDrag.startPointer) * thumbDrag.ratio
        scroll(by: y - scroll.y)
        damageThumb()
        return true
    }

    /// The primary button came up. Returns whether the thumb was held.
    public func scrollBarReleased() -> Bool {
        guard thumbDrag != nil else { return false }
        thumbDrag = nil
        damageThumb()
        return true
    }
}
