import CShaping

/// A query to fontconfig for the fonts of a style and a language, with rendering settings.
struct FontQuery {
    var family: String
    /// Whether ``family`` is a fontconfig pattern instead of a name.
    var isPattern: Bool
    var size: Double
    /// Weight on fontconfig's scale; negative to use the pattern's.
    var weight: Double
    /// Slant on fontconfig's scale; negative to use the pattern's.
    var slant: Int32
    /// The language by fontconfig's name; nil for the environment's language.
    var language: String?
    var settings: String

    init(_ descriptor: FontDescriptor, language: String?, settings: String) {
        family = descriptor.family
        isPattern = descriptor.isPattern
        size = descriptor.size
        weight = descriptor.weight ?? -1
        slant = Int32(descriptor.slant?.rawValue ?? -1)
        self.language = language
        self.settings = settings
    }

    /// Creates a query by parsing its ``text``; nil if the text is not a query.
    init?(_ text: String) {
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7, let size = Double(parts[0]), size > 0, let weight = Double(parts[1]),
            let slant = Int32(parts[2])
        else { return nil }
        (self.size, self.weight, self.slant) = (size, weight, slant)
        language = parts[3].isEmpty ? nil : parts[3]
        settings = parts[4]
        isPattern = parts[5] == "pattern"
        family = parts[6]
    }

    /// The query as one line of text, from which it can be created again; nil if a part contains tabs or line ends.
    var text: String? {
        let names = "\(language ?? "")\t\(settings)\t\(isPattern ? "pattern" : "name")\t\(family)"
        var tabs = 0
        for byte in names.utf8 where byte == 0x09 || byte == 0x0a { tabs += byte == 0x09 ? 1 : 3 }
        return tabs == 3 ? "\(size)\t\(weight)\t\(slant)\t\(names)" : nil
    }

    /// Returns all fonts in order of preference; nil if there is none. Free the list with
    /// `cshaping_fontlist_destroy`.
    func sort() -> OpaquePointer? {
        cshaping_fontlist_create(family, isPattern, size, weight, slant, language, settings)
    }

    /// Returns the fully resolved pattern of the font at an index of a list; nil if memory is exhausted.
    static func pattern(of candidate: Int, in list: OpaquePointer) -> String? {
        guard let text = cshaping_fontlist_pattern(list, Int32(candidate)) else { return nil }
        defer { cshaping_free(text) }
        return String(cString: text)
    }
}
