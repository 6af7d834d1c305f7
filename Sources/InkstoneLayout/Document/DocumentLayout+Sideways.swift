import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Layout of long paragraphs that do not wrap. Each is one line of fragments side by side, of which only the
/// visible ones are laid out. A fragment's x is the sum of the widths before it in the tree, as its y is the sum of
/// heights.
extension DocumentLayout {
    /// Lays out the next fragment of a one-line paragraph. The fragment ends at a space, or else between grapheme
    /// clusters. Text that runs against the paragraph's direction is kept in one fragment if possible, because
    /// fragments are ordered in the paragraph's direction.
    func layOutSideways(from start: Int, in paragraph: Paragraph, limit: Int) -> Fragment {
        let stop = min(paragraph.contentEnd, limit)
        var end = stop
        if stop - start > Self.sidewaysLength * 3 / 2 {
            let low = text.scalarBoundary(start + Self.sidewaysLength / 2)
            end = start + Self.sidewaysLength
            let units = text.utf16(in: UTF16Offset(low)..<UTF16Offset(end))
            if let space = units.lastIndex(of: 0x20) {
                end = low + space + 1
            } else {
                end = text.graphemeBoundary(roundedDown: end, notBefore: low)
            }
        }
        while true {
            let full = end == paragraph.contentEnd && limit >= paragraph.end ? paragraph.end : end
            let made = layOutExactly(start..<end, paragraph, endsAt: full, top: 0)
            let better = end < stop ? sidewaysEnd(of: made, start..<end, in: paragraph, stop: stop) : end
            if better == end { return entry(made, units: full - start) }
            end = better
        }
    }

    /// The largest length, in UTF-16 units, to which a fragment is lengthened so that it does not cut text that
    /// runs against the paragraph's direction.
    private static let longestStretch = 4096

    /// Returns the UTF-16 unit at which a fragment should end so that text against the paragraph's direction is not
    /// cut. Returns the fragment's present end if the fragment's last unit runs in the paragraph's direction, or if the
    /// fragment would become longer than `longestStretch`.
    private func sidewaysEnd(of made: LaidFragment, _ units: Range<Int>, in paragraph: Paragraph, stop: Int) -> Int {
        let base = made.shaped.baseLevel
        guard let last = made.shaped.levels.last, last != base else { return units.upperBound }
        let (start, far) = (units.lowerBound, min(stop, units.lowerBound + Self.longestStretch))
        let levels = self.levels.levels(start..<far, of: paragraph, base: base, in: text).levels
        guard levels.count == far - start else { return units.upperBound }
        let content = text.utf16(in: UTF16Offset(start)..<UTF16Offset(far))
        func isSeam(_ end: Int) -> Bool {
            if start + end == stop { return true }
            guard end < levels.count, min(levels[end - 1], levels[end]) == base,
                levels[end - 1] != levels[end] || content[end - 1] == 0x20
            else { return false }
            return text.graphemeBoundary(roundedDown: start + end, notBefore: start) == start + end
        }
        let before = (Self.sidewaysLength / 2...max(Self.sidewaysLength / 2, units.count)).last(where: isSeam)
        guard let end = before ?? (units.count...content.count).first(where: isSeam) else { return units.upperBound }
        return start + end
    }

    /// Returns the sum of all widths before a UTF-16 unit; for a unit inside a fragment that is no gap, before the
    /// start of the fragment. Only differences within one paragraph are meaningful.
    private func width(before unit: Int) -> Double {
        if unit >= tree.total.units { return estimate.width(of: tree.total) }
        let (fragment, before) = tree.fragment(at: unit)
        return estimate.width(of: before) + (fragment.isGap ? Double(unit - before.units) * estimate.advance : 0)
    }

    /// Returns the left edge of a fragment, in whole pixels. In a right-to-left paragraph the first fragment is the
    /// rightmost. Also raises ``widest`` to the paragraph's width if that is greater.
    func sidewaysX(of layout: LaidFragment, _ fragment: Fragment, _ before: FragmentSum) -> Double {
        let paragraph = Paragraph(text, holding: min(before.units, text.metrics.utf16))
        let start = width(before: paragraph.start)
        let extent = (width(before: paragraph.end) - start).rounded(.up)
        widest = max(widest, Int32(clamping: Int(extent)))
        let offset = estimate.width(of: before) - start
        let padding = Double(room.x)
        if layout.shaped.baseLevel & 1 == 0 { return padding + offset.rounded() }
        let whole = max(extent, Double(room.alignmentWidth))
        return padding + (whole - offset - Double(fragment.width)).rounded()
    }

    /// Returns the paragraph at a y of the document, in a layout without wrapping, where each paragraph is one
    /// line.
    func paragraph(atY y: Double) -> Paragraph {
        let (fragment, before) = tree.fragment(atY: max(0, y), estimate)
        var index = before.paragraphs
        if fragment.isGap, estimate.perParagraph > 0 {
            let lines = Int(min(1e9, max(0, y - estimate.height(of: before)) / estimate.perParagraph))
            index += min(lines, max(0, fragment.paragraphs - 1))
        }
        return Paragraph(text, ParagraphIndex(min(index, text.paragraphCount - 1)))
    }

    /// Returns the fragment of a one-line paragraph at an x of the document.
    func placedFragment(in paragraph: Paragraph, atX x: Double) -> PlacedFragment {
        let first = placedFragment(at: paragraph.start)
        guard first.fragment.isSideways else { return first }
        let start = width(before: paragraph.start)
        var along = x - Double(room.x)
        if first.fragment.shaped.baseLevel & 1 == 1 {
            let extent = width(before: paragraph.end) - start
            along = max(extent, Double(room.alignmentWidth)) - along
        }
        // Edges are rounded to pixels. At an edge, choose the fragment that starts there, not the text before it, which
        // may not be laid out.
        let target = start + max(0, along) + 0.5
        let (fragment, before) = tree.fragment(atWidth: target, estimate)
        var unit = before.units
        if fragment.isGap {
            unit += Int(max(0, min(1e12, (target - estimate.width(of: before)) / estimate.advance)))
        }
        return placedFragment(at: min(max(unit, paragraph.start), paragraph.contentEnd))
    }

    /// Calls `body` with the fragments that intersect a rectangle, from top to bottom and in text order within a line,
    /// until `body` returns false. If `units` is passed, fragments that hold none of these UTF-16 units, nor the offset
    /// at their end, are left out. Lays out only the fragments passed to `body` and the first fragment of each line.
    func forEachUnwrapped(in band: DocumentRect, units: Range<Int>? = nil, _ body: (PlacedFragment) -> Bool) {
        var paragraph = paragraph(atY: band.minY)
        if let units {
            let first = Paragraph(text, holding: units.lowerBound)
            if first.index > paragraph.index { paragraph = first }
        }
        while true {
            if let units, paragraph.start > units.upperBound { return }
            var placed = placedFragment(at: paragraph.start)
            if placed.y >= band.maxY { return }
            if placed.fragment.isSideways {
                let rtl = placed.fragment.shaped.baseLevel & 1 == 1
                placed = placedFragment(in: paragraph, atX: rtl ? band.maxX : band.minX)
                if let units, placed.start + placed.units <= units.lowerBound {
                    placed = placedFragment(at: min(units.lowerBound, paragraph.contentEnd))
                }
                while true {
                    if let units, placed.start > units.upperBound { break }
                    let edge = Double(placed.fragment.lines[0].fullWidth) / 64
                    if rtl ? placed.x + edge < band.minX : placed.x > band.maxX { break }
                    guard body(placed) else { return }
                    if placed.fragment.endsParagraph { break }
                    placed = placedFragment(at: placed.start + placed.units)
                }
            } else {
                guard body(placed) else { return }
            }
            if paragraph.index + 1 >= text.paragraphCount { return }
            paragraph = Paragraph(text, ParagraphIndex(paragraph.index + 1))
        }
    }
}
