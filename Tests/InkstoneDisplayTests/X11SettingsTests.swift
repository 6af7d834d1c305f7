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
            let raw = try RawRequestor(scene.server.display)
            defer { scene.end() }
            #expect(scene.display.settings == [:])
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            var data = SettingsData(isBigEndian: isBigEndian, count: 5)
            data.integer("Net/DoubleClickTime", 432)
            data.string("Xft/HintStyle", "hintfull")
            data.color("Odd", [0xffff, 0x8000, 0x0000, 0xffff])
            data.integer("Xft/DPI", 120 * 1024)
            data.integer("Xft/Antialias", 1)
            let settings = raw.atom("_XSETTINGS_SETTINGS")
            XChangeProperty(
                raw.connection, raw.window, settings, settings, 8, PropModeReplace, data.bytes, Int32(data.bytes.count))
            XSetSelectionOwner(raw.connection, raw.atom("_XSETTINGS_S0"), raw.window, 0)
            var event = XEvent()
            event.xclient.type = ClientMessage
            event.xclient.window = XDefaultRootWindow(raw.connection)
            event.xclient.message_type = raw.atom("MANAGER")
            event.xclient.format = 32
            event.xclient.data.l.1 = Int(raw.atom("_XSETTINGS_S0"))
            event.xclient.data.l.2 = Int(raw.window)
            XSendEvent(raw.connection, XDefaultRootWindow(raw.connection), 0, StructureNotifyMask, &event)
            XSync(raw.connection, 0)
            try scene.pump("the manager") { changes == 1 }
            #expect(scene.display.settings["Net/DoubleClickTime"] == .integer(432))
            #expect(
                scene.display.settings["Odd"] == .color(Color(red: 255, green: 0, blue: 128)),
                "the format's order is red, blue, green")
            #expect(scene.display.fontSettings == ["hintstyle": "hintfull", "dpi": "120", "antialias": "true"])

            // Cut short in the middle: what is whole counts.
            let part = Array(data.bytes.prefix(50))
            XChangeProperty(
                raw.connection, raw.window, settings, settings, 8, PropModeReplace, part, Int32(part.count))
            XSync(raw.connection, 0)
            try scene.pump("the damage") { changes == 2 }
            #expect(Array(scene.display.settings.keys) == ["Net/DoubleClickTime"])
            raw.close()
            try scene.pump("the end") { changes == 3 }
            #expect(scene.display.settings == [:])
        }
    }
}

/// Writes settings as a manager does.
private struct SettingsData {
    let isBigEndian: Bool
    var bytes: [UInt8]

    init(isBigEndian: Bool, count: UInt32) {
        self.isBigEndian = isBigEndian
        bytes = [isBigEndian ? 1 : 0, 0, 0, 0]
        number(1, 4)
        number(count, 4)
    }

    mutating func integer(_ name: String, _ value: UInt32) {
        head(0, name)
        number(value, 4)
    }

    mutating func string(_ name: String, _ value: String) {
        head(1, name)
        number(UInt32(value.utf8.count), 4)
        text(value)
    }

    mutating func color(_ name: String, _ parts: [UInt32]) {
        head(2, name)
        for part in parts { number(part, 2) }
    }

    private mutating func head(_ type: UInt8, _ name: String) {
        bytes += [type, 0]
        number(UInt32(name.utf8.count), 2)
        text(name)
        number(7, 4)
    }

    private mutating func text(_ text: String) {
        bytes += Array(text.utf8)
        while bytes.count % 4 != 0 { bytes.append(0) }
    }

    private mutating func number(_ value: UInt32, _ size: Int) {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        bytes += isBigEndian ? little.reversed() : little
    }
}
