import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Desktop settings published by a real settings daemon, and changed while the program runs.
    @Suite struct SettingsPeerTests {
        private struct Change: Sendable {
            var line: String
            var apply: @Sendable (inout DesktopPreferences) -> Void
        }

        private static let changes = [
            Change(line: "Net/CursorBlink 0") { $0.caret.blinks = false },
            Change(line: "Net/CursorBlinkTime 800") { $0.caret.period = 800 },
            Change(line: "Gtk/CursorBlinkTimeout 3") { $0.caret.restsAfter = 3000 },
            Change(line: "Gtk/EnableAnimations 0") { $0.animates = false },
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

        /// A settings daemon, and a display that follows it.
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

            /// Makes the daemon publish exactly these settings, and waits for the display's preferences.
            func publish(_ lines: [String], expecting expected: DesktopPreferences) throws {
                try TextFiles.write(lines.map { $0 + "\n" }.joined(), to: path)
                if let manager {
                    // Before the daemon has installed its handler, SIGHUP would end it.
                    try waitUntil("its readiness") { ProcessTable.catches(SIGHUP, in: manager.pid) }
                    manager.send(SIGHUP)
                } else {
                    try start()
                }
                var reported = MonotonicClock.milliseconds
                try scene.pump(
                    "\(lines)", instead: { "\(self.scene.display.preferences)\n\(self.scene.session.logText)" }
                ) {
                    if scene.display.preferences == expected { return true }
                    // The daemon handles SIGHUP only while it waits, and loses one that arrives at another time; so
                    // send it again.
                    if let manager, MonotonicClock.milliseconds - reported > 200,
                        ProcessTable.catches(SIGHUP, in: manager.pid)
                    {
                        manager.send(SIGHUP)
                        reported = MonotonicClock.milliseconds
                    }
                    return false
                }
            }

            /// Kills the daemon.
            func kill() throws {
                manager?.send(SIGKILL)
                try manager?.waitForExit(within: 5000)
                manager = nil
            }
        }

        /// Covers INT 60 of the checklist for interaction.
        @Test func eachKeyIsFollowed() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            var all = DesktopPreferences()
            for change in Self.changes {
                // Publish one setting alone: settings published before are no longer set.
                var expected = DesktopPreferences()
                change.apply(&expected)
                // Two settings map to the high-contrast preference; only one may be in the combined list, because
                // the last one would win.
                if !expected.prefersHighContrast { change.apply(&all) }
                #expect(expected != DesktopPreferences(), "\(change.line)")
                try scene.publish([change.line], expecting: expected)
            }
            try scene.publish(Self.changes.map(\.line).filter { !$0.contains("HighContrast") }, expecting: all)
            #expect(scene.notices >= Self.changes.count)
            try scene.publish([], expecting: DesktopPreferences())
        }

        /// Covers INT 60 of the checklist for interaction.
        @Test func unsetAndInvalidSettingsChangeNothing() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            // Each list includes a valid setting, which shows that the list was read.
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

        /// INT 60, INT 62: a visible view applies each setting, not only the display.
        @Test func aViewThatIsSeenTakesEachSettingOver() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            try scene.scene.makeWindow(["one two"])
            let view = scene.scene.view
            let changes = Self.changes.filter { !$0.line.hasPrefix("Xft/") && !$0.line.hasPrefix("Gtk/Cursor") }
            // Return to the defaults in between, so that a stale or late value would be noticed.
            for change in changes.flatMap({ [$0, nil] }) {
                var expected = DesktopPreferences()
                change?.apply(&expected)
                try scene.publish(change.map { [$0.line] } ?? [], expecting: expected)
                let line = Comment(rawValue: change?.line ?? "nothing set")
                #expect(view.presenter.caretSettings == expected.caret, line)
                #expect(view.interaction.settings == expected.pointer, line)
                let (isDark, hasContrast) = (expected.prefersDark, expected.prefersHighContrast)
                #expect(view.theme == .standard(isDark: isDark, hasHighContrast: hasContrast), line)
            }
            // Check the effects: a dark background, and no timer for a caret that does not blink.
            var expected = DesktopPreferences()
            expected.prefersDark = true
            expected.caret.blinks = false
            try scene.publish(["Net/ThemeName \"Adwaita-dark\"", "Net/CursorBlink 0"], expecting: expected)
            let picture = try scene.scene.picture()
            let ground = Theme.dark.background
            let value = UInt32(ground.red) << 16 | UInt32(ground.green) << 8 | UInt32(ground.blue)
            #expect(picture[picture.width / 2, picture.height / 2] == value)
            #expect(view.nextDeadline == nil)
            let later = try scene.scene.makeWindow(["three"]).views[0]
            #expect(
                later.theme == .dark && later.presenter.caretSettings == expected.caret,
                "one that is made later has them")
        }

        /// INT 63. Distances are published for a scale of 1, and grow with the scale.
        @Test func distancesOfAViewGrowWithTheScale() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            try scene.scene.makeWindow(["one two"])
            var expected = DesktopPreferences()
            expected.fonts["dpi"] = "192"
            expected.pointer.dragThreshold = 12
            try scene.publish(["Xft/DPI 196608", "Net/DndDragThreshold 12"], expecting: expected)
            #expect(scene.scene.view.interaction.settings == expected.pointer.scaled(by: 2))
            #expect(scene.scene.view.interaction.settings.dragThreshold == 24)
        }

        /// Covers INT 61 of the checklist for interaction.
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
