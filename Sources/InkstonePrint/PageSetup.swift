import Glibc
import InkstoneBase

/// A size of paper. Lengths are points, 72 to the inch.
public struct Paper: Hashable, Sendable {
    /// The name that printers know it by (`A4`, `Letter`, or `Custom.WIDTHxHEIGHT` in points).
    public let name: String
    /// Width in points.
    public let width: Double
    /// Height in points.
    public let height: Double

    private init(name: String, width: Double, height: Double) {
        (self.name, self.width, self.height) = (name, width, height)
    }

    /// Paper of a width and a height in points, each clamped to 36…14,400: half an inch to what a PDF page may have.
    public init(width: Double, height: Double) {
        (self.width, self.height) = (
            width.checked(in: 36...14_400, else: 36), height.checked(in: 36...14_400, else: 36)
        )
        name = "Custom.\(Self.number(self.width))x\(Self.number(self.height))"
    }

    /// 210 by 297 millimetres.
    public static let a4 = Paper(name: "A4", width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)
    /// 8½ by 11 inches.
    public static let letter = Paper(name: "Letter", width: 612, height: 792)
    /// The usual paper of the environment's locale: US Letter in North America and some countries to its south, else A4.
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

    /// Reads a name (`A3`, `A4`, `A5`, `Letter`, `Legal`, in any case) or `WIDTHxHEIGHT` with a unit behind it (`148x210mm`, `6x9in`,
    /// `400x600pt`); nil for anything else, and for a length that no page has.
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

/// The distances between the edges of a page and what is printed, in points.
public struct PageMargins: Hashable, Sendable {
    /// Distance of the top edge, points.
    public var top: Double
    /// Distance of the right edge, points.
    public var right: Double
    /// Distance of the bottom edge, points.
    public var bottom: Double
    /// Distance of the left edge, points.
    public var left: Double

    /// Margins in points; what is no number or negative is 0.
    public init(top: Double, right: Double, bottom: Double, left: Double) {
        self.top = top.checked(in: 0...14_400)
        self.right = right.checked(in: 0...14_400)
        self.bottom = bottom.checked(in: 0...14_400)
        self.left = left.checked(in: 0...14_400)
    }

    /// 20 millimetres on all sides.
    public static let standard = PageMargins(all: 20 * 72 / 25.4)

    /// The same margin on all sides, in points.
    public init(all margin: Double) { self.init(top: margin, right: margin, bottom: margin, left: margin) }

    /// Reads one, two (top and bottom, then sides) or four lengths (top, right, bottom, left) with commas between and a unit each or behind
    /// the last: `20mm`, `1in,2cm`, `10,20,10,20mm`; nil for anything else.
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

/// A unit behind a length.
private enum LengthUnit: String, CaseIterable {
    case mm, cm, `in`, pt

    /// The unit that a text ends in.
    init?(endOf text: String) {
        guard let unit = Self.allCases.first(where: { text.lowercased().hasSuffix($0.rawValue) }) else { return nil }
        self = unit
    }

    /// A length in points; nil if it is no number from 0 on.
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

/// Settings of pages: paper, margins, and what stands beside the text.
public struct PageSetup: Hashable, Sendable {
    /// The size of the pages.
    public var paper = Paper.a4
    /// The distances from their edges.
    public var margins = PageMargins.standard
    /// A line above the text of each page; nil or empty for none. What does not fit the width is left out.
    public var header: String?
    /// Whether the number of each page stands below its text.
    public var numbersPages = true
    /// Whether the number of each paragraph stands beside its first line.
    public var numbersLines = false
    /// The number of the first paragraph.
    public var firstLineNumber = 1
    /// Lines of a paragraph that stand together at least at the end of a page and at the start of the next; 1 lets each stand alone.
    public var linesTogether = 2
    /// The document's title, which readers show.
    public var title = ""

    /// A4 with page numbers.
    public init() {}
}
