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

    /// How high lines are.
    public enum LineHeight: Sendable, Hashable {
        /// What the primary font asks for; fallback fonts do not change it.
        case natural
        /// The natural height times a factor above 0.
        case multiple(Double)
        /// So many device pixels, whatever the font.
        case exactly(Double)
        /// The natural height, but at least so many device pixels.
        case atLeast(Double)
        /// As high as the highest font on the line asks for: lines may differ.
        case growing
    }

    /// Which side the paragraph starts at.
    public var baseDirection: BidiBaseDirection = .natural
    /// Where lines stand.
    public var alignment: Alignment = .natural
    /// How high lines are.
    public var lineHeight: LineHeight = .natural { didSet { lineHeight = lineHeight.checked } }
    /// Tab stops in device pixels from the line's own start, ascending; then stops every ``tabInterval`` spaces.
    public var tabStops: [Double] = [] { didSet { tabStops = tabStops.map(Self.length) } }
    /// Distance of the regular tab stops, in widths of the primary font's space. Clamped to 1…100.
    public var tabInterval: Int = 8
    /// Distance of the first line from the edge where it starts, in device pixels.
    public var firstLineIndent: Double = 0 { didSet { firstLineIndent = Self.length(firstLineIndent) } }
    /// Distance of the other lines from the edge where they start, in device pixels.
    public var indent: Double = 0 { didSet { indent = Self.length(indent) } }
    /// Space below the paragraph, in device pixels; not negative.
    public var spacingAfter: Double = 0 { didSet { spacingAfter = max(0, Self.length(spacingAfter)) } }

    /// The plain style: natural direction, alignment and heights.
    public init() {}

    /// Longest length in pixels: above it no screen reaches.
    private static let longest = 32_768.0

    private static func length(_ pixels: Double) -> Double { pixels.checked(in: -longest...longest) }
}

extension ParagraphStyle.LineHeight {
    /// The height with numbers that are numbers, so that it is equal to itself.
    fileprivate var checked: Self {
        switch self {
        case .natural, .growing: self
        case .multiple(let factor): .multiple(factor.checked(in: 0...32_768))
        case .exactly(let pixels): .exactly(pixels.checked(in: 0...32_768))
        case .atLeast(let pixels): .atLeast(pixels.checked(in: 0...32_768))
        }
    }
}
