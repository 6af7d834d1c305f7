import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Optional guides that a view paints beside its text.
@Suite(.timeLimit(.minutes(5))) struct TextGuidesTests {
    @Test func theLineOfTheCaretFollowsItAndIsAsWideAsTheText() throws {
        let scene = ViewScene("one\ntw|o\nthree\n")
        let view = scene.view
        let color = view.theme.caretLine
        #expect(scene.paint().fills(color).isEmpty)
        view.presenter.guides = .caretLine
        let line = view.presenter.lineStep
        func shown() -> [WindowRect] { scene.paint().fills(color) }
        #expect(shown() == [WindowRect(x: 0, y: 6 + line, width: 392, height: line)])
        scene.damage = []
        scene.perform(.moveDown)
        let damage = scene.damage
        #expect(shown() == [WindowRect(x: 0, y: 6 + 2 * line, width: 392, height: line)])
        for y in [6 + line, 6 + 2 * line] {
            #expect(damage.contains(ViewRect(x: 0, y: y, width: 392, height: line)), "\(damage)")
        }
        // Moving within a line repaints no whole line.
        scene.damage = []
        scene.perform(.moveRight)
        #expect(scene.damage.allSatisfy { $0.width < 100 }, "\(scene.damage)")
        scene.perform(.moveLeft)
        scene.perform(.moveRightAndModifySelection)
        #expect(shown().isEmpty, "a selection shows itself")
        view.select(Selection(caret: 0))
        view.presenter.guides = []
        #expect(shown().isEmpty)
    }

    /// When the caret jumps, its line's highlight moves with it, and no trace is left.
    @Test func theLineOfTheCaretIsCleanAfterAJump() {
        let scene = ViewScene()
        let view = scene.view
        view.text = String(repeating: "line\n", count: 300)
        view.presenter.guides = .caretLine
        _ = scene.paint()
        view.scroll(by: 3 * view.presenter.lineStep)
        view.perform(.moveToEndOfDocument)
        _ = scene.paint()
        view.scroll(by: -100_000)
        _ = scene.paint()
        scene.damage = []
        view.select(Selection(caret: 5))
        let line = view.presenter.lineStep
        #expect(scene.damage.contains(ViewRect(x: 0, y: 6 + line, width: 392, height: line)), "\(scene.damage)")
    }

    @Test func whiteSpaceHasSigns() {
        let scene = ViewScene("a b\tc\u{a0}d\n|\u{3000}")
        let view = scene.view
        let color = view.theme.placeholder
        #expect(scene.paint().fills(color).isEmpty)
        view.presenter.guides = .whiteSpace
        let shown = scene.paint().fills(color)
        let column = view.layout.columnWidth
        func signs(in columns: Range<Double>, line: Double) -> [WindowRect] {
            shown.filter {
                $0.minX >= 6 + columns.lowerBound * column && $0.maxX <= 6 + columns.upperBound * column + 1
                    && $0.minY >= 6 + line * view.presenter.lineStep
                    && $0.maxY <= 6 + (line + 1) * view.presenter.lineStep
            }
        }
        #expect(signs(in: 0..<1, line: 0).isEmpty)
        #expect(signs(in: 1..<2, line: 0).count == 1, "a dot")
        #expect(signs(in: 3..<8, line: 0).count == 7, "an arrow")
        #expect(signs(in: 9..<10, line: 0).count == 2, "a dot and a bar")
        #expect(signs(in: 11..<14, line: 0).count == 8, "the end of a paragraph")
        #expect(signs(in: 0..<3, line: 1).count == 4, "a box")
        #expect(shown.count == 22)
        // The symbol at the line's end moves with text typed before it.
        view.select(Selection(caret: 7))
        _ = scene.paint()
        scene.damage = []
        view.insertText("x")
        let ends = WindowRect(x: 6 + 12 * column, y: 6, width: column, height: view.presenter.lineStep)
        #expect(scene.damage.contains { $0.maxX >= ends.maxX && $0.minY <= ends.minY }, "\(scene.damage)")
    }

    @Test func theBracketAtTheCaretIsShownWithItsCounterpart() {
        let scene = ViewScene()
        let view = scene.view
        view.text = "f(a[0]) + 「x」"
        let brackets = MatchingBrackets(for: view)
        func shown(at offset: UTF16Offset) -> [Int] {
            view.select(Selection(caret: offset))
            let layer = view.decorations(in: .brackets)
            return (0..<layer.count).map { layer.range($0).lowerBound.value }
        }
        #expect(shown(at: 0).isEmpty)
        #expect(shown(at: 1) == [1, 6] && shown(at: 2) == [1, 6] && shown(at: 7) == [1, 6])
        #expect(shown(at: 4) == [3, 5] && shown(at: 13) == [10, 12] && shown(at: 8).isEmpty)
        // After an edit, brackets are matched again, and old marks disappear.
        _ = shown(at: 2)
        view.insertText("((")
        #expect(view.decorations(in: .brackets).range(1) == 8..<9, "the inner one has the counterpart now")
        view.insertText("))")
        #expect(shown(at: 3) == [2, 5])
        view.select(Selection(anchor: 1, head: 2))
        #expect(view.decorations(in: .brackets).isEmpty)
        _ = shown(at: 1)
        #expect(view.decorations(in: .brackets).count == 2)
        brackets.end()
        #expect(view.decorations(in: .brackets).isEmpty)
    }
}
