import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Lines that do not wrap: what is scrolled out of sight to a side.
@Suite(.timeLimit(.minutes(5))) struct SidewaysTests {
    // MARK: Carets out of sight

    /// A view of long lines that do not wrap, with a margin or without.
    private func unwrapped(_ notation: CaretNotation, margin: Double) -> ViewScene {
        var theme = Theme()
        theme.margin = margin
        let scene = ViewScene(theme: theme, frame: WindowRect(x: 0, y: 0, width: 400, height: 200))
        scene.view.wrapsLines = false
        scene.view.set(notation)
        _ = scene.paint()
        return scene
    }

    private func carets(_ scene: ViewScene) -> [WindowRect] { scene.paint().fills(scene.view.theme.caret) }

    @Test(arguments: [0.0, 1, 6]) func aCaretBeyondASideIsNotPainted(_ margin: Double) {
        let scene = unwrapped(CaretNotation("|" + String(repeating: "wide ", count: 200)), margin: margin)
        let shown = carets(scene)
        #expect(
            shown.count == 1 && shown[0].minX == max(0, margin - 1) && shown[0].width == scene.view.theme.caretWidth)
        scene.view.scroll(by: 0, dx: 300)
        #expect(carets(scene).isEmpty, "scrolled out to the left")
        scene.view.setFocused(false)
        #expect(carets(scene).isEmpty, "nor as a frame")
        scene.view.setFocused(true)
        // What the input method is told stays where the text is.
        #expect(scene.view.caretRect(for: scene.view.beginningOfDocument).minX == margin - 300)
        let first = TextRange(start: scene.view.beginningOfDocument, end: scene.view.beginningOfDocument)
        #expect(scene.view.firstRect(for: first).minX == margin - 300)
        scene.view.scroll(by: 0, dx: -300)
        #expect(carets(scene) == shown, "scrolled back")
        scene.perform(.moveToEndOfDocument)
        #expect(carets(scene).count == 1)
        scene.view.scroll(by: 0, dx: -1000)
        #expect(carets(scene).isEmpty, "scrolled out to the right")
    }

    @Test func noneOfSeveralCaretsIsPaintedBeyondASide() {
        let line = String(repeating: "wide ", count: 40)
        let scene = unwrapped(CaretNotation("|"), margin: 6)
        scene.view.text = (0..<5).map { _ in line }.joined(separator: "\n")
        let starts = (0..<5).map { SelectionRange(CaretPlace(UTF16Offset($0 * (line.utf16.count + 1)))) }
        scene.view.select(Selection(starts + [SelectionRange(CaretPlace(45))]))
        let count = carets(scene).count
        scene.view.scroll(by: 0, dx: 300)
        #expect(count >= 5 && carets(scene).count == 1, "only the one in the middle of a line")
    }

    @Test func theCaretOfACompositionIsNotPaintedBeyondASide() {
        let scene = unwrapped(CaretNotation("|" + String(repeating: "wide ", count: 200)), margin: 6)
        scene.view.setMarkedText("にほん", selectedRange: UTF16Range(location: 1, length: 0), replacementRange: .notFound)
        #expect(carets(scene).count == 1)
        scene.view.scroll(by: 0, dx: 300)
        #expect(carets(scene).isEmpty)
    }
}
