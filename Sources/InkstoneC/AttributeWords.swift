import Inkstone

/// The attributes of styled text by the names and values that the C interface has for them.
enum AttributeWords {
    /// Returns the change that sets an attribute of a range, or removes it if the value is nil. Nil if there is no
    /// such attribute or value.
    static func change(
        _ name: String, _ value: String?, in range: Range<UTF16Offset>
    ) -> ((inout Restyling) -> Void)? {
        switch name {
        case "family": set(value, of: FontFamilyAttribute.self, in: range) { FontFamilyAttribute.checked($0) }
        case "size": set(value, of: FontSizeAttribute.self, in: range) { number($0, in: 1...1000) }
        case "weight": set(value, of: FontWeightAttribute.self, in: range, weight)
        case "slant": set(value, of: FontSlantAttribute.self, in: range) { slants[$0] }
        case "foreground": set(value, of: ForegroundAttribute.self, in: range, color)
        case "background": set(value, of: BackgroundAttribute.self, in: range, color)
        case "underline":
            set(value, of: UnderlineAttribute.self, in: range, RenderingAttributes.LineStyle.init(rawValue:))
        case "strikethrough":
            set(value, of: StrikethroughAttribute.self, in: range, RenderingAttributes.LineStyle.init(rawValue:))
        default: nil
        }
    }

    private static func set<Key: AttributeKey>(
        _ value: String?, of key: Key.Type, in range: Range<UTF16Offset>, _ read: (String) -> Key.Value?
    ) -> ((inout Restyling) -> Void)? {
        guard let value else { return { $0.set(nil, of: key, in: range) } }
        return read(value).map { value in { $0.set(value, of: key, in: range) } }
    }

    private static let slants: [String: FontDescriptor.Slant] = [
        "roman": .roman, "italic": .italic, "oblique": .oblique,
    ]

    private static func weight(_ text: String) -> Double? {
        switch text {
        case "normal": 80
        case "bold": 200
        default: number(text, in: 0...1000)
        }
    }

    /// Parses a decimal number; nil if the text is not one, or if the number is outside the range. (Setting the
    /// attribute in Swift clamps such a number instead.)
    private static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        // Exclude exponents, hexadecimal digits and names, which `Double` would accept.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }), let number = Double(text),
            range.contains(number)
        else { return nil }
        return number
    }

    /// Parses a colour `#rrggbb` or `#rrggbbaa`; nil for anything else.
    private static func color(_ text: String) -> Color? {
        guard text.first == "#", [7, 9].contains(text.utf8.count), text.dropFirst().allSatisfy(\.isHexDigit),
            let number = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        if text.utf8.count == 7 { return Color(rgb: number) }
        var color = Color(rgb: number >> 8)
        color.alpha = UInt8(truncatingIfNeeded: number)
        return color
    }
}
