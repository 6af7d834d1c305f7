import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Menus and loupes on two adjacent monitors of different heights, which leave parts of the root window
    /// invisible.
    @Suite struct MonitorTests {
        /// The left monitor is 900 pixels high; the right one starts 100 pixels lower and is 700 high.
        private static let left = RootRect(x: 0, y: 0, width: 640, height: 900)
        private static let right = RootRect(x: 640, y: 100, width: 640, height: 700)

        private func makeScene() throws -> DisplayScene {
            let scene = try DisplayScene(width: 1280, height: 900)
            for arguments in [["L", "640/170x900/240+0+0", "screen"], ["R", "640/170x700/190+640+100", "none"]] {
                let result = try scene.session.run("xrandr", ["--setmonitor"] + arguments)
                #expect(result.status == .exited(0), "\(scene.session.logText)")
            }
            return scene
        }

        private func popup(_ scene: DisplayScene) -> WindowInfo? {
            scene.probe.windows().first { $0.isViewable && $0.overrideRedirect && $0.width > 8 }
        }

        @Test func bothMonitorsAreKnown() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let monitors = scene.display.monitors
            #expect(Set(monitors.frames) == [Self.left, Self.right])
            // A point on no monitor belongs to the nearest one.
            for (x, y, frame) in [
                (639.0, 500.0, Self.left), (640, 500, Self.right), (650, 50, Self.left), (900, 50, Self.right),
                (900, 850, Self.right), (645, 890, Self.left),
            ] {
                #expect(monitors.frame(at: RootPoint(x: x, y: y)) == frame, "\(x), \(y)")
            }
            #expect(
                MonitorLayout([RootRect(x: 3, y: 3, width: 0, height: 9)], screen: Size(width: 8, height: 9)).frames
                    == [RootRect(x: 0, y: 0, width: 8, height: 9)])
        }

        /// Covers INT 79 of the checklist for interaction.
        @Test func aMenuStaysOnTheMonitorThatItWasOpenedOn() throws {
            let scene = try makeScene()
            defer { scene.end() }
            try scene.makeWindow(["alpha beta"], width: 1280, height: 900, at: (0, 0))
            for (x, y, monitor) in [
                (630.0, 300.0, Self.left), (645, 300, Self.right), (900, 780, Self.right), (1270, 110, Self.right),
                (630, 890, Self.left), (900, 50, Self.right),
            ] {
                scene.click(scene.view, x: x, y: y, button: 3)
                try scene.pump("the menu") { popup(scene) != nil && scene.window.isMenuOpen }
                let info = try #require(popup(scene))
                let frame = RootRect(
                    x: Double(info.x), y: Double(info.y), width: Double(info.width), height: Double(info.height))
                #expect(frame.intersection(monitor) == frame, "opened at \(x), \(y): \(frame)")
                scene.probe.strike(.escape)
                try scene.pump("no menu") { popup(scene) == nil && !scene.window.isMenuOpen }
            }
        }

        @Test func anInputViewStaysOnTheMonitorOfItsField() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let panel = WidgetPanelTests.Strip(.popup, width: 200, height: 80)
            let (window, _) = try scene.makeWindow(["field"], width: 300, height: 60, at: (20, 700)) {
                $0[0].inputView = panel
            }
            // The input view is placed below the field; above it where the right monitor ends; and is shifted left
            // at the left monitor's right edge.
            for (x, y, place) in [
                (20, 700, (20, 760)), (660, 700, (660, 620)), (500, 300, (440, 360)), (1100, 300, (1080, 360)),
            ] {
                scene.probe.move(window.window.id.rawValue, x: x, y: y)
                try scene.pump("the strip of \(x), \(y)", instead: { "\(String(describing: popup(scene)))" }) {
                    popup(scene).map { ($0.x, $0.y) == place } ?? false
                }
            }
        }

        /// Covers INT 34 of the checklist for interaction.
        @Test func aLoupeStaysOnTheMonitorOfWhatItShows() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let (window, _) = try scene.makePlainWindow(width: 1280, height: 900)
            try scene.pump("its place") { window.rootOrigin == RootPoint(x: 0, y: 0) }
            let session = try #require(TextLoupeSession.begin(at: WindowPoint(x: 300, y: 300), in: window))
            for (x, y, monitor) in [
                (300.0, 300.0, Self.left), (630, 300, Self.left), (650, 300, Self.right), (900, 110, Self.right),
                (900, 790, Self.right), (20, 10, Self.left),
            ] {
                session.move(to: WindowPoint(x: x, y: y))
                let frame = try #require(session.frame)
                #expect(frame.intersection(monitor) == frame, "at \(x), \(y): \(frame)")
                #expect(!frame.contains(RootPoint(x: x, y: y)))
            }
            session.invalidate()
        }
    }
}
