import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// The painter without a view: its output for a scene, and the areas that it reports for repainting.
@Suite(.timeLimit(.minutes(5))) struct PainterTests {
    private let painter = Painter(theme: Theme())
    private let layout: TextLayoutManager
    private let viewport: Viewport

    init() {
        var viewport = Viewport(theme: Theme())
        viewport.setFrame(WindowRect(x: 0, y: 0, width: 300, height: 120))
        self.viewport = viewport
        layout = TextLayoutManager(
            store: TextStore(Rope("one two three\nfour five six\nseven")),
            container: TextContainer(width: viewport.roomForText), font: ViewScene.font)
    }

    private func scene(_ selection: Selection? = nil, marked: MarkedText? = nil) -> TextScene {
        TextScene(layout: layout, viewport: viewport, selection: selection, markedText: marked, isFocused: true)
    }

    private func painted(_ scene: TextScene) -> RecordingCanvas {
        let canvas = RecordingCanvas(size: viewport.frame.size)
        painter.paintText(of: scene, on: canvas, within: viewport.textArea)
        return canvas
    }

    private func damage(_ work: ((Repaint) -> Void) -> Void) -> [Repaint] {
        var all: [Repaint] = []
        work { all.append($0) }
        return all
    }

    /// On some lines of these words the trailing space fits; on others it hangs beyond the edge.
    @Test(arguments: ["one three eleven ", "אחת שלוש אחתעשרה "])
    func blanksThatHangOverLeaveTheEdgeOfASelectionStraight(_ words: String) throws {
        let scene = ViewScene(CaretNotation("|" + String(repeating: words, count: 20)))
        let view = scene.view
        let isLeft = words.hasPrefix("א")
        view.select(Selection(anchor: 0, head: view.textRange.upperBound))
        var hanging = 0
        for width in stride(from: 120.0, to: 160, by: 4) {
            view.setFrame(WindowRect(x: 0, y: 0, width: width, height: 900))
            let fills = scene.paint().fills(view.theme.selection).dropLast()
            try #require(fills.count > 5)
            #expect(Set(fills.map { isLeft ? $0.minX : $0.maxX }).count == 1, "\(width): \(fills)")
            let rects = view.selectionRects(for: try #require(view.selectedTextRange)).map(\.rect).dropLast()
            if Set(rects.map { isLeft ? $0.minX : $0.maxX }).count > 1 { hanging += 1 }
        }
        #expect(hanging > 0, "blanks must hang over at some width")
    }

    @Test func selectionAndClausesAreDecorationsLikeOthers() {
        let marked = MarkedText(range: 4..<7, clauses: [MarkedClause(range: 0..<3, kind: .target)])
        layout.decorations[.search].add([0..<13], attributes: RenderingAttributes(background: Color(rgb: 1)))
        let all = scene(Selection(anchor: 2, head: 10), marked: marked).decorations(in: 0..<20, Theme(), nil)
        #expect(all.map(\.range) == [0..<13, 2..<10, 4..<7], "from the back to the front")
        #expect(all.map(\.background) == [Color(rgb: 1), Theme().selection, Theme().targetBackground])
        #expect(all.map { $0.underline == nil } == [true, true, false])
        // A selection inside marked text is shown by its clauses.
        let inside = scene(Selection(anchor: 4, head: 6), marked: marked).decorations(in: 0..<20, Theme(), nil)
        #expect(inside.map(\.range) == [0..<13, 4..<7])
        // Decorations outside of the visible range are omitted.
        #expect(scene(Selection(anchor: 2, head: 10), marked: marked).decorations(in: 14..<20, Theme(), nil).isEmpty)
    }

    @Test func clausesColorTheirTextOverOthersColors() throws {
        let (red, green) = (Color(rgb: 0xff0000), Color(rgb: 0x00ff00))
        layout.decorations[.rendering].update(0..<7) { $0.merging(RenderingAttributes(foreground: red)) }
        painter.markedTextStyle = MarkedTextStyle(raw: .init(underlineThickness: 1, textColor: green))
        let canvas = painted(scene(marked: MarkedText(range: 4..<7, clauses: [])))
        let batches = canvas.operations.compactMap { operation -> (Color, Int)? in
            if case .glyphs(let glyphs, let color) = operation { (color, glyphs.count) } else { nil }
        }
        #expect(batches.first { $0.0 == red }?.1 == 3 && batches.first { $0.0 == green }?.1 == 3, "\(batches)")
        #expect(canvas.fills(green).count == 1, "the underline has the text's colour")
    }

    @Test func aMovedSelectionDamagesWhatChangedOfIt() {
        let moved = damage {
            painter.damage(from: Selection(anchor: 0, head: 3), to: Selection(anchor: 0, head: 20), in: scene(), $0)
        }
        let line = layout.lineHeight
        let rects = moved.compactMap { if case .paint(let rect) = $0 { rect } else { nil } }
        #expect(rects.map(\.maxY).max() == 6 + 2 * line && rects.count == moved.count, "\(moved)")
        let carets = damage { painter.damage(from: Selection(caret: 0), to: Selection(caret: 20), in: scene(), $0) }
        #expect(carets.isEmpty, "carets are damaged apart")
    }

    @Test func caretsAreDamagedWhereTheyWereAndWhereTheyAre() {
        let (old, new) = (ViewRect(x: 5, y: 6, width: 2, height: 16), ViewRect(x: 50, y: 22, width: 2, height: 16))
        let canvas = RecordingCanvas(size: viewport.frame.size)
        let parts = [old, new].map { ColoredRect($0, .white) }
        painter.paintCarets([parts[0]], of: [parts[0]], on: canvas, in: viewport, within: viewport.bounds)
        #expect(canvas.fills(.white).count == 1)
        #expect(damage { painter.damageCarets(now: [parts[1]], $0) } == [.paint(old), .paint(new)])
        painter.moveCarets(by: 10)
        #expect(damage { painter.damageCarets(now: [], $0) } == [.paint(old.offset(by: Vector(dx: 0, dy: 10)))])
        // A caret that blinks off keeps its area.
        painter.paintCarets([], of: [parts[1]], on: canvas, in: viewport, within: viewport.bounds)
        #expect(canvas.fills(.white).count == 1 && painter.shownCarets == [parts[1]])
    }

    @Test func aThumbIsDamagedOnceForEachPlace() {
        let thumb = ViewRect(x: 292, y: 0, width: 8, height: 24)
        #expect(damage { painter.damageThumbs(now: ScrollThumbs(vertical: thumb), $0) } == [.paint(thumb)])
        #expect(damage { painter.damageThumbs(now: ScrollThumbs(vertical: thumb), $0) }.isEmpty)
        #expect(damage { painter.damageThumbs(now: ScrollThumbs(), $0) } == [.paint(thumb)])
    }

    @Test func anEditDamagesItsLineAndMovesTheRest() {
        _ = painted(scene())
        let line = layout.lineHeight
        let letter = layout.apply(layout.store.replace(3..<3 as Range<UTF16Offset>, with: "x"))
        let small = damage { painter.damage(letter, scrolledFrom: 0, in: scene(), $0) }
        guard case .paint(let rect)? = small.first, small.count == 1 else { Issue.record("\(small)"); return }
        #expect(rect.minY <= 6 && rect.maxY >= 6 + line && rect.maxY < 6 + 2 * line, "\(rect)")
        let newline = layout.apply(layout.store.replace(3..<3 as Range<UTF16Offset>, with: "\n"))
        let moved = damage { painter.damage(newline, scrolledFrom: 0, in: scene(), $0) }
        #expect(
            moved.contains { if case .move(let rect, line) = $0 { rect.minY >= 6 + line } else { false } }, "\(moved)")
        // Scrolled out of view, the edit reports nothing to repaint.
        var below = viewport
        below.scroll.y = 50 * line
        let scrolled = TextScene(layout: layout, viewport: below)
        #expect(damage { painter.damage(newline, scrolledFrom: 49 * line, in: scrolled, $0) }.isEmpty)
    }
}
