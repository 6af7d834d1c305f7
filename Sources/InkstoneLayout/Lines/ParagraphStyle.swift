import InkstoneBase
import InkstoneUnicode

/// How the lines of a paragraph are set: direction, alignment, heights, tabs.
///
/// Lengths are rounded to whole pixels and clamped to 32,768 of them; one that is no number is 0.
public struct ParagraphStyle: Hashable, Sendable {
    /// Where lines stand between the container's edges.
    public enum Alignment: Sendable, Hashable {
        /// At the edge where the paragraph's direction starts.
        case natural
        /// At the left edge.
        case left
        /// At the right edge.
        case right
        /// In the middle.
        case center
        /// At both edges, by widening spaces (and gaps between ideographs and kana); the last line is natural.
        case justified
    }

    /// The height of lines. Room beyond the height of a line's fonts goes half above and half below, also above the first line.
    public enum LineHeight: Sendable, Hashable {
        /// The height that the fonts ask for that the text is to be set in; fallback fonts do not change it.
        case natural
        /// The natural height times a factor above 0.
        case multiple(Double)
        /// The size of the largest font on the line times a factor above 0, above and below the baseline as that font divides its own
        /// height. The same for all fonts of a size.
        case multipleOfSize(Double)
        /// So many device pixels, whatever the font.
        case exactly(Double)
        /// The natural height, but at least so many device pixels.
        case atLeast(Double)
        /// The height that the highest font on the line asks for, fallback fonts included: lines may differ.
        case growing

        /// A quarter more than the natural height.
        public static let loose = LineHeight.multiple(1.25)
    }

    /// Which side the paragraph starts at.
    public var baseDirection: BidiBaseDirection = .natural
    /// Where lines stand.
    public var alignment: Alignment = .natural
    /// How high lines are.
    public var lineHeight: LineHeight = .natural { didSet { lineHeight = lineHeight.checked } }
    /// Tab stops, ascending; behind them stops every ``tabInterval`` spaces.
    public var tabStops: [TabStop] = []
    /// Distance of the regular tab stops, in widths of the primary font's space. Clamped to 1…100.
    public var tabInterval: Int = 8
    /// Distance of the first line from the edge where it starts, in device pixels.
    public var firstLineIndent: Double = 0 { didSet { firstLineIndent = Self.length(firstLineIndent) } }
    /// Distance of the other lines from the edge where they start, in device pixels.
    public var indent: Double = 0 { didSet { indent = Self.length(indent) } }
    /// Distance of all lines from the edge where they end, in device pixels; not negative.
    public var tailIndent: Double = 0 { didSet { tailIndent = max(0, Self.length(tailIndent)) } }
    /// Space above the paragraph, in device pixels, beside what is below the one before; not negative. The first paragraph of a text
    /// has it too.
    public var spacingBefore: Double = 0 { didSet { spacingBefore = max(0, Self.length(spacingBefore)) } }
    /// Space below the paragraph, in device pixels; not negative.
    public var spacingAfter: Double = 0 { didSet { spacingAfter = max(0, Self.length(spacingAfter)) } }

    /// The plain style: natural direction, alignment and heights.
    public init() {}

    /// Longest length in pixels: above it no screen reaches.
    private static let longest = 32_768.0

    static func length(_ pixels: Double) -> Double { pixels.checked(in: -longest...longest) }
}

extension ParagraphStyle.LineHeight {
    /// The height with numbers that are numbers, so that it is equal to itself.
    fileprivate var checked: Self {
        switch self {
        case .natural, .growing: self
        case .multiple(let factor): .multiple(factor.checked(in: 0...32_768))
        case .multipleOfSize(let factor): .multipleOfSize(factor.checked(in: 0...32_768))
        case .exactly(let pixels): .exactly(pixels.checked(in: 0...32_768))
        case .atLeast(let pixels): .atLeast(pixels.checked(in: 0...32_768))
        }
    }
}
