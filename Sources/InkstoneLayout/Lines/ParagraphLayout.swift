import InkstoneBase
import InkstoneUnicode

/// All inputs for the layout of a paragraph: text, styles and the available space. Of a long paragraph, the input
/// describes one fragment.
struct ParagraphInput {
    /// The text to show, in UTF-16 units, without the newline.
    var units: [UInt16]
    /// The fonts of parts of the text, in order and without gaps.
    var spans: [StyleSpan]
    /// The paragraph's own fonts; the primary one determines the height of lines.
    var stack: FontStack
    var style: ParagraphStyle
    /// Whether lines grow to fit all fonts of ``spans``; lines of an exact height do not.
    var growsWithFonts = false
    /// The base direction of the paragraph; with `natural` the first strong letter in the UTF-16 units decides.
    var direction: BidiBaseDirection
    /// The paragraph's text before and after the UTF-16 units, if letters of the units may join letters of that text;
    /// otherwise empty.
    var seams = Seams()
    /// Bidi levels of the UTF-16 units, resolved in the whole paragraph; nil if the units are the whole paragraph.
    var levels: BidiParagraph?
    /// Space available for lines, before ``padding`` is subtracted.
    var room: LineRoom
    /// Whether the UTF-16 units begin at the paragraph's start.
    var startsParagraph = true
    /// Whether the UTF-16 units end at the paragraph's end.
    var endsParagraph = true
    /// The list item whose marker is shown before the UTF-16 units, and the marker's font; nil for none.
    var marker: (item: ListItem, font: FontDescriptor)?
    /// The delegate's custom fragment, which takes more room or paints more than the lines; nil for a standard
    /// fragment.
    var custom: (any CustomTextLayoutFragment)?

    /// The fonts of ``spans``, except the paragraph's own.
    var otherStacks: [FontStack] {
        spans.allSatisfy { $0.stack === stack } ? [] : spans.map(\.stack).filter { $0 !== stack }
    }

    /// Padding at the leading and trailing side, in whole pixels: from the custom fragment and the style's trailing
    /// indent.
    var padding: (leading: Int32, trailing: Int32) {
        (
            max(0, Int32(pixels: custom?.leadingPadding ?? 0)),
            max(0, Int32(pixels: custom?.trailingPadding ?? 0)) + Int32(pixels: style.tailIndent)
        )
    }

    /// Margins above and below the lines, in whole pixels: from paragraph spacing and the custom fragment.
    var margins: (above: Int32, below: Int32) {
        var margins = (
            // Fragments side by side are one line, so they all have the space above.
            above: startsParagraph || room.isSideways ? Int32(pixels: style.spacingBefore) : 0,
            below: endsParagraph ? Int32(pixels: style.spacingAfter) : 0
        )
        guard let custom else { return margins }
        if startsParagraph { margins.above += max(0, Int32(pixels: custom.topMargin)) }
        if endsParagraph { margins.below += max(0, Int32(pixels: custom.bottomMargin)) }
        return margins
    }
}

/// Text before and after a part of a paragraph, in UTF-16 units. HarfBuzz reads five characters of context on each
/// side.
struct Seams {
    /// Number of UTF-16 units read on each side.
    static let length = 10

    var before: [UInt16] = []
    var behind: [UInt16] = []
}

/// The lines of a paragraph, or of a fragment of a long one. Computed from ``ParagraphInput`` and ``LayoutTools``,
/// without a document.
struct ParagraphLayout {
    /// The paragraph's glyphs. The advances of tabs are those that line breaking has set.
    let shaped: ShapedText
    /// The lines from top to bottom, at least one. The last is marked as wrapped if the paragraph continues in
    /// another fragment, unless the line ends by a forced break.
    let lines: [LineRecord]
    /// Height of all lines with the margins above and below, in whole pixels.
    let height: Int32

    /// Creates a layout: shapes the text and breaks it into lines. O(n). The shapes of known words come from a cache.
    init(_ input: ParagraphInput, _ tools: LayoutTools) {
        var shaped = tools.shaper.shape(
            input.units, styles: input.spans, direction: input.direction,
            levels: input.levels, seams: input.seams)
        var room = input.room
        if !room.isSideways { room.pad(input.padding, rtl: shaped.baseLevel & 1 == 1) }
        var (lines, height) = tools.breaker.lines(
            of: &shaped, style: input.style, stack: input.stack, room: room, growsWithFonts: input.growsWithFonts)
        let margins = input.margins
        if margins.above > 0 {
            for i in lines.indices { lines[i].y += margins.above }
        }
        height += margins.above + margins.below
        if !input.endsParagraph, let last = lines.last {
            // A forced break at the end may have added an empty line. Remove it, because the next fragment starts
            // with that line.
            if lines.count > 1, last.start == last.end {
                lines.removeLast()
                height -= last.height
            }
            lines[lines.count - 1].isWrapped = !lines[lines.count - 1].endsByBreak
        }
        self.shaped = shaped
        self.lines = lines
        self.height = height
    }

    init(shaped: ShapedText, lines: [LineRecord], height: Int32) {
        (self.shaped, self.lines, self.height) = (shaped, lines, height)
    }

    /// Creates the layout of hidden text: one line without height or glyphs.
    init(hiding count: Int, roomX: Int32) {
        shaped = ShapedText(
            text: [UInt16](repeating: 0x20, count: count), baseLevel: 0, isPlain: true, isNarrow: true, glyphs: [],
            runs: [], levels: [])
        lines = [
            LineRecord(
                start: 0, end: Int32(count), glyphStart: 0, glyphEnd: 0, width: 0, fullWidth: 0, roomX: roomX, room: 0,
                y: 0, height: 0, baseline: 0)
        ]
        height = 0
    }
}

/// The objects that one thread's layouts share: fonts, cached words and text breakers.
final class LayoutTools {
    let context: FontContext
    let shaper: Shaper
    let breaker: LineBreaker
    let graphemes = TextBreaker(.grapheme)

    init(settings: FontSettings) {
        context = FontContext(settings: settings)
        shaper = Shaper(context: context)
        breaker = LineBreaker(context: context)
    }
}
