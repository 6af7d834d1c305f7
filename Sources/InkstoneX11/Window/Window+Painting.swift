import CX11
import InkstoneBase

/// The parts of a window that must be painted or copied to the screen, in window pixels.
struct Repaint {
    /// The parts to paint again.
    var damage = CollectedWork<WindowRect>()
    /// The parts that are missing on the screen but are in the back pixmap.
    var exposed: [WindowRect] = []
    /// Whether the window is in the display's list of windows to paint.
    var isQueued = false
    /// The time of the last scrolling, in nanoseconds of the monotonic clock.
    var lastScroll: Int64 = 0
    /// Whether a call of ``Window/takeShown()`` is scheduled, which copies the scrolled contents from the window to the
    /// pixmap.
    var takesShown = false
}

extension Window {
    /// Marks a part of the window, in window pixels, to be painted at the end of this turn of the loop.
    public func setNeedsDisplay(_ rect: WindowRect) {
        let part = rect.integral.intersection(bounds)
        guard !part.isEmpty, !isClosed else { return }
        Self.add(part, to: &repaint.damage.waiting)
        enqueue()
    }

    /// Marks the whole window to be painted at the end of this turn of the loop.
    public func setNeedsDisplay() { setNeedsDisplay(bounds) }

    /// Moves the painted contents of `rect` by `dy` whole pixels, down if positive. `rect` is in window pixels; the
    /// contents outside of it do not change. Parts marked to be painted move along. The uncovered part is marked
    /// too. If the contents cannot be moved, all of `rect` is marked.
    public func scroll(_ rect: WindowRect, by dy: Double) {
        let part = rect.integral.intersection(bounds)
        guard !part.isEmpty, !isClosed, dy != 0 else { return }
        guard isShown, !display.isLost, abs(dy) < part.height, surface.isPainted(size) else {
            return setNeedsDisplay(part)
        }
        let moved = part.offset(by: Vector(dx: 0, dy: dy)).intersection(part)
        let source = moved.offset(by: Vector(dx: 0, dy: -dy))
        // Do not move contents that are marked to be painted anyway, as after several scrolls without painting.
        guard !repaint.damage.waiting.contains(where: { $0.union(source) == $0 }) else { return setNeedsDisplay(part) }
        // If the screen shows the complete contents, scroll the screen first. The pixmap is updated from the screen
        // later. If parts are missing on the screen, or child windows cover some, scroll the pixmap instead.
        if repaint.exposed.isEmpty, coveringParts == 0 {
            surface.moveShown(source, by: dy, in: id.xid)
            // Flush now, so that the server copies while the uncovered part is being laid out.
            cx11_flush(display.connection)
            surface.moved = surface.moved.union(moved)
            repaint.lastScroll = MonotonicClock.nanoseconds
            takeShownLater(afterMilliseconds: Self.pauseAfterScrolling)
        } else {
            takeShown()
            surface.canvas.setClip(nil)
            surface.canvas.copy(source, to: moved.origin)
            Self.add(moved, to: &repaint.exposed)
        }
        for stale in repaint.damage.waiting {
            if part.union(stale) == part { repaint.damage.waiting.removeAll { $0 == stale } }
            let moved = stale.intersection(part).offset(by: Vector(dx: 0, dy: dy)).intersection(part)
            Self.add(moved, to: &repaint.damage.waiting)
        }
        magnifier?.sourceDidChange([part])
        let top = dy > 0 ? part.minY : moved.maxY
        setNeedsDisplay(WindowRect(x: part.minX, y: top, width: part.width, height: abs(dy)))
    }

    /// The rectangle of the whole window, in window pixels.
    public var bounds: WindowRect { WindowRect(origin: WindowPoint(x: 0, y: 0), size: size) }

    /// Paints the marked parts now instead of at the end of the turn.
    public func displayIfNeeded() {
        guard repaint.isQueued else { return }
        display.turnWork.dirtyWindows.waiting.removeAll { $0 === self }
        paintNow()
    }

    func enqueue() {
        guard !repaint.isQueued else { return }
        repaint.isQueued = true
        display.turnWork.dirtyWindows.append(self)
        display.needsTurn()
    }

    /// Handles an exposure: the contents of a part are missing on the screen.
    ///
    /// - Parameter serial: the number of the last request that the server had processed before the event.
    func expose(_ rect: WindowRect, serial: UInt) {
        // Paint the part again if the window was scrolled on the screen: missing contents may have moved along, or may
        // have been copied to the pixmap.
        guard surface.moved.isEmpty, serial >= surface.takenSerial else { return lose(rect, serial: serial) }
        Self.add(rect, to: &repaint.exposed)
        enqueue()
    }

    /// Marks a part to be painted. It was missing when the server had processed the request `serial`. If the window
    /// was scrolled since, the missing part may be anywhere, so the whole window is marked.
    private func lose(_ rect: WindowRect, serial: UInt) {
        setNeedsDisplay(serial < surface.movedSerial ? bounds : rect)
    }

    /// The time without scrolling after which the pixmap is updated, in milliseconds. The update would delay
    /// further scrolling.
    private static let pauseAfterScrolling = 50

    private func takeShownLater(afterMilliseconds delay: Int) {
        guard !repaint.takesShown else { return }
        repaint.takesShown = true
        display.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self else { return }
            repaint.takesShown = false
            let rest = Self.pauseAfterScrolling - Int((MonotonicClock.nanoseconds - repaint.lastScroll) / 1_000_000)
            if rest > 0 { takeShownLater(afterMilliseconds: rest) } else { takeShown() }
        }
    }

    /// Copies the contents that were scrolled only on the screen from the window to the pixmap.
    func takeShown() {
        guard !isClosed, !display.isLost else { return }
        surface.takeShown(from: id.xid)
    }

    /// Marks a part for painting whose contents could not be scrolled on the screen or copied to the pixmap, because
    /// they were covered on the screen.
    func lostCopy(_ event: XGraphicsExposeEvent) {
        lose(
            WindowRect(
                x: Double(event.x), y: Double(event.y), width: Double(event.width), height: Double(event.height)),
            serial: UInt(event.serial))
    }

    func paintNow() {
        // The parts stay marked while the window is not shown or has no delegate.
        if !isClosed, isShown, !display.isLost, !repaint.damage.isEmpty { delegate?.windowWillPaint(self) }
        repaint.isQueued = false
        guard !isClosed, isShown, !display.isLost, let delegate else { return }
        surface.prepare(size: size)
        let painted = repaint.damage.take()
        if !painted.isEmpty {
            delegate.window(self, paint: surface.canvas, damage: painted)
            guard !isClosed else { return }
            surface.canvas.finish()
        }
        for rect in painted { Self.add(rect, to: &repaint.exposed) }
        for rect in repaint.exposed { surface.show(rect.intersection(bounds), in: id.xid) }
        repaint.exposed.removeAll(keepingCapacity: true)
        if !painted.isEmpty { magnifier?.sourceDidChange(painted) }
        repaint.damage.reuse(painted)
    }

    /// Adds a rectangle to a list of parts to paint. Two rectangles are merged if their union has little more area.
    /// If more than 16 rectangles remain, all are merged.
    static func add(_ rect: WindowRect, to list: inout [WindowRect]) {
        guard !rect.isEmpty else { return }
        var rect = rect
        var index = 0
        while index < list.count {
            let other = list[index]
            let joined = other.union(rect)
            if joined == other { return }
            // Merge two rectangles if that adds at most some thousand pixels: painting these costs less than the four
            // requests of another rectangle.
            if joined.width * joined.height <= rect.width * rect.height + other.width * other.height + 4096 {
                rect = joined
                list.remove(at: index)
                index = 0
            } else {
                index += 1
            }
        }
        list.append(rect)
        if list.count > 16 { list = [list.reduce(.zero) { $0.union($1) }] }
    }
}

/// The back pixmap of a window. It grows in steps, and is kept when the window shrinks.
final class BackSurface {
    let canvas: XftCanvas
    private let display: Display
    private var pixmap: UInt = 0
    private var capacity = Size.zero
    /// The maximum area of the pixmap, in pixels. The lower part of a larger window is not painted.
    private static let largestArea = 64.0 * 1024 * 1024
    private let window: UInt
    /// The window to notify if contents could not be copied to the pixmap.
    weak var owner: Window?
    private let gc: OpaquePointer
    /// A graphics context like ``gc``, with which the server reports contents that could not be copied.
    private let shownContext: OpaquePointer
    /// The area that was scrolled on the screen, but not yet in the pixmap; in window pixels.
    var moved = WindowRect.zero
    /// The serial of the last request that scrolled the window on the screen.
    private(set) var movedSerial: UInt = 0
    /// The serial of the last request that copied from the window to the pixmap.
    private(set) var takenSerial: UInt = 0

    init(_ display: Display, window: UInt, size: Size) {
        self.display = display
        self.window = window
        var values = XGCValues()
        values.graphics_exposures = 0
        gc = XCreateGC(display.connection, window, UInt(GCGraphicsExposures), &values)
        values.graphics_exposures = 1
        shownContext = XCreateGC(display.connection, window, UInt(GCGraphicsExposures), &values)
        canvas = XftCanvas(display, copyContext: gc)
    }

    /// Whether the pixmap contains the painted contents of a window of this size.
    func isPainted(_ size: Size) -> Bool { pixmap != 0 && canvas.size == size }

    /// Makes the pixmap at least as large as `size`, or as large as the limit of its area allows. If the pixmap had
    /// to grow, its contents are undefined.
    func prepare(size: Size) {
        // Limit the height, far beyond any screen. A part that stays unpainted is better than a server without
        // memory.
        let needed = Size(
            width: size.width, height: min(size.height, (Self.largestArea / size.width).rounded(.down)))
        if needed.width > capacity.width || needed.height > capacity.height {
            func step(_ needed: Double, _ has: Double) -> Double {
                needed <= has ? has : min(32767, ((needed * 1.125) / 64).rounded(.up) * 64)
            }
            release()
            capacity = Size(
                width: step(needed.width, capacity.width), height: step(needed.height, capacity.height))
            let screen = XDefaultScreen(display.connection)
            pixmap = display.tolerating {
                XCreatePixmap(
                    display.connection, window, UInt32(capacity.width), UInt32(capacity.height),
                    UInt32(XDefaultDepth(display.connection, screen)))
            }
            display.ownResources.insert(pixmap)
            if let owner { display.register(owner, for: pixmap) }
            canvas.attach(drawable: pixmap)
        }
        canvas.size = size
    }

    /// Moves the contents of `source` down by `dy` pixels on the screen, but not in the pixmap.
    func moveShown(_ source: WindowRect, by dy: Double, in window: UInt) {
        movedSerial = UInt(XNextRequest(display.connection))
        XCopyArea(
            display.connection, window, window, shownContext, Int32(source.minX), Int32(source.minY),
            UInt32(source.width), UInt32(source.height), Int32(source.minX), Int32(source.minY + dy))
    }

    /// Copies the area that was scrolled on the screen to the pixmap.
    func takeShown(from window: UInt) {
        let rect = moved
        moved = .zero
        guard !rect.isEmpty, pixmap != 0 else { return }
        takenSerial = UInt(XNextRequest(display.connection))
        XCopyArea(
            display.connection, window, pixmap, shownContext, Int32(rect.minX), Int32(rect.minY), UInt32(rect.width),
            UInt32(rect.height), Int32(rect.minX), Int32(rect.minY))
    }

    func show(_ rect: WindowRect, in window: UInt) {
        guard !rect.isEmpty, pixmap != 0, !display.isLost else { return }
        XCopyArea(
            display.connection, pixmap, window, gc, Int32(rect.minX), Int32(rect.minY), UInt32(rect.width),
            UInt32(rect.height), Int32(rect.minX), Int32(rect.minY))
    }

    private func release() {
        canvas.detach()
        guard pixmap != 0 else { return }
        moved = .zero
        if let owner { display.unregister(owner, for: pixmap) }
        if !display.isLost { XFreePixmap(display.connection, pixmap) }
        display.ownResources.free(pixmap)
        pixmap = 0
    }

    func destroy() {
        release()
        guard !display.isLost else { return }
        XFreeGC(display.connection, gc)
        XFreeGC(display.connection, shownContext)
    }
}
