import InkstoneBase
import InkstoneText

/// Colour of the glyphs of styled text.
public enum ForegroundAttribute: CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// Its name.
    public static let name = "inkstone.foreground"
}

/// Colour behind styled text.
public enum BackgroundAttribute: CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// Its name.
    public static let name = "inkstone.background"
}

/// Line under styled text.
public enum UnderlineAttribute: CodedAttributeKey {
    /// The line's shape.
    public typealias Value = RenderingAttributes.LineStyle
    /// Its name.
    public static let name = "inkstone.underline"
}

/// Line through styled text.
public enum StrikethroughAttribute: CodedAttributeKey {
    /// The line's shape.
    public typealias Value = RenderingAttributes.LineStyle
    /// Its name.
    public static let name = "inkstone.strikethrough"
}

extension CodedAttributeKey where Value == Color {
    /// Red, green, blue and opacity.
    public static func encode(_ value: Color) -> [UInt8] { [value.red, value.green, value.blue, value.alpha] }

    /// The colour of four bytes.
    public static func decode(_ bytes: [UInt8]) -> Color? {
        guard bytes.count == 4 else { return nil }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
    }
}

extension CodedAttributeKey where Value == RenderingAttributes.LineStyle {
    /// The shape's name.
    public static func encode(_ value: Value) -> [UInt8] { Array(value.rawValue.utf8) }
    /// The shape of a name.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        String(validating: bytes, as: UTF8.self).flatMap { Value(rawValue: $0) }
    }
}

extension RenderingAttributes {
    /// The look that a text's own attributes ask for.
    public init(_ attributes: TextAttributes) {
        self.init(
            foreground: attributes[ForegroundAttribute.self], background: attributes[BackgroundAttribute.self],
            underline: attributes[UnderlineAttribute.self], strikethrough: attributes[StrikethroughAttribute.self])
    }

    /// Makes the keys of looks, fonts and paragraph styles known, so that copies and journals with them can be read.
    public static func registerKeys() {
        AttributeKeys.register(ForegroundAttribute.self)
        AttributeKeys.register(BackgroundAttribute.self)
        AttributeKeys.register(UnderlineAttribute.self)
        AttributeKeys.register(StrikethroughAttribute.self)
        AttributeKeys.register(FontAttribute.self)
        AttributeKeys.register(ParagraphStyleAttribute.self)
    }
}

extension StyledText {
    /// The looks of a range's runs, in order; runs without one are left out. Nothing for a text without attributes.
    func looks(in range: Range<UTF16Offset>) -> [RenderingRun] {
        guard runs != nil else { return [] }
        return attributes(in: range).compactMap { run in
            let look = RenderingAttributes(run.attributes)
            return look == RenderingAttributes() ? nil : RenderingRun(range: run.range, attributes: look)
        }
    }
}
