import CShaping
import InkstoneUnicode

/// All installed fonts in fontconfig's order of preference for a style and a language (`FcFontSort`). A font is
/// opened when it is first used.
///
/// If the first font is remembered from an earlier run, the list is sorted only when text needs another font.
final class FontCandidates {
    private unowned let context: FontContext
    private let query: FontQuery
    /// The first font, remembered from an earlier run by ``FontRecall``; nil if it is not known.
    private var remembered: FontFace?
    private var isSorted = false
    /// The sorted list; nil until it is needed, and always nil if no font is installed.
    private var list: OpaquePointer?
    private var candidates: [Candidate] = []

    /// The state of a font in the list: not opened yet, not readable, or open.
    private enum Candidate {
        case unopened
        case broken
        case open(FontFace)
    }

    /// Creates the list for a style; nil if no font is installed. `language` is a BCP 47 tag; nil uses the
    /// environment's language.
    init?(
        _ descriptor: FontDescriptor, language: String?, _ context: FontContext, memory: FontRecall? = .shared
    ) {
        self.context = context
        query = FontQuery(
            descriptor, language: language.map(Self.fontconfigLanguage), settings: context.settings.pattern)
        let question = query.text
        if let question, let pattern = memory?.answer(question) {
            remembered = context.face(pattern: pattern)
        }
        guard remembered == nil else { return }
        sort()
        guard let list else { return nil }
        if let question, let pattern = FontQuery.pattern(of: 0, in: list) {
            memory?.note(pattern, question)
        }
    }

    deinit { cshaping_fontlist_destroy(list) }

    /// Sorts the fonts with fontconfig unless they are sorted already.
    private func sort() {
        guard !isSorted else { return }
        isSorted = true
        guard let sorted = query.sort() else { return }
        list = sorted
        candidates = Array(repeating: .unopened, count: Int(cshaping_fontlist_count(sorted)))
    }

    /// Whether other sizes of the style have the same order of fonts.
    var isShared: Bool { list.map { cshaping_fontlist_is_shared($0) } ?? false }

    /// Returns fontconfig's name of the language in a BCP 47 tag. fontconfig distinguishes some languages by
    /// territory and none by script. Without conversion, `zh-Hant` would match any Chinese, and `ko-KR` no language
    /// at all.
    static func fontconfigLanguage(_ tag: String) -> String {
        let parts = tag.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
        guard let language = parts.first else { return tag }
        let script = parts.dropFirst().first { $0.utf8.count == 4 }
        let territory = parts.dropFirst().first { $0.utf8.count == 2 }
        if ["zh", "cmn", "yue"].contains(language) {
            if script == "hans" { return "zh-cn" }
            if territory == "hk" || territory == "mo" || language == "yue" { return "zh-hk" }
            return script == "hant" || territory == "tw" ? "zh-tw" : "zh-cn"
        }
        if let territory, cshaping_language_is_known("\(language)-\(territory)") { return "\(language)-\(territory)" }
        return cshaping_language_is_known(language) ? language : tag
    }

    /// Returns whether the list's language is written in a script (ISO 15924 tag). The list of a nil language has
    /// the environment's language.
    func isWritten(in script: UInt32) -> Bool {
        sort()
        return list.map { cshaping_fontlist_writes($0, script) } ?? false
    }

    /// The first font that can be opened; nil if there is none.
    var firstFace: FontFace? {
        if let remembered { return remembered }
        for i in candidates.indices {
            if let face = face(at: i) { return face }
        }
        return nil
    }

    /// Returns the font at an index of the list, opened if necessary; nil if its file cannot be opened.
    private func face(at candidate: Int) -> FontFace? {
        switch candidates[candidate] {
        case .broken: return nil
        case .unopened:
            let face = list.flatMap { FontQuery.pattern(of: candidate, in: $0) }.flatMap(context.face(pattern:))
            candidates[candidate] = face.map { .open($0) } ?? .broken
            return face
        case .open(let face): return face
        }
    }

    /// Returns the first font that has a glyph for a scalar. For an emoji in text presentation, prefers fonts without
    /// colour; in emoji presentation, colour fonts. If no font of the preferred kind has a glyph, returns a font of
    /// the other kind; nil if no font has one.
    func face(for scalar: UInt32, emoji: Bool) -> FontFace? {
        // Fast path: for Latin letters, use the remembered font if it has the glyph, without sorting all fonts.
        if !isSorted, let remembered, !emoji, !remembered.metrics.color, (0x20..<0x250).contains(scalar),
            cshaping_font_glyph(remembered.handle, scalar) != 0
        {
            return remembered
        }
        let isEmoji = BidiProperties.emoji(of: scalar).contains(.emoji)
        var other: FontFace?
        for i in candidates(with: scalar) {
            guard let face = face(at: i) else { continue }
            if !isEmoji || isColor(i) == emoji { return face }
            if other == nil { other = face }
        }
        return other
    }

    /// Returns the first font that has a glyph for a scalar and satisfies `isFit`; nil if there is none. If `emoji`
    /// is true, considers only colour fonts.
    func first(for scalar: UInt32, emoji: Bool, where isFit: (FontFace) -> Bool) -> FontFace? {
        for i in candidates(with: scalar) {
            if emoji, !isColor(i) { continue }
            if let face = face(at: i), isFit(face) { return face }
        }
        return nil
    }

    private func candidates(with scalar: UInt32) -> some Sequence<Int> {
        sort()
        let list = list
        return candidates.indices.lazy.filter { cshaping_fontlist_covers(list, Int32($0), scalar) }
    }

    private func isColor(_ candidate: Int) -> Bool { cshaping_fontlist_is_color(list, Int32(candidate)) }
}
