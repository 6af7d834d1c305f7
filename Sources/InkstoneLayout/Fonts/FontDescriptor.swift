import CShaping
import InkstoneBase

/// A request for a font, before fontconfig has chosen a file for it.
public struct FontDescriptor: Hashable, Sendable {
    /// The slant of a font.
    public enum Slant: Int32, Sendable {
        /// Upright.
        case roman = 0
        /// A cursive design.
        case italic = 100
        /// The upright design, slanted.
        case oblique = 110
    }

    /// The name of a family such as `DejaVu Sans`, or a fontconfig pattern if ``isPattern`` is true.
    public var family: String
    /// Whether ``family`` is a fontconfig pattern (`Noto Sans:width=75`) instead of a name. Families in pasted or
    /// loaded text are always names.
    public private(set) var isPattern: Bool
    /// Size of the em square in device pixels, with the display's scale applied. Clamped to 1…4,000.
    public var size: Double { didSet { size = Self.clamped(size) } }
    /// Weight on fontconfig's scale (80 is regular, 200 bold); nil to use the pattern's weight, or fontconfig's
    /// default for a family without a pattern. Clamped to 0…1,000; NaN becomes nil.
    public var weight: Double? { didSet { weight = Self.checked(weight: weight) } }
    /// Slant; nil to use the pattern's slant.
    public var slant: Slant?
    /// Language of the text as a BCP 47 tag; nil for the environment's language. The language decides between
    /// designs of Han characters.
    public var language: String?
    /// OpenType features by tag (`"smcp"`), in addition to those that are on by default.
    public var features: [String: UInt32]
    /// Extra space after each grapheme cluster, in device pixels; clamped to ±1,000. Layout rounds it to a whole
    /// number. Letters with extra space form no ligatures unless ``features`` enables these (`liga`, `clig`).
    public var letterSpacing: Double { didSet { letterSpacing = Self.checked(spacing: letterSpacing) } }

    /// Creates a descriptor from a family's name and a size in device pixels. The name is literal: `:`, `,` and `-`
    /// have no special meaning.
    public init(
        family: String, size: Double, weight: Double? = nil, slant: Slant? = nil, language: String? = nil,
        features: [String: UInt32] = [:], letterSpacing: Double = 0
    ) {
        self.family = family
        isPattern = false
        self.size = Self.clamped(size)
        self.weight = Self.checked(weight: weight)
        self.slant = slant
        self.language = language
        self.features = features
        self.letterSpacing = Self.checked(spacing: letterSpacing)
    }

    /// Extra space after each grapheme cluster, 26.6 pixels.
    var spacing: Int32 { letterSpacing == 0 ? 0 : min(max(-1000, Int32(pixels: letterSpacing)), 1000) * 64 }

    /// The font used to shape letters before letter spacing is added.
    var withoutSpacing: FontDescriptor {
        var result = self
        result.letterSpacing = 0
        guard spacing != 0 else { return result }
        // Letter spacing turns off optional ligatures unless requested. Ligatures that a script requires have other
        // features (CSS Text 3, §8.2).
        for tag in ["liga", "clig"] where features[tag] == nil { result.features[tag] = 0 }
        return result
    }

    /// Sets the family by its literal name, in which `:`, `,` and `-` have no special meaning.
    public mutating func setFamily(_ name: String) { (family, isPattern) = (name, false) }

    /// Creates a descriptor from a fontconfig pattern such as `DejaVu Sans,Noto Sans:width=75` and a size in device
    /// pixels; nil if fontconfig cannot parse the pattern.
    public init?(pattern: String, size: Double) {
        guard !pattern.utf8.contains(0), cshaping_pattern_is_valid(pattern) else { return nil }
        family = pattern
        isPattern = true
        self.size = Self.clamped(size)
        (features, letterSpacing) = ([:], 0)
    }

    /// The weight of bold text on fontconfig's scale.
    public static let boldWeight = 200.0

    /// Returns whether a weight counts as bold: semibold (180) and above.
    public static func isBold(_ weight: Double?) -> Bool { (weight ?? 0) >= 180 }

    private static func checked(weight: Double?) -> Double? {
        weight.flatMap { $0.isNaN ? nil : $0.checked(in: 0...1000) }
    }

    private static func checked(spacing: Double) -> Double { spacing.checked(in: -1000...1000) }

    private static func clamped(_ size: Double) -> Double { size.checked(in: 1...4000, else: 1) }
}

/// Settings for rendering glyphs, used where neither the font request nor fontconfig's configuration sets them. The
/// defaults are Xft's.
///
/// InkstoneX11 reads the settings from the X server's resources and from XSETTINGS (`Xft.antialias`,
/// `Xft.hintstyle`, …).
public struct FontSettings: Hashable, Sendable {
    /// Settings by fontconfig's object name (`antialias`, `hinting`, `hintstyle`, `autohint`, `rgba`, `lcdfilter`,
    /// `dpi`, `minspace`, `embolden`), as `FcNameParse` reads them: only words and numbers that are valid for the
    /// object.
    package let values: [String: String]

    /// Xft's own defaults (`XftDefaultSubstitute`).
    private static let builtIn = [
        "antialias": "true", "embolden": "false", "hinting": "true", "hintstyle": "hintfull", "autohint": "false",
        "lcdfilter": "lcddefault", "minspace": "false",
    ]

    /// For each of fontconfig's objects (settings) whose values are words, the valid words in lower case.
    private static let words: [String: Set<String>] = {
        let flag: Set = ["true", "false", "yes", "no", "on", "off", "1", "0"]
        return [
            "antialias": flag, "embolden": flag, "hinting": flag, "autohint": flag, "minspace": flag,
            "hintstyle": ["hintnone", "hintslight", "hintmedium", "hintfull", "0", "1", "2", "3"],
            "rgba": ["unknown", "rgb", "bgr", "vrgb", "vbgr", "none", "0", "1", "2", "3", "4", "5"],
            "lcdfilter": ["lcdnone", "lcddefault", "lcdlight", "lcdlegacy", "0", "1", "2", "3"],
        ]
    }()

    /// Creates settings by fontconfig's object names; with an empty dictionary, Xft's defaults. Invalid values, and
    /// values of objects that are not rendering settings, are left out: the values become part of a pattern, in
    /// which any other text could name a font or a file.
    public init(_ values: [String: String] = [:]) {
        self.values = values.reduce(into: [:]) { checked, setting in
            let value = setting.value.lowercased().filter { $0 != " " }
            if Self.words[setting.key]?.contains(value) == true {
                checked[setting.key] = value
            } else if setting.key == "dpi", value.allSatisfy({ "0"..."9" ~= $0 || $0 == "." }),
                let dpi = Double(value), (1...10_000).contains(dpi)
            {
                checked["dpi"] = value
            }
        }
    }

    /// The settings, completed by Xft's defaults, as a fontconfig pattern without a family.
    var pattern: String {
        values.merging(Self.builtIn) { set, _ in set }.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }
            .joined()
    }
}
