import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

/// The layout of font and paragraph-style attributes.
@Suite(.timeLimit(.minutes(5))) struct StyleAttributeTests {
    private static let fonts = [
        FontDescriptor(family: "DejaVu Sans", size: 28, language: "en"),
        FontDescriptor(family: "DejaVu Serif", size: 16, slant: .italic, language: "en"),
        // The font has the widths and glyph numbers of the regular one.
        FontDescriptor(family: "DejaVu Sans Mono", size: 16, weight: 200, language: "en"),
    ]

    private static func style(_ alignment: ParagraphStyle.Alignment, indent: Double = 0) -> ParagraphStyle {
        var style = ParagraphStyle()
        style.alignment = alignment
        style.indent = indent
        return style
    }

    /// Describes a layout: each line's position, height, fonts and glyphs.
    private static func lines(_ layout: TextLayoutManager) -> [String] {
        layout.allLines.map { line in
            let glyphs = line.glyphs.map { "\($0.font.rawValue):\($0.glyph)@\($0.x),\($0.y)" }.joined(separator: " ")
            return "\(line.utf16Range) \(line.top)+\(line.bottom - line.top) \(glyphs)"
        }
    }

    /// Makes a layout follow its store.
    private static func follow(_ layout: TextLayoutManager) -> TextObservation {
        layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
    }

    @Test func eachRunIsInItsFontAndEachParagraphInItsStyle() {
        let layout = makeLayout("plain and large\nright\nlast")
        let whole = Self.lines(layout)
        let observation = Self.follow(layout)
        layout.store.restyle {
            $0.setFont(Self.fonts[0], in: 10..<15)
            $0.set(Self.style(.right), of: ParagraphStyleAttribute.self, in: 18..<19)
        }
        // The same layout with styles from the content manager's delegate.
        let asked = makeLayout("plain and large\nright\nlast")
        let delegate = Styling()
        delegate.displayed = { paragraph in
            var copy = paragraph
            if paragraph.index == 0 {
                copy.fontRuns = [.init(range: 10..<15, font: Self.fonts[0])]
                copy.paragraphStyle = ParagraphStyle()
                copy.paragraphStyle?.lineHeight = .growing
            }
            if paragraph.index == 1 { copy.paragraphStyle = Self.style(.right) }
            return copy
        }
        (asked.textContentManager as? TextContentStorage)?.delegate = delegate
        #expect(Self.lines(layout) == Self.lines(asked))
        #expect(layout.geometry.caretRect(at: 2).height > 1.5 * layout.geometry.caretRect(at: 23).height)
        #expect(layout.geometry.caretRect(at: 21).minX == 400)
        layout.store.undo()
        #expect(Self.lines(layout) == whole && layout.document.runs == nil)
        withExtendedLifetime((observation, delegate)) {}
    }

    @Test func aParagraphOfOneFontHasItsHeightAlsoIfItIsEmpty() {
        let layout = makeLayout("one\n\ntwo\n")
        let observation = Self.follow(layout)
        let plain = layout.allLines.map { $0.bottom - $0.top }
        layout.store.restyle { $0.setFont(Self.fonts[0], in: 0..<9) }
        let alone = makeLayout("x", size: 28).allLines[0]
        #expect(layout.allLines.map { $0.bottom - $0.top } == Array(repeating: alone.bottom - alone.top, count: 4))
        layout.store.restyle { $0.setFont(nil, in: 4..<5) }
        #expect(layout.allLines[1].bottom - layout.allLines[1].top == plain[1])
        withExtendedLifetime(observation) {}
    }

    @Test func sizesAreThoseOfTheScale() {
        let layout = makeLayout("large\nindented")
        layout.attributeScale = 2
        let observation = Self.follow(layout)
        var style = Self.style(.left, indent: 10)
        (style.firstLineIndent, style.spacingAfter, style.lineHeight) = (10, 3, .atLeast(50))
        layout.store.restyle {
            $0.setFont(FontDescriptor(family: "DejaVu Sans", size: 8.2), in: 0..<5)
            $0.set(style, of: ParagraphStyleAttribute.self, in: 6..<7)
        }
        #expect(layout.allLines[0].glyphs.map(\.x) == makeLayout("large").allLines[0].glyphs.map(\.x))
        #expect(layout.geometry.caretRect(at: 6).minX == 20)
        #expect(layout.allLines[1].bottom - layout.allLines[1].top == 100)
        withExtendedLifetime(observation) {}
    }

    @Test func secretTextShowsNothingOfItsFonts() {
        let layout = makeLayout("secret")
        let observation = Self.follow(layout)
        layout.masksCharacters = true
        let masked = Self.lines(layout)
        layout.store.restyle { $0.setFont(Self.fonts[0], in: 2..<4) }
        #expect(Self.lines(layout) == masked)
        withExtendedLifetime(observation) {}
    }

    /// A change of colour keeps the lines; a change of font replaces only the lines affected.
    @Test func onlyChangesOfMetricsCauseLayout() throws {
        let layout = makeLayout("one\ntwo\nthree")
        _ = layout.allLines
        func laid(_ unit: Int) -> ObjectIdentifier {
            ObjectIdentifier(layout.document.placedFragment(at: unit).fragment)
        }
        let before = [0, 4, 8].map(laid)
        func restyle(_ change: (inout Restyling) -> Void) -> LayoutChange? {
            layout.store.restyle(change).map { layout.apply($0) }
        }
        let colored = try #require(restyle { $0.set(Color(rgb: 0xff0000), of: ForegroundAttribute.self, in: 0..<13) })
        #expect([0, 4, 8].map(laid) == before && colored.utf16Range.isEmpty && colored.band.size.height == 0)
        let height = layout.usageHeight
        let grown = try #require(restyle { $0.setFont(Self.fonts[0], in: 5..<6) })
        let after = [0, 4, 8].map(laid)
        #expect(after[0] == before[0] && after[1] != before[1] && after[2] == before[2])
        #expect(grown.utf16Range == 4..<8 && grown.heightDelta == layout.usageHeight - height && grown.heightDelta > 0)
    }

    /// Fonts with the same glyph numbers still differ, so the line is repainted.
    @Test func theWholeLineIsPaintedWhereItsFontChanges() throws {
        let layout = makeLayout("one\ntwo", family: "DejaVu Sans Mono")
        _ = layout.allLines
        let applied = try #require(
            layout.store.restyle { $0.setFont(Self.fonts[2], in: 4..<7) })
        let change = layout.apply(applied)
        let line = layout.allLines[1]
        #expect(change.band.minY <= line.top && change.band.maxY >= line.bottom)
        #expect(change.band.minX <= 0 && change.band.maxX >= 400)
    }

    /// A layout that follows edits, style changes, undo and redo equals a new layout of the same text.
    @Test(arguments: [1, 2, 3, 4] as [UInt64], [90.0, 400.0])
    func linesAreThoseOfTheTextAndItsAttributes(_ seed: UInt64, _ width: Double) {
        var random = SeededGenerator(seed: seed)
        let layout = makeLayout(Samples.document, width: width, wraps: seed != 4)
        let store = layout.store
        let observation = Self.follow(layout)
        defer { withExtendedLifetime(observation) {} }
        func range(_ longest: Int) -> Range<UTF16Offset> {
            let low = random.below(layout.length.value + 1)
            return UTF16Offset(low)..<UTF16Offset(min(layout.length.value, low + random.below(longest)))
        }
        for step in 0..<24 {
            _ = layout.allLines
            switch random.below(10) {
            case 0, 1:
                let font = random.once(in: 4) ? nil : Self.fonts[random.below(3)]
                store.restyle { restyling in
                    for _ in 0..<1 + random.below(4) { restyling.setFont(font, in: range(40)) }
                }
            case 2:
                let style = random.once(in: 3) ? nil : Self.style(random.once(in: 2) ? .right : .center, indent: 7)
                store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: range(30)) }
            case 3, 4:
                store.replace(
                    range(random.once(in: 2) ? 1 : 40), with: ["x", "\n", "two words", "שלום"][random.below(4)])
            case 5:
                // Change text and attributes together at several offsets.
                var builder = TextChangeSet.Builder(over: store.text)
                var at = UTF16Offset(0)
                for place in (0..<6).map({ _ in range(6) }).sorted(by: { $0.lowerBound < $1.lowerBound })
                where place.lowerBound >= at {
                    builder.replace(place, with: "\n" + String(repeating: "y", count: random.below(3)))
                    at = place.upperBound + 1
                }
                var restyling: Restyling?
                if random.once(in: 2) {
                    restyling = Restyling()
                    restyling?.setFont(Self.fonts[0], in: range(20))
                }
                store.apply(Transaction(on: store, builder.finish(), restyling: restyling))
            case 6, 7: store.undo()
            case 8:
                let raise: Double? = [12, -9, nil][random.below(3)]
                store.restyle {
                    $0.set(raise, of: BaselineOffsetAttribute.self, in: range(random.once(in: 2) ? 1 : 40))
                }
            default: store.redo()
            }
            let anew = TextLayoutManager(sharing: layout, store: store)
            guard Self.lines(layout) == Self.lines(anew) else {
                #expect(Self.lines(layout) == Self.lines(anew), "seed \(seed) step \(step)")
                return
            }
            #expect(layout.document.runs == store.styledText.runs, "seed \(seed) step \(step)")
        }
    }

    @Test func stylesAreReadAsTheyWereWritten() {
        for height: ParagraphStyle.LineHeight in [
            .natural, .growing, .multiple(1.5), .multipleOfSize(1.2), .exactly(20), .atLeast(7.5),
        ] {
            for alignment: ParagraphStyle.Alignment in [.natural, .left, .right, .center, .justified] {
                var style = Self.style(alignment, indent: 4)
                style.lineHeight = height
                style.baseDirection = alignment == .left ? .rightToLeft : .leftToRight
                style.tabStops = [
                    12.5, TabStop(40, alignment: .decimal), TabStop(80, alignment: .trailing, leader: "."),
                ]
                (style.tabInterval, style.tailIndent, style.spacingBefore) = (4, 5.5, 3)
                (style.firstLineIndent, style.spacingAfter) = (8, 2)
                #expect(ParagraphStyleAttribute.decode(ParagraphStyleAttribute.encode(style)) == style)
            }
        }
        let plain = ParagraphStyle()
        #expect(ParagraphStyleAttribute.decode(ParagraphStyleAttribute.encode(plain)) == plain)
        #expect(ParagraphStyleAttribute.decode(Array("alignment:above".utf8)) == nil)
    }
}

/// A delegate that styles paragraphs by a function.
private final class Styling: TextContentStorageDelegate {
    var displayed: (TextParagraph) -> TextParagraph? = { $0 }

    func textContentStorage(_: TextContentStorage, textParagraphWith paragraph: TextParagraph) -> TextParagraph? {
        displayed(paragraph)
    }
}
