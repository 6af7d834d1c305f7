import CShaping
import InkstoneBase

/// A font as layout measures it, for tests that compare it with another engine.
package final class FontProbe {
    private let context: FontContext
    private let face: FontFace

    /// Finds the font in which layout would set a scalar; nil if no font has it.
    package init?(_ descriptor: FontDescriptor, settings: FontSettings = FontSettings(), showing scalar: UInt32 = 0x20)
    {
        context = FontContext(settings: settings)
        let stack = context.stack(for: descriptor)
        let slot = stack.slot(for: scalar, emoji: scalar > 0x1f000)
        guard slot >= 0 else { return nil }
        face = context.faces[Int(slot)]
    }

    /// Opens the font of a resolved pattern, in the context of another probe or in one of its own; nil if its file cannot be opened.
    package init?(pattern: String, beside other: FontProbe? = nil) {
        context = other?.context ?? FontContext(settings: FontSettings())
        guard let face = context.face(pattern: pattern) else { return nil }
        self.face = face
    }

    /// The identifier by which the canvas opens the font.
    package var id: FontID { face.id }

    /// Returns the glyph of a scalar, 0 if the font has none.
    package func glyph(_ scalar: UInt32) -> UInt32 { cshaping_font_glyph(face.handle, scalar) }

    /// Returns the advance of a glyph in whole pixels.
    package func advance(_ glyph: UInt32) -> Int { Int(cshaping_font_advance(face.handle, glyph)) }

    /// Ascent, descent and line height in whole pixels.
    package var metrics: [Int] {
        [Int(face.metrics.ascent), Int(face.metrics.descent), Int(face.metrics.height)]
    }

    /// Whether all glyphs with an advance have the same one.
    package var isFixedPitch: Bool { face.metrics.fixed_pitch }
}
