import InkstoneText
import InkstoneUnicode

/// Values by name, one a line: what fonts and paragraph styles are written down as. A newline within a value becomes a space.
private struct NamedFields {
    private(set) var values: [(name: Substring, value: Substring)] = []

    init() {}

    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            values.append((line[..<colon], line[line.index(after: colon)...]))
        }
    }

    var bytes: [UInt8] { Array(values.map { "\($0.name):\($0.value)" }.joined(separator: "\n").utf8) }

    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
        guard let value else { return }
        values.append((name[...], Substring(String(value.description.map { $0.isNewline ? " " : $0 }))))
    }

    subscript(name: String) -> Substring? { values.first { $0.name == name }?.value }

    /// A number that is one.
    func number(_ name: String) -> Double? { self[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }
}

extension FontAttribute {
    /// Family, size and what else the font says, by name.
    public static func encode(_ font: FontDescriptor) -> [UInt8] {
        var fields = NamedFields()
        fields.add("family", font.family)
        fields.add("size", font.size)
        fields.add("weight", font.weight)
        fields.add("slant", font.slant?.rawValue)
        fields.add("language", font.language)
        for (tag, value) in font.features.sorted(by: { $0.key < $1.key }) { fields.add("feature", "\(value) \(tag)") }
        if font.letterSpacing != 0 { fields.add("spacing", font.letterSpacing) }
        return fields.bytes
    }

    /// The font of bytes that ``encode(_:)`` made.
    public static func decode(_ bytes: [UInt8]) -> FontDescriptor? {
        guard let fields = NamedFields(bytes), let family = fields["family"], let size = fields.number("size") else {
            return nil
        }
        var font = FontDescriptor(family: String(family), size: size)
        font.weight = fields.number("weight")
        font.slant = fields["slant"].flatMap { Int32($0) }.flatMap { FontDescriptor.Slant(rawValue: $0) }
        font.language = fields["language"].map(String.init)
        for (name, value) in fields.values where name == "feature" {
            let parts = value.split(separator: " ", maxSplits: 1)
            if parts.count == 2, let setting = UInt32(parts[0]) { font.features[String(parts[1])] = setting }
        }
        font.letterSpacing = fields.number("spacing") ?? 0
        return font
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

    /// The style of bytes that ``encode(_:)`` made.
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
        if let factor = fields.number("multiple") { style.lineHeight = .multiple(factor) }
        if let pixels = fields.number("exactly") { style.lineHeight = .exactly(pixels) }
        if let pixels = fields.number("at-least") { style.lineHeight = .atLeast(pixels) }
        style.tabStops = fields.values.compactMap { $0.name == "tab" ? Double($0.value) : nil }
        style.tabInterval = fields["tab-interval"].flatMap { Int($0) } ?? style.tabInterval
        style.firstLineIndent = fields.number("first-indent") ?? 0
        style.indent = fields.number("indent") ?? 0
        style.spacingAfter = fields.number("after") ?? 0
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
