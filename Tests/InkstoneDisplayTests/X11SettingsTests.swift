import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

@testable import InkstoneX11

extension DisplayTests {
    @Suite struct X11SettingsTests {
        @Test func theResourceDatabaseIsReadAndFollowed() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            #expect(scene.display.fontSettings == [:])
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            // Xlib would read the included file.
            let directory = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(directory) }
            let file = try #require(fopen("\(directory)/other", "w"))
            fputs("Xft.antialias: 0\n", file)
            fclose(file)
            let text = """
                Xft.dpi:\t144
                 #include "\(directory)/other"
                xterm.translations: #override \\n\\
                    a

                Xft.hintstyle: hintslight
                emacs.font: x
                *rgba: none

                """
            let root = XDefaultRootWindow(raw.connection)
            XChangeProperty(
                raw.connection, root, PredefinedAtom.resourceManager, PredefinedAtom.string, 8, PropModeReplace,
                Array(text.utf8), Int32(text.utf8.count))
            XSync(raw.connection, 0)
            try scene.pump("the change") { changes == 1 }
            #expect(scene.display.fontSettings == ["dpi": "144", "hintstyle": "hintslight", "rgba": "none"])
            let other = try InkstoneX11.Display(name: scene.server.display)
            #expect(other.fontSettings["dpi"] == "144")
            other.close()
        }

        /// Xlib interns each resource name for ever, and takes seconds for a megabyte of them, even before the
        /// first text is drawn.
        @Test func namesThatNobodyAsksForAreNotParsed() throws {
            func namesOfXlib() -> Int32 { XrmStringToQuark("a name of a test \(UInt64.random(in: 0 ... .max))") }
            func text(_ round: Int) -> String {
                (0..<10_000).map { "a\(round)x\($0): 1\nb\(round)x\($0).dpi: 1\nXft.c\(round)x\($0): 1\n" }.joined()
                    + "Xft.dpi: 144\n"
            }
            let before = namesOfXlib()
            let scene = try DisplayScene(resources: text(0))
            defer { scene.end() }
            try scene.makeWindow(["text"])
            scene.waitUntilIdle()
            #expect(scene.display.fontSettings == ["dpi": "144"])
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            DisplayScene.setResources(text(1), display: scene.server.display)
            try scene.pump("the change") { changes == 1 }
            #expect(scene.display.fontSettings == ["dpi": "144"])
            #expect(namesOfXlib() - before < 1000)
        }

        /// Xft asks Xlib for defaults, which parses the resource property as of the start of the connection.
        @Test func noFileThatThePropertyNamesIsOpenedBeforeTheFirstText() throws {
            let directory = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(directory) }
            // Opening this pipe would block until somebody writes.
            #expect(mkfifo("\(directory)/pipe", 0o600) == 0)
            let session = try DesktopSession()
            defer { session.end() }
            let filler = String(repeating: "! nothing to read here\n", count: 60_000)
            DisplayScene.setResources(
                "Xft.dpi: 96\n \t# \tinclude \"\(directory)/pipe\"\n#include \"\(directory)/pipe\"\n\(filler)Xft.rgba: rgb\n",
                display: session.server.display)
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForText()
            let display = try InkstoneX11.Display(name: session.server.display)
            defer { display.close() }
            #expect(display.fontSettings == ["dpi": "96"], "what is beyond a megabyte is not read")
        }

        /// A connection has one event mask per window: events that the host has selected must stay selected.
        @Test func eventsThatAnAdoptingHostSelectsStaySelected() throws {
            let server = try XServer(width: 320, height: 240)
            let manager = try SettingsManager(server.display)
            manager.publish(dpi: 120)
            let host = try #require(XOpenDisplay(server.display))
            let root = XDefaultRootWindow(host)
            let settings = XGetSelectionOwner(host, XInternAtom(host, "_XSETTINGS_S0", 0))
            XSelectInput(host, root, SubstructureNotifyMask)
            XSelectInput(host, settings, VisibilityChangeMask)
            let display = try InkstoneX11.Display(adopting: host)
            defer {
                display.close()
                XCloseDisplay(host)
                manager.end()
                server.end()
            }
            #expect(display.fontSettings["dpi"] == "120")
            for (window, mask) in [(root, SubstructureNotifyMask), (settings, VisibilityChangeMask)] {
                var attributes = XWindowAttributes()
                XGetWindowAttributes(host, window, &attributes)
                #expect(attributes.your_event_mask & mask == mask)
                #expect(attributes.your_event_mask & PropertyChangeMask != 0)
            }
        }

        /// A program may use Inkstone's connection too, for its host's window and the root window; its event masks
        /// stay.
        @Test func eventsThatAProgramSelectsOnOurConnectionStaySelected() throws {
            let scene = try DisplayScene()
            let foreign = try #require(XOpenDisplay(scene.server.display))
            defer {
                XCloseDisplay(foreign)
                scene.end()
            }
            let connection = scene.display.connection
            let root = XDefaultRootWindow(connection)
            let parent = XCreateSimpleWindow(foreign, root, 0, 0, 200, 100, 0, 0, 0)
            XSync(foreign, 0)
            func mask(_ window: UInt) -> Int {
                var attributes = XWindowAttributes()
                XGetWindowAttributes(connection, window, &attributes)
                return attributes.your_event_mask
            }
            let ours = StructureNotifyMask | PropertyChangeMask
            #expect(mask(root) == ours, "nothing but what the settings need")
            XSelectInput(connection, root, ours | SubstructureNotifyMask)
            scene.display.observeMonitors(by: scene) {}
            #expect(mask(root) == ours | SubstructureNotifyMask)
            XSelectInput(connection, parent, PropertyChangeMask)
            let window = try InkstoneX11.Window(
                scene.display, parent: WindowID(xid: parent), frame: WindowRect(x: 5, y: 5, width: 100, height: 50))
            #expect(mask(parent) == PropertyChangeMask | StructureNotifyMask)
            window.close()
            #expect(mask(parent) == PropertyChangeMask)
        }

        /// INT 61. A new manager replaces one that keeps running.
        @Test func replacedSettingsManagerIsIgnored() throws {
            let scene = try DisplayScene()
            let first = try SettingsManager(scene.server.display)
            let second = try SettingsManager(scene.server.display)
            defer {
                first.end()
                second.end()
                scene.end()
            }
            first.publish(dpi: 120)
            try scene.pump("the first one's settings") { scene.display.settings["Xft/DPI"] == .integer(120 * 1024) }
            #expect(scene.display.isWatched(first.window))
            second.publish(dpi: 144)
            try scene.pump("the second one's settings") { scene.display.settings["Xft/DPI"] == .integer(144 * 1024) }
            #expect(!scene.display.isWatched(first.window) && scene.display.isWatched(second.window))
        }

        /// The standard colours of a program's theme decide the view's appearance.
        @Test func darkThemeOfTheProgramStaysDark() throws {
            let scene = try DisplayScene()
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            func publish(_ name: String) throws {
                var data = SettingsData(count: 1)
                data.string("Net/ThemeName", name)
                var changes = 0
                scene.display.onSettingsChange = { changes += 1 }
                manager.publish(data.bytes)
                try scene.pump("the settings") { changes > 0 }
            }
            let window = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            let (created, plain) = (TextView(in: window, theme: .dark), TextView(in: window))
            #expect(created.theme == .dark && created.appearance == .dark)
            #expect(plain.theme == Theme() && plain.appearance == .desktop)
            let set = TextView(in: window)
            set.theme = .dark
            #expect(set.appearance == .dark)
            for name in ["Adwaita-dark", "Adwaita"] {
                try publish(name)
                #expect(created.theme == .dark && set.theme == .dark, "\(name)")
                #expect(plain.theme == (name == "Adwaita" ? Theme() : .dark), "\(name)")
                #expect(scene.display.theme == plain.theme, "\(name)")
            }
            created.appearance = .desktop
            set.theme = Theme()
            #expect(created.theme == Theme())
            try publish("Adwaita-dark")
            #expect(created.theme == .dark, "follows the desktop again")
            #expect(set.theme == Theme() && set.appearance == .light)
            // Distances are no colours.
            plain.theme.margin = 1
            try publish("Adwaita")
            #expect(plain.theme.background == .white && plain.appearance == .desktop)
            window.close()
        }

        /// On a dark desktop a dark theme that is set has the colours shown, and decides nothing; the appearance does.
        @Test func darkThemeSetOnADarkDesktopFollowsTheDesktop() throws {
            let scene = try DisplayScene()
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            func publish(_ name: String) throws {
                var data = SettingsData(count: 1)
                data.string("Net/ThemeName", name)
                var changes = 0
                scene.display.onSettingsChange = { changes += 1 }
                manager.publish(data.bytes)
                try scene.pump("the settings") { changes > 0 }
            }
            let window = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            let (set, chosen) = (TextView(in: window), TextView(in: window))
            try publish("Adwaita-dark")
            let created = TextView(in: window, theme: .dark)
            set.theme = .dark
            chosen.appearance = .dark
            #expect(set.appearance == .desktop && chosen.appearance == .dark && created.appearance == .dark)
            try publish("Adwaita")
            #expect(set.theme == Theme() && chosen.theme == .dark && created.theme == .dark)
            window.close()
        }

        /// Values for “not set”, and values of a wrong type, change nothing.
        @Test func preferencesAreTheSameFromAnySource() throws {
            let resources =
                "Xft.dpi: 144\nXft.rgba: rgb\nXcursor.theme: Adwaita\nXcursor.size: 48\n*multiClickTime: 300\n"
            let scene = try DisplayScene(resources: resources)
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            var expected = DesktopPreferences()
            expected.fonts = ["dpi": "144", "rgba": "rgb"]
            expected.pointer.doubleClickTime = 300
            (expected.cursors.theme, expected.cursors.size) = ("Adwaita", 48)
            #expect(scene.display.preferences == expected)
            func publish(_ count: UInt32, _ write: (inout SettingsData) -> Void) throws {
                var data = SettingsData(count: count)
                write(&data)
                var changes = 0
                scene.display.onSettingsChange = { changes += 1 }
                manager.publish(data.bytes)
                try scene.pump("the settings") { changes > 0 }
            }
            try publish(8) {
                $0.integer("Xft/Antialias", UInt32(bitPattern: -1))
                $0.integer("Xft/Hinting", UInt32(bitPattern: -1))
                $0.string("Xft/RGBA", "")
                $0.string("Gtk/CursorThemeName", "")
                $0.integer("Gtk/CursorThemeSize", 0)
                $0.string("Net/DoubleClickTime", "fast")
                $0.integer("Net/ThemeName", 1)
                $0.integer("Net/CursorBlinkTime", 0)
            }
            #expect(scene.display.preferences == expected)
            try publish(15) {
                $0.integer("Xft/Antialias", 1)
                $0.integer("Xft/Hinting", 0)
                $0.string("Xft/HintStyle", "hintslight")
                $0.string("Xft/RGBA", "none")
                $0.integer("Xft/DPI", 192 * 1024)
                $0.string("Gtk/CursorThemeName", "Yaru")
                $0.integer("Gtk/CursorThemeSize", 24)
                $0.integer("Net/DoubleClickTime", 250)
                $0.integer("Net/DoubleClickDistance", 7)
                $0.integer("Net/DndDragThreshold", 11)
                $0.integer("Net/CursorBlink", 0)
                $0.integer("Net/CursorBlinkTime", 900)
                $0.integer("Gtk/CursorBlinkTimeout", 3)
                $0.integer("Gtk/EnablePrimaryPaste", 0)
                $0.string("Net/ThemeName", "Mint-Y-Dark-Aqua")
            }
            expected.fonts = [
                "antialias": "true", "hinting": "false", "hintstyle": "hintslight", "rgba": "none", "dpi": "192",
            ]
            (expected.cursors.theme, expected.cursors.size) = ("Yaru", 24)
            expected.pointer.doubleClickTime = 250
            expected.pointer.doubleClickDistance = 7
            expected.pointer.dragThreshold = 11
            expected.pointer.pastesPrimary = false
            (expected.caret.blinks, expected.caret.period, expected.caret.restsAfter) = (false, 900, 3000)
            expected.prefersDark = true
            #expect(scene.display.preferences == expected)
            // Any client can publish settings, and libXcursor opens files by the theme's name; so paths are
            // rejected.
            try publish(1) { $0.string("Gtk/CursorThemeName", "../../../../tmp/pipes") }
            #expect(scene.display.preferences.cursors.theme == "default")
            // A light theme whose name contains “dark”.
            try publish(1) { $0.string("Net/ThemeName", "Darkroom-light") }
            #expect(!scene.display.preferences.prefersDark && !scene.display.preferences.prefersHighContrast)
            for (name, isDark) in [("HighContrast", false), ("ContrastHighInverse", true), ("HighContrast-dark", true)]
            {
                try publish(1) { $0.string("Net/ThemeName", name) }
                #expect(
                    scene.display.preferences.prefersHighContrast && scene.display.preferences.prefersDark == isDark)
            }
        }

        @Test(arguments: [false, true])
        func aManagersSettingsComeFirstAndGoWithIt(isBigEndian: Bool) throws {
            let scene = try DisplayScene()
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            #expect(scene.display.settings == [:])
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            var data = SettingsData(isBigEndian: isBigEndian, count: 5)
            data.integer("Net/DoubleClickTime", 432)
            data.string("Xft/HintStyle", "hintfull")
            data.color("Odd", [0xffff, 0x8000, 0x0000, 0xffff])
            data.integer("Xft/DPI", 120 * 1024)
            data.integer("Xft/Antialias", 1)
            manager.publish(data.bytes)
            try scene.pump("the manager") { changes == 1 }
            #expect(scene.display.settings["Net/DoubleClickTime"] == .integer(432))
            #expect(
                scene.display.settings["Odd"] == .color(Color(red: 255, green: 0, blue: 128)),
                "the format's order is red, blue, green")
            #expect(scene.display.fontSettings == ["hintstyle": "hintfull", "dpi": "120", "antialias": "true"])

            // Settings cut short: complete entries still apply.
            manager.publish(Array(data.bytes.prefix(50)))
            try scene.pump("the damage") { changes == 2 }
            #expect(Array(scene.display.settings.keys) == ["Net/DoubleClickTime"])
            manager.end()
            try scene.pump("the end") { changes == 3 }
            #expect(scene.display.settings == [:])
        }
    }
}
