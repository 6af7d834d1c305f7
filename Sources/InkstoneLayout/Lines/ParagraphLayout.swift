import InkstoneBase
import InkstoneUnicode

/// What the lines of a paragraph follow from, and nothing else: its text, how that looks, and the room it has. Of a long
/// paragraph it is a part, laid out as a fragment of its own.
struct ParagraphInput {
    /// UTF-16 units to show, without the newline.
    var units: [UInt16]
    /// Fonts of the text from its start to its end, in order and without gap.
    var spans: [StyleSpan]
    /// The font that lines get their height from.
    var stack: FontStack
    var style: ParagraphStyle
    /// Whether lines have room for all fonts of ``spans``, unless the style's height is exact.
    var growsWithFonts = false
    /// The direction that lines start from; `natural` looks for the first strong letter in the units.
    var direction: BidiBaseDirection
    /// Units of the paragraph next to these that letters at their ends may join; empty where none do.
    var seams = Seams()
    /// Levels of the units within their paragraph; nil if the units are all of it.
    var levels: BidiParagraph?
    /// Room for lines. Left at its place as long as nothing else takes room at the sides.
    var room: LineRoom
    /// Whether a paragraph starts with the units, and whether one ends.
    var startsParagraph = true
    var endsParagraph = true
    /// The list item that starts with the units, and the font of its marker; nil for none.
    var marker: (item: ListItem, font: FontDescriptor)?
    /// What takes or paints more than the lines do.
    var custom: (any CustomTextLayoutFragment)?

    /// The fonts of ``spans`` beside ``stack``.
    var otherStacks: [FontStack] {
        spans.allSatisfy { $0.stack === stack } ? [] : spans.map(\.stack).filter { $0 !== stack }
    }

    /// Room at the sides where lines start and end for a custom fragment and the indent of line ends, whole pixels.
    var padding: (leading: Int32, trailing: Int32) {
        (
            max(0, Int32(pixels: custom?.leadingPadding ?? 0)),
            max(0, Int32(pixels: custom?.trailingPadding ?? 0)) + Int32(pixels: style.tailIndent)
        )
    }

    /// Room above and below the lines for the spaces of the paragraph and for a custom fragment, whole pixels.
    var margins: (above: Int32, below: Int32) {
        var margins = (
            // Fragments beside each other are one line.
            above: startsParagraph || room.isSideways ? Int32(pixels: style.spacingBefore) : 0,
            below: endsParagraph ? Int32(pixels: style.spacingAfter) : 0
        )
        guard let custom else { return margins }
        if startsParagraph { margins.above += max(0, Int32(pixels: custom.topMargin)) }
        if endsParagraph { margins.below += max(0, Int32(pixels: custom.bottomMargin)) }
        return margins
    }
}

/// Text on both sides of a part of a paragraph, in UTF-16 units: HarfBuzz looks at five characters on each.
struct Seams {
    /// Units looked at on each side.
    static let length = 10

    var before: [UInt16] = []
    var behind: [UInt16] = []
}

/// The lines of a paragraph: a function of ``ParagraphInput``. Nothing in it knows of a document.
struct ParagraphLayout {
    /// The glyphs, tabs as wide as their places on the lines ask for.
    let shaped: ShapedText
    /// From top to bottom; at least one. The last is wrapped if the paragraph goes on behind it.
    let lines: [LineRecord]
    /// Height of all lines with margins and the space below the paragraph, whole pixels.
    let height: Int32

    /// Shapes the text and breaks it into lines. O(n); words that were shaped before are looked up.
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
            // Behind a break that is forced stands what the paragraph goes on with.
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

    /// Units that are not shown: one line without height and glyphs.
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

/// What laying out needs beside the text, for one thread: fonts, words that were shaped, breakers.
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
