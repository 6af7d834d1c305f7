import InkstoneBase
import InkstoneLayout
import InkstoneText

extension EditorView {
    // MARK: Document space ↔ view space

    /// A point of the text in view pixels.
    func viewPoint(_ point: DocumentPoint) -> ViewPoint {
        ViewPoint(x: point.x - scroll.x + theme.margin, y: point.y - scroll.y + theme.margin)
    }

    /// A rectangle of the text in view pixels; it may lie outside the view.
    func viewRect(_ rect: DocumentRect) -> ViewRect {
        ViewRect(origin: viewPoint(rect.origin), size: rect.size)
    }

    /// The point of the text under a point of the view.
    func documentPoint(_ point: ViewPoint) -> DocumentPoint {
        DocumentPoint(x: point.x + scroll.x - theme.margin, y: point.y + scroll.y - theme.margin)
    }

    /// The view's own rectangle.
    public var bounds: ViewRect { ViewRect(x: 0, y: 0, width: frame.width, height: frame.height) }

    /// The part of the text that the view shows.
    var visibleDocumentRect: DocumentRect {
        DocumentRect(origin: documentPoint(ViewPoint(x: 0, y: 0)), size: frame.size)
    }

    // MARK: Scrolling

    /// Height of one line, in pixels: what a wheel click or an arrow scrolls by multiples of.
    public var lineStep: Double { layout.lineHeight }

    /// Almost a view's height, in pixels: one line stays in sight.
    var pageStep: Double { max(lineStep, frame.height - 2 * theme.margin - lineStep) }

    /// The largest document y that may lie at the top margin, in pixels.
    var maximumScroll: Double {
        max(0, (layout.usageHeight - (frame.height - 2 * theme.margin)).rounded(.up))
    }

    /// Scrolls by a distance in pixels, down if positive; stops at the ends.
    public func scroll(by dy: Double, dx: Double = 0) {
        scroll(toY: scroll.y + dy, x: scroll.x + dx)
    }

    /// Shows the start of the text.
    func scrollToStart() { scroll(toY: 0, x: 0) }

    /// Shows the end of the text.
    func scrollToEnd() {
        _ = layout.caretRect(at: textRange.upperBound, affinity: .downstream)
        scroll(toY: .greatestFiniteMagnitude, x: scroll.x)
    }

    /// Puts the caret's line into the middle of the view.
    func centerCaret() {
        let caret = layout.caretRect(at: selection.head, affinity: selection.affinity)
        scroll(toY: caret.minY - (frame.height - caret.height) / 2, x: scroll.x)
    }

    /// Scrolls as little as needed to show the caret.
    public func scrollToCaret() {
        let caret = layout.caretRect(at: selection.head, affinity: selection.affinity)
        var y = scroll.y
        let height = frame.height - 2 * theme.margin
        if caret.maxY > y + height { y = caret.maxY - height }
        if caret.minY < y { y = caret.minY }
        var x = scroll.x
        if !wrapsLines {
            let width = frame.width - 2 * theme.margin - theme.scrollBarWidth
            if caret.maxX > x + width { x = caret.maxX - width }
            if caret.minX < x { x = caret.minX }
        }
        scroll(toY: y, x: x)
    }

    private func scroll(toY y: Double, x: Double) {
        let y = min(max(0, y.rounded()), maximumScroll)
        let x = wrapsLines ? 0 : max(0, x.rounded())
        guard y != scroll.y || x != scroll.x else { return }
        let thumb = scrollThumb
        let (dy, dx) = (scroll.y - y, scroll.x - x)
        scroll.y = y
        scroll.x = x
        keepScrollAnchor()
        if dx != 0 || abs(dy) >= frame.height {
            setNeedsDisplay()
        } else {
            moveContents(by: dy, thumb: thumb)
        }
        host?.editorViewCoordinatesDidChange(self)
    }

    /// Has what is painted moved down by `dy` pixels; the scroll bar is painted anew if its thumb moves.
    private func moveContents(by dy: Double, thumb: ViewRect?) {
        let text = ViewRect(x: 0, y: 0, width: max(0, frame.width - theme.scrollBarWidth), height: frame.height)
        shownCaret?.origin.y += dy
        host?.editorView(self, scroll: text, by: dy)
        let newThumb = scrollThumb
        guard newThumb != thumb else { return }
        for rect in [thumb, newThumb] { if let rect { setNeedsDisplay(rect) } }
    }

    /// Remembers the place in the text that is at the top.
    private func keepScrollAnchor() { scroll.anchor = layout.scrollAnchor(atY: scroll.y) }

    /// Puts the remembered place to the top again after heights or the width have changed.
    func restoreScrollAnchor() {
        let isAtStart = scroll.anchor.offset == 0 && scroll.anchor.distance == 0
        let y = isAtStart ? 0 : layout.y(of: scroll.anchor).rounded()
        let clamped = min(max(0, y), maximumScroll)
        guard clamped != scroll.y else { return }
        scroll.y = clamped
        guard clamped != y else { return }
        // The text got shorter than what was scrolled to: what is seen has moved.
        keepScrollAnchor()
        setNeedsDisplay()
    }

    // MARK: Scroll bar

    /// The scroll bar's thumb in view pixels; nil if all text is in sight.
    public var scrollThumb: ViewRect? {
        let total = layout.usageHeight + 2 * theme.margin
        guard total > frame.height else { return nil }
        let height = max(24, frame.height * frame.height / total).rounded()
        let track = max(0, frame.height - height)
        let y = maximumScroll > 0 ? track * min(1, scroll.y / maximumScroll) : 0
        return ViewRect(
            x: frame.width - theme.scrollBarWidth, y: y.rounded(), width: theme.scrollBarWidth,
            height: min(height, frame.height))
    }
}
