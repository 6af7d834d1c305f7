import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Where the view is and what part of the text it shows: the ``Viewport``, with what follows when it changes.
extension EditorView {
    /// Where the view lies in its window.
    public var frame: WindowRect { viewport.frame }
    /// The view's own rectangle.
    public var bounds: ViewRect { viewport.bounds }

    /// Where the window's origin lies on the root window; kept up to date by the host.
    public var windowOrigin: RootPoint {
        get { viewport.windowOrigin }
        set {
            guard newValue != viewport.windowOrigin else { return }
            viewport.windowOrigin = newValue
            host?.editorViewCoordinatesDidChange(self)
        }
    }

    /// Whether long lines are wrapped at the view's width.
    public var wrapsLines: Bool {
        get { viewport.wrapsLines }
        set {
            guard newValue != viewport.wrapsLines else { return }
            viewport.wrapsLines = newValue
            state.forgetGoals()
            updateContainer()
            setNeedsDisplay()
        }
    }

    /// Has lines made as wide as there is room now.
    func updateContainer() {
        viewport.isSingleLine = options.isSingleLine
        layout.container = TextContainer(
            width: viewport.roomForText, lineBreakMode: viewport.wraps ? .byWordWrapping : .byClipping)
        if viewport.wraps { viewport.scroll.x = 0 }
        restoreScrollAnchor()
        host?.editorViewCoordinatesDidChange(self)
    }

    /// The part of the text that the view shows.
    var visibleDocumentRect: DocumentRect { viewport.visibleDocumentRect }
    /// A rectangle of the text in view pixels; it may lie outside the view.
    func viewRect(_ rect: DocumentRect) -> ViewRect { viewport.viewRect(rect) }
    /// The point of the text under a point of the view.
    public func documentPoint(_ point: ViewPoint) -> DocumentPoint { viewport.documentPoint(point) }

    // MARK: Scrolling

    /// Height of one line, in pixels: what a wheel click or an arrow scrolls by multiples of.
    public var lineStep: Double { layout.lineHeight }
    /// Almost a view's height, in pixels: one line stays in sight.
    var pageStep: Double { viewport.pageStep(in: layout) }

    /// Scrolls by a distance in pixels, down if positive; stops at the ends.
    public func scroll(by dy: Double, dx: Double = 0) {
        scroll { $0.scroll(by: dy, dx: dx, in: layout) }
    }

    /// Scrolls as far as a wheel or a touchpad was turned: three lines a click, and parts of a click add up.
    ///
    /// - Parameters:
    ///   - clicks: down and to the right if positive.
    ///   - sideways: whether a wheel that goes up and down scrolls to the sides, as with Shift.
    public func scroll(byClicks clicks: Vector, sideways: Bool = false) {
        let line = 3 * lineStep
        var distance = Vector(dx: clicks.dx * line, dy: clicks.dy * line)
        if sideways { (distance.dx, distance.dy) = (distance.dx + distance.dy, 0) }
        let step = scrollRemainder.take(distance)
        if step != Vector(dx: 0, dy: 0) { scroll(by: step.dy, dx: step.dx) }
    }

    /// Shows the start of the text.
    func scrollToStart() { scroll { $0.scroll(toY: 0, x: 0, in: layout) } }

    /// Shows the end of the text.
    func scrollToEnd() { scroll { $0.scrollToEnd(in: layout) } }

    /// Puts the caret's line into the middle of the view.
    func centerCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.center(head, in: layout) }
    }

    /// Scrolls as little as needed to show the caret.
    public func scrollToCaret() {
        if bringCaretIntoSight() { host?.editorViewCoordinatesDidChange(self) }
    }

    /// The same without telling the host where things are now. Returns whether anything moved.
    @discardableResult
    func bringCaretIntoSight() -> Bool {
        guard let head = selection?.primary.place else { return false }
        return move { $0.show(head, in: layout) }
    }

    /// Shows the caret; if its line is out of sight, with some of the text above and below it.
    package func revealCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.reveal(head, in: layout) }
    }

    /// Moves the user to a place that a search or the number of a line has led to. If it is out of sight, it comes to rest a third of
    /// the way down the view, so that what stands around it is seen too; else nothing scrolls.
    public func go(to selection: Selection) {
        select(selection, scrolling: false)
        revealCaret()
    }

    /// Scrolls, has the screen follow, and tells the host.
    private func scroll(_ change: (inout Viewport) -> ScrollEffect) {
        if move(change) { host?.editorViewCoordinatesDidChange(self) }
    }

    /// Scrolls, and has the screen follow. Returns whether anything moved.
    private func move(_ change: (inout Viewport) -> ScrollEffect) -> Bool {
        // On a copy: laying out may ask the program, which may ask the view.
        var changed = viewport
        let effect = change(&changed)
        viewport = changed
        show(effect)
        return effect != .none
    }

    /// Puts the remembered place to the top again after heights or the width have changed.
    func restoreScrollAnchor() {
        var changed = viewport
        let effect = changed.restoreAnchor(in: layout)
        viewport = changed
        show(effect)
    }

    /// Lays out what is in sight and what may reach into it, without moving what is seen.
    func layOutSurroundings() {
        var changed = viewport
        let effect = changed.layOutSurroundings(in: layout)
        viewport = changed
        show(effect)
    }

    // MARK: Scroll bar

    /// The scroll bar's thumb in view pixels; nil if all text is in sight.
    public var scrollThumb: ViewRect? { viewport.thumb(in: layout, heldBy: scrollBar.drag) }

    /// Whether a point of the view lies on the scroll bar, which shows only while not all text is in sight.
    public func isOnScrollBar(_ point: ViewPoint) -> Bool { scrollThumb != nil && viewport.isOnScrollBar(point) }

    // MARK: Heights

    /// Whether ``refineHeights(until:)`` has something to do.
    public var hasEstimatedHeights: Bool {
        // Where lines do not wrap, counting them is exact.
        viewport.wraps && !layout.isExact && layout.length.value <= Self.largestRefined
    }

    /// Texts with more UTF-16 units keep estimated heights where nobody has been.
    static let largestRefined = 1 << 25

    /// Makes heights exact that are only estimated, until `stop` says so; it is asked after each paragraph. What is seen does
    /// not move: only the scroll bar's thumb does, unless it is held. Returns whether nothing is left to do.
    @discardableResult
    public func refineHeights(until stop: () -> Bool) -> Bool {
        guard hasEstimatedHeights else { return true }
        guard scrollBar.drag == nil else { return false }
        let isDone = layout.refineHeights(limit: Self.largestRefined, until: stop)
        restoreScrollAnchor()
        damageThumb()
        return isDone
    }
}
