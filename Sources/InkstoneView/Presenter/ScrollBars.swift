import InkstoneBase
import InkstoneEditing

/// The scroll bars of a view, as they handle the pointer's events. Do not store this value; get it from
/// ``TextPresenter/scrollBars`` for each use.
///
/// The state of a held thumb is stored in the ``TextPresenter/viewportLayout``, which keeps the thumb under the
/// pointer while estimated heights become exact.
public struct ScrollBars {
    fileprivate let presenter: TextPresenter

    private var controller: TextViewportLayoutController { presenter.viewportLayout }
    private var viewport: Viewport { controller.viewport }

    // MARK: Geometry

    /// Returns the thumb of a scroll bar, in view pixels. Nil if all text is visible in its direction, and in a
    /// single-line view. The horizontal thumb is also nil if lines wrap, or if all lines laid out so far fit.
    public func thumb(_ axis: ScrollAxis) -> ViewRect? { controller.thumb(axis) }

    /// Whether a point of the view lies on a scroll bar that is shown. A scroll bar is not shown if all text is
    /// visible in its direction.
    package func contains(_ point: ViewPoint) -> Bool { viewport.scrollBar(at: point).flatMap(controller.thumb) != nil }

    /// Returns the values of a scroll bar in pixels: its frame in the window, the scroll position, the largest
    /// scroll position, and the height of a line. Nil if all text is visible in its direction.
    package func values(
        _ axis: ScrollAxis
    ) -> (frame: WindowRect, position: Double, end: Double, step: Double)? {
        guard thumb(axis) != nil else { return nil }
        let layout = presenter.layout
        let end = axis == .vertical ? viewport.maximumScroll(in: layout) : viewport.maximumScrollX(in: layout)
        let position = axis == .vertical ? viewport.scroll.y : viewport.scroll.x
        return (viewport.windowRect(viewport.scrollBarStrip(axis)), position, max(0, end), presenter.lineStep)
    }

    // MARK: Pointer

    package var isHeld: Bool { controller.scrollBar.drag != nil }

    /// Whether a button was pressed on a scroll bar and still has an effect there.
    package var isPressed: Bool { isHeld || controller.scrollBar.paging != nil }

    /// Handles a press on a scroll bar. On the thumb, it begins a drag. Beside the thumb,
    /// ``PointerSettings/warpsScrollBar`` decides. If it is true, the thumb moves to the pointer and is held.
    /// Otherwise the text scrolls by pages towards the pointer as long as the button is held.
    ///
    /// - Parameter warps: whether the thumb moves to the pointer regardless of the settings, as for the middle
    ///   button.
    package func press(at point: ViewPoint, warps: Bool = false) {
        guard let axis = viewport.scrollBar(at: point) else { return }
        use {
            $0.pressScrollBar(
                axis, at: point, warps: warps || presenter.interaction.settings.warpsScrollBar, now: presenter.clock())
        }
    }

    /// Records the position of the pointer while no button is down; nil if the pointer has left the view. The thumb
    /// under the pointer is highlighted.
    package func point(at point: ViewPoint?) {
        let axis = point.flatMap { point in
            viewport.scrollBar(at: point).flatMap { axis in
                thumb(axis).flatMap { $0.contains(point) ? axis : nil }
            }
        }
        guard axis != controller.scrollBar.pointedAt else { return }
        controller.scrollBar.pointedAt = axis
        presenter.showThumbUse()
    }

    /// Moves the held thumb to the pointer. Returns false if no thumb is held.
    @discardableResult
    package func drag(to point: ViewPoint) -> Bool {
        guard isHeld else { return false }
        use { $0.dragThumb(to: point) }
        return true
    }

    /// Handles the release of the button. Returns false if no thumb was held, and no press beside a thumb was in
    /// progress.
    @discardableResult
    package func release() -> Bool {
        guard isPressed else { return false }
        use {
            ($0.scrollBar.drag, $0.scrollBar.paging) = (nil, nil)
            return false
        }
        return true
    }

    /// Scrolls by another page if one is due while a press beside the thumb is held.
    func pageOn() {
        if controller.scrollBar.paging != nil { use { $0.pageOn(now: presenter.clock()) } }
    }

    private func use(_ work: (TextViewportLayoutController) -> Bool) {
        let paging = controller.scrollBar.paging
        let hasMoved = work(controller)
        presenter.showThumbUse()
        presenter.damageThumb()
        if controller.scrollBar.paging != paging { presenter.view?.deadlineDidChange() }
        if hasMoved { presenter.session.report(.scrolling) }
    }
}

extension TextPresenter {
    /// The scroll bars of the view. Get this value anew for each use.
    public var scrollBars: ScrollBars { ScrollBars(presenter: self) }
}
