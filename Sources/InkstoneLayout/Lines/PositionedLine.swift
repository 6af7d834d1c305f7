import CShaping
import InkstoneBase
import InkstoneUnicode

/// A line with its glyph runs in visual order and its caret positions. All geometry is computed from it.
///
/// x is in 26.6 pixels from the container's left edge; units are UTF-16 units of the fragment's text. A class,
/// because it is passed on many times. Immutable except for values computed on first use.
final class PositionedLine {
    /// A run of glyphs of one bidi level, font and kind, with its position on the line.
    struct VisualRun {
        var start: Int32
        var end: Int32
        var glyphStart: Int32
        var glyphEnd: Int32
        var level: UInt8
        var face: Int32
        var kind: ShapedText.Kind
        var raise: Int16
        var left: Int32
        var width: Int32
        var right: Int32 { left + width }
    }

    /// A grapheme cluster on the line. It starts at `unit` and ends where the next stop starts.
    struct Stop {
        var unit: Int32
        /// The x at which the cluster starts: its right edge in right-to-left text.
        var leading: Int32
        /// The x at which the cluster ends.
        var trailing: Int32
        var level: UInt8
    }

    /// The visual runs from left to right.
    let runs: [VisualRun]
    /// Start and end of the line in UTF-16 units, trailing spaces included.
    let start: Int32
    let end: Int32
    /// Left edge of the interval available for the line.
    let left: Int32
    /// Right edge of the interval available for the line.
    let right: Int32
    let baseLevel: UInt8
    /// Extra advance of each glyph in a justified line, counted from the line's first glyph; empty for other lines.
    let extra: [Int32]
    /// Whether the line runs from left to right only. Logical order is then visual order.
    let isPlain: Bool

    private let firstGlyph: Int
    private let shaped: ShapedText
    private let context: FontContext
    private let graphemes: GraphemeStarts
    @exclusivity(unchecked) private var knownStops: [Stop]?
    @exclusivity(unchecked) private var knownBoundaries: [Boundary]?

    /// The stops (grapheme clusters) in logical order. O(n) on first use.
    var stops: [Stop] {
        if let knownStops { return knownStops }
        let found = findStops()
        knownStops = found
        return found
    }

    /// Returns the x, in 26.6 pixels, of a caret between two glyphs of a left-to-right line. Avoids the computation of
    /// all stops, because a key press needs only this position. Nil for other lines and positions, and also if all
    /// stops are computed already. O(n).
    func plainCaretX(at unit: Int32) -> Int32? {
        guard knownStops == nil, isPlain, shaped.isNarrow else { return nil }
        return runs.withUnsafeBufferPointer { runs in
            for run in runs where unit < run.end {
                if unit <= run.start { return run.left }
                return shaped.glyphs.withUnsafeBufferPointer { glyphs in
                    var pen = run.left
                    var i = Int(run.glyphStart)
                    let end = Int(run.glyphEnd)
                    while i < end, glyphs[i].cluster < unit {
                        pen &+= glyphs[i].advance
                        i += 1
                    }
                    guard i < end, glyphs[i].cluster == unit else { return nil }
                    if extra.isEmpty { return pen }
                    return extra[(Int(run.glyphStart) - firstGlyph)..<(i - firstGlyph)].reduce(pen, &+)
                }
            }
            return contentRight
        }
    }

    /// The x of the start of the line's text in the base direction, hanging spaces included.
    var startEdge: Int32 { baseLevel & 1 == 0 ? contentLeft : contentRight }
    /// The x of the end of the line's text in the base direction, hanging spaces included.
    var endEdge: Int32 { baseLevel & 1 == 0 ? contentRight : contentLeft }
    var contentLeft: Int32 { runs.first?.left ?? emptyEdge }
    var contentRight: Int32 { runs.last?.right ?? emptyEdge }
    /// The x of a caret in a line without text.
    private let emptyEdge: Int32

    /// The visual boundaries of the line, from left to right. O(n log n) on first use.
    var mixedBoundaries: [Boundary] {
        if let knownBoundaries { return knownBoundaries }
        let found = boundaries(visualOrder())
        knownBoundaries = found
        return found
    }

    /// Creates a line: orders its runs visually (UAX #9, L1 and L2) and aligns it. O(n log n) in the line's length.
    init(
        _ record: LineRecord, of shaped: ShapedText, style: ParagraphStyle, isLast: Bool,
        context: FontContext, graphemes: GraphemeStarts
    ) {
        self.shaped = shaped
        self.context = context
        self.graphemes = graphemes
        start = record.start
        end = record.end
        firstGlyph = Int(record.glyphStart)
        baseLevel = shaped.baseLevel
        isPlain = shaped.isPlain
        let extra = Self.justification(record, shaped, style, isLast)
        self.extra = extra
        let widened = extra.reduce(0, &+)
        let slack = max(0, record.room * 64 - record.width - widened)
        let rtl = shaped.baseLevel & 1 == 1
        // Alignment ignores hanging spaces. They hang over the edge at which the line ends.
        let hanging = record.fullWidth - record.width
        var shift: Int32
        switch style.alignment {
        case .natural, .justified: shift = rtl ? slack : 0
        case .left: shift = 0
        case .right: shift = slack
        case .center: shift = slack / 2 & ~63
        }
        if rtl { shift -= hanging }
        left = record.roomX * 64
        right = (record.roomX + record.room) * 64
        var runs = Self.visualRuns(record, shaped)
        var pen = left + (shift & ~63)
        emptyEdge = pen
        shaped.glyphs.withUnsafeBufferPointer { glyphs in
            for r in runs.indices {
                var width: Int32 = 0
                for i in Int(runs[r].glyphStart)..<Int(runs[r].glyphEnd) {
                    width &+= glyphs[i].advance
                    if !extra.isEmpty { width &+= extra[i - Int(record.glyphStart)] }
                }
                runs[r].left = pen
                runs[r].width = width
                pen += width
            }
        }
        self.runs = runs
    }

    /// Returns the parts of the runs that are on the line, from left to right; trailing spaces get the base level.
    private static func visualRuns(_ record: LineRecord, _ shaped: ShapedText) -> [VisualRun] {
        var parts: [VisualRun] = []
        var trailing = record.end
        if !shaped.isPlain {
            while trailing > record.start {
                let unit = shaped.text[Int(trailing) - 1]
                if unit != 0x09, !BidiParagraph.isTrailing(unit) { break }
                trailing -= 1
            }
        }
        for run in shaped.runs(in: record.start..<record.end)
        where run.glyphStart < record.glyphEnd && run.glyphEnd > record.glyphStart {
            var part = VisualRun(
                start: max(run.start, record.start), end: min(run.end, record.end),
                glyphStart: max(run.glyphStart, record.glyphStart), glyphEnd: min(run.glyphEnd, record.glyphEnd),
                level: run.level, face: run.face, kind: run.kind, raise: run.raise, left: 0, width: 0)
            guard part.start < part.end else { continue }
            if part.end > trailing, part.level != shaped.baseLevel {
                if part.start < trailing {
                    var head = part
                    head.end = trailing
                    var cut = Int(part.glyphStart)
                    while cut < Int(part.glyphEnd), shaped.glyphs[cut].cluster < trailing { cut += 1 }
                    head.glyphEnd = Int32(cut)
                    parts.append(head)
                    part.start = trailing
                    part.glyphStart = Int32(cut)
                }
                part.level = shaped.baseLevel
            }
            parts.append(part)
        }
        if shaped.isPlain { return parts }
        return BidiParagraph.visualOrder(of: parts.map(\.level)).map { parts[$0] }
    }

    private func findStops() -> [Stop] {
        var found: [Stop] = []
        found.reserveCapacity(Int(end - start))
        if runs.count == 1 {
            appendStops(of: runs[0], to: &found)
        } else {
            for run in runs.sorted(by: { $0.start < $1.start }) { appendStops(of: run, to: &found) }
        }
        return found
    }

    private func appendStops(of run: VisualRun, to stops: inout [Stop]) {
        let rtl = run.level & 1 == 1
        let sign: Int32 = rtl ? -1 : 1
        let isNarrow = shaped.isNarrow
        var pen = rtl ? run.right : run.left
        var i = Int(run.glyphStart)
        let last = Int(run.glyphEnd)
        shaped.glyphs.withUnsafeBufferPointer { glyphs in
            while i < last {
                let first = Int(glyphs[i].cluster)
                let glyph = i
                var advance: Int32 = 0
                while i < last, Int(glyphs[i].cluster) == first {
                    advance &+= glyphs[i].advance
                    if !extra.isEmpty { advance &+= extra[i - firstGlyph] }
                    i += 1
                }
                let next = i < last ? Int(glyphs[i].cluster) : Int(run.end)
                if next == first + 1, isNarrow || graphemes.contains(first) || first == Int(start) {
                    stops.append(
                        Stop(unit: Int32(first), leading: pen, trailing: pen + sign * advance, level: run.level))
                    pen += sign * advance
                    continue
                }
                var inside: [Int] = []
                for unit in first..<next where isNarrow || graphemes.contains(unit) || unit == Int(start) {
                    inside.append(unit)
                }
                if inside.isEmpty {
                    // If glyphs continue the previous grapheme cluster, as a mark with an advance does, extend that
                    // cluster's stop.
                    pen += sign * advance
                    if !stops.isEmpty, stops[stops.count - 1].level == run.level {
                        stops[stops.count - 1].trailing = pen
                    }
                    continue
                }
                let edges = Self.edges(
                    inside.count, advance, rtl: rtl, glyph: glyphs[glyph].glyph, oneGlyph: i == glyph + 1,
                    face: context.faces[Int(run.face)])
                for (n, unit) in inside.enumerated() {
                    stops.append(
                        Stop(
                            unit: Int32(unit), leading: pen + sign * edges[n], trailing: pen + sign * edges[n + 1],
                            level: run.level))
                }
                pen += sign * advance
            }
        }
    }

    /// Returns the caret positions in a ligature of `count` grapheme clusters, both ends included, as distances
    /// from the ligature's start in 26.6 pixels. Uses the font's ligature carets if the font has these; otherwise
    /// divides the advance evenly.
    private static func edges(
        _ count: Int, _ advance: Int32, rtl: Bool, glyph: UInt32, oneGlyph: Bool, face: FontFace
    ) -> [Int32] {
        var edges = (0...count).map { advance &* Int32($0) / Int32(count) }
        guard count > 1, oneGlyph else { return edges }
        var carets = [Int32](repeating: 0, count: count - 1)
        let found = cshaping_font_ligature_carets(face.handle, glyph, rtl, &carets, Int32(count - 1))
        if found == count - 1 {
            carets.sort()
            for n in 1..<count {
                let fromLeft = carets[rtl ? count - 1 - n : n - 1]
                edges[n] = min(max(0, rtl ? advance - fromLeft : fromLeft), advance)
            }
        }
        return edges
    }

    /// Returns the extra advance of each glyph that makes a justified line fill its width; empty if nothing is to
    /// be added.
    private static func justification(
        _ record: LineRecord, _ shaped: ShapedText, _ style: ParagraphStyle, _ isLast: Bool
    ) -> [Int32] {
        guard style.alignment == .justified, record.isWrapped, !isLast else { return [] }
        let whole = record.room * 64 - record.width
        let slack = whole >> 6
        guard slack > 0 else { return [] }
        let count = Int(record.glyphEnd - record.glyphStart)
        var gaps: [Int] = []
        var pen: Int32 = 0
        for n in 0..<count {
            let glyph = shaped.glyphs[Int(record.glyphStart) + n]
            pen &+= glyph.advance
            // Do not widen the last visible cluster, nor the trailing spaces after it.
            if pen >= record.width { break }
            let nextCluster = n + 1 < count ? shaped.glyphs[Int(record.glyphStart) + n + 1].cluster : -1
            if nextCluster == glyph.cluster { continue }
            let unit = shaped.text[Int(glyph.cluster)]
            // Text at a tab stop must not move. Justify only the text after the last tab.
            if unit == 0x09 { gaps.removeAll() }
            if unit == 0x20 || unit == 0xa0 || unit == 0x3000 || isIdeographic(unit) { gaps.append(n) }
        }
        guard !gaps.isEmpty else { return [] }
        var extra = [Int32](repeating: 0, count: count)
        let each = slack / Int32(gaps.count)
        let rest = Int(slack % Int32(gaps.count))
        for (n, gap) in gaps.enumerated() { extra[gap] = (each + (n < rest ? 1 : 0)) * 64 }
        // The gaps are now wider by whole pixels. Add the rest to the first gap: a fraction of a pixel, which
        // results from kerning.
        extra[gaps[0]] += whole & 63
        return extra
    }

    private static func isIdeographic(_ unit: UInt16) -> Bool {
        (0x3001...0x30ff).contains(unit) || (0x3400...0x9fff).contains(unit) || (0xac00...0xd7a3).contains(unit)
            || (0xf900...0xfaff).contains(unit) || (0xff01...0xffef).contains(unit)
    }
}
