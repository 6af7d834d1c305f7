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

    /// The name of a family such as `DejaVu Sans`; a fontconfig pattern if ``isPattern``.
    public var family: String
    /// Whether ``family`` is a fontconfig pattern (`Noto Sans:width=75`) and not a name. Families of text from outside are always names.
    public private(set) var isPattern: Bool
    /// Size of the em square in device pixels, already scaled. Clamped to 1…4,000.
    public var size: Double { didSet { size = Self.clamped(size) } }
    /// Weight on fontconfig's scale (80 regular, 200 bold); nil uses the pattern's. Clamped to 0…1,000.
    public var weight: Double? { didSet { weight = Self.checked(weight: weight) } }
    /// Slant; nil uses the pattern's.
    public var slant: Slant?
    /// Language of the text as a BCP 47 tag; nil for the environment's. The language decides between Han designs.
    public var language: String?
    /// OpenType features by tag (`"smcp"`), in addition to those that are on by default.
    public var features: [String: UInt32]
    /// Extra space after each grapheme cluster, in device pixels; rounded to whole ones and clamped to ±1,000. Spaced letters
    /// form no ligatures unless ``features`` enables them (`liga`, `clig`).
    public var letterSpacing: Double { didSet { letterSpacing = Self.checked(spacing: letterSpacing) } }

    /// Creates a font by its family's name and size in device pixels. The name is literal: `:`, `,` and `-` have no special meaning.
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

    /// The font in which spaced letters are shaped before spacing is added.
    var withoutSpacing: FontDescriptor {
        var result = self
        result.letterSpacing = 0
        guard spacing != 0 else { return result }
        // Spaced letters form no ligatures unless requested; ligatures that a script requires are other
        // features (CSS Text 3, §8.2).
        for tag in ["liga", "clig"] where features[tag] == nil { result.features[tag] = 0 }
        return result
    }

    /// Sets the family by its literal name, in which `:`, `,` and `-` have no special meaning.
    public mutating func setFamily(_ name: String) { (family, isPattern) = (name, false) }

    /// Creates a font by a fontconfig pattern such as `DejaVu Sans,Noto Sans:width=75`, and size in device pixels; nil if fontconfig cannot
    /// parse the pattern.
    public init?(pattern: String, size: Double) {
        guard !pattern.utf8.contains(0), cshaping_pattern_is_valid(pattern) else { return nil }
        family = pattern
        isPattern = true
        self.size = Self.clamped(size)
        (features, letterSpacing) = ([:], 0)
    }

    /// The weight of bold text.
    public static let boldWeight = 200.0

    /// Returns whether a weight counts as bold: from semibold on.
    public static func isBold(_ weight: Double?) -> Bool { (weight ?? 0) >= 180 }

    private static func checked(weight: Double?) -> Double? {
        weight.flatMap { $0.isNaN ? nil : $0.checked(in: 0...1000) }
    }

    private static func checked(spacing: Double) -> Double { spacing.checked(in: -1000...1000) }

    private static func clamped(_ size: Double) -> Double { size.checked(in: 1...4000, else: 1) }
}

/// Rendering settings of glyphs where neither a request nor fontconfig's configuration sets them; Xft's defaults.
///
/// The X11 half reads them from the X server's resources and settings (`Xft.antialias`, `Xft.hintstyle`, …).
public struct FontSettings: Hashable, Sendable {
    /// Values by fontconfig object name (`antialias`, `hinting`, `hintstyle`, `autohint`, `rgba`, `lcdfilter`, `dpi`,
    /// `minspace`, `embolden`), spelled for `FcNameParse`: only words and numbers that are valid for the object.
    package let values: [String: String]

    /// Xft's own defaults (`XftDefaultSubstitute`).
    private static let builtIn = [
        "antialias": "true", "embolden": "false", "hinting": "true", "hintstyle": "hintfull", "autohint": "false",
        "lcdfilter": "lcddefault", "minspace": "false",
    ]

    /// The valid words of each object that takes words, in lower case.
    private static let words: [String: Set<String>] = {
        let flag: Set = ["true", "false", "yes", "no", "on", "off", "1", "0"]
        return [
            "antialias": flag, "embolden": flag, "hinting": flag, "autohint": flag, "minspace": flag,
            "hintstyle": ["hintnone", "hintslight", "hintmedium", "hintfull", "0", "1", "2", "3"],
            "rgba": ["unknown", "rgb", "bgr", "vrgb", "vbgr", "none", "0", "1", "2", "3", "4", "5"],
            "lcdfilter": ["lcdnone", "lcddefault", "lcdlight", "lcdlegacy", "0", "1", "2", "3"],
        ]
    }()

    /// Creates settings by fontconfig object name; an empty dictionary means Xft's built-in ones. Values come from outside and end up in a
    /// pattern, where a text could name a font or a file. Invalid values and other objects are therefore left out.
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

    /// The settings, completed by Xft's defaults, as a fontconfig pattern without family.
    var pattern: String {
        values.merging(Self.builtIn) { set, _ in set }.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }
            .joined()
    }
}
