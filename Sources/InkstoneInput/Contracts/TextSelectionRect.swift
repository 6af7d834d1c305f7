public import InkstoneBase

/// A piece of a selection on the screen: the selected part of one visual line and of one run of a single direction.
/// The counterpart of Apple's `UITextSelectionRect`.
///
/// The pieces of a selection do not overlap. Among all pieces of a selection, exactly one has ``containsStart``,
/// and exactly one has ``containsEnd``.
public struct TextSelectionRect: Hashable, Sendable {
    /// The rectangle in view pixels, as high as its line.
    public var rect: ViewRect
    /// The direction of the run: left to right or right to left, never natural.
    public var writingDirection: WritingDirection
    /// Whether the range starts in this piece: at its leading edge by ``writingDirection``.
    public var containsStart: Bool
    /// Whether the range ends in this piece: at its trailing edge by ``writingDirection``.
    public var containsEnd: Bool
    /// Whether the line runs downwards. Always false in this package.
    public var isVertical: Bool

    /// Creates a piece from its parts.
    public init(
        rect: ViewRect, writingDirection: WritingDirection = .leftToRight, containsStart: Bool = false,
        containsEnd: Bool = false, isVertical: Bool = false
    ) {
        self.rect = rect
        self.writingDirection = writingDirection
        self.containsStart = containsStart
        self.containsEnd = containsEnd
        self.isVertical = isVertical
    }
}
