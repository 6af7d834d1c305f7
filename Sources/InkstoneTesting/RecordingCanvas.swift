import InkstoneBase

/// A canvas that keeps what was painted, for tests: what covers what can be asked afterwards.
public final class RecordingCanvas: Canvas {
    /// One call, with the clip that was in force.
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

    /// A canvas of an extent in pixels on which nothing was painted yet.
    public init(size: Size) { self.size = size }

    /// Forgets what was painted.
    public func reset() { operations = [] }

    /// Keeps the clip for the fills that follow.
    public func setClip(_ rects: [WindowRect]?) { clip = rects }

    /// Keeps the limit for the fills that follow.
    public func setLimit(_ rect: WindowRect?) { limit = rect }

    /// Keeps the fill, cut to the clip and the limit.
    public func fill(_ rect: WindowRect, _ color: Color) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        for part in clip ?? [bounds] {
            let visible = rect.intersection(part).intersection(bounds)
            if !visible.isEmpty { operations.append(.fill(visible, color)) }
        }
    }

    /// Keeps the glyphs.
    public func draw(_ glyphs: [CanvasGlyph], _ color: Color) {
        operations.append(.glyphs(glyphs, color))
    }

    /// Keeps the image with its whole rectangle, if any of it is within the clip and the limit.
    public func draw(_ image: CanvasImage, in rect: WindowRect) {
        let whole = WindowRect(origin: WindowPoint(x: 0, y: 0), size: size)
        let bounds = limit?.intersection(whole) ?? whole
        guard (clip ?? [bounds]).contains(where: { !rect.intersection($0).intersection(bounds).isEmpty }) else {
            return
        }
        operations.append(.image(image, rect))
    }

    /// Keeps the copy.
    public func copy(_ source: WindowRect, to origin: WindowPoint) {
        operations.append(.copy(source, to: origin))
    }

    /// The rectangles that were filled with a colour, in order.
    public func fills(_ color: Color) -> [WindowRect] {
        operations.compactMap {
            if case .fill(let rect, color) = $0 { rect } else { nil }
        }
    }

    /// The images that were drawn and where, in order.
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
