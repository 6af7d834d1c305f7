/// The translations into one language that the text of a gettext catalog (a `.po` file) contains.
public struct Catalog: Sendable {
    /// The translations by English text: one for each text or, for a text about a number, as many as the language has
    /// plural forms.
    public private(set) var forms: [String: [String]] = [:]

    /// Creates a catalog from the bytes of a `.po` file. Ignores lines that are not part of the format, texts without a
    /// translation, and translations that are marked as fuzzy. O(n) for n bytes.
    public init(po bytes: some Collection<UInt8>) {
        var key = "", plural = "", translations: [String] = []
        var target = Target.none
        var isFuzzy = false
        func unquoted(_ line: Substring) -> String {
            var text = ""
            var isEscaped = false
            for character in line.drop(while: { $0 != "\"" }).dropFirst() {
                if isEscaped {
                    text.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    break
                } else {
                    text.append(character)
                }
            }
            return text
        }
        func finish(_ forms: inout [String: [String]]) {
            if !key.isEmpty, !isFuzzy, !translations.isEmpty, !translations.contains("") { forms[key] = translations }
            (key, plural, translations, target, isFuzzy) = ("", "", [], .none, false)
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("msgid_plural") {
                target = .plural
            } else if line.hasPrefix("msgid") {
                if target == .translation { finish(&forms) }
                target = .key
            } else if line.hasPrefix("msgstr") {
                target = .translation
                translations.append("")
            } else if line.hasPrefix("#") {
                if target == .translation { finish(&forms) }
                if line.hasPrefix("#,"), line.contains("fuzzy") { isFuzzy = true }
                continue
            } else if !line.hasPrefix("\"") {
                continue
            }
            switch target {
            case .key: key += unquoted(line)
            case .plural: plural += unquoted(line)
            case .translation: translations[translations.count - 1] += unquoted(line)
            case .none: break
            }
        }
        finish(&forms)
    }

    private enum Target { case none, key, plural, translation }
}
