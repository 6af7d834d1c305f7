import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

/// A server of its own, a connection of ours to it, and a probe that looks from outside.
final class X11Scene {
    let server: XServer
    let probe: XProbe
    let display: InkstoneX11.Display

    /// What counts the traffic of our connection, if asked for.
    let proxy: CountingProxy?

    init(width: Int = 640, height: Int = 480, isCounted: Bool = false) throws {
        server = try XServer(width: width, height: height)
        probe = try XProbe(display: server.display)
        proxy = isCounted ? try CountingProxy(to: server) : nil
        display = try InkstoneX11.Display(name: proxy?.display ?? server.display)
    }

    func end() {
        display.close()
        proxy?.end()
        probe.close()
        server.end()
    }

    /// A top-level window that is seen and has been painted once.
    func window(width: Double = 200, height: Double = 100, painting: Bool = true) throws -> (
        InkstoneX11.Window, WindowRecord
    ) {
        let window = try InkstoneX11.Window(display, size: Size(width: width, height: height))
        let record = WindowRecord()
        window.delegate = record
        window.show()
        try pump("the first painting") {
            record.paintings > 0 && self.probe.info(window.id.rawValue)?.isViewable == true
        }
        return (window, record)
    }

    /// Turns the loop of `displays` until a condition holds.
    func pump(
        _ what: String, within milliseconds: Int = 5000, and others: [InkstoneX11.Display] = [],
        until condition: () -> Bool
    ) throws {
        try InkstoneDisplayTests.pump([display] + others, what, within: milliseconds, until: condition)
    }

    /// Handles everything that the server has sent so far in answer to what the probe has done.
    func settle() {
        probe.sync()
        XSync(display.connection, 0)
        display.processEvents()
    }
}

/// Turns the loops of `displays` until a condition holds.
func pump(
    _ displays: [InkstoneX11.Display], _ what: String, within milliseconds: Int = 5000, until condition: () -> Bool
) throws {
    _ = try waitFor(what, within: milliseconds, watching: displays.map(\.fileDescriptor)) { () -> Bool? in
        for display in displays { display.processEvents() }
        return condition() ? true : nil
    }
}

/// Writes down what a window tells, and paints one colour.
final class WindowRecord: WindowDelegate {
    var keys: [KeyEvent] = []
    var rawKeys: [RawKey] = []
    var pointer: [PointerEvent] = []
    var paintings = 0
    var damage: [WindowRect] = []
    var moves = 0
    var resizes = 0
    var focus: [Bool] = []
    var closeRequests = 0
    var isDestroyed = false
    var color = Color(rgb: 0x336699)
    var onKey: ((InkstoneX11.Window, KeyEvent) -> Void)?
    var onPaint: ((InkstoneX11.Window, any Canvas, [WindowRect]) -> Void)?

    /// What the keys that went down type.
    var typed: String { keys.filter { $0.phase != .up }.map(\.characters).joined() }

    func window(_ window: InkstoneX11.Window, didReceiveKey key: KeyEvent, raw: RawKey) {
        keys.append(key)
        rawKeys.append(raw)
        onKey?(window, key)
    }

    func window(_ window: InkstoneX11.Window, didReceivePointer event: PointerEvent) { pointer.append(event) }

    func window(_ window: InkstoneX11.Window, paint canvas: any Canvas, damage: [WindowRect]) {
        paintings += 1
        self.damage = damage
        if let onPaint { return onPaint(window, canvas, damage) }
        canvas.setClip(damage)
        canvas.fill(window.bounds, color)
    }

    func windowDidResize(_ window: InkstoneX11.Window) { resizes += 1 }
    func windowDidMove(_ window: InkstoneX11.Window) { moves += 1 }
    func windowDidChangeFocus(_ window: InkstoneX11.Window) { focus.append(window.isFocused) }
    func windowShouldClose(_ window: InkstoneX11.Window) { closeRequests += 1 }
    func windowWasDestroyed(_ window: InkstoneX11.Window) { isDestroyed = true }
}
