import InkstoneBase
import InkstoneText

/// Name of the font family of styled text. At most 128 scalars, without control characters; a name, not a fontconfig pattern.
public enum FontFamilyAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A family's name.
    public typealias Value = String
    /// The name of the key.
    public static let name = "inkstone.font-family"

    /// Returns the name without control characters; nil for an empty one.
    public static func checked(_ family: String) -> String? {
        let name = NamedFields.checked(family, atMost: 128)
        return name.isEmpty ? nil : name
    }

    /// Sets the family.
    public static func apply(_ family: String, to style: inout TextStyle) { style.font.setFamily(family) }
}

/// Size of the em square of styled text, 1…1,000 pixels at scale 1.
public enum FontSizeAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A size in pixels.
    public typealias Value = Double
    /// The name of the key.
    public static let name = "inkstone.font-size"

    /// Returns the size clamped to its range; nil for NaN.
    public static func checked(_ size: Double) -> Double? { size.isNaN ? nil : size.checked(in: 1...1000) }
    /// Sets the size.
    public static func apply(_ size: Double, to style: inout TextStyle) { style.font.size = size }
}

/// Weight of styled text as fontconfig counts it, 0…1,000: ``FontDescriptor/weight``.
public enum FontWeightAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A weight.
    public typealias Value = Double
    /// The name of the key.
    public static let name = "inkstone.font-weight"

    /// Returns the weight clamped to its range; nil for NaN.
    public static func checked(_ weight: Double) -> Double? { weight.isNaN ? nil : weight.checked(in: 0...1000) }
    /// Sets the weight.
    public static func apply(_ weight: Double, to style: inout TextStyle) { style.font.weight = weight }
}

/// Slant of styled text.
public enum FontSlantAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A slant.
    public typealias Value = FontDescriptor.Slant
    /// The name of the key.
    public static let name = "inkstone.font-slant"

    /// Encodes fontconfig's number of the slant.
    public static func encode(_ slant: Value) -> [UInt8] { Array(slant.rawValue.description.utf8) }
    /// Decodes the slant of a number.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        Int32(String(decoding: bytes, as: UTF8.self)).flatMap { Value(rawValue: $0) }
    }

    /// Sets the slant.
    public static func apply(_ slant: Value, to style: inout TextStyle) { style.font.slant = slant }
}

/// OpenType features of styled text by tag (`"smcp"`), beside those of the layout's font; at most 32.
public enum FontFeaturesAttribute: StyleAttributeKey, CodedAttributeKey {
    /// Settings by tag.
    public typealias Value = [String: UInt32]
    /// The name of the key.
    public static let name = "inkstone.font-features"

    /// Returns the features whose tags are four printable ASCII characters.
    public static func checked(_ features: Value) -> Value? {
        let valid = features.filter { isTag($0.key.utf8) }.sorted { $0.key < $1.key }.prefix(32)
        return valid.isEmpty ? nil : Dictionary(uniqueKeysWithValues: valid.map { ($0.key, $0.value) })
    }

    /// Encodes a line for each feature: its setting and its tag.
    public static func encode(_ features: Value) -> [UInt8] {
        var fields = NamedFields()
        fields.add(features: features)
        return fields.bytes
    }

    /// Decodes lines of ``encode(_:)``.
    public static func decode(_ bytes: [UInt8]) -> Value? { NamedFields(bytes)?.features }

    /// Adds the features.
    public static func apply(_ features: Value, to style: inout TextStyle) {
        style.font.features.merge(features) { $1 }
    }

    private static func isTag(_ tag: String.UTF8View) -> Bool {
        tag.count == 4 && tag.allSatisfy { (0x20..<0x7f).contains($0) }
    }
}

/// Language of styled text as a BCP 47 tag. The language decides between designs of one character.
public enum LanguageAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A language tag.
    public typealias Value = String
    /// The name of the key.
    public static let name = "inkstone.language"

    /// Returns the tag if it consists of 1…35 ASCII letters, digits and hyphens; otherwise nil.
    public static func checked(_ tag: String) -> String? {
        (1...35).contains(tag.utf8.count) && tag.utf8.allSatisfy(isTagCharacter) ? tag : nil
    }

    /// Sets the language.
    public static func apply(_ tag: String, to style: inout TextStyle) { style.font.language = tag }

    private static func isTagCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || byte == 0x2d || byte == 0x5f
    }
}

/// Space added after each grapheme cluster of styled text instead of the space of the layout's font, -100…100 pixels at scale 1.
/// Text with this attribute forms no optional ligatures.
public enum TrackingAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels.
    public typealias Value = Double
    /// The name of the key.
    public static let name = "inkstone.tracking"

    /// Returns the distance clamped to its range; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -100...100)
    }

    /// Sets the font's distance.
    public static func apply(_ distance: Double, to style: inout TextStyle) { style.font.letterSpacing = distance }
}

/// Space added after each grapheme cluster of styled text beside its ``TrackingAttribute``, -100…100 pixels at scale 1.
///
/// On one letter the attribute sets the distance to the next letter. Text with it forms no optional ligatures; 0 turns off the font's
/// own kerning of pairs.
public enum KernAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels.
    public typealias Value = Double
    /// The name of the key.
    public static let name = "inkstone.kern"
    /// After the keys that set features and tracking.
    public static let order = 1

    /// Returns the distance clamped to its range; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -100...100)
    }

    /// Adds the distance to the font's.
    public static func apply(_ distance: Double, to style: inout TextStyle) {
        style.font.letterSpacing += distance
        if distance == 0, style.font.features["kern"] == nil { style.font.features["kern"] = 0 }
    }
}

/// Distance of the baseline of styled text above the line's baseline, -1,000…1,000 pixels at scale 1. The line grows to fit the text unless
/// the line's height is exact.
public enum BaselineOffsetAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A distance in pixels, negative below the line's baseline.
    public typealias Value = Double
    /// The name of the key.
    public static let name = "inkstone.baseline-offset"

    /// Returns the distance clamped to its range; nil for NaN.
    public static func checked(_ distance: Double) -> Double? {
        distance.isNaN ? nil : distance.checked(in: -1000...1000)
    }

    /// Sets the distance.
    public static func apply(_ distance: Double, to style: inout TextStyle) { style.baselineOffset = distance }
}

/// Level of superscripts (above 0) and subscripts (below 0), -3…3.
///
/// Each level has two thirds of the size of the level before. A superscript is raised by a third of that size and a subscript lowered by an
/// eighth, in addition to ``BaselineOffsetAttribute``.
public enum SuperscriptAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A level.
    public typealias Value = Int
    /// The name of the key.
    public static let name = "inkstone.superscript"
    /// After the keys that set sizes and offsets.
    public static let order = 1

    /// Returns the level clamped to its range; nil for 0, which is no superscript.
    public static func checked(_ level: Int) -> Int? { level == 0 ? nil : min(max(-3, level), 3) }

    /// Makes the text smaller and moves its baseline.
    public static func apply(_ level: Int, to style: inout TextStyle) {
        for _ in 0..<abs(level) {
            style.baselineOffset += style.font.size * (level > 0 ? 1.0 / 3 : -1.0 / 8)
            style.font.size *= 2.0 / 3
        }
    }
}

/// The font traits as separate attributes.
enum FontTraits {
    static let keys: [any StyleAttributeKey.Type] = [
        FontFamilyAttribute.self, FontSizeAttribute.self, FontWeightAttribute.self, FontSlantAttribute.self,
        FontFeaturesAttribute.self, LanguageAttribute.self, TrackingAttribute.self,
    ]

    /// Name of the former key, whose values were whole fonts.
    static let formerName = "inkstone.font"

    /// The weight of text that is not bold.
    private static let regularWeight = 80.0

    /// Returns the traits of a coded value of the former key; nil for malformed bytes.
    ///
    /// Such a font replaced the layout's font completely: a weight, slant or spacing that the value leaves out is the plain one, not the
    /// layout's.
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
    /// Creates one attribute for each trait that a font sets; lengths are pixels at scale 1. Of a pattern only the first family is kept.
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
    /// Replaces the font traits of a range by those of `font`; nil removes them. Lengths are pixels at scale 1.
    public mutating func setFont(_ font: FontDescriptor?, in range: Range<UTF16Offset>) {
        remove(FontTraits.keys, in: range)
        if let font { merge(TextAttributes(font), in: range) }
    }
}

extension FontDescriptor {
    /// The family's name; of a pattern, the name of the first family.
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

    /// Returns the font with all sizes multiplied by a factor.
    package func scaled(by scale: Double) -> FontDescriptor {
        var result = self
        result.size *= scale
        result.letterSpacing *= scale
        return result
    }

    /// The font with its sizes rounded to whole pixels, at which glyphs are sharpest.
    package var inWholePixels: FontDescriptor {
        var result = self
        result.size = max(1, size.rounded())
        result.letterSpacing = letterSpacing.rounded()
        return result
    }
}
