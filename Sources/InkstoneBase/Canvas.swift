/// A glyph to paint: its font, its index, and its origin (pen position on the baseline).
@frozen
public struct CanvasGlyph: Hashable, Sendable {
    /// The font that the glyph index belongs to.
    public var font: FontID
    /// Glyph index in that font (not a character).
    public var glyph: UInt32
    /// Pen position, whole device pixels of the window, on the baseline.
    public var x: Int32
    /// Baseline, whole device pixels of the window.
    public var y: Int32

    /// A glyph at a pen position in window pixels.
    @inlinable
    public init(font: FontID, glyph: UInt32, x: Int32, y: Int32) {
        self.font = font
        self.glyph = glyph
        self.x = x
        self.y = y
    }
}

/// The drawing surface of a view: a window's back pixmap, or a recording in tests.
///
/// All coordinates are window pixels. Painting is buffered; the owner of the canvas shows it with the damage that the
/// view reports. No call fails: painting outside the canvas or the clip is cut off.
public protocol Canvas: AnyObject {
    /// Extent of the canvas in device pixels.
    var size: Size { get }

    /// Limits painting to `rects` until the next call; nil removes the limit.
    func setClip(_ rects: [WindowRect]?)

    /// The rectangle that painting is limited to by ``setLimit(_:)``; nil for none.
    var limit: WindowRect? { get }

    /// Limits painting to `rect`, independently of the clip: for an owner that passes the canvas to a part of a window. Nil removes the
    /// limit. The clip does not change.
    func setLimit(_ rect: WindowRect?)

    /// Fills a rectangle; edges are rounded to whole pixels. Blends where the colour is not opaque.
    func fill(_ rect: WindowRect, _ color: Color)

    /// Paints glyphs of one colour; fonts and lines may be mixed. One request for all, so pass whole batches.
    func draw(_ glyphs: [CanvasGlyph], _ color: Color)

    /// Paints an image over what is there, scaled to a rectangle, whose edges are rounded to whole pixels.
    func draw(_ image: CanvasImage, in rect: WindowRect)

    /// Copies a part of the canvas to another position (scrolling); the areas may overlap.
    func copy(_ source: WindowRect, to origin: WindowPoint)
}
