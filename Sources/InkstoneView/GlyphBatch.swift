import InkstoneBase
import InkstoneLayout

/// The glyphs of many lines on their way to a canvas, which takes them in one request.
struct GlyphBatch {
    private var glyphs: [CanvasGlyph] = []
    private var boxes: [WindowRect] = []
    /// Where the document's origin lies, in window pixels.
    private let origin: WindowPoint

    init(origin: WindowPoint) { self.origin = origin }

    /// Adds the lines of a fragment that meet `area`, in pixels of the document; ink may reach `overhang` beyond a line.
    mutating func append(_ fragment: TextLayoutFragment, within area: DocumentRect, overhang: Double) {
        let dx = Int32(origin.x)
        for line in fragment.textLineFragments {
            let bounds = line.typographicBounds
            guard bounds.minY - overhang < area.maxY, bounds.maxY + overhang > area.minY else { continue }
            let top = Int32(origin.y + line.top)
            line.forEachGlyph { glyph in
                glyphs.append(CanvasGlyph(font: glyph.font, glyph: glyph.glyph, x: glyph.x + dx, y: glyph.y + top))
            } missing: { missing in
                boxes.append(missing.rect.converted(from: origin))
            }
        }
    }

    /// Paints all in one colour.
    func draw(on canvas: any Canvas, _ color: Color) {
        if !glyphs.isEmpty { canvas.draw(glyphs, color) }
        for box in boxes {
            canvas.fill(WindowRect(x: box.minX, y: box.minY, width: box.width, height: 1), color)
            canvas.fill(WindowRect(x: box.minX, y: box.maxY - 1, width: box.width, height: 1), color)
            canvas.fill(WindowRect(x: box.minX, y: box.minY, width: 1, height: box.height), color)
            canvas.fill(WindowRect(x: box.maxX - 1, y: box.minY, width: 1, height: box.height), color)
        }
    }
}
