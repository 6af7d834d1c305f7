import InkstoneBase

/// A canvas that records painting operations, for tests.
public final class RecordingCanvas: Canvas {
    /// A recorded call.
    public enum Operation: Hashable, Sendable {
        /// A rectangle was filled.
        case fill(WindowRect, Color)
        /// Glyphs were drawn.
        case glyphs([CanvasGlyph], Color)
        /// An image was drawn.
        case image(CanvasImage, WindowRect)
        /// A part was copied.
        case copy(WindowRect, to: WindowPoint)
    }

    /// Extent in pixels.
    public let size: Size
    /// The calls that painted, in order; fills are cut to clip and limit.
    public private(set) var operations: [Operation] = []
    private var clip: [WindowRect]?
    /// The limit that is in force; nil for none.
    public private(set) var limit: WindowRect?

    /// Creates a canvas of an extent in pixels without operations.
    public init(size: Size) { self.size = size }

    /// Removes the recorded operations.
    public func reset() { operations = [] }

    /// Sets the clip for the following fills.
    public func setClip(_ rects: [WindowRect]?) { clip = rects }

    /// Sets the limit for the following fills.
    public func setLimit(_ rect: WindowRect?) { limit = rect }

    /// Records a fill, cut to the clip and the limit.
    public func fill(_ rect: WindowRect, _ color: Color) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        for part in clip ?? [bounds] {
            let visible = rect.intersection(part).intersection(bounds)
            if !visible.isEmpty { operations.append(.fill(visible, color)) }
        }
    }

    /// Records glyphs.
    public func draw(_ glyphs: [CanvasGlyph], _ color: Color) {
        operations.append(.glyphs(glyphs, color))
    }

    /// Records an image with its whole rectangle, if any of it is within the clip and the limit.
    public func draw(_ image: CanvasImage, in rect: WindowRect) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        guard (clip ?? [bounds]).contains(where: { !rect.intersection($0).intersection(bounds).isEmpty }) else {
            return
        }
        operations.append(.image(image, rect))
    }

    /// Records a copy.
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

    /// All glyphs that were drawn, in order.
    public var glyphs: [CanvasGlyph] {
        operations.flatMap { operation -> [CanvasGlyph] in
            if case .glyphs(let glyphs, _) = operation { glyphs } else { [] }
        }
    }
}
