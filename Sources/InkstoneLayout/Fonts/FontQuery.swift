import CShaping

/// What fontconfig is asked for: the fonts for a style and a language, drawn with certain settings.
struct FontQuery {
    var family: String
    /// Whether ``family`` is a pattern and not a name.
    var isPattern: Bool
    var size: Double
    /// fontconfig's numbers; negative to leave them to the family's pattern.
    var weight: Double
    var slant: Int32
    /// A language as fontconfig calls it; nil leaves it to the environment.
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

    /// The query that has this ``text``; nil if none has.
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

    /// All of it in a line of text, by which it is known again; nil if a part has tabs or line ends of its own.
    var text: String? {
        let names = "\(language ?? "")\t\(settings)\t\(isPattern ? "pattern" : "name")\t\(family)"
        var tabs = 0
        for byte in names.utf8 where byte == 0x09 || byte == 0x0a { tabs += byte == 0x09 ? 1 : 3 }
        return tabs == 3 ? "\(size)\t\(weight)\t\(slant)\t\(names)" : nil
    }

    /// All fonts, best first; nil if there is none. To be freed with `cshaping_fontlist_destroy`.
    func sort() -> OpaquePointer? {
        cshaping_fontlist_create(family, isPattern, size, weight, slant, language, settings)
    }

    /// The resolved pattern of one of them; nil if memory is out.
    static func pattern(of candidate: Int, in list: OpaquePointer) -> String? {
        guard let text = cshaping_fontlist_pattern(list, Int32(candidate)) else { return nil }
        defer { cshaping_free(text) }
        return String(cString: text)
    }
}
