import CShaping
import InkstoneUnicode

/// All fonts in fontconfig's order for one style and one language (`FcFontSort`). Fonts are opened when first used.
final class FontCandidates {
    private unowned let context: FontContext
    private let list: OpaquePointer
    /// Slot of each candidate's face in the context.
    private var slots: [Int32]
    private static let unopened: Int32 = -1
    private static let broken: Int32 = -2

    /// Nil if there is no font at all. `language` is a BCP 47 tag; nil leaves it to the environment.
    init?(_ descriptor: FontDescriptor, language: String?, _ context: FontContext) {
        let list = cshaping_fontlist_create(
            descriptor.family, descriptor.size, descriptor.weight ?? -1, descriptor.slant?.rawValue ?? -1,
            language.map(Self.fontconfigLanguage),
            context.settings.pattern)
        guard let list else { return nil }
        self.list = list
        self.context = context
        slots = Array(repeating: Self.unopened, count: Int(cshaping_fontlist_count(list)))
    }

    deinit { cshaping_fontlist_destroy(list) }

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
    func isWritten(in script: UInt32) -> Bool { cshaping_fontlist_writes(list, script) }

    /// The first candidate that can be opened.
    var firstFace: FontFace? {
        for i in slots.indices {
            if let face = face(at: i) { return face }
        }
        return nil
    }

    /// The face of a candidate; nil if its file cannot be opened.
    private func face(at candidate: Int) -> FontFace? {
        switch slots[candidate] {
        case Self.broken: return nil
        case Self.unopened:
            var face: FontFace?
            if let text = cshaping_fontlist_pattern(list, Int32(candidate)) {
                face = context.face(pattern: String(cString: text))
                cshaping_free(text)
            }
            slots[candidate] = face.map { Int32($0.slot) } ?? Self.broken
            return face
        case let slot: return context.faces[Int(slot)]
        }
    }

    /// The first face that has a scalar. Text presentation prefers fonts without colour, emoji presentation those with it;
    /// the other kind is better than a box.
    func face(for scalar: UInt32, emoji: Bool) -> FontFace? {
        let isEmoji = BidiProperties.emoji(of: scalar).contains(.emoji)
        var other: FontFace?
        for i in slots.indices where cshaping_fontlist_covers(list, Int32(i), scalar) {
            guard let face = face(at: i) else { continue }
            if !isEmoji || cshaping_fontlist_is_color(list, Int32(i)) == emoji { return face }
            if other == nil { other = face }
        }
        return other
    }

    /// The first face that has a scalar and satisfies `isFit`; with `emoji`, of those in colour.
    func first(for scalar: UInt32, emoji: Bool, where isFit: (FontFace) -> Bool) -> FontFace? {
        for i in slots.indices where cshaping_fontlist_covers(list, Int32(i), scalar) {
            if emoji, !cshaping_fontlist_is_color(list, Int32(i)) { continue }
            if let face = face(at: i), isFit(face) { return face }
        }
        return nil
    }
}
