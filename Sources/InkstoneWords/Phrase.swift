/// A text with gaps, written as an interpolated literal: `"Saved “\(name)”"` is looked up as `Saved “{0}”`.
public struct Phrase: ExpressibleByStringInterpolation, Sendable {
    /// A value that fills a gap.
    enum Argument: Sendable {
        case text(String)
        case number(Int)
    }

    /// The text with its gaps as `{0}`, `{1}` and so on: what catalogs know it by.
    public let key: String
    let arguments: [Argument]

    /// A text without gaps.
    public init(stringLiteral value: String) { (key, arguments) = (value, []) }

    /// A text with gaps.
    public init(stringInterpolation: StringInterpolation) {
        (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
    }

    /// Collects the text and what fills its gaps.
    public struct StringInterpolation: StringInterpolationProtocol {
        var key = ""
        var arguments: [Argument] = []

        /// An empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

        /// Adds text.
        public mutating func appendLiteral(_ literal: String) { key += literal }

        /// Adds a gap that a text fills.
        public mutating func appendInterpolation(_ text: String) { append(.text(text)) }

        /// Adds a gap that a number fills, in the language's digits.
        public mutating func appendInterpolation(_ number: Int) { append(.number(number)) }

        private mutating func append(_ argument: Argument) {
            key += "{\(arguments.count)}"
            arguments.append(argument)
        }
    }

    /// A translation of the text with its gaps filled. A name of another direction than the language's keeps its own, and so does the text that
    /// begins with the name of a key.
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

    /// Whether the first letter is a Latin one, and others are not: such a text would be laid out from the left.
    private static func beginsLikeAnother(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        func isLatin(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) }
        guard let first = scalars.first(where: { isLatin($0) || $0.value >= 0x590 }), isLatin(first) else {
            return false
        }
        return scalars.contains { 0x590...0x8ff ~= $0.value }
    }
}
