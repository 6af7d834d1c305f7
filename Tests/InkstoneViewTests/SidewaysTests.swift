import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Lines that do not wrap: horizontal scrolling, and its limits in a field.
@Suite(.timeLimit(.minutes(5))) struct SidewaysTests {
    // MARK: Carets out of sight

    /// Creates a view of long unwrapped lines, with a margin or without.
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
        // The input method still gets the caret's real position.
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

    // MARK: Fields

    private func field(width: Double) -> ViewScene {
        let scene = ViewScene(frame: WindowRect(x: 0, y: 0, width: width, height: 30))
        scene.view.options.isSingleLine = true
        return scene
    }

    private func resize(_ scene: ViewScene, width: Double) {
        scene.view.setFrame(WindowRect(x: 0, y: 0, width: width, height: 30))
    }

    private func start(_ scene: ViewScene) -> Double {
        scene.view.caretRect(for: scene.view.beginningOfDocument).minX
    }

    private func expectCaretInSight(_ scene: ViewScene, sourceLocation: SourceLocation = #_sourceLocation) {
        let caret = scene.view.primaryCaretRect ?? ViewRect(x: -1, y: 0, width: 0, height: 0)
        #expect(
            caret.minX >= 0 && caret.maxX <= scene.view.viewport.textArea.maxX, "\(caret)",
            sourceLocation: sourceLocation)
        #expect(!carets(scene).isEmpty, sourceLocation: sourceLocation)
    }

    /// A field whose text fits is not scrolled, even after a longer text was.
    @Test(arguments: [30.0, 35, 40, 45, 50, 60, 70, 80, 90]) func aFieldWhoseTextFitsIsNotScrolled(_ width: Double) {
        let scene = field(width: width)
        for letter in "abcdefghijkl" { scene.view.insertText(String(letter), replacementRange: .notFound) }
        #expect(start(scene) < 0)
        expectCaretInSight(scene)
        scene.perform(.selectAll)
        scene.view.insertText("q", replacementRange: .notFound)
        #expect(start(scene) == scene.view.theme.margin, "typed over")
        resize(scene, width: 300)
        #expect(start(scene) == scene.view.theme.margin, "widened")
        resize(scene, width: width)
        for letter in "abcdefghijkl" { scene.view.insertText(String(letter), replacementRange: .notFound) }
        scene.view.text = "q"
        #expect(start(scene) == scene.view.theme.margin, "replaced by the program")
        for letter in "abcdefghijkl" { scene.view.insertText(String(letter), replacementRange: .notFound) }
        while scene.view.text.utf16.count > 1 { scene.perform(.deleteBackward) }
        #expect(start(scene) == scene.view.theme.margin, "deleted one by one")
    }

    @Test func aFieldScrollsNoFurtherThanItsTextNeeds() {
        let scene = field(width: 120)
        let text = String(repeating: "word ", count: 20)
        scene.view.insertText(text, replacementRange: .notFound)
        expectCaretInSight(scene)
        for width in [200.0, 340, 120, 90, 500, 1200, 120] {
            resize(scene, width: width)
            expectCaretInSight(scene)
            let end = scene.view.caretRect(for: scene.view.endOfDocument).minX
            let room = scene.view.viewport.textArea.maxX
            let isWhole = start(scene) == scene.view.theme.margin
            #expect(isWhole || end >= room - room / 8 - 2 * scene.view.theme.margin - 4, "\(width): ends at \(end)")
            #expect(width < 1200 || isWhole)
        }
        // When the end of the text is deleted, the rest scrolls back into view.
        scene.view.select(Selection(anchor: 30, head: scene.view.textRange.upperBound))
        scene.perform(.deleteBackward)
        expectCaretInSight(scene)
        resize(scene, width: 400)
        #expect(start(scene) == scene.view.theme.margin)
    }

    @Test func aFieldKeepsItsCaretInSightWhenItGetsNarrower() {
        let scene = field(width: 400)
        scene.view.insertText("some words that fit the field as a whole", replacementRange: .notFound)
        let width = scene.view.primaryCaretRect?.minX ?? 0
        for width in stride(from: width + 20, through: 40, by: -17) {
            resize(scene, width: width)
            expectCaretInSight(scene)
        }
        scene.view.select(Selection(caret: 10))
        for width in [60.0, 300, 50, 400, 1, 200] {
            resize(scene, width: width)
            if width > 1 { expectCaretInSight(scene) }
        }
        #expect(scene.view.viewport.scroll.y == 0)
    }

    /// Long enough for the line to be laid out in parts.
    @Test(arguments: ["lorem ipsum ", "אבג דהו "]) func aFieldOfMuchTextScrollsToItsEnds(_ pattern: String) {
        let scene = field(width: 150)
        scene.view.text = String(repeating: pattern, count: 3000)
        for command in [EditCommand.moveToEndOfDocument, .moveToBeginningOfDocument, .moveToEndOfDocument] {
            scene.perform(command)
            expectCaretInSight(scene)
            resize(scene, width: scene.view.bounds.width == 150 ? 90 : 150)
            expectCaretInSight(scene)
            scene.view.insertText("x", replacementRange: .notFound)
            expectCaretInSight(scene)
        }
        scene.perform(.selectAll)
        scene.view.insertText("q", replacementRange: .notFound)
        expectCaretInSight(scene)
        #expect(scene.view.viewport.scroll.x == 0)
    }
}
