import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// The visible part of a text, without a view.
@Suite(.timeLimit(.minutes(5))) struct ViewportTests {
    private let layout: TextLayoutManager
    private var viewport: Viewport
    private let line: Double

    /// Creates two hundred lines, of which about ten are visible.
    init() {
        let text = (0..<200).map { "line \($0)" }.joined(separator: "\n")
        layout = TextLayoutManager(
            store: TextStore(Rope(text)), container: TextContainer(width: 380), font: ViewScene.font)
        viewport = Viewport(theme: Theme())
        line = layout.lineHeight
        viewport.setFrame(WindowRect(x: 30, y: 50, width: 400, height: 10 * line + 12))
        viewport.windowOrigin = RootPoint(x: 1000, y: 2000)
        layout.container = TextContainer(width: viewport.roomForText)
    }

    @Test func aPointGoesThroughAllSpacesAndBack() {
        var viewport = viewport
        _ = viewport.scroll(by: 3 * line, dx: 0, in: layout)
        let point = DocumentPoint(x: 7, y: 3 * line + 5)
        #expect(viewport.viewPoint(point) == ViewPoint(x: 13, y: 11))
        #expect(viewport.documentPoint(viewport.viewPoint(point)) == point)
        let rect = DocumentRect(origin: point, size: Size(width: 2, height: 3))
        #expect(viewport.windowRect(rect) == WindowRect(x: 43, y: 61, width: 2, height: 3))
        #expect(viewport.rootOrigin == RootPoint(x: 1030, y: 2050))
        #expect(viewport.documentRect(viewport.bounds) == viewport.visibleDocumentRect)
    }

    @Test func theEffectOfScrollingIsReported() {
        var viewport = viewport
        #expect(viewport.scroll(by: -1, dx: 0, in: layout) == .none)
        #expect(viewport.scroll(by: 2 * line, dx: 0, in: layout) == .moved(-2 * line))
        #expect(viewport.scroll(by: -line, dx: 0, in: layout) == .moved(line))
        #expect(viewport.scroll(by: 100 * line, dx: 0, in: layout) == .replaced)
        #expect(viewport.scrollToEnd(in: layout) == .replaced)
        #expect(viewport.scroll.y == viewport.maximumScroll(in: layout))
        #expect(viewport.scroll.y == 190 * line)
    }

    @Test func effectsAddUp() {
        typealias Effect = ScrollEffect
        #expect(Effect.moved(5).then(.moved(-2), height: 100) == .moved(3))
        #expect(Effect.moved(5).then(.moved(-5), height: 100) == .none)
        #expect(Effect.moved(60).then(.moved(60), height: 100) == .replaced)
        #expect(Effect.replaced.then(.none, height: 100) == .replaced)
        #expect(Effect.none.then(.moved(1), height: 100) == .moved(1))
        #expect(Effect.moved(1).then(.replaced, height: 100) == .replaced)
    }

    @Test func aPositionIsShownByTheLeastScrolling() {
        var viewport = viewport
        let text = layout.store.text
        let far = CaretPlace(text.utf16ContentRange(of: 50).lowerBound)
        #expect(viewport.show(far, in: layout) == .replaced)
        #expect(viewport.scroll.y == 41 * line, "at the lower edge")
        #expect(viewport.show(far, in: layout) == .none)
        let near = CaretPlace(text.utf16ContentRange(of: 40).lowerBound)
        #expect(viewport.show(near, in: layout) == .moved(line))
        #expect(viewport.center(far, in: layout) != .none)
        let caret = viewport.viewRect(layout.geometry.caretRect(at: far.offset, affinity: .downstream))
        #expect(abs(caret.minY + caret.maxY - viewport.frame.height) <= 2 * line, "\(caret)")
    }

    @Test func aLineIsPutAtTheTop() {
        var viewport = viewport
        let text = layout.store.text
        let offset = text.utf16ContentRange(of: 100).lowerBound
        #expect(viewport.scroll(toLineAt: offset.advanced(by: 3), in: layout) == .replaced)
        #expect(viewport.scroll.y == 100 * line && viewport.scroll.anchor.offset == offset)
        #expect(viewport.scroll(toLineAt: offset, in: layout) == .none)
        _ = viewport.scroll(toLineAt: layout.length, in: layout)
        #expect(viewport.scroll.y == 190 * line, "no further than the end lets")
    }

    @Test func theSpaceAboveTheFirstLineComesWithItAndMovesNothingUnseen() {
        var style = ParagraphStyle()
        style.spacingBefore = 8
        layout.store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<1) }
        var viewport = viewport
        _ = viewport.scroll(by: 5 * line, dx: 0, in: layout)
        #expect(viewport.show(CaretPlace(0), in: layout) == .moved(5 * line))
        #expect(viewport.scroll.y == 0)
        // Scrolling by less than the space above: the painted pixels must not move again without notice.
        #expect(viewport.scroll(by: 8, dx: 0, in: layout) == .moved(-8))
        #expect(viewport.layOutSurroundings(in: layout) == .none && viewport.scroll.y == 8)
        #expect(viewport.scroll(by: -8, dx: 0, in: layout) == .moved(8))
        #expect(viewport.layOutSurroundings(in: layout) == .none && viewport.scroll.y == 0)
    }

    @Test func aPositionOutOfSightIsRevealedAThirdDown() {
        var viewport = viewport
        func place(_ line: Int) -> CaretPlace {
            CaretPlace(layout.store.text.utf16ContentRange(of: ParagraphIndex(line)).lowerBound)
        }
        #expect(viewport.reveal(place(9), in: layout) == .none, "in sight")
        #expect(viewport.reveal(place(10), in: layout) == .moved(-7 * line))
        for index in [50, 100, 20] {
            #expect(viewport.reveal(place(index), in: layout) == .replaced)
            #expect(viewport.scroll.y == Double(index - 3) * line)
        }
        #expect(viewport.reveal(place(17), in: layout) == .none)
        #expect(viewport.reveal(place(16), in: layout) == .moved(4 * line))
        #expect(viewport.reveal(place(1), in: layout) == .replaced)
        #expect(viewport.scroll.y == 0)
        #expect(viewport.reveal(place(199), in: layout) == .replaced)
        #expect(viewport.scroll.y == 190 * line, "no further than the end")
        viewport.setFrame(WindowRect(x: 0, y: 0, width: 1, height: 1))
        #expect(viewport.reveal(place(100), in: layout) == .none, "no room yet")
    }

    /// Estimated heights become exact while the viewport moves to the offset.
    @Test func aPositionAmongWrappedLinesIsRevealedAThirdDown() {
        let words = Array(repeating: "word", count: 200).joined(separator: " ")
        let text = (0..<300).map { $0 % 3 == 0 ? words : "line" }.joined(separator: "\n")
        let layout = TextLayoutManager(
            store: TextStore(Rope(text)), container: TextContainer(width: viewport.roomForText), font: ViewScene.font)
        var viewport = viewport
        for index in [200, 50, 250, 4] {
            let place = CaretPlace(layout.store.text.utf16ContentRange(of: ParagraphIndex(index)).lowerBound)
            _ = viewport.reveal(place, in: layout)
            let caret = layout.geometry.caretRect(at: place.offset, affinity: place.affinity)
            #expect(abs(caret.minY - viewport.scroll.y - 3 * line) <= 2, "\(index)")
        }
    }

    /// Edits above do not move the top line.
    @Test func theLineAtTheTopStays() {
        var viewport = viewport
        _ = viewport.scroll(toY: 50 * line + 4, x: 0, in: layout)
        let change = layout.apply(layout.store.replace(0..<0 as Range<UTF16Offset>, with: "new\nnew\n"))
        #expect(change.heightDelta == 2 * line)
        viewport.scroll.anchor.offset += 8
        #expect(viewport.restoreAnchor(in: layout) == .none)
        #expect(viewport.scroll.y == 52 * line + 4)
        // If the text becomes too short, the visible part moves.
        _ = layout.apply(layout.store.replace(UTF16Offset(100)..<layout.length, with: ""))
        viewport.scroll.anchor.offset = 100
        #expect(viewport.restoreAnchor(in: layout) == .replaced)
        #expect(viewport.scroll.y == viewport.maximumScroll(in: layout))
    }

    @Test func theThumbIsAsLargeAsWhatIsSeenAndStaysUnderThePointer() throws {
        var viewport = viewport
        let thumb = try #require(viewport.thumb(.vertical, in: layout, heldBy: nil))
        #expect(thumb.minY == 0 && thumb.maxX == 400 && thumb.height == 24, "the smallest: \(thumb)")
        var drag = viewport.drag(of: thumb, .vertical, at: 10, in: layout)
        drag.pointer = viewport.frame.height - thumb.height + 10
        #expect(drag.target == viewport.maximumScroll(in: layout))
        #expect(viewport.thumb(.vertical, in: layout, heldBy: drag)?.maxY == viewport.frame.height)
        _ = viewport.scrollToEnd(in: layout)
        #expect(viewport.thumb(.vertical, in: layout, heldBy: nil)?.maxY == viewport.frame.height)
        viewport.setFrame(WindowRect(x: 0, y: 0, width: 400, height: 300 * line))
        #expect(viewport.thumb(.vertical, in: layout, heldBy: nil) == nil)
    }
}
