import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Pictures of text, the fading of replaced text, and the paths of marks.
@Suite(.timeLimit(.minutes(5))) struct TextPreviewTests {
    private static let red = Color(rgb: 0xff0000)

    /// Returns the glyphs whose pen position is within a horizontal range of the window.
    private func glyphs(_ canvas: RecordingCanvas, from left: Double, to right: Double) -> Set<CanvasGlyph> {
        Set(canvas.glyphs.filter { left <= Double($0.x) && Double($0.x) < right })
    }

    @Test func aRangeHasAPictureForEachOfItsLines() throws {
        let scene = ViewScene("one two\nthree\nfour|")
        let previews = scene.view.previews(of: 4..<10)
        #expect(previews.map(\.range) == [4..<8, 8..<10])
        let lines = [4, 8].map { scene.view.layout.geometry.caretRect(at: $0) }
        #expect(previews.map(\.rect.minY) == lines.map { $0.minY + scene.view.theme.margin })
        #expect(previews.map(\.rect.height) == lines.map(\.height))
        for preview in previews {
            #expect(preview.rect.minY < preview.baseline && preview.baseline < preview.rect.maxY)
        }
        #expect(previews[0].rect.width == 3 * previews[1].rect.width / 2)
    }

    /// At its own position, a picture draws what the view paints there, without selection and background.
    @Test func aPictureIsWhatTheViewPaints() throws {
        let scene = ViewScene("one [two|] three")
        scene.view.store.restyle {
            $0.set(Self.red, of: ForegroundAttribute.self, in: 5..<6)
            $0.set(.single, of: UnderlineAttribute.self, in: 4..<7)
        }
        let preview = try #require(scene.view.previews(of: 4..<7).first)
        let canvas = RecordingCanvas(size: scene.view.frame.size)
        let rect = preview.rect
        preview.draw(on: canvas, at: WindowPoint(x: rect.minX, y: rect.minY))
        let painted = scene.paint()
        let drawn = glyphs(canvas, from: rect.minX, to: rect.maxX)
        #expect(drawn.count == 3 && drawn == glyphs(painted, from: rect.minX, to: rect.maxX))
        #expect(!canvas.fills(Self.red).isEmpty)
        #expect(canvas.fills(Self.red) == painted.fills(Self.red))
        #expect(canvas.fills(scene.view.theme.selection).isEmpty && canvas.fills(scene.view.theme.background).isEmpty)
        // At another position, the same is drawn with an offset.
        let other = RecordingCanvas(size: scene.view.frame.size)
        preview.draw(on: other, at: WindowPoint(x: rect.minX + 10, y: rect.minY + 20), opacity: 0.5)
        let moved = drawn.map { CanvasGlyph(font: $0.font, glyph: $0.glyph, x: $0.x + 10, y: $0.y + 20) }
        #expect(glyphs(other, from: rect.minX + 10, to: rect.maxX + 10) == Set(moved))
        #expect(other.fills(Self.red.withAlpha(128)).map(\.minX) == canvas.fills(Self.red).map { $0.minX + 10 })
    }

    @Test func linesOutOfSightHaveNoPictures() {
        let scene = ViewScene(CaretNotation(String(repeating: "line\n", count: 100) + "|"))
        scene.view.select(Selection(caret: 0))
        let previews = scene.view.previews(of: 0..<500)
        #expect(previews.count >= 10 && previews.count < 20)
        #expect(scene.view.previews(of: 450..<460).isEmpty)
        #expect(scene.view.previews(of: 3..<3).isEmpty && scene.view.previews(of: 4..<5).isEmpty)
    }

    /// Returns the fills in this colour with reduced opacity.
    private func faded(_ canvas: RecordingCanvas, _ color: Color) -> [(rect: WindowRect, alpha: UInt8)] {
        canvas.operations.compactMap {
            guard case .fill(let rect, let fill) = $0, fill != color, fill.withAlpha(255) == color else { return nil }
            return (rect, fill.alpha)
        }
    }

    @Test func replacedTextFadesOutByTheDeadlines() throws {
        let scene = ViewScene("one two three|")
        let (view, background) = (scene.view, scene.view.theme.background)
        let old = try #require(view.previews(of: 4..<7).first).rect
        view.fadeOutText(of: [4..<7])
        view.store.replace(UTF16Offset(4)..<7, with: "2")
        scene.time = 100
        let half = faded(scene.paint(), background)
        #expect(half.map(\.rect) == [WindowRect(x: old.minX, y: old.minY, width: old.width, height: old.height)])
        #expect(half.map(\.alpha) == [128])
        // The old glyphs fade out above the new ones, which appear at once.
        let colors = scene.paint().operations.compactMap { operation -> Color? in
            if case .glyphs(_, let color) = operation { color } else { nil }
        }
        #expect(colors == [view.theme.text, view.theme.text.withAlpha(128)])
        var steps = 0
        while let deadline = view.nextDeadline, deadline < 200, steps < 100 {
            scene.time = max(deadline, scene.time + 1)
            scene.damage = []
            view.handleDeadline()
            #expect(scene.damage.contains(old))
            steps += 1
        }
        #expect((3...8).contains(steps))
        scene.time = 200
        view.handleDeadline()
        #expect(faded(scene.paint(), background).isEmpty)
        scene.damage = []
        view.handleDeadline()
        #expect(!scene.damage.contains(old))
    }

    @Test func nothingFadesWithoutAnimationsNorAfterAChangeOfTheFrame() {
        let scene = ViewScene("one two three|")
        let (view, background) = (scene.view, scene.view.theme.background)
        view.animatesText = false
        view.fadeOutText(of: [4..<7])
        #expect(faded(scene.paint(), background).isEmpty)
        view.animatesText = true
        view.fadeOutText(of: [4..<7])
        scene.time = 50
        #expect(faded(scene.paint(), background).count == 1)
        view.setFrame(WindowRect(x: 0, y: 0, width: 100, height: 200))
        #expect(faded(scene.paint(), background).isEmpty)
    }

    @Test func atMostSixtyFourLinesFade() {
        let scene = ViewScene(
            CaretNotation(String(repeating: "x\n", count: 200) + "|"), width: 400, height: 4_000)
        scene.view.select(Selection(caret: 0))
        scene.view.fadeOutText(of: [0..<300])
        scene.view.fadeOutText(of: [300..<400])
        scene.time = 50
        #expect(faded(scene.paint(), scene.view.theme.background).count == 64)
    }

    /// A picture scrolls with its line.
    @Test func picturesScrollWithTheText() throws {
        let scene = ViewScene(CaretNotation("one two\n" + String(repeating: "line\n", count: 100) + "|"))
        scene.view.select(Selection(caret: 0))
        let rect = try #require(scene.view.previews(of: 12..<14).first).rect
        scene.view.fadeOutText(of: [12..<14])
        scene.view.scroll(by: 10)
        scene.time = 50
        #expect(faded(scene.paint(), scene.view.theme.background).map(\.rect.minY) == [rect.minY - 10])
    }

    // MARK: Marks

    /// The paths of a mark equal the view's painting of a decoration in the same style.
    @Test(arguments: [RenderingAttributes.LineStyle.single, .dotted, .wavy])
    func pathsOfMarksAreWhatIsPainted(_ style: RenderingAttributes.LineStyle) {
        let scene = ViewScene("small LARGE\nmore words|")
        scene.view.store.restyle { $0.set(28, of: FontSizeAttribute.self, in: 6..<11) }
        let paths = scene.view.markPaths(of: 2..<16, style: style)
        #expect(paths.map(\.range) == [2..<12, 12..<16])
        scene.view.addDecorations(
            [2..<16], attributes: RenderingAttributes(underline: style, underlineColor: Self.red), in: .spelling)
        let painted = scene.paint().fills(Self.red)
        let reported = paths.flatMap(\.underline).map {
            WindowRect(x: $0.minX, y: $0.minY, width: $0.width, height: $0.height)
        }
        #expect(Set(reported) == Set(painted) && reported.count == painted.count && !reported.isEmpty)
        for path in paths {
            #expect(path.underline.allSatisfy { path.box.minX <= $0.minX && $0.maxX <= path.box.maxX })
        }
    }

    /// A mark whose ends are outside of the viewport has all its visible lines.
    @Test func onlyVisiblePartsOfMarksAreReported() {
        let scene = ViewScene(CaretNotation(String(repeating: "line\n", count: 100) + "|"))
        scene.view.select(Selection(caret: 0))
        scene.view.scroll(by: 200)
        scene.view.addDecorations(
            (0..<100).map { UTF16Offset(5 * $0)..<UTF16Offset(5 * $0 + 2) },
            attributes: RenderingAttributes(foreground: Self.red), in: .spelling)
        let style = RenderingAttributes.LineStyle.single
        let lines = scene.view.previews(of: 0..<500).map(\.range)
        let paths = scene.view.markPaths(of: 0..<500, style: style)
        #expect(lines.count >= 10 && lines.count < 20 && Set(paths.map(\.box.minY)).count == lines.count)
        #expect(paths == lines.flatMap { scene.view.markPaths(of: $0, style: style) })
        #expect(scene.view.markPaths(of: 450..<460, style: style).isEmpty)
    }

    @Test func aPathsBoxHoldsThePointsOfItsText() throws {
        let scene = ViewScene("one two\nthree|")
        let path = try #require(scene.view.markPaths(of: 4..<7).first)
        for offset in 4..<7 {
            let caret = scene.view.caretRect(for: scene.view.store.position(at: UTF16Offset(offset)))
            #expect(path.box.contains(ViewPoint(x: caret.minX + 4, y: caret.minY + 3)))
        }
        let outside = scene.view.caretRect(for: scene.view.store.position(at: 3))
        #expect(!path.box.contains(ViewPoint(x: outside.minX + 2, y: outside.minY + 3)))
        #expect(scene.view.markPaths(of: 7..<7).isEmpty)
    }
}
