import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

private final class Folding: TextLayoutManagerDelegate {
    var hidden: Set<Int> = []
    var big: Set<Int> = []

    func textLayoutManager(_: TextLayoutManager, shouldEnumerate paragraph: TextParagraph) -> Bool {
        !hidden.contains(paragraph.index.value)
    }

    func textLayoutManager(_: TextLayoutManager, fontFor paragraph: TextParagraph) -> FontDescriptor? {
        big.contains(paragraph.index.value) ? FontDescriptor(family: "DejaVu Sans", size: 32) : nil
    }
}

private final class Viewer: TextViewportLayoutControllerDelegate {
    var calls: [String] = []
    var bounds = DocumentRect(x: 0, y: 0, width: 300, height: 40)

    func viewportBounds(for controller: TextViewportLayoutController) -> DocumentRect { bounds }

    func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) { calls.append("will") }

    func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configureRenderingSurfaceFor fragment: TextLayoutFragment
    ) { calls.append("\(fragment.paragraph)") }

    func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) { calls.append("did") }
}

@Suite struct HookTests {
    @Test func hiddenParagraphsTakeNoRoomAndNoCaret() {
        let layout = makeLayout("one\ntwo\nthree")
        let folding = Folding()
        folding.hidden = [1]
        layout.delegate = folding
        // What lies above counts by estimate until it was laid out.
        _ = layout.allLines
        #expect(layout.caretRect(at: 8).minY == layout.lineHeight)
        #expect(layout.moveLogically(CaretPlace(3), forward: true).offset == 8)
        #expect(layout.moveLogically(CaretPlace(8), forward: false).offset == 3)
        #expect(layout.moveVertically(CaretPlace(0), lines: 1).offset == 8)
        #expect(layout.moveVisually(CaretPlace(3), toRight: true).offset == 8)
        folding.hidden = []
        layout.invalidateLayout(for: 4..<5)
        #expect(layout.caretRect(at: 8).minY == 2 * layout.lineHeight)
    }

    @Test func paragraphsMayHaveFontsOfTheirOwn() {
        let layout = makeLayout("one\ntwo\nthree")
        let delegate = Folding()
        delegate.big = [1]
        layout.delegate = delegate
        #expect(layout.caretRect(at: 5).height > 1.8 * layout.caretRect(at: 1).height)
    }

    @Test func viewportTellsOfEachVisibleFragmentOnce() {
        let layout = makeLayout((0..<100).map { "line \($0)" }.joined(separator: "\n"))
        let controller = TextViewportLayoutController(textLayoutManager: layout)
        let viewer = Viewer()
        controller.delegate = viewer
        controller.layoutViewport()
        #expect(viewer.calls == ["will", "0", "1", "2", "did"])
        #expect(controller.viewportRange?.lowerBound == 0)
    }

    @Test func renderingAttributesMoveWithEditsAndChangeNoLayout() {
        let layout = makeLayout("hello wide world")
        let before = layout.caretRect(at: 16)
        layout.addRenderingAttributes(RenderingAttributes(underline: .wavy), for: 6..<10)
        layout.addRenderingAttributes(RenderingAttributes(foreground: .white), for: 8..<12)
        #expect(layout.caretRect(at: 16) == before)
        #expect(layout.renderingRuns(in: 0..<16).map(\.range) == [6..<8, 8..<10, 10..<12])
        #expect(
            layout.renderingRuns(in: 8..<9)[0].attributes == RenderingAttributes(foreground: .white, underline: .wavy))
        layout.apply(layout.store.replace(0..<0 as Range<UTF16Offset>, with: "ab"))
        layout.apply(layout.store.replace(9..<9 as Range<UTF16Offset>, with: "cd"))
        #expect(layout.renderingRuns(in: 0..<30).map(\.range) == [8..<12, 12..<14, 14..<16])
        layout.setRenderingAttributes(nil, for: 9..<15)
        #expect(layout.renderingRuns(in: 0..<30).map(\.range) == [8..<9, 15..<16])
        #expect(layout.store.canUndo)
    }

    @Test(arguments: [
        (ParagraphStyle.LineHeight.exactly(40), 40.0), (.atLeast(30), 30), (.multiple(2), 38), (.natural, 19),
    ])
    func lineHeightsFollowTheirMode(_ mode: ParagraphStyle.LineHeight, _ height: Double) {
        var style = ParagraphStyle()
        style.lineHeight = mode
        let layout = makeLayout("a 日本 ع\nb", style: style)
        #expect(layout.allLines.map(\.typographicBounds.height) == [height, height])
    }

    @Test func fallbackMakesLinesHigherOnlyWhenAsked() {
        var style = ParagraphStyle()
        style.lineHeight = .growing
        let layout = makeLayout("plain\n日本語 မြန်မာ", style: style)
        let heights = layout.allLines.map(\.typographicBounds.height)
        #expect(heights[0] == 19 && heights[1] > 19)
    }

    @Test func tabsGoToStopsFromTheLinesOwnStart() {
        let layout = makeLayout("a\tb\nאב\tג", width: 400)
        let stop = layout.columnWidth * 8
        #expect(layout.caretRect(at: 2).minX == stop)
        #expect(layout.caretRect(at: 7).minX == 400 - stop)
    }

    @Test func justifiedLinesReachBothEdges() {
        var style = ParagraphStyle()
        style.alignment = .justified
        let layout = makeLayout("the quick brown fox jumps over the lazy dog and on", width: 150, style: style)
        for line in layout.allLines where line.isWrapped {
            let end = line.utf16Range.upperBound - 1
            #expect(layout.caretRect(at: end, affinity: .upstream).minX == 150)
        }
    }

    @Test func softHyphensShowWhereALineEndsAtThem() {
        let layout = makeLayout("extra\u{ad}ordinary", width: 80)
        #expect(layout.allLines.count == 2)
        #expect(layout.allLines[0].typographicBounds.width < 80)
    }

    @Test func selectionsMoveByUnits() {
        let layout = makeLayout("One two. Three four.\nfive")
        let moves = TextSelectionNavigation(layout: layout)
        func go(_ from: Int, _ direction: TextSelectionNavigation.Direction, _ to: TextSelectionNavigation.Destination)
            -> Int
        {
            moves.move(CaretPlace(UTF16Offset(from)), direction, to).offset.value
        }
        #expect(go(0, .forward, .word) == 3)
        #expect(go(7, .backward, .word) == 4)
        #expect(go(0, .forward, .sentence) == 9)
        #expect(go(12, .backward, .sentence) == 9)
        #expect(go(5, .forward, .paragraph) == 20)
        #expect(go(20, .forward, .paragraph) == 25)
        #expect(go(5, .right, .document) == 25)
        #expect(moves.range(.word, enclosing: CaretPlace(5)) == 4..<7)
        #expect(moves.range(.paragraph, enclosing: CaretPlace(5)) == 0..<21)
        let drag = moves.selection(.word, from: CaretPlace(5), to: CaretPlace(1))
        #expect(drag.range == 0..<7 && drag.head.offset == 0)
    }

    @Test func geometryReportIsOneObject() {
        let layout = makeLayout("ab אב")
        let report = GeometryReport(layout, selection: 1..<4, carets: true).text
        #expect(report.hasPrefix("{\n\"lines\": [") && report.hasSuffix("}\n"))
        #expect(report.contains("\"direction\": \"rtl\""))
        #expect(report.contains("\"containsStart\": true"))
        #expect(report.contains("\"affinity\": \"upstream\""))
    }
}
