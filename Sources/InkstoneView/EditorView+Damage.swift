import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// What has to be painted anew after something changed: as little as shows the change, ink outside of lines included.
extension EditorView {
    /// All of the view is out of date.
    public func setNeedsDisplay() {
        host?.editorView(self, needsDisplay: bounds)
    }

    func setNeedsDisplay(_ rect: ViewRect) {
        let visible = rect.intersection(bounds)
        if !visible.isEmpty { host?.editorView(self, needsDisplay: visible) }
    }

    /// The lines of a range are out of date; only what is in sight is looked at. `includingInk` where glyphs change, not only
    /// what is behind them.
    func setNeedsDisplay(offsets: Range<UTF16Offset>, includingInk: Bool = false) {
        let range = offsets.clamped(into: visibleRange)
        let top = layout.lineFragment(at: range.lowerBound, affinity: .upstream).typographicBounds
        let bottom = layout.lineFragment(at: range.upperBound, affinity: .downstream).typographicBounds
        let reach = includingInk ? shownReach : 0
        setNeedsDisplay(textBand(from: top.minY - reach, to: max(top.maxY, bottom.maxY) + reach))
    }

    /// What stands in for the text, if an edit made it appear or disappear: it is wider than what was typed.
    func damagePlaceholder(_ edit: TextEdit) {
        guard !options.placeholder.isEmpty else { return }
        let wasEmpty = edit.utf16Range.isEmpty && edit.insertedUTF16Range == textRange
        if wasEmpty || store.text.isEmpty { setNeedsDisplay(textArea) }
    }

    /// The lines that an edit changed, with the ink that reached beyond them before and does now; what lies below is moved.
    ///
    /// - Parameter oldY: what the view was scrolled to before the edit.
    func damage(_ change: LayoutChange, scrolledFrom oldY: Double) {
        let shown = visibleDocumentRect
        let band = change.band
        // Also lines of an unchanged height may change what is estimated of others.
        damageThumb()
        if scroll.y != oldY {
            // What lies above the view moves nothing that is seen; else the line at the top has changed its place.
            let isAbove = band.maxY + shownReach <= shown.minY && scroll.y - oldY == change.heightDelta
            return isAbove ? () : setNeedsDisplay(textArea)
        }
        let low = max(band.minY, shown.minY - inkLimit)
        let high = min(band.maxY, shown.maxY + inkLimit)
        noteInk(from: low, to: high)
        let top = low - shownReach
        guard change.heightDelta != 0 else {
            var rect = textBand(from: top, to: high + shownReach)
            // Lines under text and colours behind it are none of the glyphs that the band was measured by.
            if band.width < layout.container.width, markedText == nil,
                layout.decoratedRuns(in: change.utf16Range).isEmpty
            {
                let part = viewRect(band).insetBy(-1).integral
                rect.size.width = min(rect.maxX, part.maxX) - max(0, part.minX)
                rect.origin.x = max(0, part.minX)
            }
            return setNeedsDisplay(rect)
        }
        // Both bottoms of the band, before and after, as the view shows them.
        let newBottom = change.heightDelta > 0 ? band.maxY : band.maxY + change.heightDelta
        let below = textBand(from: min(newBottom, newBottom - change.heightDelta), to: shown.maxY)
        guard below.minY > 0, below.height > abs(change.heightDelta) + lineStep else {
            return setNeedsDisplay(textBand(from: top, to: shown.maxY))
        }
        for i in shownCarets.indices where shownCarets[i].minY >= below.minY {
            shownCarets[i].origin.y += change.heightDelta
        }
        host?.editorView(self, scroll: below, by: change.heightDelta)
        setNeedsDisplay(textBand(from: top, to: newBottom + shownReach))
    }

    func damageSelectionChange(from old: Selection?, to new: Selection?) {
        guard let old, let new, old.count == 1, new.count == 1 else {
            let visible = visibleRange
            for selection in [old, new] {
                for range in selection?.ranges(touching: visible) ?? [] where !range.isCaret {
                    setNeedsDisplay(offsets: range.range)
                }
            }
            return damageCaret()
        }
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

    /// The scroll bar's thumb where it was painted and where it belongs now, if that is elsewhere. From now on it is painted
    /// there until this is called again: else heights that become known before the next painting would move it to where no
    /// one paints.
    func damageThumb() {
        let thumb = scrollThumb
        guard thumb != shownThumb else { return }
        for rect in [thumb, shownThumb] { if let rect { setNeedsDisplay(rect) } }
        shownThumb = thumb
    }

    /// The text in sight, in UTF-16 code units.
    var visibleRange: Range<UTF16Offset> {
        let fragments = layout.textLayoutFragments(in: visibleDocumentRect)
        guard let first = fragments.first, let last = fragments.last else { return 0..<0 }
        return first.utf16Range.lowerBound..<last.utf16Range.upperBound
    }

    /// A band of the document as wide as the text's part of the view, which the scroll bar is no part of.
    func textBand(from top: Double, to bottom: Double) -> ViewRect {
        let y = viewPoint(DocumentPoint(x: 0, y: top)).y
        return ViewRect(x: 0, y: y, width: textArea.width, height: bottom - top).integral
    }

    /// The part of the view that shows text: all but the scroll bar.
    var textArea: ViewRect {
        ViewRect(x: 0, y: 0, width: max(0, frame.width - theme.scrollBarWidth), height: frame.height)
    }

    // MARK: Ink outside of lines

    /// How far from its baseline a glyph may be set off and still be painted, in pixels, and how far away from the view's edges
    /// lines are looked at whose ink may reach into it.
    var inkLimit: Double { 8 * lineStep }

    /// Takes note of how far the ink of lines in a band of the document reaches beyond them.
    func noteInk(from top: Double, to bottom: Double) {
        guard top < bottom else { return }
        let band = DocumentRect(
            x: visibleDocumentRect.minX, y: top, width: max(1, frame.width), height: bottom - top)
        for fragment in layout.textLayoutFragments(in: band) { noteInk(of: fragment, within: band) }
    }

    func noteInk(of fragment: TextLayoutFragment, within band: DocumentRect) {
        let limit = Int32(inkLimit)
        if let custom = fragment.custom {
            let (frame, surface) = (fragment.layoutFragmentFrame, custom.renderingSurfaceBounds(of: fragment))
            let reach = max(frame.minY - surface.minY, surface.maxY - frame.maxY)
            shownReach = max(shownReach, min(inkLimit, reach.rounded(.up)))
        }
        for line in fragment.textLineFragments where line.top < band.maxY && line.bottom > band.minY {
            shownReach = max(shownReach, min(inkLimit, Double(line.inkReach(limit: limit).largest)))
        }
    }
}
