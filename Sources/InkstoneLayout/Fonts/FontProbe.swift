import CShaping
import InkstoneBase

/// A font as layout measures it, for tests that compare the measurements with those of another engine.
package final class FontProbe {
    private let context: FontContext
    private let face: FontFace

    /// Creates a probe for the font that layout would use for a scalar; nil if no font has it.
    package init?(_ descriptor: FontDescriptor, settings: FontSettings = FontSettings(), showing scalar: UInt32 = 0x20)
    {
        context = FontContext(settings: settings)
        let stack = context.stack(for: descriptor)
        let slot = stack.slot(for: scalar, emoji: scalar > 0x1f000)
        guard slot >= 0 else { return nil }
        face = context.faces[Int(slot)]
    }

    /// Creates a probe for the font of a fully resolved pattern; nil if its file cannot be opened. If `other` is
    /// given, both share one font context.
    package init?(pattern: String, beside other: FontProbe? = nil) {
        context = other?.context ?? FontContext(settings: FontSettings())
        guard let face = context.face(pattern: pattern) else { return nil }
        self.face = face
    }

    /// The identifier of the font for the canvas.
    package var id: FontID { face.id }

    /// Returns the glyph of a scalar; 0 if the font has none.
    package func glyph(_ scalar: UInt32) -> UInt32 { cshaping_font_glyph(face.handle, scalar) }

    /// Returns the advance of a glyph in whole pixels.
    package func advance(_ glyph: UInt32) -> Int { Int(cshaping_font_advance(face.handle, glyph)) }

    /// Ascent, descent and line height in whole pixels.
    package var metrics: [Int] {
        [Int(face.metrics.ascent), Int(face.metrics.descent), Int(face.metrics.height)]
    }

    /// Whether all glyphs whose advance is not 0 have the same advance.
    package var isFixedPitch: Bool { face.metrics.fixed_pitch }
}
