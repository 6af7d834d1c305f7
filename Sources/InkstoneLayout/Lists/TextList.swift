import InkstoneBase

/// A list: the kind of its markers and its numbering.
///
/// Paragraphs whose innermost list has the same ``id`` are items of one list, wherever they are in the text. They
/// are numbered consecutively, so a list that a plain paragraph interrupts continues after it. To restart the
/// numbering, use a list with another ``id``.
public struct TextList: Hashable, Sendable {
    /// A value that identifies a list.
    public struct ID: Hashable, Sendable {
        /// A random number, unique among all lists with near certainty.
        public var value: UInt64

        /// Creates an identity from a number.
        public init(_ value: UInt64) { self.value = value }
        /// Creates a new identity that no list has yet.
        public init() { value = .random(in: 1 ... .max) }
    }

    /// The kind of marker before an item.
    public enum Marker: Hashable, Sendable {
        /// A filled circle.
        case disc
        /// An unfilled circle.
        case circle
        /// A filled square.
        case square
        /// Decimal numbers: 1, 2, 3.
        case decimal
        /// Lower-case letters: a, b, c … z, aa, ab; 0 is decimal.
        case lowercaseAlphabetic
        /// Upper-case letters: A, B, C … Z, AA, AB; 0 is decimal.
        case uppercaseAlphabetic
        /// Lower-case Roman numerals: i, ii, iii, iv; 0 and numbers beyond 3,999 are decimal.
        case lowercaseRoman
        /// Upper-case Roman numerals: I, II, III, IV; 0 and numbers beyond 3,999 are decimal.
        case uppercaseRoman
        /// A checkbox.
        case checkbox
        /// A text that the program chooses, at most 16 scalars without ASCII control characters.
        case custom(String)
    }

    /// The identity of the list.
    public var id: ID
    /// The kind of marker before each item.
    public var marker: Marker
    /// Number of the first item, clamped to 0…1,000,000.
    public var startingNumber = 1 { didSet { startingNumber = min(max(0, startingNumber), Self.largestStart) } }
    /// The text after an item's number, by default a full stop. At most 4 scalars without ASCII control characters.
    public var suffix = "." { didSet { suffix = NamedFields.checked(suffix, atMost: 4) } }

    /// Creates a list. Without an `id` it is a new list.
    public init(_ marker: Marker, id: ID = ID(), startingNumber: Int = 1, suffix: String = ".") {
        self.id = id
        self.marker = marker.checked
        self.startingNumber = min(max(0, startingNumber), Self.largestStart)
        self.suffix = NamedFields.checked(suffix, atMost: 4)
    }

    /// The largest number that a list can start with.
    private static let largestStart = 1_000_000

    /// Whether the list's items have numbers.
    public var isNumbered: Bool {
        switch marker {
        case .decimal, .lowercaseAlphabetic, .uppercaseAlphabetic, .lowercaseRoman, .uppercaseRoman: true
        case .disc, .circle, .square, .checkbox, .custom: false
        }
    }

    /// Returns the marker of an item as plain text, for copies without attributes: `-`, `1.`, `[ ]`. No space is
    /// added after it.
    public func plainMarker(number: Int, isChecked: Bool = false) -> String {
        switch marker {
        case .disc, .circle, .square: "-"
        case .checkbox: isChecked ? "[x]" : "[ ]"
        case .custom(let text): text
        default: marker.numeral(number) + suffix
        }
    }

    /// Returns alternative texts for an item's marker, best first. If the fonts lack characters of one text, the
    /// next is used.
    func shownMarkers(number: Int, isChecked: Bool) -> [String] {
        switch marker {
        case .disc: ["\u{2022}", "*"]
        case .circle: ["\u{25e6}", "o"]
        case .square: ["\u{25aa}", "-"]
        case .checkbox: isChecked ? ["\u{2611}", "[x]"] : ["\u{2610}", "[ ]"]
        default: [plainMarker(number: number)]
        }
    }
}

extension TextList.Marker {
    /// The default marker of a list nested in an item of a list with this marker.
    package var within: Self {
        switch self {
        case .disc: .circle
        case .circle: .square
        case .square: .disc
        case .decimal: .lowercaseAlphabetic
        case .lowercaseAlphabetic: .lowercaseRoman
        case .uppercaseAlphabetic, .uppercaseRoman: .decimal
        case .lowercaseRoman: .decimal
        case .checkbox, .custom: self
        }
    }

    /// Returns the default marker of a list, which depends on the kind of the list around it.
    ///
    /// - Parameters:
    ///   - isTask: whether the list's items are tasks.
    ///   - outer: the list around it; nil for an outermost list.
    package static func standard(isNumbered: Bool, isTask: Bool, in outer: TextList?) -> Self {
        if isTask { return .checkbox }
        guard let outer, outer.isNumbered == isNumbered, outer.marker != .checkbox else {
            return isNumbered ? .decimal : .disc
        }
        return outer.marker.within
    }

    var checked: Self {
        guard case .custom(let text) = self else { return self }
        return .custom(NamedFields.checked(text, atMost: 16))
    }

    /// Returns a number in the marker's notation; decimal if the notation cannot express it.
    func numeral(_ number: Int) -> String {
        switch self {
        case .lowercaseAlphabetic where number > 0: Self.alphabetic(number, "a")
        case .uppercaseAlphabetic where number > 0: Self.alphabetic(number, "A")
        case .lowercaseRoman where (1..<4000).contains(number): Self.roman(number).lowercased()
        case .uppercaseRoman where (1..<4000).contains(number): Self.roman(number)
        default: number.description
        }
    }

    private static func alphabetic(_ number: Int, _ first: Unicode.Scalar) -> String {
        var letters: [UInt8] = []
        var rest = number
        while rest > 0 {
            rest -= 1
            letters.append(UInt8(truncatingIfNeeded: first.value) + UInt8(rest % 26))
            rest /= 26
        }
        return String(decoding: letters.reversed(), as: UTF8.self)
    }

    private static func roman(_ number: Int) -> String {
        let signs = [
            (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
            (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
        ]
        var (rest, result) = (number, "")
        for (value, sign) in signs {
            while rest >= value {
                result += sign
                rest -= value
            }
        }
        return result
    }
}
