import CShaping

/// How far a line's ink reaches beyond its box, in whole pixels; not negative.
package struct InkReach: Hashable, Sendable {
    package var above: Int32
    package var below: Int32

    /// Nothing beyond the box.
    package static let none = InkReach(above: 0, below: 0)

    package var largest: Int32 { max(above, below) }
}

extension TextLineFragment {
    /// How far the line's ink reaches above and below its box. O(n) for n glyphs the first time.
    ///
    /// - Parameter limit: glyphs that are set off from the baseline by more pixels than this are not painted, nor
    ///   looked at: towers of combining marks end somewhere.
    package func inkReach(limit: Int32) -> InkReach {
        if let known = piece.inkReach(ofLine: index) { return known }
        let record = record
        var reach = InkReach.none
        let room = (above: record.baseline, below: record.height - record.baseline)
        for run in piece.shaped.runs
        where run.kind == .text && run.glyphStart < record.glyphEnd && run.glyphEnd > record.glyphStart {
            let face = tools.context.faces[Int(run.face)]
            let glyphs = Int(max(run.glyphStart, record.glyphStart))..<Int(min(run.glyphEnd, record.glyphEnd))
            var (above, below) = (Int32.min, Int32.min)
            piece.shaped.glyphs.withUnsafeBufferPointer {
                cshaping_font_reach(
                    face.handle, $0.baseAddress.map { $0 + glyphs.lowerBound }, Int32(glyphs.count), limit, &above,
                    &below)
            }
            guard above != .min else { continue }
            reach.above = max(reach.above, above - room.above)
            reach.below = max(reach.below, below - room.below)
        }
        piece.setInkReach(reach, ofLine: index)
        return reach
    }
}
