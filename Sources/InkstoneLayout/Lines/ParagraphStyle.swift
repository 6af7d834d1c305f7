import InkstoneBase
import InkstoneUnicode

/// The style of a paragraph's lines: direction, alignment, heights, tabs.
///
/// Lengths are clamped to ±32,768; NaN becomes 0. Layout rounds them to whole pixels.
public struct ParagraphStyle: Hashable, Sendable {
    /// The horizontal alignment of lines in the container.
    public enum Alignment: Sendable, Hashable {
        /// At the edge where the paragraph's lines start: left in a left-to-right paragraph, right in a
        /// right-to-left one.
        case natural
        /// At the left edge.
        case left
        /// At the right edge.
        case right
        /// In the middle between the edges.
        case center
        /// At both edges, by widening spaces and the gaps after ideographs, kana, Hangul and fullwidth forms. The last
        /// line, and a line that ends at a forced break, have natural alignment.
        case justified
    }

    /// The height of lines. If it is greater than the fonts of a line require, the rest is split evenly above and
    /// below the text, also on the first line; not for ``multipleOfSize(_:)``.
    public enum LineHeight: Sendable, Hashable {
        /// The height that the fonts of the text's styles require; fallback fonts do not change it.
        case natural
        /// The natural height times a factor above 0.
        case multiple(Double)
        /// The size of the largest font on the line times a factor above 0, divided at the baseline in the ratio of
        /// that font's ascent to its descent. Equal for all fonts of one size.
        case multipleOfSize(Double)
        /// A number of device pixels, independent of the fonts.
        case exactly(Double)
        /// The natural height, or a number of device pixels if that is more.
        case atLeast(Double)
        /// The height of the tallest font on the line, fallback fonts included. Lines may differ in height.
        case growing

        /// A quarter more than the natural height.
        public static let loose = LineHeight.multiple(1.25)
    }

    /// The base direction, which decides at which edge the paragraph's lines start.
    public var baseDirection: BidiBaseDirection = .natural
    /// The alignment of lines.
    public var alignment: Alignment = .natural
    /// The height of lines.
    public var lineHeight: LineHeight = .natural { didSet { lineHeight = lineHeight.checked } }
    /// Tab stops in ascending order. After the last of them, regular stops follow every ``tabInterval`` spaces.
    public var tabStops: [TabStop] = []
    /// Distance of the regular tab stops, in widths of the primary font's space. Clamped to 1…100.
    public var tabInterval: Int = 8
    /// Distance of the first line from the edge where lines start, in device pixels.
    public var firstLineIndent: Double = 0 { didSet { firstLineIndent = Self.length(firstLineIndent) } }
    /// Distance of the lines after the first from the edge where lines start, in device pixels.
    public var indent: Double = 0 { didSet { indent = Self.length(indent) } }
    /// Distances of the lines after forced breaks from the edge where lines start, in device pixels, in order. Further
    /// lines have ``indent``. Nil if all lines have it. If not nil, tab stops are measured from that edge instead of the
    /// line's start: they are the columns of a table's row.
    package var columnIndents: [Double]?
    /// Distance of all lines from the edge where lines end, in device pixels; not negative.
    public var tailIndent: Double = 0 { didSet { tailIndent = max(0, Self.length(tailIndent)) } }
    /// Space above the paragraph, in device pixels; not negative. It is added to the space below the previous
    /// paragraph, and is also above a text's first paragraph.
    public var spacingBefore: Double = 0 { didSet { spacingBefore = max(0, Self.length(spacingBefore)) } }
    /// Space below the paragraph, in device pixels; not negative.
    public var spacingAfter: Double = 0 { didSet { spacingAfter = max(0, Self.length(spacingAfter)) } }

    /// Creates the default style: natural direction, alignment and height.
    public init() {}

    /// The largest length of a style in pixels; longer ones are clamped to it.
    private static let longest = 32_768.0

    static func length(_ pixels: Double) -> Double { pixels.checked(in: -longest...longest) }
}

extension ParagraphStyle.LineHeight {
    /// The height with its number limited to 0…32,768. NaN becomes 0, so that equal values compare equal.
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
