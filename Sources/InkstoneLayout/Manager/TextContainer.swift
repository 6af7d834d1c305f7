/// The region that text is laid out in: how wide, and where not.
public struct TextContainer: Hashable, Sendable {
    /// What happens where a paragraph is wider than the container.
    public enum LineBreakMode: Sendable, Hashable {
        /// Lines end at the last opportunity that fits (UAX #14), in need between grapheme clusters.
        case byWordWrapping
        /// A paragraph is one line, however long.
        case byClipping
    }

    /// Extent in device pixels, padding included.
    public var width: Double
    /// Room kept free at both sides, in device pixels.
    public var lineFragmentPadding: Double
    /// What happens where a paragraph is wider.
    public var lineBreakMode: LineBreakMode

    /// A container of a width in device pixels.
    public init(width: Double, lineFragmentPadding: Double = 0, lineBreakMode: LineBreakMode = .byWordWrapping) {
        self.width = width
        self.lineFragmentPadding = lineFragmentPadding
        self.lineBreakMode = lineBreakMode
    }

    /// Whether lines may stand beside each other.
    var hasExclusions: Bool { false }

    /// The room for lines in whole pixels.
    var room: LineRoom {
        let padding = Int32(max(0, lineFragmentPadding.rounded()))
        let inner = Int32(max(1, min(1_000_000, width.rounded(.down)) - 2 * Double(padding)))
        return LineRoom(width: lineBreakMode == .byClipping ? nil : inner, alignmentWidth: inner, x: padding)
    }
}
