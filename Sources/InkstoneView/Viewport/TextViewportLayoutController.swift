import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Callbacks for the visible fragments before a view is painted, for objects that show something beside the text or
/// over it.
public protocol TextViewportLayoutDelegate: AnyObject {
    /// Called before the visible fragments are enumerated. The view's frame may be changed here.
    func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController)
    /// Called once for each fragment that is at least partly visible, from top to bottom. Do not edit the text
    /// here.
    func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configure fragment: TextLayoutFragment)
    /// Called after the last visible fragment.
    func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController)
}

extension TextViewportLayoutDelegate {
    /// Does nothing: the default for a delegate that only needs the fragments.
    public func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {}
    /// Does nothing: the default for a delegate that only needs the fragments.
    public func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) {}
}

/// The visible part of a text in a view. Scrolls, keeps the visible text in position while estimated heights become
/// exact, and lays out the visible lines. Also handles the scroll bars.
///
/// The methods report the effect of a scroll on the screen by `onEffect`, and return whether anything has moved.
/// The caller notifies the host when that is permitted.
public final class TextViewportLayoutController {
    private struct Listener {
        weak var delegate: (any TextViewportLayoutDelegate)?
    }

    private let layout: TextLayoutManager
    /// The views that are displayed in place of attachments.
    public let attachmentViews = AttachmentViews()
    /// The visible part of the document, and its position on the screen.
    @exclusivity(unchecked) var viewport: Viewport
    /// The pointer's interaction with the scroll bars.
    var scrollBar = ScrollBarUse()
    /// The turns of the wheel that amount to less than a pixel and are not scrolled yet.
    private var remainder = ScrollRemainder()
    private var listeners: [Listener] = []
    /// Called when painted pixels have moved or are out of date.
    var onEffect: ((ScrollEffect) -> Void)?

    init(_ layout: TextLayoutManager, theme: Theme) {
        self.layout = layout
        viewport = Viewport(theme: theme)
    }

    // MARK: Visible part

    /// The visible part of the document, in document pixels.
    public var viewportBounds: DocumentRect { viewport.visibleDocumentRect }

    /// Converts a point of the document to view pixels.
    public func viewPoint(_ point: DocumentPoint) -> ViewPoint { viewport.viewPoint(point) }

    /// Adds a delegate that is called for the visible fragments. The delegate is not retained.
    public func addDelegate(_ delegate: any TextViewportLayoutDelegate) {
        listeners.removeAll { $0.delegate == nil }
        listeners.append(Listener(delegate: delegate))
    }

    /// Lays out the visible fragments, places the views of attachments, and calls the delegates for each fragment.
    /// Call before painting, as the widget in a window does. Does nothing without delegates and attachment views.
    /// O(log n) plus the visible fragments.
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

    /// Applies a change to the visible part. Returns whether anything has moved.
    func move(_ change: (inout Viewport, TextLayoutManager) -> ScrollEffect) -> Bool {
        // Change a copy. Layout may call the program, which may read the view meanwhile.
        var changed = viewport
        let effect = change(&changed, layout)
        viewport = changed
        if effect != .none { onEffect?(effect) }
        return effect != .none
    }

    /// Returns the distance to scroll for a turn of a wheel or touchpad, three lines a click. The fraction of a
    /// pixel is kept for the next call.
    func distance(ofClicks clicks: Vector, sideways: Bool) -> Vector {
        let line = 3 * layout.lineHeight
        var distance = Vector(dx: clicks.dx * line, dy: clicks.dy * line)
        if sideways { (distance.dx, distance.dy) = (distance.dx + distance.dy, 0) }
        return remainder.take(distance)
    }

    /// Scrolls so that the anchored line keeps its position in the view, after heights or the width have changed.
    func restoreAnchor() { _ = move { $0.restoreAnchor(in: $1) } }

    /// Lays out the visible lines, and those outside whose ink may be visible, without moving the visible text.
    func layOutSurroundings() { _ = move { $0.layOutSurroundings(in: $1) } }

    /// Sets the width at which lines wrap to the available width.
    func updateContainer() {
        layout.container = TextContainer(
            width: viewport.roomForText, lineBreakMode: viewport.wraps ? .byWordWrapping : .byClipping)
        if viewport.wraps { viewport.scroll.x = 0 }
        restoreAnchor()
    }

    // MARK: Making estimated heights exact

    /// The longest text whose heights are all made exact, in UTF-16 units. Longer texts have estimated heights
    /// outside of the parts that were shown.
    private static let largestRefined = 1 << 25

    /// Whether there are estimated heights that can be made exact. False for a text longer than ``largestRefined``, and
    /// if lines do not wrap: heights then follow from the number of lines, and are only wrong for lines that styles
    /// make higher.
    var hasEstimatedHeights: Bool {
        viewport.wraps && !layout.isExact && layout.length.value <= Self.largestRefined
    }

    /// Makes estimated heights exact until `stop` returns true. Returns whether no height is left that can be made
    /// exact. While a thumb is held, does nothing and returns false if there are such heights.
    func refineHeights(until stop: () -> Bool) -> Bool {
        guard hasEstimatedHeights else { return true }
        guard scrollBar.drag == nil else { return false }
        let isDone = layout.refineHeights(limit: Self.largestRefined, until: stop)
        restoreAnchor()
        return isDone
    }

    // MARK: Scroll bar

    /// The thumbs of the scroll bars, in view pixels.
    var thumbs: ScrollThumbs { ScrollThumbs(vertical: thumb(.vertical), horizontal: thumb(.horizontal)) }

    /// Returns the thumb of a scroll bar in view pixels; nil if all text is visible in its direction, or in a
    /// single-line view.
    func thumb(_ axis: ScrollAxis) -> ViewRect? { viewport.thumb(axis, in: layout, heldBy: scrollBar.drag) }

    /// Handles a press on a scroll bar. On the thumb, a drag begins. Beside the thumb, the thumb moves to the
    /// pointer if `warps`; otherwise the text scrolls by pages. Returns whether anything has moved.
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

    /// Moves the held thumb to the pointer. Returns whether anything has moved.
    func dragThumb(to point: ViewPoint) -> Bool {
        guard var drag = scrollBar.drag else { return false }
        drag.pointer = drag.axis.coordinate(of: point)
        scrollBar.drag = drag
        let scroll = viewport.scroll
        return move(along: drag.axis, by: drag.target - (drag.axis == .vertical ? scroll.y : scroll.x))
    }

    /// Scrolls by another page if one is due while a press beside the thumb is held. Returns whether anything has
    /// moved.
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
