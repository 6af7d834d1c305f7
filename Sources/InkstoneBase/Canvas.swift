/// A glyph to paint: its font, its index, and its origin (pen position on the baseline).
@frozen
public struct CanvasGlyph: Hashable, Sendable {
    /// The font that the glyph index belongs to.
    public var font: FontID
    /// Index of the glyph in that font (not a character).
    public var glyph: UInt32
    /// Horizontal pen position, in whole device pixels of the window.
    public var x: Int32
    /// Vertical position of the baseline, in whole device pixels of the window.
    public var y: Int32

    /// Creates a glyph at a pen position in window pixels.
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
/// All coordinates are window pixels. Painting is buffered. The view reports which areas are damaged, and the
/// canvas's owner copies these areas to the window. No call fails: what lies outside the canvas or the clip is not
/// painted.
public protocol Canvas: AnyObject {
    /// Size of the canvas in device pixels.
    var size: Size { get }

    /// Sets the clip: limits painting to `rects` until the next call. Nil removes the clip.
    func setClip(_ rects: [WindowRect]?)

    /// The rectangle to which ``setLimit(_:)`` has limited painting; nil for none.
    var limit: WindowRect? { get }

    /// Limits painting to `rect`. The clip still applies, and does not change. Used by an owner that lends the
    /// canvas to a part of a window. Nil removes the limit.
    func setLimit(_ rect: WindowRect?)

    /// Fills a rectangle, with its edges rounded to whole pixels. A colour that is not opaque is blended with the
    /// present contents.
    func fill(_ rect: WindowRect, _ color: Color)

    /// Paints glyphs in one colour. They may be of several fonts and lines. The glyphs of a call share requests to the
    /// server, so pass whole batches.
    func draw(_ glyphs: [CanvasGlyph], _ color: Color)

    /// Paints an image over the present contents. The image is scaled to `rect`, whose edges are rounded to whole
    /// pixels.
    func draw(_ image: CanvasImage, in rect: WindowRect)

    /// Copies a part of the canvas to another position, as for scrolling. The two areas may overlap.
    func copy(_ source: WindowRect, to origin: WindowPoint)
}
