import InkstoneBase

/// A canvas that records painting operations instead of painting, for tests.
public final class RecordingCanvas: Canvas {
    /// A recorded painting operation.
    public enum Operation: Hashable, Sendable {
        /// The rectangle was filled with the colour.
        case fill(WindowRect, Color)
        /// The glyphs were drawn in the colour.
        case glyphs([CanvasGlyph], Color)
        /// The image was drawn in the rectangle.
        case image(CanvasImage, WindowRect)
        /// The rectangle was copied to another position.
        case copy(WindowRect, to: WindowPoint)
    }

    /// The size of the canvas in pixels.
    public let size: Size
    /// The recorded operations, in order. Fills are cut off at the clip, at the ``limit``, and at the edges of the
    /// canvas; images that are wholly outside are left out. Glyphs and copies are recorded wherever they are.
    public private(set) var operations: [Operation] = []
    private var clip: [WindowRect]?
    /// The rectangle set by ``setLimit(_:)``, at which fills are cut off, and outside of which images are left out; nil
    /// for none.
    public private(set) var limit: WindowRect?

    /// Creates a canvas of a size in pixels, without operations.
    public init(size: Size) { self.size = size }

    /// Removes the recorded operations.
    public func reset() { operations = [] }

    /// Sets the rectangles at which the following fills are cut off, and outside of which images are left out; nil
    /// for no clip. Has no effect on glyphs and copies.
    public func setClip(_ rects: [WindowRect]?) { clip = rects }

    /// Sets the rectangle at which the following fills are cut off, and outside of which images are left out,
    /// whatever the clip is; nil for none. Has no effect on glyphs and copies.
    public func setLimit(_ rect: WindowRect?) { limit = rect }

    /// Records a fill, cut off at the clip, at the ``limit``, and at the edges of the canvas: one operation for
    /// each rectangle of the clip.
    public func fill(_ rect: WindowRect, _ color: Color) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        for part in clip ?? [bounds] {
            let visible = rect.intersection(part).intersection(bounds)
            if !visible.isEmpty { operations.append(.fill(visible, color)) }
        }
    }

    /// Records the drawing of glyphs, also of those outside of the clip, the ``limit`` and the canvas.
    public func draw(_ glyphs: [CanvasGlyph], _ color: Color) {
        operations.append(.glyphs(glyphs, color))
    }

    /// Records an image with its whole rectangle, if a part of it is within the clip, the ``limit``, and the
    /// canvas.
    public func draw(_ image: CanvasImage, in rect: WindowRect) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        guard (clip ?? [bounds]).contains(where: { !rect.intersection($0).intersection(bounds).isEmpty }) else {
            return
        }
        operations.append(.image(image, rect))
    }

    /// Records a copy of an area, whatever the clip and the ``limit`` are.
    public func copy(_ source: WindowRect, to origin: WindowPoint) {
        operations.append(.copy(source, to: origin))
    }

    /// Returns the rectangles that were filled with a colour, in order.
    public func fills(_ color: Color) -> [WindowRect] {
        operations.compactMap {
            if case .fill(let rect, color) = $0 { rect } else { nil }
        }
    }

    /// The images that were drawn, with their rectangles, in order.
    public var images: [(image: CanvasImage, rect: WindowRect)] {
        operations.compactMap {
            if case .image(let image, let rect) = $0 { (image, rect) } else { nil }
        }
    }

    /// All glyphs that were drawn, in order of drawing.
    public var glyphs: [CanvasGlyph] {
        operations.flatMap { operation -> [CanvasGlyph] in
            if case .glyphs(let glyphs, _) = operation { glyphs } else { [] }
        }
    }
}
