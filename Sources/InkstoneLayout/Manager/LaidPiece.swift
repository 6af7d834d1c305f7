import InkstoneBase
import InkstoneUnicode

/// A paragraph, or a segment of a long one, with its lines: never changed once made, but for what it works out late.
final class LaidPiece {
    let shaped: ShapedText
    let lines: [LineRecord]
    /// Height of all lines with the space below the paragraph, whole pixels.
    let height: Int32
    /// Length of the newline that ends the paragraph, in UTF-16 units; 0 for segments that do not end one.
    let terminator: Int
    /// Whether a paragraph starts with it, and whether one ends.
    let startsParagraph: Bool
    let endsParagraph: Bool
    let style: ParagraphStyle
    /// Font whose measures the lines have.
    let stack: FontStack
    /// What takes or paints more than the lines do; nil for the usual fragment.
    let custom: (any CustomTextLayoutFragment)?
    /// When it was last asked for, in the manager's count.
    var lastUse = 0

    private var positioned: [PositionedLine?]
    private var graphemes: [Bool] = []
    private var reaches: [InkReach?] = []

    init(
        shaped: ShapedText, lines: [LineRecord], height: Int32, terminator: Int, startsParagraph: Bool,
        endsParagraph: Bool, style: ParagraphStyle, stack: FontStack, isSideways: Bool = false,
        custom: (any CustomTextLayoutFragment)? = nil
    ) {
        self.custom = custom
        self.isSideways = isSideways
        self.shaped = shaped
        self.lines = lines
        self.height = height
        self.terminator = terminator
        self.startsParagraph = startsParagraph
        self.endsParagraph = endsParagraph
        self.style = style
        self.stack = stack
        positioned = Array(repeating: nil, count: lines.count)
    }

    /// Whether it is not shown.
    var isHidden: Bool { height == 0 }

    /// Whether it stands beside other segments of its paragraph instead of above and below them.
    let isSideways: Bool

    /// UTF-16 units of text without the terminator.
    var contentLength: Int { shaped.text.count }

    /// What it costs to keep, counted as UTF-16 units.
    var memoryUnits: Int { contentLength + 64 }

    /// The first lines of a segment as a segment of their own.
    func prefix(lines count: Int) -> LaidPiece {
        let last = lines[count - 1]
        return LaidPiece(
            shaped: shaped.prefix(Int(last.end)), lines: Array(lines[..<count]), height: last.y + last.height,
            terminator: 0, startsParagraph: startsParagraph, endsParagraph: false, style: style, stack: stack,
            custom: custom)
    }

    /// A line in visual order. O(n log n) in the line the first time.
    func line(_ index: Int, _ tools: LayoutTools) -> PositionedLine {
        if let known = positioned[index] { return known }
        let record = lines[index]
        let made = PositionedLine(
            record, of: shaped, style: style, isLast: index == lines.count - 1 && endsParagraph,
            context: tools.context, isGrapheme: { self.isGrapheme($0, tools) })
        positioned[index] = made
        return made
    }

    /// How far a line's ink reaches beyond its box, if that was worked out.
    func inkReach(ofLine index: Int) -> InkReach? { reaches.isEmpty ? nil : reaches[index] }

    func setInkReach(_ reach: InkReach, ofLine index: Int) {
        if reaches.isEmpty { reaches = Array(repeating: nil, count: lines.count) }
        reaches[index] = reach
    }

    /// Whether a grapheme cluster starts at a unit.
    func isGrapheme(_ unit: Int, _ tools: LayoutTools) -> Bool {
        if shaped.isNarrow { return true }
        if graphemes.isEmpty {
            graphemes = Array(repeating: false, count: shaped.text.count + 1)
            tools.graphemes.setText(shaped.text)
            graphemes[0] = true
            var at = 0
            while let next = tools.graphemes.following(at) {
                graphemes[next] = true
                at = next
            }
        }
        return graphemes[unit]
    }

    /// The line that a caret at a unit is on; between a full line and the next the affinity decides.
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

    /// The line at a distance below the top, in pixels; the nearest one outside.
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

/// What laying out needs beside the text, for one thread.
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
