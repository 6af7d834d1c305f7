public import InkstoneBase

/// A picture of text on one line as a view paints it, without background, selection and carets. The counterpart of
/// Apple's `NSTextPreview`.
///
/// The picture consists of painting operations and needs no display. It can be drawn on any canvas with the view's
/// fonts, until the view's font, font settings or scale change.
public struct TextPreview {
    /// The range of the text when the picture was made, in UTF-16 units of the document.
    public let range: Range<UTF16Offset>
    /// The frame of the text when the picture was made, in view pixels; as high as the line.
    public internal(set) var rect: ViewRect
    /// The baseline of the line when the picture was made, in view pixels.
    public internal(set) var baseline: Double
    /// The parts of ``rect`` that the text covers: more than one if the text contains both directions.
    var parts: [ViewRect]
    /// The painting operations, in window pixels at the time of recording.
    let operations: [PictureCanvas.Operation]
    /// The top left corner of ``rect`` when the operations were recorded, in window pixels.
    let origin: WindowPoint

    /// Draws the picture. Removes the clip of the canvas.
    ///
    /// - Parameters:
    ///   - origin: the top left corner of the picture, in window pixels; rounded to whole pixels.
    ///   - opacity: the opacity, from 0 to 1. Images cannot be translucent: they are drawn if the opacity is at
    ///     least 0.5.
    ///   - limit: the rectangle of the window that may be drawn on; nil for the whole window.
    public func draw(
        on canvas: any Canvas, at origin: WindowPoint, opacity: Double = 1, within limit: WindowRect? = nil
    ) {
        let opacity = min(max(0, opacity), 1)
        let shift = Vector(dx: (origin.x - self.origin.x).rounded(), dy: (origin.y - self.origin.y).rounded())
        let own = Vector(dx: self.origin.x - rect.minX + shift.dx, dy: self.origin.y - rect.minY + shift.dy)
        let whole = parts.compactMap { part in
            let part = WindowRect(x: part.minX + own.dx, y: part.minY + own.dy, width: part.width, height: part.height)
            let cut = limit.map { part.intersection($0) } ?? part
            return cut.isEmpty ? nil : cut
        }
        guard !whole.isEmpty, opacity > 0 else { return }
        func faded(_ color: Color) -> Color { color.withAlpha(UInt8((Double(color.alpha) * opacity).rounded())) }
        canvas.setClip(whole)
        for operation in operations {
            switch operation {
            case .clip(let clip):
                canvas.setClip(
                    clip.map { clip in
                        whole.flatMap { part in
                            clip.map { $0.offset(by: shift).intersection(part) }.filter { !$0.isEmpty }
                        }
                    } ?? whole)
            case .fill(let rect, let color): canvas.fill(rect.offset(by: shift), faded(color))
            case .glyphs(let glyphs, let color):
                let (dx, dy) = (Int32(shift.dx), Int32(shift.dy))
                canvas.draw(
                    glyphs.map { CanvasGlyph(font: $0.font, glyph: $0.glyph, x: $0.x &+ dx, y: $0.y &+ dy) },
                    faded(color))
            case .image(let image, let rect): if opacity >= 0.5 { canvas.draw(image, in: rect.offset(by: shift)) }
            }
        }
        canvas.setClip(nil)
    }
}

/// A canvas that records the painting operations of text.
final class PictureCanvas: Canvas {
    enum Operation {
        /// Clips the following operations to these rectangles; nil removes the clip.
        case clip([WindowRect]?)
        case fill(WindowRect, Color)
        case glyphs([CanvasGlyph], Color)
        case image(CanvasImage, WindowRect)
    }

    let size: Size
    private(set) var operations: [Operation] = []
    private var clip: [WindowRect]?
    private(set) var limit: WindowRect?

    init(size: Size) { self.size = size }

    func setClip(_ rects: [WindowRect]?) {
        clip = rects
        noteClip()
    }

    func setLimit(_ rect: WindowRect?) {
        limit = rect
        noteClip()
    }

    private func noteClip() {
        let limited = limit.map { limit in clip.map { $0.map { $0.intersection(limit) } } ?? [limit] }
        operations.append(.clip(limited ?? clip))
    }

    func fill(_ rect: WindowRect, _ color: Color) { operations.append(.fill(rect, color)) }
    func draw(_ glyphs: [CanvasGlyph], _ color: Color) { operations.append(.glyphs(glyphs, color)) }
    func draw(_ image: CanvasImage, in rect: WindowRect) { operations.append(.image(image, rect)) }
    /// Does nothing: painting text does not copy pixels.
    func copy(_ source: WindowRect, to origin: WindowPoint) {}
}
