import InkstoneBase
import InkstoneLayout

/// The direction in which a scroll bar scrolls.
public enum ScrollAxis: Hashable, Sendable, CaseIterable {
    /// The scroll bar along the right edge.
    case vertical
    /// The scroll bar along the lower edge, in views whose lines do not wrap.
    case horizontal

    /// Returns the coordinate of a point along the scroll bar, in view pixels.
    func coordinate(of point: ViewPoint) -> Double { self == .vertical ? point.y : point.x }

    /// Returns the extent of a rectangle along the scroll bar, in view pixels.
    func extent(of rect: ViewRect) -> Range<Double> {
        self == .vertical ? rect.minY..<max(rect.minY, rect.maxY) : rect.minX..<max(rect.minX, rect.maxX)
    }

    /// Returns a distance along the scroll bar as a vector.
    func distance(_ length: Double) -> Vector {
        self == .vertical ? Vector(dx: 0, dy: length) : Vector(dx: length, dy: 0)
    }
}

/// The thumbs of both scroll bars, in view pixels; nil if there is nothing to scroll in that direction.
struct ScrollThumbs: Hashable, Sendable {
    var vertical: ViewRect?
    var horizontal: ViewRect?

    subscript(axis: ScrollAxis) -> ViewRect? {
        get { axis == .vertical ? vertical : horizontal }
        set { if axis == .vertical { vertical = newValue } else { horizontal = newValue } }
    }
}

/// A drag of a scroll bar's thumb. It stores the state at its beginning: heights that become exact during the drag
/// then do not move the thumb.
struct ThumbDrag: Hashable, Sendable {
    var axis: ScrollAxis
    /// The pointer's coordinate along the scroll bar when the button was pressed, in view pixels.
    var startPointer: Double
    /// The scroll position when the button was pressed, in document pixels.
    var startScroll: Double
    /// The number of document pixels to scroll for each pixel that the pointer moves.
    var ratio: Double
    /// The thumb's rectangle when the drag began, in view pixels.
    var startThumb: ViewRect
    /// The pointer's present coordinate along the scroll bar, in view pixels.
    var pointer: Double

    /// Returns the thumb's rectangle moved by the same distance as the pointer, on a scroll bar of a length in
    /// pixels.
    func thumb(length: Double) -> ViewRect {
        var thumb = startThumb
        let extent = axis.extent(of: thumb)
        let most = max(0, length - (extent.upperBound - extent.lowerBound))
        let start = min(max(0, extent.lowerBound + pointer - startPointer), most).rounded()
        if axis == .vertical { thumb.origin.y = start } else { thumb.origin.x = start }
        return thumb
    }

    /// The document coordinate to scroll to for the present position of the pointer.
    var target: Double { startScroll + (pointer - startPointer) * ratio }
}

/// The state of the pointer's interaction with the scroll bars: a plain value.
struct ScrollBarUse: Hashable, Sendable {
    /// The drag in progress; nil if no thumb is held.
    var drag: ThumbDrag?
    /// The press beside a thumb, which scrolls by pages while the button is held, with the time of the next page;
    /// nil for none.
    var paging: Paging?
    /// The scroll bar whose thumb is under the pointer; nil for none.
    var pointedAt: ScrollAxis?

    struct Paging: Hashable, Sendable {
        var axis: ScrollAxis
        /// The coordinate of the pointer along the scroll bar, in view pixels.
        var pointer: Double
        /// The time of the next page, in milliseconds of the view's clock.
        var deadline: Int64
    }

    /// The time until the second page of a held press, in milliseconds.
    static let firstPause: Int64 = 500
    /// The time between the following pages of a held press, in milliseconds.
    static let pause: Int64 = 50

    /// The scroll bar whose thumb is painted as held or pointed at; nil for none.
    var active: ScrollAxis? { drag?.axis ?? pointedAt }
}

extension Viewport {
    /// Returns the strip of a scroll bar, in view pixels; empty if the view does not have the scroll bar.
    func scrollBarStrip(_ axis: ScrollAxis) -> ViewRect {
        let text = textArea
        return axis == .vertical
            ? ViewRect(x: frame.width - scrollBarWidth, y: 0, width: scrollBarWidth, height: text.height)
            : ViewRect(x: 0, y: frame.height - lowerBarHeight, width: text.width, height: lowerBarHeight)
    }

    /// Returns the thumb of a scroll bar in view pixels; nil if all text is visible in its direction, or in a
    /// single-line view. A held thumb stays under the pointer, even while estimated heights or widths become exact.
    func thumb(_ axis: ScrollAxis, in layout: TextLayoutManager, heldBy drag: ThumbDrag?) -> ViewRect? {
        guard !isSingleLine, axis == .vertical || !wraps else { return nil }
        let strip = scrollBarStrip(axis)
        let length = axis == .vertical ? strip.height : strip.width
        let most = axis == .vertical ? maximumScroll(in: layout) : maximumScrollX(in: layout)
        let total = axis == .vertical ? layout.usageHeight + 2 * margin : length + most
        guard total > length else { return nil }
        if let drag, drag.axis == axis { return drag.thumb(length: length) }
        let size = max(24, length * length / total).rounded()
        let share = min(1, (axis == .vertical ? scroll.y : scroll.x) / max(1, most))
        let start = most > 0 ? (max(0, length - size) * share).rounded() : 0
        var thumb = strip
        if axis == .vertical {
            (thumb.origin.y, thumb.size.height) = (start, min(size, length))
        } else {
            (thumb.origin.x, thumb.size.width) = (start, min(size, length))
        }
        return thumb
    }

    /// Returns the drag that begins when a thumb is pressed at a coordinate along its scroll bar, in view pixels.
    func drag(of thumb: ViewRect, _ axis: ScrollAxis, at pointer: Double, in layout: TextLayoutManager) -> ThumbDrag {
        let (extent, bar) = (axis.extent(of: thumb), axis.extent(of: scrollBarStrip(axis)))
        let track = max(1, bar.upperBound - bar.lowerBound - (extent.upperBound - extent.lowerBound))
        let most = axis == .vertical ? maximumScroll(in: layout) : maximumScrollX(in: layout)
        return ThumbDrag(
            axis: axis, startPointer: pointer, startScroll: axis == .vertical ? scroll.y : scroll.x,
            ratio: most / track, startThumb: thumb, pointer: pointer)
    }

    /// Returns the scroll bar under a point of the view; nil for none.
    func scrollBar(at point: ViewPoint) -> ScrollAxis? {
        ScrollAxis.allCases.first { scrollBarStrip($0).contains(point) }
    }
}
