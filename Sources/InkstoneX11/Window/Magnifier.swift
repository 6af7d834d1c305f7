import CX11
import InkstoneBase

/// A window above all others that shows a magnified part of another window's current contents. Pointer and key
/// events go to the windows below it.
///
/// The magnifier copies from the other window's back pixmap. It therefore shows neither itself nor other windows that
/// cover that window. The X server scales the pixels. The magnifier is repainted in the same turn of the loop as the
/// other window.
package final class Magnifier {
    /// The appearance of a magnifier. Distances are device pixels.
    package struct Style: Hashable, Sendable {
        /// The magnification factor, at least 1.
        package var zoom: Double
        /// The area of the border and everything inside: rectangles of the magnifier's window that do not overlap.
        package var outline: [WindowRect]
        /// The area in which the magnified contents appear, inside the outline.
        package var glass: [WindowRect]
        /// The colour of the border line.
        package var border: Color
        /// The colour shown beyond the edges of the magnified window.
        package var background: Color

        /// Creates an appearance.
        package init(
            zoom: Double, outline: [WindowRect], glass: [WindowRect], border: Color, background: Color
        ) {
            self.zoom = max(1, zoom)
            self.outline = outline
            self.glass = glass
            self.border = border
            self.background = background
        }
    }

    /// The magnified window; nil if it is gone.
    package private(set) weak var source: Window?
    /// The point that is shown in the middle, in pixels of the magnified window.
    package private(set) var center = WindowPoint(x: 0, y: 0)
    /// The frame of the magnifier, in root pixels.
    package private(set) var frame: RootRect
    /// Called when the magnifier was closed. It is also closed when the magnified window is hidden or gets another
    /// magnifier.
    package var onClose: (() -> Void)?

    private let window: Window
    private let style: Style

    /// Creates a magnifier of a window, not yet shown. If the window has another magnifier, that one is closed.
    ///
    /// - Parameter frame: the frame of the magnifier, in root pixels.
    package init(of source: Window, style: Style, frame: RootRect) throws(X11Error) {
        self.source = source
        self.style = style
        self.frame = frame
        window = try Window(popup: source.display, owner: source.id, frame: frame)
        window.delegate = self
        window.letPointerThrough()
        window.setShape(style.outline)
        source.magnifier?.close()
        source.magnifier = self
    }

    deinit { window.close() }

    /// Whether the magnifier has been closed.
    package var isClosed: Bool { window.isClosed }
    /// Whether the magnifier is on the screen.
    package var isShown: Bool { !window.isClosed && window.isShown }
    /// The X identifier of the magnifier's window.
    package var id: WindowID { window.id }

    /// Shows the part of the magnified window around a point.
    ///
    /// - Parameters:
    ///   - center: the point, in pixels of the magnified window.
    ///   - origin: the top left corner of the magnifier, in root pixels.
    package func show(_ center: WindowPoint, at origin: RootPoint) {
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

    /// Hides the magnifier until it is shown again.
    package func hide() { if isShown { window.hide() } }

    /// Closes the magnifier. It cannot be shown again.
    package func close() {
        guard !window.isClosed else { return }
        window.close()
        end()
    }

    private func end() {
        if source?.magnifier === self { source?.magnifier = nil }
        onClose?()
    }

    /// Schedules a repaint if the magnifier shows any of the changed parts of the magnified window.
    func sourceDidChange(_ parts: [WindowRect]) {
        guard isShown, parts.contains(where: visiblePart.intersects) else { return }
        window.setNeedsDisplay()
    }

    /// The part of the magnified window that the magnifier shows, in pixels of the magnified window.
    private var visiblePart: WindowRect {
        let (width, height) = (frame.width / style.zoom, frame.height / style.zoom)
        // Add a margin, because scaling at the edges also reads the adjacent pixels.
        return WindowRect(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height).insetBy(-2)
    }
}

extension Magnifier: WindowDelegate {
    /// Ends the magnifier, because another client has destroyed its window.
    package func windowWasDestroyed(_ window: Window) { end() }

    /// Paints the border and the magnified contents.
    package func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        guard let canvas = canvas as? XftCanvas else { return }
        canvas.setClip(style.outline)
        canvas.fill(window.bounds, style.border)
        canvas.setClip(style.glass)
        canvas.fill(window.bounds, style.background)
        source?.paintMagnified(around: center, zoom: style.zoom, on: canvas, in: window.bounds)
        canvas.setClip(nil)
    }
}

extension Window {
    /// Paints the window's last painted contents around a point onto a canvas. They are magnified by `zoom`.
    func paintMagnified(around center: WindowPoint, zoom: Double, on canvas: XftCanvas, in rect: WindowRect) {
        guard !isClosed, surface.isPainted(size) else { return }
        takeShown()
        canvas.drawMagnified(surface.canvas, around: center, zoom: zoom, in: rect)
    }

    /// Makes pointer events go to the windows below.
    func letPointerThrough() {
        guard !isClosed, !display.isLost else { return }
        let nothing = XFixesCreateRegion(display.connection, nil, 0)
        // In the SHAPE extension, 2 is the input shape.
        XFixesSetWindowShapeRegion(display.connection, id.xid, 2, 0, 0, nothing)
        XFixesDestroyRegion(display.connection, nothing)
    }

    /// Sets the window's shape to a union of rectangles, in window pixels.
    func setShape(_ parts: [WindowRect]) {
        guard !isClosed, !display.isLost else { return }
        var rects = parts.map {
            XRectangle(
                x: Int16(clamping: Int($0.minX)), y: Int16(clamping: Int($0.minY)),
                width: UInt16(clamping: Int($0.width)), height: UInt16(clamping: Int($0.height)))
        }
        let region = XFixesCreateRegion(display.connection, &rects, Int32(rects.count))
        // In the SHAPE extension, 0 is the bounding shape.
        XFixesSetWindowShapeRegion(display.connection, id.xid, 0, 0, 0, region)
        XFixesDestroyRegion(display.connection, region)
    }
}
