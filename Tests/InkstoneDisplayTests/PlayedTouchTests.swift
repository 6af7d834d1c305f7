import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Touch gestures on an X server with simulated devices.
    @Suite struct PlayedTouchTests {
        private typealias Scene = PlayedScene

        private static let lines = (0..<400).map { "line \($0) with words\n" }.joined()

        private func isInstalled() throws -> Bool {
            try NotRun.unless(PlayedDevices.areInstalled, "needs Xorg with its drivers dummy and inputtest")
        }

        /// Returns the centre of a selection handle's knob, in view pixels.
        private func knob(_ scene: Scene, _ role: TextSelectionHandle.Role) throws -> ViewPoint {
            let handle = try #require(scene.view.interaction.handles.first { $0.role == role })
            return ViewPoint(x: handle.edge.minX + (handle.isLeft ? -7 : 7), y: handle.edge.maxY + 8)
        }

        private func pressLong(_ scene: Scene, at offset: Int) throws {
            scene.touch(.began, at: scene.point(offset))
            try scene.scene.pump("the long press") { scene.view.isDragging }
        }

        /// Expects that touches have left no loupe, no timer but the caret's, and no gesture.
        private func expectRest(_ scene: Scene, _ comment: Comment) {
            scene.waitUntilIdle()
            #expect(!scene.view.interaction.isActive && scene.view.interaction.nextDeadline == nil, comment)
            #expect(!scene.view.isLoupeShown && !scene.view.isDragging, comment)
            #expect(scene.popups.isEmpty, comment)
        }

        /// Covers INT 14 of the checklist for interaction.
        @Test func tapsPutTheCaretAndSelectTheWord() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            scene.view.interaction.settings.doubleClickTime = 600_000
            scene.tap(at: scene.point(9))
            #expect(scene.view.selected == 9..<9 && scene.view.interaction.handles.map(\.role) == [.caret])
            #expect(scene.scene.window.window.isFocused || scene.view.hasFocus)
            let drop = try knob(scene, .caret)
            scene.tap(at: ViewPoint(x: drop.x - 8, y: drop.y - 8))
            #expect(scene.view.selected == 7..<11, "on the handle that the first has brought")
            expectRest(scene, "after taps")
            scene.view.interaction.settings.doubleClickTime = 0
            // A tap on the selection opens the menu; a tap outside only closes it.
            scene.tap(at: scene.point(9))
            #expect(scene.scene.window.isMenuOpen)
            scene.tap(at: ViewPoint(x: 60, y: 290))
            #expect(!scene.scene.window.isMenuOpen && scene.view.selected == 7..<11)
            // A tap on the desktop, outside of all windows of the program, closes the menu.
            scene.tap(at: scene.point(9))
            #expect(scene.scene.window.isMenuOpen)
            scene.tap(at: ViewPoint(x: 900, y: 500))
            #expect(!scene.scene.window.isMenuOpen && scene.view.selected == 7..<11)
            // A tap on a menu item chooses it; the first item undoes the last edit.
            scene.view.session.replaceText(in: 0..<4, with: "LINE")
            scene.tap(at: scene.point(9))
            let menu = try #require(scene.popups.first)
            let origin = scene.scene.window.window.rootOrigin
            scene.tap(at: ViewPoint(x: Double(menu.x) + 30 - origin.x, y: Double(menu.y) + 15 - origin.y))
            try scene.scene.pump("the undoing", instead: { String(scene.view.text.prefix(40)) }) {
                scene.view.text.hasPrefix("line 0 with words")
            }
            expectRest(scene, "after the menu")
        }

        /// Covers INT 15 of the checklist for interaction.
        @Test func aFingerScrollsAlsoOutsideOfTheWindow() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            let selected = scene.view.selected
            scene.touch(.began, at: ViewPoint(x: 100, y: 250))
            for y in stride(from: 240.0, through: 100, by: -10) { scene.touch(.moved, at: ViewPoint(x: 100, y: y)) }
            scene.waitUntilIdle()
            #expect(abs(scene.view.scrolled + scene.view.theme.margin - 150) <= 1, "\(scene.view.scrolled)")
            scene.touch(.ended, at: ViewPoint(x: 100, y: 100))
            // The speed at which a simulated finger is lifted depends on the machine; stop any momentum.
            scene.waitUntilIdle()
            scene.view.interaction.keyWasPressed()
            #expect(scene.view.selected == selected && scene.view.interaction.handles.isEmpty)
            expectRest(scene, "after scrolling")
            // The touch stays with the view after it has left the window.
            let y = scene.view.scrolled
            scene.touch(.began, at: ViewPoint(x: 100, y: 250))
            scene.touch(.moved, at: ViewPoint(x: 100, y: 200))
            scene.touch(.moved, at: ViewPoint(x: 100, y: -50))
            scene.waitUntilIdle()
            #expect(abs(scene.view.scrolled - y - 300) <= 1)
        }

        /// Covers INT 16 of the checklist for interaction.
        @Test func aLongPressShowsWordHandlesAndLoupe() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            try pressLong(scene, at: 8)
            #expect(scene.view.selected == 7..<11 && scene.view.isLoupeShown)
            #expect(scene.view.interaction.handles.map(\.role) == [.start, .end])
            scene.touch(.moved, at: scene.point(14))
            scene.waitUntilIdle()
            #expect(scene.view.selected == 7..<17, "by words")
            let loupe = try #require(scene.popups.first)
            let origin = scene.scene.window.window.rootOrigin
            let finger = scene.point(14)
            let (x, y) = (Int(origin.x + finger.x), Int(origin.y + finger.y))
            #expect(!(loupe.x..<loupe.right).contains(x) || !(loupe.y..<loupe.bottom).contains(y), "not under it")
            scene.touch(.ended, at: scene.point(14))
            expectRest(scene, "lifted")
            #expect(scene.view.interaction.handles.map(\.role) == [.start, .end])
        }

        /// Covers INT 17 of the checklist for interaction.
        @Test func aHeldHandleScrollsAndCannotPassTheOther() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            try pressLong(scene, at: 8)
            scene.touch(.ended, at: scene.point(8))
            scene.waitUntilIdle()
            let end = try knob(scene, .end)
            scene.touch(.began, at: end)
            scene.touch(.moved, at: ViewPoint(x: end.x + 20, y: end.y))
            scene.touch(.moved, at: ViewPoint(x: 0, y: end.y))
            scene.waitUntilIdle()
            #expect(scene.view.selected == 7..<8 && scene.view.isLoupeShown)
            scene.touch(.moved, at: ViewPoint(x: end.x, y: 150))
            scene.touch(.moved, at: ViewPoint(x: end.x, y: 295))
            try scene.scene.pump("scrolling") { scene.view.scrolled > 300 }
            #expect(scene.view.selected.lowerBound == 7 && scene.view.selected.upperBound > 300)
            scene.touch(.ended, at: ViewPoint(x: end.x, y: 295))
            expectRest(scene, "lifted")
        }

        /// Covers INT 18 of the checklist for interaction.
        @Test func aSecondFingerCancelsASelection() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            try pressLong(scene, at: 8)
            scene.touch(.began, id: 2, at: ViewPoint(x: 200, y: 200))
            scene.waitUntilIdle()
            #expect(!scene.view.isDragging && !scene.view.isLoupeShown)
            scene.touch(.moved, at: scene.point(60))
            scene.touch(.moved, id: 2, at: ViewPoint(x: 200, y: 100))
            scene.touch(.ended, at: scene.point(60))
            scene.touch(.ended, id: 2, at: ViewPoint(x: 200, y: 100))
            expectRest(scene, "both lifted")
            #expect(scene.view.selected == 7..<11 && scene.view.scrolled <= 0)
        }

        /// Covers INT 19 of the checklist for interaction.
        @Test func aDeviceThatIsDisabledLeavesNothing() throws {
            guard try isInstalled() else { return }
            let scene = try Scene(Self.lines)
            defer { scene.end() }
            try pressLong(scene, at: 8)
            #expect(scene.view.isLoupeShown)
            try scene.setTouchDevice(enabled: false)
            try scene.scene.pump("the end of the touch") { !scene.view.interaction.isActive }
            expectRest(scene, "disabled with a loupe")
            try scene.setTouchDevice(enabled: true)
            scene.touch(.began, at: ViewPoint(x: 100, y: 250))
            for y in stride(from: 240.0, through: 100, by: -20) { scene.touch(.moved, at: ViewPoint(x: 100, y: y)) }
            scene.waitUntilIdle()
            try scene.setTouchDevice(enabled: false)
            try scene.scene.pump("rest") { scene.view.interaction.nextDeadline == nil }
            expectRest(scene, "disabled while scrolling")
            // While the window is not visible, a touch selects nothing.
            try scene.setTouchDevice(enabled: true)
            let selected = scene.view.selected
            scene.touch(.began, at: ViewPoint(x: 100, y: 150))
            scene.waitUntilIdle()
            scene.scene.window.window.hide()
            try scene.setTouchDevice(enabled: false)
            expectRest(scene, "hidden and disabled")
            #expect(scene.view.selected == selected)
        }
    }
}
