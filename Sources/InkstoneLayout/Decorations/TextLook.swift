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

/// Colour of the line through styled text; without it the line has the colour of the glyphs.
public enum StrikethroughColorAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A colour.
    public typealias Value = Color
    /// The name of the key.
    public static let name = "inkstone.strikethrough-color"

    /// Sets the line's colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.strikethroughColor = value }
}

/// Destination of a link: at most 4,096 scalars, without control characters. A view shows it underlined in the theme's colour of links,
/// unless other attributes override that; the library does not open it.
///
/// A link does not grow: text typed at its ends, or replacing all of it, is outside; text typed inside belongs to it.
public enum LinkAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A URL as text.
    public typealias Value = String
    /// The name of the key.
    public static let name = "inkstone.link"
    /// Not inherited by text at the ends of a link.
    public static let inheritedByAddedText = false
    /// Inherited by text between two of a link's characters.
    public static let inheritedByTextInside = true
    /// Before the keys that set colours and lines.
    public static let order = -1

    /// Returns the destination without control characters; nil for an empty one.
    public static func checked(_ destination: String) -> String? {
        let checked = NamedFields.checked(destination, atMost: 4096)
        return checked.isEmpty ? nil : checked
    }

    /// Underlines the text, in the colour of links.
    public static func apply(_: Value, to style: inout TextStyle) {
        style.rendering.isLink = true
        style.rendering.underline = .single
    }
}

extension CodedAttributeKey where Value == Color {
    /// Encodes red, green, blue and opacity, a byte each.
    public static func encode(_ value: Color) -> [UInt8] { [value.red, value.green, value.blue, value.alpha] }

    /// Decodes the colour of four bytes.
    public static func decode(_ bytes: [UInt8]) -> Color? {
        guard bytes.count == 4 else { return nil }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
    }
}

extension CodedAttributeKey where Value == RenderingAttributes.LineStyle {
    /// Encodes the shape's name.
    public static func encode(_ value: Value) -> [UInt8] { Array(value.rawValue.utf8) }
    /// Decodes the shape of a name.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        String(validating: bytes, as: UTF8.self).flatMap { Value(rawValue: $0) }
    }
}
