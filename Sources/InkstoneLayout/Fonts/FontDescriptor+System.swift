import CShaping

extension FontDescriptor {
    /// Whether a font of the family, or of one of several named, is installed. Also true of fontconfig's generic names, such as
    /// `monospace`. If false, another font is substituted.
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

    /// Keeps the process alive when the file of a font is truncated while the font is in use, for example while another is copied over it.
    /// Letters that were not drawn before may be blank from then on, until the program is restarted.
    ///
    /// Installs a handler of SIGBUS for the whole process, so the program decides about it: call it before the first font is used.
    public static func tolerateTruncatedFiles() { cshaping_tolerate_truncation() }

    /// The installed families in alphabetical order, spelled for patterns (``init(pattern:size:)``): `-`, `,` and `:` have a backslash.
    /// Reads fontconfig's lists of fonts, which may take some tenths of a second; any thread.
    public static var installedFamilies: [String] {
        guard let list = cshaping_families() else { return [] }
        defer { cshaping_free(list) }
        let names = Set(String(cString: list).split(separator: "\n").map(String.init))
        return names.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    }
}
