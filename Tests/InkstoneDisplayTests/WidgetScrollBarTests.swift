import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The scroll bar under an XTEST pointer, which the server treats as real input.
    @Suite struct WidgetScrollBarTests {
        /// A view of many lines without a blinking caret, and a pointer.
        private final class Scene {
            let scene: DisplayScene
            var view: TextView { scene.view }

            init() throws {
                scene = try DisplayScene()
                try scene.makeWindow([(0..<200).map { "line \($0)" }.joined(separator: "\n")])
                scene.refineAllHeights()
                var steady = CaretSettings()
                steady.blinks = false
                view.presenter.caretSettings = steady
                view.select(Selection(caret: 2))
                scene.waitUntilIdle()
            }

            var thumb: ViewRect {
                get throws { try #require(view.presenter.scrollBars.thumb(.vertical)) }
            }

            /// Moves the pointer to the middle of the bar, or some distance beside it.
            func point(y: Double, beside: Double = 0) throws {
                let origin = scene.window.window.rootOrigin
                scene.probe.movePointer(
                    x: Int(origin.x + (try thumb.minX) + 4 + beside), y: Int((origin.y + y).rounded()))
                scene.waitUntilIdle()
            }

            func button(down: Bool, _ number: UInt8 = 1) {
                scene.probe.button(number, down: down)
                scene.waitUntilIdle()
            }

            /// Returns the colour of the thumb's centre.
            func color() throws -> UInt32 {
                let thumb = try thumb
                return try scene.picture()[Int(thumb.minX) + 4, Int(thumb.minY + thumb.height / 2)]
            }

            /// Expects that nothing is held, no timer runs, and the caret has not moved.
            func expectRest(_ comment: Comment) {
                scene.waitUntilIdle()
                #expect(
                    !view.presenter.scrollBars.isPressed && !view.interaction.isActive && view.nextDeadline == nil,
                    comment)
                #expect(view.selected == 2..<2, comment)
            }
        }

        private static func value(_ color: Color) -> UInt32 {
            UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
        }

        @Test func theThumbIsDarkerUnderThePointerAndFollowsADrag() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            let (usual, active) = (
                Self.value(scene.view.theme.scrollThumb), Self.value(scene.view.theme.activeScrollThumb)
            )
            let start = try scene.thumb
            try scene.point(y: 120, beside: -60)
            #expect(try scene.color() == usual)
            try scene.point(y: start.minY + start.height / 2)
            #expect(try scene.color() == active, "under the pointer")
            try scene.point(y: 120, beside: -60)
            #expect(try scene.color() == usual, "and not when it has gone")
            try scene.point(y: start.minY + start.height / 2)
            scene.button(down: true)
            try scene.point(y: start.minY + start.height / 2 + 50, beside: -100)
            #expect(try scene.thumb.minY == start.minY + 50, "by as much as the pointer, wherever that is sideways")
            #expect(scene.view.scrolled > 300)
            #expect(try scene.color() == active, "while it is held")
            try scene.point(y: 900)
            #expect(try scene.thumb.maxY == scene.view.bounds.maxY)
            let last = scene.view.caretRect(for: scene.view.endOfDocument)
            #expect(last.maxY <= scene.view.bounds.maxY && last.minY > 0, "the last line is seen")
            try scene.point(y: -200)
            #expect(try scene.thumb == start && scene.view.scrolled <= 0)
            try scene.point(y: 120, beside: -60)
            scene.button(down: false)
            #expect(try scene.color() == usual, "when it is let go beside the bar")
            scene.expectRest("released")
        }

        @Test func aPressBesideTheThumbGoesThereOrScrollsByPages() throws {
            let scene = try Scene()
            defer { scene.scene.end() }
            let (view, height) = (scene.view, scene.view.bounds.height)
            // The desktop's setting: the thumb jumps to the pointer, and is held.
            try scene.point(y: height / 2)
            scene.button(down: true)
            #expect(abs(try scene.thumb.minY + scene.thumb.height / 2 - height / 2) <= 1)
            try scene.point(y: height / 2 + 10)
            #expect(abs(try scene.thumb.minY + scene.thumb.height / 2 - height / 2 - 10) <= 1)
            scene.button(down: false)
            scene.expectRest("gone there")
            view.interaction.settings.warpsScrollBar = false
            // Expects that the press has scrolled one page towards the pointer at once.
            func expectPage(_ before: Double, _ comment: Comment) {
                let way = abs(view.scrolled - before)
                #expect(way > height / 2 && way < height, comment)
            }
            var before = view.scrolled
            try scene.point(y: height - 3)
            scene.button(down: true)
            expectPage(before, "down")
            scene.button(down: false)
            scene.expectRest("a page down")
            before = view.scrolled
            try scene.point(y: 3)
            scene.button(down: true)
            expectPage(before, "up")
            scene.button(down: false)
            scene.expectRest("a page up")
            // A held press continues to scroll until the thumb is under the pointer.
            try scene.point(y: height - 3)
            scene.button(down: true)
            try scene.scene.pump("the thumb under the pointer", within: 20_000) {
                !view.presenter.scrollBars.isPressed
                    && view.presenter.scrollBars.thumb(.vertical).map { $0.maxY > height - 3 } ?? false
            }
            scene.button(down: false)
            scene.expectRest("held")
            // The middle button moves the thumb to the pointer, whatever the setting is, and pastes nothing.
            scene.scene.probe.ownPrimary("pasted")
            try scene.point(y: height / 2)
            scene.button(down: true, 2)
            #expect(abs(try scene.thumb.minY + scene.thumb.height / 2 - height / 2) <= 1)
            scene.button(down: false, 2)
            scene.expectRest("by the middle button")
            #expect(view.text.hasPrefix("line 0\n") && !view.text.contains("pasted"))
        }
    }
}
