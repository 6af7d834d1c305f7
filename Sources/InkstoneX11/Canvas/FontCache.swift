import CX11
import InkstoneBase

/// The fonts that a display has opened for drawing, and its glyph colours. If there are many fonts, or if their
/// glyphs use much of the server's memory, the least recently used fonts are closed.
final class FontCache {
    private let display: Display
    /// The open fonts. Several identifiers have the same font if Xft opens the same font for them, or if none of their
    /// fonts can be opened.
    private var fonts: [FontID: CanvasFont] = [:]
    /// The number of drawings so far, as the time of the last use of a font.
    private var clock = 0

    /// The maximum number of fonts, and the maximum size of all their glyphs in the server, in bytes. If one of
    /// them is exceeded, the least recently used fonts are closed until both values are at most half of these
    /// maxima.
    static let (most, mostMemory) = (128, 64 << 20)
    private var substitute: CanvasFont?
    private var sources: [Color: UInt] = [:]
    private var specs: [XftGlyphFontSpec] = []
    private var colored: [XftGlyphFontSpec] = []

    init(_ display: Display) {
        self.display = display
        // Xft counts a colour glyph 256 times, so its default limits keep only two emoji in memory. These limits
        // keep 4 MB of emoji. But they would let other glyphs use a gigabyte, so ``trim()`` limits the total by
        // closing fonts.
        _ = cx11_xft_set_limits(display.connection, 1 << 30, 0)
    }

    /// The number of identifiers with an open font, and the approximate size of the glyphs in the server, in bytes.
    var liveCounts: (fonts: Int, memory: Int) {
        var seen: Set<ObjectIdentifier> = []
        let memory = fonts.values.reduce(0) { seen.insert(ObjectIdentifier($1)).inserted ? $0 + $1.glyphMemory : $0 }
        return (fonts.count, memory)
    }

    /// Closes the least recently used fonts if there are too many, or if their glyphs take too much memory. Must
    /// not be called between ``collect(_:_:)`` and the drawing, because it may close a font that is needed.
    private func trim() {
        var (count, memory) = liveCounts
        guard count > Self.most || memory > Self.mostMemory else { return }
        let users = Dictionary(grouping: fonts) { ObjectIdentifier($0.value) }.values
        for users in users.sorted(by: { $0[0].value.lastUse < $1[0].value.lastUse }) {
            if count <= Self.most / 2, memory <= Self.mostMemory / 2 { return }
            for (id, _) in users { fonts[id] = nil }
            let font = users[0].value
            if font !== substitute { font.close() }
            count -= users.count
            memory -= font.glyphMemory
        }
    }

    /// Returns the font with an identifier, opened on first use; a substitute if that fails; nil if no font is
    /// installed.
    func font(_ id: FontID) -> CanvasFont? {
        if let font = fonts[id] {
            font.lastUse = clock
            return font
        }
        let opened = CanvasFont(display.connection, pattern: FontTable.pattern(for: id), file: FontTable.file(for: id))
        let font = opened.map(shared) ?? fallback
        font?.lastUse = clock
        fonts[id] = font
        return font
    }

    /// Returns the font that is open already if Xft has opened the same font as `new` for another identifier.
    private func shared(_ new: CanvasFont) -> CanvasFont {
        guard let old = fonts.values.first(where: { $0.pointer == new.pointer && $0 !== substitute }) else {
            return new
        }
        new.close()
        return old
    }

    /// Draws the glyphs that are visible within a clip. If there are any, calls `prepare` before the drawing, with
    /// whether the server must clip: it must if some visible glyph is not contained in any single rectangle of the
    /// clip.
    func draw(
        _ glyphs: [CanvasGlyph], _ color: Color, on picture: UInt, clip: [XRectangle],
        prepare: (_ needsCut: Bool) -> Void
    ) {
        guard !clip.isEmpty else { return }
        clock += 1
        if clock % 64 == 0 { trim() }
        let needsCut = display.tolerating { collect(glyphs, clip) }
        guard !specs.isEmpty || !colored.isEmpty else { return }
        prepare(needsCut)
        let source = source(color)
        display.tolerating {
            // Limit the request to 4096 glyphs of up to 12 bytes: after a request of more than 262,140 bytes, Xlib
            // loses count of its requests and ends the process.
            render(specs[...], in: 4096, source, picture)
            // Draw colour glyphs in small batches, for which Xft has a simpler code path. They cost nothing more,
            // because Xft sends each colour glyph in a separate request anyway.
            render(colored[...], in: 16, source, picture)
        }
    }

    /// Frees the server's resources for fonts and colours.
    func close() {
        let open = Dictionary(fonts.values.map { (ObjectIdentifier($0), $0) }) { font, _ in font }
        for font in open.values where font !== substitute { font.close() }
        substitute?.close()
        fonts = [:]
        substitute = nil
        for source in sources.values { XRenderFreePicture(display.connection, source) }
        sources = [:]
    }

    /// Fills ``specs`` and ``colored`` with the visible glyphs. Returns whether some of them are not contained in
    /// any single rectangle of the clip.
    private func collect(_ glyphs: [CanvasGlyph], _ clip: [XRectangle]) -> Bool {
        // Use local variables: Swift checks each use of a property for overlapping access.
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

    /// Adds the visible glyphs of one font to `specs`. Returns whether some of them are not contained in any single
    /// rectangle of the clip.
    private func collect(
        _ glyphs: ArraySlice<CanvasGlyph>, of font: CanvasFont, _ clip: [XRectangle],
        into specs: inout [XftGlyphFontSpec]
    ) -> Bool {
        let first = Edges(clip[0])
        // The pen positions at which no glyph measured so far extends beyond the clip's first rectangle.
        var inner = first.inset(by: font.reach)
        var needsCut = false
        // Collect the visible glyphs in batches that fit on the stack.
        withUnsafeTemporaryAllocation(of: XftGlyphFontSpec.self, capacity: 64) { seen in
            var count = 0
            for glyph in glyphs {
                let number = font.isSubstitute ? 0 : glyph.glyph
                if !(inner.holds(glyph.x, glyph.y) && font.isLoaded(number)) {
                    guard Int16(exactly: glyph.x) != nil, Int16(exactly: glyph.y) != nil else { continue }
                    let box = Edges(font.ink(of: number), at: glyph.x, glyph.y)
                    inner = first.inset(by: font.reach)
                    if !first.holds(box) {
                        guard clip.contains(where: { Edges($0).meets(box) }) else { continue }
                        if !clip.contains(where: { Edges($0).holds(box) }) { needsCut = true }
                    }
                }
                let (x, y) = (Int16(truncatingIfNeeded: glyph.x), Int16(truncatingIfNeeded: glyph.y))
                seen.initializeElement(
                    at: count, to: XftGlyphFontSpec(font: font.pointer, glyph: number, x: x, y: y))
                count += 1
                if count == seen.count {
                    specs.append(contentsOf: seen)
                    count = 0
                }
            }
            specs.append(contentsOf: UnsafeBufferPointer(rebasing: seen[..<count]))
        }
        return needsCut
    }

    /// A half-open rectangle, given by its edges.
    private struct Edges {
        var left: Int32
        var top: Int32
        var right: Int32
        var bottom: Int32

        init(left: Int32, top: Int32, right: Int32, bottom: Int32) {
            (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        }

        /// Creates the rectangle of the pixels that a glyph covers with the pen at a point. A blank counts as one
        /// pixel, and is drawn as well: leaving it out would take more bytes in the request.
        init(_ ink: CanvasFont.Ink, at x: Int32, _ y: Int32) {
            (left, top) = (x &+ Int32(ink.left), y &+ Int32(ink.top))
            (right, bottom) = (max(left &+ 1, x &+ Int32(ink.right)), max(top &+ 1, y &+ Int32(ink.bottom)))
        }

        init(_ part: XRectangle) {
            (left, top) = (Int32(part.x), Int32(part.y))
            (right, bottom) = (left + Int32(part.width), top + Int32(part.height))
        }

        /// Returns the pen positions for which ink of the given extent lies within this rectangle.
        func inset(by ink: CanvasFont.Ink) -> Edges {
            Edges(
                left: left - Int32(ink.left), top: top - Int32(ink.top), right: right - Int32(ink.right),
                bottom: bottom - Int32(ink.bottom))
        }

        /// Whether a pen position is in this rectangle or on its edges.
        @inline(__always)
        func holds(_ x: Int32, _ y: Int32) -> Bool { x >= left && x <= right && y >= top && y <= bottom }

        @inline(__always)
        func holds(_ other: Edges) -> Bool {
            other.left >= left && other.right <= right && other.top >= top && other.bottom <= bottom
        }

        func meets(_ other: Edges) -> Bool {
            other.left < right && other.right > left && other.top < bottom && other.bottom > top
        }
    }

    /// Draws glyphs in batches of `size` glyphs.
    private func render(_ specs: ArraySlice<XftGlyphFontSpec>, in size: Int, _ source: UInt, _ picture: UInt) {
        var rest = specs
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBufferPointer { specs in
                Xft.locked {
                    XftGlyphFontSpecRender(
                        display.connection, PictOpOver, source, picture, 0, 0, specs.baseAddress, Int32(specs.count))
                }
            }
            rest = rest.dropFirst(size)
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
