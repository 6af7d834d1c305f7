import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Desktop settings as a real manager publishes them, changed while the program runs.
    @Suite struct SettingsPeerTests {
        private struct Change: Sendable {
            var line: String
            var apply: @Sendable (inout DesktopPreferences) -> Void
        }

        private static let changes = [
            Change(line: "Net/CursorBlink 0") { $0.caret.blinks = false },
            Change(line: "Net/CursorBlinkTime 800") { $0.caret.period = 800 },
            Change(line: "Gtk/CursorBlinkTimeout 3") { $0.caret.restsAfter = 3000 },
            Change(line: "Net/DoubleClickTime 250") { $0.pointer.doubleClickTime = 250 },
            Change(line: "Net/DoubleClickDistance 9") { $0.pointer.doubleClickDistance = 9 },
            Change(line: "Net/DndDragThreshold 12") { $0.pointer.dragThreshold = 12 },
            Change(line: "Gtk/EnablePrimaryPaste 0") { $0.pointer.pastesPrimary = false },
            Change(line: "Gtk/PrimaryButtonWarpsSlider 0") { $0.pointer.warpsScrollBar = false },
            Change(line: "Xft/DPI 147456") { $0.fonts["dpi"] = "144" },
            Change(line: "Xft/Antialias 0") { $0.fonts["antialias"] = "false" },
            Change(line: "Xft/Hinting 1") { $0.fonts["hinting"] = "true" },
            Change(line: "Xft/HintStyle \"hintslight\"") { $0.fonts["hintstyle"] = "hintslight" },
            Change(line: "Xft/RGBA \"rgb\"") { $0.fonts["rgba"] = "rgb" },
            Change(line: "Gtk/CursorThemeName \"Adwaita\"") { $0.cursors.theme = "Adwaita" },
            Change(line: "Gtk/CursorThemeSize 48") { $0.cursors.size = 48 },
            Change(line: "Net/ThemeName \"Adwaita-dark\"") { $0.prefersDark = true },
            Change(line: "Net/ThemeName \"HighContrast\"") { $0.prefersHighContrast = true },
        ]

        /// A manager, and a display that follows it.
        private final class Scene {
            let scene: DisplayScene
            private var manager: ChildProcess?
            private var path: String { scene.session.home + "/xsettingsd" }
            private(set) var notices = 0

            init() throws {
                scene = try DisplayScene()
                scene.display.onSettingsChange = { [unowned self] in notices += 1 }
            }

            func start() throws {
                manager = try scene.session.start("xsettingsd", ["-c", path])
            }

            /// Has the manager publish these settings and no other, and waits for what the display makes of them.
            func publish(_ lines: [String], expecting expected: DesktopPreferences) throws {
                try TextFiles.write(lines.map { $0 + "\n" }.joined(), to: path)
                if let manager {
                    // Before it has made itself ready the signal would end it.
                    try waitUntil("its readiness") { ProcessTable.catches(SIGHUP, in: manager.pid) }
                    manager.send(SIGHUP)
                } else {
                    try start()
                }
                var told = MonotonicClock.milliseconds
                try scene.pump(
                    "\(lines)", instead: { "\(self.scene.display.preferences)\n\(self.scene.session.logText)" }
                ) {
                    if scene.display.preferences == expected { return true }
                    // It heeds a signal only while it waits, and forgets one that comes while it is at work.
                    if let manager, MonotonicClock.milliseconds - told > 200,
                        ProcessTable.catches(SIGHUP, in: manager.pid)
                    {
                        manager.send(SIGHUP)
                        told = MonotonicClock.milliseconds
                    }
                    return false
                }
            }

            /// Ends the manager without a word.
            func kill() throws {
                manager?.send(SIGKILL)
                try manager?.waitForExit(within: 5000)
                manager = nil
            }
        }

        @Test func eachKeyIsFollowed() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            var all = DesktopPreferences()
            for change in Self.changes {
                // Alone: what was set before is set no more.
                var expected = DesktopPreferences()
                change.apply(&expected)
                change.apply(&all)
                #expect(expected != DesktopPreferences(), "\(change.line)")
                try scene.publish([change.line], expecting: expected)
            }
            try scene.publish(Self.changes.map(\.line), expecting: all)
            #expect(scene.notices >= Self.changes.count)
            try scene.publish([], expecting: DesktopPreferences())
        }

        @Test func whatMeansUnsetAndWhatIsNoSuchValueChangesNothing() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            // Each list comes with a setting that shows that it was read.
            let lists = [
                ["Xft/DPI -1", "Net/CursorBlinkTime -1", "Net/DoubleClickTime -1", "Gtk/CursorThemeSize -1"],
                [
                    "Xft/Antialias -1", "Xft/Hinting -1", "Xft/HintStyle \"\"", "Xft/RGBA \"\"", "Xft/DPI 0",
                    "Gtk/CursorThemeName \"\"", "Gtk/CursorThemeSize 0", "Net/CursorBlink -1", "Net/CursorBlinkTime 0",
                    "Gtk/CursorBlinkTimeout 0", "Net/DoubleClickTime 0", "Net/DoubleClickDistance -1",
                    "Net/ThemeName \"\"", "Gtk/EnablePrimaryPaste -1",
                ],
                [
                    "Xft/Antialias \"1\"", "Xft/Hinting \"0\"", "Xft/HintStyle 1", "Xft/RGBA 2", "Xft/DPI \"98304\"",
                    "Gtk/CursorThemeName 7", "Gtk/CursorThemeSize \"48\"", "Net/CursorBlink \"no\"",
                    "Net/CursorBlinkTime \"fast\"", "Gtk/CursorBlinkTimeout (1, 2, 3, 4)",
                    "Net/DoubleClickTime \"9\"", "Net/DoubleClickDistance (0, 0, 0, 0)", "Net/ThemeName 5",
                    "Gtk/EnablePrimaryPaste \"0\"",
                ],
            ]
            for (index, list) in lists.enumerated() {
                var expected = DesktopPreferences()
                expected.pointer.dragThreshold = 20 + Double(index)
                try scene.publish(list + ["Net/DndDragThreshold \(20 + index)"], expecting: expected)
            }
        }

        @Test func aManagerThatIsKilledAndReplacedIsFollowed() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            for threshold in [20, 30] {
                var expected = DesktopPreferences()
                expected.pointer.dragThreshold = Double(threshold)
                try scene.publish(["Net/DndDragThreshold \(threshold)"], expecting: expected)
                try scene.kill()
                try scene.scene.pump("the settings to go") {
                    scene.scene.display.preferences == DesktopPreferences()
                }
            }
        }
    }
}
