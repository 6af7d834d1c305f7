import CShaping
import InkstoneBase

/// The fonts that one thread lays out with: faces by pattern, sorted candidates by style.
///
/// FreeType faces are never shared with Xft: Xft gives one face to all sizes of a file and takes it away again.
final class FontContext {
    let handle: OpaquePointer
    /// All faces opened so far; runs name them by index.
    private(set) var faces: [FontFace] = []
    private var slots: [String: Int] = [:]
    private var stacks: [FontDescriptor: FontStack] = [:]
    /// Rendering settings that descriptors are resolved with.
    let settings: FontSettings

    /// Starts FreeType. Traps if it cannot start, which means that memory is out.
    init(settings: FontSettings) {
        guard let handle = cshaping_context_create() else { fatalError("FreeType cannot start") }
        self.handle = handle
        self.settings = settings
    }

    deinit {
        stacks.removeAll()
        faces.removeAll()
        cshaping_context_destroy(handle)
    }

    /// The candidates for a style, sorted once. Traps if the system has no font at all.
    func stack(for descriptor: FontDescriptor) -> FontStack {
        if let known = stacks[descriptor] { return known }
        let made = FontStack(descriptor, number: UInt64(stacks.count), context: self)
        stacks[descriptor] = made
        return made
    }

    /// The face of a resolved pattern; nil if its file cannot be opened.
    func face(pattern: String) -> FontFace? {
        if let slot = slots[pattern] { return faces[slot] }
        guard let face = FontFace(context: handle, pattern: pattern, slot: faces.count) else { return nil }
        slots[pattern] = face.slot
        faces.append(face)
        return face
    }
}
