/// A position on a line to which a tab advances.
public struct TabStop: Hashable, Sendable {
    /// The part of the text after a tab that is aligned at its stop. That text extends to the next tab, or to the end of the line.
    public enum Alignment: String, Hashable, Sendable, CaseIterable {
        /// The start of the text.
        case natural
        /// The middle of the text.
        case center
        /// The end of the text.
        case trailing
        /// The first full stop, comma or Arabic decimal separator after a digit; without one, the end of the text.
        case decimal
    }

    /// Distance from the line's own start, in device pixels; rounded to whole ones and clamped to ±32,768. NaN becomes 0.
    public var position: Double { didSet { position = ParagraphStyle.length(position) } }
    /// The part of the text that is aligned at the stop.
    public var alignment: Alignment
    /// The character that fills the room before the stop; nil for none. The tab's own font shows it.
    public var leader: Unicode.Scalar?

    /// Creates a stop by its distance from the line's own start in device pixels.
    public init(_ position: Double, alignment: Alignment = .natural, leader: Unicode.Scalar? = nil) {
        self.position = ParagraphStyle.length(position)
        self.alignment = alignment
        self.leader = leader
    }
}

extension TabStop: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Creates a stop for the start of text.
    public init(floatLiteral position: Double) { self.init(position) }
    /// Creates a stop for the start of text.
    public init(integerLiteral position: Int) { self.init(Double(position)) }
}
