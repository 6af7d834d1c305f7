import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Hears of the fragments in sight before a view is painted: who shows something beside the text, or on it, goes by them.
public protocol TextViewportLayoutDelegate: AnyObject {
    /// What is in sight is about to be gone through. The view may be given another frame here.
    func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController)
    /// A fragment is in sight, in part at least: called once for each, from top to bottom. The text may not be edited here.
    func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configure fragment: TextLayoutFragment)
    /// That was all of them.
    func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController)
}

extension TextViewportLayoutDelegate {
    /// Nothing.
    public func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {}
    /// Nothing.
    public func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) {}
}

/// What part of a text a view shows: it scrolls, keeps what is seen in its place while heights become known, and lays out what is in
/// sight. The scroll bar is part of it.
///
/// What a scroll changes on the screen is for `onEffect`; whether anything moved is returned, for the host to be told when it may
/// hear of it.
public final class TextViewportLayoutController {
    private struct Listener {
        weak var delegate: (any TextViewportLayoutDelegate)?
    }

    private let layout: TextLayoutManager
    /// The views that are shown in place of attachments.
    public let attachmentViews = AttachmentViews()
    /// What part of the text is seen, and where on the screen.
    @exclusivity(unchecked) var viewport: Viewport
    /// What the pointer does with the scroll bar.
    var scrollBar = ScrollBarUse()
    /// What a wheel has turned by and is less than a pixel.
    private var remainder = ScrollRemainder()
    private var listeners: [Listener] = []
    /// Takes what has moved, or is out of date, to the screen.
    var onEffect: ((ScrollEffect) -> Void)?

    init(_ layout: TextLayoutManager, theme: Theme) {
        self.layout = layout
        viewport = Viewport(theme: theme)
    }

    // MARK: What is in sight

    /// The part of the document in sight, in its pixels.
    public var viewportBounds: DocumentRect { viewport.visibleDocumentRect }

    /// A point of the document in the view.
    public func viewPoint(_ point: DocumentPoint) -> ViewPoint { viewport.viewPoint(point) }

    /// Has an object hear of what is in sight from now on. It is held weakly.
    public func addDelegate(_ delegate: any TextViewportLayoutDelegate) {
        listeners.removeAll { $0.delegate == nil }
        listeners.append(Listener(delegate: delegate))
    }

    /// Lays out what is in sight, places the views of attachments, and tells the delegates of each fragment. Whoever shows the view calls it
    /// before painting, as the widget in a window does. Nothing without delegates and such views; O(log n) and what is in sight.
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

    /// Changes what is seen. Returns whether anything moved.
    func move(_ change: (inout Viewport, TextLayoutManager) -> ScrollEffect) -> Bool {
        // On a copy: laying out may ask the program, which may ask the view.
        var changed = viewport
        let effect = change(&changed, layout)
        viewport = changed
        if effect != .none { onEffect?(effect) }
        return effect != .none
    }

    /// How far to scroll for a wheel or a touchpad: three lines a click. What is less than a pixel is kept for the next.
    func distance(ofClicks clicks: Vector, sideways: Bool) -> Vector {
        let line = 3 * layout.lineHeight
        var distance = Vector(dx: clicks.dx * line, dy: clicks.dy * line)
        if sideways { (distance.dx, distance.dy) = (distance.dx + distance.dy, 0) }
        return remainder.take(distance)
    }

    /// Puts the remembered place to the top again after heights or the width have changed.
    func restoreAnchor() { _ = move { $0.restoreAnchor(in: $1) } }

    /// Lays out what is in sight and what may reach into it, without moving what is seen.
    func layOutSurroundings() { _ = move { $0.layOutSurroundings(in: $1) } }

    /// Makes lines as wide as there is room now.
    func updateContainer() {
        layout.container = TextContainer(
            width: viewport.roomForText, lineBreakMode: viewport.wraps ? .byWordWrapping : .byClipping)
        if viewport.wraps { viewport.scroll.x = 0 }
        restoreAnchor()
    }

    // MARK: Heights

    /// Texts with more UTF-16 units keep estimated heights where nobody has been.
    private static let largestRefined = 1 << 25

    /// Whether there are heights to be made exact. Where lines do not wrap, counting them is exact.
    var hasEstimatedHeights: Bool {
        viewport.wraps && !layout.isExact && layout.length.value <= Self.largestRefined
    }

    /// Makes heights exact until `stop` says so, unless the thumb is held. Returns whether nothing is left to do.
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

    /// A scroll bar's thumb in view pixels; nil if all text is in sight in its direction.
    func thumb(_ axis: ScrollAxis) -> ViewRect? { viewport.thumb(axis, in: layout, heldBy: scrollBar.drag) }

    /// A button went down on a scroll bar: on the thumb it takes that, beside it the thumb goes there if `warps`, or the text scrolls by
    /// pages. Returns whether anything moved.
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

    /// The pointer moved while a thumb is held. Returns whether anything moved.
    func dragThumb(to point: ViewPoint) -> Bool {
        guard var drag = scrollBar.drag else { return false }
        drag.pointer = drag.axis.coordinate(of: point)
        scrollBar.drag = drag
        let scroll = viewport.scroll
        return move(along: drag.axis, by: drag.target - (drag.axis == .vertical ? scroll.y : scroll.x))
    }

    /// Scrolls by another page, if it is time. Returns whether anything moved.
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
