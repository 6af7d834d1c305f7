import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Changes of the display's scale and font settings while a window is open.
    @Suite struct PaintScaleTests {
        private static let text = (0..<40).map { "Line \($0): quick brown fox, שלום, 日本語" }.joined(separator: "\n")

        /// Any client may publish desktop settings, and any user may write the resource database; so extreme
        /// resolutions are limited.
        @Test func noResolutionMakesTheTextTooSmallOrTooLargeToBeRead() throws {
            let scene = try DisplayScene.still { $0.text = "a" }
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            var changes = 0
            scene.display.onSettingsChange = { changes += 1 }
            let size = scene.view.font.size
            func expect(_ scale: Double, _ what: String, _ change: () -> Void) throws {
                let known = changes
                change()
                try scene.pump("the change") { changes > known }
                scene.waitUntilIdle()
                #expect(scene.display.scale == scale, "\(what)")
                #expect(scene.view.font.size == (size * scale).rounded(), "\(what)")
            }
            for (text, scale) in [
                ("1", 0.5), ("1e308", 8), ("nan", 1), ("inf", 8), ("-96", 1), ("0", 1), ("192", 2), ("many", 1),
            ] {
                try expect(scale, text) {
                    DisplayScene.setResources("Xft.dpi: \(text)\n", display: scene.server.display)
                }
            }
            for (value, scale) in [(1, 0.5), (.max, 1), (UInt32(Int32.max), 8), (0, 1), (1 << 31, 1), (96 << 10, 1)] {
                try expect(scale, "\(value)") {
                    var data = SettingsData(count: 1)
                    data.integer("Xft/DPI", value)
                    manager.publish(data.bytes)
                }
            }
        }

        /// The scale changes through `xrdb` or through desktop settings (XSETTINGS).
        @Test(arguments: [(false, [144, 192, 120, 96]), (true, [144, 96])])
        func aNewScaleShowsWhatAWindowOpenedAtItShows(isManaged: Bool, resolutions: [Int]) throws {
            let scene = try DisplayScene.still { $0.text = Self.text }
            let manager = try SettingsManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            let caretPlace = UTF16Offset(5)
            scene.view.select(Selection(caret: caretPlace))
            scene.view.setMarkedText(
                "にほん", selectedRange: UTF16Range(location: 1, length: 1), replacementRange: .notFound)
            scene.view.insertText("typed", replacementRange: .notFound)
            scene.refineAllHeights()
            let original = try scene.picture()
            let store = scene.view.store
            for dpi in resolutions {
                if isManaged {
                    manager.publish(dpi: dpi)
                } else {
                    DisplayScene.setResources("Xft.dpi: \(dpi)\n", display: scene.server.display)
                }
                try scene.pump("the scale") { scene.display.scale == Double(dpi) / 96 }
                scene.waitUntilIdle()
                scene.refineAllHeights()
                let live = try scene.picture()
                let other = try DisplayScene.still(resources: "Xft.dpi: \(dpi)\n") {
                    $0.text = store.text.string(in: store.text.byteRange)
                }
                defer { other.end() }
                other.view.select(scene.view.selection)
                other.refineAllHeights()
                let opened = try other.picture()
                let difference = live.difference(from: opened)
                #expect(
                    difference == nil,
                    "\(dpi) dpi: \(difference ?? ""), shown \(live.kept("live")), expected \(opened.kept("opened"))")
                #expect(scene.view.selection?.head == caretPlace + 5 && store.canUndo)
            }
            #expect(try scene.picture().difference(from: original) == nil, "back where it was")
            scene.view.session.undo()
            #expect(!scene.view.text.contains("typed"))
        }

        @Test func fontAndThemeOfTheProgramGrowWithTheScale() throws {
            let scene = try DisplayScene.still { $0.text = Self.text }
            defer { scene.end() }
            scene.view.font.size = 17
            scene.view.theme.margin = 13
            for scale in [1.5, 2, 1] {
                DisplayScene.setResources("Xft.dpi: \(Int(96 * scale))\n", display: scene.server.display)
                try scene.pump("the scale") { scene.display.scale == scale }
                scene.waitUntilIdle()
                #expect(scene.view.font.size == (17 * scale).rounded(), "at scale \(scale)")
                #expect(scene.view.theme.margin == (13 * scale).rounded(), "at scale \(scale)")
            }
        }

        /// Whether FreeType was built with the LCD filter that Xft needs for subpixel rendering.
        private static let drawsSubpixels: Bool = {
            typealias Initialize = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> CInt
            typealias SetFilter = @convention(c) (OpaquePointer?, CInt) -> CInt
            var library: OpaquePointer?
            guard let initialize = dlsym(nil, "FT_Init_FreeType"), let filter = dlsym(nil, "FT_Library_SetLcdFilter"),
                unsafeBitCast(initialize, to: Initialize.self)(&library) == 0
            else { return false }
            return unsafeBitCast(filter, to: SetFilter.self)(library, 1) == 0
        }()

        @Test func fontSettingsChangeWhatIsDrawn() throws {
            let scene = try DisplayScene.still { $0.text = Self.text }
            defer { scene.end() }
            func colored(_ picture: Screenshot) -> Int {
                picture.pixels.count { pixel in
                    let (red, blue) = (Int(pixel >> 16 & 0xff), Int(pixel & 0xff))
                    return abs(red - blue) > 60
                }
            }
            let grey = try scene.picture()
            DisplayScene.setResources("Xft.rgba: rgb\n", display: scene.server.display)
            try scene.pump("the setting") { scene.display.fontSettings["rgba"] == "rgb" }
            let striped = try scene.picture()
            if Self.drawsSubpixels {
                #expect(colored(striped) > colored(grey) + 500, "\(colored(grey)), then \(colored(striped))")
            } else {
                #expect(colored(striped) == colored(grey), "no filter, so Xft draws in grey")
            }
            #expect(try scene.freshPicture().difference(from: striped) == nil)
        }

        @Test(arguments: [1.25, 1.5, 1.75])
        func caretAndLinesCoverWholePixelsAtFractionalScale(scale: Double) throws {
            let scene = try DisplayScene.still(resources: "Xft.dpi: \(Int(96 * scale))\n") {
                $0.text = "some words\nto look at"
            }
            defer { scene.end() }
            let red = Color(rgb: 0xff0000)
            scene.view.addDecorations(
                [0..<4], attributes: RenderingAttributes(underline: .wavy, underlineColor: red), in: .rendering)
            scene.view.addDecorations(
                [5..<10], attributes: RenderingAttributes(underline: .single, underlineColor: Color(rgb: 0x00ff00)),
                in: .rendering)
            scene.view.select(Selection(caret: 13))
            let picture = try scene.picture()
            // Shapes on whole pixels have one colour, without lighter edges.
            func count(_ color: UInt32) -> Int { picture.pixels.count { $0 == color } }
            let thickness = scene.view.layout.decorationMetrics.thickness
            #expect(count(0xff0000) > 30 && count(0x00ff00) >= Int(thickness) * 40)
            let tinted = picture.pixels.filter { $0 != 0xff0000 && $0 >> 16 > 0xc0 && $0 & 0xffff < 0x4040 }
            #expect(tinted.isEmpty, "no half-covered red")
            // Without focus, the caret is an outline in one shade around the caret's bar.
            let caret = picture.pixels.indices.filter { picture.pixels[$0] == EditorColor.caret }
            let columns = Set(caret.map { $0 % picture.width })
            let width = Int((2 * scale).rounded())
            let line = max(1, width / 2)
            #expect(columns.count == width + 2 * line, "\(columns.sorted())")
            let height = Int(scene.view.caretRect(for: scene.view.range(13..<13).start).height)
            #expect(caret.count == 2 * line * (width + 2 * line) + 2 * line * (height - 2 * line))
        }

        @Test(arguments: [false, true]) func theEditorFollowsTheDesktopsScale(isManaged: Bool) throws {
            let session = try DesktopSession()
            let manager = try SettingsManager(session.server.display)
            defer {
                manager.end()
                session.end()
            }
            let editor = try EditorProcess(in: session, text: "text\n")
            let small = try editor.waitForCaret()
            session.probe.type("ab")
            if isManaged {
                manager.publish(dpi: 192)
            } else {
                DisplayScene.setResources("Xft.dpi: 192\n", display: session.server.display)
            }
            try waitUntil("a caret of twice the height", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                guard let large = editor.caret() else { return false }
                return abs(large.height - 2 * small.height) <= 2 && large.width == 2 * small.width
            }
            session.probe.type("c")
            try editor.save(expecting: "abctext\n")
        }
    }
}
