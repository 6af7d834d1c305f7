/// A text with gaps, written as an interpolated string literal. `"Saved “\(name)”"` has the key `Saved “{0}”` in
/// catalogs.
public struct Phrase: ExpressibleByStringInterpolation, Sendable {
    /// A value that is inserted into a gap.
    enum Argument: Sendable {
        case text(String)
        case number(Int)
    }

    /// The text with its gaps written as `{0}`, `{1}` and so on, by which catalogs identify it.
    public let key: String
    let arguments: [Argument]

    /// Creates a text without gaps.
    public init(stringLiteral value: String) { (key, arguments) = (value, []) }

    /// Creates a text with gaps.
    public init(stringInterpolation: StringInterpolation) {
        (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
    }

    /// The text and the values of its gaps, while the literal is evaluated.
    public struct StringInterpolation: StringInterpolationProtocol {
        var key = ""
        var arguments: [Argument] = []

        /// Creates an empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

        /// Adds a part of the literal.
        public mutating func appendLiteral(_ literal: String) { key += literal }

        /// Adds a gap with a text.
        public mutating func appendInterpolation(_ text: String) { append(.text(text)) }

        /// Adds a gap with a number, which is written in the digits of the language.
        public mutating func appendInterpolation(_ number: Int) { append(.number(number)) }

        private mutating func append(_ argument: Argument) {
            key += "{\(arguments.count)}"
            arguments.append(argument)
        }
    }

    /// Fills the gaps of a translation. In a right-to-left language, inserted texts keep their own direction, and a
    /// translation that begins with a Latin word, such as a key's name, is still laid out from the right.
    func filling(_ text: String, in language: Language) -> String {
        var filled = language.isRightToLeft && Self.beginsLikeAnother(text) ? "\u{200f}" : ""
        guard !arguments.isEmpty else { return filled + text }
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            if let index = Int(rest[rest.index(after: open)..<close]), arguments.indices.contains(index) {
                switch arguments[index] {
                case .text(let text): filled += language.isRightToLeft ? "\u{2068}\(text)\u{2069}" : text
                case .number(let number): filled += language.number(number)
                }
            } else {
                filled += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    /// Whether a text begins with a Latin letter but contains right-to-left letters. Without a direction mark, such a
    /// text would be laid out from the left.
    private static func beginsLikeAnother(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        func isLatin(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) }
        guard let first = scalars.first(where: { isLatin($0) || $0.value >= 0x590 }), isLatin(first) else {
            return false
        }
        return scalars.contains { 0x590...0x8ff ~= $0.value }
    }
}
