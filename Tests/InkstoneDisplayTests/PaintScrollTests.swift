import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// Scrolling copies the window's pixels; parts that were covered cannot be copied, and are painted.
    @Suite struct PaintScrollTests {
        private func scene() throws -> DisplayScene {
            try DisplayScene.still {
                $0.text = (0..<80).map { "Line \($0) of a text that is scrolled" }.joined(separator: "\n")
            }
        }

        /// Creates a window of another client over a part of the text.
        private func cover(_ scene: DisplayScene) throws -> (display: InkstoneX11.Display, window: InkstoneX11.Window) {
            let other = try InkstoneX11.Display(name: scene.server.display)
            let window = try InkstoneX11.Window(
                popup: other, owner: scene.window.window.id, frame: RootRect(x: 40, y: 60, width: 150, height: 70))
            window.show()
            other.processEvents()
            XSync(other.connection, 0)
            scene.waitUntilIdle()
            return (other, window)
        }

        private func uncover(_ scene: DisplayScene, _ cover: (display: InkstoneX11.Display, window: InkstoneX11.Window))
        {
            cover.window.close()
            cover.display.processEvents()
            XSync(cover.display.connection, 0)
            cover.display.close()
            scene.waitUntilIdle()
        }

        private func expectWhole(_ scene: DisplayScene, _ what: String) throws {
            let picture = try scene.picture()
            let fresh = try scene.freshPicture()
            if let difference = picture.difference(from: fresh) {
                Issue.record("\(what): \(difference); \(picture.kept("shown")), \(fresh.kept("expected"))")
            }
        }

        /// Waits until the pixmap equals the window.
        private func rest(_ scene: DisplayScene) throws {
            try scene.pump("the pixmap to follow") { scene.window.window.surface.moved.isEmpty }
            scene.waitUntilIdle()
        }

        @Test func aPartCoveredDuringScrollingIsPaintedWhenItIsUncovered() throws {
            let scene = try scene()
            defer { scene.end() }
            let window = try cover(scene)
            scene.view.scroll(by: 50)
            scene.waitUntilIdle()
            uncover(scene, window)
            try expectWhole(scene, "uncovered at once")
            let second = try cover(scene)
            scene.view.scroll(by: 35)
            scene.waitUntilIdle()
            try rest(scene)
            uncover(scene, second)
            try expectWhole(scene, "uncovered later")
        }

        @Test func uncopiedPixelsAreNotCopiedAgain() throws {
            let scene = try scene()
            defer { scene.end() }
            let window = try cover(scene)
            // The server reports the uncopied parts of the first scroll only after the next scrolls were requested.
            for _ in 0..<3 { scene.view.scroll(by: 17) }
            scene.waitUntilIdle()
            uncover(scene, window)
            try expectWhole(scene, "downwards")
            let second = try cover(scene)
            for _ in 0..<3 { scene.view.scroll(by: -14) }
            scene.waitUntilIdle()
            try rest(scene)
            uncover(scene, second)
            try expectWhole(scene, "upwards")
        }

        @Test func aScrolledPartIsPaintedAfterItWasCovered() throws {
            let scene = try scene()
            defer { scene.end() }
            scene.view.scroll(by: 50)
            scene.waitUntilIdle()
            uncover(scene, try cover(scene))
            try expectWhole(scene, "before the pixmap has followed")
            scene.view.scroll(by: 20)
            scene.view.scroll(by: -45)
            scene.waitUntilIdle()
            try rest(scene)
            uncover(scene, try cover(scene))
            try expectWhole(scene, "after the pixmap has followed")
        }
    }
}
