import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The view on a canvas, from the back to the front: background, custom fragments, backgrounds of text, selection, clause being
/// converted, glyphs (one batch for each colour), lines under and through text, caret, scroll bar.
extension EditorView {
    /// Paints the part of the view inside `damage`, in window pixels; all of it is covered.
    public func paint(on canvas: any Canvas, damage: WindowRect) {
        let damage = damage.intersection(frame)
        guard !damage.isEmpty else { return }
        canvas.setClip([damage])
        canvas.fill(damage, theme.background)
        let visible = damage.converted(to: ViewSpace.self, originAt: frame.origin)
        // Where lines do not wrap, text goes on below the scroll bar.
        let text = visible.intersection(textArea)
        if !text.isEmpty {
            if touchesEdge(visible) { layOutSurroundings() }
            if text != visible { canvas.setClip([windowRect(text)]) }
            paintText(on: canvas, within: text)
            if text != visible { canvas.setClip([damage]) }
        }
        if visible.maxX > textArea.maxX {
            if visible.minX <= textArea.maxX, visible.height >= frame.height { shownThumb = scrollThumb }
            if let thumb = shownThumb, thumb.intersects(visible) {
                canvas.fill(windowRect(thumb.insetBy(1)), theme.scrollThumb)
            }
        }
        // Painting lays out, and heights that became known move the thumb.
        damageThumb()
        canvas.setClip(nil)
    }

    private func paintText(on canvas: any Canvas, within visible: ViewRect) {
        let area = DocumentRect(origin: documentPoint(visible.origin), size: visible.size)
        let fragments = fragmentsShowing(in: area, visible)
        for fragment in fragments { fragment.custom?.draw(fragment, at: documentOrigin, on: canvas) }
        let runs = specialRuns(of: fragments)
        for run in runs {
            if let color = run.attributes.background { fill(run.range, within: area, color, on: canvas) }
        }
        paintSelection(among: fragments, on: canvas, within: area)
        let segments = markedText?.segments ?? []
        for segment in segments {
            if let color = look(of: segment.kind).backgroundColor {
                fill(segment.range, within: area, color, on: canvas)
            }
        }
        var batch = GlyphBatch(origin: documentOrigin, color: theme.text, runs: coloring(segments, over: runs))
        let limit = Int32(inkLimit)
        for fragment in fragments { batch.append(fragment, within: area, limit: limit) }
        batch.draw(on: canvas)
        for run in runs { decorate(run, within: area, on: canvas) }
        paintPlaceholder(on: canvas)
        for segment in segments { underline(segment, within: area, on: canvas) }
        paintCaret(on: canvas, within: visible)
    }

    func windowRect(_ rect: ViewRect) -> WindowRect { rect.converted(from: frame.origin) }

    private var documentOrigin: WindowPoint { viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin) }

    /// The fragments whose ink may be seen in an area of the document.
    private func fragmentsShowing(in area: DocumentRect, _ visible: ViewRect) -> [TextLayoutFragment] {
        // Lines inside the view have been painted, so how far their ink reaches is known; those outside come to be looked at
        // when the view's edge is painted, before they can be seen.
        var margin = shownReach
        if touchesEdge(visible) { margin = inkLimit }
        let wide = DocumentRect(
            x: area.minX - lineStep, y: area.minY - margin, width: area.width + 2 * lineStep,
            height: area.height + 2 * margin)
        let fragments = layout.textLayoutFragments(in: wide)
        for fragment in fragments { noteInk(of: fragment, within: wide) }
        return fragments
    }

    /// Whether the view's upper or lower edge is to be painted.
    private func touchesEdge(_ visible: ViewRect) -> Bool { visible.minY <= 0 || visible.maxY >= frame.height }

    /// The stretches in sight that are painted in a way of their own.
    private func specialRuns(of fragments: [TextLayoutFragment]) -> [RenderingRun] {
        guard let first = fragments.first, let last = fragments.last else { return [] }
        return layout.decoratedRuns(in: first.utf16Range.lowerBound..<last.utf16Range.upperBound)
    }

    private func paintSelection(
        among fragments: [TextLayoutFragment], on canvas: any Canvas, within area: DocumentRect
    ) {
        guard let selection, !selection.isEmpty, let first = fragments.first, let last = fragments.last else { return }
        let shown = first.utf16Range.lowerBound..<last.utf16Range.upperBound
        let color = isFocused ? theme.selection : theme.inactiveSelection
        for range in selection.ranges(touching: shown) where !range.isCaret {
            if let marked = markedText, marked.range.holds(range.range) { continue }
            fill(range.range, within: area, color, on: canvas)
        }
    }

    private func fill(
        _ range: Range<UTF16Offset>, within area: DocumentRect, _ color: Color, on canvas: any Canvas
    ) {
        for part in layout.selectionRects(for: range, within: area) {
            canvas.fill(windowRect(viewRect(part.rect)), color)
        }
    }

    /// Lines under and through a stretch of text, on whole pixels.
    private func decorate(_ run: RenderingRun, within area: DocumentRect, on canvas: any Canvas) {
        let attributes = run.attributes
        guard attributes.underline != nil || attributes.strikethrough != nil else { return }
        let color = attributes.foreground ?? theme.text
        let metrics = layout.decorationMetrics
        for part in layout.textSegments(for: run.range, within: area) {
            let baseline = layout.lineFragment(at: part.utf16Range.lowerBound, affinity: .downstream).baseline
            if let style = attributes.underline {
                let shape = LineShape(style: style, thickness: metrics.thickness)
                // The line box has room for it, so that it need not be painted with the line below.
                let y = max(baseline + 1, min(baseline + metrics.underlineOffset, part.rect.maxY - shape.height))
                shape.forEachPart(from: part.rect.minX, to: part.rect.maxX, y: y, within: area) {
                    canvas.fill(windowRect(viewRect($0)), attributes.underlineColor ?? color)
                }
            }
            if let style = attributes.strikethrough {
                let shape = LineShape(style: style, thickness: metrics.thickness)
                let y = baseline - metrics.strikethroughOffset
                shape.forEachPart(from: part.rect.minX, to: part.rect.maxX, y: y, within: area) {
                    canvas.fill(windowRect(viewRect($0)), color)
                }
            }
        }
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
        let look = look(of: segment.kind)
        let thickness = look.underlineThickness
        guard thickness > 0 else { return }
        for part in layout.selectionRects(for: segment.range, within: area) {
            let line = layout.lineFragment(atY: part.rect.minY + part.rect.height / 2)
            let y = min(line.baseline + 2 * theme.underlineWidth, part.rect.maxY - thickness).rounded()
            // A pixel is left free at the end, so that neighbouring clauses are told apart.
            let rect = DocumentRect(
                x: part.rect.minX, y: y, width: max(1, part.rect.width - theme.underlineWidth), height: thickness)
            canvas.fill(windowRect(viewRect(rect)), look.underlineColor ?? look.textColor ?? theme.text)
        }
    }
}
