import InkstoneBase
import InkstoneLayout

/// The glyphs of many lines on their way to a canvas, which takes those of one colour in one request.
struct GlyphBatch {
    private struct Layer {
        var color: Color
        var glyphs: [CanvasGlyph] = []
        var boxes: [WindowRect] = []
    }

    /// The usual colour first.
    private var layers: [Layer]
    /// Stretches of text with a colour of their own, in order.
    private let runs: [RenderingRun]
    /// Where the document's origin lies, in window pixels.
    private let origin: WindowPoint

    /// - Parameters:
    ///   - origin: where the document's origin lies, in window pixels.
    ///   - decorations: what gives stretches another colour; where some overlap, later ones do.
    init(origin: WindowPoint, color: Color, decorations: [TextDecoration] = []) {
        self.origin = origin
        layers = [Layer(color: color)]
        // A line or two: that is what a key changes.
        layers[0].glyphs.reserveCapacity(256)
        let colored = decorations.compactMap { decoration in
            decoration.foreground.map {
                RenderingRun(range: decoration.range, attributes: RenderingAttributes(foreground: $0))
            }
        }
        runs = DecorationLayers.flattened(colored).filter { $0.attributes.foreground != color }
    }

    /// Adds the lines of a fragment whose ink meets `area`, in pixels of the document; without glyphs that are set off from
    /// the baseline by more than `limit` pixels.
    mutating func append(_ fragment: TextLayoutFragment, within area: DocumentRect, limit: Int32) {
        let dx = Int32(origin.x)
        // Kept apart meanwhile: most are of the usual colour, and adding to a layer costs more than adding to an array.
        var usual: [CanvasGlyph] = []
        swap(&usual, &layers[0].glyphs)
        defer { swap(&usual, &layers[0].glyphs) }
        for line in fragment.textLineFragments {
            let reach = line.inkReach(limit: limit)
            guard line.top - Double(reach.above) < area.maxY, line.bottom + Double(reach.below) > area.minY else {
                continue
            }
            let top = Int32(origin.y + line.top)
            let baseline = Int32(line.baseline - line.top)
            // Ink goes beyond an advance, as that of slanted letters and of marks, but not by several lines' height.
            let beyond = 4 * (line.bottom - line.top)
            let span =
                Self.pixel(area.minX - beyond)...max(Self.pixel(area.minX - beyond), Self.pixel(area.maxX + beyond))
            line.withGlyphs(within: span) { glyphs in
                for glyph in glyphs where abs(glyph.y &- baseline) <= limit {
                    let made = CanvasGlyph(
                        font: glyph.font, glyph: glyph.glyph, x: glyph.x &+ dx, y: glyph.y &+ top)
                    let layer = runs.isEmpty ? 0 : layer(at: glyph.offset)
                    if layer == 0 { usual.append(made) } else { layers[layer].glyphs.append(made) }
                }
            } missing: { missing in
                let layer = runs.isEmpty ? 0 : layer(at: missing.offset)
                let (left, y) = (missing.x + dx, missing.y + top)
                missing.box.forEachPart(of: missing.scalar) { dx, dy, width, height in
                    layers[layer].boxes.append(
                        WindowRect(
                            x: Double(left + dx), y: Double(y + dy), width: Double(width), height: Double(height)))
                }
            }
        }
    }

    private static func pixel(_ x: Double) -> Int32 { Int32(min(max(-1e9, x), 1e9)) }

    /// The layer of the colour at a UTF-16 unit of the document.
    private mutating func layer(at offset: Int) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].range.upperBound.value <= offset { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, runs[low].range.lowerBound.value <= offset,
            let color = runs[low].attributes.foreground
        else { return 0 }
        if let index = layers.firstIndex(where: { $0.color == color }) { return index }
        layers.append(Layer(color: color))
        return layers.count - 1
    }

    /// Paints all, each colour at once.
    func draw(on canvas: any Canvas) {
        for layer in layers {
            if !layer.glyphs.isEmpty { canvas.draw(layer.glyphs, layer.color) }
            for box in layer.boxes { canvas.fill(box, layer.color) }
        }
    }
}
