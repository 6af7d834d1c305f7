import CX11
import InkstoneBase

extension Window {
    /// Marks a part of the window, in window pixels, to be painted at the end of this loop turn.
    public func setNeedsDisplay(_ rect: WindowRect) {
        let part = rect.integral.intersection(bounds)
        guard !part.isEmpty, !isClosed else { return }
        Self.add(part, to: &damage)
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
        surface.canvas.setClip(nil)
        surface.canvas.copy(source, to: moved.origin)
        for stale in damage {
            if part.union(stale) == part { damage.removeAll { $0 == stale } }
            Self.add(stale.intersection(part).offset(by: Vector(dx: 0, dy: dy)).intersection(part), to: &damage)
        }
        Self.add(moved, to: &exposed)
        let top = dy > 0 ? part.minY : moved.maxY
        setNeedsDisplay(WindowRect(x: part.minX, y: top, width: part.width, height: abs(dy)))
    }

    /// The whole window, in its own pixels.
    public var bounds: WindowRect { WindowRect(origin: WindowPoint(x: 0, y: 0), size: size) }

    /// Paints what is damaged now instead of at the end of the loop turn.
    public func displayIfNeeded() {
        guard isQueued else { return }
        display.dirtyWindows.removeAll { $0 === self }
        paintNow()
    }

    func enqueue() {
        guard !isQueued else { return }
        isQueued = true
        display.dirtyWindows.append(self)
        display.needsTurn()
    }

    func expose(_ rect: WindowRect) {
        Self.add(rect, to: &exposed)
        enqueue()
    }

    func paintNow() {
        isQueued = false
        // What is damaged before the window is shown, or while nobody paints, waits.
        guard !isClosed, isShown, !display.isLost, let delegate else { return }
        surface.prepare(size: size)
        let painted = damage
        damage = []
        if !painted.isEmpty {
            delegate.window(self, paint: surface.canvas, damage: painted)
            guard !isClosed else { return }
            surface.canvas.finish()
        }
        for rect in painted { Self.add(rect, to: &exposed) }
        for rect in exposed { surface.show(rect.intersection(bounds), in: id.xid) }
        exposed = []
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
    private let gc: OpaquePointer

    init(_ display: Display, window: UInt, size: Size) {
        self.display = display
        self.window = window
        var values = XGCValues()
        values.graphics_exposures = 0
        gc = XCreateGC(display.connection, window, UInt(GCGraphicsExposures), &values)
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
            canvas.attach(drawable: pixmap)
        }
        canvas.size = size
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
        if !display.isLost { XFreePixmap(display.connection, pixmap) }
        pixmap = 0
    }

    func destroy() {
        release()
        if !display.isLost { XFreeGC(display.connection, gc) }
    }
}
