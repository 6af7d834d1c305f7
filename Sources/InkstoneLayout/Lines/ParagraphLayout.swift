import InkstoneBase
import InkstoneUnicode

/// All inputs of a paragraph's lines: its text, its styles, and the room it has. For a long
/// paragraph the input describes one fragment.
struct ParagraphInput {
    /// UTF-16 units to show, without the newline.
    var units: [UInt16]
    /// Fonts of the text from its start to its end, in order and without gap.
    var spans: [StyleSpan]
    /// The font that determines the height of lines.
    var stack: FontStack
    var style: ParagraphStyle
    /// Whether lines grow to fit all fonts of ``spans``, unless the style's height is exact.
    var growsWithFonts = false
    /// The base direction of lines; `natural` uses the first strong letter in the units.
    var direction: BidiBaseDirection
    /// Adjacent units of the paragraph that letters at the ends may join; empty where none do.
    var seams = Seams()
    /// Levels of the units within their paragraph; nil if the units are the whole paragraph.
    var levels: BidiParagraph?
    /// Room for lines, before padding is removed.
    var room: LineRoom
    /// Whether the units start a paragraph, and whether they end one.
    var startsParagraph = true
    var endsParagraph = true
    /// The list item that starts with the units, and the font of its marker; nil for none.
    var marker: (item: ListItem, font: FontDescriptor)?
    /// The custom fragment, which takes more room or paints more than the lines; nil for the usual fragment.
    var custom: (any CustomTextLayoutFragment)?

    /// The fonts of ``spans`` other than ``stack``.
    var otherStacks: [FontStack] {
        spans.allSatisfy { $0.stack === stack } ? [] : spans.map(\.stack).filter { $0 !== stack }
    }

    /// Padding at the sides where lines start and end, for a custom fragment and the indent of line ends, whole pixels.
    var padding: (leading: Int32, trailing: Int32) {
        (
            max(0, Int32(pixels: custom?.leadingPadding ?? 0)),
            max(0, Int32(pixels: custom?.trailingPadding ?? 0)) + Int32(pixels: style.tailIndent)
        )
    }

    /// Margins above and below the lines, for paragraph spacing and for a custom fragment, whole pixels.
    var margins: (above: Int32, below: Int32) {
        var margins = (
            // Fragments side by side are one line.
            above: startsParagraph || room.isSideways ? Int32(pixels: style.spacingBefore) : 0,
            below: endsParagraph ? Int32(pixels: style.spacingAfter) : 0
        )
        guard let custom else { return margins }
        if startsParagraph { margins.above += max(0, Int32(pixels: custom.topMargin)) }
        if endsParagraph { margins.below += max(0, Int32(pixels: custom.bottomMargin)) }
        return margins
    }
}

/// Text on both sides of a part of a paragraph, in UTF-16 units: HarfBuzz reads five characters of context on each.
struct Seams {
    /// Number of units read on each side.
    static let length = 10

    var before: [UInt16] = []
    var behind: [UInt16] = []
}

/// The lines of a paragraph, as a function of ``ParagraphInput``. Independent of any document.
struct ParagraphLayout {
    /// The glyphs, with the advances of tabs set for their positions on the lines.
    let shaped: ShapedText
    /// The lines from top to bottom; at least one. The last is wrapped if the paragraph continues after it.
    let lines: [LineRecord]
    /// Height of all lines with margins and the space below the paragraph, whole pixels.
    let height: Int32

    /// Shapes the text and breaks it into lines. O(n); words that were shaped before come from a cache.
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
            // The empty line after a forced break belongs to the paragraph's next fragment.
            if lines.count > 1, last.start == last.end {
                lines.removeLast()
                height -= last.height
            }
            lines[lines.count - 1].isWrapped = true
        }
        self.shaped = shaped
        self.lines = lines
        self.height = height
    }

    init(shaped: ShapedText, lines: [LineRecord], height: Int32) {
        (self.shaped, self.lines, self.height) = (shaped, lines, height)
    }

    /// Creates the layout of hidden units: one line without height and glyphs.
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

/// The tools of layout for one thread: fonts, cached words, breakers.
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
