import CShaping
import InkstoneBase
import InkstoneUnicode

/// The fonts of one style and language in fontconfig's order, and which of them shows a cluster.
///
/// Sorted once (`FcFontSort`); then a scalar's candidate is a table look-up. Fonts are opened when first used.
final class FontStack {
    let descriptor: FontDescriptor
    /// The first candidate: it decides the height of lines.
    let primary: FontFace
    let language: String?
    let features: [cshaping_feature]
    /// Extra space after a grapheme cluster, 26.6 pixels.
    let letterSpacing: Int32
    /// Number of this style in keys of the word cache.
    let number: UInt64

    private unowned let context: FontContext
    private let list: OpaquePointer
    private var slots: [Int32]
    private static let unopened: Int32 = -1
    private static let broken: Int32 = -2
    /// Face of each scalar by blocks of 256, for text and for emoji presentation: its slot + 1, 0 if not yet known.
    private let textBlocks: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
    private let emojiBlocks: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
    private static let nobody: Int16 = -1

    init(_ descriptor: FontDescriptor, number: UInt64, context: FontContext) {
        self.descriptor = descriptor
        self.context = context
        textBlocks = .allocate(capacity: 0x1100)
        textBlocks.initialize(repeating: nil, count: 0x1100)
        emojiBlocks = .allocate(capacity: 0x1100)
        emojiBlocks.initialize(repeating: nil, count: 0x1100)
        language = descriptor.language
        letterSpacing = Int32(descriptor.letterSpacing.rounded()) * 64
        features = descriptor.features.sorted { $0.key < $1.key }.map { name, value in
            let bytes = Array(name.utf8) + [0x20, 0x20, 0x20, 0x20]
            return cshaping_feature(tag: bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }, value: value)
        }
        self.number = number
        let list = cshaping_fontlist_create(
            descriptor.family, descriptor.size, descriptor.weight ?? -1, descriptor.slant?.rawValue ?? -1,
            descriptor.language, context.settings.pattern)
        guard let list else { fatalError("fontconfig knows no font at all: install one, such as fonts-dejavu-core") }
        self.list = list
        slots = Array(repeating: Self.unopened, count: Int(cshaping_fontlist_count(list)))
        var first: FontFace?
        for i in slots.indices {
            first = Self.open(list, Int32(i), context)
            slots[i] = first.map { Int32($0.slot) } ?? Self.broken
            if first != nil { break }
        }
        guard let first else { fatalError("none of the fonts that fontconfig names can be opened") }
        primary = first
    }

    deinit {
        cshaping_fontlist_destroy(list)
        for blocks in [textBlocks, emojiBlocks] {
            for i in 0..<0x1100 { blocks[i]?.deallocate() }
            blocks.deallocate()
        }
    }

    private static func open(_ list: OpaquePointer, _ index: Int32, _ context: FontContext) -> FontFace? {
        guard let text = cshaping_fontlist_pattern(list, index) else { return nil }
        defer { cshaping_free(text) }
        return context.face(pattern: String(cString: text))
    }

    /// The face of a candidate; nil if its file cannot be opened.
    private func face(at candidate: Int) -> FontFace? {
        switch slots[candidate] {
        case Self.broken: return nil
        case Self.unopened:
            let face = Self.open(list, Int32(candidate), context)
            slots[candidate] = face.map { Int32($0.slot) } ?? Self.broken
            return face
        case let slot: return context.faces[Int(slot)]
        }
    }

    /// Whether the glyphs of a face have colours of their own.
    func isColor(_ slot: Int32) -> Bool { context.faces[Int(slot)].metrics.color }

    /// The slot of the first face that has a scalar; -1 if none has. With `emoji`, coloured fonts come first.
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
        let found = candidate(for: scalar, emoji: emoji).flatMap { face(at: $0) }
        block[Int(scalar & 0xff)] = found.map { Int16(truncatingIfNeeded: $0.slot + 1) } ?? Self.nobody
        return found.map { Int32($0.slot) } ?? -1
    }

    private func candidate(for scalar: UInt32, emoji: Bool) -> Int? {
        let isEmoji = BidiProperties.emoji(of: scalar).contains(.emoji)
        var other: Int?
        for i in slots.indices {
            guard cshaping_fontlist_covers(list, Int32(i), scalar), face(at: i) != nil else { continue }
            // Text presentation prefers fonts without colour, but a coloured one is better than a box.
            if !isEmoji || cshaping_fontlist_is_color(list, Int32(i)) == emoji { return i }
            if other == nil { other = i }
        }
        return other
    }

    /// Whether a face shows all scalars of a cluster, composed ones included and invisible ones left aside.
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

    /// The slot of the face that shows a whole cluster: the first that has all of it, else the first that has its base.
    ///
    /// -1 if nobody has the base: then a box stands for it.
    func slot(forCluster cluster: [UInt32], emoji: Bool) -> Int32 {
        guard let base = cluster.first else { return Int32(primary.slot) }
        let first = slot(for: base, emoji: emoji)
        if first < 0 || cluster.count == 1 || covers(context.faces[Int(first)], cluster) { return first }
        for i in slots.indices where cshaping_fontlist_covers(list, Int32(i), base) {
            if emoji, !cshaping_fontlist_is_color(list, Int32(i)) { continue }
            if let face = face(at: i), covers(face, cluster) { return Int32(face.slot) }
        }
        return first
    }
}
