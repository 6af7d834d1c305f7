import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11
import Testing

extension DisplayTests {
    /// The server's windows belong at the caret or the target clause, so the spot must follow whatever moves these.
    @Suite struct InputMethodPlaceTests {
        /// Causes that move the composition on the screen without a key.
        enum Cause: String, CaseIterable, Sendable {
            case windowMoved, windowResized, scrolled, editedAbove, fontChanged, wrappingChanged, viewMoved,
                scaleChanged
        }

        @Test("XIM 37, 57 the spot follows each move, and no stale one is sent", arguments: Cause.allCases)
        func theSpotFollows(_ cause: Cause) throws {
            let head = "a paragraph that does not fit into a narrow window\n\n"
            let scene = try InputMethodScene(
                CaretNotation(head + "some words before it <|>" + String(repeating: "\nline", count: 40)),
                options: ["--mode", "kana-like"])
            defer { scene.end() }
            scene.type("ab")
            try scene.pump("the composition") { scene.view.markedText?.range.count == 2 }
            scene.type(" ")
            try scene.pump("the clause") { scene.view.text.contains("<日本>") }
            try scene.pump("the spot of the clause") { scene.spotsSent.last == scene.spot }
            try scene.waitUntilQuiet()
            let before = scene.spot
            let count = scene.spotsSent.count
            let editor = scene.view
            let id = scene.window.window.id.rawValue
            switch cause {
            case .windowMoved: scene.probe.move(id, x: 137, y: 71)
            case .windowResized: scene.probe.resize(id, width: 170, height: 240)
            case .scrolled: editor.scroll(by: 11, dx: 0)
            case .editedAbove: editor.session.replaceText(in: 0..<0, with: "another\n")
            case .fontChanged: editor.font = FontDescriptor(family: "DejaVu Sans Mono", size: 22)
            case .wrappingChanged: editor.wrapsLines = false
            case .scaleChanged: DisplayScene.setResources("Xft.dpi: 144\n", display: scene.server.display)
            case .viewMoved: editor.setFrame(WindowRect(x: 30, y: 40, width: 300, height: 150))
            }
            try scene.pump("the new spot") {
                scene.spotsSent.count > count && scene.spotsSent.last == scene.spot
            }
            try scene.waitUntilQuiet()
            #expect((scene.spot == before) == (cause == .windowMoved))
            // The server is sent only the new spot, and only once.
            #expect(Array(scene.spotsSent.dropFirst(count)) == [scene.spot])
            #expect(scene.spot.allSatisfy { $0 >= 1 })
        }

        /// Custom window content that does not report its moves on the screen.
        private final class OwnContent: ReferenceTextView, WindowContent {
            let frame = WindowRect(x: 10, y: 20, width: 200, height: 100)
            func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, .white) }
            func windowDidMove(to origin: RootPoint) {
                textInputViewOrigin = RootPoint(x: origin.x + 10, y: origin.y + 20)
            }
        }

        @Test func theSpotOfContentOfOnesOwnFollowsTheWindow() throws {
            let scene = try InputMethodScene(options: ["--mode", "kana-like"])
            defer { scene.end() }
            // Use this content alone, so that no other view reports the move.
            scene.window.remove(scene.view)
            let content = OwnContent("ab")
            scene.window.add(content)
            scene.window.makeFirstResponder(content)
            scene.type("a")
            try scene.pump("the composition") { content.string == "abあ" }
            try scene.waitUntilQuiet()
            var spots: [RootRect?] {
                scene.records.compactMap { if case .spot(let rect) = $0.event { rect } else { nil } }
            }
            let before = try #require(spots.last ?? nil)
            let count = scene.spotsSent.count
            scene.probe.move(scene.window.window.id.rawValue, x: 137, y: 71)
            try scene.pump("the new spot") { spots.last != before }
            let after = try #require(spots.last ?? nil)
            #expect(after.minX - before.minX == 137 && after.minY - before.minY == 71)
            // The spot within the window is the same, but must be sent again: servers compute screen coordinates
            // when they receive it.
            try scene.pump("the server to get it") { scene.spotsSent.count > count }
        }

        /// A host reparents the window or an ancestor. X unmaps the window for this, which takes the focus.
        @Test(arguments: [false, true])
        func theSpotFollowsAReparentedWindow(isHostReparented: Bool) throws {
            let scene = try InputMethodScene("some words <|>", options: ["--mode", "kana-like"])
            defer { scene.end() }
            let host = try #require(XOpenDisplay(scene.server.display))
            defer { XCloseDisplay(host) }
            let root = XDefaultRootWindow(host)
            let window = UInt(scene.window.window.id.rawValue)
            func container(_ x: Int32, _ y: Int32) -> UInt {
                let made = XCreateSimpleWindow(host, root, x, y, 500, 300, 0, 0, 0)
                XMapWindow(host, made)
                return made
            }
            let (outer, elsewhere) = (container(40, 50), container(200, 170))
            func reparent(_ window: UInt, into parent: UInt) throws {
                let before = scene.window.window.rootOrigin
                XReparentWindow(host, window, parent, 13, 17)
                XSync(host, 0)
                try scene.pump("the new place") { scene.window.window.rootOrigin != before }
                try scene.focus(scene.window)
            }
            if isHostReparented { try reparent(window, into: outer) }
            try scene.type("a", expecting: "some words <⟨あ|⟩>")
            try scene.pump("the spot") { scene.spotsSent.last == scene.spot }
            try scene.waitUntilQuiet()
            let count = scene.spotsSent.count
            try reparent(isHostReparented ? outer : window, into: elsewhere)
            #expect(scene.window.window.rootOrigin.x == 200 + 13 + (isHostReparented ? 13 : 0))
            try scene.pump("the spot again") {
                scene.spotsSent.count > count && scene.spotsSent.last == scene.spot
            }
            try scene.type("b", expecting: "some words <あ⟨い|⟩>")
            try scene.pump("the spot behind it") { scene.spotsSent.last == scene.spot }
        }

        @Test(
            "XIM 52 a server without callbacks draws over the text, exactly at the caret",
            arguments: ["position", "nothing"])
        func theServerDrawsAtTheCaret(style: String) throws {
            let scene = try InputMethodScene(
                "some words <|>",
                options: ["--mode", "swallow", "--styles", "\(style)+nothing,none+none"],
                script: """
                    on key a do start; draw 0 0 1 "x"
                    on key b do commit "日本"; done
                    """)
            defer { scene.end() }
            #expect(scene.window.inputMethodState.style?.preedit == (style == "position" ? .position : .nothing))
            #expect(scene.window.inputMethodState.diagnosis != nil)
            try scene.pump("the spot") { scene.spotsSent.last == scene.spot }
            let before = scene.spot
            scene.type("a")
            try scene.driver.waitUntilIdle()
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == "some words <|>")
            try scene.type("b", expecting: "some words <日本|>")
            try scene.pump("the spot behind what was committed") { scene.spotsSent.last == scene.spot }
            #expect(scene.spot[0] > before[0])
            #expect(scene.spot[1] == before[1])
        }

        /// If the composition is scrolled out of the viewport, the spot is at the view's edge: a candidate list far
        /// outside of the window, or at (0, 0), would be useless.
        @Test func spotOfAHiddenCompositionIsAtTheViewsEdge() throws {
            let lines = String(repeating: "\nline", count: 60)
            let scene = try InputMethodScene(
                CaretNotation("\(lines)\nwords <|>\(lines)"), options: ["--mode", "kana-like"])
            defer { scene.end() }
            scene.type("a")
            try scene.pump("the composition") { scene.view.hasMarkedText() }
            try scene.pump("its spot") { scene.spotsSent.last == scene.spot }
            let seen = scene.spot
            let editor = scene.view
            editor.scroll(by: -500, dx: 0)
            try scene.pump("the bottom edge") { scene.spotsSent.last == [seen[0], 240] }
            scene.probe.resize(scene.window.window.id.rawValue, width: 400, height: 300)
            try scene.pump("the new bottom edge") { scene.spotsSent.last == [seen[0], 300] }
            editor.scroll(by: 1500, dx: 0)
            try scene.pump("the top edge") { scene.spotsSent.last == [seen[0], 1] }
            // The next key scrolls the composition back into the viewport.
            scene.type("b")
            try scene.pump("the place itself") {
                scene.spotsSent.last == scene.spot && (2..<300).contains(scene.spot[1])
            }
        }

        /// A server that opens its list at once must know the spot before the key arrives.
        @Test func spotIsSentBeforeTheFirstKey() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.connection.setSpot(
                WindowRect(x: 40, y: 60, width: 1, height: 20), in: bench.window, rootOrigin: RootPoint(x: 0, y: 0))
            bench.type("a")
            try bench.wait("the preedit") { bench.field.preedit.text == "あ" }
            try bench.driver.waitUntilIdle()
            let spot = bench.driver.entries.firstIndex { $0["spot"]?.items.compactMap(\.integer) == [40, 80] }
            let key = bench.driver.entries.firstIndex { $0["request"]?.text == "forward_event" }
            #expect(try #require(spot) < #require(key))
        }

        @Test func underAWindowManagerTheSpotIsWithinTheWindow() throws {
            let scene = try InputMethodScene("<|>", options: ["--mode", "kana-like"], withWindowManager: true)
            defer { scene.end() }
            try scene.type("a", expecting: "<⟨あ|⟩>")
            try scene.pump("the spot") { scene.spotsSent.last == scene.spot }
            try scene.waitUntilQuiet()
            let count = scene.spotsSent.count
            // Moving the frame moves the window within it, which only a synthetic ConfigureNotify reports.
            scene.probe.move(scene.window.window.id.rawValue, x: 222, y: 111)
            try scene.pump("the spot again") { scene.spotsSent.count > count }
            #expect(scene.spotsSent.last == scene.spot)
            try scene.type("b", expecting: "<⟨あい|⟩>")
        }
    }
}
