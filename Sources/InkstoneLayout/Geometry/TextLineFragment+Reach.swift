import CShaping
import InkstoneBase

/// The distances by which ink extends above and below a line's box, or a baseline, in whole pixels; not negative.
package struct InkReach: Hashable, Sendable {
    package var above: Int32
    package var below: Int32

    package static let none = InkReach(above: 0, below: 0)

    package var largest: Int32 { max(above, below) }

    /// Adds ink beyond the box of `line`. The distances in `ink` are from a baseline that is `raise` pixels above
    /// the line's.
    mutating func add(_ ink: InkReach, raisedBy raise: Int16, beyond line: LineRecord) {
        above = max(above, ink.above + Int32(raise) - line.baseline)
        below = max(below, ink.below - Int32(raise) - (line.height - line.baseline))
    }
}

extension FontFace {
    /// Returns how far the ink of some glyphs extends above and below their baseline, in whole pixels. Ignores
    /// glyphs whose own offset from the baseline exceeds `limit`.
    func inkReach(of glyphs: ArraySlice<cshaping_glyph>, limit: Int32) -> InkReach {
        var reach = InkReach.none
        glyphs.withUnsafeBufferPointer {
            cshaping_font_reach(handle, $0.baseAddress, Int32($0.count), limit, &reach.above, &reach.below)
        }
        return reach
    }
}

extension LineRecord {
    /// Returns the limit for the vertical offset of glyphs in a run that is raised by `raise` pixels. If the raised
    /// baseline is outside of the line's box, the raise counts towards the limit. Negative if no glyph of the run
    /// is painted.
    func inkLimit(_ limit: Int32, raisedBy raise: Int16) -> Int32 {
        let raise = Int32(raise)
        return raise <= baseline && -raise <= height - baseline ? limit : limit - abs(raise)
    }
}

extension TextLineFragment {
    /// Returns whether text raised by `raise` whole pixels above the line's baseline is painted.
    ///
    /// - Parameter limit: see ``inkReach(limit:)``.
    package func paintsBaseline(raisedBy raise: Double, limit: Double) -> Bool {
        record.inkLimit(Int32(pixels: limit), raisedBy: Int16(clamping: Int32(pixels: raise))) >= 0
    }

    /// Returns how far the line's ink extends above and below its box. The first time, O(n) for n glyphs.
    ///
    /// - Parameter limit: the greatest vertical offset from the baseline, in pixels. Glyphs beyond it are neither
    ///   painted nor measured, which bounds stacks of combining marks.
    package func inkReach(limit: Int32) -> InkReach {
        if let known = fragment.inkReach(ofLine: index) { return known }
        let record = record
        var reach = InkReach.none
        for run in fragment.shaped.runs(in: record.start..<record.end)
        where run.glyphStart < record.glyphEnd && run.glyphEnd > record.glyphStart {
            let limit = record.inkLimit(limit, raisedBy: run.raise)
            guard limit >= 0, run.kind == .text || run.raise != 0 else { continue }
            let face = tools.context.faces[Int(run.face)]
            var ink = InkReach.none
            if run.kind == .text {
                let glyphs = Int(max(run.glyphStart, record.glyphStart))..<Int(min(run.glyphEnd, record.glyphEnd))
                ink = face.inkReach(of: fragment.shaped.glyphs[glyphs], limit: limit)
            }
            if run.raise != 0 {
                // The underline, strikethrough and boxes of raised text are raised too. Include the fonts' ascent and
                // descent, between which they lie.
                for metrics in [face.metrics, tools.context.faces[Int(run.primary)].metrics] {
                    ink.above = max(ink.above, metrics.ascent)
                    ink.below = max(ink.below, metrics.descent)
                }
            }
            reach.add(ink, raisedBy: run.raise, beyond: record)
        }
        fragment.setInkReach(reach, ofLine: index)
        return reach
    }
}

extension TextLayoutFragment {
    /// Returns how far ink extends beyond the lines that the fragment has in a band of the document, in whole
    /// pixels and at most `limit`. For a custom fragment, includes its painting outside its frame.
    package func inkReach(within band: DocumentRect, limit: Double) -> Double {
        var reach = 0.0
        if let custom {
            let (frame, surface) = (layoutFragmentFrame, custom.renderingSurfaceBounds(of: self))
            reach = max(frame.minY - surface.minY, surface.maxY - frame.maxY, 0).rounded(.up)
        }
        for line in textLineFragments where line.top < band.maxY && line.bottom > band.minY {
            reach = max(reach, Double(line.inkReach(limit: Int32(limit)).largest))
        }
        return min(limit, reach)
    }
}

extension DocumentLayout {
    /// Returns how far ink extends beyond the lines that a standard fragment has in a band of the document, in
    /// whole pixels.
    fileprivate func inkReach(of placed: PlacedFragment, within band: DocumentRect, limit: Double) -> Double {
        var reach: Int32 = 0
        for (index, line) in placed.fragment.lines.enumerated() {
            let top = placed.y + Double(line.y)
            guard top < band.maxY, top + Double(line.height) > band.minY else { continue }
            let own =
                placed.fragment.inkReach(ofLine: index)
                ?? lineFragment(PlacedLine(placed: placed, index: index)).inkReach(limit: Int32(limit))
            reach = max(reach, own.largest)
        }
        return Double(reach)
    }
}

extension TextLayoutManager {
    /// Returns the fragments in an area of the document, and those up to `margin` pixels above or below whose ink
    /// extends into the area; custom fragments up to `margin` away are always included. Also returns the greatest
    /// distance by which ink of a line up to `margin` away extends beyond its line, in whole pixels and at most
    /// `limit`. O(n) for n glyphs not measured before.
    package func textLayoutFragments(
        showingIn area: DocumentRect, margin: Double, limit: Double
    ) -> (fragments: [TextLayoutFragment], inkReach: Double) {
        let band = DocumentRect(
            x: area.minX, y: area.minY - margin, width: area.width, height: area.height + 2 * margin)
        var found: [TextLayoutFragment] = []
        var reach = 0.0
        document.forEachPlaced(in: band) { placed in
            if placed.fragment.custom == nil {
                let own = document.inkReach(of: placed, within: band, limit: limit)
                reach = max(reach, own)
                let bottom = placed.y + Double(placed.fragment.height)
                guard placed.y - own < area.maxY, bottom + own > area.minY else { return }
            }
            found.append(document.layoutFragment(placed))
        }
        document.evict()
        // Custom fragments may call back into the layout: call them only after the enumeration.
        for fragment in found where fragment.custom != nil {
            reach = max(reach, fragment.inkReach(within: band, limit: limit))
        }
        return (found, min(limit, reach))
    }

    /// Returns how far ink extends beyond the lines in a band of the document, in whole pixels and at most `limit`.
    /// Lays out the band. O(n) for n glyphs not measured before.
    package func inkReach(in band: DocumentRect, limit: Double) -> Double {
        var reach = 0.0
        var custom: [PlacedFragment] = []
        document.forEachPlaced(in: band) { placed in
            // Custom fragments may call back into the layout: call them only after the enumeration.
            guard placed.fragment.custom == nil else { return custom.append(placed) }
            reach = max(reach, document.inkReach(of: placed, within: band, limit: limit))
        }
        document.evict()
        for placed in custom {
            reach = max(reach, document.layoutFragment(placed).inkReach(within: band, limit: limit))
        }
        return min(limit, reach)
    }
}
