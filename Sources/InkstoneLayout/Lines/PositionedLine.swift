import CShaping
import InkstoneBase
import InkstoneUnicode

/// One line in visual order, with the places where a caret may stand: what all geometry is read from.
///
/// x in 26.6 pixels from the container's left edge; units are those of the piece's text.
struct PositionedLine {
    /// A stretch on one level, in visual order.
    struct VisualRun {
        var start: Int32
        var end: Int32
        var glyphStart: Int32
        var glyphEnd: Int32
        var level: UInt8
        var face: Int32
        var kind: ShapedText.Kind
        var left: Int32
        var width: Int32
        var right: Int32 { left + width }
    }

    /// A grapheme cluster: it starts at `unit` and ends where the next stop starts.
    struct Stop {
        var unit: Int32
        /// x of the edge where it starts and of the edge where it ends, in its own direction.
        var leading: Int32
        var trailing: Int32
        var level: UInt8
    }

    /// From left to right.
    var runs: [VisualRun]
    /// In logical order.
    var stops: [Stop]
    /// Units of the line, trailing spaces included.
    var start: Int32
    var end: Int32
    /// Edges of the line's room.
    var left: Int32
    var right: Int32
    var baseLevel: UInt8
    /// Extra advance of each glyph from the line's first on, where the line is justified; empty elsewhere.
    var extra: [Int32]

    /// x where the text of the line starts and where it ends, in the base direction; hanging spaces included.
    var startEdge: Int32 { baseLevel & 1 == 0 ? contentLeft : contentRight }
    var endEdge: Int32 { baseLevel & 1 == 0 ? contentRight : contentLeft }
    var contentLeft: Int32 { runs.first?.left ?? (baseLevel & 1 == 0 ? left : right) }
    var contentRight: Int32 { runs.last?.right ?? (baseLevel & 1 == 0 ? left : right) }

    /// Orders a line (UAX #9, L1 and L2), aligns it and finds its stops. `isGrapheme` tells grapheme boundaries for
    /// text beyond U+02FF. O(n log n) in the line's length.
    init(
        _ record: LineRecord, of shaped: ShapedText, style: ParagraphStyle, isLast: Bool,
        context: FontContext, isGrapheme: (Int) -> Bool
    ) {
        start = record.start
        end = record.end
        baseLevel = shaped.baseLevel
        extra = Self.justification(record, shaped, style, isLast)
        let widened = extra.reduce(0, &+)
        let slack = max(0, record.room * 64 - record.width - widened)
        let rtl = shaped.baseLevel & 1 == 1
        // What hangs does not count for alignment; it hangs on the side where the line ends.
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
        runs = Self.visualRuns(record, shaped)
        stops = []
        stops.reserveCapacity(Int(end - start))
        var pen = left + (shift & ~63)
        for r in runs.indices {
            runs[r].left = pen
            runs[r].width = width(of: runs[r], record, shaped)
            pen += runs[r].width
        }
        let order = runs.count == 1 ? [0] : runs.indices.sorted { runs[$0].start < runs[$1].start }
        for r in order where r < runs.count {
            appendStops(of: runs[r], record, shaped, context, isGrapheme)
        }
    }

    @inline(__always)
    private func extraAdvance(_ glyph: Int, _ record: LineRecord) -> Int32 {
        extra.isEmpty ? 0 : extra[glyph - Int(record.glyphStart)]
    }

    private func width(of run: VisualRun, _ record: LineRecord, _ shaped: ShapedText) -> Int32 {
        var sum: Int32 = 0
        for i in Int(run.glyphStart)..<Int(run.glyphEnd) {
            sum &+= shaped.glyphs[i].advance &+ extraAdvance(i, record)
        }
        return sum
    }

    /// The parts of the line's runs, with trailing space on the base level, from left to right.
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
        for run in shaped.runs where run.glyphStart < record.glyphEnd && run.glyphEnd > record.glyphStart {
            var part = VisualRun(
                start: max(run.start, record.start), end: min(run.end, record.end),
                glyphStart: max(run.glyphStart, record.glyphStart), glyphEnd: min(run.glyphEnd, record.glyphEnd),
                level: run.level, face: run.face, kind: run.kind, left: 0, width: 0)
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

    private mutating func appendStops(
        of run: VisualRun, _ record: LineRecord, _ shaped: ShapedText, _ context: FontContext,
        _ isGrapheme: (Int) -> Bool
    ) {
        let rtl = run.level & 1 == 1
        let sign: Int32 = rtl ? -1 : 1
        var pen = rtl ? run.right : run.left
        var i = Int(run.glyphStart)
        let last = Int(run.glyphEnd)
        while i < last {
            let first = Int(shaped.glyphs[i].cluster)
            let glyph = i
            var advance: Int32 = 0
            while i < last, Int(shaped.glyphs[i].cluster) == first {
                advance &+= shaped.glyphs[i].advance &+ extraAdvance(i, record)
                i += 1
            }
            let next = i < last ? Int(shaped.glyphs[i].cluster) : Int(run.end)
            if shaped.isNarrow, next == first + 1 {
                stops.append(
                    Stop(unit: Int32(first), leading: pen, trailing: pen + sign * advance, level: run.level))
                pen += sign * advance
                continue
            }
            var inside: [Int] = []
            for unit in first..<next where shaped.isNarrow || isGrapheme(unit) || unit == Int(start) {
                inside.append(unit)
            }
            if inside.isEmpty {
                // The cluster continues a grapheme: a mark with an advance of its own.
                pen += sign * advance
                if !stops.isEmpty, stops[stops.count - 1].level == run.level {
                    stops[stops.count - 1].trailing = pen
                }
                continue
            }
            let edges = Self.edges(
                inside.count, advance, rtl: rtl, glyph: shaped.glyphs[glyph].glyph, oneGlyph: i == glyph + 1,
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

    /// Distances of the carets in a cluster of `count` graphemes from where it starts, both ends included: the font's
    /// own ligature carets, else even parts; 26.6.
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

    /// Extra advances that fill the room of a justified line, by glyph; whole pixels.
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
            // The last visible cluster takes nothing.
            if pen >= record.width { break }
            let nextCluster = n + 1 < count ? shaped.glyphs[Int(record.glyphStart) + n + 1].cluster : -1
            if nextCluster == glyph.cluster { continue }
            let unit = shaped.text[Int(glyph.cluster)]
            // What stands at a tab's stop stays there: only what is behind the last is spread.
            if unit == 0x09 { gaps.removeAll() }
            if unit == 0x20 || unit == 0xa0 || unit == 0x3000 || isIdeographic(unit) { gaps.append(n) }
        }
        guard !gaps.isEmpty else { return [] }
        var extra = [Int32](repeating: 0, count: count)
        let each = slack / Int32(gaps.count)
        let rest = Int(slack % Int32(gaps.count))
        for (n, gap) in gaps.enumerated() { extra[gap] = (each + (n < rest ? 1 : 0)) * 64 }
        // What kerning leaves of a pixel.
        extra[gaps[0]] += whole & 63
        return extra
    }

    private static func isIdeographic(_ unit: UInt16) -> Bool {
        (0x3001...0x30ff).contains(unit) || (0x3400...0x9fff).contains(unit) || (0xac00...0xd7a3).contains(unit)
            || (0xf900...0xfaff).contains(unit) || (0xff01...0xffef).contains(unit)
    }
}
