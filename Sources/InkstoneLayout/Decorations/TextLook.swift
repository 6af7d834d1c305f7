import InkstoneBase
import InkstoneText

/// Colour of the glyphs of styled text.
public enum ForegroundAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The colour of the glyphs.
    public typealias Value = Color
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.foreground"

    /// Sets the colour of the glyphs.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.foreground = value }
}

/// Colour behind styled text.
public enum BackgroundAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The colour behind the text.
    public typealias Value = Color
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.background"

    /// Sets the background colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.background = value }
}

/// Underline of styled text.
public enum UnderlineAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The shape of the underline.
    public typealias Value = RenderingAttributes.LineStyle
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.underline"

    /// Sets the underline.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.underline = value }
}

/// Colour of the underline of styled text; without it the underline has the colour of the glyphs.
public enum UnderlineColorAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The colour of an underline.
    public typealias Value = Color
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.underline-color"

    /// Sets the underline's colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.underlineColor = value }
}

/// Strikethrough of styled text.
public enum StrikethroughAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The shape of the strikethrough.
    public typealias Value = RenderingAttributes.LineStyle
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.strikethrough"

    /// Sets the strikethrough.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.strikethrough = value }
}

/// Colour of the strikethrough of styled text; without it the strikethrough has the colour of the glyphs.
public enum StrikethroughColorAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The colour of the strikethrough.
    public typealias Value = Color
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.strikethrough-color"

    /// Sets the strikethrough's colour.
    public static func apply(_ value: Value, to style: inout TextStyle) { style.rendering.strikethroughColor = value }
}

/// Destination of a link: at most 4,096 scalars, without ASCII control characters. A view underlines the text and shows
/// it in the theme's link colour, unless other attributes override these. The library does not open links: see
/// `EditorView.onOpenLink`.
///
/// Text typed at a link's ends, or replacing the whole link, does not become part of it; text typed inside does.
public enum LinkAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The destination of a link, a URL as text.
    public typealias Value = String
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.link"
    /// Text typed at the ends of a link does not inherit it.
    public static let inheritedByAddedText = false
    /// Text typed between two characters of a link inherits it.
    public static let inheritedByTextInside = true
    /// The attribute is applied before those of colours and lines, which then override the link's style.
    public static let order = -1

    /// Returns at most 4,096 scalars of the destination, with a space in place of each ASCII control character; nil if
    /// it is empty.
    public static func checked(_ destination: String) -> String? {
        let checked = NamedFields.checked(destination, atMost: 4096)
        return checked.isEmpty ? nil : checked
    }

    /// Underlines the text and gives it the link colour.
    public static func apply(_: Value, to style: inout TextStyle) {
        style.rendering.isLink = true
        style.rendering.underline = .single
    }
}

extension CodedAttributeKey where Value == Color {
    /// Encodes red, green, blue and opacity, one byte each.
    public static func encode(_ value: Color) -> [UInt8] { [value.red, value.green, value.blue, value.alpha] }

    /// Decodes a colour from four bytes; nil for another number of bytes.
    public static func decode(_ bytes: [UInt8]) -> Color? {
        guard bytes.count == 4 else { return nil }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
    }
}

extension CodedAttributeKey where Value == RenderingAttributes.LineStyle {
    /// Encodes a line style by its name.
    public static func encode(_ value: Value) -> [UInt8] { Array(value.rawValue.utf8) }
    /// Decodes a line style from its name; nil for an unknown name.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        String(validating: bytes, as: UTF8.self).flatMap { Value(rawValue: $0) }
    }
}
