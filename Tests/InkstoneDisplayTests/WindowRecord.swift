import InkstoneBase
import InkstoneX11

/// Records the events of a window, and paints one colour.
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

    /// The characters typed by the pressed keys.
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
