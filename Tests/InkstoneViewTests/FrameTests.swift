import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// When a view gets another frame, the first visible line stays, and the caret stays visible if it was.
@Suite(.timeLimit(.minutes(5))) struct FrameTests {
    private let scene: ViewScene
    private let line: Double
    private let margin: Double
    private var view: EditorView { scene.view }

    /// Creates two hundred lines that wrap below 400 pixels, of which ten are visible, from the fiftieth on.
    init() {
        let text = (0..<200).map { "line \($0) with some words behind it" }.joined(separator: "\n")
        scene = ViewScene(store: TextStore(Rope(text)))
        line = scene.view.presenter.lineStep
        margin = scene.view.theme.margin
        view.setFrame(frame(lines: 10))
        view.presenter.refineHeights { false }
        view.scroll(by: 50 * line)
        #expect(view.viewport.scroll.y == 50 * line)
    }

    private func frame(lines: Int, width: Double = 400) -> WindowRect {
        WindowRect(x: 0, y: 0, width: width, height: Double(lines) * line + 2 * margin)
    }

    private func putCaret(inLine index: Int) {
        let start = view.store.text.utf16ContentRange(of: ParagraphIndex(index)).lowerBound
        view.select(Selection(caret: start), scrolling: false)
    }

    @Test(arguments: [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300, 1e19] as [Double])
    func aFrameOfNobodysScreenIsClamped(_ length: Double) {
        view.setFrame(WindowRect(x: length, y: length, width: length, height: length))
        #expect(view.frame.minX.isFinite && view.frame.width >= 1 && view.frame.maxY.isFinite)
        #expect(view.geometry.linesPerPage >= 1)
        #expect(view.geometry.moveVertically(CaretPlace(3), lines: .min).offset == 0)
        #expect(view.geometry.moveVertically(CaretPlace(3), lines: .max).offset == view.layout.length)
        view.setFrame(frame(lines: 10))
        #expect(view.layout.container.width > 0)
    }

    @Test func theCaretsLineIsNotCovered() {
        putCaret(inLine: 58)
        view.setFrame(frame(lines: 7))
        #expect(view.viewport.scroll.y == 52 * line, "as little as needed")
        view.setFrame(frame(lines: 10))
        #expect(view.viewport.scroll.y == 52 * line, "and not back")
    }

    @Test func theFirstLineStaysIfTheCaretsIsNotCovered() {
        putCaret(inLine: 53)
        view.setFrame(frame(lines: 7))
        #expect(view.viewport.scroll.y == 50 * line)
    }

    @Test(arguments: [10, 70]) func aFrameChangeDoesNotScrollToAnInvisibleCaret(_ index: Int) {
        putCaret(inLine: index)
        view.setFrame(frame(lines: 7))
        #expect(view.viewport.scroll.y == 50 * line)
    }

    @Test func theCaretStaysInSightWhereLinesAreWrappedOtherwise() {
        putCaret(inLine: 58)
        view.setFrame(frame(lines: 10, width: 150))
        let caret = view.caretRect(for: view.position(view.primary.range.lowerBound))
        #expect(caret.maxY <= view.frame.height - margin && caret.minY >= margin, "\(caret)")
    }

    @Test func aViewWithoutRoomStaysWhereItIs() {
        putCaret(inLine: 58)
        view.setFrame(WindowRect(x: -16, y: -16, width: 400, height: 1))
        view.setFrame(frame(lines: 10))
        #expect(view.viewport.scroll.y == 50 * line)
    }
}
