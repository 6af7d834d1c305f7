import CX11

/// A font opened by Xft, with the ink extents of the glyphs that were measured.
final class CanvasFont {
    /// The rectangle of a glyph's ink relative to the pen position, in pixels, half-open: `left..<right`,
    /// `top..<bottom`, y downwards.
    struct Ink {
        var left: Int16
        var top: Int16
        var right: Int16
        var bottom: Int16
        var isLoaded: Bool

        /// Extends this rectangle to cover `other` as well. An empty `other` counts as one pixel.
        mutating func add(_ other: Ink) {
            (left, top) = (min(left, other.left), min(top, other.top))
            right = max(right, other.right, other.left &+ 1)
            bottom = max(bottom, other.bottom, other.top &+ 1)
        }
    }

    let pointer: UnsafeMutablePointer<XftFont>
    /// Whether this is a colour font; false if fontconfig has chosen the font for a description.
    let isColored: Bool
    /// Whether this font replaces one that cannot be opened, so that glyph numbers stand for other glyphs.
    let isSubstitute: Bool
    /// The smallest rectangle around the ink of all measured glyphs, relative to the pen position. A blank counts as
    /// one pixel.
    @exclusivity(unchecked) private(set) var reach = Ink(left: 0, top: 0, right: 1, bottom: 1, isLoaded: true)
    /// The last use of this font for drawing, as a count of drawings that ``FontCache`` keeps.
    var lastUse = 0
    /// The approximate size of the measured glyphs in the server, in bytes.
    @exclusivity(unchecked) private(set) var glyphMemory = 0
    private let connection: OpaquePointer
    /// The ink of the glyphs by number, in pages of 256 that are allocated on demand. The pointer is a constant,
    /// because Swift checks each use of a variable for overlapping access.
    private let pages: UnsafeMutablePointer<UnsafeMutablePointer<Ink>?>
    /// The number of pages. They have room for glyph numbers below 65,536; the ink of other glyphs is measured at each
    /// use.
    private static let pageCount = 256

    /// Creates the font that a fully resolved fontconfig pattern describes, without a search for similar fonts. The
    /// font is read from `file` if it is not nil. Nil if the font file cannot be used.
    init?(_ connection: OpaquePointer, pattern text: String, file: String?, isSubstitute: Bool = false) {
        guard let pattern = FcNameParse(text) else { return nil }
        if let file {
            FcPatternDel(pattern, FC_FILE)
            FcPatternAddString(pattern, FC_FILE, file)
        }
        var isColored: FcBool = 0
        FcPatternGetBool(pattern, FC_COLOR, 0, &isColored)
        // Set an empty character set. Without one, Xft would compute it, which takes long. It is needed only to
        // find glyphs by character, and that never happens here.
        FcPatternDel(pattern, FC_CHARSET)
        if let none = FcCharSetCreate() {
            FcPatternAddCharSet(pattern, FC_CHARSET, none)
            FcCharSetDestroy(none)
        }
        guard let font = Xft.locked({ XftFontOpenPattern(connection, pattern) }) else {
            FcPatternDestroy(pattern)
            return nil
        }
        pointer = font
        pages = Self.makePages()
        self.connection = connection
        self.isColored = isColored != 0
        self.isSubstitute = isSubstitute
        // Load one glyph now. Xft drops a whole batch of glyphs if one of their fonts has no glyph loaded.
        load(0)
    }

    /// Creates the font that fontconfig finds for a description; nil if no font is installed.
    init?(_ connection: OpaquePointer, substitute description: String) {
        let screen = XDefaultScreen(connection)
        guard let font = Xft.locked({ XftFontOpenName(connection, screen, description) }) else { return nil }
        pointer = font
        pages = Self.makePages()
        self.connection = connection
        isColored = false
        isSubstitute = true
        load(0)
    }

    private static func makePages() -> UnsafeMutablePointer<UnsafeMutablePointer<Ink>?> {
        let pages = UnsafeMutablePointer<UnsafeMutablePointer<Ink>?>.allocate(capacity: pageCount)
        pages.initialize(repeating: nil, count: pageCount)
        return pages
    }

    deinit {
        for index in 0..<Self.pageCount { pages[index]?.deallocate() }
        pages.deallocate()
    }

    /// Whether the ink of a glyph is known, so that ``ink(of:)`` needs no request.
    @inline(__always)
    func isLoaded(_ glyph: UInt32) -> Bool {
        let index = Int(glyph >> 8)
        guard index < Self.pageCount, let page = pages[index] else { return false }
        return page[Int(glyph & 0xff)].isLoaded
    }

    /// Returns the ink of a glyph. Loads the glyph and sends it to the server if this was not done yet.
    func ink(of glyph: UInt32) -> Ink {
        let index = Int(glyph >> 8)
        if index < Self.pageCount, let page = pages[index] {
            let ink = page[Int(glyph & 0xff)]
            if ink.isLoaded { return ink }
        }
        return measure(glyph)
    }

    func close() { Xft.locked { XftFontClose(connection, pointer) } }

    private func measure(_ glyph: UInt32) -> Ink {
        load(glyph)
        var number = FT_UInt(glyph)
        var extents = XGlyphInfo()
        Xft.locked { XftGlyphExtents(connection, pointer, &number, 1, &extents) }
        let left = Int16(clamping: -Int(extents.x))
        let top = Int16(clamping: -Int(extents.y))
        let ink = Ink(
            left: left, top: top, right: Int16(clamping: Int(left) + Int(extents.width)),
            bottom: Int16(clamping: Int(top) + Int(extents.height)), isLoaded: true)
        reach.add(ink)
        glyphMemory += 64 + Int(extents.width) * Int(extents.height) * 4
        guard glyph < 0x10000 else { return ink }
        let index = Int(glyph >> 8)
        let page = pages[index] ?? makePage()
        pages[index] = page
        page[Int(glyph & 0xff)] = ink
        return ink
    }

    private func makePage() -> UnsafeMutablePointer<Ink> {
        let page = UnsafeMutablePointer<Ink>.allocate(capacity: 256)
        page.initialize(repeating: Ink(left: 0, top: 0, right: 0, bottom: 0, isLoaded: false), count: 256)
        return page
    }

    private func load(_ glyph: UInt32) {
        withUnsafeTemporaryAllocation(of: FT_UInt.self, capacity: 256) { missing in
            var count: Int32 = 0
            guard let base = missing.baseAddress else { return }
            Xft.locked {
                XftFontCheckGlyph(connection, pointer, 1, FT_UInt(glyph), base, &count)
                if count > 0 { XftFontLoadGlyphs(connection, pointer, 1, base, count) }
            }
        }
    }
}

/// The lock for calls of Xft, which has tables that all displays of a process share.
enum Xft {
    /// Calls Xft under the lock. Taking a free lock costs about 20 ns.
    @inline(__always)
    static func locked<Result>(_ call: () -> Result) -> Result {
        cx11_xft_lock()
        defer { cx11_xft_unlock() }
        return call()
    }
}
