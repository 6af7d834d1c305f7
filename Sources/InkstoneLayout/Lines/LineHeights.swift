import CShaping
import InkstoneBase

/// Heights of lines by a paragraph's style; whole pixels.
struct LineHeights {
    /// Height of a line that has only the primary font.
    let natural: Int32
    private let baseline: Int32
    private let style: ParagraphStyle.LineHeight
    private let growth: Growth
    private let context: FontContext

    /// The fonts that make lines higher.
    private enum Growth {
        case nothing
        /// The fonts that the text asks for.
        case primaries
        /// All fonts that show the text.
        case faces
    }

    /// - Parameter growsWithFonts: whether lines have room for all fonts that their text asks for, unless the style's height is exact.
    init(_ style: ParagraphStyle, _ primary: FontFace, _ context: FontContext, growsWithFonts: Bool = false) {
        self.style = style.lineHeight
        self.context = context
        (natural, baseline) = Self.box(primary, self.style)
        switch self.style {
        case .growing: growth = .faces
        case .exactly: growth = .nothing
        case .natural, .multiple, .atLeast: growth = growsWithFonts ? .primaries : .nothing
        }
    }

    /// Height and baseline of a line of one font. What a line has beyond the font's own height goes half above and half below.
    private static func box(_ face: FontFace, _ style: ParagraphStyle.LineHeight) -> (height: Int32, baseline: Int32) {
        let metrics = face.metrics
        let ink = metrics.ascent + metrics.descent
        let own = max(1, max(metrics.height, ink))
        let height: Int32
        switch style {
        case .natural, .growing: height = own
        case .multiple(let factor): height = max(1, Int32(pixels: Double(own) * max(0, factor)))
        case .exactly(let pixels): height = max(1, Int32(pixels: pixels))
        case .atLeast(let pixels): height = max(own, Int32(pixels: pixels))
        }
        return (height, metrics.ascent + (height - ink) / 2)
    }

    /// Height and baseline below the top of a line with given units.
    func measure(_ shaped: ShapedText, _ units: Range<Int32>) -> (height: Int32, baseline: Int32) {
        if case .nothing = growth { return (natural, baseline) }
        var above = baseline
        var below = natural - baseline
        for run in shaped.runs(in: units) where run.glyphStart < run.glyphEnd {
            let (top, bottom) = reach(of: run)
            above = max(above, top + Int32(run.raise))
            below = max(below, bottom - Int32(run.raise))
        }
        return (above + below, above)
    }

    /// Room that a run takes above and below its own baseline.
    private func reach(of run: ShapedText.Run) -> (above: Int32, below: Int32) {
        if case .faces = growth {
            let metrics = context.faces[Int(run.face)].metrics
            return (metrics.ascent, metrics.descent)
        }
        // What the style asks for at least, the line has already.
        var own = style
        if case .atLeast = own { own = .natural }
        let box = Self.box(context.faces[Int(run.primary)], own)
        return (box.baseline, box.height - box.baseline)
    }
}

/// Where tabs lead to: own stops first, then regular ones.
struct TabStops {
    private let stops: [Int32]
    private let interval: Int32
    /// What a tab to a regular stop takes at least: less would look like no gap between two words.
    private let least: Int32

    init(_ style: ParagraphStyle, _ primary: FontFace) {
        stops = style.tabStops.map { Int32(pixels: $0) * 64 }
        let space = max(1, primary.spaceAdvance == 0 ? primary.metrics.max_advance : primary.spaceAdvance)
        least = space * 64
        // A line of some thousand tabs alone has to fit 32 bits, see `GlyphBuffer.widest`.
        interval = min(space * Int32(min(max(1, style.tabInterval), 100)), 1 << 11) * 64
    }

    /// Advance of a tab when the pen is at `pen` from the line's start; 26.6. Beyond 0 to an own stop, and at least a space
    /// to a regular one.
    func advance(at pen: Int32) -> Int32 {
        if let stop = stops.first(where: { $0 > pen }) { return stop - pen }
        return ((pen + least - 1) / interval + 1) * interval - pen
    }
}
