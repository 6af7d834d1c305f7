import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct FirstLayoutTests {
    @Test func wrapsAtSpacesWhichHang() {
        let layout = makeLayout("the quick brown fox jumps over the lazy dog", width: 120)
        #expect(layout.lineTexts == ["the quick ", "brown fox ", "jumps over the ", "lazy dog"])
    }

    @Test func finalNewlineMakesAnEmptyLine() {
        let layout = makeLayout("ab\n")
        #expect(layout.lineTexts == ["ab\n", ""])
        #expect(layout.geometry.caretRect(at: 3).minY == layout.lineHeight)
    }

    @Test func emptyDocumentHasOneLine() {
        let layout = makeLayout("")
        #expect(layout.lineTexts == [""])
        #expect(layout.geometry.caretRect(at: 0) == DocumentRect(x: 0, y: 0, width: 1, height: layout.lineHeight))
    }

    @Test func caretsOfSimpleTextAreSumsOfAdvances() {
        let layout = makeLayout("iiii", family: "DejaVu Sans Mono")
        let xs = (0...4).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        #expect(xs == (0...4).map { Double($0) * layout.columnWidth })
    }

    @Test func mixedDirectionsHaveRunsInVisualOrder() {
        let layout = makeLayout("abc אבג def")
        let xs = (0...11).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        #expect(xs[3] < xs[4] && xs[4] > xs[5] && xs[5] > xs[6])
        let segments = layout.geometry.selectionRects(
            for: 2..<5, within: DocumentRect(x: 0, y: 0, width: 400, height: 99))
        #expect(segments.map(\.isRightToLeft) == [false, true])
    }

    @Test func editGivesTheSameAsLayoutFromScratch() {
        let layout = makeLayout("one two three\nfour five six\nseven", width: 80)
        _ = layout.allLines
        let edit = layout.store.replace(4..<7 as Range<UTF16Offset>, with: "2\n2 שלום and more")
        layout.apply(edit)
        let fresh = makeLayout(layout.store.text.string(in: layout.store.text.byteRange), width: 80)
        #expect(layout.lineTexts == fresh.lineTexts)
        #expect(layout.usageHeight == fresh.usageHeight)
    }
}
