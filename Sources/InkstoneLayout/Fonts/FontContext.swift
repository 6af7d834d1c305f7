import CShaping
import InkstoneBase

/// The fonts that one thread lays out with: faces by pattern, sorted candidates by style.
///
/// Both are released when nothing uses them: ``releaseUnused()``. A style keeps its faces, and a laid out paragraph its styles.
/// FreeType faces are never shared with Xft: Xft gives one face to all sizes of a file and takes it away again.
final class FontContext {
    let handle: OpaquePointer
    /// Faces by slot; runs name them so. A slot that is free has the face without glyphs.
    private(set) var faces: [FontFace]
    private var freeSlots: [Int] = []
    private var slots: [String: Int] = [:]
    private var stacks: [FontStack] = []
    private var stackIndices: [FontDescriptor: Int] = [:]
    private var clock = 0
    private var lastNumber: UInt64 = 0
    /// Number of styles at which unused ones are released next.
    private var releaseLimit = unusedLimit
    /// Rendering settings that descriptors are resolved with.
    let settings: FontSettings

    /// Styles that are kept without use.
    static let unusedLimit = 32
    /// Styles that exist at once. What asks for more gets the one nearest in size: a text can ask for a font for each character.
    static let styleLimit = 512

    /// Starts FreeType. Traps if it cannot start, which means that memory is out.
    init(settings: FontSettings) {
        guard let handle = cshaping_context_create() else { fatalError("FreeType cannot start") }
        self.handle = handle
        self.settings = settings
        faces = [FontFace.empty(context: handle, size: 1, slot: 0)]
    }

    deinit {
        stacks.removeAll()
        faces.removeAll()
        cshaping_context_destroy(handle)
    }

    /// Number of styles and of faces that are open.
    var liveCounts: (styles: Int, faces: Int) { (stacks.count, faces.count - freeSlots.count) }

    /// Whether there are so many styles that lines which are out of sight are worth their release.
    var isCrowded: Bool { stacks.count > Self.unusedLimit + 16 }

    /// The candidates for a style, sorted once; those of the font nearest to it where there are too many styles.
    func stack(for descriptor: FontDescriptor) -> FontStack {
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
        func distance(_ stack: FontStack) -> Double {
            let font = stack.descriptor
            let isOther = font.family != wanted.family || font.weight != wanted.weight || font.slant != wanted.slant
            return abs(font.size - wanted.size) + (isOther ? 10_000 : 0)
        }
        var best = stacks[0]
        var least = distance(best)
        for stack in stacks.dropFirst() {
            let distance = distance(stack)
            if distance < least { (best, least) = (stack, distance) }
        }
        return best
    }

    /// Releases the styles that nothing uses but for those used last, and then the faces that no style uses. O(n log n) in the styles.
    func releaseUnused() {
        var unused: [Int] = []
        for i in stacks.indices where isKnownUniquelyReferenced(&stacks[i]) { unused.append(i) }
        guard unused.count > Self.unusedLimit / 2 else { return }
        unused.sort { stacks[$0].lastUse > stacks[$1].lastUse }
        let dropped = Set(unused.dropFirst(Self.unusedLimit / 2))
        stacks = stacks.indices.filter { !dropped.contains($0) }.map { stacks[$0] }
        stackIndices = Dictionary(
            uniqueKeysWithValues: stacks.enumerated().map { ($0.element.descriptor, $0.offset) })
        for slot in faces.indices.dropFirst() where faces[slot] !== faces[0] {
            if isKnownUniquelyReferenced(&faces[slot]) {
                faces[slot] = faces[0]
                freeSlots.append(slot)
            }
        }
        slots = slots.filter { faces[$0.value] !== faces[0] }
    }

    /// The face of a resolved pattern; nil if its file cannot be opened.
    func face(pattern: String) -> FontFace? {
        if let slot = slots[pattern] { return faces[slot] }
        let slot = freeSlots.last ?? faces.count
        guard let face = FontFace(context: handle, pattern: pattern, slot: slot) else { return nil }
        slots[pattern] = slot
        keep(face)
        return face
    }

    /// A face that has no glyph but measures like a font of a size in pixels.
    func emptyFace(size: Double) -> FontFace {
        let face = FontFace.empty(context: handle, size: size, slot: freeSlots.last ?? faces.count)
        keep(face)
        return face
    }

    private func keep(_ face: FontFace) {
        if freeSlots.popLast() == nil { faces.append(face) } else { faces[face.slot] = face }
    }
}
