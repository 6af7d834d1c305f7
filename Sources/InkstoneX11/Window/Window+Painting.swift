import CX11
import InkstoneBase

/// What of a window is out of date, in its own pixels.
struct Repaint {
    /// What is to be painted.
    var damage = CollectedWork<WindowRect>()
    /// What the server has lost and the pixmap has.
    var exposed: [WindowRect] = []
    /// Whether the display knows that there is something to do.
    var isQueued = false
    /// When contents were moved last, in nanoseconds of the monotonic clock.
    var lastScroll: Int64 = 0
    /// Whether the pixmap is going to follow what was moved.
    var takesShown = false
}

extension Window {
    /// Marks a part of the window, in window pixels, to be painted at the end of this loop turn.
    public func setNeedsDisplay(_ rect: WindowRect) {
        let part = rect.integral.intersection(bounds)
        guard !part.isEmpty, !isClosed else { return }
        Self.add(part, to: &repaint.damage.waiting)
        enqueue()
    }

    /// Marks the whole window to be painted at the end of this loop turn.
    public func setNeedsDisplay() { setNeedsDisplay(bounds) }

    /// Moves what is painted in `rect`, in window pixels, down by `dy` whole pixels (up if negative) within it; damage there
    /// moves along. What comes into sight is marked to be painted.
    public func scroll(_ rect: WindowRect, by dy: Double) {
        let part = rect.integral.intersection(bounds)
        guard !part.isEmpty, !isClosed, dy != 0 else { return }
        guard isShown, !display.isLost, abs(dy) < part.height, surface.isPainted(size) else {
            return setNeedsDisplay(part)
        }
        let moved = part.offset(by: Vector(dx: 0, dy: dy)).intersection(part)
        let source = moved.offset(by: Vector(dx: 0, dy: -dy))
        // Keys that wait together may scroll over and over before anything is painted: what is stale is not worth moving.
        guard !repaint.damage.waiting.contains(where: { $0.union(source) == $0 }) else { return setNeedsDisplay(part) }
        // Under windows inside of this one there is nothing to be moved; the pixmap has all.
        if repaint.exposed.isEmpty, coveringParts == 0 {
            // What is seen moves first; the pixmap follows when that is shown.
            surface.moveShown(source, by: dy, in: id.xid)
            // The server can be at it while what comes into sight is laid out.
            cx11_flush(display.connection)
            surface.moved = surface.moved.union(moved)
            repaint.lastScroll = MonotonicClock.nanoseconds
            takeShownLater(afterMilliseconds: Self.restAfterScrolling)
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

    /// The whole window, in its own pixels.
    public var bounds: WindowRect { WindowRect(origin: WindowPoint(x: 0, y: 0), size: size) }

    /// Paints what is damaged now instead of at the end of the loop turn.
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

    /// The server has lost what a part of the window showed. `serial` is that of the last request that it had done then.
    func expose(_ rect: WindowRect, serial: UInt) {
        // What the pixmap took from the window may have been lost before already.
        guard surface.moved.isEmpty, serial >= surface.takenSerial else { return lose(rect, serial: serial) }
        Self.add(rect, to: &repaint.exposed)
        enqueue()
    }

    /// Has a part painted of which the server had nothing when it had done the request with that number. What was moved
    /// since may have taken the gap anywhere.
    private func lose(_ rect: WindowRect, serial: UInt) {
        setNeedsDisplay(serial < surface.movedSerial ? bounds : rect)
    }

    /// How long nothing has to scroll before the pixmap follows, in milliseconds: who scrolls on does not wait for it.
    private static let restAfterScrolling = 50

    private func takeShownLater(afterMilliseconds delay: Int) {
        guard !repaint.takesShown else { return }
        repaint.takesShown = true
        display.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self else { return }
            repaint.takesShown = false
            let rest = Self.restAfterScrolling - Int((MonotonicClock.nanoseconds - repaint.lastScroll) / 1_000_000)
            if rest > 0 { takeShownLater(afterMilliseconds: rest) } else { takeShown() }
        }
    }

    /// Has the pixmap take over what was moved in the window alone.
    func takeShown() {
        guard !isClosed, !display.isLost else { return }
        surface.takeShown(from: id.xid)
    }

    /// A part of the window or of the pixmap could not be copied, because something lies over it.
    func lostCopy(_ event: XGraphicsExposeEvent) {
        lose(
            WindowRect(
                x: Double(event.x), y: Double(event.y), width: Double(event.width), height: Double(event.height)),
            serial: UInt(event.serial))
    }

    func paintNow() {
        // What is damaged before the window is shown, or while nobody paints, waits.
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

    /// Adds a rectangle to a list of damage: those that make one of little more area are joined, and beyond 16 all are.
    static func add(_ rect: WindowRect, to list: inout [WindowRect]) {
        guard !rect.isEmpty else { return }
        var rect = rect
        var index = 0
        while index < list.count {
            let other = list[index]
            let joined = other.union(rect)
            if joined == other { return }
            // A part more costs four requests; the pixels between cost less up to some thousands.
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

/// A window's back pixmap: it grows in steps and is kept while the window shrinks.
final class BackSurface {
    let canvas: XftCanvas
    private let display: Display
    private var pixmap: UInt = 0
    private var capacity = Size.zero
    private static let largestArea = 64.0 * 1024 * 1024
    private let window: UInt
    /// Hears of what could not be copied to the pixmap.
    weak var owner: Window?
    private let gc: OpaquePointer
    /// As ``gc``, but the server tells of what could not be copied.
    private let shownContext: OpaquePointer
    /// What was moved in the window and not yet in the pixmap, in window pixels.
    var moved = WindowRect.zero
    /// Number of the last request that moved something in the window.
    private(set) var movedSerial: UInt = 0
    /// Number of the last request that took from the window.
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

    /// Whether it holds what a window of this extent was last painted with.
    func isPainted(_ size: Size) -> Bool { pixmap != 0 && canvas.size == size }

    /// Sees to a pixmap of at least `size`. Its content is undefined if it had to grow.
    func prepare(size: Size) {
        // Nobody sees more at a time: better a part unpainted than the server's memory gone.
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

    /// Moves what the window shows in `source` down by `dy` pixels, not what the pixmap holds.
    func moveShown(_ source: WindowRect, by dy: Double, in window: UInt) {
        movedSerial = UInt(XNextRequest(display.connection))
        XCopyArea(
            display.connection, window, window, shownContext, Int32(source.minX), Int32(source.minY),
            UInt32(source.width), UInt32(source.height), Int32(source.minX), Int32(source.minY + dy))
    }

    /// Copies what was moved in the window to the pixmap.
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
