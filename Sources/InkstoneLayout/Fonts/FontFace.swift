import CShaping
import InkstoneBase

/// A font at one size with its rendering options, opened for measuring and shaping.
final class FontFace {
    /// The identifier of the font for the canvas.
    let id: FontID
    /// Index of the face in ``FontContext/faces``, by which glyph runs refer to it.
    let slot: Int
    let handle: OpaquePointer
    /// Size of the em square in pixels.
    let size: Double
    /// Vertical metrics in whole pixels, and properties that affect shaping.
    let metrics: cshaping_metrics
    /// The glyph of the space; 0 if the font has none.
    let spaceGlyph: UInt32
    /// The advance of the space in whole pixels; 0 if the font has none.
    let spaceAdvance: Int32
    /// Glyphs of U+0020…U+007E, for fonts in which these need no shaping; nil for others. An advance is negative
    /// until it is measured, when the glyph is first used.
    private let plainGlyphs: UnsafeMutablePointer<cshaping_glyph>?

    /// Whether printable ASCII needs no shaping in this font. ``plainGlyph(of:)`` can then be used.
    var isPlain: Bool { plainGlyphs != nil }

    /// Creates the face of a fully resolved fontconfig pattern by opening its file; nil if the file cannot be read.
    convenience init?(context: OpaquePointer, pattern: String, slot: Int) {
        guard let handle = cshaping_font_create(context, pattern) else { return nil }
        self.init(handle, pattern, size: FontContext.parts(of: pattern).size, slot)
    }

    /// Returns a face without glyphs, for a system without fonts. Traps if memory is exhausted.
    static func empty(context: OpaquePointer, size: Double, slot: Int) -> FontFace {
        guard let handle = cshaping_font_create_empty(context, size) else { fatalError("out of memory") }
        return FontFace(handle, "", size: size, slot)
    }

    private init(_ handle: OpaquePointer, _ pattern: String, size: Double, _ slot: Int) {
        self.handle = handle
        self.size = size
        self.slot = slot
        id = FontTable.intern(pattern, file: cshaping_font_file(handle).map { String(cString: $0) })
        var metrics = cshaping_metrics()
        cshaping_font_metrics(handle, &metrics)
        self.metrics = metrics
        spaceGlyph = cshaping_font_glyph(handle, 0x20)
        spaceAdvance = spaceGlyph == 0 ? 0 : cshaping_font_advance(handle, spaceGlyph)
        let plain = metrics.plain_latin ? (0x20...0x7e).map { cshaping_font_glyph(handle, UInt32($0)) } : [0]
        guard !plain.contains(0) else {
            plainGlyphs = nil
            return
        }
        let glyphs = UnsafeMutablePointer<cshaping_glyph>.allocate(capacity: plain.count)
        for (i, glyph) in plain.enumerated() {
            (glyphs + i).initialize(
                to: cshaping_glyph(glyph: glyph, cluster: 0, advance: -1, dx: 0, dy: 0, flags: 0))
        }
        plainGlyphs = glyphs
    }

    /// Returns the glyph of a printable ASCII unit, without shaping; its cluster is 0.
    @inline(__always)
    func plainGlyph(of unit: UInt16) -> cshaping_glyph {
        let glyph = plainGlyphs.unsafelyUnwrapped + (Int(unit) - 0x20)
        if glyph.pointee.advance < 0 {
            glyph.pointee.advance = cshaping_font_advance(handle, glyph.pointee.glyph) * 64
        }
        return glyph.pointee
    }

    deinit {
        FontTable.release(id)
        plainGlyphs?.deallocate()
        cshaping_font_destroy(handle)
    }
}
