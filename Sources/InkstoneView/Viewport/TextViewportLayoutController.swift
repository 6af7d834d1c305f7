import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The callbacks for the fragments in sight before a view is painted, for objects that show something beside or on the text.
public protocol TextViewportLayoutDelegate: AnyObject {
    /// Called before the fragments in sight are enumerated. The view may be given another frame here.
    func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController)
    /// Called once for each fragment that is at least partly in sight, from top to bottom. The text may not be edited here.
    func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configure fragment: TextLayoutFragment)
    /// Called after the last fragment in sight.
    func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController)
}

extension TextViewportLayoutDelegate {
    /// Does nothing.
    public func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {}
    /// Does nothing.
    public func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) {}
}

/// The visible part of a text in a view: scrolls, keeps the visible text in position while heights become known, and lays out the lines in sight.
/// The scroll bars are part of it.
///
/// `onEffect` receives the effect of a scroll on the screen; the methods return whether anything moved, so that the caller can notify the host when
/// it may be called.
public final class TextViewportLayoutController {
    private struct Listener {
        weak var delegate: (any TextViewportLayoutDelegate)?
    }

    private let layout: TextLayoutManager
    /// The views that are shown in place of attachments.
    public let attachmentViews = AttachmentViews()
    /// The visible part of the text, and its position on the screen.
    @exclusivity(unchecked) var viewport: Viewport
    /// The pointer's interaction with the scroll bars.
    var scrollBar = ScrollBarUse()
    /// The wheel's turn of less than a pixel, not scrolled yet.
    private var remainder = ScrollRemainder()
    private var listeners: [Listener] = []
    /// Called when painted pixels have moved or are out of date.
    var onEffect: ((ScrollEffect) -> Void)?

    init(_ layout: TextLayoutManager, theme: Theme) {
        self.layout = layout
        viewport = Viewport(theme: theme)
    }

    // MARK: What is in sight

    /// The part of the document in sight, in its pixels.
    public var viewportBounds: DocumentRect { viewport.visibleDocumentRect }

    /// Returns the point of the view for a point of the document.
    public func viewPoint(_ point: DocumentPoint) -> ViewPoint { viewport.viewPoint(point) }

    /// Adds a delegate for the fragments in sight. It is held weakly.
    public func addDelegate(_ delegate: any TextViewportLayoutDelegate) {
        listeners.removeAll { $0.delegate == nil }
        listeners.append(Listener(delegate: delegate))
    }

    /// Lays out the fragments in sight, places the views of attachments, and calls the delegates for each fragment. Call before painting, as the
    /// widget in a window does. Does nothing without delegates and such views; O(log n) plus the fragments in sight.
    public func layoutViewport() {
        attachmentViews.place()
        let delegates = listeners.compactMap(\.delegate)
        guard !delegates.isEmpty else { return }
        for delegate in delegates { delegate.textViewportLayoutControllerWillLayout(self) }
        layOutSurroundings()
        for fragment in layout.textLayoutFragments(in: viewportBounds) {
            for delegate in delegates { delegate.textViewportLayoutController(self, configure: fragment) }
        }
        for delegate in delegates { delegate.textViewportLayoutControllerDidLayout(self) }
    }

    // MARK: Scrolling

    /// Changes the visible part. Returns whether anything moved.
    func move(_ change: (inout Viewport, TextLayoutManager) -> ScrollEffect) -> Bool {
        // Change a copy: layout may call the program, which may query the view.
        var changed = viewport
        let effect = change(&changed, layout)
        viewport = changed
        if effect != .none { onEffect?(effect) }
        return effect != .none
    }

    /// Returns the distance to scroll for a wheel or a touchpad: three lines a click. A fraction of a pixel is kept for the next call.
    func distance(ofClicks clicks: Vector, sideways: Bool) -> Vector {
        let line = 3 * layout.lineHeight
        var distance = Vector(dx: clicks.dx * line, dy: clicks.dy * line)
        if sideways { (distance.dx, distance.dy) = (distance.dx + distance.dy, 0) }
        return remainder.take(distance)
    }

    /// Scrolls the anchor back to its position after heights or the width have changed.
    func restoreAnchor() { _ = move { $0.restoreAnchor(in: $1) } }

    /// Lays out the lines in sight and those whose ink may reach into it, without moving the visible text.
    func layOutSurroundings() { _ = move { $0.layOutSurroundings(in: $1) } }

    /// Sets the width of lines to the room available.
    func updateContainer() {
        layout.container = TextContainer(
            width: viewport.roomForText, lineBreakMode: viewport.wraps ? .byWordWrapping : .byClipping)
        if viewport.wraps { viewport.scroll.x = 0 }
        restoreAnchor()
    }

    // MARK: Heights

    /// Longest text whose heights are made exact, in UTF-16 code units; longer ones keep estimated heights outside of the parts shown.
    private static let largestRefined = 1 << 25

    /// Whether there are estimated heights to make exact. Where lines do not wrap, their number gives exact heights.
    var hasEstimatedHeights: Bool {
        viewport.wraps && !layout.isExact && layout.length.value <= Self.largestRefined
    }

    /// Makes heights exact until `stop` returns true, unless the thumb is held. Returns whether all are exact.
    func refineHeights(until stop: () -> Bool) -> Bool {
        guard hasEstimatedHeights else { return true }
        guard scrollBar.drag == nil else { return false }
        let isDone = layout.refineHeights(limit: Self.largestRefined, until: stop)
        restoreAnchor()
        return isDone
    }

    // MARK: Scroll bar

    /// The scroll bars' thumbs in view pixels.
    var thumbs: ScrollThumbs { ScrollThumbs(vertical: thumb(.vertical), horizontal: thumb(.horizontal)) }

    /// Returns a scroll bar's thumb in view pixels; nil if all text is in sight in its direction.
    func thumb(_ axis: ScrollAxis) -> ViewRect? { viewport.thumb(axis, in: layout, heldBy: scrollBar.drag) }

    /// Handles a press on a scroll bar: on the thumb it begins a drag; beside it, the thumb moves there if `warps`, or the text scrolls by pages.
    /// Returns whether anything moved.
    func pressScrollBar(_ axis: ScrollAxis, at point: ViewPoint, warps: Bool, now: Int64) -> Bool {
        guard let thumb = thumb(axis) else { return false }
        let (pointer, extent) = (axis.coordinate(of: point), axis.extent(of: thumb))
        if extent.contains(pointer) {
            scrollBar.drag = viewport.drag(of: thumb, axis, at: pointer, in: layout)
        } else if warps {
            let middle = (extent.lowerBound + extent.upperBound) / 2
            scrollBar.drag = viewport.drag(of: thumb, axis, at: middle, in: layout)
            return dragThumb(to: point)
        } else {
            return page(axis, towards: pointer, until: now + ScrollBarUse.firstPause)
        }
        return false
    }

    /// Moves a held thumb to the pointer. Returns whether anything moved.
    func dragThumb(to point: ViewPoint) -> Bool {
        guard var drag = scrollBar.drag else { return false }
        drag.pointer = drag.axis.coordinate(of: point)
        scrollBar.drag = drag
        let scroll = viewport.scroll
        return move(along: drag.axis, by: drag.target - (drag.axis == .vertical ? scroll.y : scroll.x))
    }

    /// Scrolls by another page, if it is due. Returns whether anything moved.
    func pageOn(now: Int64) -> Bool {
        guard let paging = scrollBar.paging, now >= paging.deadline else { return false }
        return page(paging.axis, towards: paging.pointer, until: now + ScrollBarUse.pause)
    }

    private func page(_ axis: ScrollAxis, towards pointer: Double, until deadline: Int64) -> Bool {
        scrollBar.paging = nil
        guard let extent = thumb(axis).map(axis.extent(of:)), !extent.contains(pointer) else { return false }
        let page = axis == .vertical ? viewport.pageStep(in: layout) : viewport.roomForText * 7 / 8
        defer { scrollBar.paging = ScrollBarUse.Paging(axis: axis, pointer: pointer, deadline: deadline) }
        return move(along: axis, by: pointer < extent.lowerBound ? -page : page)
    }

    private func move(along axis: ScrollAxis, by length: Double) -> Bool {
        let distance = axis.distance(length)
        return move { $0.scroll(by: distance.dy, dx: distance.dx, in: $1) }
    }
}
