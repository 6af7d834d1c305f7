import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The protocols between windows and window managers beyond frames and focus: ICCCM §4 and EWMH, with openbox
    /// where it matters.
    @Suite struct DesktopManagerTests {
        /// Sends a window a `WM_PROTOCOLS` message, as a window manager does.
        private func send(_ name: String, _ words: [Int], to window: InkstoneX11.Window, _ raw: RawRequestor) {
            var event = XEvent()
            event.xclient.type = ClientMessage
            event.xclient.window = window.id.xid
            event.xclient.message_type = raw.atom("WM_PROTOCOLS")
            event.xclient.format = 32
            event.xclient.data.l = (
                Int(raw.atom(name)), words[0], words.count > 1 ? words[1] : 0, words.count > 2 ? words[2] : 0, 0
            )
            XSendEvent(raw.connection, window.id.xid, 0, 0, &event)
            XSync(raw.connection, 0)
        }

        /// The value of a window's `_NET_WM_SYNC_REQUEST` counter.
        private func counter(of window: InkstoneX11.Window, _ scene: DisplayScene, _ raw: RawRequestor) -> Int? {
            var (event, error): (Int32, Int32) = (0, 0)
            guard XSyncQueryExtension(raw.connection, &event, &error) != 0,
                let id = scene.probe.numbers("_NET_WM_SYNC_REQUEST_COUNTER", of: window.id.rawValue).first
            else { return nil }
            var value = XSyncValue(hi: 0, lo: 0)
            guard XSyncQueryCounter(raw.connection, UInt(id), &value) != 0 else { return nil }
            return Int(value.hi) << 32 | Int(value.lo)
        }

        private func names(
            _ property: String, of window: InkstoneX11.Window, _ scene: DisplayScene, _ raw: RawRequestor
        )
            -> Set<String>
        {
            Set(scene.probe.numbers(property, of: window.id.rawValue).map { raw.name(of: UInt($0)) })
        }

        /// Covers INT 65 of the checklist for interaction.
        @Test func pingAndSyncRequestsOfAManagerAreAnswered() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let (window, record) = try scene.makePlainWindow()
            try scene.pump("the protocols") {
                names("WM_PROTOCOLS", of: window, scene, raw)
                    == ["WM_DELETE_WINDOW", "WM_TAKE_FOCUS", "_NET_WM_PING", "_NET_WM_SYNC_REQUEST"]
            }
            send("WM_TAKE_FOCUS", [0], to: window, raw)
            try scene.pump("the focus") { window.isFocused && scene.probe.focusedWindow == window.id.rawValue }
            XSelectInput(raw.connection, XDefaultRootWindow(raw.connection), SubstructureNotifyMask)
            XSync(raw.connection, 0)
            send("_NET_WM_PING", [77, Int(window.id.xid)], to: window, raw)
            let pong: XClientMessageEvent = try waitFor("the answer to the ping") {
                scene.display.processEvents()
                var event = XEvent()
                guard XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 else { return nil }
                return event.xclient
            }
            #expect(pong.window == XDefaultRootWindow(raw.connection))
            #expect(pong.data.l.0 == Int(raw.atom("_NET_WM_PING")) && pong.data.l.1 == 77)
            #expect(pong.data.l.2 == Int(window.id.xid))
            // The counter changes only after the requested size has arrived and has been painted. Values of more
            // than 32 bits are kept whole.
            #expect(counter(of: window, scene, raw) == 0)
            send("_NET_WM_SYNC_REQUEST", [0, 9, 1], to: window, raw)
            scene.waitUntilIdle()
            #expect(counter(of: window, scene, raw) == 0)
            let paintings = record.paintings
            var painted = 0
            record.onPaint = { window, canvas, damage in
                painted += 1
                #expect(counter(of: window, scene, raw) == 0, "it is not painted yet")
            }
            scene.probe.resize(window.id.rawValue, width: 260, height: 140)
            try scene.pump("the counter") { counter(of: window, scene, raw) == 1 << 32 | 9 }
            record.onPaint = nil
            #expect(painted > 0 && record.paintings > paintings && window.size == Size(width: 260, height: 140))
            // This resize had no sync request, so the counter does not change.
            scene.probe.resize(window.id.rawValue, width: 280, height: 140)
            try scene.pump("the next size") { window.size.width == 280 }
            scene.waitUntilIdle()
            #expect(counter(of: window, scene, raw) == 1 << 32 | 9)
            window.close()
            scene.waitUntilIdle()
        }

        /// Covers INT 65 of the checklist for interaction.
        @Test func openboxWaitsForEachSizeToBePainted() throws {
            let scene = try DisplayScene(width: 800, height: 600, manager: true)
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let (window, _) = try scene.makePlainWindow(width: 300, height: 200, title: "resized")
            try scene.pump("the focus") { window.isFocused }
            // Wait for openbox's frame, which comes after the first painting.
            try scene.pump("its place", instead: { "\(window.rootOrigin)" }) {
                let seen = scene.probe.info(window.id.rawValue)
                return seen?.x == Int(window.rootOrigin.x) && seen?.y == Int(window.rootOrigin.y)
            }
            let origin = window.rootOrigin
            // By openbox's default settings, Alt with the right button resizes.
            scene.probe.movePointer(x: Int(origin.x) + 280, y: Int(origin.y) + 180)
            scene.probe.key(TestKey.leftAlt.keycode, down: true)
            scene.probe.button(3, down: true)
            var offset = 0
            for _ in 0..<5 {
                let width = window.size.width
                try scene.pump("another size", instead: { "\(window.size)" }) {
                    offset += 3
                    scene.probe.movePointer(x: Int(origin.x) + 280 + offset, y: Int(origin.y) + 180)
                    return window.size.width > width
                }
            }
            scene.probe.button(3, down: false)
            scene.probe.key(TestKey.leftAlt.keycode, down: false)
            // openbox counts up from 1, and waits for each value.
            try scene.pump("the last one") { (counter(of: window, scene, raw) ?? 0) >= 5 }
            print("openbox: \(counter(of: window, scene, raw) ?? 0) sizes painted and reported")
        }

        /// Covers INT 65 of the checklist for interaction.
        @Test func windowPublishesUserTimeAndStartupID() throws {
            setenv("DESKTOP_STARTUP_ID", "some_TIMEr launch \"7\"_TIME1234", 1)
            let scene = try DisplayScene(manager: true)
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            func time(_ window: InkstoneX11.Window) -> [UInt32] {
                scene.probe.numbers("_NET_WM_USER_TIME", of: window.id.rawValue)
            }
            XSelectInput(raw.connection, XDefaultRootWindow(raw.connection), PropertyChangeMask)
            XSync(raw.connection, 0)
            let plain = try InkstoneX11.Window(scene.display, size: Size(width: 200, height: 100))
            scene.waitUntilIdle()
            #expect(time(plain) == [1234])
            plain.show()
            // The startup message is sent once the window is shown, in parts of 20 bytes.
            var message: [UInt8] = []
            try scene.pump("the launcher's message") {
                var event = XEvent()
                while XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 {
                    message += withUnsafeBytes(of: event.xclient.data) { Array($0.prefix(20)) }
                }
                return message.contains(0)
            }
            #expect(
                String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
                    == "remove: ID=\"some_TIMEr launch \\\"7\\\"_TIME1234\"")
            #expect(getenv("DESKTOP_STARTUP_ID") == nil, "no child may inherit it")
            plain.close()
            // No user time is known: the property is absent, because a time of 0 would mean “do not focus”.
            let (first, record) = try scene.makePlainWindow()
            #expect(time(first) == [])
            try scene.pump("the focus") { first.isFocused }
            scene.probe.type("a")
            try scene.pump("the key") { record.typed == "a" }
            let (second, _) = try scene.makePlainWindow()
            #expect(time(second) == [try #require(record.keys.last).timestamp])
            try scene.pump("the focus for what the user asked for") { second.isFocused && !first.isFocused }
            // Both windows belong to one window group.
            func group(_ window: InkstoneX11.Window) -> UInt32? {
                let hints = scene.probe.numbers("WM_HINTS", of: window.id.rawValue)
                return hints.count > 8 && hints[0] & 64 != 0 ? hints[8] : nil
            }
            #expect(group(first) != nil && group(first) == group(second))
        }

        /// Covers INT 66 of the checklist for interaction.
        @Test func attentionIsAskedForUntilTheFocusComes() throws {
            let scene = try DisplayScene(manager: true)
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let (first, _) = try scene.makePlainWindow(title: "first")
            let (second, _) = try scene.makePlainWindow(title: "second")
            func isUrgent(_ window: InkstoneX11.Window) -> Bool {
                scene.probe.numbers("WM_HINTS", of: window.id.rawValue).first.map { $0 & 256 != 0 } ?? false
            }
            scene.probe.focus(second.id.rawValue)
            try scene.pump("the focus") { second.isFocused && !first.isFocused }
            second.isUrgent = true
            #expect(!second.isUrgent, "it has the focus")
            first.isUrgent = true
            try scene.pump("openbox to light it") {
                names("_NET_WM_STATE", of: first, scene, raw).contains("_NET_WM_STATE_DEMANDS_ATTENTION")
            }
            #expect(isUrgent(first) && !isUrgent(second))
            scene.probe.focus(first.id.rawValue)
            try scene.pump("the focus") { first.isFocused && !isUrgent(first) }
            #expect(!first.isUrgent)
        }

        @Test func picturesGoWithTheWindow() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, _) = try scene.makePlainWindow()
            let icons = [
                WindowIcon(width: 1, height: 2, pixels: [0x8011_2233, 0xffff_ffff]),
                WindowIcon(width: 2, height: 1, pixels: [1, 2]),
            ]
            window.setIcon(icons)
            scene.waitUntilIdle()
            #expect(
                scene.probe.numbers("_NET_WM_ICON", of: window.id.rawValue)
                    == [1, 2, 0x8011_2233, 0xffff_ffff, 2, 1, 1, 2])
            window.addIcons([WindowIcon(width: 1, height: 1, pixels: [7])])
            scene.waitUntilIdle()
            #expect(scene.probe.numbers("_NET_WM_ICON", of: window.id.rawValue).suffix(5) == [1, 2, 1, 1, 7])
            window.setIcon([])
            scene.waitUntilIdle()
            #expect(scene.probe.numbers("_NET_WM_ICON", of: window.id.rawValue) == [])
        }

        @Test func theEditorHasAPictureAndCallsForItsUser() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "text\n")
            var sizes: [UInt32] = []
            try waitUntil("the picture", instead: { "\(sizes)" }) {
                var rest = probe.numbers("_NET_WM_ICON", of: editor.window.id)[...]
                sizes = []
                while let width = rest.first, rest.count > 1, width > 0 {
                    sizes.append(width)
                    rest = rest.dropFirst(2 + Int(width) * Int(rest[rest.startIndex + 1]))
                }
                // The larger icons follow while nothing is typed; at any moment, the property holds whole icons.
                #expect([[], [16, 32], [16, 32, 48], [16, 32, 48, 64]].contains(sizes), "\(sizes)")
                return sizes == [16, 32, 48, 64]
            }
            func isUrgent() -> Bool {
                probe.numbers("WM_HINTS", of: editor.window.id).first.map { $0 & 256 != 0 } ?? false
            }
            probe.type("x")
            try waitUntil("the change", instead: { editor.report() }) { editor.currentWindow.title.contains("•") }
            #expect(!isUrgent())
            // A question appears while the user works in another window.
            probe.focusNothing()
            probe.askToClose(editor.window.id)
            try waitUntil("the call", instead: { editor.report() }) { isUrgent() }
            try editor.takeFocus()
            try waitUntil("its end", instead: { editor.report() }) { !isUrgent() }
        }
    }
}
