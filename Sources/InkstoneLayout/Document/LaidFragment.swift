import InkstoneBase
import InkstoneUnicode

/// A paragraph, or a part of a long one, with its lines. Immutable, except for values that are computed on demand.
final class LaidFragment {
    let shaped: ShapedText
    let lines: [LineRecord]
    /// Height of all lines with the space below the paragraph, whole pixels.
    let height: Int32
    /// Length of the newline that ends the paragraph, in UTF-16 units; 0 for fragments that do not end one.
    let terminator: Int
    /// Whether the fragment starts a paragraph, and whether it ends one.
    let startsParagraph: Bool
    let endsParagraph: Bool
    let style: ParagraphStyle
    /// Font whose metrics the lines have.
    let stack: FontStack
    /// The custom fragment, which takes more room or paints more than the lines; nil for the usual fragment.
    let custom: (any CustomTextLayoutFragment)?
    /// The marker of a list item that the fragment starts. Its number is updated after edits elsewhere.
    @exclusivity(unchecked) var marker: LaidMarker?
    /// Whether a content manager hides the fragment. Its height is 0 then.
    let isHidden: Bool
    /// Fonts of parts of the text, retained so that they stay open as long as the glyphs.
    private let otherStacks: [FontStack]
    /// Whether the fragment is beside other fragments of its paragraph instead of above and below them.
    let isSideways: Bool
    /// Time of the last use, by the cache's clock.
    @exclusivity(unchecked) var lastUse = 0

    /// Values computed on demand, by line.
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

    /// UTF-16 units of text without the terminator.
    var contentLength: Int { shaped.text.count }

    /// Memory cost, counted as UTF-16 units.
    var memoryUnits: Int { max(contentLength, shaped.glyphs.count) + 64 }

    /// Returns the first lines as a fragment of their own, which the paragraph continues.
    func prefix(lines count: Int) -> LaidFragment {
        let last = lines[count - 1]
        return LaidFragment(
            self,
            ParagraphLayout(
                shaped: shaped.prefix(Int(last.end)), lines: Array(lines[..<count]), height: last.y + last.height))
    }

    /// Returns a line in visual order. O(n log n) in the line the first time.
    func line(_ index: Int, _ tools: LayoutTools) -> PositionedLine {
        if let known = late[index].positioned { return known }
        let record = lines[index]
        let made = PositionedLine(
            record, of: shaped, style: style, isLast: index == lines.count - 1 && endsParagraph,
            context: tools.context, graphemes: graphemeStarts(tools))
        late[index].positioned = made
        return made
    }

    /// Returns the ink reach of a line beyond its box, if it is known.
    func inkReach(ofLine index: Int) -> InkReach? { late[index].reach }

    func setInkReach(_ reach: InkReach, ofLine index: Int) { late[index].reach = reach }

    /// Returns whether a grapheme cluster starts at a unit.
    func isGrapheme(_ unit: Int, _ tools: LayoutTools) -> Bool {
        shaped.isNarrow || graphemeStarts(tools).contains(unit)
    }

    private func graphemeStarts(_ tools: LayoutTools) -> GraphemeStarts {
        if let graphemes { return graphemes }
        let made = GraphemeStarts(shaped.text, isNarrow: shaped.isNarrow, tools.graphemes)
        graphemes = made
        return made
    }

    /// Returns the index of the line of a caret at a unit; between a full line and the next the affinity decides.
    func lineIndex(at unit: Int32, upstream: Bool) -> Int {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].start <= unit { low = middle + 1 } else { high = middle }
        }
        let index = max(0, low - 1)
        if upstream, index > 0, lines[index].start == unit, lines[index - 1].isWrapped { return index - 1 }
        return index
    }

    /// Returns the index of the line at a distance below the top, in pixels; the nearest one outside.
    func lineIndex(atY y: Double) -> Int {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low + high) / 2
            if Double(lines[middle].y) <= y { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}

/// A fragment with its position.
struct PlacedFragment {
    var fragment: LaidFragment
    /// Start of the fragment in units, and the number of paragraphs before it.
    var start: Int
    var paragraph: Int
    /// Units including the terminator.
    var units: Int
    /// Top edge in pixels of the document.
    var y: Double
    /// Left edge in pixels of the document: 0 except for fragments side by side.
    var x: Double = 0

    /// Returns whether the fragment holds a unit, the terminator included.
    func holds(_ unit: Int) -> Bool { unit >= start && unit < start + units }
}

/// A line with its position.
struct PlacedLine {
    var placed: PlacedFragment
    var index: Int

    var fragment: LaidFragment { placed.fragment }
    var record: LineRecord { placed.fragment.lines[index] }
    /// Top edge in pixels of the document.
    var top: Double { placed.y + Double(record.y) }
    /// Range of the line in UTF-16 units of the document, without a terminator.
    var start: Int { placed.start + Int(record.start) }
    var end: Int { placed.start + Int(record.end) }
    /// Whether this is the last line of its paragraph.
    var isLastOfParagraph: Bool { index == fragment.lines.count - 1 && fragment.endsParagraph }
}
