import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The caret's line and column in the status line.
@Suite(.timeLimit(.minutes(5))) struct LineAndColumnTests {
    private func view(_ text: String) -> EditorView {
        let view = EditorView(
            store: TextStore(Rope(text)), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14), clock: { 0 })
        view.setFrame(WindowRect(x: 0, y: 0, width: 200, height: 60))
        return view
    }

    /// The line and column of an offset, computed by reading all text before the offset.
    private func counted(_ offset: UTF16Offset, in view: EditorView) -> (line: Int, column: Int) {
        let text = view.store.text
        let before = text.string(in: 0..<offset)
        let line = before.lastIndex(where: \.isNewline).map { before[before.index(after: $0)...] } ?? before[...]
        return (before.count { $0.isNewline } + 1, line.count + 1)
    }

    @Test func charactersAreCountedNotUnits() {
        let view = view("a\n👨‍👩‍👧bc")
        let place = LineAndColumn(of: 10, in: view)
        #expect((place.line, place.column) == (2, 2), "\(place)")
        let next = LineAndColumn(of: 11, in: view)
        #expect((next.line, next.column) == (2, 3), "\(next)")
    }

    @Test func columnsOfAHugeLineAreUnits() {
        let place = LineAndColumn(of: 6_000, in: view(String(repeating: "é\u{301}", count: 4_000)))
        #expect((place.line, place.column) == (1, 6_001), "\(place)")
    }

    @Test(arguments: ["a", "é\u{301}", "👍"])
    func goingToAColumnOfAHugeLineIsGoingToWhereItIsShown(_ character: String) {
        let view = view("first\n" + String(repeating: character, count: 9_000))
        let length = character.utf16.count
        for index in [0, 1, 500, 900, 2_500, 8_999] {
            let offset = UTF16Offset(6 + index * length)
            let shown = LineAndColumn(of: offset, in: view)
            let target = GotoTarget.line(shown.line, column: shown.column)
            #expect(target.offset(in: view.store.text) == offset, "\(shown)")
        }
    }

    /// Line and column equal those counted from the start of the text: in the viewport, outside of it, and after
    /// edits.
    @Test func lineAndColumnEqualACountFromTheStart() throws {
        let words = ["one", " ", "\n", "\n", "é", "e\u{301}", "漢字", "\t", "👍🏽", "long words to wrap them "]
        var generator = SeededGenerator(seed: SeededGenerator.newSeed)
        let view = view((0..<300).map { _ in words.randomElement(using: &generator) ?? "" }.joined())
        let canvas = RecordingCanvas(size: view.frame.size)
        for step in 0..<200 {
            let text = view.store.text
            let length = text.utf16Range.upperBound.value
            let at = text.roundedDown(toGrapheme: UTF16Offset(Int.random(in: 0...length, using: &generator)))
            if step % 3 == 0 {
                let end = text.roundedDown(toGrapheme: min(text.utf16Range.upperBound, at + 5))
                view.store.replace(at..<max(at, end), with: words.randomElement(using: &generator) ?? "")
            } else {
                view.select(Selection(caret: at), scrolling: step % 3 == 1)
            }
            if step.isMultiple(of: 2) { view.paint(on: canvas, damage: view.frame) }
            let place = LineAndColumn(of: view.selection?.head ?? 0, in: view)
            let expected = counted(view.selection?.head ?? 0, in: view)
            #expect(
                (place.line, place.column) == expected,
                "seed \(generator.seed), step \(step): \(place), \(expected)")
        }
    }
}
