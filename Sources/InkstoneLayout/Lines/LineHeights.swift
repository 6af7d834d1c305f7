import CShaping
import InkstoneBase

/// Heights of lines by a paragraph's style; whole pixels.
struct LineHeights {
    /// Height of a line without text.
    let natural: Int32
    private let baseline: Int32
    private let style: ParagraphStyle.LineHeight
    private let growth: Growth
    /// Minimum height of lines.
    private let least: Box?
    private let context: FontContext

    /// The fonts that can increase a line's height.
    private enum Growth {
        case nothing
        /// The fonts of the text's styles; the paragraph's own only where text is in it.
        case primaries
        /// The paragraph's own font, and all fonts that show the text.
        case faces
    }

    /// Height above and below a baseline.
    typealias Box = (above: Int32, below: Int32)

    /// - Parameter growsWithFonts: whether a line is as high as the fonts of its text's styles require, unless the style's height is
    /// exact; otherwise all lines have the height of the primary font.
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

    /// Returns the box of a line of one font. Height beyond the font's own is split evenly above and below.
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

    /// Returns the height, and the baseline below the top, of a line with given units. An attachment counts together with text in its own
    /// font, so that a line of only attachments fits the caret; a line of an exact height does not grow for taller attachments.
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
        // Text typed on an empty line inherits the style of the text before it.
        let runs = units.isEmpty ? shaped.runs.suffix(1) : shaped.runs(in: units)
        if case .multipleOfSize = style { return measure(runs) }
        var box: Box = (0, 0)
        if case .faces = growth { box = (baseline, natural - baseline) }
        var isEmpty = true
        for run in runs where run.glyphStart < run.glyphEnd {
            let (above, below) = reach(of: run)
            // Raised text also reserves its room on the baseline, so that a line of only raised text has a baseline.
            let raise = Int32(run.raise)
            box = (max(box.above, above + max(0, raise)), max(box.below, below + max(0, -raise)))
            isEmpty = false
        }
        if isEmpty { return (natural, baseline) }
        let height = max(1, box.above + box.below)
        guard let least, height < least.above + least.below else { return (height, box.above) }
        // If the box fits, the baseline is the same as in all other lines of the minimum height.
        return (least.above + least.below, min(max(box.above, least.above), least.above + least.below - box.below))
    }

    /// Returns the height and baseline where only the largest font counts.
    private func measure(_ runs: some Sequence<ShapedText.Run>) -> (height: Int32, baseline: Int32) {
        let faces = runs.map { context.faces[Int($0.primary)] }
        guard let largest = faces.max(by: { $0.size < $1.size }) else { return (natural, baseline) }
        let box = Self.box(largest, style)
        return (box.above + box.below, box.above)
    }

    /// Returns the height of a run above and below its own baseline.
    private func reach(of run: ShapedText.Run) -> Box {
        if case .faces = growth {
            let metrics = context.faces[Int(run.face)].metrics
            return (metrics.ascent, metrics.descent)
        }
        // The minimum height of the style applies to the whole line, not to a run.
        var own = style
        if case .atLeast = own { own = .natural }
        return Self.box(context.faces[Int(run.primary)], own)
    }
}

/// The tab stops of a paragraph: its own first, then regular ones. Distances are 26.6 pixels from the line's start.
struct TabStops {
    /// The end of a tab's advance.
    struct Stop {
        var position: Int32
        var alignment: TabStop.Alignment
        var leader: Unicode.Scalar?
    }

    private let stops: [Stop]
    private let interval: Int32
    /// Smallest advance of a tab to a regular stop: less would not be visible as a gap between words.
    private let least: Int32
    /// Whether any stop aligns the end or the middle of text, so that a tab's advance depends on the text after it.
    let looksAhead: Bool

    init(_ style: ParagraphStyle, _ primary: FontFace) {
        stops = style.tabStops.map {
            Stop(position: Int32(pixels: $0.position) * 64, alignment: $0.alignment, leader: $0.leader)
        }
        looksAhead = stops.contains { $0.alignment != .natural }
        let space = max(1, primary.spaceAdvance == 0 ? primary.metrics.max_advance : primary.spaceAdvance)
        least = space * 64
        // A line of some thousand tabs must fit 32 bits, see `GlyphBuffer.widest`.
        interval = min(space * Int32(min(max(1, style.tabInterval), 100)), 1 << 11) * 64
    }

    /// Returns the paragraph's own stop after the pen position; nil if there is none.
    func stop(after pen: Int32) -> Stop? { stops.first { $0.position > pen } }

    /// Returns the advance of a tab at a pen position: at least 0 to an own stop, and at least a space to a regular one.
    ///
    /// - Parameters:
    ///   - limit: the line's end; nil where lines are not wrapped.
    /// - behind: returns the advance of the text after the tab that goes before a stop of an alignment. Called only if needed.
    func advance(at pen: Int32, limit: Int32?, behind: (TabStop.Alignment) -> Int32) -> Int32 {
        guard let stop = stop(after: pen) else { return ((pen + least - 1) / interval + 1) * interval - pen }
        if stop.alignment == .natural { return stop.position - pen }
        // At a stop beyond the edge the text would wrap to the next line.
        let end = limit.map { min(stop.position, $0) } ?? stop.position
        return max(0, end - behind(stop.alignment) - pen)
    }
}
