import InkstoneBase

/// A list: what its items are marked with, and what it is counted by.
///
/// Paragraphs whose innermost lists have one ``id`` are items of one list wherever they stand, and are numbered through: a list that
/// a plain paragraph interrupts goes on behind it. To begin anew is to be another list.
public struct TextList: Hashable, Sendable {
    /// The identity of a list.
    public struct ID: Hashable, Sendable {
        /// A number, as good as unique among all lists.
        public var value: UInt64

        /// The list of a number.
        public init(_ value: UInt64) { self.value = value }
        /// A list that no item is in.
        public init() { value = .random(in: 1 ... .max) }
    }

    /// The kind of an item's marker.
    public enum Marker: Hashable, Sendable {
        /// A filled circle.
        case disc
        /// A circle.
        case circle
        /// A filled square.
        case square
        /// 1, 2, 3
        case decimal
        /// a, b, c … z, aa, ab
        case lowercaseAlphabetic
        /// A, B, C … Z, AA, AB
        case uppercaseAlphabetic
        /// i, ii, iii, iv; beyond 3,999 decimal.
        case lowercaseRoman
        /// I, II, III, IV; beyond 3,999 decimal.
        case uppercaseRoman
        /// A box that is checked or not.
        case checkbox
        /// A text of the program's, at most 16 scalars without control characters.
        case custom(String)
    }

    /// The identity of the list.
    public var id: ID
    /// The marker of the items.
    public var marker: Marker
    /// Number of the first item, clamped to 0…1,000,000.
    public var startingNumber = 1 { didSet { startingNumber = min(max(0, startingNumber), Self.largestStart) } }
    /// The text behind a number: a period unless said otherwise. At most 4 scalars without control characters.
    public var suffix = "." { didSet { suffix = NamedFields.checked(suffix, atMost: 4) } }

    /// A list; its own unless `id` says which.
    public init(_ marker: Marker, id: ID = ID(), startingNumber: Int = 1, suffix: String = ".") {
        self.id = id
        self.marker = marker.checked
        self.startingNumber = min(max(0, startingNumber), Self.largestStart)
        self.suffix = NamedFields.checked(suffix, atMost: 4)
    }

    private static let largestStart = 1_000_000

    /// Whether its items have numbers.
    public var isNumbered: Bool {
        switch marker {
        case .decimal, .lowercaseAlphabetic, .uppercaseAlphabetic, .lowercaseRoman, .uppercaseRoman: true
        case .disc, .circle, .square, .checkbox, .custom: false
        }
    }

    /// The marker of an item as text, for copies without attributes: `- `, `1.`, `[ ]`. Without the space behind it.
    public func plainMarker(number: Int, isChecked: Bool = false) -> String {
        switch marker {
        case .disc, .circle, .square: "-"
        case .checkbox: isChecked ? "[x]" : "[ ]"
        case .custom(let text): text
        default: marker.numeral(number) + suffix
        }
    }

    /// The marker of an item as it is shown, best first: where a font lacks letters of one the next is shown.
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
    /// The kind of a list within an item of such a list, unless somebody chooses another.
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

    var checked: Self {
        guard case .custom(let text) = self else { return self }
        return .custom(NamedFields.checked(text, atMost: 16))
    }

    /// A number as the kind writes it; decimal where it has no way to.
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
