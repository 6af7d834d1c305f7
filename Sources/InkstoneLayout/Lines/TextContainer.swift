/// The region in which text is laid out: its width and excluded shapes.
public struct TextContainer: Hashable, Sendable {
    /// The treatment of paragraphs wider than the container.
    public enum LineBreakMode: Sendable, Hashable {
        /// Lines end at the last opportunity that fits (UAX #14), or between grapheme clusters if there is none.
        case byWordWrapping
        /// Each paragraph is one line, however long.
        case byClipping
    }

    /// Width in device pixels, padding included; clamped to 0…1,000,000. NaN becomes 0. Layout uses at least one
    /// pixel.
    public var width: Double { didSet { width = Self.clamped(width, to: Self.widest) } }
    /// Padding kept free at the left and right side, in device pixels; clamped like ``width``.
    public var lineFragmentPadding: Double {
        didSet { lineFragmentPadding = Self.clamped(lineFragmentPadding, to: Self.widest) }
    }
    /// The treatment of paragraphs wider than the container.
    public var lineBreakMode: LineBreakMode

    /// Shapes that lines avoid, in pixels of the document; they may overlap. Lines are laid out left and right of
    /// the shapes and between them, in the order of the paragraph's direction. If lines do not wrap, the paths are
    /// ignored.
    ///
    /// The lines beside a path depend on all of the text above. The first request for any layout therefore lays out
    /// everything down to the lowest path.
    public var exclusionPaths: [ExclusionPath]

    /// Creates a container of a width in device pixels.
    public init(
        width: Double, lineFragmentPadding: Double = 0, lineBreakMode: LineBreakMode = .byWordWrapping,
        exclusionPaths: [ExclusionPath] = []
    ) {
        self.exclusionPaths = exclusionPaths
        self.width = Self.clamped(width, to: Self.widest)
        self.lineFragmentPadding = Self.clamped(lineFragmentPadding, to: Self.widest)
        self.lineBreakMode = lineBreakMode
    }

    /// The largest width. Positions on wider lines would not fit 32 bits in 1/64 pixel.
    private static let widest = 1_000_000.0

    private static func clamped(_ length: Double, to limit: Double) -> Double {
        length.isNaN ? 0 : min(max(0, length), limit)
    }

    /// The free intervals beside exclusion paths; nil if there are no paths, if lines do not wrap, or if no path
    /// encloses an area.
    var exclusionBands: ExclusionBands? {
        guard !exclusionPaths.isEmpty, let width = room.width else { return nil }
        return ExclusionBands(exclusionPaths, x: room.x, width: width)
    }

    /// The space available for lines, in whole pixels.
    var room: LineRoom {
        let padding = Int32(lineFragmentPadding.rounded())
        let inner = max(1, Int32(width.rounded(.down)) - 2 * padding)
        return LineRoom(width: lineBreakMode == .byClipping ? nil : inner, alignmentWidth: inner, x: padding)
    }
}
