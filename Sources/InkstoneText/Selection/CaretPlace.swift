public import InkstoneBase

/// A caret position with its affinity, and the state that consecutive moves keep.
public struct CaretPlace: Hashable, Sendable {
    /// Offset in UTF-16 units from the start of the document.
    public var offset: UTF16Offset
    /// The neighbouring character that the caret belongs to, where a line wraps or writing directions meet.
    public var affinity: TextAffinity
    /// The x, in pixels of the document, that moves up and down preserve; nil after any other move.
    public var goalX: Double?
    /// Whether moves to the right go forward in the text. Set when a move took the caret into a paragraph of the
    /// other writing direction. Nil after any other move; moves then follow the paragraph's direction.
    public var rightIsForward: Bool?

    /// Creates a caret position at an offset.
    public init(_ offset: UTF16Offset, affinity: TextAffinity = .downstream, goalX: Double? = nil) {
        self.offset = offset
        self.affinity = affinity
        self.goalX = goalX
    }

    /// Forgets the state that consecutive moves keep, which belongs to another position.
    mutating func forgetMoves() { (goalX, rightIsForward) = (nil, nil) }
}
