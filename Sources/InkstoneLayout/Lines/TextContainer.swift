/// The region that text is laid out in: how wide, and where not.
public struct TextContainer: Hashable, Sendable {
    /// What happens where a paragraph is wider than the container.
    public enum LineBreakMode: Sendable, Hashable {
        /// Lines end at the last opportunity that fits (UAX #14), in need between grapheme clusters.
        case byWordWrapping
        /// A paragraph is one line, however long.
        case byClipping
    }

    /// Extent in device pixels, padding included; clamped to 0…1,000,000, and 0 if it is no number. At least one pixel is
    /// laid out in.
    public var width: Double { didSet { width = Self.clamped(width, to: Self.widest) } }
    /// Room kept free at both sides, in device pixels; clamped to what ``width`` may be.
    public var lineFragmentPadding: Double {
        didSet { lineFragmentPadding = Self.clamped(lineFragmentPadding, to: Self.widest) }
    }
    /// What happens where a paragraph is wider.
    public var lineBreakMode: LineBreakMode

    /// Shapes that lines keep out of, in pixels of the document; they may overlap. Lines stand left, right and between
    /// them, filled from the side that their paragraph starts at. Where lines do not wrap, paths are ignored.
    ///
    /// What stands beside a path depends on all of the text above, so everything down to the lowest path is laid out as
    /// soon as anything is.
    public var exclusionPaths: [ExclusionPath]

    /// A container of a width in device pixels.
    public init(
        width: Double, lineFragmentPadding: Double = 0, lineBreakMode: LineBreakMode = .byWordWrapping,
        exclusionPaths: [ExclusionPath] = []
    ) {
        self.exclusionPaths = exclusionPaths
        self.width = Self.clamped(width, to: Self.widest)
        self.lineFragmentPadding = Self.clamped(lineFragmentPadding, to: Self.widest)
        self.lineBreakMode = lineBreakMode
    }

    /// Beyond this, lines would not fit 32 bits in 1/64 pixel.
    private static let widest = 1_000_000.0

    private static func clamped(_ length: Double, to limit: Double) -> Double {
        length.isNaN ? 0 : min(max(0, length), limit)
    }

    /// Where lines find room beside exclusion paths; nil if nothing is in their way.
    var exclusionBands: ExclusionBands? {
        guard !exclusionPaths.isEmpty, let width = room.width else { return nil }
        return ExclusionBands(exclusionPaths, x: room.x, width: width)
    }

    /// The room for lines in whole pixels.
    var room: LineRoom {
        let padding = Int32(lineFragmentPadding.rounded())
        let inner = max(1, Int32(width.rounded(.down)) - 2 * padding)
        return LineRoom(width: lineBreakMode == .byClipping ? nil : inner, alignmentWidth: inner, x: padding)
    }
}
