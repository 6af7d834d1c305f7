import InkstoneBase
import InkstoneUnicode

/// A laid-out paragraph, or part of a long one, with its lines. Immutable except for the marker, the time of the
/// last use, and values that are computed on demand.
final class LaidFragment {
    let shaped: ShapedText
    let lines: [LineRecord]
    /// Height of all lines including the space below the paragraph, in whole pixels.
    let height: Int32
    /// Length of the newline that ends the paragraph, in UTF-16 units; 0 if the fragment ends without one.
    let terminator: Int
    let startsParagraph: Bool
    let endsParagraph: Bool
    let style: ParagraphStyle
    /// The fonts from whose metrics the line heights are computed.
    let stack: FontStack
    /// The delegate's custom fragment, which takes more room or paints more than the lines; nil for a standard
    /// fragment.
    let custom: (any CustomTextLayoutFragment)?
    /// The marker of the list item that starts with this fragment; nil if no item does. Its number is updated after
    /// edits elsewhere in the document.
    @exclusivity(unchecked) var marker: LaidMarker?
    /// Whether a content manager hides the fragment, which then has height 0.
    let isHidden: Bool
    /// Fonts of styled parts of the text. Retaining them keeps the fonts open as long as the glyphs are used.
    private let otherStacks: [FontStack]
    /// Whether the fragment lies beside other fragments of its one-line paragraph.
    let isSideways: Bool
    /// Time of the last use, by the cache's clock.
    @exclusivity(unchecked) var lastUse = 0

    /// Values computed on demand, one entry per line.
    @exclusivity(unchecked) private var late: [Late]
    @exclusivity(unchecked) private var graphemes: GraphemeStarts?

    private struct Late {
        var positioned: PositionedLine?
        var reach: InkReach?
    }

    init(
        _ input: ParagraphInput, _ layout: ParagraphLayout, terminator: Int, isHidden: Bool = false,
        marker: LaidMarker? = nil
    ) {
        self.marker = marker
        self.isHidden = isHidden
        otherStacks = input.otherStacks
        shaped = layout.shaped
        lines = layout.lines
        height = layout.height
        self.terminator = terminator
        startsParagraph = input.startsParagraph
        endsParagraph = input.endsParagraph
        style = input.style
        stack = input.stack
        custom = input.custom
        isSideways = input.room.isSideways
        late = layout.lines.map { _ in Late() }
    }

    private init(_ whole: LaidFragment, _ layout: ParagraphLayout) {
        shaped = layout.shaped
        lines = layout.lines
        height = layout.height
        terminator = 0
        startsParagraph = whole.startsParagraph
        endsParagraph = false
        style = whole.style
        stack = whole.stack
        custom = whole.custom
        marker = whole.marker
        isHidden = whole.isHidden
        otherStacks = whole.otherStacks
        isSideways = whole.isSideways
        late = layout.lines.map { _ in Late() }
    }

    /// UTF-16 units of the fragment's text without the terminator.
    var contentLength: Int { shaped.text.count }

    /// Memory cost, counted as UTF-16 units.
    var memoryUnits: Int { max(contentLength, shaped.glyphs.count) + 64 }

    /// Returns a fragment of the first `count` lines; it does not end the paragraph.
    func prefix(lines count: Int) -> LaidFragment {
        let last = lines[count - 1]
        return LaidFragment(
            self,
            ParagraphLayout(
                shaped: shaped.prefix(Int(last.end)), lines: Array(lines[..<count]), height: last.y + last.height))
    }

    /// Returns a line with its glyph runs in visual order. The first time, O(n log n) in the line's length.
    func line(_ index: Int, _ tools: LayoutTools) -> PositionedLine {
        if let known = late[index].positioned { return known }
        let record = lines[index]
        let made = PositionedLine(
            record, of: shaped, style: style, isLast: index == lines.count - 1 && endsParagraph,
            context: tools.context, graphemes: graphemeStarts(tools))
        late[index].positioned = made
        return made
    }

    /// Returns how far a line's ink extends beyond its box; nil if that was not computed yet.
    func inkReach(ofLine index: Int) -> InkReach? { late[index].reach }

    func setInkReach(_ reach: InkReach, ofLine index: Int) { late[index].reach = reach }

    /// Returns whether a grapheme cluster starts at a UTF-16 unit.
    func isGrapheme(_ unit: Int, _ tools: LayoutTools) -> Bool {
        shaped.isNarrow || graphemeStarts(tools).contains(unit)
    }

    private func graphemeStarts(_ tools: LayoutTools) -> GraphemeStarts {
        if let graphemes { return graphemes }
        let made = GraphemeStarts(shaped.text, isNarrow: shaped.isNarrow, tools.graphemes)
        graphemes = made
        return made
    }

    /// Returns the index of the line that shows a caret at a UTF-16 unit. Between a wrapped line and the next,
    /// `upstream` chooses the first.
    func lineIndex(at unit: Int32, upstream: Bool) -> Int {
        let index = max(0, lines.partitioningIndex { $0.start > unit } - 1)
        if upstream, index > 0, lines[index].start == unit, lines[index - 1].isWrapped { return index - 1 }
        return index
    }

    /// Returns the index of the line at a distance below the fragment's top, in pixels; the nearest line for
    /// distances outside.
    func lineIndex(atY y: Double) -> Int {
        max(0, lines.partitioningIndex { Double($0.y) > y } - 1)
    }
}

/// A laid-out fragment with its position in the document.
struct PlacedFragment {
    var fragment: LaidFragment
    /// Start of the fragment in UTF-16 units of the document.
    var start: Int
    /// Number of paragraphs before the fragment.
    var paragraph: Int
    /// Length of the fragment in UTF-16 units, terminator included.
    var units: Int
    /// Top edge in pixels of the document.
    var y: Double
    /// Left edge in pixels of the document; 0 unless fragments lie side by side.
    var x: Double = 0

    /// Returns whether the fragment holds a UTF-16 unit, the terminator included.
    func holds(_ unit: Int) -> Bool { unit >= start && unit < start + units }
}

/// A laid-out line with its position in the document.
struct PlacedLine {
    var placed: PlacedFragment
    var index: Int

    var fragment: LaidFragment { placed.fragment }
    var record: LineRecord { placed.fragment.lines[index] }
    /// Top edge of the line, in pixels of the document.
    var top: Double { placed.y + Double(record.y) }
    /// Start and end of the line in UTF-16 units of the document, without a terminator.
    var start: Int { placed.start + Int(record.start) }
    var end: Int { placed.start + Int(record.end) }
    /// End of the line in UTF-16 units of the document, without a terminator or a forced break.
    var contentEnd: Int { placed.start + Int(record.contentEnd) }
    /// Whether this is the last line of its paragraph.
    var isLastOfParagraph: Bool { index == fragment.lines.count - 1 && fragment.endsParagraph }
}
