import Inkstone

/// A key of the on-screen keyboard: its action, its label or text, and its width.
struct Key: Hashable {
    enum Action: Hashable {
        /// Types the text of the key.
        case text
        /// Adds an accent to the letter that is typed next.
        case accent
        case deleteBackward, deleteForward, left, right
        case shift, page, layout, close
        /// Shows the page of keys that type no text, such as F1.
        case keys
        /// Sends the key event of a keysym that types no text.
        case strike(Keysym)
        /// Applies a modifier to the next key.
        case modifier(Modifier)
    }

    /// A modifier that applies to the next key.
    enum Modifier: Hashable {
        case control, alt, shift

        var keysym: Keysym {
            switch self {
            case .control: Keysym(rawValue: 0xffe3)
            case .alt: Keysym(rawValue: 0xffe9)
            case .shift: Keysym(rawValue: 0xffe1)
            }
        }
    }

    var action: Action
    /// The text that the key types without Shift, or the label of a key that types no text.
    var plain: String
    /// The text that the key types with Shift.
    var shifted: String
    /// The width of the key, relative to that of a letter.
    var width = 1.0

    static func text(_ plain: String, _ shifted: String? = nil, width: Double = 1) -> Key {
        Key(action: .text, plain: plain, shifted: shifted ?? plain, width: width)
    }

    static func function(_ action: Action, _ label: String, width: Double = 1.5) -> Key {
        Key(action: action, plain: label, shifted: label, width: width)
    }

    /// Whether the key's action is repeated while the key is held.
    var repeats: Bool {
        if case .strike(let keysym) = action { return Self.moves.contains(keysym.rawValue) }
        return [.deleteBackward, .deleteForward, .left, .right].contains(action) || plain == " "
    }

    /// The keysyms of Home, the arrows, Page Up, Page Down and End.
    private static let moves: ClosedRange<UInt32> = 0xff50...0xff57
}

/// The keys for a language, in rows from the top. Each row is as wide as the window.
struct KeyLayout: Hashable {
    /// The name of the layout, for the option `--layouts` and for the label of the layout key.
    var name: String
    /// The tag of the language that the layout is for.
    var language: String
    /// Whether the letters have upper case.
    var hasCase: Bool
    var rows: [[Key]]

    /// Creates a layout from the texts of its four upper rows. Each row is a string in which blanks separate the
    /// keys. A key with `´` adds an accent to the next letter.
    init(_ name: String, _ language: String, hasCase: Bool = true, plain: [String], shifted: [String]) {
        (self.name, self.language, self.hasCase) = (name, language, hasCase)
        rows = zip(plain, shifted).map { plain, shifted in
            // Split at scalars: a blank and a combining mark after it are one `Character`.
            zip(plain.unicodeScalars.split(separator: " "), shifted.unicodeScalars.split(separator: " ")).map {
                Key(action: $0.elementsEqual(["´"]) ? .accent : .text, plain: String($0), shifted: String($1))
            }
        }
        rows[0].append(.function(.deleteBackward, "⌫"))
        rows[1].append(.function(.deleteForward, "⌦"))
        rows[2].append(.text("\n", width: 1.5))
        rows[3].insert(.function(.shift, "⇧"), at: 0)
        rows.append([
            .function(.page, "?123"), .function(.layout, name, width: 1), .function(.keys, "Ctrl", width: 1),
            .text(" ", width: 5),
            .function(.left, "←", width: 1), .function(.right, "→", width: 1), .function(.close, "✕", width: 1),
        ])
    }

    private var texts: [Key] { rows.joined().filter { $0.action == .text } }
    /// The characters that the layout types without Shift. If it has an accent key, the accented characters are
    /// included.
    var letters: [String] {
        let plain = texts.map(\.plain)
        guard rows.joined().contains(where: { $0.action == .accent }) else { return plain }
        return plain + plain.map(Accents.sharpen).filter { $0.count == 1 }
    }
    /// The texts that the layout types with Shift.
    var capitals: [String] { texts.map(\.shifted) }

    /// All layouts of the keyboard.
    static let all = [american, german, greek, arabic]

    private static let digits = "1 2 3 4 5 6 7 8 9 0"

    static let american = KeyLayout(
        "us", "en",
        plain: [digits, "q w e r t y u i o p", "a s d f g h j k l '", "z x c v b n m , . ?"],
        shifted: ["! @ # $ % ^ & * ( )", "Q W E R T Y U I O P", "A S D F G H J K L \"", "Z X C V B N M ; : !"])

    static let german = KeyLayout(
        "de", "de",
        plain: [digits + " ß", "q w e r t z u i o p ü", "a s d f g h j k l ö ä", "y x c v b n m , . - ?"],
        shifted: ["! \" § $ % & / ( ) = ẞ", "Q W E R T Z U I O P Ü", "A S D F G H J K L Ö Ä", "Y X C V B N M ; : _ !"])

    static let greek = KeyLayout(
        "gr", "el",
        plain: [digits, "· ς ε ρ τ υ θ ι ο π", "α σ δ φ γ η ξ κ λ ´", "ζ χ ψ ω β ν μ , . ;"],
        shifted: ["! @ # € % & * ( ) -", ": Σ Ε Ρ Τ Υ Θ Ι Ο Π", "Α Σ Δ Φ Γ Η Ξ Κ Λ ´", "Ζ Χ Ψ Ω Β Ν Μ « » !"])

    static let arabic = KeyLayout(
        "ar", "ar", hasCase: false,
        plain: [
            "١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩ ٠", "ض ص ث ق ف غ ع ه خ ح ج د", "ش س ي ب ل ا ت ن م ك ط ذ", "ئ ء ؤ ر لا ى ة و ز ظ ، .",
        ],
        shifted: [digits, "َ ً ُ ٌ لإ إ ‘ ÷ × ؛ < >", "ِ ٍ ] [ لأ أ ـ ، / : \" ّ", "~ ْ } { لآ آ ’ , . ؟ - !"])

    /// The page with punctuation and symbols. Its page key returns to the letters.
    static let signs: KeyLayout = {
        var signs = KeyLayout(
            "", "", hasCase: false,
            plain: [digits, "@ # € $ % & * ( ) _", "+ - = / \\ : ; \" ' !", "[ ] { } < > | ~ ^ ?"],
            shifted: ["½ ¼ ¾ ¹ ² ³ ° ± × ÷", "£ ¥ ¢ § ¶ © ® ™ † ‡", "– — … • · „ “ ” ‘ ’", "« » ‹ › ≤ ≥ ≠ ≈ ← →"])
        signs.rows[4].remove(at: 1)
        signs.rows[4][0].plain = "abc"
        return signs
    }()

    /// The page with keys that type no text, such as F1. It is meant for programs that are operated by keys.
    static let keys: KeyLayout = {
        func key(_ label: String, _ keysym: UInt32, width: Double = 1) -> Key {
            .function(.strike(Keysym(rawValue: keysym)), label, width: width)
        }
        var keys = signs
        keys.rows = [
            (0..<12).map { key("F\($0 + 1)", 0xffbe + UInt32($0)) },
            [
                key("Esc", 0xff1b, width: 1.5), key("Home", 0xff50), key("↑", 0xff52), key("End", 0xff57),
                key("PgUp", 0xff55), .function(.deleteBackward, "⌫"),
            ],
            [
                key("Tab", 0xff09, width: 1.5), key("←", 0xff51), key("↓", 0xff54), key("→", 0xff53),
                key("PgDn", 0xff56), .text("\n", width: 1.5),
            ],
            [
                .function(.modifier(.control), "Ctrl"), .function(.modifier(.alt), "Alt"), .function(.shift, "⇧"),
                key("Ins", 0xff63), key("Menu", 0xff67), .function(.deleteForward, "⌦"),
            ],
            signs.rows[4].filter { $0.action != .keys },
        ]
        return keys
    }()

    /// Returns the text of the American layout's key that is at the same position as a key of this layout. If there
    /// is none, returns the key's own text. Used for keys struck with a modifier such as Control, because the
    /// commands of programs are bound to Latin letters.
    func latin(_ key: Key) -> String {
        guard let row = rows.firstIndex(where: { $0.contains(key) }), let column = rows[row].firstIndex(of: key) else {
            return key.plain
        }
        let keys = Self.american.rows[row]
        return keys.indices.contains(column) && keys[column].action == .text ? keys[column].plain : key.plain
    }
}

/// The accented forms of letters, which a key offers while it is held.
enum Accents {
    /// The texts offered by each character's key, besides the character itself. Capital letters get the capital forms.
    private static let offers: [Character: String] = [
        "a": "äàáâãåæā", "c": "çćč", "e": "éèêëęē€", "i": "íìîïī", "l": "ł", "n": "ñń", "o": "öòóôõøœō", "s": "ßśš",
        "u": "üùúûū", "y": "ýÿ", "z": "žźż", "α": "ά", "ε": "έ", "η": "ή", "ι": "ίϊΐ", "ο": "ό", "υ": "ύϋΰ", "ω": "ώ",
        "σ": "ς", "ا": "أإآٱ", "و": "ؤ", "ي": "ئى", "ه": "ة", "-": "–—", ".": "…·", "?": "¿", "!": "¡", "'": "’‘",
        "\"": "„“”«»", "$": "€£¥", "€": "$£¥",
    ]

    /// Returns the texts that a key offers when it is held; the first is the key's own text. Empty if the key has
    /// nothing else to offer.
    static func choices(for text: String) -> [String] {
        guard text.count == 1, let character = text.first else { return [] }
        let isCapital = character.isUppercase
        guard let offers = offers[isCapital ? Character(text.lowercased()) : character] else { return [] }
        let forms = offers.map { isCapital ? ($0 == "ß" ? "ẞ" : $0.uppercased()) : String($0) }
        // Leave out forms that equal the key's own text. For example, both small sigmas have the same capital
        // letter.
        let others = forms.filter { $0.count == 1 && $0 != text }
        return others.isEmpty ? [] : [text] + others
    }

    private static let sharpened: [Character: Character] = Dictionary(
        uniqueKeysWithValues: zip("αεηιουωΑΕΗΙΟΥΩaeiouyAEIOUY", "άέήίόύώΆΈΉΊΌΎΏáéíóúýÁÉÍÓÚÝ"))

    /// Returns a letter with an acute accent. If there is no such character, returns the accent followed by the letter;
    /// for a blank or another accent, only the accent.
    static func sharpen(_ text: String) -> String {
        if text.count == 1, let whole = text.first.flatMap({ sharpened[$0] }) { return String(whole) }
        return text == " " || text == "´" ? "´" : "´" + text
    }
}
