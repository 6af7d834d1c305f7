/// The characters of HTML entities: the parser md4c reports only the entities' names.
enum MarkdownEntities {
    /// The common entities; others stay in the text as they are in the source.
    private static let named: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "shy": "\u{ad}", "copy": "©",
        "reg": "®", "trade": "™", "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "sbquo": "‚",
        "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«", "raquo": "»", "lsaquo": "‹", "rsaquo": "›",
        "bull": "•", "middot": "·", "sect": "§", "para": "¶", "dagger": "†", "times": "×", "divide": "÷",
        "plusmn": "±", "minus": "−", "deg": "°", "micro": "µ", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢",
        "frac12": "½", "frac14": "¼", "frac34": "¾", "sup2": "²", "sup3": "³", "larr": "←", "rarr": "→", "uarr": "↑",
        "darr": "↓", "harr": "↔", "ne": "≠", "le": "≤", "ge": "≥", "infin": "∞", "ensp": "\u{2002}",
        "emsp": "\u{2003}", "thinsp": "\u{2009}", "zwnj": "\u{200c}", "zwj": "\u{200d}", "lrm": "\u{200e}",
        "rlm": "\u{200f}", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "auml": "ä", "ouml": "ö", "uuml": "ü",
        "szlig": "ß", "agrave": "à", "egrave": "è", "eacute": "é", "ccedil": "ç", "ntilde": "ñ",
    ]

    /// Returns the text that an entity stands for (`&amp;`, `&#233;`, `&#xe9;`); nil if its name is unknown. Line
    /// ends become spaces. A number that is no scalar, or 0, becomes U+FFFD.
    static func text(_ entity: Substring) -> String? {
        let name = entity.dropFirst().dropLast()
        guard name.first == "#" else { return named[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, number != 0, let scalar = Unicode.Scalar(number) else { return "\u{fffd}" }
        return [0xa, 0xd].contains(number) ? " " : String(scalar)
    }
}
