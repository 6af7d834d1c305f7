import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The pointer's shape, read from the server.
    @Suite struct PointerShapeTests {
        private static func describe(_ scene: DisplayScene) -> String { "\(scene.probe.pointerPicture as Any)" }

        /// Covers INT 64 of the checklist for interaction.
        @Test func pointerIsABarOverTextAnArrowElsewhereAndHiddenByTyping() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow([String(repeating: "some words\n", count: 200)])
            let origin = scene.window.window.rootOrigin
            let bounds = scene.view.bounds
            func point(_ x: Double, _ y: Double) { scene.probe.movePointer(x: Int(origin.x + x), y: Int(origin.y + y)) }
            func expect(_ what: String, _ condition: (PointerPicture) -> Bool) throws {
                try scene.pump(what, instead: { Self.describe(scene) }) {
                    scene.probe.pointerPicture.map(condition) ?? false
                }
            }
            point(60, 60)
            try expect("the bar") { $0.isUpright }
            point(bounds.maxX - 3, 60)
            try expect("the arrow") { $0.isArrow }
            point(60, 80)
            try expect("the bar again") { $0.isUpright }
            // A modifier alone does not count as typing.
            scene.probe.strike(.leftShift)
            scene.waitUntilIdle()
            try expect("the bar while Shift is down") { $0.isUpright }
            scene.type("a")
            try expect("nothing") { !$0.isSeen }
            scene.type("b")
            scene.waitUntilIdle()
            try expect("nothing still") { !$0.isSeen }
            point(61, 80)
            try expect("the bar after a motion") { $0.isUpright }
            scene.type("c")
            try expect("nothing once more") { !$0.isSeen }
            // Outside of the view, the pointer is never hidden.
            scene.probe.movePointer(x: 900, y: 900)
            try expect("the desktop's") { $0.isSeen && !$0.isUpright }
            // A drag that began in the text keeps the bar shape everywhere.
            point(60, 80)
            try expect("the bar over text") { $0.isUpright }
            scene.probe.button(1, down: true)
            point(bounds.maxX - 3, 60)
            scene.waitUntilIdle()
            try expect("the bar over the scroll bar, in a drag") { $0.isUpright }
            scene.probe.button(1, down: false)
        }

        /// Writes a cursor theme of the user's own: squares of one colour in two sizes, so that installed themes do
        /// not matter.
        private static func makeTheme(in home: String) throws {
            for directory in ["", "/Squares", "/Squares/cursors"] { mkdir("\(home)/.icons\(directory)", 0o755) }
            for (name, color) in [("xterm", UInt32(0xffc0_2020)), ("left_ptr", 0xff20_20c0)] {
                try TextFiles.write(cursorFile(sizes: [24, 48], color), to: "\(home)/.icons/Squares/cursors/\(name)")
            }
        }

        /// Returns an Xcursor(3) file of square pictures with the hot spot at the centre.
        private static func cursorFile(sizes: [UInt32], _ color: UInt32) -> [UInt8] {
            let picture: UInt32 = 0xfffd_0002
            var words: [UInt32] = [0x7275_6358, 16, 0x10000, UInt32(sizes.count)]
            var position = 16 + 12 * UInt32(sizes.count)
            for size in sizes {
                words += [picture, size, position]
                position += 36 + 4 * size * size
            }
            for size in sizes {
                words += [36, picture, size, 1, size, size, size / 2, size / 2, 0]
                words += Array(repeating: color, count: Int(size * size))
            }
            return words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        }

        /// INT 60, INT 64: the shape changes without a motion of the pointer, and changes back.
        @Test func shownPointerFollowsTheThemesSize() throws {
            let session = try DesktopSession()
            defer { session.end() }
            try Self.makeTheme(in: session.home)
            let manager = try SettingsManager(session.server.display)
            defer { manager.end() }
            func publish(size: UInt32) {
                var data = SettingsData(count: 2)
                data.string("Gtk/CursorThemeName", "Squares")
                data.integer("Gtk/CursorThemeSize", size)
                manager.publish(data.bytes)
            }
            publish(size: 24)
            let editor = try EditorProcess(in: session, text: "some words\n")
            session.probe.movePointer(x: editor.window.x + 100, y: editor.window.y + 100)
            for size in [24, 48, 24] {
                publish(size: UInt32(size))
                try waitUntil(
                    "a bar of \(size) pixels", watching: [session.probe.descriptor],
                    instead: {
                        session.probe.pointerPicture.map {
                            "\($0.width) × \($0.height), \(String($0.pixels.first ?? 0, radix: 16))"
                        } ?? "none"
                    }
                ) {
                    session.probe.drainEvents()
                    guard let picture = session.probe.pointerPicture else { return false }
                    return picture.width == size && picture.height == size && picture.hotX == size / 2
                        && picture.pixels.allSatisfy { $0 == 0xffc0_2020 }
                }
            }
            // The new size was applied once; windows that appear later use it too.
            session.probe.control("f")
            session.probe.strike(.escape)
            try waitUntil("nothing, by a key", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                return session.probe.pointerPicture?.isSeen == false
            }
            publish(size: 48)
            session.probe.movePointer(x: editor.window.x + 110, y: editor.window.y + 100)
            try waitUntil("the larger one, by a motion", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                return session.probe.pointerPicture?.width == 48
            }
        }
    }
}
