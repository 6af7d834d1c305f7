import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The geometry of a view within nested windows of another client, scrolled both ways, at a fractional scale:
    /// the view's coordinates in its own and the root window's space agree with the pixels on the screen.
    @Suite struct WidgetNestingTests {
        @Test func geometryIsThatOfTheScreenHoweverNestedScrolledAndScaled() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let host = try #require(XOpenDisplay(scene.server.display))
            defer { XCloseDisplay(host) }
            func window(_ parent: UInt, _ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) -> UInt {
                let made = XCreateSimpleWindow(host, parent, x, y, width, height, 0, 0, 0xff_ffff)
                XMapWindow(host, made)
                return made
            }
            let outer = window(XDefaultRootWindow(host), 53, 31, 700, 500)
            let inner = window(outer, 47, 29, 600, 420)
            XSync(host, 0)
            let lines = (0..<60).map { "line \($0) with words 日本 that go on and on beyond the view's right edge" }
            for dpi in [96, 144, 168] {
                DisplayScene.setResources("Xft.dpi: \(dpi)\n", display: scene.server.display)
                try scene.pump("the scale") { scene.display.scale == Double(dpi) / 96 }
                let view = try TextView(
                    scene.display, parent: WindowID(rawValue: UInt32(inner)),
                    frame: WindowRect(x: 37, y: 23, width: 400, height: 260))
                defer { view.close() }
                view.text = lines.joined(separator: "\n")
                view.wrapsLines = false
                try check(view, scene, "\(dpi) dpi, nested")
                // The host moves the view's parent window without notifying the view.
                XMoveWindow(host, inner, 20, 60)
                XSync(host, 0)
                try scene.pump("the new place") {
                    view.textInputViewOrigin == RootPoint(x: 53 + 20 + 37, y: 31 + 60 + 23)
                }
                try check(view, scene, "\(dpi) dpi, moved")
                XMoveWindow(host, inner, 47, 29)
                XSync(host, 0)
                try scene.pump("the old place") {
                    view.textInputViewOrigin == RootPoint(x: 53 + 47 + 37, y: 31 + 29 + 23)
                }
            }
        }

        /// Compares the view's rectangles of some positions with the pixels, scrolled back and forth.
        private func check(_ view: TextView, _ scene: DisplayScene, _ what: String) throws {
            let editor = view
            for (down, across) in [(0.0, 0.0), (137, 0), (-41, 53), (300, 120)] {
                editor.scroll(by: down, dx: across)
                let middle = ViewPoint(x: editor.bounds.width / 2, y: editor.bounds.height / 2)
                let position = try #require(view.closestPosition(to: middle))
                let offset = view.offset(from: view.beginningOfDocument, to: position)
                editor.select(Selection(caret: UTF16Offset(offset)), scrolling: false)
                #expect(view.focus())
                let output = view.caretRect(for: position)
                let note = "\(what), scrolled to \(view.scrolled), offset \(offset)"
                // Without focus, the caret is hollow and does not blink.
                let origin = view.textInputViewOrigin
                func pictures() -> String { scene.probe.screenshot()?.kept("nested") ?? "none" }
                _ = try waitFor(
                    "the caret at \(output) (\(note))", watching: [scene.display.fileDescriptor], instead: pictures
                ) { () -> Bool? in
                    scene.display.processEvents()
                    guard let shot = scene.probe.screenshot() else { return nil }
                    // The caret is painted across the boundary between two letters; a hollow caret's outline lies
                    // outside of its bar.
                    let half = Int(output.width) / 2
                    let left = Int(origin.x + output.minX) - half - (editor.isFocused ? 0 : max(1, half))
                    let rows = Int(origin.y + output.minY) + 1..<Int(origin.y + output.maxY) - 1
                    let isThere = rows.allSatisfy { Self.isCaret(shot[left, $0]) && !Self.isCaret(shot[left - 1, $0]) }
                    return isThere ? true : nil
                }
                // Converts a rectangle of the view to the root window, and hit-tests there.
                let range = view.range(offset..<offset + 1)
                let first = view.firstRect(for: range)
                let rects = view.selectionRects(for: range).map(\.rect)
                #expect(rects.count == 1 && rects.first == first, "\(note): \(rects), \(first)")
                let onRoot = view.firstRect(forCharacterRange: UTF16Range(location: offset, length: 1)).rect
                #expect(onRoot.minX == origin.x + first.minX && onRoot.minY == origin.y + first.minY, "\(note)")
                let center = RootPoint(x: onRoot.minX + onRoot.width * 0.3, y: onRoot.minY + onRoot.height / 2)
                #expect(view.characterIndex(for: center) == offset, "\(note)")
                let here = ViewPoint(x: first.minX + first.width * 0.3, y: first.minY + first.height / 2)
                #expect(view.closestPosition(to: here).map { view.offset(from: position, to: $0) } == 0, "\(note)")
                #expect(view.characterRange(at: here).map { view.offset(from: position, to: $0.start) } == 0, "\(note)")
                // A click at the point moves the caret there. Press elsewhere first, so that it is no double click.
                scene.probe.click(
                    x: Int(origin.x + editor.bounds.width * 0.75), y: Int(origin.y + editor.bounds.height * 0.75))
                try scene.pump("the click elsewhere") { view.selected != offset..<offset }
                scene.probe.click(x: Int(center.x), y: Int(center.y))
                try scene.pump("the click (\(note))") { view.selected == offset..<offset }
            }
        }

        /// Whether a pixel has the caret's colour.
        private static func isCaret(_ pixel: UInt32) -> Bool {
            let (red, blue) = (Int(pixel >> 16 & 0xff), Int(pixel & 0xff))
            return blue - red > 50
        }
    }
}
