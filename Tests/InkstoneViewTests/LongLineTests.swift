import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// A wrapped line of more than a megabyte in a small view: wherever the caret moves, it is visible, moves go by
/// whole lines, and only some lines are laid out.
@Suite(.timeLimit(.minutes(5))) struct LongLineViewTests {
    private static let pattern = "lorem ipsum 日本 "

    /// Counts laid-out fragments.
    private final class Counter: TextLayoutManagerDelegate {
        var layouts = 0

        func textLayoutManager(
            _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
        ) -> (any CustomTextLayoutFragment)? {
            layouts += 1
            return nil
        }
    }

    /// The ways in which a text gets into a view.
    enum Source: CaseIterable {
        case givenAtFirst, givenLater, insideOtherText
    }

    private let counter = Counter()

    private func scene(_ source: Source, _ pattern: String = Self.pattern, count: Int = 100_000) -> ViewScene {
        let text = String(repeating: pattern, count: count)
        let scene: ViewScene
        let frame = WindowRect(x: 0, y: 0, width: 560, height: 280)
        switch source {
        case .givenAtFirst: scene = ViewScene(store: TextStore(Rope(text)), frame: frame)
        case .givenLater:
            scene = ViewScene(frame: frame)
            _ = scene.paint()
            scene.view.text = text
        case .insideOtherText:
            // Most lines are short, so that the height estimate of the long line is too small.
            let short = String(repeating: "a line\n", count: 200_000)
            scene = ViewScene(store: TextStore(Rope(short + text + "\n" + short)), frame: frame)
        }
        scene.view.layout.delegate = counter
        _ = scene.paint()
        return scene
    }

    /// Returns the offset of the end of the long line.
    private func end(in scene: ViewScene, _ source: Source) -> UTF16Offset {
        source == .insideOtherText
            ? scene.view.store.text.utf16ContentRange(of: 200_000).upperBound : scene.view.textRange.upperBound
    }

    /// Expects that the whole caret is within the viewport and painted there.
    private func expectCaretInSight(
        _ scene: ViewScene, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let fills = scene.paint().fills(scene.view.theme.caret)
        guard let caret = scene.view.primaryCaretRect else {
            Issue.record("\(what): no caret", sourceLocation: sourceLocation)
            return
        }
        #expect(
            caret.minY >= 0 && caret.maxY <= scene.view.bounds.maxY, "\(what): the caret is at \(caret)",
            sourceLocation: sourceLocation)
        #expect(
            fills.contains { $0.minY == caret.minY && $0.height == caret.height },
            "\(what): painted at \(fills), belongs at \(caret)", sourceLocation: sourceLocation)
    }

    private func head(_ scene: ViewScene) -> Int { scene.view.selection?.head.value ?? -1 }

    /// Expects that an action lays out only a few fragments.
    private func expectFewLayouts(
        _ what: String, _ limit: Int = 300, sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Void
    ) {
        counter.layouts = 0
        body()
        #expect(counter.layouts <= limit, "\(what)", sourceLocation: sourceLocation)
    }

    @Test(arguments: Source.allCases) func theEndComesIntoSight(_ source: Source) {
        let scene = scene(source)
        let end = end(in: scene, source)
        expectFewLayouts("going to the end") {
            scene.view.select(Selection(caret: end))
            expectCaretInSight(scene, "at the end")
        }
        scene.view.insertText("x", replacementRange: .notFound)
        expectCaretInSight(scene, "behind what was typed")
        #expect(head(scene) == end.value + 1)
        scene.view.perform(.undo)
        scene.view.select(Selection(caret: 0))
        expectCaretInSight(scene, "at the start")
        #expect(scene.view.primaryCaretRect?.minY == scene.view.theme.margin)
        scene.perform(.moveToEndOfDocument)
        expectCaretInSight(scene, "at the end of the document")
    }

    @Test(arguments: Source.allCases) func movesFromTheEndGoByWholeLines(_ source: Source) {
        let scene = scene(source)
        let end = end(in: scene, source)
        // The number of units in a full line of such text.
        let line = Self.wholeLine(of: scene, end)
        scene.view.select(Selection(caret: end))
        scene.perform(.moveToBeginningOfLine)
        #expect(end.value - head(scene) >= line / 3, "Home at the end")
        scene.perform(.moveToEndOfLine)
        #expect(head(scene) == end.value)
        for count in 0..<60 {
            let before = head(scene)
            expectFewLayouts("Up") {
                scene.perform(.moveUp)
                expectCaretInSight(scene, "Up \(count)")
            }
            #expect((line - 7...line + 7).contains(before - head(scene)), "Up \(count): \(before) → \(head(scene))")
            guard before - head(scene) <= line + 7 else { break }
        }
        for count in 0..<59 {
            let before = head(scene)
            scene.perform(.moveDown)
            #expect((line - 7...line + 7).contains(head(scene) - before), "Down \(count): \(before) → \(head(scene))")
        }
        for command in [EditCommand.pageUp, .pageUp, .pageDown, .pageUp] {
            let before = head(scene)
            expectFewLayouts("a page") { scene.perform(command) }
            expectCaretInSight(scene, "a page")
            #expect(abs(before - head(scene)) >= 10 * (line - 7), "a page: \(before) → \(head(scene))")
        }
    }

    /// Returns the number of units in a full line, measured in the middle of a freshly laid out text.
    private static func wholeLine(of scene: ViewScene, _ end: UTF16Offset) -> Int {
        let fresh = ViewScene(store: TextStore(Rope(String(repeating: pattern, count: 20))), frame: scene.view.frame)
        return fresh.view.layout.geometry.lineRange(CaretPlace(0)).count
    }

    @Test(arguments: Source.allCases) func aPositionInTheMiddleIsShownWithItsSurroundings(_ source: Source) {
        let scene = scene(source)
        let end = end(in: scene, source)
        let line = Self.wholeLine(of: scene, end)
        for part in [2, 3, 5, 1000] {
            let place = UTF16Offset(end.value - Self.pattern.utf16.count * 100_000 / part)
            expectFewLayouts("going there") {
                scene.view.go(to: Selection(caret: place))
                expectCaretInSight(scene, "at \(place)")
            }
            let caret = scene.view.primaryCaretRect?.minY ?? -1
            #expect(
                abs(caret - (scene.view.bounds.maxY - 12) / 3) <= 2 * scene.view.presenter.lineStep,
                "a third down: \(caret)")
            // All visible lines above and below are full.
            var y = scene.view.theme.margin + 1
            while y < scene.view.bounds.maxY {
                let here = scene.view.layout.geometry.place(closestTo: scene.view.documentPoint(ViewPoint(x: 8, y: y)))
                let count = scene.view.layout.geometry.lineRange(here).count
                #expect((line - 7...line + 7).contains(count), "the line at \(y) has \(count) of \(line)")
                y += scene.view.presenter.lineStep
            }
            scene.click(at: ViewPoint(x: 100, y: scene.view.bounds.maxY - scene.view.presenter.lineStep))
            #expect(abs(head(scene) - place.value) < 20 * line, "a click at the bottom: \(head(scene))")
            expectCaretInSight(scene, "clicked")
            scene.view.scroll(by: 5000)
            scene.view.insertText("typed", replacementRange: .notFound)
            expectCaretInSight(scene, "typed out of sight")
            scene.view.session.undo()
            scene.view.presenter.centerCaret()
            let middle = scene.view.primaryCaretRect?.minY ?? -1
            #expect(
                abs(middle - scene.view.bounds.maxY / 2) <= scene.view.presenter.lineStep, "in the middle: \(middle)")
        }
    }

    /// Texts without spaces, and texts that allow no line breaks.
    @Test(arguments: ["漢字かな交じり文", "x", "\u{5d0}\u{5d1}\u{5d2} ", "a\t", "wi", "e\u{301}\u{302}", "👩‍👧 "])
    func anyTextGoesByWholeLines(_ pattern: String) {
        let scene = scene(.givenLater, pattern, count: 60_000)
        let fresh = ViewScene(store: TextStore(Rope(String(repeating: pattern, count: 2000))), frame: scene.view.frame)
        let line = fresh.view.layout.geometry.lineRange(CaretPlace(0)).count
        let slack = max(16, pattern.utf16.count)
        scene.perform(.moveToEndOfDocument)
        expectCaretInSight(scene, "at the end")
        for count in 0..<40 {
            let before = head(scene)
            scene.perform(.moveUp)
            expectCaretInSight(scene, "Up \(count)")
            #expect(
                (line - slack...line + slack).contains(before - head(scene)),
                "Up \(count): \(before) → \(head(scene)), a line has \(line)")
        }
    }
}
