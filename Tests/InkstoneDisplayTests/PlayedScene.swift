import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

/// A window on an X server with simulated devices, and these devices.
final class PlayedScene {
    let devices: PlayedDevices
    let scene: DisplayScene
    var view: TextView { scene.view }

    init(_ text: String) throws {
        devices = try PlayedDevices()
        scene = try DisplayScene(in: try DesktopSession(server: devices.server))
        try scene.makeWindow([text], width: 400, height: 300, at: (100, 100))
    }

    func end() {
        scene.end()
        devices.end()
    }

    /// Waits until the simulated input has been handled.
    func waitUntilIdle() {
        devices.sync()
        scene.waitUntilIdle()
    }

    // MARK: The mouse

    /// The distance in wheel clicks by which the text is scrolled down.
    var clicks: Double {
        waitUntilIdle()
        return (view.scrolled + view.theme.margin) / (3 * view.presenter.lineStep)
    }

    /// Moves the mouse to a fixed point over the window, or outside.
    func point(inside: Bool) {
        devices.moveMouse(dx: -3000, dy: -3000)
        if inside { devices.moveMouse(dx: 150, dy: 150) }
        waitUntilIdle()
    }

    // MARK: Fingers

    /// Returns the point at an offset's caret, halfway up its line, in view pixels.
    func point(_ offset: Int) -> ViewPoint {
        let caret = view.caretRect(for: view.range(offset..<offset).start)
        return ViewPoint(x: caret.minX + 2, y: caret.minY + caret.height / 2)
    }

    /// Performs a phase of a touch at a point of the view.
    func touch(_ phase: PlayedDevices.TouchPhase, id: UInt32 = 1, at point: ViewPoint) {
        let origin = scene.window.window.rootOrigin
        devices.touch(phase, id: id, x: origin.x + view.frame.minX + point.x, y: origin.y + view.frame.minY + point.y)
    }

    func tap(at point: ViewPoint) {
        touch(.began, at: point)
        touch(.ended, at: point)
        waitUntilIdle()
    }

    /// The visible override-redirect windows, such as loupes and menus.
    var popups: [WindowInfo] { scene.probe.windows().filter { $0.isViewable && $0.overrideRedirect && $0.width > 8 } }

    /// Enables or disables the touch screen, as `xinput` does.
    func setTouchDevice(enabled: Bool) throws {
        let connection = try #require(XOpenDisplay(scene.server.display))
        defer { XCloseDisplay(connection) }
        var count: Int32 = 0
        let all = try #require(XIQueryDevice(connection, XIAllDevices, &count))
        defer { XIFreeDeviceInfo(all) }
        let name = PlayedDevices.Device.touch.rawValue
        let device = UnsafeBufferPointer(start: all, count: Int(count)).first { String(cString: $0.name) == name }
        var value: UInt8 = enabled ? 1 : 0
        XIChangeProperty(
            connection, try #require(device).deviceid, XInternAtom(connection, "Device Enabled", 0), 19, 8,
            PropModeReplace, &value, 1)
        XSync(connection, 0)
        waitUntilIdle()
    }
}
