import CX11
import InkstoneBase

/// A canvas that paints on a pixmap through XRender and Xft.
///
/// The canvas sends few requests: consecutive fills of one colour are one request, and so are glyphs of one colour.
/// Everything is clipped here, because Xft's coordinates have only 16 bits. For fills, glyphs and images, a clip is
/// sent to the server only if glyphs extend beyond it. The variables need no checks for overlapping access, because
/// this class never calls user code.
final class XftCanvas: Canvas {
    var size = Size.zero {
        didSet { if size != oldValue { updateParts() } }
    }
    private let display: Display
    private let copyContext: OpaquePointer
    @exclusivity(unchecked) private var drawable: UInt = 0
    @exclusivity(unchecked) private var picture: UInt = 0
    @exclusivity(unchecked) private var clip: [WindowRect]?
    @exclusivity(unchecked) private(set) var limit: WindowRect?
    /// The rectangles in which painting is allowed: the parts of the clip (``setClip(_:)``) that are within both
    /// the limit (``setLimit(_:)``) and the canvas.
    @exclusivity(unchecked) private var parts: [XRectangle] = []
    @exclusivity(unchecked) private var serverParts: [XRectangle]?
    @exclusivity(unchecked) private var fillColor = Color.clear
    @exclusivity(unchecked) private var fills: [XRectangle] = []
    /// Whether the clip was changed after some of the buffered ``fills`` had been cut to the earlier clip.
    @exclusivity(unchecked) private var areFillsOlderThanClip = false

    init(_ display: Display, copyContext: OpaquePointer) {
        self.display = display
        self.copyContext = copyContext
    }

    func attach(drawable: UInt) {
        let connection = display.connection
        guard let format = XRenderFindVisualFormat(connection, XDefaultVisual(connection, XDefaultScreen(connection)))
        else { return }
        self.drawable = drawable
        picture = XRenderCreatePicture(connection, drawable, format, 0, nil)
        serverParts = nil
        display.ownResources.insert(picture)
    }

    func detach() {
        guard picture != 0 else { return }
        if !display.isLost { XRenderFreePicture(display.connection, picture) }
        display.ownResources.free(picture)
        picture = 0
        drawable = 0
    }

    /// Sends the buffered fills and removes clip and limit.
    func finish() {
        flushFills()
        setLimit(nil)
        setClip(nil)
    }

    func setClip(_ rects: [WindowRect]?) {
        guard rects != clip else { return }
        if serverParts != nil { flushFills() }
        clip = rects
        updateParts()
    }

    func setLimit(_ rect: WindowRect?) {
        guard rect != limit else { return }
        if serverParts != nil { flushFills() }
        limit = rect
        updateParts()
    }

    func fill(_ rect: WindowRect, _ color: Color) {
        guard color.alpha > 0 else { return }
        if color != fillColor {
            flushFills()
            fillColor = color
        }
        let left = Self.pixel(rect.minX)
        let top = Self.pixel(rect.minY)
        let right = Self.pixel(rect.maxX)
        let bottom = Self.pixel(rect.maxY)
        for part in parts {
            let x = max(left, Int(part.x))
            let y = max(top, Int(part.y))
            let width = min(right, Int(part.x) + Int(part.width)) - x
            let height = min(bottom, Int(part.y) + Int(part.height)) - y
            guard width > 0, height > 0 else { continue }
            fills.append(XRectangle(x: Int16(x), y: Int16(y), width: UInt16(width), height: UInt16(height)))
        }
    }

    func draw(_ glyphs: [CanvasGlyph], _ color: Color) {
        guard color.alpha > 0, !glyphs.isEmpty else { return }
        guard picture != 0, !display.isLost else { return flushFills() }
        display.fonts.draw(glyphs, color, on: picture, clip: parts) { needsCut in
            // If the glyphs need the clip, set it before the buffered fills are sent. But do not if some fills were
            // buffered under an earlier, wider clip: the present clip would cut them off.
            if needsCut, !areFillsOlderThanClip { setServerClip() }
            flushFills()
            if needsCut { setServerClip() } else { liftOtherClip() }
        }
    }

    func draw(_ image: CanvasImage, in rect: WindowRect) {
        flushFills()
        guard picture != 0, !display.isLost else { return }
        let (left, top) = (Self.pixel(rect.minX), Self.pixel(rect.minY))
        let (width, height) = (Self.pixel(rect.maxX) - left, Self.pixel(rect.maxY) - top)
        guard width > 0, height > 0, let source = display.images.picture(of: image, width, height) else { return }
        liftOtherClip()
        for part in parts {
            let x = max(left, Int(part.x))
            let y = max(top, Int(part.y))
            let shownWidth = min(left + width, Int(part.x) + Int(part.width)) - x
            let shownHeight = min(top + height, Int(part.y) + Int(part.height)) - y
            guard shownWidth > 0, shownHeight > 0 else { continue }
            XRenderComposite(
                display.connection, PictOpOver, source, 0, picture, Int32(x - left), Int32(y - top), 0, 0, Int32(x),
                Int32(y), UInt32(shownWidth), UInt32(shownHeight))
        }
    }

    func copy(_ source: WindowRect, to origin: WindowPoint) {
        flushFills()
        guard drawable != 0, !display.isLost else { return }
        let from = source.integral.intersection(bounds)
        let shift = Vector(dx: (origin.x - source.minX).rounded(), dy: (origin.y - source.minY).rounded())
        let target = from.offset(by: shift).intersection(bounds)
        guard !target.isEmpty else { return }
        let isWhole = clip == nil && limit == nil
        if !isWhole {
            XSetClipRectangles(display.connection, copyContext, 0, 0, &parts, Int32(parts.count), Unsorted)
        }
        XCopyArea(
            display.connection, drawable, drawable, copyContext, Int32(target.minX - shift.dx),
            Int32(target.minY - shift.dy), UInt32(target.width), UInt32(target.height), Int32(target.minX),
            Int32(target.minY))
        if !isWhole { XSetClipMask(display.connection, copyContext, 0) }
    }

    /// Paints a part of another canvas, magnified by `zoom`. The point `center` of the other canvas comes to lie in the
    /// middle of `rect` on this one. Parts of `rect` that lie beyond the other canvas stay unchanged.
    func drawMagnified(_ other: XftCanvas, around center: WindowPoint, zoom: Double, in rect: WindowRect) {
        flushFills()
        let connection = display.connection
        guard picture != 0, other.drawable != 0, !display.isLost,
            let format = XRenderFindVisualFormat(connection, XDefaultVisual(connection, XDefaultScreen(connection)))
        else { return }
        // The position of the other canvas's origin on this canvas.
        let left = rect.minX + rect.width / 2 - center.x * zoom
        let top = rect.minY + rect.height / 2 - center.y * zoom
        let held = WindowRect(x: left, y: top, width: other.size.width * zoom, height: other.size.height * zoom)
        let target = held.intersection(rect)
        let (x, y) = (Self.pixel(target.minX.rounded(.up)), Self.pixel(target.minY.rounded(.up)))
        let (width, height) = (Self.pixel(target.maxX.rounded(.down)) - x, Self.pixel(target.maxY.rounded(.down)) - y)
        guard width > 0, height > 0 else { return }
        // The transform from this canvas's coordinates to those of `other`, in 16.16 fixed-point numbers.
        func fixed(_ value: Double) -> XFixed { XFixed(min(max(-32768, value), 32767) * 65536) }
        var transform = XTransform(
            matrix: (
                (fixed(1 / zoom), 0, fixed(-left / zoom)), (0, fixed(1 / zoom), fixed(-top / zoom)), (0, 0, fixed(1))
            ))
        // Bilinear scaling also reads pixels beyond the edges. Repeat the outermost pixels there; otherwise
        // transparent ones would be mixed in.
        var attributes = XRenderPictureAttributes()
        attributes.`repeat` = RepeatPad
        let source = XRenderCreatePicture(connection, other.drawable, format, UInt(CPRepeat), &attributes)
        XRenderSetPictureTransform(connection, source, &transform)
        XRenderSetPictureFilter(connection, source, FilterBilinear, nil, 0)
        setServerClip()
        XRenderComposite(
            connection, PictOpSrc, source, 0, picture, Int32(x), Int32(y), 0, 0, Int32(x), Int32(y), UInt32(width),
            UInt32(height))
        XRenderFreePicture(connection, source)
    }

    private var bounds: WindowRect { WindowRect(origin: WindowPoint(x: 0, y: 0), size: size) }

    private func updateParts() {
        if !fills.isEmpty { areFillsOlderThanClip = true }
        parts.removeAll(keepingCapacity: true)
        let whole = limit?.integral.intersection(bounds) ?? bounds
        if let clip { for rect in clip { addPart(rect.integral.intersection(whole)) } } else { addPart(whole) }
    }

    private func addPart(_ part: WindowRect) {
        guard !part.isEmpty else { return }
        parts.append(
            XRectangle(
                x: Int16(part.minX), y: Int16(part.minY), width: UInt16(part.width), height: UInt16(part.height)))
    }

    private func flushFills() {
        guard !fills.isEmpty else { return }
        defer {
            fills.removeAll(keepingCapacity: true)
            areFillsOlderThanClip = false
        }
        guard picture != 0, !display.isLost else { return }
        // The rectangles are clipped already, so the server needs no clip.
        liftOtherClip()
        var color = fillColor.render
        // libXrender does not split a request that exceeds the server's maximum size. So send a limited number of
        // rectangles at a time.
        var rest = fills[...]
        while !rest.isEmpty {
            rest.prefix(4096).withUnsafeBufferPointer {
                XRenderFillRectangles(
                    display.connection, fillColor.alpha == 255 ? PictOpSrc : PictOpOver, picture, &color,
                    $0.baseAddress, Int32($0.count))
            }
            rest = rest.dropFirst(4096)
        }
    }

    private func setServerClip() {
        if let serverParts, Self.areEqual(serverParts, parts) { return }
        serverParts = parts
        XRenderSetPictureClipRectangles(display.connection, picture, 0, 0, parts, Int32(parts.count))
    }

    /// Removes the clip in the server if it is outdated. The current clip is sent only when a drawing request needs it.
    private func liftOtherClip() {
        guard let serverParts, !Self.areEqual(serverParts, parts) else { return }
        self.serverParts = nil
        var attributes = XRenderPictureAttributes()
        attributes.clip_mask = 0
        XRenderChangePicture(display.connection, picture, UInt(CPClipMask), &attributes)
    }

    private static func areEqual(_ a: [XRectangle], _ b: [XRectangle]) -> Bool {
        a.elementsEqual(b) { $0.x == $1.x && $0.y == $1.y && $0.width == $1.width && $0.height == $1.height }
    }

    private static func pixel(_ value: Double) -> Int { Int(min(max(-32768, value.rounded()), 32767)) }
}

extension Color {
    /// The colour in the form that XRender requires: premultiplied components of 16 bits.
    var render: XRenderColor {
        func component(_ value: UInt8) -> UInt16 { UInt16(Int(value) * 257 * Int(alpha) / 255) }
        return XRenderColor(
            red: component(red), green: component(green), blue: component(blue), alpha: UInt16(alpha) * 257)
    }
}
