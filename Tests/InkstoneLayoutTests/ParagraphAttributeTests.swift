import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

/// Paragraph and line attributes: heights by the fonts on a line, indents, spacing and tab stops.
@Suite(.timeLimit(.minutes(5))) struct ParagraphAttributeTests {
    /// Lays out a text with attributes.
    private static func layout(
        _ text: String, width: Double = 900, wraps: Bool = true, style: ParagraphStyle = ParagraphStyle(),
        _ restyle: (inout Restyling) -> Void = { _ in }
    ) -> TextLayoutManager {
        let layout = makeLayout(text, width: width, wraps: wraps, style: style)
        if let applied = layout.store.restyle(restyle) { _ = layout.apply(applied) }
        return layout
    }

    private static func style(_ change: (inout ParagraphStyle) -> Void) -> ParagraphStyle {
        var style = ParagraphStyle()
        change(&style)
        return style
    }

    private static func box(_ layout: TextLayoutManager, _ index: Int = 0) -> [Double] {
        let line = layout.allLines[index]
        return [line.bottom - line.top, line.baseline - line.top]
    }

    // MARK: Heights

    /// The layout's default font affects a line's height only if text on the line has it.
    @Test func aParagraphOfSmallTextWithABoldWordIsSmall() {
        let small = Self.box(makeLayout("one bold word", width: 900, size: 8))
        func mixed(_ text: String, _ end: UTF16Offset) -> [Double] {
            Self.box(
                Self.layout(text) {
                    $0.set(8, of: FontSizeAttribute.self, in: 0..<end)
                    $0.set(200, of: FontWeightAttribute.self, in: 4..<8)
                })
        }
        #expect(mixed("one bold word", 13) == small && mixed("one bold 日本", 11) == small)
        #expect(mixed("one bold ไทย", 12) == small, "fallback fonts do not count")
        #expect(mixed("one bold word", 12) == Self.box(makeLayout("d")), "a letter in the layout's own font")
        // Heights are per line: the second line has only small text, the last has no text.
        let lines = Self.layout("large\u{2028}small\u{2028}") {
            $0.set(8, of: FontSizeAttribute.self, in: 6..<12)
            $0.set(200, of: FontWeightAttribute.self, in: 7..<8)
        }
        #expect((0..<3).map { Self.box(lines, $0)[0] } == [19, small[0], small[0]])
    }

    /// DejaVu Sans at 16 pixels has 15 of 19 pixels above the baseline.
    @Test func heightsThatAreMultiplesOfTheSizeAreThoseOfTheLargestRun() {
        func box(_ factor: Double, _ size: Double?) -> [Double] {
            Self.box(
                Self.layout("small LARGE", style: Self.style { $0.lineHeight = .multipleOfSize(factor) }) {
                    $0.set(size, of: FontSizeAttribute.self, in: 6..<11)
                })
        }
        #expect(
            box(1.5, nil) == [24, 19] && box(1, nil) == [16, 13] && box(1.5, 40)[0] == 60 && box(1.5, 8) == [24, 19])
        #expect((46...49).contains(box(1.5, 40)[1]), "as the font divides its own height")
        let scaled = Self.layout("a", style: Self.style { $0.lineHeight = .loose })
        #expect(Self.box(scaled) == [24, 17])
    }

    // MARK: Superscripts

    @Test func superscriptsAreSmallerAndRaised() throws {
        func glyphs(_ level: Int, size: Double? = nil) -> (rise: [Int32], height: Double) {
            let layout = Self.layout("x22") {
                $0.set(size, of: FontSizeAttribute.self, in: 0..<3)
                $0.set(level, of: SuperscriptAttribute.self, in: 1..<3)
            }
            let line = layout.allLines[0]
            return (line.glyphs.map { line.glyphs[0].y - $0.y }, line.bottom - line.top)
        }
        #expect(glyphs(1).rise == [0, 5, 5] && glyphs(-1).rise == [0, -2, -2] && glyphs(2).rise == [0, 9, 9])
        #expect(glyphs(1, size: 48).rise == [0, 16, 16], "by the size of the text")
        #expect(glyphs(1).height <= 21 && glyphs(-1).height <= 20)
        #expect(SuperscriptAttribute.checked(0) == nil && SuperscriptAttribute.checked(99) == 3)
        let runs = AttributeRuns(length: 1, TextAttributes(SuperscriptAttribute.self, 1))
        let resolver = StyleResolver(LayoutOptions(font: makeLayout("").font, container: TextContainer(width: 9)))
        let size = try #require(resolver.style(of: runs.id(at: 0)).font?.size)
        #expect(abs(size - 32.0 / 3) < 0.01)
    }

    // MARK: Room around text

    @Test(arguments: [true, false]) func spaceBeforeAParagraphIsAboveItsFirstLine(_ wraps: Bool) {
        let style = Self.style { ($0.spacingBefore, $0.spacingAfter) = (10, 4) }
        let long = String(repeating: "words that wrap or not ", count: 400)
        for text in ["one\ntwo", "\(long)\ntwo"] {
            let layout = Self.layout(text, width: 600, wraps: wraps, style: style)
            let lines = layout.allLines
            #expect(lines[0].top == 10)
            #expect(zip(lines, lines.dropFirst()).dropLast().allSatisfy { $0.bottom == $1.top || wraps == false })
            #expect(lines[lines.count - 1].top == lines[lines.count - 2].bottom + 14)
            #expect(layout.usageHeight == lines[lines.count - 1].bottom + 4)
            #expect(layout.geometry.caretRect(at: UTF16Offset(text.utf16.count - 1)).minY == lines[lines.count - 1].top)
        }
        // Spacing set on one paragraph is neither lost nor doubled by edits.
        let layout = Self.layout("one\ntwo\nthree") { $0.set(style, of: ParagraphStyleAttribute.self, in: 4..<5) }
        let observation = layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
        layout.store.replace(UTF16Offset(4)..<5, with: "x\n")
        #expect(layout.allLines.map(\.top) == [0, 29, 62, 85])
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [BidiBaseDirection.leftToRight, .rightToLeft]) func linesEndBeforeTheTailIndent(
        _ direction: BidiBaseDirection
    ) {
        func bounds(_ tail: Double, _ alignment: ParagraphStyle.Alignment) -> [DocumentRect] {
            let style = Self.style {
                ($0.tailIndent, $0.alignment, $0.baseDirection, $0.indent) = (tail, alignment, direction, 30)
            }
            return makeLayout("words that wrap and wrap again", width: 200, style: style).allLines.map(
                \.typographicBounds)
        }
        let rtl = direction == .rightToLeft
        let lines = bounds(60, .natural)
        #expect(lines.count > bounds(0, .natural).count)
        #expect(lines.allSatisfy { rtl ? $0.minX >= 60 - 5 : $0.maxX <= 140 + 5 })
        // Text aligned at the trailing edge ends there.
        for line in bounds(60, rtl ? .left : .right) {
            #expect(rtl ? abs(line.minX - 60) < 6 : abs(line.maxX - 140) < 6)
        }
        #expect(bounds(500, .natural).count >= 6, "no room at all")
    }

    /// RT 27: the caret of an empty line is where typed text would appear.
    @Test(arguments: [BidiBaseDirection.leftToRight, .rightToLeft], [ParagraphStyle.Alignment.left, .center, .right])
    func theCaretOfAnEmptyLineIsWhereItsTextWouldBe(
        _ direction: BidiBaseDirection, _ alignment: ParagraphStyle.Alignment
    ) {
        let style = Self.style { ($0.alignment, $0.baseDirection) = (alignment, direction) }
        // In the middle of the text, after a line separator, and at the end.
        for (text, place) in [("a\n\nb", 2), ("a\u{2028}\u{2028}b", 2), ("a\n", 2), ("", 0)] {
            let caret = makeLayout(text, width: 200, style: style).geometry.caretRect(at: UTF16Offset(place))
            let expected: Double = alignment == .left ? 0 : alignment == .center ? 100 : 200
            #expect(abs(caret.minX - expected) < 3, "\(text.debugDescription)")
        }
    }

    // MARK: Tab stops

    /// Returns the x at which the text after a tab starts, by the stop's alignment.
    private static func start(
        _ text: String, _ stops: [TabStop], width: Double = 600, wraps: Bool = true,
        _ direction: BidiBaseDirection = .leftToRight
    ) -> (start: Double, end: Double) {
        let layout = makeLayout(
            text, width: width, wraps: wraps,
            style: style { ($0.tabStops, $0.baseDirection, $0.alignment) = (stops, direction, .natural) })
        let unit = UTF16Offset(
            text.utf16.firstIndex(of: 9).map { text.utf16.distance(from: text.startIndex, to: $0) } ?? 0)
        let xs = [unit + 1, layout.length].map { layout.geometry.caretRect(at: $0, affinity: .downstream).minX }
        return (xs[0], xs[1])
    }

    @Test(arguments: [true, false]) func textStandsAtItsStopAsTheStopSays(_ wraps: Bool) {
        func at(_ alignment: TabStop.Alignment, _ text: String, rtl: Bool = false) -> (start: Double, end: Double) {
            Self.start(
                text, [TabStop(300, alignment: alignment)], wraps: wraps, rtl ? .rightToLeft : .leftToRight)
        }
        let width = makeLayout("1234").geometry.caretRect(at: 4).minX
        #expect(at(.natural, "a\t1234").start == 300)
        #expect(at(.trailing, "a\t1234").end == 300 && at(.trailing, "a\t1234").start == 300 - width)
        let center = at(.center, "a\t1234")
        #expect(abs((center.start + center.end) / 2 - 300) <= 1)
        // The decimal separator is at the stop; a number without one, and words, end there.
        let whole = makeLayout("12").geometry.caretRect(at: 2).minX
        #expect(at(.decimal, "a\t12.5").start == 300 - whole && at(.decimal, "a\t12,75 x").start == 300 - whole)
        #expect(at(.decimal, "a\t12").end == 300 && at(.decimal, "a\tab. c").end == 300)
        // Text after the next tab, and a trailing space, are not aligned with it.
        #expect(Self.start("\t1234\tmore", [TabStop(300, alignment: .trailing)], wraps: wraps).start == 300 - width)
        #expect(at(.trailing, "a\t1234 ").start == 300 - width)
        // Text wider than the room before its stop follows directly.
        #expect(at(.trailing, "a\t" + String(repeating: "wide ", count: 20)).start < 20)
        if wraps {
            let right = at(.trailing, "\u{5d0}\t\u{5d1}\u{5d2}", rtl: true)
            #expect(right.end == 300 && right.start > 300)
        }
    }

    /// A stop at or beyond the container's edge: the text before it stays on the line.
    @Test func aStopBeyondTheEdgeIsAtTheEdge() {
        for stop in [200.0, 5000] {
            let layout = makeLayout(
                "chapter\t27", width: 200, style: Self.style { $0.tabStops = [TabStop(stop, alignment: .trailing)] })
            #expect(
                layout.allLines.count == 1
                    && (199...200).contains(layout.geometry.caretRect(at: 10, affinity: .upstream).minX))
        }
    }

    @Test func leadersFillTheRoomBeforeTheirStopBelowEachOther() {
        let style = Self.style { $0.tabStops = [TabStop(200, alignment: .trailing, leader: ".")] }
        let layout = makeLayout("one\t1\nthree\t22\nplain", width: 300, style: style)
        let dot = makeLayout(".").allLines[0].glyphs[0].glyph
        func dots(_ line: Int) -> [Int32] { layout.allLines[line].glyphs.filter { $0.glyph == dot }.map(\.x) }
        let rect = layout.geometry.caretRect(at: 3).minX
        #expect(dots(0).count > 15 && dots(2).isEmpty)
        #expect((dots(0).first ?? 0) >= Int32(rect) && (dots(0).last ?? 200) < 195)
        #expect(Set(dots(1)).isSubset(of: dots(0)), "below each other")
        let bounds = layout.allLines[0].typographicBounds
        #expect(dots(0).allSatisfy { Double($0) >= bounds.minX && Double($0) <= bounds.maxX })
        // Also when printed, where the text under the leaders is kept.
        var printed: [Double] = []
        layout.allLines[0].forEachCluster { cluster, glyphs, units in
            if units.elementsEqual([0x2e]) { printed += glyphs.map(\.x) }
        } missing: { _ in
        }
        #expect(printed == dots(0).map { Double($0) })
        // Only requested leaders are computed.
        var shown = 0
        layout.allLines[0].withGlyphs(within: 100...120, { glyphs in shown += glyphs.count { $0.glyph == dot } })
        #expect((3...8).contains(shown))
    }

    // MARK: Spacing and fonts

    /// A text may set another letter spacing for each letter.
    @Test func distancesBetweenLettersUseUpNoFonts() {
        let count = 400
        let text = String(repeating: "H", count: count)
        let layout = Self.layout(text, width: 100_000) {
            for i in 0..<count {
                $0.set(Double(i % 190 - 90), of: KernAttribute.self, in: UTF16Offset(i)..<UTF16Offset(i + 1))
            }
        }
        let plain = makeLayout(text, width: 100_000)
        func advances(_ layout: TextLayoutManager) -> [Int32] {
            let xs = layout.allLines[0].glyphs.map(\.x)
            return zip(xs, xs.dropFirst()).map { $1 - $0 }
        }
        let (spaced, before) = (advances(layout), advances(plain))
        #expect(spaced.count == count - 1)
        #expect(zip(spaced, before).enumerated().allSatisfy { $1.0 == max(0, $1.1 + Int32($0 % 190 - 90)) })
        #expect(layout.document.tools.context.liveCounts.styles <= 4)
    }

    // MARK: Links and lines

    @Test func linksAreUnderlinedUnlessOtherAttributesSayOtherwise() {
        let layout = Self.layout("a link here") {
            $0.set("https://example.com", of: LinkAttribute.self, in: 2..<6)
            $0.set(.wavy, of: UnderlineAttribute.self, in: 4..<6)
        }
        let runs = layout.decoratedRuns(in: 0..<11)
        #expect(runs.map(\.range) == [2..<4, 4..<6] && runs.map(\.attributes.underline) == [.single, .wavy])
        #expect(runs.allSatisfy { $0.attributes.isLink && $0.attributes.foreground == nil })
        #expect(LinkAttribute.checked("") == nil && LinkAttribute.checked("a\nb") == "a b")
        #expect(LinkAttribute.checked(String(repeating: "x", count: 9999))?.utf8.count == 4096)
        let read = StyledFragment(bytes: StyledFragment(layout.store.styledText).bytes)
        #expect(read?.text == layout.store.styledText)
    }

    /// The box of typed text, which the caret uses.
    @Test func theBoxOfTextIsThatOfItsFontAndBaseline() {
        let layout = makeLayout("")
        var attributes = TextAttributes()
        let plain = layout.textBox(of: attributes)
        #expect((plain.ascent, plain.descent) == (15, 4) && !plain.leans)
        attributes[FontSizeAttribute.self] = 32
        attributes[FontSlantAttribute.self] = .italic
        attributes[BaselineOffsetAttribute.self] = 5
        let box = layout.textBox(of: attributes)
        #expect(box.leans && box.ascent + box.descent == 38 && box.ascent - 5 == 30)
    }
}
