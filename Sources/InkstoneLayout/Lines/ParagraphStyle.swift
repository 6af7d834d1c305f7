import InkstoneBase
import InkstoneUnicode

/// The style of a paragraph's lines: direction, alignment, heights, tabs.
///
/// Lengths are rounded to whole pixels and clamped to ±32,768; NaN becomes 0.
public struct ParagraphStyle: Hashable, Sendable {
    /// The alignment of lines between the container's edges.
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

    /// The height of lines. Height beyond that of a line's fonts is split evenly above and below, also above the first line.
    public enum LineHeight: Sendable, Hashable {
        /// The height that the fonts of the text's styles require; fallback fonts do not change it.
        case natural
        /// The natural height times a factor above 0.
        case multiple(Double)
        /// The size of the largest font on the line times a factor above 0, split at the baseline in the ratio of that font's ascent and
        /// descent. The same for all fonts of a size.
        case multipleOfSize(Double)
        /// A number of device pixels, whatever the font.
        case exactly(Double)
        /// The natural height, but at least a number of device pixels.
        case atLeast(Double)
        /// The height of the tallest font on the line, fallback fonts included: lines may differ.
        case growing

        /// A quarter more than the natural height.
        public static let loose = LineHeight.multiple(1.25)
    }

    /// The base direction, which decides the side that the paragraph starts at.
    public var baseDirection: BidiBaseDirection = .natural
    /// The alignment of lines.
    public var alignment: Alignment = .natural
    /// The height of lines.
    public var lineHeight: LineHeight = .natural { didSet { lineHeight = lineHeight.checked } }
    /// Tab stops in ascending order, followed by regular stops every ``tabInterval`` spaces.
    public var tabStops: [TabStop] = []
    /// Distance of the regular tab stops, in widths of the primary font's space. Clamped to 1…100.
    public var tabInterval: Int = 8
    /// Distance of the first line from the edge where it starts, in device pixels.
    public var firstLineIndent: Double = 0 { didSet { firstLineIndent = Self.length(firstLineIndent) } }
    /// Distance of the other lines from the edge where they start, in device pixels.
    public var indent: Double = 0 { didSet { indent = Self.length(indent) } }
    /// Distance of all lines from the edge where they end, in device pixels; not negative.
    public var tailIndent: Double = 0 { didSet { tailIndent = max(0, Self.length(tailIndent)) } }
    /// Space above the paragraph, in device pixels, added to the space below the previous one; not negative. The first paragraph of a text
    /// has it too.
    public var spacingBefore: Double = 0 { didSet { spacingBefore = max(0, Self.length(spacingBefore)) } }
    /// Space below the paragraph, in device pixels; not negative.
    public var spacingAfter: Double = 0 { didSet { spacingAfter = max(0, Self.length(spacingAfter)) } }

    /// The plain style: natural direction, alignment and heights.
    public init() {}

    /// Longest length in pixels, beyond any screen.
    private static let longest = 32_768.0

    static func length(_ pixels: Double) -> Double { pixels.checked(in: -longest...longest) }
}

extension ParagraphStyle.LineHeight {
    /// The height with NaN replaced, so that the value is equal to itself.
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
