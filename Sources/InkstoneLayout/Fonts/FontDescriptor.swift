/// Which font text is set in, before fontconfig has chosen a file for it.
public struct FontDescriptor: Hashable, Sendable {
    /// How a font leans.
    public enum Slant: Int32, Sendable {
        /// Upright.
        case roman = 0
        /// A cursive design.
        case italic = 100
        /// The upright design, leaning.
        case oblique = 110
    }

    /// A family such as `DejaVu Sans`, or any fontconfig pattern (`Noto Sans:width=75`).
    public var family: String
    /// Size of the em square in device pixels; the scale is already in it. Clamped to 1…4,000.
    public var size: Double { didSet { size = Self.clamped(size) } }
    /// Weight as fontconfig counts it (80 regular, 200 bold); nil leaves it to the pattern.
    public var weight: Double?
    /// Slant; nil leaves it to the pattern.
    public var slant: Slant?
    /// Language of the text as a BCP 47 tag; nil for the environment's. It decides between Han designs.
    public var language: String?
    /// OpenType features by tag (`"smcp"`), beside those that are on by default.
    public var features: [String: UInt32]
    /// Extra space after each grapheme cluster, in device pixels; rounded to whole ones and clamped to ±1,000. Letters that are
    /// spaced form no ligatures unless ``features`` says so (`liga`, `clig`).
    public var letterSpacing: Double

    /// A font by family, or by pattern, and size in device pixels.
    public init(
        family: String, size: Double, weight: Double? = nil, slant: Slant? = nil, language: String? = nil,
        features: [String: UInt32] = [:], letterSpacing: Double = 0
    ) {
        self.family = family
        self.size = Self.clamped(size)
        self.weight = weight
        self.slant = slant
        self.language = language
        self.features = features
        self.letterSpacing = letterSpacing
    }

    private static func clamped(_ size: Double) -> Double { size.isNaN ? 1 : min(max(1, size), 4000) }
}

/// How glyphs are rendered where neither a request nor fontconfig's configuration says: Xft's defaults.
///
/// The X11 half reads them from the X server's resources and settings (`Xft.antialias`, `Xft.hintstyle`, …).
public struct FontSettings: Hashable, Sendable {
    /// Values by fontconfig object name (`antialias`, `hinting`, `hintstyle`, `autohint`, `rgba`, `lcdfilter`, `dpi`,
    /// `minspace`, `embolden`), spelled as `FcNameParse` reads them.
    public var values: [String: String]

    /// What Xft takes where nobody says anything else (`XftDefaultSubstitute`).
    private static let builtIn = [
        "antialias": "true", "embolden": "false", "hinting": "true", "hintstyle": "hintfull", "autohint": "false",
        "lcdfilter": "lcddefault", "minspace": "false",
    ]

    /// Settings by fontconfig object name; none means Xft's built-in ones.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// The settings, and Xft's for what they leave open, as a fontconfig pattern without family.
    var pattern: String {
        values.merging(Self.builtIn) { set, _ in set }.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }
            .joined()
    }
}
