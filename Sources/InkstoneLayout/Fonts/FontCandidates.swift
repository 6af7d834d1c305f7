import CShaping
import InkstoneUnicode

/// All fonts in fontconfig's order for one style and one language (`FcFontSort`). Fonts are opened when first used.
///
/// If the first font is remembered from an earlier run, the others are sorted only when a text needs one of them.
final class FontCandidates {
    private unowned let context: FontContext
    private let query: FontQuery
    /// The first font, from ``FontRecall``.
    private var remembered: FontFace?
    private var isSorted = false
    /// Nil until the fonts are sorted, and if there is no font at all.
    private var list: OpaquePointer?
    private var candidates: [Candidate] = []

    /// A candidate's face, opened on first use.
    private enum Candidate {
        case unopened
        case broken
        case open(FontFace)
    }

    /// Creates the candidates of a style; nil if there is no font at all. `language` is a BCP 47 tag; nil uses the environment's.
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

    /// Sorts the candidates with fontconfig, once.
    private func sort() {
        guard !isSorted else { return }
        isSorted = true
        guard let sorted = query.sort() else { return }
        list = sorted
        candidates = Array(repeating: .unopened, count: Int(cshaping_fontlist_count(sorted)))
    }

    /// Whether the same order is valid for other sizes of the style.
    var isShared: Bool { list.map { cshaping_fontlist_is_shared($0) } ?? false }

    /// Returns fontconfig's name of a language given as a BCP 47 tag. fontconfig distinguishes some languages by territory and none by
    /// script: `zh-Hant` unchanged would match any Chinese, and `ko-KR` no language at all.
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

    /// Returns whether the language that the fonts are sorted for is written in a script (ISO 15924 tag). Without an explicit language,
    /// the environment's counts.
    func isWritten(in script: UInt32) -> Bool {
        sort()
        return list.map { cshaping_fontlist_writes($0, script) } ?? false
    }

    /// The first candidate that can be opened.
    var firstFace: FontFace? {
        if let remembered { return remembered }
        for i in candidates.indices {
            if let face = face(at: i) { return face }
        }
        return nil
    }

    /// Returns the face of a candidate; nil if its file cannot be opened.
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

    /// Returns the first face that has a scalar. Text presentation prefers fonts without colour, emoji presentation fonts with colour;
    /// the other kind is better than a box.
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

    /// Returns the first face that has a scalar and satisfies `isFit`; with `emoji`, the first such colour font.
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
