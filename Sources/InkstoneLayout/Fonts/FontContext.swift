import CShaping
import InkstoneBase

/// The fonts used by one thread's layouts: open faces by pattern, and for each style its order of fonts.
///
/// A style (``FontStack``) retains its faces, and a laid-out paragraph retains its styles; ``releaseUnused()``
/// releases styles and faces that nothing retains. FreeType faces are never shared with Xft: Xft uses one face for
/// all sizes of a file, and closes it on its own.
final class FontContext {
    let handle: OpaquePointer
    /// Open faces by slot. Glyph runs refer to a face by its slot. A free slot contains the face of the first slot,
    /// which has no glyphs.
    private(set) var faces: [FontFace]
    private var freeSlots: [Int] = []
    private var slots: [String: Int] = [:]
    /// For each font, by its pattern without the size, the sizes that are open.
    private var sizes: [String: [(size: Double, slot: Int)]] = [:]
    /// Fonts ordered for a language other than the text's own, for letters of scripts in which the text's language is
    /// not written.
    private var foreign: [(descriptor: FontDescriptor, language: String?, candidates: FontCandidates)] = []
    private var stacks: [FontStack] = []
    private var stackIndices: [FontDescriptor: Int] = [:]
    private var clock = 0
    private var lastNumber: UInt64 = 0
    /// When this many styles exist, the unused ones are released.
    private var releaseLimit = unusedLimit
    /// The settings for rendering glyphs, used to choose fonts.
    let settings: FontSettings

    /// The number of styles that may be added before unused ones are released. Half as many unused styles are then
    /// kept.
    static let unusedLimit = 32
    /// The largest number of styles, because a document could have another font for each character. When it is
    /// reached, a new style gets the fonts of the existing style nearest in size, if possible one of the same font.
    static let styleLimit = 256
    /// The largest number of orders of fonts for other scripts. Sorting all fonts takes some milliseconds. When this
    /// number is reached, the order of the style nearest in size is used, if possible one of the same font; for a
    /// language without an order, a further one is made.
    static let foreignLimit = 96
    /// The largest number of open faces. A face takes some 50 kB, in addition to the data shared by all sizes of a
    /// file. When this number is reached, the nearest open size of the same font is used; for a font without an open
    /// face, a further face is opened.
    static let faceLimit = 512

    /// Creates a context and starts FreeType. Traps if FreeType cannot start, which means that memory is exhausted.
    init(settings: FontSettings) {
        guard let handle = cshaping_context_create() else { fatalError("FreeType cannot start") }
        self.handle = handle
        self.settings = settings
        faces = [FontFace.empty(context: handle, size: 1, slot: 0)]
    }

    deinit {
        stacks.removeAll()
        foreign.removeAll()
        faces.removeAll()
        cshaping_context_destroy(handle)
    }

    /// Numbers of styles, of open faces, and of orders of fonts for other scripts.
    var liveCounts: (styles: Int, faces: Int, foreign: Int) {
        (stacks.count, faces.count - freeSlots.count, foreign.count)
    }

    /// Whether so many styles exist that the lines outside of the viewport should be dropped, which releases their
    /// fonts.
    var isCrowded: Bool { stacks.count > Self.unusedLimit + 16 }

    /// Returns the fonts for a style. They are sorted only once. If ``styleLimit`` styles exist already, returns the
    /// fonts of the nearest of them. Styles with letter spacing share their fonts if they differ only in its amount.
    func stack(for spaced: FontDescriptor) -> FontStack {
        let descriptor = spaced.letterSpacing == 0 ? spaced : spaced.withoutSpacing
        clock += 1
        if let index = stackIndices[descriptor] {
            stacks[index].lastUse = clock
            return stacks[index]
        }
        if stacks.count >= releaseLimit {
            releaseUnused()
            releaseLimit = stacks.count + Self.unusedLimit
        }
        if stacks.count >= Self.styleLimit { return nearest(to: descriptor) }
        lastNumber += 1
        let made = FontStack(descriptor, number: lastNumber, context: self)
        made.lastUse = clock
        stackIndices[descriptor] = stacks.count
        stacks.append(made)
        return made
    }

    private func nearest(to wanted: FontDescriptor) -> FontStack {
        var best = stacks[0]
        var least = Self.distance(best.descriptor, wanted)
        for stack in stacks.dropFirst() {
            let distance = Self.distance(stack.descriptor, wanted)
            if distance < least { (best, least) = (stack, distance) }
        }
        return best
    }

    /// Returns a measure of the difference of two styles: the difference of sizes in pixels, or much more if they
    /// are different fonts.
    private static func distance(_ a: FontDescriptor, _ b: FontDescriptor) -> Double {
        let isSame =
            a.family == b.family && a.isPattern == b.isPattern && a.weight == b.weight && a.slant == b.slant
        return abs(a.size - b.size) + (isSame ? 0 : 10_000)
    }

    /// Returns the order of fonts for a style and a language; nil means the environment's language. If
    /// ``foreignLimit`` orders exist already, returns the order of the nearest style in the same language, if there
    /// is one.
    func candidates(for descriptor: FontDescriptor, language: String?) -> FontCandidates? {
        let known = foreign.lazy.filter { $0.language == language }
            .map { (Self.distance($0.descriptor, descriptor), $0.candidates) }
            .min { $0.0 < $1.0 }
        if let (distance, candidates) = known, distance == 0 || foreign.count >= Self.foreignLimit {
            return candidates
        }
        guard let made = FontCandidates(descriptor, language: language, self) else { return nil }
        foreign.append((descriptor, language, made))
        return made
    }

    /// Releases unused styles except the most recently used ones, and then the faces that no style uses. Does nothing
    /// if few styles are unused. O(n log n) in the styles.
    func releaseUnused() {
        var unused: [Int] = []
        for i in stacks.indices where isKnownUniquelyReferenced(&stacks[i]) { unused.append(i) }
        guard unused.count > Self.unusedLimit / 2 else { return }
        unused.sort { stacks[$0].lastUse > stacks[$1].lastUse }
        let dropped = Set(unused.dropFirst(Self.unusedLimit / 2))
        stacks = stacks.indices.filter { !dropped.contains($0) }.map { stacks[$0] }
        stackIndices = Dictionary(
            uniqueKeysWithValues: stacks.enumerated().map { ($0.element.descriptor, $0.offset) })
        for i in foreign.indices.reversed() where isKnownUniquelyReferenced(&foreign[i].candidates) {
            foreign.remove(at: i)
        }
        for slot in faces.indices.dropFirst() where faces[slot] !== faces[0] {
            if isKnownUniquelyReferenced(&faces[slot]) {
                faces[slot] = faces[0]
                freeSlots.append(slot)
            }
        }
        slots = slots.filter { faces[$0.value] !== faces[0] }
        sizes = sizes.compactMapValues {
            let open = $0.filter { faces[$0.slot] !== faces[0] }
            return open.isEmpty ? nil : open
        }
    }

    /// Returns the face of a fully resolved fontconfig pattern, opened if necessary; nil if its file cannot be
    /// opened. If ``faceLimit`` faces are open and some of them are of this font, returns the one of the nearest size
    /// instead.
    func face(pattern: String) -> FontFace? {
        if let slot = slots[pattern] { return faces[slot] }
        let (font, size) = Self.parts(of: pattern)
        if slots.count >= Self.faceLimit,
            let nearest = sizes[font]?.min(by: { abs($0.size - size) < abs($1.size - size) })
        {
            return faces[nearest.slot]
        }
        let slot = freeSlots.last ?? faces.count
        guard let face = FontFace(context: handle, pattern: pattern, slot: slot) else { return nil }
        slots[pattern] = slot
        sizes[font, default: []].append((size, slot))
        keep(face)
        return face
    }

    /// Splits a pattern into the pattern without its size and the size in pixels; 0 if it has none.
    static func parts(of pattern: String) -> (font: String, size: Double) {
        let bytes = pattern.utf8
        guard let start = bytes.firstRange(of: ":pixelsize=".utf8) else { return (pattern, 0) }
        let end = bytes[start.upperBound...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        return (
            String(pattern[..<start.lowerBound] + pattern[end...]), Double(pattern[start.upperBound..<end]) ?? 0
        )
    }

    /// Returns a face without glyphs, with the metrics of a font of the given size in pixels.
    func emptyFace(size: Double) -> FontFace {
        let face = FontFace.empty(context: handle, size: size, slot: freeSlots.last ?? faces.count)
        keep(face)
        return face
    }

    private func keep(_ face: FontFace) {
        if freeSlots.popLast() == nil { faces.append(face) } else { faces[face.slot] = face }
    }
}
