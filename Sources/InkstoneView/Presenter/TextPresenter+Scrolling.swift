import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The frame and the visible part of the text; ``viewportLayout`` does the work.
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

    /// Moves the view without laying out its text again.
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

    /// Sets the width of lines to the room available. A field keeps its caret in sight, since no other text matters there.
    func updateContainer() {
        viewport.isSingleLine = options.isSingleLine
        viewportLayout.updateContainer()
        if options.isSingleLine { bringCaretIntoSight() }
    }

    // MARK: Scrolling

    /// Height of one line, in pixels, the unit of scrolling by a wheel or an arrow.
    public var lineStep: Double { layout.lineHeight }
    /// Distance of a page, in pixels: the view's height less one line, which stays in sight.
    var pageStep: Double { viewport.pageStep(in: layout) }

    /// Scrolls by a distance in pixels, down if positive, clamped to the ends.
    func scroll(by dy: Double, dx: Double = 0) { scroll { $0.scroll(by: dy, dx: dx, in: $1) } }

    /// Scrolls by a wheel's or touchpad's turn: three lines a click; fractions of a click add up.
    ///
    /// - Parameters:
    ///   - clicks: the turn; down and to the right if positive.
    ///   - sideways: whether a vertical turn scrolls to the sides, as with Shift.
    public func scroll(byClicks clicks: Vector, sideways: Bool = false) {
        let step = viewportLayout.distance(ofClicks: clicks, sideways: sideways)
        if step != Vector(dx: 0, dy: 0) { scroll(by: step.dy, dx: step.dx) }
    }

    /// Scrolls to the start of the text.
    func scrollToStart() { scroll { $0.scroll(toY: 0, x: 0, in: $1) } }

    /// Scrolls to the end of the text. The selection stays.
    func scrollToEnd() { scroll { $0.scrollToEnd(in: $1) } }

    /// Whether the text is scrolled down to its end, which is also true if all of it is in sight.
    var isAtEnd: Bool {
        // The end is rounded up and the position to the nearest pixel: heights with fractions leave one between them.
        viewport.scroll.y >= viewport.maximumScroll(in: layout) - 1
    }

    /// Scrolls as little as needed to show a range, in UTF-16 units and clamped; for a range that is too large, its start. The selection stays.
    func scrollToVisible(_ range: Range<UTF16Offset>) {
        let range = range.clamped(into: textRange)
        scroll { viewport, layout in
            let end = viewport.show(CaretPlace(range.upperBound, affinity: .upstream), in: layout)
            let start = viewport.show(CaretPlace(range.lowerBound), in: layout)
            return end.then(start, height: viewport.textArea.height)
        }
    }

    // MARK: Extent

    /// The height that shows all text at the present width, in device pixels, with the margins: for a field in a form, or one that grows with its
    /// text. In a text of more than 256 paragraphs, the rest may be estimated.
    var preferredHeight: Double {
        var paragraphs = 0
        refineHeights {
            paragraphs += 1
            return paragraphs > 256
        }
        let text = options.isSingleLine ? max(lineStep, layout.usageHeight) : layout.usageHeight
        return (text + 2 * theme.margin + viewport.lowerBarHeight).rounded(.up)
    }

    /// The start of the first line in sight, in UTF-16 units.
    package var topOffset: UTF16Offset { viewport.scroll.anchor.offset }

    /// Scrolls the line of an offset to the top of the view, as far as the end of the text allows. The offset, in UTF-16 units, is clamped.
    package func scrollToLine(at offset: UTF16Offset) {
        scroll { $0.scroll(toLineAt: min(max(0, offset), textRange.upperBound), in: $1) }
    }

    /// Scrolls the caret's line into the middle of the view.
    func centerCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.center(head, in: $1) }
    }

    /// Whether the view has room for a line of text.
    var hasRoomForLine: Bool { viewport.heightForText >= layout.lineHeight }

    /// Whether any part of the caret is in sight.
    var caretIsInSight: Bool {
        guard hasRoomForLine, let head = selection?.primary.place else { return false }
        // Avoid layout for a position far away.
        let visible = visibleTextRange
        guard head.offset >= visible.lowerBound, head.offset <= visible.upperBound else { return false }
        let caret = layout.geometry.caretRect(at: head.offset, affinity: head.affinity)
        return viewport.viewRect(caret).intersects(viewport.textArea)
    }

    /// Scrolls as little as needed to show the caret.
    func scrollToCaret() {
        if bringCaretIntoSight() { session.report(.scrolling) }
    }

    /// Scrolls as little as needed to show the caret, as part of a turn. Returns whether anything moved.
    @discardableResult
    package func bringCaretIntoSight() -> Bool {
        guard let head = selection?.primary.place else { return false }
        return viewportLayout.move { $0.show(head, in: $1) }
    }

    /// Scrolls as little as needed to show the start of the text, wherever the caret is: for a field that has lost the focus.
    package func showStart() {
        let start = Selection(caret: 0).primary.place
        scroll { $0.show(start, in: $1) }
    }

    /// Scrolls to show the caret; if its line is out of sight, with some of the text above and below it.
    package func revealCaret() {
        guard let head = selection?.primary.place else { return }
        scroll { $0.reveal(head, in: $1) }
    }

    private func scroll(_ change: (inout Viewport, TextLayoutManager) -> ScrollEffect) {
        if viewportLayout.move(change) { session.report(.scrolling) }
    }

    // MARK: Heights

    /// Whether ``refineHeights(until:)`` has work to do.
    public var hasEstimatedHeights: Bool { viewportLayout.hasEstimatedHeights }

    /// Makes estimated heights exact until `stop` returns true; it is called after each paragraph. The visible text does not move; only the scroll
    /// bar's thumb does, unless it is held. Returns whether all heights are exact. Texts of more than 2²⁵ UTF-16 units keep estimated heights
    /// outside of the parts shown.
    @discardableResult
    public func refineHeights(until stop: () -> Bool) -> Bool {
        let isDone = viewportLayout.refineHeights(until: stop)
        damageThumb()
        return isDone
    }
}
