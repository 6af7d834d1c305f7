import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

extension ViewScene {
    fileprivate var bars: ScrollBars { view.presenter.scrollBars }
}

@Suite(.timeLimit(.minutes(5))) struct ScrollBarTests {
    @Test func theThumbDragsTheTextAndAPressBesideItScrollsAPage() throws {
        let scene = ViewScene()
        scene.view.text = String(repeating: "line\n", count: 200)
        let thumb = try #require(scene.bars.thumb(.vertical))
        let x = scene.view.bounds.maxX - 2
        #expect(scene.bars.contains(ViewPoint(x: x, y: 100)))
        scene.view.interaction.settings.warpsScrollBar = false
        scene.bars.press(at: ViewPoint(x: x, y: 190))
        let page = scene.view.viewport.scroll.y
        #expect(try #require(scene.bars.thumb(.vertical)).minY > thumb.minY && page > 150 && page < 200)
        func wait(_ milliseconds: Int64) -> Double {
            scene.time += milliseconds
            scene.view.handleDeadline()
            return scene.view.viewport.scroll.y
        }
        #expect(wait(499) == page && wait(1) == 2 * page && wait(49) == 2 * page && wait(1) == 3 * page)
        for _ in 0..<100 { _ = wait(50) }
        let under = try #require(scene.bars.thumb(.vertical))
        #expect((under.minY..<under.maxY).contains(190) && !scene.bars.isPressed, "it stops at the pointer")
        scene.bars.press(at: ViewPoint(x: x, y: 2))
        #expect(scene.bars.release())
        let rest = scene.view.viewport.scroll.y
        #expect(wait(1000) == rest, "and with the button")
        scene.view.perform(.scrollToBeginningOfDocument)
        scene.bars.press(at: ViewPoint(x: x, y: thumb.minY + 3))
        scene.bars.drag(to: ViewPoint(x: x, y: 500))
        let end = try #require(scene.bars.thumb(.vertical))
        #expect(end.maxY == scene.view.bounds.maxY)
        #expect(scene.bars.release())
        #expect(scene.state.head == 0)
    }

    @Test func aPressBesideTheThumbBringsItThere() throws {
        let scene = ViewScene()
        scene.view.text = String(repeating: "line\n", count: 200)
        let x = scene.view.bounds.maxX - 2
        for (y, warps) in [(150.0, false), (60, true)] {
            scene.view.interaction.settings.warpsScrollBar = !warps
            scene.bars.press(at: ViewPoint(x: x, y: y), warps: warps)
            let thumb = try #require(scene.bars.thumb(.vertical))
            #expect(abs(thumb.minY + thumb.height / 2 - y) <= 1 && scene.bars.isHeld)
            let share = thumb.minY / (scene.view.bounds.height - thumb.height)
            let layout = scene.view.layout
            let there = scene.view.viewport.maximumScroll(in: layout) * share
            #expect(abs(scene.view.viewport.scroll.y - there) <= scene.view.viewport.maximumScroll(in: layout) / 170)
            scene.bars.drag(to: ViewPoint(x: x, y: y + 10))
            #expect(try #require(scene.bars.thumb(.vertical)).minY == thumb.minY + 10)
            scene.bars.release()
        }
    }

    @Test func theThumbIsDarkerUnderThePointerAndWhileItIsHeld() throws {
        let scene = ViewScene()
        scene.view.text = String(repeating: "line\n", count: 40)
        _ = scene.paint()
        let theme = scene.view.theme
        let thumb = try #require(scene.bars.thumb(.vertical))
        let inside = ViewPoint(x: thumb.minX + 2, y: thumb.minY + 3)
        func isActive() -> Bool {
            let canvas = scene.paint()
            return canvas.fills(theme.activeScrollThumb).count == 1 && canvas.fills(theme.scrollThumb).isEmpty
        }
        #expect(!isActive())
        for point in [inside, nil] {
            scene.damage = []
            scene.bars.point(at: point)
            #expect(isActive() == (point != nil) && scene.damage == [thumb])
        }
        scene.bars.press(at: inside)
        scene.bars.point(at: nil)
        #expect(isActive(), "held, wherever the pointer is")
        // Heights that become exact do not move a held thumb.
        let held = scene.bars.thumb(.vertical)
        scene.view.store.replace(UTF16Offset(50)..<UTF16Offset(150), with: "")
        #expect(scene.bars.thumb(.vertical) == held)
        scene.bars.release()
        #expect(!isActive() && scene.bars.thumb(.vertical) != held)
        scene.bars.point(at: ViewPoint(x: 10, y: 3))
        #expect(!isActive())
    }

    @Test func aBarAtTheLowerEdgeScrollsUnwrappedLinesSideways() throws {
        let scene = ViewScene()
        let view = scene.view
        view.text = String(repeating: "word ", count: 200) + "\nshort\n"
        #expect(scene.bars.thumb(.horizontal) == nil, "lines wrap")
        view.wrapsLines = false
        _ = scene.paint()
        let thumb = try #require(scene.bars.thumb(.horizontal))
        #expect(thumb.minX == 0 && thumb.maxY == view.bounds.maxY && thumb.width < view.bounds.width / 4)
        #expect(scene.bars.thumb(.vertical) == nil && view.viewport.textArea.maxY == thumb.minY)
        let inside = ViewPoint(x: 5, y: thumb.minY + 2)
        #expect(scene.bars.contains(inside) && !scene.bars.contains(ViewPoint(x: 5, y: thumb.minY - 1)))
        scene.bars.press(at: inside)
        scene.bars.drag(to: ViewPoint(x: 2000, y: 0))
        let end = try #require(scene.bars.thumb(.horizontal))
        #expect(end.maxX == view.viewport.textArea.maxX && view.viewport.scroll.y == 0)
        #expect(view.viewport.scroll.x == view.viewport.maximumScrollX(in: view.layout))
        #expect(scene.bars.release())
        view.interaction.settings.warpsScrollBar = false
        scene.bars.press(at: inside)
        #expect(scene.bars.release() && view.viewport.scroll.x > 0)
        #expect(try #require(scene.bars.thumb(.horizontal)).minX < end.minX, "a page")
        scene.damage = []
        view.scroll(by: 0, dx: -100_000)
        #expect(try #require(scene.bars.thumb(.horizontal)).minX == 0)
        let canvas = scene.paint()
        #expect(canvas.fills(view.theme.scrollThumb).count == 1)
        view.wrapsLines = true
        #expect(scene.bars.thumb(.horizontal) == nil && view.viewport.textArea.maxY == view.bounds.maxY)
    }

    @Test func withoutMoreTextThanFitsThereIsNoScrollBar() {
        let scene = ViewScene("short|")
        #expect(scene.bars.thumb(.vertical) == nil)
        #expect(!scene.bars.contains(ViewPoint(x: scene.view.bounds.maxX - 2, y: 10)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct ScrollingTests {
    @Test func textThatGetsShorterAtTheBottomIsPaintedAnew() {
        let scene = ViewScene()
        scene.view.text = (1...40).map(String.init).joined(separator: "\n")
        scene.view.perform(.moveToEndOfDocument)
        scene.damage = []
        scene.view.store.replace(
            Range<UTF16Offset>(uncheckedBounds: (scene.view.textRange.upperBound - 8, scene.view.textRange.upperBound)),
            with: "")
        #expect(scene.damage.contains(scene.view.bounds))
    }

    @Test func anEditAboveLeavesWhatIsSeenWhereItIs() {
        let scene = ViewScene()
        scene.view.text = (1...100).map(String.init).joined(separator: "\n")
        scene.view.select(Selection(caret: 150))
        let before = scene.view.caretRect(for: scene.view.selectedTextRange!.start)
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 0)), with: "new\nlines\nabove\n")
        #expect(scene.view.caretRect(for: scene.view.selectedTextRange!.start) == before)
    }
}
