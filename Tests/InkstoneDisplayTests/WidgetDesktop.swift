import DisplayTestSupport
import Inkstone
import InkstoneTesting

/// Windows of the library in this process, on a display of their own, with a probe that looks and types from outside.
final class WidgetDesktop {
    let session: DesktopSession
    let display: Inkstone.Display
    var probe: XProbe { session.probe }
    private(set) var windows: [WidgetWindow] = []

    /// `manager`: whether openbox runs there.
    init(manager: Bool = false) throws {
        session = try DesktopSession(width: 900, height: 700)
        if manager { try session.startWindowManager() }
        display = try Inkstone.Display(name: session.server.display)
    }

    func end() {
        for window in windows { window.close() }
        display.close()
        session.end()
    }

    /// A window with text views one below the other, each as wide as the window; prepared before it is shown, and given
    /// the focus.
    func window(
        _ texts: [String], width: Double = 360, height: Double = 240, at origin: (x: Double, y: Double) = (40, 40),
        title: String = "widgets", preparing: ([TextView]) -> Void = { _ in }
    ) throws -> (window: WidgetWindow, views: [TextView]) {
        var properties = Window.Properties(title: title)
        properties.origin = RootPoint(x: origin.x, y: origin.y)
        let window = try WidgetWindow(display, size: Size(width: width, height: height), properties: properties)
        windows.append(window)
        let views = texts.map { text in
            let view = TextView(in: window, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
            view.text = text
            return view
        }
        preparing(views)
        window.onLayout = { window in
            let bounds = window.window.bounds
            let each = (bounds.height / Double(max(1, views.count))).rounded(.down)
            for (index, view) in views.enumerated() {
                view.setFrame(WindowRect(x: 0, y: Double(index) * each, width: bounds.width, height: each))
            }
        }
        window.show()
        try pump("the window to be seen") {
            if self.probe.info(window.window.id.rawValue)?.isViewable == true { return true }
            // The manager forgets windows shown in its first moments.
            window.window.show()
            return false
        }
        try focus(window)
        return (window, views)
    }

    /// Gives a window the X focus from outside and waits until it knows.
    func focus(_ window: WidgetWindow) throws {
        probe.focus(window.window.id.rawValue)
        try pump("the focus") { window.window.isFocused }
    }

    /// Handles events until a condition holds.
    func pump(_ what: String, within milliseconds: Int = 5000, until condition: () -> Bool) throws {
        try InkstoneDisplayTests.pump([display], what, within: milliseconds, until: condition)
    }

    /// Types on the American keyboard and waits until the view's text is `expected`.
    func type(_ text: String, into view: TextView, expecting expected: String) throws {
        probe.type(text)
        try expect(expected, in: view)
    }

    /// Waits until the view's text is `expected`; the failure tells what it is.
    func expect(_ expected: String, in view: TextView) throws {
        _ = try waitFor(
            "the text \(expected.debugDescription)", watching: [display.fileDescriptor],
            instead: { view.text.debugDescription }
        ) { () -> Bool? in
            display.processEvents()
            return view.text == expected ? true : nil
        }
    }

    /// Clicks at a place of a view, in its own pixels.
    func click(_ view: TextView, x: Double, y: Double, count: Int = 1, button: UInt8 = 1) {
        guard let origin = view.window?.window.rootOrigin else { return }
        probe.click(
            x: Int(origin.x + view.frame.minX + x), y: Int(origin.y + view.frame.minY + y), button: button,
            count: count)
    }
}

extension TextView {
    /// What is selected, in UTF-16 offsets.
    var selected: Range<Int> {
        let range = editor.selection?.range ?? 0..<0
        return range.lowerBound.value..<range.upperBound.value
    }

    /// The range of positions for UTF-16 offsets.
    func range(_ offsets: Range<Int>) -> TextRange {
        let start = position(from: beginningOfDocument, offset: offsets.lowerBound) ?? beginningOfDocument
        let end = position(from: beginningOfDocument, offset: offsets.upperBound) ?? endOfDocument
        return TextRange(start: start, end: end)
    }

    /// How far the text is scrolled, in pixels: how far its start lies above the view.
    var scrolled: Double { -editor.caretRect(for: editor.beginningOfDocument).minY }
}
