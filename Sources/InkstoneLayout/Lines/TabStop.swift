/// A place on a line that a tab leads to.
public struct TabStop: Hashable, Sendable {
    /// The part of the text behind a tab that stands at its stop: all of it up to the next tab, or to the end of the line.
    public enum Alignment: String, Hashable, Sendable, CaseIterable {
        /// The start of the text.
        case natural
        /// The middle of the text.
        case center
        /// The end of the text.
        case trailing
        /// The first full stop, comma or Arabic decimal separator behind a digit; its end where there is none.
        case decimal
    }

    /// Distance from the line's own start, in device pixels; rounded to whole ones and clamped to ±32,768. No number counts as 0.
    public var position: Double { didSet { position = ParagraphStyle.length(position) } }
    /// The part of the text that stands there.
    public var alignment: Alignment
    /// The character that fills the room before the stop; nil for none. It is set in the tab's own font.
    public var leader: Unicode.Scalar?

    /// A stop, by its distance from the line's own start in device pixels.
    public init(_ position: Double, alignment: Alignment = .natural, leader: Unicode.Scalar? = nil) {
        self.position = ParagraphStyle.length(position)
        self.alignment = alignment
        self.leader = leader
    }
}

extension TabStop: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// A stop for the start of text.
    public init(floatLiteral position: Double) { self.init(position) }
    /// A stop for the start of text.
    public init(integerLiteral position: Int) { self.init(Double(position)) }
}
