import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    // MARK: Damage

    /// All of the view is out of date.
    public func setNeedsDisplay() {
        host?.editorView(self, needsDisplay: bounds)
    }

    func setNeedsDisplay(_ rect: ViewRect) {
        let visible = rect.intersection(bounds)
        if !visible.isEmpty { host?.editorView(self, needsDisplay: visible) }
    }

    /// The lines of a range are out of date; only what is in sight is looked at.
    func setNeedsDisplay(offsets: Range<UTF16Offset>) {
        let range = offsets.clamped(into: visibleRange)
        let top = layout.lineFragment(at: range.lowerBound, affinity: .upstream).typographicBounds
        let bottom = layout.lineFragment(at: range.upperBound, affinity: .downstream).typographicBounds
        setNeedsDisplay(band(from: top.minY, to: max(top.maxY, bottom.maxY)))
    }

    func damage(_ change: LayoutChange) {
        if change.heightDelta != 0 {
            setNeedsDisplay(band(from: change.band.minY, to: max(change.band.minY, visibleDocumentRect.maxY)))
        } else {
            // The scroll bar stays as it is.
            var rect = band(from: change.band.minY, to: change.band.maxY)
            rect.size.width -= theme.scrollBarWidth
            setNeedsDisplay(rect)
        }
    }

    func damageSelectionChange(from old: EditorSelection, to new: EditorSelection) {
        if !(old.isCaret && new.isCaret) {
            setNeedsDisplay(offsets: min(old.anchor, new.anchor)..<max(old.anchor, new.anchor))
            setNeedsDisplay(offsets: min(old.head, new.head)..<max(old.head, new.head))
            if old.isCaret != new.isCaret {
                setNeedsDisplay(offsets: new.range)
                setNeedsDisplay(offsets: old.range)
            }
        }
        damageCaret()
    }

    /// The caret where it was painted and where it belongs now.
    func damageCaret() {
        if let shownCaret { setNeedsDisplay(shownCaret) }
        // A caret out of sight is not laid out for.
        guard selection.isCaret, layout.mayShow(selection.head, in: visibleDocumentRect) else { return }
        setNeedsDisplay(caretRect)
    }

    /// The caret in view pixels, with the theme's width, around the boundary that it stands at.
    var caretRect: ViewRect {
        var rect = viewRect(layout.caretRect(at: selection.head, affinity: selection.affinity))
        rect.origin.x = max(0, rect.origin.x.rounded() - (theme.caretWidth / 2).rounded(.down))
        rect.size.width = theme.caretWidth
        return rect
    }

    /// The text in sight, in UTF-16 code units.
    var visibleRange: Range<UTF16Offset> {
        let fragments = layout.textLayoutFragments(in: visibleDocumentRect)
        guard let first = fragments.first, let last = fragments.last else { return 0..<0 }
        return first.utf16Range.lowerBound..<last.utf16Range.upperBound
    }

    private func band(from top: Double, to bottom: Double) -> ViewRect {
        let y = viewPoint(DocumentPoint(x: 0, y: top)).y
        return ViewRect(x: 0, y: y, width: frame.width, height: bottom - top).integral
    }

    // MARK: Painting

    /// Paints the part of the view inside `damage`, in window pixels; all of it is covered.
    public func paint(on canvas: any Canvas, damage: WindowRect) {
        let damage = damage.intersection(frame)
        guard !damage.isEmpty else { return }
        canvas.setClip([damage])
        canvas.fill(damage, theme.background)
        let visible = damage.converted(to: ViewSpace.self, originAt: frame.origin)
        let area = DocumentRect(origin: documentPoint(visible.origin), size: visible.size)
        let fragments = layout.textLayoutFragments(in: area.insetBy(-lineStep))
        paintSelection(on: canvas, within: area)
        let segments = markedText?.segments ?? []
        for segment in segments where segment.kind == .target {
            fill(segment.range, within: area, theme.targetBackground, on: canvas)
        }
        paintGlyphs(of: fragments, within: area, on: canvas)
        paintPlaceholder(on: canvas)
        for segment in segments { underline(segment, within: area, on: canvas) }
        paintCaret(on: canvas, within: visible)
        if let thumb = scrollThumb, thumb.intersects(visible) {
            canvas.fill(windowRect(thumb.insetBy(1)), theme.scrollThumb)
        }
        canvas.setClip(nil)
    }

    private func windowRect(_ rect: ViewRect) -> WindowRect { rect.converted(from: frame.origin) }

    private func paintSelection(on canvas: any Canvas, within area: DocumentRect) {
        guard !selection.isCaret else { return }
        if let marked = markedText, selection.range.clamped(into: marked.range) == selection.range { return }
        fill(selection.range, within: area, isFocused ? theme.selection : theme.inactiveSelection, on: canvas)
    }

    private func fill(
        _ range: Range<UTF16Offset>, within area: DocumentRect, _ color: Color, on canvas: any Canvas
    ) {
        for part in layout.selectionRects(for: range, within: area) {
            canvas.fill(windowRect(viewRect(part.rect)), color)
        }
    }

    private func paintGlyphs(of fragments: [TextLayoutFragment], within area: DocumentRect, on canvas: any Canvas) {
        let origin = viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin)
        var batch = GlyphBatch(origin: origin)
        for fragment in fragments { batch.append(fragment, within: area, overhang: lineStep) }
        batch.draw(on: canvas, theme.text)
    }

    /// What stands in for the text while there is none.
    private func paintPlaceholder(on canvas: any Canvas) {
        guard store.text.isEmpty, !options.placeholder.isEmpty else { return }
        var label = placeholder?.label
        if label == nil || placeholder?.font != layout.font {
            let new = LineLabel(font: layout.font, sharing: self)
            new.text = options.placeholder
            placeholder = (new, layout.font)
            label = new
        }
        let origin = viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin)
        label?.paint(on: canvas, at: origin, color: theme.placeholder)
    }

    private func underline(_ segment: MarkedClause, within area: DocumentRect, on canvas: any Canvas) {
        let isTarget = segment.kind == .target
        let thickness = isTarget ? 2 * theme.underlineWidth : theme.underlineWidth
        for part in layout.selectionRects(for: segment.range, within: area) {
            let line = layout.lineFragment(atY: part.rect.minY + part.rect.height / 2)
            let y = min(line.baseline + 2 * theme.underlineWidth, part.rect.maxY - thickness).rounded()
            // A pixel is left free at the end, so that neighbouring clauses are told apart.
            let rect = DocumentRect(
                x: part.rect.minX, y: y, width: max(1, part.rect.width - theme.underlineWidth), height: thickness)
            canvas.fill(windowRect(viewRect(rect)), isTarget ? theme.targetUnderline : theme.markedUnderline)
        }
    }

    private func paintCaret(on canvas: any Canvas, within visible: ViewRect) {
        guard selection.isCaret, !caretIsHidden else {
            shownCaret = nil
            return
        }
        let rect = caretRect
        shownCaret = rect
        guard rect.intersects(visible) else { return }
        if isFocused {
            if blink.isVisible(at: clock()) { canvas.fill(windowRect(rect), theme.caret) }
        } else {
            canvas.fill(windowRect(rect), theme.caret.withAlpha(90))
        }
    }
}
