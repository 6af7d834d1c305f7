import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Windows under a real window manager, which puts frames around them and moves those.
    @Suite struct X11ManagerTests {
        @Test func aFramedWindowKnowsWhereItLiesAndHasTheFocus() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            try session.startWindowManager()
            let display = try InkstoneX11.Display(name: session.server.display)
            defer { display.close() }
            let window = try InkstoneX11.Window(
                display, size: Size(width: 300, height: 200), properties: .init(title: "framed"))
            let record = WindowRecord()
            window.delegate = record
            window.show()
            func truth() -> RootPoint? {
                session.probe.info(window.id.rawValue).map { RootPoint(x: Double($0.x), y: Double($0.y)) }
            }
            try pump([display], "the frame and the focus") {
                // The manager forgets windows shown in its first moments.
                if session.probe.info(window.id.rawValue)?.isViewable == false { window.show() }
                return record.paintings > 0 && window.isFocused && window.rootOrigin == truth()
                    && window.rootOrigin.y > 0
            }
            for (x, y) in [(100, 150), (37, 61), (300, 200)] {
                session.probe.move(window.id.rawValue, x: x, y: y)
                try pump([display], "the move") {
                    window.rootOrigin == truth() && abs(window.rootOrigin.x - Double(x)) < 30
                }
            }
            session.probe.type("typed")
            try pump([display], "the keys") { record.typed == "typed" }
            #expect(record.focus == [true])
            session.probe.resize(window.id.rawValue, width: 320, height: 210)
            try pump([display], "the resize") { window.size == Size(width: 320, height: 210) }
            // Alt+F4 is the manager's; it asks by message and by ping.
            session.probe.strike(TestKey(70), holding: [.leftAlt])
            try pump([display], "the question") { record.closeRequests == 1 }
        }

        @Test func theLauncherIsToldOnce() throws {
            let session = try DesktopSession(width: 320, height: 240)
            defer { session.end() }
            setenv("DESKTOP_STARTUP_ID", "launch_TIME1234", 1)
            let display = try InkstoneX11.Display(name: session.server.display)
            defer { display.close() }
            let window = try InkstoneX11.Window(display, size: Size(width: 100, height: 50))
            window.show()
            display.processEvents()
            #expect(session.probe.property("_NET_STARTUP_ID", of: window.id.rawValue) == Array("launch_TIME1234".utf8))
            #expect(getenv("DESKTOP_STARTUP_ID") == nil, "no child may inherit it")
        }
    }
}
