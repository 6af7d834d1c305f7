import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The frame and the visible part of the text. ``viewportLayout`` does the work.
extension TextPresenter {
    /// Sets the view's frame in its window.
    func setFrame(_ frame: WindowRect) {
        guard frame != self.frame else { return }
        let caretWasSeen = caretIsInSight
        viewport.setFrame(frame)
        updateContainer()
        if caretWasSeen, hasRoomForLine { bringCaretIntoSight() }
        setNeedsDisplay()
        session.report(.geometry)
    }

    /// Moves the view's frame without laying out its text again; the size must not change.
    func move(to frame: WindowRect) {
        viewport.setFrame(frame)
        session.report(.geometry)
    }

    var windowOrigin: RootPoint {
        get { viewport.windowOrigin }
        set {
            guard newValue != viewport.windowOrigin else { return }
            viewport.windowOrigin = newValue
            session.report(.geometry)
        }
    }

    var wrapsLines: Bool {
        get { viewport.wrapsLines }
        set {
            guard newValue != viewport.wrapsLines else { return }
            viewport.wrapsLines = newValue
            session.change(.relayout)
            updateContainer()
            setNeedsDisplay()
            session.report(.geometry)
        }
    }

    /// Sets the width at which lines wrap to the available width. A single-line view also scrolls to keep its caret
    /// visible.
    func updateContainer() {
        viewport.isSingleLine = options.isSingleLine
        viewportLayout.updateContainer()
        if options.isSingleLine { bringCaretIntoSight() }
    }

    // MARK: Scrolling

    /// The height of one line in pixels: an arrow key in a view without a caret scrolls by one line, and a click of
    /// the wheel by three.
    public var lineStep: Double { layout.lineHeight }
    /// The distance of a page in pixels: the view's height less one line, so that this line remains visible; at
    /// least one line.
    var pageStep: Double { viewport.pageStep(in: layout) }

    /// Scrolls by a distance in pixels, down if `dy` is positive. Stops at the ends of the text.
    func scroll(by dy: Double, dx: Double = 0) { scroll { $0.scroll(by: dy, dx: dx, in: $1) } }

    /// Scrolls by a turn of a wheel or touchpad, three lines a click. Fractions of a click add up.
    ///
    /// - Parameters:
    ///   - clicks: the turn in clicks, positive down and to the right.
    ///   - sideways: whether a vertical turn scrolls horizontally, as with Shift.
    public func scroll(byClicks clicks: Vector, sideways: Bool = false) {
        let step = viewportLayout.distance(ofClicks: clicks, sideways: sideways)
        if step != Vector(dx: 0, dy: 0) { scroll(by: step.dy, dx: step.dx) }
    }

    func scrollToStart() { scroll { $0.scroll(toY: 0, x: 0, in: $1) } }

    /// Scrolls to the end of the text. The selection does not change.
    func scrollToEnd() { scroll { $0.scrollToEnd(in: $1) } }

    /// Whether the text is scrolled to its end; also true if the whole text is visible.
    var isAtEnd: Bool {
        // Allow a difference of one pixel: the end is rounded up, and the scroll position to the nearest pixel.
        viewport.scroll.y >= viewport.maximumScroll(in: layout) - 1
    }

    /// Scrolls by the least distance that makes a range visible or, if it does not fit, its start. The range, in
    /// UTF-16 units, is clamped to the text. The selection does not change.
    func scrollToVisible(_ range: Range<UTF16Offset>) {
        let range = range.clamped(into: textRange)
        scroll { viewport, layout in
            let end = viewport.show(CaretPlace(range.upperBound, affinity: .upstream), in: layout)
            let start = viewport.show(CaretPlace(range.lowerBound), in: layout)
            return end.then(start, height: viewport.textArea.height)
        }
    }

    // MARK: Height of the text, and scrolling to lines and the caret

    /// The height that shows the whole text at the present width, in device pixels, including the margins. For a
    /// field in a form, or one that grows with its text. In a text of more than 256 paragraphs, part of the height
    /// may be estimated.
    var preferredHeight: Double {
        var paragraphs = 0
        refineHeights {
            paragraphs += 1
            return paragraphs > 256
        }
        let text = options.isSingleLine ? max(lineStep, layout.usageHeight) : layout.usageHeight
        return (text + 2 * theme.margin + viewport.lowerBarHeight).rounded(.up)
    }

    /// The start of the first visible line, in UTF-16 units.
    package var topOffset: UTF16Offset { viewport.scroll.anchor.offset }

    /// Scrolls the line of an offset to the top of the view, or as near to it as the end of the text allows. The
    /// offset, in UTF-16 units, is clamped to the text.
    package func scrollToLine(at offset: UTF16Offset) {
        scroll { $0.scroll(toLineAt: min(max(0, offset), textRange.upperBound), in: $1) }
    }

    /// Scrolls so that the caret's line is in the middle of the view.
    func centerCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.center(head, in: $1) }
    }

    /// Whether the view has room for a line of text.
    var hasRoomForLine: Bool { viewport.heightForText >= layout.lineHeight }

    /// Whether any part of the caret is visible. Always false in a view that has no room for a line.
    var caretIsInSight: Bool {
        guard hasRoomForLine, let head = selection?.primary.place else { return false }
        // Do not lay out a caret that is far away.
        let visible = visibleTextRange
        guard head.offset >= visible.lowerBound, head.offset <= visible.upperBound else { return false }
        let caret = layout.geometry.caretRect(at: head.offset, affinity: head.affinity)
        return viewport.viewRect(caret).intersects(viewport.textArea)
    }

    /// Scrolls by the least distance that makes the caret visible.
    func scrollToCaret() {
        if bringCaretIntoSight() { session.report(.scrolling) }
    }

    /// Scrolls by the least distance that makes the caret visible. Does not report the scrolling to observers: the
    /// caller does. Returns whether anything has moved.
    @discardableResult
    package func bringCaretIntoSight() -> Bool {
        guard let head = selection?.primary.place else { return false }
        return viewportLayout.move { $0.show(head, in: $1) }
    }

    /// Scrolls by the least distance that makes the start of the text visible, even if the caret is elsewhere. For
    /// a field that has lost the focus.
    package func showStart() {
        let start = Selection(caret: 0).primary.place
        scroll { $0.show(start, in: $1) }
    }

    /// Scrolls so that the caret is visible. If its line is out of view, some text above and below the line becomes
    /// visible too.
    package func revealCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.reveal(head, in: $1) }
    }

    private func scroll(_ change: (inout Viewport, TextLayoutManager) -> ScrollEffect) {
        if viewportLayout.move(change) { session.report(.scrolling) }
    }

    // MARK: Making estimated heights exact

    /// Whether there are estimated heights that ``refineHeights(until:)`` can make exact.
    public var hasEstimatedHeights: Bool { viewportLayout.hasEstimatedHeights }

    /// Makes estimated heights exact until `stop` returns true. `stop` is called after each paragraph. The visible
    /// text does not move; only the thumb of the scroll bar does. Does nothing while the thumb is held. Returns
    /// whether no height is left that can be made exact. Texts of more than 2²⁵ UTF-16 units keep estimated heights
    /// outside of the parts that were shown.
    @discardableResult
    public func refineHeights(until stop: () -> Bool) -> Bool {
        let isDone = viewportLayout.refineHeights(until: stop)
        damageThumb()
        return isDone
    }
}
