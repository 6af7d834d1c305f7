import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Values by name, one a line: what fonts and paragraph styles are written down as. A control character within a value becomes a space.
///
/// What is read was written by anybody: the numbers and names that it gives are checked.
private struct NamedFields {
    private(set) var values: [(name: String, value: String)] = []

    /// Bytes above which they are no style.
    private static let longest = 1 << 14
    /// Longest length in pixels that a style from outside may have.
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

    /// A name of bounded length without control characters.
    func text(_ name: String, atMost count: Int = 128) -> String? {
        self[name].map { Self.withoutControls(String(String.UnicodeScalarView($0.unicodeScalars.prefix(count)))) }
    }

    /// A number in a range; nil for what is no finite number.
    func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        self[name].flatMap { Self.number($0, in: range) }
    }

    private static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0.checked(in: range) : nil }
    }

    /// A length of a style in pixels.
    func length(_ name: String) -> Double? { number(name, in: 0...Self.longestLength) }

    /// All numbers of a name, at most so many.
    func lengths(_ name: String, atMost count: Int) -> [Double] {
        Array(
            values.lazy.filter { $0.name == name }.compactMap { Self.number($0.value, in: 0...Self.longestLength) }
                .prefix(count))
    }
}

extension FontAttribute {
    /// Family, size and what else the font says, by name. Of a pattern no more than its first family.
    public static func encode(_ font: FontDescriptor) -> [UInt8] {
        var fields = NamedFields()
        fields.add("family", font.familyName)
        fields.add("size", font.size)
        fields.add("weight", font.weight)
        fields.add("slant", font.slant?.rawValue)
        fields.add("language", font.language)
        for (tag, value) in font.features.sorted(by: { $0.key < $1.key }) { fields.add("feature", "\(value) \(tag)") }
        if font.letterSpacing != 0 { fields.add("spacing", font.letterSpacing) }
        return fields.bytes
    }

    /// The font of bytes that ``encode(_:)`` made, or anybody else: its family is a name, its numbers are finite and in range.
    public static func decode(_ bytes: [UInt8]) -> FontDescriptor? {
        guard let fields = NamedFields(bytes), let family = fields.text("family"),
            let size = fields.number("size", in: 1...Self.largestSize)
        else { return nil }
        var font = FontDescriptor(family: family, size: size)
        font.weight = fields.number("weight", in: 0...1000)
        font.slant = fields["slant"].flatMap { Int32($0) }.flatMap { FontDescriptor.Slant(rawValue: $0) }
        font.language = fields["language"].flatMap { isLanguage($0) ? $0 : nil }
        for (name, value) in fields.values where name == "feature" && font.features.count < 32 {
            let parts = value.utf8.split(separator: 0x20, maxSplits: 1)
            guard parts.count == 2, let setting = UInt32(Substring(parts[0])), isTag(parts[1]) else { continue }
            font.features[String(Substring(parts[1]))] = setting
        }
        font.letterSpacing = fields.number("spacing", in: -100...100) ?? 0
        return font
    }

    /// Largest size in pixels of a font from outside.
    private static let largestSize = 1000.0

    private static func isLanguage(_ tag: String) -> Bool {
        (1...35).contains(tag.utf8.count) && tag.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2d || $0 == 0x5f }
    }

    private static func isTag(_ tag: Substring.UTF8View) -> Bool {
        tag.count == 4 && tag.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
    }
}

extension FontDescriptor {
    /// The family's name; of a pattern the first of its families.
    var familyName: String {
        guard isPattern else { return family }
        var name: [UInt8] = []
        var bytes = family.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "\\") {
                if let next = bytes.next() { name.append(next) }
            } else if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "-") {
                break
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension ParagraphStyleAttribute {
    /// What differs from the plain style, by name.
    public static func encode(_ style: ParagraphStyle) -> [UInt8] {
        let plain = ParagraphStyle()
        var fields = NamedFields()
        if style.baseDirection != plain.baseDirection { fields.add("direction", name(of: style.baseDirection)) }
        if style.alignment != plain.alignment { fields.add("alignment", style.alignment.name) }
        switch style.lineHeight {
        case .natural: break
        case .growing: fields.add("height", "growing")
        case .multiple(let factor): fields.add("multiple", factor)
        case .exactly(let pixels): fields.add("exactly", pixels)
        case .atLeast(let pixels): fields.add("at-least", pixels)
        }
        for stop in style.tabStops { fields.add("tab", stop) }
        if style.tabInterval != plain.tabInterval { fields.add("tab-interval", style.tabInterval) }
        if style.firstLineIndent != 0 { fields.add("first-indent", style.firstLineIndent) }
        if style.indent != 0 { fields.add("indent", style.indent) }
        if style.spacingAfter != 0 { fields.add("after", style.spacingAfter) }
        return fields.bytes
    }

    /// The style of bytes that ``encode(_:)`` made, or anybody else: its lengths are finite, not negative and at most 10,000 pixels.
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
        if let pixels = fields.number("exactly", in: 1...NamedFields.longestLength) {
            style.lineHeight = .exactly(pixels)
        }
        if let pixels = fields.length("at-least") { style.lineHeight = .atLeast(pixels) }
        style.tabStops = fields.lengths("tab", atMost: 256)
        let interval = fields.number("tab-interval", in: 1...100)
        style.tabInterval = interval.map { Int(checking: $0, in: 1...100) } ?? style.tabInterval
        style.firstLineIndent = fields.length("first-indent") ?? 0
        style.indent = fields.length("indent") ?? 0
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
