import InkstoneBase
import InkstoneText

/// Font family of styled text, by name; a fontconfig pattern is not accepted. At most 128 scalars, without ASCII
/// control characters.
public enum FontFamilyAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The name of a font family.
    public typealias Value = String
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.font-family"

    /// Returns at most 128 scalars of the name, with a space in place of each ASCII control character; nil if it is
    /// empty.
    public static func checked(_ family: String) -> String? {
        let name = NamedFields.checked(family, atMost: 128)
        return name.isEmpty ? nil : name
    }

    /// Sets the font's family.
    public static func apply(_ family: String, to style: inout TextStyle) { style.font.setFamily(family) }
}

/// Font size (em square) of styled text, 1…1,000 pixels at scale 1.
public enum FontSizeAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A font size in pixels at scale 1.
    public typealias Value = Double
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.font-size"

    /// Returns the size clamped to 1…1,000; nil for NaN.
    public static func checked(_ size: Double) -> Double? { size.isNaN ? nil : size.checked(in: 1...1000) }
    /// Sets the font's size.
    public static func apply(_ size: Double, to style: inout TextStyle) { style.font.size = size }
}

/// Font weight of styled text on fontconfig's scale, 0…1,000; see ``FontDescriptor/weight``.
public enum FontWeightAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A weight on fontconfig's scale.
    public typealias Value = Double
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.font-weight"

    /// Returns the weight clamped to 0…1,000; nil for NaN.
    public static func checked(_ weight: Double) -> Double? { weight.isNaN ? nil : weight.checked(in: 0...1000) }
    /// Sets the font's weight.
    public static func apply(_ weight: Double, to style: inout TextStyle) { style.font.weight = weight }
}

/// Slant of styled text.
public enum FontSlantAttribute: StyleAttributeKey, CodedAttributeKey {
    /// The slant of a font.
    public typealias Value = FontDescriptor.Slant
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.font-slant"

    /// Encodes a slant as fontconfig's number.
    public static func encode(_ slant: Value) -> [UInt8] { Array(slant.rawValue.description.utf8) }
    /// Decodes a slant from fontconfig's number; nil for an unknown number.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        Int32(String(decoding: bytes, as: UTF8.self)).flatMap { Value(rawValue: $0) }
    }

    /// Sets the font's slant.
    public static func apply(_ slant: Value, to style: inout TextStyle) { style.font.slant = slant }
}

/// OpenType features of styled text by tag (`"smcp"`), in addition to the features of the layout's font; at most
/// 32.
public enum FontFeaturesAttribute: StyleAttributeKey, CodedAttributeKey {
    /// Feature settings by tag.
    public typealias Value = [String: UInt32]
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.font-features"

    /// Returns the features with valid tags (four printable ASCII characters), at most 32; nil if there are none.
    public static func checked(_ features: Value) -> Value? {
        let valid = features.filter { isTag($0.key.utf8) }.sorted { $0.key < $1.key }.prefix(32)
        return valid.isEmpty ? nil : Dictionary(uniqueKeysWithValues: valid.map { ($0.key, $0.value) })
    }

    /// Encodes one line for each feature: its setting and its tag.
    public static func encode(_ features: Value) -> [UInt8] {
        var fields = NamedFields()
        fields.add(features: features)
        return fields.bytes
    }

    /// Decodes features from the bytes of ``encode(_:)``; nil for malformed bytes.
    public static func decode(_ bytes: [UInt8]) -> Value? { NamedFields(bytes)?.features }

    /// Adds the features to the font's features.
    public static func apply(_ features: Value, to style: inout TextStyle) {
        style.font.features.merge(features) { $1 }
    }

    private static func isTag(_ tag: String.UTF8View) -> Bool {
        tag.count == 4 && tag.allSatisfy { (0x20..<0x7f).contains($0) }
    }
}

/// Language of styled text as a BCP 47 tag. For characters with several regional designs, the language selects one.
public enum LanguageAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A BCP 47 language tag.
    public typealias Value = String
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.language"

    /// Returns the tag if it consists of 1…35 ASCII letters, digits, hyphens and underscores; otherwise nil.
    public static func checked(_ tag: String) -> String? {
        (1...35).contains(tag.utf8.count) && tag.utf8.allSatisfy(isTagCharacter) ? tag : nil
    }

    /// Sets the font's language.
    public static func apply(_ tag: String, to style: inout TextStyle) { style.font.language = tag }

    private static func isTagCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || byte == 0x2d || byte == 0x5f
    }
}

/// Space added after each grapheme cluster of styled text, instead of the layout font's letter spacing; -100…100
/// pixels at scale 1. Text with a space other than 0 has no optional ligatures.
public enum TrackingAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels at scale 1.
    public typealias Value = Double
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.tracking"

    /// Returns the distance clamped to ±100; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -100...100)
    }

    /// Sets the font's letter spacing.
    public static func apply(_ distance: Double, to style: inout TextStyle) { style.font.letterSpacing = distance }
}

/// Space added after each grapheme cluster of styled text in addition to ``TrackingAttribute``; -100…100 pixels at
/// scale 1.
///
/// On a single letter the attribute sets the distance to the next letter. Text with a space other than 0 has no
/// optional ligatures. The value 0 turns off the font's kerning of pairs.
public enum KernAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels at scale 1.
    public typealias Value = Double
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.kern"
    /// The attribute is applied after features and tracking, because its effect depends on them.
    public static let order = 1

    /// Returns the distance clamped to ±100; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -100...100)
    }

    /// Adds the distance to the font's letter spacing; 0 turns off kerning unless a feature setting states
    /// otherwise.
    public static func apply(_ distance: Double, to style: inout TextStyle) {
        style.font.letterSpacing += distance
        if distance == 0, style.font.features["kern"] == nil { style.font.features["kern"] = 0 }
    }
}

/// Distance of the baseline of styled text above the line's baseline, -1,000…1,000 pixels at scale 1. The line
/// grows to fit the text, unless its height is exact.
public enum BaselineOffsetAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels at scale 1, negative below the line's baseline.
    public typealias Value = Double
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.baseline-offset"

    /// Returns the distance clamped to ±1,000; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -1000...1000)
    }

    /// Sets the style's baseline offset.
    public static func apply(_ distance: Double, to style: inout TextStyle) { style.baselineOffset = distance }
}

/// Level of superscripts (above 0) and subscripts (below 0), -3…3.
///
/// At each level the font has two thirds of the previous level's size. A superscript is raised by a third of the
/// previous level's size, and a subscript lowered by an eighth of it, in addition to ``BaselineOffsetAttribute``.
public enum SuperscriptAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A level; negative for subscripts.
    public typealias Value = Int
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.superscript"
    /// The attribute is applied after sizes and offsets, because it changes them.
    public static let order = 1

    /// Returns the level clamped to ±3; nil for 0, which means normal text.
    public static func checked(_ level: Int) -> Int? { level == 0 ? nil : min(max(-3, level), 3) }

    /// Reduces the font size and moves the baseline, once for each level.
    public static func apply(_ level: Int, to style: inout TextStyle) {
        for _ in 0..<abs(level) {
            style.baselineOffset += style.font.size * (level > 0 ? 1.0 / 3 : -1.0 / 8)
            style.font.size *= 2.0 / 3
        }
    }
}

/// The keys that together describe a font.
enum FontTraits {
    static let keys: [any StyleAttributeKey.Type] = [
        FontFamilyAttribute.self, FontSizeAttribute.self, FontWeightAttribute.self, FontSlantAttribute.self,
        FontFeaturesAttribute.self, LanguageAttribute.self, TrackingAttribute.self,
    ]

    /// Name of the former key whose values were whole fonts, still read from old data.
    static let formerName = "inkstone.font"

    /// The weight of text that is not bold.
    private static let regularWeight = 80.0

    /// Returns the font attributes for a value of the former key; nil for malformed bytes.
    ///
    /// A font of the former key replaced the layout's font completely. If it states no weight, slant or spacing,
    /// the result therefore has regular weight, upright slant and no spacing, whatever those of the layout's font
    /// are.
    static func attributes(ofFormer bytes: [UInt8]) -> TextAttributes? {
        guard let fields = NamedFields(bytes), let family = fields["family"], let size = fields.number("size") else {
            return nil
        }
        var result = TextAttributes()
        result[FontFamilyAttribute.self] = family
        result[FontSizeAttribute.self] = size
        result[FontWeightAttribute.self] = fields.number("weight") ?? regularWeight
        result[FontSlantAttribute.self] =
            fields["slant"].flatMap { FontSlantAttribute.decode(Array($0.utf8)) } ?? .roman
        result[LanguageAttribute.self] = fields["language"]
        result[FontFeaturesAttribute.self] = fields.features
        result[TrackingAttribute.self] = fields.number("spacing") ?? 0
        return result
    }
}

extension TextAttributes {
    /// Creates one attribute for each property that a font descriptor sets; lengths are pixels at scale 1. Of a
    /// fontconfig pattern, only the first family is kept.
    public init(_ font: FontDescriptor) {
        self.init()
        self[FontFamilyAttribute.self] = font.familyName
        self[FontSizeAttribute.self] = font.size
        self[FontWeightAttribute.self] = font.weight
        self[FontSlantAttribute.self] = font.slant
        self[LanguageAttribute.self] = font.language
        self[FontFeaturesAttribute.self] = font.features
        if font.letterSpacing != 0 { self[TrackingAttribute.self] = font.letterSpacing }
    }
}

extension Restyling {
    /// Replaces the font attributes of a range by those of `font`, or removes them if `font` is nil. Lengths are
    /// pixels at scale 1.
    public mutating func setFont(_ font: FontDescriptor?, in range: Range<UTF16Offset>) {
        remove(FontTraits.keys, in: range)
        if let font { merge(TextAttributes(font), in: range) }
    }
}

extension FontDescriptor {
    /// The name of the family; for a fontconfig pattern, of its first family.
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

    /// Returns the font with its size and letter spacing multiplied by a factor.
    package func scaled(by scale: Double) -> FontDescriptor {
        var result = self
        result.size *= scale
        result.letterSpacing *= scale
        return result
    }

    /// The font with size and letter spacing rounded to whole pixels, at which glyphs are sharpest.
    package var inWholePixels: FontDescriptor {
        var result = self
        result.size = max(1, size.rounded())
        result.letterSpacing = letterSpacing.rounded()
        return result
    }
}
