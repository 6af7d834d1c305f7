import Glibc

/// A language of texts, with the way in which a region writes its numbers.
public struct Language: Hashable, Sendable {
    /// The ISO 639 code of the language in lower case, such as `ar`.
    public let code: String
    /// The ISO 3166 code of the region, such as `EG`; empty if none is given.
    public let region: String

    /// Creates the language of a locale's name, such as `ar_EG.UTF-8@x` or `ja`. It is English for `C`, `POSIX` and
    /// an empty name.
    public init(locale: some StringProtocol) {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(whereSeparator: { $0 == "_" || $0 == "-" })
        let code = parts.first.map { $0.lowercased() } ?? "en"
        self.code = code == "c" || code == "posix" ? "en" : code
        region = parts.dropFirst().last { $0.utf8.count == 2 }.map { $0.uppercased() } ?? ""
    }

    /// Returns the languages that an environment asks for, the most preferred first: those of the variable
    /// `LANGUAGE`, then that of the locale for messages. If the locale is `C` or `POSIX`, or if none is set, the
    /// result is English alone. In `C.UTF-8`, `LANGUAGE` is used, as by gettext.
    public static func preferred(_ environment: (String) -> String?) -> [Language] {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
        if locale == "C" || locale == "POSIX" { return [Language(locale: "en")] }
        let list = value("LANGUAGE")?.split(separator: ":").map { Language(locale: $0) } ?? []
        return list + [Language(locale: locale)]
    }

    /// The languages that this process's environment asks for, the most preferred first.
    public static let preferred = preferred { getenv($0).map { String(cString: $0) } }

    /// Whether the language's script is written from right to left.
    public var isRightToLeft: Bool { ["ar", "fa", "he", "ur", "yi"].contains(code) }

    /// Returns the index of the plural form for a number, and how many forms the language has. The rules are those
    /// of CLDR for ar, de, en, ja, ko, th, vi and zh. French lacks the form for millions, and all other languages
    /// get the English rule.
    public func plural(_ number: Int) -> (form: Int, count: Int) {
        switch code {
        case "ja", "ko", "zh", "th", "vi": return (0, 1)
        case "fr": return (number > 1 ? 1 : 0, 2)
        case "ar":
            let rest = number % 100
            switch number {
            case 0...2: return (number, 6)
            default: return (3...10 ~= rest ? 3 : rest >= 11 ? 4 : 5, 6)
            }
        default: return (number == 1 ? 0 : 1, 2)
        }
    }

    /// The code point of the region's digit 0. By CLDR, Arabic in Algeria, Libya, Morocco, Tunisia, Western Sahara
    /// and the Emirates uses Western digits.
    private var zero: UInt32 {
        code == "ar" && !["AE", "DZ", "EH", "LY", "MA", "TN"].contains(region) ? 0x660 : 0x30
    }

    /// Returns a number in the language's digits; with `grouped` it has a separator between groups of thousands.
    public func number(_ number: Int, grouped: Bool = false) -> String {
        let zero = zero
        let sign: Unicode.Scalar
        switch code {
        case "de": sign = "."
        case "ar": sign = zero == 0x660 ? "\u{66c}" : "."
        case "fr": sign = "\u{202f}"
        default: sign = ","
        }
        let digits = Array(String(number.magnitude).utf8)
        var text = String.UnicodeScalarView(number < 0 ? ["\u{2212}"] : [])
        for (index, digit) in digits.enumerated() {
            if grouped, index > 0, (digits.count - index) % 3 == 0 { text.append(sign) }
            if let scalar = Unicode.Scalar(zero + UInt32(digit) - 0x30) { text.append(scalar) }
        }
        return String(text)
    }

    /// Returns a percentage in the language's digits, with the language's percent sign.
    public func percent(_ number: Int) -> String {
        let digits = self.number(number)
        return switch code {
        case "de", "fr": digits + "\u{a0}%"
        case "ar": digits + (zero == 0x660 ? "\u{66a}\u{61c}" : "\u{200e}%\u{200e}")
        default: digits + "%"
        }
    }
}
