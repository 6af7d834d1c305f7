import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The context menu of a text view, by pointer and by key, and each event that closes it.
    @Suite struct WidgetMenuTests {
        private static let menuKey = TestKey(135)

        /// The menu's window; nil if no menu is open.
        private func menu(_ scene: DisplayScene) -> WindowInfo? {
            scene.probe.windows().first { info in
                info.isViewable && info.overrideRedirect
                    && scene.probe.numbers("_NET_WM_WINDOW_TYPE", of: info.id)
                        == [
                            UInt32(
                                truncatingIfNeeded: XInternAtom(
                                    scene.display.connection, "_NET_WM_WINDOW_TYPE_POPUP_MENU", 0))
                        ]
            }
        }

        private func waitForMenu(_ scene: DisplayScene) throws -> WindowInfo {
            try scene.pump("the menu") { menu(scene) != nil && scene.window.isMenuOpen }
            return try #require(menu(scene))
        }

        private func waitForNoMenu(_ scene: DisplayScene) throws {
            try scene.pump("no menu") { menu(scene) == nil && !scene.window.isMenuOpen }
        }

        /// Whether another client could grab the pointer now.
        private func pointerIsFree(_ scene: DisplayScene) -> Bool {
            guard let connection = XOpenDisplay(scene.server.display) else { return false }
            defer { XCloseDisplay(connection) }
            let result = XGrabPointer(
                connection, XDefaultRootWindow(connection), 0, 0, GrabModeAsync, GrabModeAsync, 0, 0, 0)
            return result == GrabSuccess
        }

        @Test func theSecondaryButtonMovesTheCaretAndKeepsASelectionItIsIn() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha beta gamma"])
            let view = scene.view
            view.select(Selection(anchor: 6, head: 10))
            func press(at offset: Int) throws {
                let rect = view.caretRect(for: view.range(offset..<offset).start)
                scene.click(view, x: rect.minX, y: rect.minY + rect.height / 2, button: 3)
                _ = try waitForMenu(scene)
                scene.probe.strike(.escape)
                try waitForNoMenu(scene)
            }
            try press(at: 8)
            #expect(view.selected == 6..<10)
            try press(at: 13)
            #expect(view.selected == 13..<13)
            #expect(pointerIsFree(scene))
            try scene.type("x", into: view, expecting: "alpha beta gaxmma")
        }

        /// Otherwise the menu that is gone would take all keys.
        @Test func aMenuWhoseWindowIsDestroyedIsClosed() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha"])
            let view = scene.view
            view.select(Selection(caret: 5))
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.destroy(try #require(menu(scene)?.id))
            try waitForNoMenu(scene)
            try scene.type("x", into: view, expecting: "alphax")
        }

        /// Covers INT 78 of the checklist for interaction.
        @Test func keysOpenItGoThroughItAndChoose() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha beta"])
            let view = scene.view
            view.select(Selection(anchor: 0, head: 5))
            // The menu key opens the menu; undo is its first item and cut the second.
            scene.probe.strike(Self.menuKey)
            let place = try waitForMenu(scene)
            let caret = view.caretRect(for: try #require(view.selectedTextRange).end)
            let origin = scene.window.window.rootOrigin
            #expect(place.y == Int(origin.y + view.frame.minY + caret.maxY), "below the caret")
            #expect(place.x == Int((origin.x + view.frame.minX + caret.minX).rounded()))
            scene.probe.strike(.down)
            scene.probe.strike(.enter)
            try scene.expect(text: " beta", in: view)
            try waitForNoMenu(scene)
            // Shift+F10 opens the menu. Letters that match no item insert nothing, not even after Escape has closed
            // it.
            scene.probe.strike(TestKey(76), holding: [.leftShift])
            _ = try waitForMenu(scene)
            scene.type("zz")
            scene.probe.strike(.escape)
            try waitForNoMenu(scene)
            #expect(view.text == " beta")
            // Without a selection, the arrow keys skip copy and cut, and stop at paste.
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.strike(.down)
            scene.probe.strike(.enter)
            try scene.expect(text: "alpha beta", in: view)
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.strike(.up)
            scene.probe.strike(.enter)
            try scene.pump("the direction") { view.options.baseWritingDirection == .rightToLeft }
        }

        /// Covers INT 78, INT 81 of the checklist for interaction.
        @Test func thePointerChoosesAndTheOpeningReleaseDoesNot() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            var chosen: [String] = []
            try scene.makeWindow(["alpha"]) {
                $0[0].menuItems = { ["one", "two"].map { name in MenuItem(name) { chosen.append(name) } } }
            }
            let view = scene.view
            let origin = scene.window.window.rootOrigin
            let (x, y) = (Int(origin.x) + 30, Int(origin.y) + 20)
            scene.probe.movePointer(x: x, y: y)
            scene.probe.button(3, down: true)
            let place = try waitForMenu(scene)
            #expect(place.x == x && place.y == y)
            scene.probe.movePointer(x: x + 2, y: y + 2)
            scene.probe.button(3, down: false)
            scene.waitUntilIdle()
            #expect(menu(scene) != nil, "released where it was pressed")
            // “two” is above the input method's item and the separator.
            let rows = try #require(scene.rows(of: place, in: view))
            let (one, two) = (try #require(rows["one"]), try #require(rows["two"]))
            scene.probe.click(x: place.x + 20, y: place.y + two)
            try scene.pump("the choice") { chosen == ["two"] }
            try waitForNoMenu(scene)
            // Pressing, dragging and releasing chooses too.
            scene.probe.movePointer(x: x, y: y)
            scene.probe.button(3, down: true)
            _ = try waitForMenu(scene)
            scene.probe.movePointer(x: place.x + 20, y: place.y + one)
            scene.probe.button(3, down: false)
            try scene.pump("the choice") { chosen == ["two", "one"] }
            try waitForNoMenu(scene)
            #expect(pointerIsFree(scene))
        }

        /// Covers INT 78 of the checklist for interaction.
        @Test func aPressOutsideClosesItAndDoesNothingElse() throws {
            let scene = try DisplayScene(manager: true)
            defer { scene.end() }
            try scene.makeWindow(["alpha beta gamma"], at: (200, 200))
            let view = scene.view
            view.select(Selection(caret: 3))
            for isInside in [true, false] {
                scene.probe.strike(Self.menuKey)
                _ = try waitForMenu(scene)
                #expect(!pointerIsFree(scene), "a press anywhere is the menu's")
                let origin = scene.window.window.rootOrigin
                let place = isInside ? (origin.x + 300, origin.y + 220) : (20, 700)
                scene.probe.click(x: Int(place.0), y: Int(place.1))
                try waitForNoMenu(scene)
                #expect(view.selected == 3..<3)
            }
            // Losing the focus closes the menu.
            try scene.focus(scene.window)
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.focusNothing()
            try waitForNoMenu(scene)
            #expect(pointerIsFree(scene))
        }

        @Test func aPressInAnotherWindowOfTheProgramOnlyClosesIt() throws {
            let scene = try DisplayScene(manager: true)
            defer { scene.end() }
            let (other, views) = try scene.makeWindow(["beta gamma"], at: (600, 400))
            let (first, _) = try scene.makeWindow(["alpha"], at: (100, 100))
            views[0].select(Selection(caret: 0))
            scene.probe.strike(Self.menuKey)
            try scene.pump("the menu") { first.isMenuOpen && menu(scene) != nil }
            let origin = other.window.rootOrigin
            scene.probe.click(x: Int(origin.x) + 50, y: Int(origin.y) + 12)
            try scene.pump("no menu") { !first.isMenuOpen && menu(scene) == nil }
            #expect(views[0].selected == 0..<0 && !other.isMenuOpen)
            // The next press goes to the window.
            scene.probe.click(x: Int(origin.x) + 50, y: Int(origin.y) + 12)
            try scene.pump("the caret") { views[0].selected.lowerBound > 0 }
        }

        /// Covers INT 80 of the checklist for interaction.
        @Test func menuStaysOnScreenAndOpensDespiteAForeignPointerGrab() throws {
            let scene = try DisplayScene(width: 640, height: 480)
            defer { scene.end() }
            try scene.makeWindow(["alpha"], width: 300, height: 200, at: (340, 280))
            for (x, y) in [(10.0, 10.0), (280, 10), (280, 190), (10, 190)] {
                scene.click(scene.view, x: x, y: y, button: 3)
                let place = try waitForMenu(scene)
                #expect(place.x >= 0 && place.y >= 0 && place.right <= 640 && place.bottom <= 480, "\(place)")
                scene.probe.strike(.escape)
                try waitForNoMenu(scene)
            }
            let other = try #require(XOpenDisplay(scene.server.display))
            defer { XCloseDisplay(other) }
            XGrabPointer(other, XDefaultRootWindow(other), 0, 0, GrabModeAsync, GrabModeAsync, 0, 0, 0)
            XSync(other, 0)
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.strike(.escape)
            try waitForNoMenu(scene)
            // While another client has the pointer grab, presses elsewhere are not received; but losing the focus
            // still closes the menu.
            scene.probe.strike(Self.menuKey)
            _ = try waitForMenu(scene)
            scene.probe.focusNothing()
            try waitForNoMenu(scene)
        }

        /// A menu higher than the screen scrolls by the wheel, and while the pointer rests at its lower end.
        @Test(arguments: [true, false])
        func menuHigherThanTheScreenScrollsToItsLastItem(usingWheel usesWheel: Bool) throws {
            let scene = try DisplayScene(width: 640, height: 480)
            defer { scene.end() }
            var chosen: [Int] = []
            let count = 70
            try scene.makeWindow(["alpha"], width: 300, height: 200, at: (100, 100)) {
                $0[0].menuItems = {
                    (0..<count).map { index in
                        MenuItem("\(index) " + String(repeating: "wide ", count: 40)) { chosen.append(index) }
                    }
                }
            }
            let probe = scene.probe
            func open() throws -> WindowInfo {
                scene.click(scene.view, x: 20, y: 20, button: 3)
                let place = try waitForMenu(scene)
                #expect(place.x >= 0 && place.y >= 0 && place.right <= 640 && place.bottom <= 480, "\(place)")
                return place
            }
            // The last item before the two about the input method, chosen by keys.
            _ = try open()
            probe.strike(.end)
            probe.strike(.enter)
            try scene.pump("the last") { chosen == [count - 1] }
            try waitForNoMenu(scene)
            chosen = []
            let place = try open()
            let (x, bottom) = (place.x + 60, place.bottom - 4)
            if usesWheel {
                probe.movePointer(x: x, y: place.y + 200)
                for _ in 0..<120 { probe.click(x: x, y: place.y + 200, button: 5) }
            } else {
                probe.movePointer(x: x, y: bottom - 100)
                probe.movePointer(x: x, y: bottom)
            }
            // The scroll arrow is paler at an end of the menu.
            try scene.pump("the end", within: 20_000) {
                guard let picture = probe.screenshot(of: place) else { return false }
                func isDark(_ rows: Range<Int>) -> Bool {
                    rows.contains { row in (2..<picture.width - 2).contains { picture[$0, row] & 0xff < 0x70 } }
                }
                return isDark(2..<12) && !isDark(picture.height - 12..<picture.height - 2)
            }
            probe.click(x: x, y: bottom - 85)
            try scene.pump("a choice") { !chosen.isEmpty }
            #expect(try #require(chosen.first) > count - 6, "\(chosen)")
            try waitForNoMenu(scene)
        }

        /// Commands that the text cannot perform or the program refuses are disabled.
        @Test func linesAreWhatCanBeDoneNow() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha"])
            let view = scene.view
            func enabled() -> [String] { view.contextMenuItems.filter(\.isChoosable).map(\.title) }
            let directions = ["Automatic Text Direction", "Left to Right", "Right to Left"]
            view.select(Selection(caret: 0))
            #expect(enabled() == ["Undo", "Select All"] + directions)
            view.perform(.selectAll)
            #expect(enabled() == ["Undo", "Cut", "Copy", "Select All"] + directions)
            scene.probe.ownClipboard("x")
            #expect(enabled() == ["Undo", "Cut", "Copy", "Paste", "Select All"] + directions)
            view.isEditable = false
            #expect(enabled().prefix(2) == ["Copy", "Select All"])
            view.isEditable = true
            view.canPerform = { $0 != .copy }
            #expect(!enabled().contains("Copy") && enabled().contains("Cut"))
            view.canPerform = nil
            view.insertText("b")
            #expect(enabled().prefix(2) == ["Undo", "Paste"])
            view.perform(.undo)
            #expect(enabled().prefix(2) == ["Undo", "Redo"])
            // A menu opened before a modal question, and one opened after it.
            let items = view.contextMenuItems
            scene.window.takesPress = { _ in false }
            #expect(enabled() == [])
            for title in ["Cut", "Redo"] { items.first { $0.title == title }?.action() }
            scene.waitUntilIdle()
            #expect(view.text == "alpha")
            scene.window.takesPress = nil
            view.isEditable = false
            #expect(enabled().first == "Copy")
            view.isEditable = true
            view.options.isSecureTextEntry = true
            #expect(!enabled().contains("Copy") && !enabled().contains("Cut"))
            #expect(view.contextMenuItems.last?.title == "Input method: \(scene.window.inputMethodState.summary)")
        }
    }
}

extension DisplayScene {
    /// Returns the vertical centres of an open menu's items by title, in pixels from its top.
    fileprivate func rows(of menu: WindowInfo, in view: TextView) -> [String: Int]? {
        let scale = display.scale
        let state = MenuState(view.contextMenuItems)
        let layout = MenuDisplay(
            state.items, font: FontDescriptor(family: "sans", size: (13 * scale).rounded()), sharing: view, scale: scale
        )
        guard Int(layout.size.height) == menu.height else { return nil }
        return Dictionary(
            state.items.enumerated().map {
                ($1.title, Int(layout.frame(of: $0).minY + layout.frame(of: $0).height / 2))
            },
            uniquingKeysWith: { first, _ in first })
    }
}
