import CX11
import InkstoneBase

/// The display's opened fonts and glyph colours.
final class FontCache {
    private let display: Display
    private var fonts: [CanvasFont?] = []
    private var substitute: CanvasFont?
    private var sources: [Color: UInt] = [:]
    private var specs: [XftGlyphFontSpec] = []
    private var colored: [XftGlyphFontSpec] = []

    init(_ display: Display) {
        self.display = display
        // Xft counts a colour glyph 256 times, so its own limits keep two emoji in memory; these keep 4 MB of them.
        _ = cx11_xft_set_limits(display.connection, 1 << 30, 64)
    }

    /// The font behind a number, opened the first time; a substitute if that fails, nil if there is no font at all.
    func font(_ id: FontID) -> CanvasFont? {
        let index = Int(id.rawValue)
        if index < fonts.count, let font = fonts[index] { return font }
        while fonts.count <= index { fonts.append(nil) }
        let font = CanvasFont(display.connection, pattern: FontTable.pattern(for: id)) ?? fallback
        fonts[index] = font
        return font
    }

    /// Draws the glyphs that a clip leaves to be seen. Before the first, `prepare` is told whether some reach over the clip's
    /// edge.
    func draw(
        _ glyphs: [CanvasGlyph], _ color: Color, on picture: UInt, clip: [XRectangle],
        prepare: (_ needsCut: Bool) -> Void
    ) {
        guard !clip.isEmpty else { return }
        let needsCut = display.tolerating { collect(glyphs, clip) }
        guard !specs.isEmpty || !colored.isEmpty else { return }
        prepare(needsCut)
        let source = source(color)
        display.tolerating {
            if !specs.isEmpty { render(specs[...], source, picture) }
            // Each costs a request of its own anyhow; small batches keep Xft's handling of colour fonts simple.
            var rest = colored[...]
            while !rest.isEmpty {
                render(rest.prefix(16), source, picture)
                rest = rest.dropFirst(16)
            }
        }
    }

    /// Frees what the server holds for fonts and colours.
    func close() {
        for font in fonts where font !== substitute { font?.close() }
        substitute?.close()
        fonts = []
        substitute = nil
        for source in sources.values { XRenderFreePicture(display.connection, source) }
        sources = [:]
    }

    /// Fills ``specs`` and ``colored`` with what is to be seen. Returns whether any of it reaches over the clip's edge.
    private func collect(_ glyphs: [CanvasGlyph], _ clip: [XRectangle]) -> Bool {
        // Kept apart from the object meanwhile: each use of a member asks whether somebody else is changing it.
        var specs: [XftGlyphFontSpec] = []
        var colored: [XftGlyphFontSpec] = []
        swap(&specs, &self.specs)
        swap(&colored, &self.colored)
        defer {
            swap(&specs, &self.specs)
            swap(&colored, &self.colored)
        }
        specs.removeAll(keepingCapacity: true)
        colored.removeAll(keepingCapacity: true)
        specs.reserveCapacity(glyphs.count)
        var needsCut = false
        var start = 0
        while start < glyphs.count {
            var end = start + 1
            while end < glyphs.count, glyphs[end].font == glyphs[start].font { end += 1 }
            if let font = font(glyphs[start].font) {
                let cut =
                    font.isColored
                    ? collect(glyphs[start..<end], of: font, clip, into: &colored)
                    : collect(glyphs[start..<end], of: font, clip, into: &specs)
                if cut { needsCut = true }
            }
            start = end
        }
        return needsCut
    }

    /// Adds what is to be seen of one font's glyphs. Returns whether any of it reaches over the clip's edge.
    private func collect(
        _ glyphs: ArraySlice<CanvasGlyph>, of font: CanvasFont, _ clip: [XRectangle],
        into specs: inout [XftGlyphFontSpec]
    ) -> Bool {
        var needsCut = false
        let first = Edges(clip[0])
        let pointer = font.pointer
        glyphs.withUnsafeBufferPointer { glyphs in
            for glyph in glyphs {
                guard let x = Int16(exactly: glyph.x), let y = Int16(exactly: glyph.y) else { continue }
                let number = font.isSubstitute ? 0 : glyph.glyph
                let ink = font.ink(of: number)
                // A blank is kept, because a gap between glyphs costs more bytes than a blank.
                let left = glyph.x &+ Int32(ink.left)
                let top = glyph.y &+ Int32(ink.top)
                let box = Edges(
                    left: left, top: top, right: max(left &+ 1, glyph.x &+ Int32(ink.right)),
                    bottom: max(top &+ 1, glyph.y &+ Int32(ink.bottom)))
                if !first.holds(box) {
                    guard clip.contains(where: { Edges($0).meets(box) }) else { continue }
                    if !clip.contains(where: { Edges($0).holds(box) }) { needsCut = true }
                }
                specs.append(XftGlyphFontSpec(font: pointer, glyph: number, x: x, y: y))
            }
        }
        return needsCut
    }

    /// A rectangle by its edges, half-open.
    private struct Edges {
        var left: Int32
        var top: Int32
        var right: Int32
        var bottom: Int32

        init(left: Int32, top: Int32, right: Int32, bottom: Int32) {
            (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        }

        init(_ part: XRectangle) {
            (left, top) = (Int32(part.x), Int32(part.y))
            (right, bottom) = (left + Int32(part.width), top + Int32(part.height))
        }

        @inline(__always)
        func holds(_ other: Edges) -> Bool {
            other.left >= left && other.right <= right && other.top >= top && other.bottom <= bottom
        }

        func meets(_ other: Edges) -> Bool {
            other.left < right && other.right > left && other.top < bottom && other.bottom > top
        }
    }

    private func render(_ specs: ArraySlice<XftGlyphFontSpec>, _ source: UInt, _ picture: UInt) {
        specs.withUnsafeBufferPointer {
            XftGlyphFontSpecRender(
                display.connection, PictOpOver, source, picture, 0, 0, $0.baseAddress, Int32($0.count))
        }
    }

    private var fallback: CanvasFont? {
        substitute = substitute ?? CanvasFont(display.connection, substitute: "sans-serif:pixelsize=14")
        return substitute
    }

    private func source(_ color: Color) -> UInt {
        if let picture = sources[color] { return picture }
        if sources.count >= 512 {
            for picture in sources.values { XRenderFreePicture(display.connection, picture) }
            sources = [:]
        }
        var value = color.render
        let picture = XRenderCreateSolidFill(display.connection, &value)
        sources[color] = picture
        return picture
    }
}
