import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Windows of Inkstone embedded in windows of other programs, with and without XEmbed.
    @Suite struct PlugTests {
        private let tab = TestKey.tab
        private func key(_ character: Character) -> TestKey { TestKey(typing: character) ?? .tab }

        private func makePlug(_ scene: DisplayScene, _ host: WindowID?, views count: Int = 1) throws -> (
            WidgetWindow, [TextView]
        ) {
            let window = try WidgetWindow(scene.display, plugInto: host)
            let views = (0..<count).map { _ in TextView(in: window, font: ViewScene.font) }
            for view in views where count > 1 { view.options.tabBehavior = .movesFocus }
            window.onLayout = { window in
                let height = (window.window.size.height / Double(count)).rounded(.down)
                for (index, view) in views.enumerated() {
                    view.setFrame(
                        WindowRect(
                            x: 0, y: Double(index) * height, width: window.window.size.width, height: height))
                }
            }
            window.focusOrder = .contents
            return (window, views)
        }

        private func isSeen(_ window: WidgetWindow, _ scene: DisplayScene) -> Bool {
            scene.probe.info(window.window.id.rawValue)?.isViewable == true
        }

        @Test func keysAndFocusAreWhatAnXEmbedHostSays() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let host = try PlugHost(scene.server.display)
            defer { host.close() }
            let (window, views) = try makePlug(scene, host.id, views: 2)
            defer { window.close() }
            let plug = window.window.id
            #expect(scene.probe.numbers("_XEMBED_INFO", of: plug.rawValue) == [0, 0])
            window.show()
            try scene.pump("the plug in its host, of another depth") { isSeen(window, scene) }
            #expect(scene.probe.numbers("_XEMBED_INFO", of: plug.rawValue) == [0, 1])
            #expect(window.window.size == Size(width: 300, height: 180))

            // Before the host has sent XEMBED_EMBEDDED_NOTIFY, key events may come from any client, and are
            // ignored.
            host.send(key("a"), to: plug)
            host.send(0, embedder: host.inner, to: plug)
            host.send(1, to: plug)
            host.send(key("b"), to: plug)
            // The clipboard's owner has a later timestamp than any event that the plug has received.
            let clipboard = XInternAtom(host.connection, "CLIPBOARD", 0)
            XSetSelectionOwner(host.connection, clipboard, host.top, 0)
            host.send(4, detail: 1, to: plug)
            host.send(key("c"), to: plug)
            try scene.expect(text: "c", in: views[0])
            #expect(views[0].hasFocus)
            host.send(key("a"), holding: ControlMask, to: plug)
            host.send(key("c"), holding: ControlMask, to: plug)
            try scene.pump("the clipboard") { scene.probe.selectionOwner("CLIPBOARD") != UInt32(host.top) }

            // Keys from the server go to the host even while the pointer is over the plug.
            scene.probe.focus(UInt32(host.top))
            scene.probe.movePointer(x: 100, y: 100)
            scene.type("x")
            scene.probe.sync()
            host.takeEvents()
            #expect(host.keys == 1)
            host.send(key("d"), to: plug)
            try scene.expect(text: "d", in: views[0])

            // Tab moves through the plug's views and then out of the plug; the focus enters at either end.
            host.send(tab, to: plug)
            try scene.pump("the second view") { views[1].hasFocus }
            host.send(tab, to: plug)
            try scene.pump("the message to the host") {
                host.takeEvents()
                return host.received == [6]
            }
            host.send(5, to: plug)
            host.send(4, detail: 1, to: plug)
            try scene.pump("the first view") { views[0].hasFocus }
            host.send(tab, holding: ShiftMask, to: plug)
            try scene.pump("the message to the host") {
                host.takeEvents()
                return host.received == [6, 7]
            }
            host.send(5, to: plug)
            host.send(4, detail: 2, to: plug)
            try scene.pump("the last view") { views[1].hasFocus }

            // While the host's user is in another window, or a modal question blocks the plug, keys are ignored.
            host.send(2, to: plug)
            host.send(key("e"), to: plug)
            try scene.pump("the loss of the focus") { !window.window.isFocused }
            scene.probe.click(x: 100, y: 100)
            try scene.pump("the wish for the focus") {
                host.takeEvents()
                return host.received.last == 3
            }
            #expect(scene.probe.focusedWindow == UInt32(host.top))
            host.send(10, to: plug)
            host.send(1, to: plug)
            host.send(key("f"), to: plug)
            scene.waitUntilIdle()
            host.send(11, to: plug)
            host.send(key("g"), to: plug)
            try scene.pump("a key after the question") { views.map(\.text).joined().contains("g") }
            #expect(Set(views.map(\.text).joined()) == ["d", "g"])
        }

        /// An input method composes in a plug whose keys the host forwards. Its candidates are at the caret, even
        /// after the host has moved.
        @Test(arguments: [RealInputMethod(.fcitx5, .anthy), RealInputMethod(.ibus, .anthy)])
        func aRealInputMethodComposesInAPlug(_ method: RealInputMethod) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let scene = try DisplayScene(in: session)
            defer { scene.disconnect() }
            scene.display.inputMethodSetup = InputMethodSetup(modifiers: "@im=\(method.serverName)")
            let host = try PlugHost(scene.server.display)
            defer { host.close() }
            let (window, views) = try makePlug(scene, host.id)
            defer { window.close() }
            let (plug, view) = (window.window.id, views[0])
            window.show()
            try scene.pump("the plug in its host") { isSeen(window, scene) }
            host.send(0, embedder: host.inner, to: plug)
            host.send(1, to: plug)
            host.send(4, detail: 1, to: plug)
            try scene.pump("the input method", within: 10_000) {
                window.inputMethodState.phase == .ready && view.hasFocus
            }
            /// Forwards a key at a typist's pace, since ibus keeps its list at an earlier spot. The X server's
            /// clock is the system's.
            func strike(_ key: TestKey) throws {
                host.send(key, at: UInt(Deadline.now), to: plug)
                try TypistPace.pause(watching: [scene.display.fileDescriptor]) { scene.display.processEvents() }
            }
            // From 1.5.28 on, ibus may show the first list of a session in the screen's corner, for any client; so
            // do not check that one.
            let unchecked = method.framework == .ibus ? 1 : 0
            for round in 0..<unchecked + 2 {
                let place = round == unchecked + 1 ? (x: Int32(260), y: Int32(190)) : nil
                let before = view.text
                if let place {
                    XMoveWindow(host.connection, host.top, place.x, place.y)
                    XSync(host.connection, 0)
                    try scene.pump("the host's place") { window.window.rootOrigin.x == Double(place.x) }
                }
                for letter in "nihongo" { try strike(key(letter)) }
                // The caret's position within the marked text depends on the engine.
                try scene.pump("the kana", instead: { "\(CaretNotation(view))" }) {
                    view.text == before + "にほんご" && view.hasMarkedText()
                }
                try strike(.space)
                try strike(.space)
                func list() -> WindowInfo? {
                    scene.probe.windows().first { $0.isViewable && method.ownsCandidateWindow($0) }
                }
                let start = UTF16Range(location: before.utf16.count, length: 1)
                let output = view.firstRect(forCharacterRange: start).rect
                try scene.pump("the candidates at \(output)", instead: { "\(list() as Any)" }) {
                    list().map {
                        round < unchecked
                            || abs(Double($0.x) - output.minX) <= 4 && (0...12).contains(Double($0.y) - output.maxY)
                    } ?? false
                }
                try strike(.enter)
                // The choice changes the engine's order of candidates, so the text may be any of them.
                try scene.pump("the commit") { !view.hasMarkedText() }
                #expect(view.text.count > before.count)
                try scene.pump("the candidates to go") { list() == nil }
            }
        }

        @Test func aSilentHostIsFilledAndItsPlugTakesTheFocusByAClick() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let host = try PlugHost(scene.server.display)
            let other = try PlugHost(scene.server.display, x: 500)
            defer { host.close() }
            var isUnplugged = 0
            var isDestroyed = false
            let (window, views) = try makePlug(scene, host.id)
            defer { window.close() }
            let plug = window.window.id
            window.onUnplug = { _ in isUnplugged += 1 }
            window.onDestroy = { _ in isDestroyed = true }
            window.show()
            try scene.pump("the plug in its host") { isSeen(window, scene) }
            // Another client claims to be the host.
            other.send(0, embedder: other.inner, to: plug)
            other.send(1, to: plug)
            other.send(4, to: plug)
            other.send(key("x"), to: plug)
            // The pointer is over the plug, and the host has the focus.
            scene.probe.focus(UInt32(host.top))
            scene.probe.movePointer(x: 100, y: 100)
            scene.type("y")
            scene.waitUntilIdle()
            #expect(!window.window.isFocused)
            scene.probe.click(x: 100, y: 100)
            try scene.pump("the focus") { window.window.isFocused }
            #expect(scene.probe.focusedWindow == plug.rawValue)
            try scene.type("ok", into: views[0], expecting: "ok")

            for size in [Size(width: 1, height: 1), Size(width: 250, height: 170)] {
                scene.probe.resize(UInt32(host.inner), width: Int(size.width), height: Int(size.height))
                try scene.pump("the host's extent") { window.window.size == size }
            }
            XMoveWindow(host.connection, host.top, 80, 70)
            XSync(host.connection, 0)
            try scene.pump("the host's place") { window.window.rootOrigin == RootPoint(x: 80, y: 90) }

            // The host reparents the plug to the root window without a message: the plug must not become a
            // top-level window. Another host then embeds it.
            XReparentWindow(host.connection, plug.xid, XDefaultRootWindow(host.connection), 5, 5)
            XSync(host.connection, 0)
            try scene.pump("the end of the hosting") { isUnplugged == 1 }
            scene.waitUntilIdle()
            #expect(!isSeen(window, scene) && window.window.isUnplugged && !window.window.isFocused)
            XReparentWindow(host.connection, plug.xid, other.inner, 0, 0)
            XSync(host.connection, 0)
            try scene.pump("the next host") {
                isSeen(window, scene) && window.window.size == Size(width: 300, height: 180)
            }
            #expect(window.window.rootOrigin == RootPoint(x: 500, y: 60))
            other.close()
            try scene.pump("the end of the host") { isDestroyed }
            #expect(window.window.isClosed && isUnplugged == 1 && views[0].text == "ok")
        }

        @Test func aWindowThatIsNoHostIsAnError() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let nowhere = WindowID(rawValue: 0x4242)
            #expect(throws: X11Error.noSuchWindow(nowhere)) { try WidgetWindow(scene.display, plugInto: nowhere) }
            let connection = scene.display.connection
            let inputOnly = XCreateWindow(
                connection, XDefaultRootWindow(connection), 0, 0, 10, 10, 0, 0, UInt32(InputOnly), nil, 0, nil)
            let id = WindowID(xid: inputOnly)
            #expect(throws: X11Error.cannotHoldWindows(id)) { try WidgetWindow(scene.display, plugInto: id) }
        }

        /// GTK's socket embeds the plug, forwards keys to it, and moves the focus through it.
        @Test func aGTKSocketHoldsAPlug() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let peer = try PeerProgram(.gtk3, in: scene.session)
            let words = try scene.ask(peer, "host", "50", "40", "400", "300")
            let top = try #require(words.count == 3 ? UInt32(words[1]) : nil)
            let socket = try #require(UInt32(words[2]))
            var isUnplugged = false
            let (window, views) = try makePlug(scene, WindowID(rawValue: socket))
            defer { window.close() }
            window.onUnplug = { _ in isUnplugged = true }
            window.show()
            try scene.pump("the plug in the socket") { isSeen(window, scene) }
            try scene.pump("GTK's window to have the focus") {
                scene.probe.focus(top)
                return (try? scene.ask(peer, "focused")) == ["focused", "before"]
            }
            scene.type("1\t")
            try scene.pump("the focus to come in") { views[0].hasFocus }
            scene.type("2")
            try scene.expect(text: "2", in: views[0])
            scene.probe.strike(.tab, holding: [.leftControl])
            try scene.pump("the focus to go out") { !views[0].hasFocus }
            scene.type("3")
            try scene.pump("the key behind") { (try? scene.ask(peer, "entry", "after")) == ["entry", "3"] }
            #expect(try scene.ask(peer, "entry", "before") == ["entry", "1"])
            let origin = window.window.rootOrigin
            scene.probe.click(x: Int(origin.x) + 50, y: Int(origin.y) + 50)
            try scene.pump("the focus by a click") { views[0].hasFocus }
            scene.type("4")
            try scene.pump("the key") { views[0].text.contains("4") }
            // Activating a window that already has the focus has no effect.
            window.window.activate()
            scene.waitUntilIdle()
            scene.type("5")
            try scene.pump("the key after that") { views[0].text.contains("5") }
            // The host dies with the plug inside; GTK has put the plug into its save-set, so the server keeps the
            // plug.
            peer.end()
            try scene.pump("the end of the host") { isUnplugged }
            scene.waitUntilIdle()
            #expect(!isSeen(window, scene) && views[0].text == "245")
        }

        @Test func theEditorKeepsItsJournalAndEndsWithItsHost() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let host = try PlugHost(session.server.display)
            let editor = try EditorProcess(in: session, options: ["--embed", host.id.description], focus: false)
            #expect(editor.window.width == 300 && editor.window.height == 180 && editor.window.y == 60)
            let folder = "\(session.home)/.local/state/inkstone/recovery"
            session.probe.click(x: 100, y: 100)
            try waitUntil("the focus") { host.isTakingKeys(editor.window.id) }
            session.probe.type("typedz")
            try waitUntil("the journal", instead: { editor.report() }) {
                TemporaryDirectory.names(in: folder).contains {
                    TypedJournal.ends(in: "z", at: "\(folder)/\($0)")
                }
            }
            host.close()
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(TemporaryDirectory.names(in: folder).count == 1)
        }
    }
}
