import InkstoneBase
import InkstoneText

/// Colour of the glyphs of styled text.
public enum ForegroundAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// The name of the key.
    public static let name = "inkstone.foreground"

    /// Sets the colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.foreground = value }
}

/// Colour behind styled text.
public enum BackgroundAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// The name of the key.
    public static let name = "inkstone.background"

    /// Sets the colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.background = value }
}

/// Line under styled text.
public enum UnderlineAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The line's shape.
    public typealias Value = RenderingAttributes.LineStyle
    /// The name of the key.
    public static let name = "inkstone.underline"

    /// Sets the line.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.underline = value }
}

/// Colour of the line under styled text; without it the line has the colour of the glyphs.
public enum UnderlineColorAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// The name of the key.
    public static let name = "inkstone.underline-color"

    /// Sets the line's colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.underlineColor = value }
}

/// Line through styled text.
public enum StrikethroughAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The line's shape.
    public typealias Value = RenderingAttributes.LineStyle
    /// The name of the key.
    public static let name = "inkstone.strikethrough"

    /// Sets the line.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.strikethrough = value }
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
