import InkstoneBase
import InkstoneText

/// Lookup of fragments and lines by offset and by point. If the fragment looked up is not laid out yet, it is laid
/// out first.
extension DocumentLayout {
    // MARK: Fragments

    /// Returns the fragment that holds an offset, in the form of the public API.
    func layoutFragment(at offset: UTF16Offset) -> TextLayoutFragment {
        layoutFragment(placedFragment(at: clamped(offset)))
    }

    func layoutFragment(_ placed: PlacedFragment) -> TextLayoutFragment {
        TextLayoutFragment(
            placed, tools: tools, width: setting.options.container.width, length: text.metrics.utf16)
    }

    /// Returns the fragments visible in a band of the document, from top to bottom; lays out only these. The band's
    /// left and right edge only matter for long lines that do not wrap. O(log n) plus the visible fragments.
    func layoutFragments(in band: DocumentRect) -> [TextLayoutFragment] {
        var found: [TextLayoutFragment] = []
        forEachPlaced(in: band) { found.append(layoutFragment($0)) }
        evict()
        return found
    }

    /// Calls `body` with each fragment that reaches into a band, from top to bottom, and lays it out if needed. If
    /// lines wrap, only the top and bottom of the band matter, and hidden fragments are left out.
    func forEachPlaced(in band: DocumentRect, _ body: (PlacedFragment) -> Void) {
        if isUnwrapped {
            return forEachUnwrapped(in: band) {
                body($0)
                return true
            }
        }
        let (low, high) = (band.minY, band.maxY)
        var unit = unitForLayout(atY: low)
        while unit < tree.total.units {
            var placed = placedFragment(at: unit)
            if placed.fragment.isHidden {
                guard let next = shownFragment(from: placed, forward: true) else { return }
                placed = next
            }
            if placed.y >= high { return }
            let bottom = placed.y + Double(placed.fragment.height)
            if bottom > low { body(placed) }
            // If the next fragment starts at `high` or below, stop without another lookup.
            if bottom >= high { return }
            unit = placed.start + placed.units
        }
    }

    /// Returns a UTF-16 unit of the fragment at a height. In a gap (text not laid out), returns a unit of the paragraph
    /// that is at that height by the estimate.
    func unitForLayout(atY y: Double) -> Int {
        layOutBesideExclusions()
        let (fragment, before) = tree.fragment(atY: max(0, y), estimate)
        guard fragment.isGap, fragment.units > 1 else { return before.units }
        let target = max(0, y - estimate.height(of: before))
        var low = before.units
        var high = before.units + fragment.units - 1
        // Binary search over UTF-16 units: the estimated height grows with their number.
        while low < high {
            let middle = (low + high + 1) / 2
            let paragraphs = text.paragraphIndex(at: UTF16Offset(min(middle, text.metrics.utf16))).value
            let height =
                Double(paragraphs - before.paragraphs) * estimate.perParagraph
                + Double(middle - before.units) * estimate.perUnit
            if height <= target { low = middle } else { high = middle - 1 }
        }
        return low
    }

    // MARK: Lines

    func placedLine(at offset: UTF16Offset, _ affinity: TextAffinity) -> PlacedLine {
        let unit = clamped(offset)
        var placed = placedFragment(at: unit)
        if affinity == .upstream, unit == placed.start, !placed.fragment.startsParagraph {
            let before = placedFragment(at: unit - 1)
            let last = PlacedLine(placed: before, index: before.fragment.lines.count - 1)
            if !last.record.endsByBreak { return last }
            // Looking up the fragment before may have laid out text anew.
            placed = placedFragment(at: unit)
        }
        let local = Int32(min(unit - placed.start, placed.fragment.contentLength))
        return PlacedLine(
            placed: placed, index: placed.fragment.lineIndex(at: local, upstream: affinity == .upstream))
    }

    /// Returns the line at a height in pixels of the document; the nearest line for heights above the first or
    /// below the last.
    func placedLine(atY y: Double, x: Double = 0) -> PlacedLine {
        if isUnwrapped {
            let placed = placedFragment(in: paragraph(atY: y), atX: x)
            return PlacedLine(placed: placed, index: placed.fragment.lineIndex(atY: y - placed.y))
        }
        var placed = placedFragment(at: unitForLayout(atY: y))
        // If the estimate has chosen a paragraph too far up, go down to the one at `y`.
        while y >= placed.y + Double(placed.fragment.height), placed.start + placed.units < tree.total.units {
            placed = placedFragment(at: placed.start + placed.units)
            guard placed.fragment.isHidden else { continue }
            guard let next = shownFragment(from: placed, forward: true) else { break }
            placed = next
        }
        // If no visible fragment follows the hidden one, use the nearest visible fragment before it.
        if placed.fragment.isHidden { placed = shownFragment(from: placed, forward: false) ?? placed }
        return PlacedLine(placed: placed, index: placed.fragment.lineIndex(atY: y - placed.y))
    }

    func positioned(_ line: PlacedLine) -> PositionedLine { line.fragment.line(line.index, tools) }

    func lineFragment(_ line: PlacedLine) -> TextLineFragment {
        TextLineFragment(
            fragment: line.fragment, index: line.index, fragmentStart: line.placed.start, fragmentY: line.placed.y,
            fragmentX: line.placed.x, tools: tools)
    }

    /// Returns the next line above or below that is not hidden; nil if there is none.
    func adjacentLine(to line: PlacedLine, below: Bool) -> PlacedLine? {
        guard let next = anyLine(nextTo: line, below: below) else { return nil }
        guard next.placed.fragment.isHidden else { return next }
        guard let shown = shownFragment(from: next.placed, forward: below) else { return nil }
        return PlacedLine(placed: shown, index: below ? 0 : shown.fragment.lines.count - 1)
    }

    /// Returns the nearest fragment that is not hidden, after or before a hidden one; nil if there is none. O(log
    /// n) if the fragments between the two are laid out.
    func shownFragment(from hidden: PlacedFragment, forward: Bool) -> PlacedFragment? {
        var unit = hidden.start
        while true {
            let before = tree.fragment(at: unit).before
            guard let range = tree.range(ofShown: forward ? before.shown : before.shown - 1) else { return nil }
            let placed = placedFragment(at: forward ? range.lowerBound : range.upperBound - 1)
            if !placed.fragment.isHidden { return placed }
            // The fragment had not been laid out, and turns out to be hidden: continue the search after it.
            unit = placed.start
        }
    }

    private func anyLine(nextTo line: PlacedLine, below: Bool) -> PlacedLine? {
        let index = line.index + (below ? 1 : -1)
        if line.placed.fragment.lines.indices.contains(index) { return PlacedLine(placed: line.placed, index: index) }
        if below {
            let next = line.placed.start + line.placed.units
            guard next < tree.total.units else { return nil }
            return PlacedLine(placed: placedFragment(at: next), index: 0)
        }
        guard line.placed.start > 0 else { return nil }
        let above = placedFragment(at: line.placed.start - 1)
        return PlacedLine(placed: above, index: above.fragment.lines.count - 1)
    }

    /// Returns the line above or below another one; nil if there is none. If that line consists of several
    /// fragments side by side, returns its part in the fragment at `x`.
    func lineAbove(or below: Bool, _ line: PlacedLine, _ x: Double) -> PlacedLine? {
        let index = line.index + (below ? 1 : -1)
        guard isUnwrapped, !line.placed.fragment.lines.indices.contains(index) else {
            var next = adjacentLine(to: line, below: below)
            // Beside exclusion paths the next line may be at the same height: skip it.
            while let beside = next, exclusions != nil, beside.top == line.top {
                next = adjacentLine(to: beside, below: below)
            }
            return next
        }
        let next = line.placed.paragraph + (below ? 1 : -1)
        guard next >= 0, next < text.paragraphCount else { return nil }
        let placed = placedFragment(in: Paragraph(text, ParagraphIndex(next)), atX: x)
        return PlacedLine(placed: placed, index: below ? 0 : placed.fragment.lines.count - 1)
    }

    /// Returns the offset itself, or if it is in hidden text, the next visible offset in a direction; nil if there
    /// is none.
    func passHidden(_ offset: UTF16Offset, forward: Bool) -> UTF16Offset? {
        guard setting.elements.mayDiffer else { return offset }
        let placed = placedFragment(at: offset.value)
        guard placed.fragment.isHidden else { return offset }
        guard let shown = shownFragment(from: placed, forward: forward) else { return nil }
        return UTF16Offset(shown.start + (forward ? 0 : shown.fragment.contentLength))
    }

    /// Returns the index, counted from the left, of the visual boundary on a line at which a caret position is.
    func boundaryIndex(of place: CaretPlace, on line: PlacedLine, _ positioned: PositionedLine) -> Int {
        let unit = Int32(min(max(0, clamped(place.offset) - line.placed.start), line.placed.fragment.contentLength))
        return positioned.boundaryIndex(of: unit, upstream: place.affinity == .upstream)
    }

    // MARK: Exact heights around the scroll anchor

    /// Lays out the text around the scroll anchor, from `above` pixels above the view's top edge to `below` pixels
    /// below. Heights there are exact afterwards.
    func ensureLayout(around anchor: ScrollAnchor, above: Double, below: Double) {
        // If lines do not wrap, heights are exact by counting lines, unless attributes or the paragraph style can
        // make some lines higher.
        if isUnwrapped, runs == nil, setting.options.paragraphStyle.lineHeight != .growing { return }
        var placed = placedFragment(at: clamped(anchor.offset))
        var missing = above
        while missing > 0, placed.start > 0 {
            placed = placedFragment(at: placed.start - 1)
            missing -= Double(placed.fragment.height)
        }
        let top = placedLine(at: anchor.offset, .downstream).top + anchor.distance
        forEachPlaced(in: DocumentRect(x: 0, y: top, width: setting.options.container.width, height: below)) { _ in }
    }
}
