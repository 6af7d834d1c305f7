import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// The round trips before a window is visible, and the work deferred until after that.
    @Suite struct X11OpeningTests {
        /// The content that is painted last; it runs a test's closure then.
        private final class LastPart: WindowContent {
            let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
            private let body: () -> Void

            init(_ body: @escaping () -> Void) { self.body = body }

            func paint(on canvas: any Canvas, damage: WindowRect) { body() }
        }

        /// Returns the number of round trips until a text view on a new display is painted for the first time.
        private func roundTrips(_ session: DesktopSession) throws -> Int? {
            let scene = try DisplayScene(in: session, isCounted: true)
            defer {
                scene.display.close()
                scene.proxy?.end()
            }
            var trips: Int?
            // Xlib encodes this title with a type atom of its own.
            let window = try WidgetWindow(
                scene.display, size: Size(width: 300, height: 100), properties: .init(title: "名前 – Inkstone"))
            let view = TextView(in: window, font: ViewScene.font)
            view.text = "a text"
            window.add(
                LastPart {
                    // The reply shows that all earlier requests have passed the proxy.
                    XSync(scene.display.connection, 0)
                    trips = trips ?? scene.proxy?.counts.first?.roundTrips
                })
            window.show()
            scene.display.processEvents()
            window.close()
            return trips
        }

        /// On a distant server, each round trip takes a tenth of a second.
        @Test func anOpeningWaitsForSixAnswers() throws {
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let trips = try #require(try roundTrips(session))
            #expect(
                trips <= 6,
                "four of Xlib's, one with XRender's extension and all atoms, one with its formats and the rest")
            let manager = try SettingsManager(session.server.display)
            defer { manager.end() }
            manager.publish(dpi: 120)
            #expect(try #require(try roundTrips(session)) <= trips + 1, "one more for what the desktop has set")
        }

        /// Creates a mapped window under the pointer, on a display that does not do its deferred work by itself.
        private func makeEarlyWindow(_ scene: DisplayScene) throws -> (window: InkstoneX11.Window, record: WindowRecord)
        {
            _ = scene.display.lateQuestions.begin()
            let (window, record) = try scene.makePlainWindow()
            scene.probe.movePointer(x: 50, y: 50)
            #expect(scene.display.pointerDevices == nil)
            return (window, record)
        }

        @Test func deferrableRequestsAreMadeOnceAWindowIsSeen() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let window = try InkstoneX11.Window(scene.display, size: Size(width: 200, height: 100))
            let record = WindowRecord()
            window.delegate = record
            func protocols(_ window: InkstoneX11.Window) -> Int {
                scene.probe.numbers("WM_PROTOCOLS", of: window.id.rawValue).count
            }
            var counts: [Int] = []
            record.onPaint = { window, canvas, _ in
                canvas.fill(window.bounds, .white)
                guard counts.isEmpty else { return }
                XSync(scene.display.connection, 0)
                counts.append(protocols(window))
                #expect(scene.display.pointerDevices == nil && scene.display.keyboard.events == nil)
            }
            window.show()
            try scene.pump("the late questions") { protocols(window) == 4 }
            #expect(scene.display.keyboard.events ?? -1 >= 0)
            #expect(counts == [3], "at the first painting")
            #expect(scene.display.pointerDevices != nil)
            #expect(scene.probe.numbers("_NET_WM_SYNC_REQUEST_COUNTER", of: window.id.rawValue).count == 1)
            // Windows created later have everything at once.
            let later = try InkstoneX11.Window(scene.display, size: Size(width: 200, height: 100))
            XSync(scene.display.connection, 0)
            #expect(protocols(later) == 4)
            for window in [window, later] { window.close() }
        }

        @Test func aWheelTurnsBeforeTheDevicesAreKnown() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try makeEarlyWindow(scene)
            turnWheel(scene)
            try scene.pump("the first click of the wheel") { clicks(record) == 1 }
            #expect(scene.display.findPointerDevices() != nil)
            turnWheel(scene)
            try scene.pump("the second click of the wheel") { clicks(record) == 2 }
            scene.waitUntilIdle()
            #expect(clicks(record) == 2)
            window.close()
        }

        private func turnWheel(_ scene: DisplayScene) {
            for isDown in [true, false] { scene.probe.button(5, down: isDown) }
            scene.probe.sync()
        }

        private func clicks(_ record: WindowRecord) -> Double {
            record.pointer.reduce(0) { sum, event in
                if case .scroll(let distance) = event.kind { sum + distance.dy } else { sum }
            }
        }

        /// Xlib initializes XKB after a window was shown; before that, the server is asked to include the group in
        /// key events.
        @Test func aKeyBeforeTheLayoutIsKnownHasItsGroup() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.server.setLayout("us,ru")
            let raw = try RawRequestor(scene.server.display)
            defer { raw.close() }
            XkbLockGroup(raw.connection, UInt32(XkbUseCoreKbd), 1)
            XSync(raw.connection, 0)
            let (window, record) = try makeEarlyWindow(scene)
            #expect(scene.display.keyboard.events == nil)
            scene.probe.focus(window.id.rawValue)
            scene.probe.type("c")
            scene.probe.sync()
            try scene.pump("the key") { !record.typed.isEmpty }
            #expect(record.typed == "с")
            #expect(scene.display.keyboard.events != nil)
            window.close()
        }

        /// A user may open a menu before the pointer devices were queried.
        @Test func aGrabBeforeTheDevicesAreKnownIsTheirs() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try makeEarlyWindow(scene)
            scene.probe.button(1, down: true)
            scene.probe.sync()
            // The grab for the button holds the pointer for the core protocol.
            #expect(window.grabPointer(timestamp: 0))
            scene.probe.movePointer(x: 400, y: 300)
            scene.probe.button(1, down: false)
            try scene.pump("the release outside") {
                record.pointer.contains { $0.kind == .release(.primary) && $0.location.x > 200 }
            }
            window.releasePointer()
            XSync(scene.display.connection, 0)
            let other = try RawRequestor(scene.server.display)
            defer { other.close() }
            let grab = XGrabPointer(
                other.connection, XDefaultRootWindow(other.connection), 0, 0, GrabModeAsync, GrabModeAsync, 0, 0, 0)
            #expect(grab == GrabSuccess, "it is let go of")
            window.close()
        }
    }
}
