import Inkstone

extension TextInputTraits {
    /// The traits of a line that is taken letter by letter: a search, a path, a command, a number.
    static func literal(_ keyboard: KeyboardType = .standard, returning key: ReturnKeyType) -> TextInputTraits {
        var traits = TextInputTraits()
        (traits.keyboardType, traits.returnKeyType) = (keyboard, key)
        traits.autocapitalization = .none
        (traits.autocorrection, traits.spellChecking, traits.smartQuotes) = (false, false, false)
        return traits
    }

    /// The traits of a document with a name: a keyboard shifts by itself in prose, and changes nothing in code, settings and data.
    static func document(named name: String) -> TextInputTraits {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let suffix = parts.last, !prose.contains(suffix.lowercased()) else {
            return TextInputTraits()
        }
        return .literal(returning: .standard)
    }

    /// The endings of names of prose.
    private static let prose: Set<String> = [
        "txt", "text", "md", "markdown", "rtf", "rtfd", "html", "htm", "org", "rst", "adoc", "tex", "eml", "srt", "log",
    ]
}
