import InkstoneBase
import InkstoneLayout

/// A drag of the scroll bar's thumb: what it started with, so that heights that become known meanwhile do not move it.
struct ThumbDrag: Hashable, Sendable {
    /// Where the pointer went down and what the view was scrolled to, in view and document pixels.
    var startPointer: Double
    var startScroll: Double
    /// Document pixels for each pixel of the pointer.
    var ratio: Double
    /// The thumb when it was taken, and where the pointer is now, in view pixels.
    var startThumb: ViewRect
    var pointer: Double

    /// The thumb as far from where it was taken as the pointer is, in a view of a height in pixels.
    func thumb(height: Double) -> ViewRect {
        var thumb = startThumb
        thumb.origin.y = min(max(0, thumb.minY + pointer - startPointer), max(0, height - thumb.height)).rounded()
        return thumb
    }

    /// The document y to scroll to.
    var target: Double { startScroll + (pointer - startPointer) * ratio }
}

/// What the pointer is at on the scroll bar: a plain value.
struct ScrollBarUse: Hashable, Sendable {
    /// The thumb's drag, while it is held.
    var drag: ThumbDrag?
    /// A press beside the thumb that scrolls on by pages: how high, in view pixels, and when the next page comes.
    var paging: Paging?
    /// Whether the pointer is over the thumb.
    var isPointedAt = false

    struct Paging: Hashable, Sendable {
        var y: Double
        /// Milliseconds of the view's clock.
        var deadline: Int64
    }

    /// How long a press is held until a second page comes, and then from page to page, in milliseconds.
    static let firstPause: Int64 = 500
    static let pause: Int64 = 50

    /// Whether the thumb is shown as the one that the pointer has.
    var isActive: Bool { isPointedAt || drag != nil }
}

extension Viewport {
    /// The scroll bar's thumb in view pixels; nil if all text is in sight, and in a view of one line. While it is held it stays under the pointer, whatever
    /// heights become known.
    func thumb(in layout: TextLayoutManager, heldBy drag: ThumbDrag?) -> ViewRect? {
        let total = layout.usageHeight + 2 * margin
        guard !isSingleLine, total > frame.height else { return nil }
        if let drag { return drag.thumb(height: frame.height) }
        let height = max(24, frame.height * frame.height / total).rounded()
        let track = max(0, frame.height - height)
        let most = maximumScroll(in: layout)
        let y = most > 0 ? track * min(1, scroll.y / most) : 0
        return ViewRect(
            x: frame.width - scrollBarWidth, y: y.rounded(), width: scrollBarWidth, height: min(height, frame.height))
    }

    /// The drag that begins where a thumb is taken at `y`, in view pixels.
    func drag(of thumb: ViewRect, at y: Double, in layout: TextLayoutManager) -> ThumbDrag {
        let track = max(1, frame.height - thumb.height)
        return ThumbDrag(
            startPointer: y, startScroll: scroll.y, ratio: maximumScroll(in: layout) / track, startThumb: thumb,
            pointer: y)
    }

    /// Whether a point of the view lies on the strip of the scroll bar.
    func isOnScrollBar(_ point: ViewPoint) -> Bool {
        point.x >= frame.width - scrollBarWidth && bounds.contains(point)
    }
}
