import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import InkstoneView
import Testing

/// Gives every other paragraph a bar that extends beyond its frame.
private final class Barring: TextLayoutManagerDelegate {
    struct Bar: CustomTextLayoutFragment {
        var leadingPadding: Double { 30 }

        func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect {
            let frame = fragment.layoutFragmentFrame
            return DocumentRect(x: 4, y: frame.minY - 5, width: 3, height: frame.height + 10)
        }

        func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
            let bar = renderingSurfaceBounds(of: fragment)
            canvas.fill(
                WindowRect(x: bar.minX + origin.x, y: bar.minY + origin.y, width: bar.width, height: bar.height),
                Color(rgb: 0x123456))
        }
    }

    func textLayoutManager(
        _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        ((textElement as? TextParagraph)?.index.value ?? 0) % 2 == 1 ? Bar() : nil
    }
}

/// The painting of a view and its requests for repainting, on a recording canvas.
@Suite(.timeLimit(.minutes(5))) struct PaintingTests {
    private func range(_ low: Int, _ high: Int) -> Range<UTF16Offset> { UTF16Offset(low)..<UTF16Offset(high) }

    private func difference(_ a: [CanvasGlyph], _ b: [CanvasGlyph]) -> String {
        let at = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }
        return "\(a.count) and \(b.count) glyphs, first \(at.map { "\($0.offset): \($0.element)" } ?? "none")"
    }

    // MARK: Custom fragments

    @Test func aCustomFragmentIsPaintedBehindItsText() throws {
        let scene = ViewScene()
        let barring = Barring()
        scene.view.layout.delegate = barring
        scene.view.text = "one\ntwo\nthree\nfour"
        let color = Color(rgb: 0x123456)
        let canvas = scene.paint()
        let bars = canvas.fills(color)
        let line = scene.view.presenter.lineStep
        #expect(bars.map(\.height) == [line + 10, line + 10])
        let bar = canvas.operations.firstIndex { if case .fill(_, color) = $0 { true } else { false } }
        let glyphs = canvas.operations.firstIndex { if case .glyphs = $0 { true } else { false } }
        #expect(try #require(bar) < #require(glyphs))
        // Repainting an area outside of the fragment's frame into which the bar extends paints the bar.
        let part = scene.paint([WindowRect(x: 0, y: bars[0].minY, width: 20, height: 2)])
        #expect(part.fills(color).map(\.height) == [2])
        // An edit repaints everything that the fragment may have painted depending on its text.
        scene.damage = []
        scene.view.store.replace(4..<5 as Range<UTF16Offset>, with: "T")
        #expect(scene.damage.contains { $0.minX <= 0 && $0.minY <= bars[0].minY && $0.maxY >= bars[0].maxY })
        // Other fragments are not repainted, nor the area below.
        #expect(scene.damage.allSatisfy { $0.maxY <= bars[0].maxY + 10 }, "\(scene.damage)")
        // When paragraphs are inserted or removed, the index of those below changes, so these are repainted.
        scene.damage = []
        scene.view.store.replace(4..<4 as Range<UTF16Offset>, with: "\n")
        #expect(scene.damage.contains { $0.maxY >= bars[1].maxY })
    }

    @Test func aKeyBesideCustomFragmentsIsPaintedAsEverywhere() {
        let scene = ViewScene()
        let barring = Barring()
        scene.view.layout.delegate = barring
        scene.view.text = "one\ntwo\nthree\nfour"
        scene.view.select(Selection(caret: 10))
        _ = scene.paint()
        scene.damage = []
        scene.view.insertText("x")
        let damage = scene.damage.reduce(scene.damage[0]) { $0.union($1) }
        #expect(damage.height < 2 * scene.view.presenter.lineStep + 10 && damage.width < 100, "\(scene.damage)")
    }

    // MARK: Missing glyphs

    @Test(arguments: [("\u{10fffd}", 6), ("\u{378}", 4)])
    func aMissingGlyphIsABoxWithItsCodePoint(text: String, digits: Int) throws {
        let scene = ViewScene()
        scene.view.text = "a\(text)b"
        let color = scene.view.theme.text
        let canvas = scene.paint()
        #expect(canvas.glyphs.count == 2, "a and b are glyphs")
        let fills = canvas.fills(color)
        let frame = try #require(fills.max { $0.width < $1.width })
        let box = fills.dropFirst().reduce(fills[0]) { $0.union($1) }
        #expect(box.width == frame.width)
        // Each digit has three columns of dots, and each row of the box has two or three digits.
        #expect(box.width == Double(digits / 2 * 4 + 3), "\(box)")
        let rows = Set(fills.dropFirst(4).map(\.minY))
        #expect(rows.count == 10, "two rows of digits of five dots: \(rows.sorted())")
        #expect(box.minX > 6 && box.maxX <= Double(canvas.glyphs[1].x), "between its neighbours")
        // U+10FFFD and U+0378 begin with the digits 1 and 0, whose first rows differ.
        let first = fills.dropFirst(4).filter { $0.minY == rows.min() && $0.minX < box.minX + 6 }
        #expect(first.map(\.width) == [digits == 6 ? 1 : 3])
    }

    @Test func aTinyFontGetsAnEmptyFrame() {
        let scene = ViewScene()
        scene.view.font = FontDescriptor(family: "DejaVu Sans Mono", size: 6)
        scene.view.text = "\u{10fffd}"
        #expect(scene.paint().fills(scene.view.theme.text).count == 4)
    }

    // MARK: Caret

    @Test func aCaretBetweenDirectionsIsSplitAndItsFlagShowsTheKeyboardsDirection() throws {
        let scene = ViewScene("abc אבג| ")
        scene.view.select(Selection(caret: 4))
        let caret = scene.view.theme.caret
        let right = scene.paint().fills(caret)
        scene.damage = []
        scene.view.keyboardIsRightToLeft = true
        let left = scene.paint().fills(caret)
        #expect(right.count > 3 && left.count == right.count)
        let bar = right[0]
        #expect(right[1].height < bar.height && right[1].minX != bar.minX && right[1].maxY == bar.maxY)
        #expect(right[2...].allSatisfy { $0.minX == bar.maxX && $0.minY >= bar.minY }, "points to the right: \(right)")
        #expect(left[2...].allSatisfy { $0.maxX == bar.minX }, "points to the left: \(left)")
        #expect(
            left[2...].allSatisfy { part in scene.damage.contains { $0.contains(ViewPoint(x: part.minX, y: part.minY)) }
            })
        // Inside a run of one direction, the caret has a single position.
        scene.view.select(Selection(caret: 2))
        #expect(scene.paint().fills(caret).count == 1)
    }

    // MARK: Rendering attributes

    @Test func attributesArePaintedWithoutLayoutUndoOrCopies() {
        let scene = ViewScene("one two three|")
        let plain = scene.paint()
        let version = scene.view.store.version
        let canUndo = scene.view.store.canUndo
        let red = Color(rgb: 0xff0000)
        let yellow = Color(rgb: 0xffff00)
        scene.view.addDecorations(
            [range(4, 7)], attributes: RenderingAttributes(foreground: red, background: yellow), in: .rendering)
        let canvas = scene.paint()
        #expect(canvas.fills(yellow).count == 1)
        let batches = canvas.operations.compactMap { operation -> (Int, Color)? in
            if case .glyphs(let glyphs, let color) = operation { (glyphs.count, color) } else { nil }
        }
        #expect(batches.map(\.0) == [8, 3] && batches[1].1 == red, "one batch for each colour")
        #expect(Set(canvas.glyphs) == Set(plain.glyphs), "nothing has moved")
        #expect(scene.view.store.version == version && scene.view.store.canUndo == canUndo)
        #expect(scene.damage.allSatisfy { $0.height <= scene.view.presenter.lineStep })
        scene.view.perform(.selectAll)
        scene.view.perform(.copy)
        #expect(scene.copied == "one two three")
        // Rendering attributes move with the text, and are removed on request.
        scene.view.select(Selection(caret: 0))
        scene.view.insertText("XX")
        #expect(scene.view.decorations(in: .rendering).runs(in: range(0, 15)).map(\.range) == [range(6, 9)])
        // Undo of the typed letters leaves the attributes on their words, and is the only undo step.
        scene.view.session.undo()
        #expect(scene.view.decorations(in: .rendering).runs(in: range(0, 13)).map(\.range) == [range(4, 7)])
        #expect(scene.view.store.canUndo == canUndo && scene.paint().fills(yellow).count == 1)
        scene.view.session.redo()
        scene.view.updateDecorations(of: range(0, 15), in: .rendering) { _ in nil }
        #expect(scene.paint().fills(yellow).isEmpty)
    }

    @Test func layersArePaintedOverEachOtherAndTakenAwayOneByOne() {
        let scene = ViewScene("one two three|")
        let yellow = Color(rgb: 0xffff00)
        let green = Color(rgb: 0x00ff00)
        scene.view.addDecorations([range(0, 7)], attributes: RenderingAttributes(background: yellow), in: .rendering)
        scene.view.addDecorations(
            [range(4, 7), range(8, 13)], attributes: RenderingAttributes(background: green), in: .search)
        #expect(scene.view.decorations(in: .search).count == 2)
        var canvas = scene.paint()
        let column = 8.0
        #expect(canvas.fills(green).map(\.minX) == [6 + 4 * column, 6 + 8 * column])
        #expect(canvas.fills(yellow).map(\.maxX) == [6 + 4 * column], "covered where a higher layer is")
        scene.view.select(Selection(caret: 0))
        scene.view.insertText("XX")
        #expect(scene.paint().fills(green).map(\.minX) == [6 + 6 * column, 6 + 10 * column])
        scene.view.removeDecorations(in: .search)
        canvas = scene.paint()
        #expect(canvas.fills(green).isEmpty && canvas.fills(yellow).count == 1)
    }

    @Test func stylesOfARangeChangeInOneLayerUpToTheEndOfTheText() {
        let scene = ViewScene("one two three|")
        let yellow = RenderingAttributes(background: Color(rgb: 0xffff00))
        let red = RenderingAttributes(foreground: Color(rgb: 0xff0000))
        func runs() -> [RenderingRun] { scene.view.decorations(in: .spelling).runs(in: range(0, 13)) }
        scene.view.addDecorations([range(0, 7)], attributes: yellow, in: .spelling)
        _ = scene.paint()
        scene.view.updateDecorations(of: range(4, 99), in: .spelling) {
            $0 == RenderingAttributes() ? nil : $0.merging(red)
        }
        #expect(!scene.damage.isEmpty)
        #expect(
            runs() == [
                RenderingRun(range: range(0, 4), attributes: yellow),
                RenderingRun(range: range(4, 7), attributes: yellow.merging(red)),
            ])
        scene.view.updateDecorations(of: range(2, 99), in: .spelling) { _ in red }
        #expect(runs().map(\.range) == [range(0, 2), range(2, 13)])
        scene.view.updateDecorations(of: range(0, 13), in: .spelling) { _ in nil }
        #expect(runs().isEmpty && scene.view.decorations(in: .rendering).isEmpty)
    }

    struct Line: Sendable {
        var style: RenderingAttributes.LineStyle
        var rows: Int
        var minimumParts: Int
    }

    @Test(arguments: [
        Line(style: .single, rows: 1, minimumParts: 1), Line(style: .thick, rows: 1, minimumParts: 1),
        Line(style: .double, rows: 2, minimumParts: 2), Line(style: .dotted, rows: 1, minimumParts: 10),
        Line(style: .dashed, rows: 1, minimumParts: 3), Line(style: .wavy, rows: 3, minimumParts: 10),
    ])
    func linesUnderTextStayInTheirLineOnWholePixels(line: Line) {
        let scene = ViewScene("one two three\nfour|")
        let green = Color(rgb: 0x00ff00)
        scene.view.addDecorations(
            [range(4, 7)], attributes: RenderingAttributes(underline: line.style, underlineColor: green), in: .rendering
        )
        let fills = scene.paint().fills(green)
        let column = 8.0
        #expect(fills.count >= line.minimumParts, "\(fills)")
        #expect(Set(fills.map(\.minY)).count == line.rows)
        #expect(fills.allSatisfy { $0.minX >= 6 + 4 * column && $0.maxX <= 6 + 7 * column + 7 })
        #expect(fills.allSatisfy { $0.maxY <= 6 + scene.view.presenter.lineStep })
        #expect(fills.allSatisfy { $0.minX == $0.minX.rounded() && $0.minY == $0.minY.rounded() })
    }

    @Test func aWaveIsTheSameWhateverPartIsPainted() {
        let scene = ViewScene("wavy line of text|")
        let green = Color(rgb: 0x00ff00)
        scene.view.addDecorations(
            [range(0, 17)],
            attributes: RenderingAttributes(underline: .wavy, underlineColor: green, strikethrough: .single),
            in: .rendering)
        func pixels(_ parts: [WindowRect]) -> Set<WindowPoint> {
            var result: Set<WindowPoint> = []
            for fill in scene.paint(parts).fills(green) {
                for x in Int(fill.minX)..<Int(fill.maxX) {
                    for y in Int(fill.minY)..<Int(fill.maxY) { result.insert(WindowPoint(x: Double(x), y: Double(y))) }
                }
            }
            return result
        }
        let parts = [(0.0, 51.0), (51, 40), (91, 309)].map { WindowRect(x: $0.0, y: 0, width: $0.1, height: 200) }
        let whole = pixels([scene.view.frame])
        #expect(!whole.isEmpty && pixels(parts) == whole)
    }

    // MARK: Damage

    @Test func aKeyDamagesItsLineAndANewLineMovesTheRest() {
        let scene = ViewScene(CaretNotation((0..<9).map { "line \($0)" }.joined(separator: "\n")))
        scene.view.select(Selection(caret: 10))
        _ = scene.paint()
        scene.damage = []
        scene.view.insertText("x")
        let step = scene.view.presenter.lineStep
        let line = scene.damage.reduce(scene.damage[0]) { $0.union($1) }
        #expect(line.minY >= 6 + step - 2 && line.height <= step + 4, "\(line)")
        #expect(line.maxX <= 400 - 8, "the scroll bar is left alone")
        scene.damage = []
        scene.moves = []
        scene.view.insertText("\n")
        #expect(scene.moves.map(\.1) == [step], "what is below moves by a line")
        #expect(scene.damage.allSatisfy { $0.height <= 3 * step + 4 }, "\(scene.damage)")
    }

    @Test func anEditAboveTheViewDamagesNothingOfTheText() {
        let scene = ViewScene(CaretNotation((0..<200).map { "line \($0)" }.joined(separator: "\n")))
        scene.view.scroll(by: 1000)
        _ = scene.paint()
        scene.damage = []
        scene.view.store.replace(range(0, 0), with: "above\n")
        #expect(scene.damage.allSatisfy { $0.minX >= 400 - 8 }, "\(scene.damage)")
        #expect(scene.moves.isEmpty)
    }

    // MARK: Idle time

    @Test func exactHeightsMoveTheThumbAndNothingElse() {
        var text = ""
        for i in 0..<3000 {
            text += String(repeating: i % 7 == 0 ? "wide words that wrap " : "short ", count: 1 + i % 9) + "\n"
        }
        let scene = ViewScene()
        scene.view.text = text
        scene.view.scroll(by: 20_000)
        scene.view.scroll(by: -3001)
        let before = scene.paint().glyphs
        #expect(scene.view.presenter.hasEstimatedHeights)
        scene.damage = []
        var slices = 0
        var asked = 0
        var drift = 0
        while !scene.view.presenter.refineHeights(until: {
            asked += 1
            return asked % 100 == 0
        }) {
            slices += 1
            drift += scene.paint().glyphs == before ? 0 : 1
        }
        #expect(slices > 10)
        let after = scene.paint().glyphs
        #expect(drift == 0 && after == before, "drifted in \(drift) of \(slices) slices: \(difference(before, after))")
        #expect(!scene.view.presenter.hasEstimatedHeights)
        #expect(scene.damage.allSatisfy { $0.minX >= 400 - 8 }, "only the scroll bar")
        // A held thumb does not move.
        scene.view.store.replace(range(0, 0), with: String(repeating: text, count: 2))
        let thumb = scene.view.presenter.scrollBars.thumb(.vertical)!
        scene.view.presenter.scrollBars.press(at: ViewPoint(x: 396, y: thumb.minY + 2))
        #expect(scene.view.presenter.hasEstimatedHeights && !scene.view.presenter.refineHeights { false })
        #expect(scene.view.presenter.scrollBars.thumb(.vertical) == thumb)
        _ = scene.view.presenter.scrollBars.release()
        #expect(scene.view.presenter.refineHeights { false })
    }

    // MARK: Sideways

    @Test func draggingBeyondTheSideScrollsOnWhereLinesDoNotWrap() {
        let scene = ViewScene(CaretNotation(String(repeating: "0123456789", count: 40)))
        scene.view.wrapsLines = false
        scene.press(at: ViewPoint(x: 100, y: 10))
        scene.drag(to: ViewPoint(x: 500, y: 10))
        let first = (scene.view.selection?.head ?? 0)
        for _ in 0..<200 {
            scene.time += 50
            scene.view.handleDeadline()
        }
        #expect(
            (scene.view.selection?.head ?? 0) > first && scene.view.selection?.head == 400, "\(scene.view.selection)")
        scene.drag(to: ViewPoint(x: -30, y: 10))
        for _ in 0..<300 {
            scene.time += 50
            scene.view.handleDeadline()
        }
        #expect(scene.view.selection?.head == 0)
        scene.release(at: ViewPoint(x: -30, y: 10))
        // Scrolling ends at the widest line.
        scene.view.scroll(by: 0, dx: 1e6)
        let end = scene.paint().glyphs.map(\.x)
        #expect((end.max() ?? 0) > 200 && (end.min() ?? 0) < 400)
    }

    // MARK: Switching

    @Test func switchesKeepSelectionUndoAndTheLineAtTheTop() {
        let scene = ViewScene(
            CaretNotation(
                (0..<300).map { "line \($0) with some more words than fit into it, and שלום" }.joined(separator: "\n")))
        scene.view.select(Selection(caret: 9000))
        scene.view.insertText("typed")
        scene.view.select(Selection(anchor: 9000, head: 9005), scrolling: false)
        scene.view.scroll(by: 50)
        func top() -> UTF16Offset { scene.view.offset(at: ViewPoint(x: 7, y: 7)) }
        let before = top()
        func check(_ what: String) {
            #expect(scene.view.selection?.range == range(9000, 9005), "\(what)")
            // The top line contains the offset that was at the top before.
            let first = scene.view.layout.geometry.lineFragment(at: before).utf16Range
            let now = scene.view.layout.geometry.lineFragment(at: top()).utf16Range
            #expect(
                first.lowerBound <= now.upperBound && now.lowerBound <= first.upperBound, "\(what): \(first) \(now)")
            #expect(scene.view.store.canUndo, "\(what)")
        }
        scene.view.wrapsLines = false
        check("no wrap")
        scene.view.wrapsLines = true
        check("wrap")
        #expect(top() == before)
        scene.view.font = FontDescriptor(family: "DejaVu Sans", size: 25)
        check("font")
        scene.view.font = FontDescriptor(family: "DejaVu Sans Mono", size: 14)
        check("font back")
        #expect(top() == before)
        for direction in [BidiBaseDirection.rightToLeft, .leftToRight, .natural] {
            scene.view.paragraphStyle.baseDirection = direction
            check("\(direction)")
        }
        scene.view.presenter.setStyle(
            font: FontDescriptor(family: "DejaVu Sans Mono", size: 28), theme: scene.view.theme.scaled(by: 2),
            settings: FontSettings(["hintstyle": "0"]))
        check("scale")
        scene.view.perform(.undo)
        #expect(!scene.view.text.contains("typed"))
    }
}
