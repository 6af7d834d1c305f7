import Inkstone

extension TextInputTraits {
    /// Returns the traits of a document with a file name. In prose an on-screen keyboard may capitalize; in code,
    /// settings and data it must not change the typed text.
    static func document(named name: String) -> TextInputTraits {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let suffix = parts.last, !prose.contains(suffix.lowercased()) else {
            return TextInputTraits()
        }
        return .literal(returning: .standard)
    }

    /// The suffixes of the names of files that contain prose.
    private static let prose: Set<String> = [
        "txt", "text", "md", "markdown", "rtf", "rtfd", "html", "htm", "org", "rst", "adoc", "tex", "eml", "srt", "log",
    ]
}
