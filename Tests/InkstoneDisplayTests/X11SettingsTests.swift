import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    @Suite struct X11SettingsTests {
        @Test func theResourceDatabaseIsReadAndFollowed() throws {
            let scene = try X11Scene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            #expect(scene.display.fontSettings == [:])
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            let text = "Xft.dpi:\t144\nXft.hintstyle: hintslight\nemacs.font: x\n*rgba: none\n"
            let root = XDefaultRootWindow(raw.connection)
            XChangeProperty(
                raw.connection, root, 23, 31, 8, PropModeReplace, Array(text.utf8), Int32(text.utf8.count))
            XSync(raw.connection, 0)
            try scene.pump("the change") { changes == 1 }
            #expect(scene.display.fontSettings == ["dpi": "144", "hintstyle": "hintslight", "rgba": "none"])
            let other = try InkstoneX11.Display(name: scene.server.display)
            #expect(other.fontSettings["dpi"] == "144")
            other.close()
        }

        @Test(arguments: [false, true])
        func aManagersSettingsComeFirstAndGoWithIt(isBigEndian: Bool) throws {
            let scene = try X11Scene()
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

            // Cut short in the middle: what is whole counts.
            manager.publish(Array(data.bytes.prefix(50)))
            try scene.pump("the damage") { changes == 2 }
            #expect(Array(scene.display.settings.keys) == ["Net/DoubleClickTime"])
            manager.end()
            try scene.pump("the end") { changes == 3 }
            #expect(scene.display.settings == [:])
        }
    }
}
