import CPango
import InkstoneBase
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Line heights compared with Pango's for the same attributes and font, DejaVu Sans at 16 pixels. Differences are
/// listed with their reasons, except fractions: Inkstone rounds ascent and descent to pixels, Pango does not.
@Suite(.timeLimit(.minutes(5))) struct PangoHeightTests {
    /// The reason for a different line height.
    enum Difference: Sendable {
        /// Pango raises superscripts by the font's value, Inkstone by a third of the size.
        case superscripts
        /// Inkstone ignores fallback fonts, so that lines do not jump.
        case fallback
    }

    struct Line: Sendable, CustomTestStringConvertible {
        /// Text in Pango's markup.
        var markup: String
        var text: String
        var styles: [@Sendable (inout Restyling) -> Void] = []
        var style = ParagraphStyle()
        var difference: Difference?
        var testDescription: String { markup }

        init(
            _ markup: String, _ text: String, _ difference: Difference? = nil, style: ParagraphStyle = ParagraphStyle(),
            _ styles: @Sendable (inout Restyling) -> Void...
        ) {
            (self.markup, self.text, self.difference, self.style, self.styles) = (
                markup, text, difference, style, styles
            )
        }
    }

    private static func height(_ height: ParagraphStyle.LineHeight) -> ParagraphStyle {
        var style = ParagraphStyle()
        style.lineHeight = height
        return style
    }

    static let lines = [
        Line("plain", "plain"), Line("one\n\ntwo", "one\n\ntwo"),
        Line("a<span font_desc='36px'>b</span>c", "abc") { $0.set(36, of: FontSizeAttribute.self, in: 1..<2) },
        Line("a<span font_desc='8px'>b</span>c", "abc") { $0.set(8, of: FontSizeAttribute.self, in: 1..<2) },
        Line("<span font_desc='8px'>abc</span>", "abc") { $0.set(8, of: FontSizeAttribute.self, in: 0..<3) },
        Line("a<span font_desc='DejaVu Serif 24px'>b</span>c", "abc") {
            $0.set(24, of: FontSizeAttribute.self, in: 1..<2)
            $0.set("DejaVu Serif", of: FontFamilyAttribute.self, in: 1..<2)
        },
        Line("a<b>b</b><i>c</i>", "abc") {
            $0.set(200, of: FontWeightAttribute.self, in: 1..<2)
            $0.set(.italic, of: FontSlantAttribute.self, in: 2..<3)
        },
        Line("a<span rise='10240'>b</span>c", "abc") { $0.set(10, of: BaselineOffsetAttribute.self, in: 1..<2) },
        Line("a<span rise='-6144'>b</span>c", "abc") { $0.set(-6, of: BaselineOffsetAttribute.self, in: 1..<2) },
        Line("<span line_height='1.5'>abc</span>", "abc", style: height(.multiple(1.5))),
        Line("<span line_height='3'>abc</span>", "abc", style: height(.multiple(3))),
        Line("<span line_height='0.5'>abc</span>", "abc", style: height(.multiple(0.5))),
        Line("<span line_height='40960'>abc</span>", "abc", style: height(.exactly(40))),
        Line("<span line_height='10240'>abc</span>", "abc", style: height(.exactly(10))),
        Line("a<sup>b</sup>c", "abc", .superscripts) { $0.set(1, of: SuperscriptAttribute.self, in: 1..<2) },
        Line("a<sub>b</sub>c", "abc") { $0.set(-1, of: SuperscriptAttribute.self, in: 1..<2) },
        Line("abc漢字", "abc漢字", .fallback), Line("abc ไทย", "abc ไทย", .fallback),
    ]

    @Test(arguments: lines) func heightsAreThoseOfPango(_ line: Line) throws {
        let layout = makeLayout(line.text, style: line.style)
        let observation = layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
        layout.store.restyle { restyling in for style in line.styles { style(&restyling) } }
        let ours = layout.allLines.map { (height: $0.bottom - $0.top, baseline: $0.baseline - $0.top) }
        var map: UnsafeMutablePointer<PangoFontMap>?
        defer { g_object_unref(map) }
        var lines = [cpango_line](repeating: cpango_line(), count: 10)
        let count = cpango_lines(&map, line.markup, "DejaVu Sans", 16, &lines, 10)
        try #require(Int(count) == ours.count)
        var isOther = false
        for (ours, pango) in zip(ours, lines) {
            let (height, baseline) = (Double(pango.height) / 1024, Double(pango.baseline) / 1024)
            let isLine = abs(ours.height - height) < 2 && abs(ours.baseline - baseline) < 1.5
            if line.difference == nil { #expect(isLine, "ours \(ours), Pango's \(height) and \(baseline)") }
            isOther = isOther || !isLine
        }
        #expect(isOther == (line.difference != nil), "a listed difference is none any more")
        withExtendedLifetime(observation) {}
    }
}
