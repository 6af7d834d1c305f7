import CShaping
import InkstoneBase

/// Computes line heights for a paragraph's style, in whole pixels.
struct LineHeights {
    /// Height of an empty line in the paragraph's own font.
    let natural: Int32
    private let baseline: Int32
    private let style: ParagraphStyle.LineHeight
    private let growth: Growth
    /// The least extent of lines, for a style with a minimum height; otherwise nil.
    private let least: Box?
    private let context: FontContext

    /// The set of fonts that can make a line higher.
    private enum Growth {
        case nothing
        /// The primary fonts of the styles that occur on the line; the paragraph's own font counts only if text on
        /// the line has it.
        case primaries
        /// The paragraph's own font and all fonts used on the line, fallback fonts included.
        case faces
    }

    /// The extent of a line above and below its baseline.
    typealias Box = (above: Int32, below: Int32)

    /// Creates the heights for a paragraph's style.
    ///
    /// - Parameter growsWithFonts: whether the primary fonts of the text's styles can make a line higher. Has no effect
    ///   if the style's height is exact (no line grows) or `growing` (lines grow with all fonts).
    init(_ style: ParagraphStyle, _ primary: FontFace, _ context: FontContext, growsWithFonts: Bool = false) {
        self.style = style.lineHeight
        self.context = context
        let box = Self.box(primary, self.style)
        (natural, baseline) = (box.above + box.below, box.above)
        if case .atLeast(let pixels) = self.style { least = Self.box(primary, .exactly(pixels)) } else { least = nil }
        switch self.style {
        case .growing: growth = .faces
        case .exactly: growth = .nothing
        case .natural, .multiple, .multipleOfSize, .atLeast: growth = growsWithFonts ? .primaries : .nothing
        }
    }

    /// Returns the extent of a line in one font. Height beyond the font's ascent and descent is split evenly above
    /// and below. A multiple of the font size is instead divided in the ratio of ascent and descent.
    static func box(_ face: FontFace, _ style: ParagraphStyle.LineHeight) -> Box {
        let metrics = face.metrics
        let ink = metrics.ascent + metrics.descent
        let own = max(1, max(metrics.height, ink))
        let height: Int32
        switch style {
        case .natural, .growing: height = own
        case .multiple(let factor): height = max(1, Int32(pixels: Double(own) * max(0, factor)))
        case .multipleOfSize(let factor):
            let height = max(1, Int32(pixels: face.size * max(0, factor)))
            let above = Int32(pixels: Double(height) * Double(metrics.ascent) / Double(max(1, ink)))
            return (above, height - above)
        case .exactly(let pixels): height = max(1, Int32(pixels: pixels))
        case .atLeast(let pixels): height = max(own, Int32(pixels: pixels))
        }
        let above = metrics.ascent + (height - ink) / 2
        return (above, height - above)
    }

    /// Returns the height of a line with the given units, and its baseline's distance below its top. An attachment
    /// counts together with text of its own font: a line of only attachments has room for the caret. Lines of an
    /// exact height do not grow for attachments.
    func measure(_ shaped: ShapedText, _ units: Range<Int32>) -> (height: Int32, baseline: Int32) {
        let line = measureText(shaped, units)
        guard !shaped.attachments.isEmpty else { return line }
        if case .exactly = style { return line }
        var (above, below) = (line.baseline, line.height - line.baseline)
        for run in shaped.runs(in: units) where run.kind == .attachment {
            guard let box = shaped.attachments[run.start] else { continue }
            (above, below) = (max(above, box.above), max(below, box.below))
        }
        return (above + below, above)
    }

    private func measureText(_ shaped: ShapedText, _ units: Range<Int32>) -> (height: Int32, baseline: Int32) {
        if case .nothing = growth { return (natural, baseline) }
        // An empty line has the style of the text before it, because typed text would inherit that style.
        let runs = units.isEmpty ? shaped.runs.suffix(1) : shaped.runs(in: units)
        if case .multipleOfSize = style { return measure(runs) }
        var box: Box = (0, 0)
        if case .faces = growth { box = (baseline, natural - baseline) }
        var isEmpty = true
        for run in runs where run.glyphStart < run.glyphEnd {
            let (above, below) = reach(of: run)
            // For raised text, also reserve the room that it would take without being raised. A line of only raised
            // text then keeps its baseline.
            let raise = Int32(run.raise)
            box = (max(box.above, above + max(0, raise)), max(box.below, below + max(0, -raise)))
            isEmpty = false
        }
        if isEmpty { return (natural, baseline) }
        let height = max(1, box.above + box.below)
        guard let least, height < least.above + least.below else { return (height, box.above) }
        // If the text fits into the minimum height, place the baseline as in other lines of that height.
        return (least.above + least.below, min(max(box.above, least.above), least.above + least.below - box.below))
    }

    /// Returns the height and baseline of a line for which only the largest font counts.
    private func measure(_ runs: some Sequence<ShapedText.Run>) -> (height: Int32, baseline: Int32) {
        let faces = runs.map { context.faces[Int($0.primary)] }
        guard let largest = faces.max(by: { $0.size < $1.size }) else { return (natural, baseline) }
        let box = Self.box(largest, style)
        return (box.above + box.below, box.above)
    }

    /// Returns the extent of a run above and below its own baseline.
    private func reach(of run: ShapedText.Run) -> Box {
        if case .faces = growth {
            let metrics = context.faces[Int(run.face)].metrics
            return (metrics.ascent, metrics.descent)
        }
        // The minimum height applies to the whole line, not to each run.
        var own = style
        if case .atLeast = own { own = .natural }
        return Self.box(context.faces[Int(run.primary)], own)
    }
}

/// The tab stops of a paragraph: its own stops, followed by regular ones. Distances are 26.6 pixels from the line's
/// start.
struct TabStops {
    /// A tab stop of the paragraph's style, with its position in 26.6 pixels.
    struct Stop {
        var position: Int32
        var alignment: TabStop.Alignment
        var leader: Unicode.Scalar?
    }

    private let stops: [Stop]
    private let interval: Int32
    /// The smallest advance of a tab to a regular stop, which is the width of a space. A smaller gap could be
    /// overlooked.
    private let least: Int32
    /// Whether any stop has centered, trailing or decimal alignment. A tab's advance then depends on the text after
    /// it.
    let looksAhead: Bool
    /// Whether the stops are measured from the edge where lines start, and not from the line's start.
    private let isFromEdge: Bool

    init(_ style: ParagraphStyle, _ primary: FontFace) {
        stops = style.tabStops.map {
            Stop(position: Int32(pixels: $0.position) * 64, alignment: $0.alignment, leader: $0.leader)
        }
        isFromEdge = style.columnIndents != nil
        looksAhead = stops.contains { $0.alignment != .natural }
        let space = max(1, primary.spaceAdvance == 0 ? primary.metrics.max_advance : primary.spaceAdvance)
        least = space * 64
        // Limit the interval so that the width of some thousand tabs on a line fits 32 bits, see
        // `GlyphBuffer.widest`.
        interval = min(space * Int32(min(max(1, style.tabInterval), 100)), 1 << 11) * 64
    }

    /// Returns the first of the paragraph's own stops after a pen position; nil if none is left.
    func stop(after pen: Int32) -> Stop? { stops.first { $0.position > pen } }

    /// Returns the advance of a tab at a pen position. The advance to one of the paragraph's own stops is at least
    /// 0; to a regular stop, at least the width of a space.
    ///
    /// - Parameters:
    ///   - indent: the indent of the line, in pixels.
    ///   - limit: the line's end; nil if lines do not wrap.
    ///   - behind: returns how much of the text after the tab lies before a stop of the given alignment. Called
    ///     only if needed.
    func advance(
        at pen: Int32, indent: Int32, limit: Int32?, behind: (TabStop.Alignment) -> Int32
    ) -> Int32 {
        let origin = isFromEdge ? indent * 64 : 0
        let (pen, limit) = (pen + origin, limit.map { $0 + origin })
        guard let stop = stop(after: pen) else { return ((pen + least - 1) / interval + 1) * interval - pen }
        if stop.alignment == .natural { return stop.position - pen }
        // Limit the stop to the line's end; otherwise the text would wrap to the next line.
        let end = limit.map { min(stop.position, $0) } ?? stop.position
        return max(0, end - behind(stop.alignment) - pen)
    }
}
