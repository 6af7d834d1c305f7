import CX11
import InkstoneBase

/// A window above all others that shows a part of another window, magnified, as that looks at the moment. The pointer and the keys go
/// through it to what is below.
///
/// It takes from what the other window was painted with, so it never shows what lies over that, nor itself; the server magnifies it. It
/// is painted anew in the same turn of the loop as the other window.
public final class Magnifier {
    /// How it looks. Distances are device pixels.
    public struct Look: Hashable, Sendable {
        /// How many times as large everything is, at least 1.
        public var zoom: Double
        /// What the line around it covers: rectangles of a window that do not overlap.
        public var outline: [WindowRect]
        /// What is magnified covers: within the outline.
        public var glass: [WindowRect]
        /// The line around it.
        public var border: Color
        /// What is seen beyond the edge of the other window.
        public var background: Color

        /// A look by its parts.
        public init(
            zoom: Double, outline: [WindowRect], glass: [WindowRect], border: Color, background: Color
        ) {
            self.zoom = max(1, zoom)
            self.outline = outline
            self.glass = glass
            self.border = border
            self.background = background
        }
    }

    /// What is magnified.
    public private(set) weak var source: Window?
    /// What is shown in the middle, in pixels of the other window.
    public private(set) var center = WindowPoint(x: 0, y: 0)
    /// Where it stands, in root pixels.
    public private(set) var frame: RootRect
    /// The other window is no longer seen, or is magnified by something else; it has been closed.
    public var onClose: (() -> Void)?

    private let window: Window
    private let look: Look

    /// A magnifier of a window, in the place of any that it has. Not yet shown.
    ///
    /// - Parameter frame: where it goes, in root pixels.
    public init(of source: Window, look: Look, frame: RootRect) throws(X11Error) {
        self.source = source
        self.look = look
        self.frame = frame
        window = try Window(popup: source.display, owner: source.id, frame: frame)
        window.delegate = self
        window.letPointerThrough()
        window.setShape(look.outline)
        source.magnifier?.close()
        source.magnifier = self
    }

    deinit { window.close() }

    /// Whether it has been closed.
    public var isClosed: Bool { window.isClosed }
    /// Whether it is on the screen.
    public var isShown: Bool { !window.isClosed && window.isShown }
    /// Its X number.
    public var id: WindowID { window.id }

    /// Shows what lies around a point of the other window.
    ///
    /// - Parameters:
    ///   - center: in pixels of that window.
    ///   - origin: where its own top left corner goes, in root pixels.
    public func show(_ center: WindowPoint, at origin: RootPoint) {
        guard !window.isClosed else { return }
        if center != self.center {
            self.center = center
            window.setNeedsDisplay()
        }
        if origin != frame.origin {
            frame.origin = origin
            window.setFrame(WindowRect(x: origin.x, y: origin.y, width: frame.width, height: frame.height))
        }
        if !window.isShown { window.show() }
    }

    /// Takes it off the screen until it is shown again.
    public func hide() { if isShown { window.hide() } }

    /// Takes it off the screen for good.
    public func close() {
        guard !window.isClosed else { return }
        if source?.magnifier === self { source?.magnifier = nil }
        window.close()
        onClose?()
    }

    /// Parts of the other window, in its pixels, look otherwise than before.
    func sourceDidChange(_ parts: [WindowRect]) {
        guard isShown, parts.contains(where: visiblePart.intersects) else { return }
        window.setNeedsDisplay()
    }

    /// What of the other window is seen, in its pixels.
    private var visiblePart: WindowRect {
        let (width, height) = (frame.width / look.zoom, frame.height / look.zoom)
        // What lies beside the edge counts for the pixels at it.
        return WindowRect(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height).insetBy(-2)
    }
}

extension Magnifier: WindowDelegate {
    /// The line around it, and what is magnified.
    public func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        guard let canvas = canvas as? XftCanvas else { return }
        canvas.setClip(look.outline)
        canvas.fill(window.bounds, look.border)
        canvas.setClip(look.glass)
        canvas.fill(window.bounds, look.background)
        source?.paintMagnified(around: center, zoom: look.zoom, on: canvas, in: window.bounds)
        canvas.setClip(nil)
    }
}

extension Window {
    /// Paints what the window was last painted with around a point on a canvas, `zoom` times as large.
    func paintMagnified(around center: WindowPoint, zoom: Double, on canvas: XftCanvas, in rect: WindowRect) {
        guard !isClosed, surface.isPainted(size) else { return }
        takeShown()
        canvas.drawMagnified(surface.canvas, around: center, zoom: zoom, in: rect)
    }

    /// Has the pointer find what lies below, as if the window were not there.
    func letPointerThrough() {
        guard !isClosed, !display.isLost else { return }
        let nothing = XFixesCreateRegion(display.connection, nil, 0)
        // The input shape is 2 in the SHAPE extension.
        XFixesSetWindowShapeRegion(display.connection, id.xid, 2, 0, 0, nothing)
        XFixesDestroyRegion(display.connection, nothing)
    }

    /// Cuts the window to rectangles, in its own pixels.
    func setShape(_ parts: [WindowRect]) {
        guard !isClosed, !display.isLost else { return }
        var rects = parts.map {
            XRectangle(
                x: Int16(clamping: Int($0.minX)), y: Int16(clamping: Int($0.minY)),
                width: UInt16(clamping: Int($0.width)), height: UInt16(clamping: Int($0.height)))
        }
        let region = XFixesCreateRegion(display.connection, &rects, Int32(rects.count))
        // The bounding shape is 0 in the SHAPE extension.
        XFixesSetWindowShapeRegion(display.connection, id.xid, 0, 0, 0, region)
        XFixesDestroyRegion(display.connection, region)
    }
}
