import CShaping
import InkstoneBase

/// One font file at one size with its rendering options, opened for measuring and shaping.
final class FontFace {
    /// What the canvas knows this font by.
    let id: FontID
    /// Place in the context's list of faces: small enough for a run to carry.
    let slot: Int
    let handle: OpaquePointer
    /// Vertical measures in whole pixels and what the font needs of shaping.
    let metrics: cshaping_metrics
    /// Glyph and advance (whole pixels) of the space; 0 if there is none.
    let spaceGlyph: UInt32
    let spaceAdvance: Int32
    /// Glyphs of U+0020…U+007E for fonts that need no shaping for them; empty for others.
    let plainGlyphs: [UInt32]

    /// Opens what `pattern` names; nil if the file cannot be read.
    init?(context: OpaquePointer, pattern: String, slot: Int) {
        guard let handle = cshaping_font_create(context, pattern) else { return nil }
        self.handle = handle
        self.slot = slot
        id = FontTable.intern(pattern)
        var metrics = cshaping_metrics()
        cshaping_font_metrics(handle, &metrics)
        self.metrics = metrics
        spaceGlyph = cshaping_font_glyph(handle, 0x20)
        spaceAdvance = spaceGlyph == 0 ? 0 : cshaping_font_advance(handle, spaceGlyph)
        var plain: [UInt32] = []
        if metrics.plain_latin {
            plain = (0x20...0x7e).map { cshaping_font_glyph(handle, UInt32($0)) }
            if plain.contains(0) { plain = [] }
        }
        plainGlyphs = plain
    }

    deinit { cshaping_font_destroy(handle) }
}
