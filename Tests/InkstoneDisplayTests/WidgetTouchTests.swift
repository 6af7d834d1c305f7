import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Touches in a window, sent as events of its display; `PlayedTouchTests` uses simulated devices.
    @Suite struct WidgetTouchTests {
        /// A simulated finger on a view.
        private final class Finger {
            let scene: DisplayScene
            let view: TextView
            var time: UInt32 = 1000

            init(_ scene: DisplayScene) {
                self.scene = scene
                view = scene.view
            }

            func send(_ phase: TouchEvent.Phase, _ point: ViewPoint, id: UInt32 = 1) {
                time += 20
                let window = scene.window
                window.window(
                    window.window,
                    didReceiveTouch: TouchEvent(
                        phase, id: id, isPointer: id == 1, location: point.converted(from: view.frame.origin),
                        timestamp: time))
            }

            func tap(_ point: ViewPoint) {
                send(.began, point)
                send(.ended, point)
            }

            func point(_ offset: Int) -> ViewPoint {
                let caret = view.caretRect(for: view.range(offset..<offset).start)
                return ViewPoint(x: caret.minX + 2, y: caret.minY + caret.height / 2)
            }
        }

        private func popups(_ scene: DisplayScene) -> [WindowInfo] {
            scene.probe.windows().filter { $0.isViewable && $0.overrideRedirect && $0.width > 8 }
        }

        /// Returns the rows of a picture that contain the caret's colour, with the columns.
        private static func rows(_ picture: Screenshot) -> [Int: [Int]] {
            var result: [Int: [Int]] = [:]
            for row in 0..<picture.height {
                let columns = (0..<picture.width).filter { picture[$0, row] == EditorColor.caret }
                if !columns.isEmpty { result[row] = columns }
            }
            return result
        }

        @Test(arguments: [1, 2]) func handlesStandBelowTheEndsAndLeaveNothingBehind(scale: Int) throws {
            let scene = try DisplayScene.still(
                width: 360 * Double(scale), height: 160 * Double(scale), resources: "Xft.dpi: \(96 * scale)\n"
            ) { $0.text = (0..<40).map { "some words of line \($0)" }.joined(separator: "\n") }
            defer { scene.end() }
            let finger = Finger(scene)
            let view = scene.view
            scene.refineAllHeights()
            view.select(nil)
            let width = Int(view.theme.caretWidth)
            let radius = max(5, 7 * scale)
            let empty = try scene.picture()
            finger.tap(finger.point(5))
            // The handle of a caret is centred below it.
            let caret = view.caretRect(for: view.range(5..<5).start)
            let drop = Self.rows(try scene.picture()).filter { $0.key >= Int(caret.maxY) }
            let widest = try #require(drop.values.max { $0.count < $1.count })
            #expect(widest.count == 2 * radius && widest.first == Int(caret.minX.rounded()) - radius)
            #expect(drop[Int(caret.maxY)]?.count == 2, "a tip")
            finger.tap(finger.point(5))
            #expect(view.selected == 5..<10)
            let (start, end) = (
                view.caretRect(for: view.range(5..<5).start), view.caretRect(for: view.range(10..<10).start)
            )
            let shown = try scene.picture()
            let rows = Self.rows(shown)
            let (left, right) = (Int(start.minX.rounded()), Int(end.minX.rounded()))
            let stems = Array(left - width..<left) + Array(right..<right + width)
            #expect(rows[Int(start.minY) + 3] == stems, "a stem on either side of the word")
            let knobs = try #require(rows[Int(start.maxY) + radius])
            #expect(knobs == Array(left - 2 * radius..<left) + Array(right..<right + 2 * radius))
            #expect(rows.keys.max() == Int(start.maxY) + 2 * radius - 1)
            // Keep the picture if the environment asks for pictures.
            if getenv("INKSTONE_PICTURES") != nil { _ = shown.kept("handles-\(scale)") }
            // Handles scroll with the text, and disappear with the selection.
            view.scroll(by: 7)
            #expect(try scene.picture().difference(from: try scene.freshPicture()) == nil)
            view.scroll(by: 60 * Double(scale))
            #expect(Self.rows(try scene.picture()).isEmpty)
            view.scroll(by: -67 * Double(scale))
            #expect(try scene.picture().difference(from: try scene.freshPicture()) == nil)
            view.interaction.keyWasPressed()
            view.select(nil)
            #expect(try scene.picture().difference(from: empty) == nil)
        }

        @Test func aLoupeIsShownWhileAHandleIsHeldAndBesideTheFinger() throws {
            let scene = try DisplayScene.still { $0.text = "some words of a line\nand another" }
            defer { scene.end() }
            let finger = Finger(scene)
            let view = scene.view
            finger.tap(finger.point(5))
            finger.tap(finger.point(5))
            for end in ["lifted", "another finger", "cancelled", "hidden"] {
                let handle = try #require(view.interaction.handles.last)
                let knob = ViewPoint(x: handle.edge.minX + 7, y: handle.edge.maxY + 7)
                finger.send(.began, knob)
                #expect(!view.isLoupeShown, "a tap shows none")
                finger.send(.moved, ViewPoint(x: knob.x + 16, y: knob.y))
                scene.waitUntilIdle()
                #expect(view.isLoupeShown && view.isDragging, "\(end)")
                let loupe = try #require(popups(scene).first, "\(end)")
                let origin = scene.window.window.rootOrigin
                let (x, y) = (Int(origin.x + knob.x) + 16, Int(origin.y + knob.y))
                #expect(!(loupe.x..<loupe.right).contains(x) || !(loupe.y..<loupe.bottom).contains(y))
                #expect(y - loupe.bottom >= 45 || loupe.y - y >= 45, "12 mm from the finger: \(loupe.rect), \(y)")
                switch end {
                case "lifted": finger.send(.ended, knob)
                case "another finger":
                    finger.send(.began, ViewPoint(x: 20, y: 60), id: 2)
                    #expect(!view.isLoupeShown)
                    finger.send(.ended, ViewPoint(x: 20, y: 60), id: 2)
                    finger.send(.ended, knob)
                case "cancelled": finger.send(.cancelled, knob)
                default: scene.window.window.hide()
                }
                scene.waitUntilIdle()
                #expect(!view.isLoupeShown, "\(end)")
                #expect(popups(scene).isEmpty, "\(end)")
            }
        }

        @Test func anotherPartOfTheWindowTakesAFingerForThePointer() throws {
            final class Strip: WindowContent {
                var kinds: [PointerEvent.Kind] = []
                let frame = WindowRect(x: 0, y: 100, width: 360, height: 40)
                func paint(on canvas: any Canvas, damage: WindowRect) {}
                func handlePointer(_ event: PointerEvent) { kinds.append(event.kind) }
            }
            let scene = try DisplayScene.still { $0.text = "some words" }
            defer { scene.end() }
            let strip = Strip()
            scene.window.add(strip)
            let finger = Finger(scene)
            finger.send(.began, ViewPoint(x: 20, y: 110))
            finger.send(.began, ViewPoint(x: 30, y: 110), id: 2)
            finger.send(.moved, ViewPoint(x: 20, y: 10))
            finger.send(.ended, ViewPoint(x: 20, y: 10))
            finger.send(.ended, ViewPoint(x: 30, y: 110), id: 2)
            #expect(strip.kinds == [.press(.primary), .motion, .release(.primary)])
            // A touch on the scroll bar is handled as a pointer event too.
            scene.view.text = (0..<100).map { "line \($0)" }.joined(separator: "\n")
            scene.refineAllHeights()
            let thumb = try #require(scene.view.presenter.scrollBars.thumb(.vertical))
            finger.send(.began, ViewPoint(x: thumb.minX + 2, y: thumb.minY + 2))
            finger.send(.moved, ViewPoint(x: thumb.minX + 2, y: thumb.minY + 52))
            #expect(scene.view.scrolled > 100)
            finger.send(.ended, ViewPoint(x: thumb.minX + 2, y: thumb.minY + 52))
            #expect(!scene.view.presenter.scrollBars.isHeld && !scene.view.interaction.isActive)
        }
    }
}
