import CShaping
import InkstoneBase
import InkstoneUnicode

/// The fonts for one style and language in fontconfig's order, and the choice of a font for each cluster.
///
/// The fonts are sorted once (`FcFontSort`) and opened when first used. The font of a scalar is then found by a
/// table lookup. For letters of a script that the text's language is not written in, the fonts are ordered by that
/// script's own language. Otherwise Hangul in English text would be shown in an arbitrary Chinese or Japanese font.
final class FontStack {
    let descriptor: FontDescriptor
    /// The first font, which determines the line height.
    let primary: FontFace
    let language: String?
    let features: [cshaping_feature]
    /// A number that identifies the style in keys of the word cache.
    let number: UInt64

    /// Time of the last use, by the clock of ``FontContext``.
    var lastUse = 0

    private unowned let context: FontContext
    /// The fonts in order; nil if no font is installed.
    private let candidates: FontCandidates?
    /// For each script, the order of fonts for its letters; determined on first use.
    private var scriptCandidates: [UInt32: FontCandidates] = [:]
    /// The font of each scalar in text presentation, in blocks of 256 scalars. A value is the face's slot + 1, 0 if not
    /// determined yet, or -1 for no font.
    private let textBlocks: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
    /// The font of each scalar in emoji presentation, in blocks of 256 scalars, with values as in `textBlocks`.
    private let emojiBlocks: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
    /// The value of a scalar that no font has.
    private static let nobody: Int16 = -1

    init(_ descriptor: FontDescriptor, number: UInt64, context: FontContext) {
        self.descriptor = descriptor
        self.context = context
        textBlocks = .allocate(capacity: 0x1100)
        textBlocks.initialize(repeating: nil, count: 0x1100)
        emojiBlocks = .allocate(capacity: 0x1100)
        emojiBlocks.initialize(repeating: nil, count: 0x1100)
        language = descriptor.language
        features = descriptor.features.sorted { $0.key < $1.key }.map { name, value in
            let bytes = Array(name.utf8) + [0x20, 0x20, 0x20, 0x20]
            return cshaping_feature(tag: bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }, value: value)
        }
        self.number = number
        // If the pattern's font cannot be opened, use fontconfig's default font.
        var found = FontCandidates(descriptor, language: descriptor.language, context)
        var first = found?.firstFace
        if first == nil {
            let plain = FontDescriptor(family: "sans-serif", size: descriptor.size)
            found = FontCandidates(plain, language: descriptor.language, context)
            first = found?.firstFace
        }
        candidates = found
        primary = first ?? context.emptyFace(size: descriptor.size)
    }

    deinit {
        for blocks in [textBlocks, emojiBlocks] {
            for i in 0..<0x1100 { blocks[i]?.deallocate() }
            blocks.deallocate()
        }
    }

    /// Returns the order of fonts for a scalar. If the text's own language is not written in the scalar's script,
    /// this is the order for that script's language.
    private func candidates(for scalar: UInt32) -> FontCandidates? {
        guard let candidates, scalar >= 0x250 else { return candidates }
        // U+0640, which lengthens joined letters, is common to several scripts. Treat it as Arabic: it then has the
        // font of the letters around it.
        let script = scalar == 0x640 ? 0x4172_6162 : cshaping_script(scalar)
        if let known = scriptCandidates[script] { return known }
        var found = candidates
        var descriptor = descriptor
        // For the joined scripts, use a proportional font in place of `monospace`. That family is a default that is
        // rarely chosen on purpose, and joined letters would be stretched in it to the width of a cell.
        let family = descriptor.family.prefix { !descriptor.isPattern || $0 != ":" && $0 != "-" }
        let isStretched = Self.joined.contains(script) && family.lowercased() == "monospace"
        if isStretched { descriptor.family = "sans-serif" + descriptor.family.dropFirst(family.count) }
        let isOwn = candidates.isWritten(in: script)
        let language = isOwn ? self.language : Self.language(ofScript: script)
        // If the text's own language is written in the scalar's script, keep the order in `candidates`, unless a
        // proportional font is needed. For another script, use the order for that script's language, if the script
        // has one. (If the text states no language, `isWritten` has used the environment's language.)
        if isOwn ? isStretched : language != nil {
            found = context.candidates(for: descriptor, language: language) ?? candidates
        }
        scriptCandidates[script] = found
        return found
    }

    /// Returns the language whose fonts are preferred for letters of a script. Nil for scripts of many languages,
    /// and for Han, for which only the text's own language decides. Pango has the same rule
    /// (`pango_script_get_sample_language`).
    static func language(ofScript tag: UInt32) -> String? {
        let name = withUnsafeBytes(of: tag.bigEndian) { String(decoding: $0, as: UTF8.self) }
        return languages[name]
    }

    /// Cursive scripts whose letters join: Arabic, Syriac and N'Ko, by their ISO 15924 tags.
    private static let joined: Set<UInt32> = [0x4172_6162, 0x5379_7263, 0x4e6b_6f6f]

    private static let languages = [
        "Arab": "ar", "Armn": "hy", "Beng": "bn", "Cher": "chr", "Copt": "cop", "Deva": "hi", "Ethi": "am",
        "Geor": "ka",
        "Gujr": "gu", "Guru": "pa", "Hang": "ko", "Hebr": "he", "Hira": "ja", "Kana": "ja", "Khmr": "km", "Knda": "kn",
        "Laoo": "lo", "Mlym": "ml", "Mong": "mn", "Mymr": "my", "Nkoo": "nqo", "Orya": "or", "Sinh": "si",
        "Syrc": "syr",
        "Taml": "ta", "Telu": "te", "Thaa": "dv", "Thai": "th", "Tibt": "bo", "Vaii": "vai",
    ]

    func isColor(_ slot: Int32) -> Bool { context.faces[Int(slot)].metrics.color }

    /// Returns the slot of the first font that has a glyph for a scalar; -1 if there is none. If `emoji` is true,
    /// colour fonts are preferred.
    @inline(__always)
    func slot(for scalar: UInt32, emoji: Bool) -> Int32 {
        let blocks = emoji ? emojiBlocks : textBlocks
        if let block = blocks[Int(scalar >> 8)] {
            let known = block[Int(scalar & 0xff)]
            if known > 0 { return Int32(known) - 1 }
            if known == Self.nobody { return -1 }
        }
        return lookUp(scalar, emoji)
    }

    private func lookUp(_ scalar: UInt32, _ emoji: Bool) -> Int32 {
        let blocks = emoji ? emojiBlocks : textBlocks
        let block: UnsafeMutablePointer<Int16>
        if let there = blocks[Int(scalar >> 8)] {
            block = there
        } else {
            block = .allocate(capacity: 256)
            block.initialize(repeating: 0, count: 256)
            blocks[Int(scalar >> 8)] = block
        }
        let found = candidates(for: scalar)?.face(for: scalar, emoji: emoji)
        block[Int(scalar & 0xff)] = found.map { Int16(clamping: $0.slot + 1) } ?? Self.nobody
        return found.map { Int32($0.slot) } ?? -1
    }

    /// Returns whether the face in a slot can show all scalars of a cluster. Two scalars count as shown if the face
    /// has the character composed of them; invisible scalars are ignored.
    func covers(_ slot: Int32, _ cluster: some Sequence<UInt32>) -> Bool {
        covers(context.faces[Int(slot)], cluster)
    }

    /// Returns whether a face can show all scalars of a cluster. Two scalars count as shown if the face has the
    /// character composed of them; invisible scalars are ignored.
    private func covers(_ face: FontFace, _ cluster: some Sequence<UInt32>) -> Bool {
        var before: UInt32 = 0
        for scalar in cluster {
            defer { before = scalar }
            if cshaping_font_glyph(face.handle, scalar) != 0 { continue }
            if BidiProperties.emoji(of: scalar).contains(.ignorable) { continue }
            let composed = before == 0 ? 0 : cshaping_compose(before, scalar)
            if composed == 0 || cshaping_font_glyph(face.handle, composed) == 0 { return false }
        }
        return true
    }

    /// Returns the slot of the font to show a whole cluster in: the first font that has all of its scalars, or else
    /// the first that has its base.
    ///
    /// Returns -1 if no font has the base. The cluster is then shown as a box.
    func slot(forCluster cluster: [UInt32], emoji: Bool) -> Int32 {
        guard let base = cluster.first else { return Int32(primary.slot) }
        let first = slot(for: base, emoji: emoji)
        if first < 0 || cluster.count == 1 || covers(context.faces[Int(first)], cluster) { return first }
        let whole = candidates(for: base)?.first(for: base, emoji: emoji) { covers($0, cluster) }
        return whole.map { Int32($0.slot) } ?? first
    }
}
