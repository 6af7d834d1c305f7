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
        for _ in 0..<2 { scroll(toY: .greatestFiniteMagnitude, x: scroll.x) }
    }

    /// Puts the caret's line into the middle of the view.
    func centerCaret() {
        guard selection != nil else { return }
        let caret = layout.caretRect(at: primary.head, affinity: primary.affinity)
        scroll(toY: caret.minY - (frame.height - caret.height) / 2, x: scroll.x)
    }

    /// Scrolls as little as needed to show the caret.
    public func scrollToCaret() {
        guard selection != nil else { return }
        // Heights between the view's edge and a caret far away become known on the way.
        for _ in 0..<3 {
            let caret = layout.caretRect(at: primary.head, affinity: primary.affinity)
            let old = scroll
            var y = old.y
            let height = frame.height - 2 * theme.margin
            if caret.maxY > y + height { y = caret.maxY - height }
            if caret.minY < y { y = caret.minY }
            scroll(toY: y, x: scrollX(showing: caret))
            if scroll == old { return }
        }
    }

    /// What to scroll to sideways so that a caret is in sight. Who types or moves on beyond an edge gets an eighth of the view
    /// at once: not every key moves all that is seen.
    private func scrollX(showing caret: DocumentRect) -> Double {
        guard !wraps else { return 0 }
        let room = roomForText
        let step = min(room / 8, 16 * layout.columnWidth).rounded()
        if caret.maxX > scroll.x + room { return caret.maxX - room + step }
        if caret.minX < scroll.x { return caret.minX - step }
        return scroll.x
    }

    /// The width that lines have, in pixels.
    var roomForText: Double { max(1, frame.width - 2 * theme.margin - theme.scrollBarWidth) }

    /// The largest document x that may lie at the left margin, in pixels: the end of the widest line that was laid out yet, and
    /// always the caret's place.
    var maximumScrollX: Double {
        guard !wraps else { return 0 }
        let step = min(roomForText / 8, 16 * layout.columnWidth).rounded()
        return max(0, (layout.maximumLineWidth + theme.caretWidth + step - roomForText).rounded(.up))
    }

    private func scroll(toY target: Double, x: Double) {
        var y = target
        if y.rounded() != scroll.y, abs(y - scroll.y) < frame.height {
            // What comes into sight gets exact heights before, so that all moves by one distance.
            let before = scroll.y
            layOutSurroundings(above: max(0, before - y), below: max(0, y - before))
            y += scroll.y - before
        }
        y = min(max(0, y.rounded()), maximumScroll)
        let x = min(max(0, x.rounded()), max(maximumScrollX, min(x.rounded(), scroll.x)))
        guard y != scroll.y || x != scroll.x else { return }
        let (dy, dx) = (scroll.y - y, scroll.x - x)
        scroll.y = y
        scroll.x = x
        keepScrollAnchor()
        if abs(dy) >= frame.height { layOutSurroundings() }
        if dx != 0 || abs(dy) >= frame.height {
            setNeedsDisplay()
        } else {
            moveContents(by: dy)
        }
        host?.editorViewCoordinatesDidChange(self)
    }

    /// Has what is painted moved down by `dy` pixels; the scroll bar is painted anew if its thumb moves.
    private func moveContents(by dy: Double) {
        for i in shownCarets.indices { shownCarets[i].origin.y += dy }
        host?.editorView(self, scroll: textArea, by: dy)
        damageThumb()
    }

    /// Lays out what is in sight and what may reach into it, and so many pixels more, without moving what is seen: else asking
    /// for a line above the view would move those in it.
    func layOutSurroundings(above: Double = 0, below: Double = 0) {
        layout.ensureLayout(
            around: scroll.anchor, above: theme.margin + inkLimit + above, below: frame.height + inkLimit + below)
        restoreScrollAnchor()
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
        // While it is held it stays under the pointer, whatever heights become known.
        if let thumbDrag { return thumbDrag.thumb(in: frame) }
        let height = max(24, frame.height * frame.height / total).rounded()
        let track = max(0, frame.height - height)
        let y = maximumScroll > 0 ? track * min(1, scroll.y / maximumScroll) : 0
        return ViewRect(
            x: frame.width - theme.scrollBarWidth, y: y.rounded(), width: theme.scrollBarWidth,
            height: min(height, frame.height))
    }
}
