import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Windows under a real window manager, which adds and moves frames.
    @Suite struct X11ManagerTests {
        @Test func aFramedWindowKnowsWhereItLiesAndHasTheFocus() throws {
            let scene = try DisplayScene(width: 800, height: 600, manager: true)
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow(width: 300, height: 200, title: "framed")
            func truth() -> RootPoint? {
                scene.probe.info(window.id.rawValue).map { RootPoint(x: Double($0.x), y: Double($0.y)) }
            }
            try scene.pump("the frame and the focus") {
                window.isFocused && window.rootOrigin == truth() && window.rootOrigin.y > 0
            }
            for (x, y) in [(100, 150), (37, 61), (300, 200)] {
                scene.probe.move(window.id.rawValue, x: x, y: y)
                try scene.pump("the move") {
                    window.rootOrigin == truth() && abs(window.rootOrigin.x - Double(x)) < 30
                }
            }
            scene.probe.type("typed")
            try scene.pump("the keys") { record.typed == "typed" }
            #expect(record.focus == [true])
            scene.probe.resize(window.id.rawValue, width: 320, height: 210)
            try scene.pump("the resize") { window.size == Size(width: 320, height: 210) }
            // Alt+F4 belongs to the window manager, which asks the window to close, and pings it.
            scene.probe.strike(TestKey(70), holding: [.leftAlt])
            try scene.pump("the question") { record.closeRequests == 1 }
        }

        @Test func theLauncherIsNotifiedOnce() throws {
            setenv("DESKTOP_STARTUP_ID", "launch_TIME1234", 1)
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, _) = try scene.makePlainWindow()
            #expect(scene.probe.property("_NET_STARTUP_ID", of: window.id.rawValue) == Array("launch_TIME1234".utf8))
            #expect(getenv("DESKTOP_STARTUP_ID") == nil, "no child may inherit it")
        }
    }
}
