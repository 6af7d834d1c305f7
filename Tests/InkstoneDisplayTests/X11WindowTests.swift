import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    @Suite struct X11WindowTests {
        @Test func aTopLevelWindowSetsThePropertiesThatTheManagerNeeds() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            var properties = InkstoneX11.Window.Properties(title: "Zeilen – 日本語")
            properties.instanceName = "notes"
            properties.className = "Notes"
            let window = try InkstoneX11.Window(
                scene.display, size: Size(width: 200, height: 100), properties: properties)
            defer { window.close() }
            scene.waitUntilIdle()
            let id = window.id.rawValue
            #expect(scene.probe.property("_NET_WM_NAME", of: id) == Array("Zeilen – 日本語".utf8))
            #expect(scene.probe.property("WM_CLASS", of: id) == Array("notes\0Notes\0".utf8))
            #expect(scene.probe.numbers("_NET_WM_PID", of: id) == [UInt32(getpid())])
            #expect(scene.probe.property("WM_CLIENT_MACHINE", of: id)?.isEmpty == false)
            #expect(scene.probe.property("WM_NAME", of: id)?.isEmpty == false)
            #expect(scene.probe.numbers("WM_PROTOCOLS", of: id).count >= 3)
            let hints = scene.probe.numbers("WM_HINTS", of: id)
            #expect(hints.first.map { $0 & 1 } == 1 && hints.dropFirst().first == 1, "it wants input")
        }

        @Test func closingIsAskedForNotDone() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.askToClose(window.id.rawValue)
            scene.waitUntilIdle()
            #expect(record.closeRequests == 1)
            #expect(scene.probe.info(window.id.rawValue) != nil)
        }

        @Test func keysBeforeAnyFocusEventCount() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.movePointer(x: 20, y: 20)
            scene.probe.type("x")
            scene.waitUntilIdle()
            #expect(record.typed == "x")
            #expect(record.focus == [true])
            scene.probe.movePointer(x: 500, y: 400)
            scene.waitUntilIdle()
            #expect(record.focus == [true, false], "the pointer's window is the focus")
        }

        @Test func focusFollowsEventsAndNotGrabs() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.focus(window.id.rawValue)
            scene.waitUntilIdle()
            #expect(record.focus == [true])
            let other = try #require(XOpenDisplay(scene.server.display))
            XGrabKeyboard(other, XDefaultRootWindow(other), 0, GrabModeAsync, GrabModeAsync, 0)
            XUngrabKeyboard(other, 0)
            XSync(other, 0)
            XCloseDisplay(other)
            scene.waitUntilIdle()
            #expect(record.focus == [true])
            scene.probe.focusNothing()
            scene.waitUntilIdle()
            #expect(record.focus == [true, false])
        }

        @Test func aChildKnowsWhereItLiesWhateverAncestorMoves() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            // Windows of another client: outer > middle > Inkstone's window.
            let foreign = try #require(XOpenDisplay(scene.server.display))
            let root = XDefaultRootWindow(foreign)
            let outer = XCreateSimpleWindow(foreign, root, 10, 20, 400, 300, 3, 0, 0)
            let middle = XCreateSimpleWindow(foreign, outer, 5, 6, 300, 200, 1, 0, 0)
            let elsewhere = XCreateSimpleWindow(foreign, root, 200, 100, 300, 200, 0, 0, 0)
            XMapWindow(foreign, outer)
            XMapWindow(foreign, middle)
            XMapWindow(foreign, elsewhere)
            XSync(foreign, 0)
            let window = try InkstoneX11.Window(
                scene.display, parent: WindowID(xid: middle), frame: WindowRect(x: 7, y: 8, width: 100, height: 50))
            let record = WindowRecord()
            window.delegate = record
            window.show()
            func truth() -> RootPoint? {
                scene.probe.info(window.id.rawValue).map { RootPoint(x: Double($0.x), y: Double($0.y)) }
            }
            scene.waitUntilIdle()
            #expect(window.rootOrigin == truth())
            #expect(window.rootOrigin == RootPoint(x: 10 + 3 + 5 + 1 + 7, y: 20 + 3 + 6 + 1 + 8))

            XMoveWindow(foreign, outer, 33, 44)
            XSync(foreign, 0)
            scene.waitUntilIdle()
            #expect(window.rootOrigin == truth())
            #expect(record.moves == 1)
            XMoveWindow(foreign, middle, 50, 60)
            XSync(foreign, 0)
            scene.waitUntilIdle()
            #expect(window.rootOrigin == truth())
            XReparentWindow(foreign, middle, elsewhere, 9, 9)
            XSync(foreign, 0)
            scene.waitUntilIdle()
            #expect(window.rootOrigin == truth())
            XMoveWindow(foreign, elsewhere, 1, 2)
            XSync(foreign, 0)
            scene.waitUntilIdle()
            #expect(window.rootOrigin == truth())
            // Moves of the former ancestor are no longer reported.
            let before = record.moves
            XMoveWindow(foreign, outer, 90, 90)
            XSync(foreign, 0)
            scene.waitUntilIdle()
            #expect(record.moves == before)

            // The other client ends, which destroys Inkstone's window too: the delegate is notified, and the
            // program goes on.
            XCloseDisplay(foreign)
            scene.waitUntilIdle()
            #expect(record.isDestroyed)
            #expect(window.isClosed)
        }

        /// Any client can send synthetic ConfigureNotify events; only a window manager has a reason to (ICCCM
        /// 4.1.5), and their positions can be verified.
        @Test func noFrameThatAClientSendsIsAdopted() throws {
            let scene = try DisplayScene()
            let stranger = try RawRequestor(scene.server.display)
            let host = XCreateSimpleWindow(
                stranger.connection, XDefaultRootWindow(stranger.connection), 10, 20, 400, 300, 0, 0, 0)
            XMapWindow(stranger.connection, host)
            XSync(stranger.connection, 0)
            let (window, record) = try scene.makePlainWindow()
            let child = try InkstoneX11.Window(
                scene.display, parent: WindowID(xid: host), frame: WindowRect(x: 7, y: 8, width: 100, height: 50))
            defer {
                child.close()
                window.close()
                stranger.close()
                scene.end()
            }
            scene.waitUntilIdle()
            let (size, origin, paintings) = (window.size, window.rootOrigin, record.paintings)
            for target in [window.id.xid, child.id.xid, host] {
                for type in [ConfigureNotify, GravityNotify, Expose, GraphicsExpose, SelectionRequest] {
                    var event = XEvent()
                    event.xconfigure.type = type
                    event.xconfigure.event = target
                    event.xconfigure.window = target
                    (event.xconfigure.x, event.xconfigure.y) = (300, 200)
                    (event.xconfigure.width, event.xconfigure.height) = (20_000, 3)
                    XSendEvent(stranger.connection, target, 0, target == host ? StructureNotifyMask : 0, &event)
                }
            }
            XSync(stranger.connection, 0)
            scene.waitUntilIdle()
            #expect(window.size == size && window.rootOrigin == origin && record.paintings == paintings)
            #expect(record.resizes == 0 && record.moves == 0)
            #expect(child.size == Size(width: 100, height: 50) && child.rootOrigin == RootPoint(x: 17, y: 28))
        }

        @Test func aParentThatIsNotThereIsAnError() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            #expect(throws: X11Error.noSuchWindow(WindowID(rawValue: 0x4242))) {
                try InkstoneX11.Window(
                    scene.display, parent: WindowID(rawValue: 0x4242),
                    frame: WindowRect(x: 0, y: 0, width: 10, height: 10))
            }
        }

        @Test func extentsClampToWhatXCanHave() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let tiny = try InkstoneX11.Window(scene.display, size: Size(width: 0, height: -5))
            let huge = try InkstoneX11.Window(scene.display, size: Size(width: 1e9, height: 20))
            let record = WindowRecord()
            huge.delegate = record
            tiny.delegate = record
            tiny.show()
            huge.show()
            try scene.pump("painting") { record.paintings >= 2 }
            #expect(tiny.size == Size(width: 1, height: 1))
            #expect(huge.size == Size(width: 32767, height: 20))
            tiny.resize(to: Size(width: .nan, height: 50))
            scene.waitUntilIdle()
            #expect(tiny.size == Size(width: 1, height: 50))
            tiny.close()
            huge.close()
            scene.waitUntilIdle()
        }

        @Test func exposuresAreAnsweredWithoutPainting() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.waitUntilIdle()
            let before = record.paintings
            let cover = try #require(XOpenDisplay(scene.server.display))
            let top = XCreateSimpleWindow(cover, XDefaultRootWindow(cover), 0, 0, 60, 60, 0, 0, 0xff0000)
            XMapRaised(cover, top)
            XSync(cover, 0)
            XCloseDisplay(cover)
            scene.waitUntilIdle()
            XSync(scene.display.connection, 0)
            let shot = try #require(scene.probe.screenshot())
            #expect(shot[5, 5] == 0x336699)
            #expect(shot[59, 59] == 0x336699)
            #expect(record.paintings == before)
        }

        @Test func resizingNeverShowsABackground() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow(width: 100, height: 80)
            defer { window.close() }
            // Resized while the program does nothing: the old content stays, and no background covers the windows
            // behind.
            scene.probe.resize(window.id.rawValue, width: 160, height: 120)
            let during = try #require(scene.probe.screenshot())
            #expect(during[50, 40] == 0x336699)
            #expect(during[99, 79] == 0x336699)
            #expect(during[130, 100] == 0, "the root shows until we paint")
            let before = record.paintings
            scene.waitUntilIdle()
            XSync(scene.display.connection, 0)
            #expect(record.paintings == before + 1, "one painting for resizing and exposure")
            #expect(window.size == Size(width: 160, height: 120))
            let after = try #require(scene.probe.screenshot())
            #expect(after[130, 100] == 0x336699)
        }

        @Test func manyResizesBecomeOnePainting() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow(width: 100, height: 80)
            defer { window.close() }
            let before = record.paintings
            for step in 1...50 { scene.probe.resize(window.id.rawValue, width: 100 + step, height: 80 + step) }
            scene.waitUntilIdle()
            #expect(window.size == Size(width: 150, height: 130))
            #expect(record.paintings == before + 1)
        }

        @Test func damageOfATurnIsPaintedOnce() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            let before = record.paintings
            window.setNeedsDisplay(WindowRect(x: 10, y: 10, width: 5.5, height: 5))
            window.setNeedsDisplay(WindowRect(x: 11, y: 11, width: 2, height: 2))
            window.setNeedsDisplay(WindowRect(x: -50, y: 90, width: 1000, height: 1000))
            scene.display.processEvents()
            #expect(record.paintings == before + 1)
            #expect(
                record.damage == [
                    WindowRect(x: 10, y: 10, width: 6, height: 5), WindowRect(x: 0, y: 90, width: 200, height: 10),
                ])
        }

        @Test func motionsThatNobodyHasSeenBecomeOne() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.movePointer(x: 10, y: 10)
            scene.waitUntilIdle()
            record.pointer = []
            for x in 11...60 { scene.probe.movePointer(x: x, y: 10) }
            scene.probe.button(1, down: true)
            scene.probe.movePointer(x: 80, y: 12)
            scene.probe.button(1, down: false)
            scene.waitUntilIdle()
            #expect(record.pointer.map(\.kind) == [.motion, .press(.primary), .motion, .release(.primary)])
            #expect(record.pointer.map(\.location.x) == [60, 60, 80, 80])
            #expect(record.pointer.map(\.isPrimaryDown) == [false, false, true, true])
        }

        /// Covers INT 02 of the checklist for interaction.
        @Test func wheelsScroll() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.movePointer(x: 10, y: 10)
            scene.waitUntilIdle()
            record.pointer = []
            for button: UInt8 in [4, 5, 6, 7] {
                scene.probe.button(button, down: true)
                scene.probe.button(button, down: false)
            }
            scene.waitUntilIdle()
            let expected: [PointerEvent.Kind] = [
                .scroll(Vector(dx: 0, dy: -1)), .scroll(Vector(dx: 0, dy: 1)), .scroll(Vector(dx: -1, dy: 0)),
                .scroll(Vector(dx: 1, dy: 0)),
            ]
            #expect(record.pointer.map(\.kind) == expected)
        }

        /// Covers INT 65 of the checklist for interaction.
        @Test func userTimeIsWrittenLateAndOnce() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            defer { window.close() }
            scene.probe.focus(window.id.rawValue)
            scene.probe.type("abcdef")
            try scene.pump("the keys") { record.typed == "abcdef" }
            let last = try #require(record.keys.last).timestamp
            #expect(scene.probe.numbers("_NET_WM_USER_TIME", of: window.id.rawValue) == [])
            try scene.pump("the user time") {
                scene.probe.numbers("_NET_WM_USER_TIME", of: window.id.rawValue) == [last]
            }
        }
    }
}
