import CShaping
import InkstoneUnicode

/// All fonts in fontconfig's order for one style and one language (`FcFontSort`). Fonts are opened when first used.
///
/// If the first is remembered from an earlier run, the others are not sorted before a text needs one of them.
final class FontCandidates {
    private unowned let context: FontContext
    private let query: FontQuery
    /// The first font by ``FontRecall``.
    private var remembered: FontFace?
    private var isSorted = false
    /// Nil before it is sorted, and if there is no font at all.
    private var list: OpaquePointer?
    private var candidates: [Candidate] = []

    /// A candidate's face, once somebody has asked for it.
    private enum Candidate {
        case unopened
        case broken
        case open(FontFace)
    }

    /// Nil if there is no font at all. `language` is a BCP 47 tag; nil leaves it to the environment.
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

    /// Has fontconfig sort them, once.
    private func sort() {
        guard !isSorted else { return }
        isSorted = true
        guard let sorted = query.sort() else { return }
        list = sorted
        candidates = Array(repeating: .unopened, count: Int(cshaping_fontlist_count(sorted)))
    }

    /// Whether the same order serves other sizes of the style.
    var isShared: Bool { list.map { cshaping_fontlist_is_shared($0) } ?? false }

    /// What fontconfig calls a language that is given as a BCP 47 tag. It knows some languages by territory and none by script:
    /// `zh-Hant` as it is would be any Chinese, and `ko-KR` nobody's language.
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

    /// Whether the language that the fonts are sorted for is written in a script (ISO 15924 tag); also if nobody said which
    /// and it is the environment's.
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

    /// The face of a candidate; nil if its file cannot be opened.
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

    /// The first face that has a scalar. Text presentation prefers fonts without colour, emoji presentation those with it;
    /// the other kind is better than a box.
    func face(for scalar: UInt32, emoji: Bool) -> FontFace? {
        // The others are asked only if the first might not be the one: that it has a Latin letter is plain without them.
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

    /// The first face that has a scalar and satisfies `isFit`; with `emoji`, of those in colour.
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
