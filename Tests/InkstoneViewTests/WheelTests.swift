import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import InkstoneView
import Testing

/// The distances that wheels and touchpads scroll a view.
@Suite(.timeLimit(.minutes(5))) struct WheelTests {
    private static let lines = CaretNotation("|" + (0..<200).map { "line \($0)\n" }.joined())

    private func scrolled(_ scene: ViewScene) -> Double {
        -scene.view.caretRect(for: scene.view.beginningOfDocument).minY
    }

    @Test func partsOfAClickAddUp() {
        for parts in [1, 3, 8, 7, 50] {
            let scene = ViewScene(Self.lines)
            let start = scrolled(scene)
            for _ in 0..<4 * parts { scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 1 / Double(parts))) }
            let distance = scrolled(scene) - start
            #expect(abs(distance - 12 * scene.view.presenter.lineStep) <= 1, "\(parts): \(distance)")
        }
    }

    @Test func scrollRemainderIsDroppedOnReversal() {
        let scene = ViewScene(Self.lines)
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 10))
        let start = scrolled(scene)
        let line = 3 * scene.view.presenter.lineStep
        // Almost a pixel down, then a pixel up: the result is one pixel up.
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 0.9 / line))
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: -1.01 / line))
        #expect(scrolled(scene) == start - 1)
    }

    @Test func sidewaysAWheelScrollsToTheSides() {
        let scene = ViewScene(CaretNotation("|" + String(repeating: "wide ", count: 400)))
        scene.view.wrapsLines = false
        _ = scene.paint()
        let left = scene.view.caretRect(for: scene.view.beginningOfDocument).minX
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 1), sideways: true)
        let moved = scene.view.caretRect(for: scene.view.beginningOfDocument)
        #expect(left - moved.minX == (3 * scene.view.presenter.lineStep).rounded(.down) && moved.minY >= 0)
    }
}
