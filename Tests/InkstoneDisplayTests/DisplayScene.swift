import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

@testable import InkstoneX11

/// Windows of the library in this process, on an X server of their own, with a probe that observes and types from
/// outside.
class DisplayScene {
    let session: DesktopSession
    let display: InkstoneX11.Display
    /// The proxy that counts the traffic of the display's connections, if requested.
    let proxy: CountingProxy?
    /// The windows with views, until ``end()`` closes them or ``release(_:)`` lets them go.
    private(set) var windows: [WidgetWindow] = []
    private(set) var views: [TextView] = []
    /// Connections of other clients, which end with the scene.
    private var others: [InkstoneX11.Display] = []

    var server: XServer { session.server }
    var probe: XProbe { session.probe }
    /// The first window with a view.
    var window: WidgetWindow { windows[0] }
    /// The first view of the first window.
    var view: TextView { views[0] }

    /// Starts an X server with a screen of this size in pixels, and connects to it.
    ///
    /// - Parameters:
    ///   - resources: the initial resource database (`xrdb`).
    ///   - manager: whether openbox runs there.
    convenience init(
        width: Int = 1280, height: Int = 1024, resources: String = "", isCounted: Bool = false, manager: Bool = false
    ) throws {
        let session = try DesktopSession(width: width, height: height)
        if manager { try session.startWindowManager() }
        try self.init(in: session, resources: resources, isCounted: isCounted)
    }

    /// Connects to the display of a session; ``end()`` closes the connection.
    init(in session: DesktopSession, resources: String = "", isCounted: Bool = false) throws {
        self.session = session
        if !resources.isEmpty { Self.setResources(resources, display: session.server.display) }
        proxy = isCounted ? try CountingProxy(to: session.server) : nil
        display = try InkstoneX11.Display(name: proxy?.display ?? session.server.display)
    }

    /// Creates a scene with one view in a window without focus. Its caret is hollow and does not blink, so pictures
    /// of the same state are equal.
    ///
    /// - Parameter prepare: changes the view before it is shown.
    static func still(
        width: Double = 360, height: Double = 260, font: FontDescriptor? = nil, resources: String = "",
        isCounted: Bool = false, prepare: (TextView) -> Void = { _ in }
    ) throws -> DisplayScene {
        let scene = try DisplayScene(resources: resources, isCounted: isCounted)
        try scene.makeWindow(width: width, height: height, font: font, at: nil, isFocused: false) { prepare($0[0]) }
        scene.waitUntilIdle()
        return scene
    }

    /// Opens a connection for another client of the server; it is closed with the scene.
    func connectOther() throws -> InkstoneX11.Display {
        let other = try InkstoneX11.Display(name: server.display)
        others.append(other)
        return other
    }

    func end() {
        for other in others { other.close() }
        disconnect()
        proxy?.end()
        session.end()
    }

    /// Closes the windows and the connection, but leaves the server running.
    func disconnect() {
        for window in windows { window.close() }
        (windows, views) = ([], [])
        display.close()
    }

    /// Removes a window and its views from the scene; the caller keeps them.
    func release(_ window: WidgetWindow) {
        windows.removeAll { $0 === window }
        views.removeAll { $0.window === window }
    }

    // MARK: Windows

    /// Creates a top-level window without views; it is visible and painted once.
    func makePlainWindow(width: Double = 200, height: Double = 100, title: String = "") throws -> (
        window: InkstoneX11.Window, record: WindowRecord
    ) {
        let window = try InkstoneX11.Window(
            display, size: Size(width: width, height: height), properties: Window.Properties(title: title))
        let record = WindowRecord()
        window.delegate = record
        window.show()
        try pump("the first painting") {
            if self.isViewable(window) { return record.paintings > 0 }
            // Show the window again: openbox loses windows that are shown while it starts.
            if self.session.hasWindowManager { window.show() }
            return false
        }
        return (window, record)
    }

    /// A window with text views one below the other, each as wide as the window; prepared before it is shown.
    ///
    /// - Parameters:
    ///   - font: nil for the display's.
    ///   - origin: in pixels of the root window; nil leaves it to the server.
    @discardableResult
    func makeWindow(
        _ texts: [String] = [""], width: Double = 360, height: Double = 240, font: FontDescriptor? = ViewScene.font,
        at origin: (x: Double, y: Double)? = (40, 40), title: String = "widgets", isFocused: Bool = true,
        preparing: ([TextView]) -> Void = { _ in }
    ) throws -> (window: WidgetWindow, views: [TextView]) {
        var properties = Window.Properties(title: title)
        properties.origin = origin.map { RootPoint(x: $0.x, y: $0.y) }
        let window = try WidgetWindow(display, size: Size(width: width, height: height), properties: properties)
        windows.append(window)
        let made = texts.map { text in
            let view = TextView(in: window, font: font)
            if !text.isEmpty { view.text = text }
            return view
        }
        views += made
        preparing(made)
        if made.count > 1 {
            window.onLayout = { window in
                let bounds = window.window.bounds
                let each = (bounds.height / Double(made.count)).rounded(.down)
                for (index, view) in made.enumerated() {
                    view.setFrame(WindowRect(x: 0, y: Double(index) * each, width: bounds.width, height: each))
                }
            }
        }
        window.show()
        try pump("the window to be seen") {
            if self.isViewable(window.window) { return true }
            if self.session.hasWindowManager { window.window.show() }
            return false
        }
        if isFocused { try focus(window) }
        return (window, made)
    }

    private func isViewable(_ window: InkstoneX11.Window) -> Bool { probe.info(window.id.rawValue)?.isViewable == true }

    /// Gives a window the X focus from outside, and waits for the focus event.
    func focus(_ window: WidgetWindow) throws {
        try pump("the focus") {
            probe.focus(window.window.id.rawValue)
            return window.window.isFocused
        }
    }

    // MARK: Turning the loop

    /// A description of the scene for time-out messages.
    var summary: String { "" }

    /// Runs the event loop, and those of `others`, until a condition holds.
    func pump(
        _ what: String, within milliseconds: Int = 5000, and others: [InkstoneX11.Display] = [],
        instead: (() -> String)? = nil, until condition: () -> Bool
    ) throws {
        let displays = [display] + others
        try waitUntil(
            what, within: milliseconds, watching: displays.map(\.fileDescriptor), instead: instead ?? { self.summary }
        ) {
            for display in displays { display.processEvents() }
            return condition()
        }
    }

    /// Handles all events that the probe's requests have caused so far, and paints.
    func waitUntilIdle() {
        probe.sync()
        for _ in 0..<2 {
            XSync(display.connection, 0)
            display.processEvents()
        }
        XSync(display.connection, 0)
    }

    /// Waits until the text of a view is `expected`; a failure shows the actual text.
    func expect(text expected: String, in view: TextView) throws {
        try pump("the text \(expected.debugDescription)", instead: { view.text.debugDescription }) {
            view.text == expected
        }
    }

    // MARK: Hands

    /// Types on the American keyboard.
    func type(_ text: String) { probe.type(text) }

    /// Types on the American keyboard and waits until the view's text is `expected`.
    func type(_ text: String, into view: TextView, expecting expected: String) throws {
        type(text)
        try expect(text: expected, in: view)
    }

    /// Clicks at a point of a view, in the view's pixels.
    func click(_ view: TextView, x: Double, y: Double, count: Int = 1, button: UInt8 = 1) {
        guard let origin = view.window?.window.rootOrigin else { return }
        probe.click(
            x: Int(origin.x + view.frame.minX + x), y: Int(origin.y + view.frame.minY + y), button: button,
            count: count)
    }

    /// Sets the resource database (`xrdb`), as a desktop's settings do.
    static func setResources(_ text: String, display: String) {
        guard let connection = XOpenDisplay(display) else { return }
        XChangeProperty(
            connection, XDefaultRootWindow(connection), PredefinedAtom.resourceManager, PredefinedAtom.string, 8,
            PropModeReplace, Array(text.utf8), Int32(text.utf8.count))
        XSync(connection, 0)
        XCloseDisplay(connection)
    }
}
