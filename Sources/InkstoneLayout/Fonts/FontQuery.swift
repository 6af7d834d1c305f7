import CShaping

/// A query to fontconfig: the fonts for a style and a language, with certain rendering settings.
struct FontQuery {
    var family: String
    /// Whether ``family`` is a pattern and not a name.
    var isPattern: Bool
    var size: Double
    /// Weight and slant on fontconfig's scales; negative to use the pattern's.
    var weight: Double
    var slant: Int32
    /// A language by fontconfig's name; nil uses the environment's.
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

    /// Parses the query that has this ``text``; nil if none has.
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

    /// The whole query as one line of text, from which it can be restored; nil if a part contains tabs or line ends.
    var text: String? {
        let names = "\(language ?? "")\t\(settings)\t\(isPattern ? "pattern" : "name")\t\(family)"
        var tabs = 0
        for byte in names.utf8 where byte == 0x09 || byte == 0x0a { tabs += byte == 0x09 ? 1 : 3 }
        return tabs == 3 ? "\(size)\t\(weight)\t\(slant)\t\(names)" : nil
    }

    /// Returns all fonts, best first; nil if there is none. Free the list with `cshaping_fontlist_destroy`.
    func sort() -> OpaquePointer? {
        cshaping_fontlist_create(family, isPattern, size, weight, slant, language, settings)
    }

    /// Returns the resolved pattern of a candidate; nil if memory is exhausted.
    static func pattern(of candidate: Int, in list: OpaquePointer) -> String? {
        guard let text = cshaping_fontlist_pattern(list, Int32(candidate)) else { return nil }
        defer { cshaping_free(text) }
        return String(cString: text)
    }
}
