import CShaping

extension FontDescriptor {
    /// Whether the family, or one of several named in a pattern, is installed; otherwise another font is
    /// substituted. Also true for fontconfig's generic names such as `monospace`, and for a pattern without a
    /// family.
    public var isInstalled: Bool {
        let kinds: Set = [
            "sans", "sans-serif", "serif", "mono", "monospace", "cursive", "fantasy", "system-ui", "ui-sans-serif",
            "ui-serif", "ui-monospace", "ui-rounded", "emoji", "math",
        ]
        let names = isPattern ? family.prefix { $0 != ":" }.split(separator: ",") : [family[...]]
        if names.isEmpty { return true }
        for name in names {
            let name = name.drop { $0 == " " }
            if kinds.contains(String(name.lowercased().filter { $0 != "\\" })) { return true }
        }
        return cshaping_family_exists(family, isPattern)
    }

    /// Keeps the process alive if a font's file is truncated while the font is in use, for example while another
    /// file is copied over it. Glyphs not drawn before may then be blank until the program is restarted.
    ///
    /// The program must call this itself, before the first font is used, because it installs a handler of SIGBUS
    /// for the whole process.
    public static func tolerateTruncatedFiles() { cshaping_tolerate_truncation() }

    /// The names of the installed families in alphabetical order, as used in patterns (``init(pattern:size:)``):
    /// `-`, `,` and `:` are preceded by a backslash. Reads fontconfig's lists of fonts, which may take some tenths
    /// of a second. May be called on any thread.
    public static var installedFamilies: [String] {
        guard let list = cshaping_families() else { return [] }
        defer { cshaping_free(list) }
        let names = Set(String(cString: list).split(separator: "\n").map(String.init))
        return names.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    }
}
