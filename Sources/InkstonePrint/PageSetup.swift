import Glibc
import InkstoneBase

/// A paper size. Lengths are points, 1/72 inch.
public struct Paper: Hashable, Sendable {
    /// The name by which printers know the size (`A4`, `Letter`, or `Custom.WIDTHxHEIGHT` in points).
    public let name: String
    /// The width in points.
    public let width: Double
    /// The height in points.
    public let height: Double

    private init(name: String, width: Double, height: Double) {
        (self.name, self.width, self.height) = (name, width, height)
    }

    /// Creates a paper size from a width and height in points. Each is clamped to 36…14,400, from half an inch to the
    /// largest PDF page; NaN becomes 36.
    public init(width: Double, height: Double) {
        (self.width, self.height) = (
            width.checked(in: 36...14_400, else: 36), height.checked(in: 36...14_400, else: 36)
        )
        name = "Custom.\(Self.number(self.width))x\(Self.number(self.height))"
    }

    /// A4: 210 × 297 millimetres.
    public static let a4 = Paper(name: "A4", width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)
    /// US Letter: 8½ × 11 inches.
    public static let letter = Paper(name: "Letter", width: 612, height: 792)
    /// The usual paper in the environment's locale: US Letter in North America and some other countries, otherwise
    /// A4.
    public static var preferred: Paper {
        var locale = ""
        for name in ["LC_ALL", "LC_PAPER", "LANG"] where locale.isEmpty {
            if let value = getenv(name) { locale = String(cString: value) }
        }
        let country = locale.split(separator: "_").dropFirst().first?.prefix(2) ?? ""
        return ["US", "CA", "MX", "PH", "CL", "CO", "VE", "CR", "GT"].contains(country) ? letter : a4
    }
    private static let named = [
        a4, letter, Paper(name: "A3", width: 297 * 72 / 25.4, height: 420 * 72 / 25.4),
        Paper(name: "A5", width: 148 * 72 / 25.4, height: 210 * 72 / 25.4),
        Paper(name: "Legal", width: 612, height: 1008),
    ]

    /// Creates a paper size from a name: `A3`, `A4`, `A5`, `Letter` or `Legal`, in upper or lower case. Also from
    /// `WIDTHxHEIGHT` followed by a unit, such as `148x210mm`, `6x9in` or `400x600pt`; the width may have the same
    /// unit. Nil for any other text, and for lengths outside of the valid range.
    public init?(_ text: String) {
        if let paper = Self.named.first(where: { $0.name.lowercased() == text.lowercased() }) {
            self = paper
            return
        }
        guard let cross = text.firstIndex(of: "x"), let unit = LengthUnit(endOf: text),
            let width = unit.points(text[..<cross], unitOptional: true),
            let height = unit.points(text[text.index(after: cross)...]), (36...14_400).contains(width),
            (36...14_400).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// The distances of the printed area from the edges of a page, in points.
public struct PageMargins: Hashable, Sendable {
    /// The distance from the top edge.
    public var top: Double
    /// The distance from the right edge.
    public var right: Double
    /// The distance from the bottom edge.
    public var bottom: Double
    /// The distance from the left edge.
    public var left: Double

    /// Creates margins in points. Each is clamped to 0…14,400; NaN becomes 0.
    public init(top: Double, right: Double, bottom: Double, left: Double) {
        self.top = top.checked(in: 0...14_400)
        self.right = right.checked(in: 0...14_400)
        self.bottom = bottom.checked(in: 0...14_400)
        self.left = left.checked(in: 0...14_400)
    }

    /// 20 millimetres on all sides.
    public static let standard = PageMargins(all: 20 * 72 / 25.4)

    /// Creates equal margins on all sides, in points.
    public init(all margin: Double) { self.init(top: margin, right: margin, bottom: margin, left: margin) }

    /// Creates margins from one, two (top and bottom, then sides) or four lengths (top, right, bottom, left)
    /// separated by commas. Each length has a unit, or the last length's unit applies: `20mm`, `1in,2cm`,
    /// `10,20,10,20mm`. Nil for any other text.
    public init?(_ text: String) {
        guard let unit = LengthUnit(endOf: text) else { return nil }
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map {
            (LengthUnit(endOf: String($0)) ?? unit).points($0, unitOptional: true)
        }
        let points = lengths.compactMap { $0 }
        guard points.count == lengths.count else { return nil }
        switch points.count {
        case 1: self.init(all: points[0])
        case 2: self.init(top: points[0], right: points[1], bottom: points[0], left: points[1])
        case 4: self.init(top: points[0], right: points[1], bottom: points[2], left: points[3])
        default: return nil
        }
    }
}

/// A unit of length, written after a number.
private enum LengthUnit: String, CaseIterable {
    case mm, cm, `in`, pt

    /// Creates the unit with which a text ends; nil if there is none.
    init?(endOf text: String) {
        guard let unit = Self.allCases.first(where: { text.lowercased().hasSuffix($0.rawValue) }) else { return nil }
        self = unit
    }

    /// Returns a length in points. Nil if the text is not a number of at least 0 followed by this unit; with
    /// `unitOptional`, the unit may be missing.
    func points(_ text: Substring, unitOptional: Bool = false) -> Double? {
        let hasUnit = text.lowercased().hasSuffix(rawValue)
        guard hasUnit || unitOptional, let value = Double(hasUnit ? text.dropLast(rawValue.count) : text),
            value >= 0, value.isFinite
        else { return nil }
        switch self {
        case .mm: return value * 72 / 25.4
        case .cm: return value * 720 / 25.4
        case .in: return value * 72
        case .pt: return value
        }
    }
}

/// The settings of printed pages: paper, margins, header, and the numbers of pages and paragraphs.
public struct PageSetup: Hashable, Sendable {
    /// The size of the pages.
    public var paper = Paper.a4
    /// The distances of the text from the pages' edges.
    public var margins = PageMargins.standard
    /// A line printed above the text of each page; nil or empty for none. Only as much as fits the width is
    /// printed.
    public var header: String?
    /// Whether the page number is printed below the text.
    public var numbersPages = true
    /// Whether the number of each paragraph is printed beside its first line.
    public var numbersLines = false
    /// The number of the text's first paragraph.
    public var firstLineNumber = 1
    /// The least number of lines of a paragraph at the bottom of a page and at the top of the next. With 1, a
    /// single line may be separated from its paragraph.
    public var linesTogether = 2
    /// The document's title, which viewers show.
    public var title = ""

    /// Creates the default settings: A4 with page numbers.
    public init() {}
}
