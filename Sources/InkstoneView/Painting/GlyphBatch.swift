import InkstoneBase
import InkstoneLayout

/// The glyphs of many lines, collected by colour, so that each colour is drawn by one request.
struct GlyphBatch {
    private struct Layer {
        var color: Color
        var glyphs: [CanvasGlyph] = []
        var boxes: [WindowRect] = []
    }

    /// The glyphs in the text colour of the view.
    private var usual: Layer
    /// The glyphs in other colours, one layer for each colour.
    private var others: [Layer] = []
    /// The runs of text with another colour than the view's text colour, in order.
    private let runs: [RenderingRun]
    /// The position of the document's origin, in window pixels.
    private let origin: WindowPoint

    /// Creates a batch without glyphs.
    ///
    /// - Parameters:
    ///   - origin: the position of the document's origin, in window pixels.
    ///   - decorations: the decorations whose colours apply. If two overlap, the later one wins.
    init(origin: WindowPoint, color: Color, decorations: [TextDecoration] = []) {
        self.origin = origin
        usual = Layer(color: color)
        // Reserve room for one or two lines, the amount that a key press usually repaints.
        usual.glyphs.reserveCapacity(256)
        let colored = decorations.compactMap { decoration in
            decoration.foreground.map {
                RenderingRun(range: decoration.range, attributes: RenderingAttributes(foreground: $0))
            }
        }
        runs = DecorationLayers.flattened(colored).filter { $0.attributes.foreground != color }
    }

    /// Adds the lines of a fragment whose ink intersects `area`, in document pixels. Glyphs that are more than
    /// `limit` pixels away from the baseline are omitted.
    mutating func append(_ fragment: TextLayoutFragment, within area: DocumentRect, limit: Int32) {
        let dx = Int32(Int(checking: origin.x, in: Self.places))
        for line in fragment.textLineFragments {
            let reach = line.inkReach(limit: limit)
            guard line.top - Double(reach.above) < area.maxY, line.bottom + Double(reach.below) > area.minY else {
                continue
            }
            let top = Int32(Int(checking: origin.y + line.top, in: Self.places))
            // Include glyphs up to this distance outside of the area. The ink of slanted letters and of combining
            // marks extends beyond their advances, but by less than four line heights.
            let beyond = 4 * (line.bottom - line.top)
            let span =
                Self.pixel(area.minX - beyond)...max(Self.pixel(area.minX - beyond), Self.pixel(area.maxX + beyond))
            line.withGlyphs(within: span, limit: limit) { glyphs in
                func placed(_ glyph: LineGlyph) -> CanvasGlyph {
                    CanvasGlyph(font: glyph.font, glyph: glyph.glyph, x: glyph.x &+ dx, y: glyph.y &+ top)
                }
                if runs.isEmpty {
                    for glyph in glyphs { usual.glyphs.append(placed(glyph)) }
                    return
                }
                for glyph in glyphs {
                    if let layer = layer(at: glyph.offset) {
                        others[layer].glyphs.append(placed(glyph))
                    } else {
                        usual.glyphs.append(placed(glyph))
                    }
                }
            } missing: { missing in
                let layer = runs.isEmpty ? nil : layer(at: missing.offset)
                let (left, y) = (missing.x + dx, missing.y + top)
                missing.box.forEachPart(of: missing.scalar) { dx, dy, width, height in
                    let box = WindowRect(
                        x: Double(left + dx), y: Double(y + dy), width: Double(width), height: Double(height))
                    if let layer { others[layer].boxes.append(box) } else { usual.boxes.append(box) }
                }
            }
        }
    }

    /// The range of valid pen positions, in pixels. It extends far beyond any screen.
    private static let places = -(1 << 30)...1 << 30

    private static func pixel(_ x: Double) -> Int32 { Int32(min(max(-1e9, x), 1e9)) }

    /// Returns the index in ``others`` of the layer for a UTF-16 offset of the document; nil for the view's text
    /// colour.
    private mutating func layer(at offset: Int) -> Int? {
        let index = runs.partitioningIndex { $0.range.upperBound.value > offset }
        guard index < runs.count, runs[index].range.lowerBound.value <= offset,
            let color = runs[index].attributes.foreground
        else { return nil }
        if let index = others.firstIndex(where: { $0.color == color }) { return index }
        others.append(Layer(color: color))
        return others.count - 1
    }

    /// Draws all glyphs, those of each colour in one request, and the boxes of missing glyphs.
    func draw(on canvas: any Canvas) {
        draw(usual, on: canvas)
        for layer in others { draw(layer, on: canvas) }
    }

    private func draw(_ layer: Layer, on canvas: any Canvas) {
        if !layer.glyphs.isEmpty { canvas.draw(layer.glyphs, layer.color) }
        for box in layer.boxes { canvas.fill(box, layer.color) }
    }
}
