import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The loupe on a display: its content, its position, and each event that closes it.
    @Suite struct LoupeSessionTests {
        /// The window of a loupe; nil if it is not visible.
        private func loupe(_ scene: DisplayScene, _ id: WindowID?) -> WindowInfo? {
            id.flatMap { scene.probe.info($0.rawValue) }.flatMap { $0.isViewable ? $0 : nil }
        }

        /// The visible override-redirect windows, such as menus and loupes.
        private func popups(_ scene: DisplayScene) -> [WindowInfo] {
            scene.probe.windows().filter { $0.isViewable && $0.overrideRedirect && $0.width > 8 }
        }

        /// Returns the colours in a loupe at offsets from its centre.
        private func colors(_ scene: DisplayScene, _ session: TextLoupeSession, at places: [(Int, Int)]) -> [UInt32] {
            scene.waitUntilIdle()
            guard let info = loupe(scene, session.windowID), let shot = scene.probe.screenshot(of: info) else {
                return []
            }
            return places.map { shot[info.width / 2 + $0.0, info.height / 2 + $0.1] }
        }

        /// Creates a host's window with four colour fields that meet at (100, 50).
        private func fields(_ scene: DisplayScene) throws -> (InkstoneX11.Window, WindowRecord) {
            let (window, record) = try scene.makePlainWindow(width: 300, height: 200)
            scene.probe.move(window.id.rawValue, x: 300, y: 400)
            try scene.pump("the move") { window.rootOrigin == RootPoint(x: 300, y: 400) }
            record.onPaint = { window, canvas, damage in
                canvas.setClip(damage)
                for (column, row, color) in [(0, 0, 0xc02020), (1, 0, 0x20c020), (0, 1, 0x2020c0), (1, 1, 0xc0c020)] {
                    let (x, y) = (Double(column) * 100, Double(row) * 50)
                    canvas.fill(WindowRect(x: x, y: y, width: 300, height: 200), Color(rgb: UInt32(color)))
                }
            }
            window.setNeedsDisplay()
            scene.waitUntilIdle()
            return (window, record)
        }

        @Test func aHostMagnifiesAPointOfAWindowOfItsOwn() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try fields(scene)
            let session = try #require(
                TextLoupeSession.begin(at: WindowPoint(x: 103, y: 50), in: window), "the window is seen")
            // The point is 3 pixels right of the corner, and the magnification is 2; so the corner is 6 pixels left
            // of the centre.
            let beside = [(-9, -3), (-3, -3), (-9, 3), (-3, 3)]
            #expect(colors(scene, session, at: beside) == [0xc02020, 0x20c020, 0x2020c0, 0xc0c020])
            let frame = try #require(session.frame)
            let info = try #require(loupe(scene, session.windowID))
            #expect(frame == RootRect(x: 273, y: 362, width: 260, height: 64), "above the point: \(frame)")
            #expect(info.x == 273 && info.y == 362 && info.overrideRedirect)
            // The loupe does not receive pointer events.
            scene.probe.click(x: info.x + info.width / 2, y: info.bottom - 10)
            try scene.pump("the click below") {
                record.pointer.contains { $0.kind == .press(.primary) }
            }
            session.move(to: WindowPoint(x: 50, y: 100))
            #expect(colors(scene, session, at: [(0, 0)]) == [0x2020c0])
            // The loupe avoids the handle's rectangle too, which extends above the point.
            session.move(to: WindowPoint(x: 103, y: 50), from: WindowRect(x: 100, y: 30, width: 10, height: 10))
            #expect(session.frame?.maxY == 406)
            // Newly painted pixels appear in the loupe in the same turn of the event loop.
            record.onPaint = nil
            record.color = Color(rgb: 0x123456)
            window.setNeedsDisplay()
            #expect(colors(scene, session, at: [(0, 0), (-60, 20)]) == [0x123456, 0x123456])
            // Beyond the window's edge, the loupe shows an empty background.
            session.move(to: WindowPoint(x: 0, y: 100))
            #expect(colors(scene, session, at: [(-4, 0), (4, 0)]) == [0xffffff, 0x123456])
            // For a finger, the loupe keeps a larger distance.
            let touched = try #require(
                TextLoupeSession.begin(at: WindowPoint(x: 103, y: 50), byFinger: true, in: window))
            #expect(touched.frame == RootRect(x: 273, y: 341, width: 260, height: 64))
            #expect(!session.isValid)
            let other = try #require(TextLoupeSession.begin(at: WindowPoint(x: 10, y: 10), in: window))
            #expect(!touched.isValid && other.isValid, "one loupe a window")
            scene.waitUntilIdle()
            #expect(popups(scene).count == 1)
            var ends = 0
            other.onEnd = { ends += 1 }
            other.invalidate()
            other.invalidate()
            scene.waitUntilIdle()
            #expect(!other.isValid && other.frame == nil && ends == 1 && popups(scene).isEmpty)
            // A destroyed window closes its loupe, and a hidden window gets none.
            let last = try #require(TextLoupeSession.begin(at: WindowPoint(x: 10, y: 10), in: window))
            window.hide()
            scene.waitUntilIdle()
            #expect(!last.isValid && popups(scene).isEmpty)
            #expect(TextLoupeSession.begin(at: WindowPoint(x: 10, y: 10), in: window) == nil)
            window.close()
        }

        /// Returns the columns at the loupe's centre that have the caret's colour, relative to the centre.
        private func caretColumns(_ scene: DisplayScene) -> [Int] {
            scene.waitUntilIdle()
            guard let info = popups(scene).first, let shot = scene.probe.screenshot(of: info) else { return [] }
            return (0..<info.width).filter { shot[$0, info.height / 2] == EditorColor.caret }.map {
                $0 - info.width / 2
            }
        }

        /// Covers INT 35 of the checklist for interaction.
        @Test func aKeyShowsTheCaretsLineAndItFollows() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha beta gamma\n\n" + String(repeating: "more\n", count: 60)], at: (200, 300))
            let view = scene.view
            view.presenter.caretSettings = steady
            view.select(Selection(caret: 3))
            scene.probe.strike(TestKey(74), holding: [.leftShift])
            try scene.pump("the loupe") { view.isLoupeShown && popups(scene).count == 1 }
            // The caret is two pixels wide, and thus four in the loupe; the outer two are blended with the
            // background.
            #expect(caretColumns(scene) == [-1, 0])
            let first = try #require(popups(scene).first)
            scene.type("xyz")
            try scene.pump("the text") { view.text.hasPrefix("alpxyzha beta") }
            #expect(caretColumns(scene) == [-1, 0])
            let second = try #require(popups(scene).first)
            #expect(second.x > first.x && second.y == first.y, "\(first.rect), then \(second.rect)")
            // The loupe is hidden while the caret is scrolled out of the viewport.
            view.scroll(by: 400)
            scene.waitUntilIdle()
            #expect(view.isLoupeShown && popups(scene).isEmpty)
            scene.probe.strike(.down)
            try scene.pump("the loupe") { popups(scene).count == 1 }
            // A composition continues while the loupe is shown.
            view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0), replacementRange: .notFound)
            scene.probe.strike(TestKey(74), holding: [.leftShift])
            try scene.pump("no loupe") { !view.isLoupeShown && popups(scene).isEmpty }
            #expect(view.markedText != nil)
            view.unmarkText()
        }

        private var steady: CaretSettings {
            var settings = CaretSettings()
            settings.blinks = false
            return settings
        }

        /// Covers INT 36 of the checklist for interaction.
        @Test func theLoupeOfTheKeyboardGoesWithEscapeFocusAndWindow() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha", "beta"], at: (200, 300))
            let view = scene.view
            func show() throws {
                view.showLoupe()
                try scene.pump("the loupe") { popups(scene).count == 1 }
            }
            func expectGone(_ way: Comment) {
                scene.waitUntilIdle()
                #expect(!view.isLoupeShown && popups(scene).isEmpty, way)
            }
            try show()
            scene.probe.strike(.escape)
            try scene.pump("no loupe") { !view.isLoupeShown }
            expectGone("Escape")
            try show()
            scene.views[1].focus()
            expectGone("another view has the focus")
            view.focus()
            try show()
            scene.probe.focusNothing()
            try scene.pump("no focus") { !scene.window.window.isFocused }
            expectGone("the window has no focus")
            try scene.focus(scene.window)
            try show()
            view.hideLoupe()
            expectGone("told to")
            try show()
            scene.window.window.hide()
            expectGone("the window is hidden")
        }

        @Test func aLongPressMagnifiesUntilTheButtonComesUp() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha beta gamma\ndelta epsilon"], at: (200, 300))
            let view = scene.view
            view.interaction.settings.longPressInterval = 30
            let origin = scene.window.window.rootOrigin
            func point(_ offset: Int) -> (x: Int, y: Int) {
                let rect = view.caretRect(for: view.range(offset..<offset).start)
                return (Int(origin.x + rect.minX) + 3, Int(origin.y + rect.minY + rect.height / 2))
            }
            func press(at offset: Int) throws {
                scene.probe.movePointer(x: point(offset).x, y: point(offset).y)
                scene.probe.button(1, down: true)
                try scene.pump("the loupe") { view.isLoupeShown && popups(scene).count == 1 }
            }
            try press(at: 7)
            #expect(view.selected == 6..<10, "the word under it")
            let first = try #require(popups(scene).first)
            for offset in [12, 20] {
                let place = point(offset)
                scene.probe.movePointer(x: place.x, y: place.y)
                try scene.pump("the selection") { view.selected.contains(offset) }
                scene.waitUntilIdle()
                let info = try #require(popups(scene).first)
                #expect(abs(info.x + info.width / 2 - place.x) <= 1, "over the pointer's column")
                #expect(place.y >= info.bottom || place.y < info.y, "never under the pointer: \(info.rect)")
                #expect(info.rect != first.rect)
            }
            scene.probe.button(1, down: false)
            try scene.pump("no loupe") { !view.isLoupeShown && popups(scene).isEmpty }
            try press(at: 28)
            scene.probe.strike(.escape)
            try scene.pump("no loupe") { !view.isLoupeShown && popups(scene).isEmpty }
            scene.probe.button(1, down: false)
            scene.waitUntilIdle()
            #expect(!view.isDragging)
        }
    }
}
