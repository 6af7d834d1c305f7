import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

/// A server of its own with a text view in a window, all in this process; and a probe that looks from outside.
///
/// The window has no focus, so that the caret stands still, paler, and pictures of one state are equal.
final class WidgetScene {
    let server: XServer
    let probe: XProbe
    let display: InkstoneX11.Display
    let window: WidgetWindow
    let view: TextView
    /// What counts the traffic of the window's connections, if asked for.
    let proxy: CountingProxy?
    var editor: EditorView { view.editor }

    init(
        width: Double = 360, height: Double = 260, font: FontDescriptor? = nil, resources: String = "",
        isCounted: Bool = false, prepare: (TextView) -> Void = { _ in }
    ) throws {
        server = try XServer(width: 1280, height: 1024)
        probe = try XProbe(display: server.display)
        if !resources.isEmpty { Self.setResources(resources, display: server.display) }
        proxy = isCounted ? try CountingProxy(to: server) : nil
        display = try InkstoneX11.Display(name: proxy?.display ?? server.display)
        window = try WidgetWindow(display, size: Size(width: width, height: height))
        view = TextView(in: window, font: font)
        prepare(view)
        window.show()
        try pump([display], "the window") { probe.info(window.window.id.rawValue)?.isViewable == true }
        settle()
    }

    func end() {
        window.close()
        display.close()
        proxy?.end()
        probe.close()
        server.end()
    }

    /// Handles what has come and paints.
    func settle() {
        probe.sync()
        display.processEvents()
        XSync(display.connection, 0)
        display.processEvents()
    }

    /// Has all heights known, so that the scroll bar tells the same whatever was looked at before.
    func settleHeights() { editor.refineHeights { false } }

    /// What the window shows, as painted by what was asked of the view.
    func picture() throws -> Screenshot {
        settle()
        let info = try #require(probe.info(window.window.id.rawValue))
        return try #require(probe.screenshot(of: info))
    }

    /// What the window shows when all of it is painted anew.
    func freshPicture() throws -> Screenshot {
        window.window.setNeedsDisplay()
        return try picture()
    }

    /// Sets the resource database (`xrdb`), as a desktop's settings do.
    static func setResources(_ text: String, display: String) {
        guard let connection = XOpenDisplay(display) else { return }
        XChangeProperty(
            connection, XDefaultRootWindow(connection), 23, 31, 8, PropModeReplace, Array(text.utf8),
            Int32(text.utf8.count))
        XSync(connection, 0)
        XCloseDisplay(connection)
    }
}

extension Screenshot {
    /// How two pictures of one extent differ: how many pixels, and in which rectangle; nil if they do not.
    func difference(from other: Screenshot) -> String? {
        guard width == other.width, height == other.height else {
            return "\(width) × \(height) instead of \(other.width) × \(other.height) pixels"
        }
        let wrong = pixels.indices.filter { pixels[$0] != other.pixels[$0] }
        guard !wrong.isEmpty else { return nil }
        let columns = wrong.map { $0 % width }
        let rows = wrong.map { $0 / width }
        let rect = PixelRect(
            left: columns.min() ?? 0, top: rows.min() ?? 0, right: (columns.max() ?? 0) + 1,
            bottom: (rows.max() ?? 0) + 1)
        return "\(wrong.count) pixels differ in \(rect)"
    }

    /// Writes the picture where a failing test's reader finds it, and says where.
    func kept(_ name: String) -> String {
        // Not a directory that goes with the test.
        var template = Array(
            "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/inkstone-picture.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return "(no place to keep it)" }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/\(name).ppm"
        try? TextFiles.write(ppm, to: path)
        return path
    }
}
