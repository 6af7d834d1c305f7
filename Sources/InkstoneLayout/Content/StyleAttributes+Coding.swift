import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Named values, one on each line: the serialized form of fonts, paragraph styles and list items. An ASCII control
/// character in a value is replaced by a space.
///
/// Input may come from any program, so numbers and names are checked when they are read.
struct NamedFields {
    private(set) var values: [(name: String, value: String)] = []

    /// The largest number of bytes that is decoded. Longer input counts as malformed.
    private static let longest = 1 << 14
    /// The largest length in pixels. A larger one in the input is clamped to it.
    static let longestLength = 10_000.0

    init() {}

    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        for line in bytes.split(separator: 0x0a) {
            guard let colon = line.firstIndex(of: 0x3a) else { return nil }
            values.append(
                (String(decoding: line[..<colon], as: UTF8.self), String(decoding: line[(colon + 1)...], as: UTF8.self))
            )
        }
    }

    var bytes: [UInt8] { Array(values.map { "\($0.name):\($0.value)" }.joined(separator: "\n").utf8) }

    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
        guard let value else { return }
        values.append((name, Self.withoutControls(value.description)))
    }

    private static func withoutControls(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }, as: UTF8.self)
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    /// Returns a name cut to at most `count` scalars, with a space in place of each ASCII control character.
    static func checked(_ name: String, atMost count: Int) -> String {
        // Fast path: nearly all names and link destinations are short and ASCII, and are returned as they are.
        if name.utf8.count <= count, name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return name }
        return withoutControls(String(String.UnicodeScalarView(name.unicodeScalars.prefix(count))))
    }

    /// Adds a field for each OpenType feature.
    mutating func add(features: [String: UInt32]) {
        for (tag, value) in features.sorted(by: { $0.key < $1.key }) { add("feature", "\(value) \(tag)") }
    }

    /// The OpenType features by tag. The tags were not checked for validity.
    var features: [String: UInt32] {
        values.reduce(into: [:]) { features, field in
            let parts = field.value.utf8.split(separator: 0x20, maxSplits: 1)
            guard field.name == "feature", parts.count == 2, let setting = UInt32(Substring(parts[0])) else { return }
            features[String(Substring(parts[1]))] = setting
        }
    }

    /// Returns a field's value as a number; nil if the field is missing or its value is not a number.
    func number(_ name: String) -> Double? { self[name].flatMap { Double($0) } }

    /// Returns a field's value as a number clamped to a range; nil if the field is missing or its value is not a
    /// finite number.
    func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        self[name].flatMap { Self.number($0, in: range) }
    }

    static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0.checked(in: range) : nil }
    }

    /// Returns a field's value as a length in pixels, clamped to 0…10,000; nil if the field is missing or its value
    /// is not a finite number.
    func length(_ name: String) -> Double? { number(name, in: 0...Self.longestLength) }
}

extension ParagraphStyleAttribute {
    /// Encodes the values that differ from the default style, by name.
    public static func encode(_ style: ParagraphStyle) -> [UInt8] {
        let plain = ParagraphStyle()
        var fields = NamedFields()
        if style.baseDirection != plain.baseDirection { fields.add("direction", name(of: style.baseDirection)) }
        if style.alignment != plain.alignment { fields.add("alignment", style.alignment.name) }
        switch style.lineHeight {
        case .natural: break
        case .growing: fields.add("height", "growing")
        case .multiple(let factor): fields.add("multiple", factor)
        case .multipleOfSize(let factor): fields.add("multiple-of-size", factor)
        case .exactly(let pixels): fields.add("exactly", pixels)
        case .atLeast(let pixels): fields.add("at-least", pixels)
        }
        for stop in style.tabStops { fields.add("tab", stop.coded) }
        if style.tabInterval != plain.tabInterval { fields.add("tab-interval", style.tabInterval) }
        if style.firstLineIndent != 0 { fields.add("first-indent", style.firstLineIndent) }
        if style.indent != 0 { fields.add("indent", style.indent) }
        if style.tailIndent != 0 { fields.add("tail-indent", style.tailIndent) }
        if style.spacingBefore != 0 { fields.add("before", style.spacingBefore) }
        if style.spacingAfter != 0 { fields.add("after", style.spacingAfter) }
        return fields.bytes
    }

    /// Decodes a style from bytes, which may come from any program; nil for malformed bytes. The style's lengths are
    /// finite, not negative and at most 10,000 pixels.
    public static func decode(_ bytes: [UInt8]) -> ParagraphStyle? {
        guard let fields = NamedFields(bytes) else { return nil }
        var style = ParagraphStyle()
        if let name = fields["direction"] {
            guard let known = directions.first(where: { Self.name(of: $0) == name }) else { return nil }
            style.baseDirection = known
        }
        if let name = fields["alignment"] {
            guard let known = ParagraphStyle.Alignment.all.first(where: { $0.name == name }) else { return nil }
            style.alignment = known
        }
        if fields["height"] == "growing" { style.lineHeight = .growing }
        if let factor = fields.number("multiple", in: 0.1...100) { style.lineHeight = .multiple(factor) }
        if let factor = fields.number("multiple-of-size", in: 0.1...100) { style.lineHeight = .multipleOfSize(factor) }
        if let pixels = fields.number("exactly", in: 1...NamedFields.longestLength) {
            style.lineHeight = .exactly(pixels)
        }
        if let pixels = fields.length("at-least") { style.lineHeight = .atLeast(pixels) }
        style.tabStops = Array(
            fields.values.lazy.filter { $0.name == "tab" }.compactMap { TabStop(coded: $0.value) }.prefix(256))
        let interval = fields.number("tab-interval", in: 1...100)
        style.tabInterval = interval.map { Int(checking: $0, in: 1...100) } ?? style.tabInterval
        style.firstLineIndent = fields.length("first-indent") ?? 0
        style.indent = fields.length("indent") ?? 0
        style.tailIndent = fields.length("tail-indent") ?? 0
        style.spacingBefore = fields.length("before") ?? 0
        style.spacingAfter = fields.length("after") ?? 0
        return style
    }

    private static let directions: [BidiBaseDirection] = [.natural, .leftToRight, .rightToLeft]

    private static func name(of direction: BidiBaseDirection) -> String {
        switch direction {
        case .natural: "natural"
        case .leftToRight: "left-to-right"
        case .rightToLeft: "right-to-left"
        }
    }
}

extension ParagraphStyle.Alignment {
    fileprivate static let all: [Self] = [.natural, .left, .right, .center, .justified]

    fileprivate var name: String {
        switch self {
        case .natural: "natural"
        case .left: "left"
        case .right: "right"
        case .center: "center"
        case .justified: "justified"
        }
    }
}

extension TabStop {
    /// The stop as text: its position and, if they are not the defaults, its alignment's name and its leader's code
    /// point.
    fileprivate var coded: String {
        guard alignment != .natural || leader != nil else { return position.description }
        return "\(position) \(alignment.rawValue)" + (leader.map { " \($0.value)" } ?? "")
    }

    /// Creates a stop with a finite position in 0…10,000 pixels; nil if the text does not begin with a number. An
    /// invalid alignment or leader is ignored.
    fileprivate init?(coded text: String) {
        let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
        guard let first = parts.first,
            let position = NamedFields.number(first, in: 0...NamedFields.longestLength)
        else { return nil }
        self.init(position)
        if parts.count > 1 { alignment = Alignment(rawValue: parts[1]) ?? .natural }
        if parts.count > 2, let value = UInt32(parts[2]), let scalar = Unicode.Scalar(value), value > 0x20 {
            leader = scalar
        }
    }
}
