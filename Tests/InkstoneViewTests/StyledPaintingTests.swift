import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The painting of text styles: lines, backgrounds, tab leaders, and the caret.
@Suite(.timeLimit(.minutes(5))) struct StyledPaintingTests {
    private static let red = Color(rgb: 0xff0000)
    private static let yellow = Color(rgb: 0xffff00)

    private func painted(_ text: String, _ restyle: (inout Restyling) -> Void) -> RecordingCanvas {
        let scene = ViewScene(CaretNotation(text), width: 600)
        scene.view.store.restyle(restyle)
        return scene.paint()
    }

    /// Runs with different sizes and fallback fonts on one baseline share one underline, at the lowest position and
    /// the largest thickness of any of them.
    @Test(arguments: [RenderingAttributes.LineStyle.single, .thick, .double, .dotted, .dashed, .wavy])
    func underlinesOfRunsThatFollowEachOtherAreOneLine(_ shape: RenderingAttributes.LineStyle) {
        func lines(_ large: Range<UTF16Offset>, raised: Double? = nil) -> [WindowRect] {
            painted("small LARGE 日本|") {
                $0.set(shape, of: UnderlineAttribute.self, in: 0..<14)
                $0.set(Self.red, of: UnderlineColorAttribute.self, in: 0..<14)
                $0.set(56, of: FontSizeAttribute.self, in: large)
                $0.set(Self.yellow, of: ForegroundAttribute.self, in: 2..<3)
                $0.set(raised, of: BaselineOffsetAttribute.self, in: large)
            }.fills(Self.red)
        }
        let (all, some) = (lines(0..<14), lines(6..<11))
        #expect(Set(all.map(\.minY)) == Set(some.map(\.minY)) && Set(all.map(\.height)) == Set(some.map(\.height)))
        if shape == .single || shape == .thick { #expect(some.count == 1) }
        if shape == .double { #expect(some.count == 2) }
        // A pattern continues across runs.
        let starts = some.map(\.minX).sorted()
        let steps = Set(zip(starts, starts.dropFirst()).map { $1 - $0 })
        if shape == .dotted || shape == .dashed { #expect(steps.count == 1 && starts.count > 5) }
        // Raised text has its own underline.
        #expect(Set(lines(6..<11, raised: 20).map(\.minY)).count > Set(some.map(\.minY)).count)
    }

    /// Painting a part of an underline gives the same pixels as painting all of it.
    @Test func anUnderlineIsTheSameWhereAPartOfItIsPainted() {
        let scene = ViewScene(CaretNotation("small LARGE more|"), width: 600)
        scene.view.store.restyle {
            $0.set(.single, of: UnderlineAttribute.self, in: 0..<16)
            $0.set(Self.red, of: UnderlineColorAttribute.self, in: 0..<16)
            $0.set(56, of: FontSizeAttribute.self, in: 6..<11)
        }
        let all = scene.paint().fills(Self.red)
        let canvas = RecordingCanvas(size: scene.view.frame.size)
        scene.view.paint(on: canvas, damage: WindowRect(x: 8, y: 0, width: 10, height: 200))
        let part = canvas.fills(Self.red)
        #expect(all.count == 1 && part.count == 1)
        #expect(part.map(\.minY) == all.map(\.minY) && part.map(\.height) == all.map(\.height))
    }

    @Test func strikethroughsHaveColoursOfTheirOwnAndTheMetricsOfEachRun() {
        let fills = painted("small LARGE|") {
            $0.set(.single, of: StrikethroughAttribute.self, in: 0..<11)
            $0.set(Self.red, of: StrikethroughColorAttribute.self, in: 0..<11)
            $0.set(56, of: FontSizeAttribute.self, in: 6..<11)
        }.fills(Self.red)
        #expect(fills.count == 2 && Set(fills.map(\.minY)).count == 2 && fills[0].height != fills[1].height)
    }

    /// The background of small text has the height of its own font, even on a line with larger text.
    @Test func coloursBehindTextAreAsHighAsItsFont() {
        func height(_ large: Double?, _ range: Range<UTF16Offset>) -> [Double] {
            painted("small LARGE\nnext|") {
                $0.set(Self.yellow, of: BackgroundAttribute.self, in: range)
                $0.set(large, of: FontSizeAttribute.self, in: 6..<11)
            }.fills(Self.yellow).map(\.height)
        }
        #expect(height(56, 0..<5) == height(nil, 0..<5) && height(nil, 0..<5).count == 1)
        #expect(height(56, 6..<11)[0] > 3 * height(56, 0..<5)[0])
        #expect(height(56, 0..<11).count == 2)
    }

    @Test func linksHaveTheThemesColourAndLine() {
        let theme = Theme()
        let scene = ViewScene(CaretNotation("a link here|"), width: 600)
        let plain = scene.paint()
        scene.view.store.restyle { $0.set("https://example.com", of: LinkAttribute.self, in: 2..<6) }
        let canvas = scene.paint()
        #expect(canvas.fills(theme.link).contains { $0.height < 3 && $0.width > 10 })
        #expect(canvas.glyphs.map(\.glyph).sorted() == plain.glyphs.map(\.glyph).sorted())
        for theme in [Theme(), .dark, .highContrast, .highContrastDark] { #expect(theme.link != theme.text) }
    }

    @Test func leadersOfTabsArePainted() {
        var style = ParagraphStyle()
        style.tabStops = [TabStop(300, alignment: .trailing, leader: ".")]
        let scene = ViewScene(CaretNotation("one\t27|"), width: 600)
        let before = scene.paint().glyphs.count
        scene.view.store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<6) }
        let glyphs = scene.paint().glyphs
        #expect(glyphs.count > before + 30 && Set(glyphs.map(\.y)).count == 1)
    }

    // MARK: The caret

    private func carets(_ scene: ViewScene) -> [WindowRect] { scene.paint().fills(Theme().caret) }

    /// The caret has the height of the text that would be typed, on the line's baseline.
    @Test func theCaretHasHeightBaselineAndSlantOfWhatIsTyped() throws {
        let scene = ViewScene(CaretNotation("small LARGE|"), width: 600)
        let view = scene.view
        let plain = try #require(carets(scene).first)
        view.store.restyle { $0.set(56, of: FontSizeAttribute.self, in: 6..<11) }
        let large = try #require(carets(scene).first)
        view.select(Selection(caret: 3))
        let small = try #require(carets(scene).first)
        #expect(small.height == plain.height && large.height > 3 * small.height)
        #expect(small.minY > large.minY && small.maxY < large.maxY)
        // Raised, and with another size, before anything is typed.
        view.session.setAttribute(10, of: BaselineOffsetAttribute.self)
        let raised = try #require(carets(scene).first)
        #expect(raised.minY == small.minY - 10 && raised.height == small.height)
        view.session.setAttribute(nil as Double?, of: BaselineOffsetAttribute.self)
        // In italic text the caret slants, and is repainted at once.
        scene.damage = []
        view.perform(.toggleItalics)
        #expect(!scene.damage.isEmpty)
        let slanted = carets(scene)
        #expect(slanted.count >= 3 && slanted.reduce(0) { $0 + $1.height } == small.height)
        #expect((slanted.map(\.minX).max() ?? 0) - (slanted.map(\.minX).min() ?? 0) >= 2)
        scene.damage = []
        view.perform(.moveRight)
        #expect(carets(scene).count == 1 && !scene.damage.isEmpty)
    }

    /// The caret of text without attributes has the line's height.
    @Test func theCaretOfPlainTextIsAsHighAsItsLine() {
        var style = ParagraphStyle()
        style.lineHeight = .exactly(40)
        let scene = ViewScene(CaretNotation("plain|"), width: 600)
        scene.view.paragraphStyle = style
        #expect(carets(scene).first?.height == 40)
    }
}
