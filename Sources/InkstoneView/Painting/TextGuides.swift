/// Optional aids that a view paints with its text, such as symbols for white space. They are not part of the text,
/// and cost nothing when off.
public struct TextGuides: OptionSet, Hashable, Sendable {
    /// A bit for each aid.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Symbols for spaces, tabs and the ends of paragraphs.
    public static let whiteSpace = TextGuides(rawValue: 1)
    /// A colour behind each line with a caret, as wide as the area of the text.
    public static let caretLine = TextGuides(rawValue: 2)
}
