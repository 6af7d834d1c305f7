import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Panels and accessory strips of a program beside a text view.
    @Suite struct WidgetPanelTests {
        /// A panel of one colour and a fixed size; a press runs the test's code.
        final class Strip: InputPanel {
            static let color: UInt32 = 0xcc3366
            var placement: InputPanelPlacement
            var wanted: Size
            var presses: [WindowPoint] = []
            var onPress: (() -> Void)?
            var paintings = 0

            init(_ placement: InputPanelPlacement, width: Double = 10, height: Double) {
                self.placement = placement
                wanted = Size(width: width, height: height)
            }

            func size(fitting available: Size) -> Size { wanted }
            func paint(on canvas: any Canvas, size: Size, damage: WindowRect) {
                paintings += 1
                canvas.fill(WindowRect(origin: WindowPoint(x: 0, y: 0), size: size), Color(rgb: Self.color))
            }
            func handlePointer(_ event: PointerEvent) {
                guard case .press(.primary) = event.kind else { return }
                presses.append(event.location)
                onPress?()
            }
        }

        /// Returns the rows of a window that have the strip's colour over their whole width.
        private func rows(_ window: WidgetWindow, _ scene: DisplayScene) -> Range<Int>? {
            guard let info = scene.probe.info(window.window.id.rawValue),
                let shot = scene.probe.screenshot(of: info)
            else { return nil }
            let found = (0..<shot.height).filter { row in (0..<shot.width).allSatisfy { shot[$0, row] == Strip.color } }
            guard let first = found.first, let last = found.last, found.count == last - first + 1 else { return nil }
            return first..<(last + 1)
        }

        @Test func anAccessoryStripIsRightOnFirstFocusAndTakesNoFocus() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.server.setLayout("us", variant: "intl")
            let strip = Strip(.docked, height: 30)
            let text = (1...40).map { "line \($0)" }.joined(separator: "\n")
            let (window, views) = try scene.makeWindow([text, "other"], height: 300) { views in
                // Set the strip when the view gets the focus for the first time, before it is painted with it.
                views[0].onFocusChange = { if $0 { views[0].inputAccessoryView = strip } }
                views[0].select(Selection(caret: UTF16Offset(text.utf16.count)))
            }
            let view = views[0]
            #expect(view.hasFocus && view.frame.height == 120 && view.outerFrame.height == 150)
            try scene.pump("the strip, all of it and nothing else") { rows(window, scene) == 120..<150 }
            // The strip does not cover the caret's line.
            let caret = try #require(view.selectedTextRange.map { view.caretRect(for: $0.end) })
            #expect(caret.maxY <= 120 && caret.minY >= 0, "\(caret)")

            // A press in the strip acts on the view, which keeps the focus and the composition.
            scene.probe.type("'")
            try scene.pump("marked text") { view.markedText != nil }
            let focused = scene.probe.focusedWindow
            scene.click(view, x: 50, y: 135)
            try scene.pump("the press") { strip.presses.count == 1 }
            #expect(strip.presses == [WindowPoint(x: 50, y: 15)])
            #expect(view.markedText != nil && view.hasFocus)
            #expect(scene.probe.focusedWindow == focused && window.window.isFocused)
            // Keys go to the view even while the pointer is over the strip.
            scene.probe.type("e")
            try scene.expect(text: text + "é", in: view)
            strip.onPress = { view.insertText("→") }
            scene.click(view, x: 50, y: 135)
            scene.probe.type("x")
            try scene.expect(text: text + "é→x", in: view)

            // Reloading asks for a new size; without a strip, the text gets its space back.
            strip.wanted.height = 50
            view.reloadInputViews()
            try scene.pump("a higher strip") { rows(window, scene) == 100..<150 }
            strip.wanted.height = 500
            view.reloadInputViews()
            try scene.pump("half of the view at most") { rows(window, scene) == 75..<150 }
            view.inputAccessoryView = nil
            try scene.pump("no strip") { rows(window, scene) == nil && view.frame.height == 150 }
            view.inputAccessoryView = strip
            try scene.pump("the strip again") { rows(window, scene) == 75..<150 }

            // The strip belongs to one view; the other view has none.
            #expect(views[1].focus())
            try scene.pump("no strip") { rows(window, scene) == nil && view.frame.height == 150 }
            #expect(view.focus())
            try scene.pump("the strip again") { rows(window, scene) == 75..<150 }
            // When the window grows, the strip stays at its lower edge.
            scene.probe.resize(window.window.id.rawValue, width: 400, height: 400)
            strip.wanted.height = 20
            try scene.pump("the strip at the new edge") { rows(window, scene) == 180..<200 }
        }

        @Test func anInputPanelHangsBelowItsFieldAndGoesWithTheFocus() throws {
            let scene = try DisplayScene(width: 900, height: 700, manager: true)
            defer { scene.end() }
            let panel = Strip(.popup, width: 120, height: 80)
            let accessory = Strip(.docked, height: 10)
            let (window, views) = try scene.makeWindow(["field", "text"], width: 300, height: 60, at: (100, 100)) {
                $0[0].inputView = panel
                $0[0].inputAccessoryView = accessory
            }
            let (first, field) = (window, views[0])
            func expectedTop() -> Int { Int(first.window.rootOrigin.y + field.outerFrame.maxY) }
            func isBelow() -> Bool {
                guard let id = scene.panelWindow(width: 120, height: 80) else { return false }
                return id.overrideRedirect && id.y == expectedTop() && id.x == Int(first.window.rootOrigin.x)
            }
            try scene.pump("the panel below the field") { isBelow() }
            #expect(window.window.isFocused && field.hasFocus, "it takes no focus")
            // A press acts, and the focus stays.
            panel.onPress = { field.insertText("!") }
            let place = try #require(scene.panelWindow(width: 120, height: 80))
            scene.probe.click(x: place.x + 60, y: place.y + 40)
            try scene.expect(text: "!field", in: field)
            #expect(panel.presses == [WindowPoint(x: 60, y: 40)] && window.window.isFocused && field.hasFocus)
            try scene.type("x", into: field, expecting: "!xfield")
            // The panel follows the window, and moves above the field near the screen's lower edge.
            scene.probe.move(window.window.id.rawValue, x: 250, y: 200)
            try scene.pump("the panel at the new place") { isBelow() && first.window.rootOrigin.y > 190 }
            scene.probe.move(window.window.id.rawValue, x: 250, y: 600)
            try scene.pump("the panel above") {
                scene.panelWindow(width: 120, height: 80).map { $0.bottom == Int(first.window.rootOrigin.y) } ?? false
            }
            // The panel is hidden while the field has no focus.
            let (other, _) = try scene.makeWindow(["other"], width: 200, height: 60, at: (20, 20), title: "other")
            try scene.pump("no panel") { scene.panelWindow(width: 120, height: 80) == nil }
            #expect(other.window.isFocused)
            try scene.focus(window)
            try scene.pump("the panel again") { scene.panelWindow(width: 120, height: 80) != nil }
            #expect(views[1].focus())
            try scene.pump("no panel") { scene.panelWindow(width: 120, height: 80) == nil }
        }
    }
}

extension DisplayScene {
    /// Returns the visible override-redirect window of exactly this size.
    fileprivate func panelWindow(width: Int, height: Int) -> WindowInfo? {
        probe.windows().first { $0.isViewable && $0.overrideRedirect && $0.width == width && $0.height == height }
    }
}
