/// A position on a line to which a tab advances.
public struct TabStop: Hashable, Sendable {
    /// The point that is placed at the stop, in the text after a tab. The text extends to the next tab or the
    /// line's end.
    public enum Alignment: String, Hashable, Sendable, CaseIterable {
        /// The text after the tab starts at the stop.
        case natural
        /// The middle of the text after the tab is at the stop.
        case center
        /// The text after the tab ends at the stop.
        case trailing
        /// The first full stop, comma or Arabic decimal separator after a digit is at the stop; without one, the text
        /// ends there.
        case decimal
    }

    /// Distance from the line's start, in device pixels; clamped to ±32,768. NaN becomes 0. Layout rounds it to a whole
    /// number.
    public var position: Double { didSet { position = ParagraphStyle.length(position) } }
    /// The point that is placed at the stop, in the text after the tab.
    public var alignment: Alignment
    /// The character that fills the tab's width up to the stop, in the tab's own font; nil for none.
    public var leader: Unicode.Scalar?

    /// Creates a stop at a distance from the line's start, in device pixels.
    public init(_ position: Double, alignment: Alignment = .natural, leader: Unicode.Scalar? = nil) {
        self.position = ParagraphStyle.length(position)
        self.alignment = alignment
        self.leader = leader
    }
}

extension TabStop: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Creates a stop with natural alignment.
    public init(floatLiteral position: Double) { self.init(position) }
    /// Creates a stop with natural alignment.
    public init(integerLiteral position: Int) { self.init(Double(position)) }
}
