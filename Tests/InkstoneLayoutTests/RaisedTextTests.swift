import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Lines with several sizes, raised and lowered runs, and letter spacing.
@Suite(.timeLimit(.minutes(5))) struct RaisedTextTests {
    /// Lays out a text with attributes.
    private static func layout(
        _ text: String, style: ParagraphStyle = ParagraphStyle(), _ restyle: (inout Restyling) -> Void
    ) -> TextLayoutManager {
        let layout = makeLayout(text, width: 900, style: style)
        if let applied = layout.store.restyle(restyle) { _ = layout.apply(applied) }
        return layout
    }

    private static func box(_ layout: TextLayoutManager, _ index: Int = 0) -> (height: Double, baseline: Double) {
        let line = layout.allLines[index]
        return (line.bottom - line.top, line.baseline - line.top)
    }

    private static func xs(_ layout: TextLayoutManager) -> [Double] {
        (0...layout.length.value).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
    }

    // MARK: Heights

    @Test(arguments: [10.0, -10, 3, -200]) func aLineHasRoomForRaisedText(_ offset: Double) {
        let plain = makeLayout("one two\nthree", width: 900)
        let raised = Self.layout("one two\nthree") { $0.set(offset, of: BaselineOffsetAttribute.self, in: 4..<7) }
        let (before, after) = (Self.box(plain), Self.box(raised))
        let above = before.baseline + max(0, offset)
        let below = before.height - before.baseline + max(0, -offset)
        #expect(after.baseline == above && after.height == above + below)
        #expect(raised.allLines[1].top == after.height && Self.xs(raised) == Self.xs(plain))
        let y = raised.allLines[0].glyphs.map { Double($0.y) }
        #expect(y == Array(repeating: above, count: 3) + Array(repeating: above - offset, count: 3))
        #expect(raised.allLines[0].inkReach(limit: 1000).largest <= 2)
    }

    /// A paragraph that is raised completely has the height of its font and room for the raise.
    @Test func aParagraphThatIsAllRaisedHasRoomToo() {
        let small = makeLayout("abc", size: 10)
        let raised = Self.layout("abc") {
            $0.set(10, of: FontSizeAttribute.self, in: 0..<3)
            $0.set(5, of: BaselineOffsetAttribute.self, in: 0..<3)
        }
        #expect(Self.box(raised) == (Self.box(small).height + 5, Self.box(small).baseline + 5))
    }

    struct Height: Sendable {
        var height: ParagraphStyle.LineHeight
        var grows: Bool
    }

    @Test(arguments: [
        Height(height: .natural, grows: true), Height(height: .multiple(1.5), grows: true),
        Height(height: .atLeast(5), grows: true), Height(height: .growing, grows: true),
        Height(height: .exactly(19), grows: false), Height(height: .atLeast(500), grows: false),
    ])
    func linesGrowWithTheirLargestRun(_ test: Height) {
        var style = ParagraphStyle()
        style.lineHeight = test.height
        let plain = Self.box(makeLayout("small LARGE", width: 900, style: style))
        let mixed = Self.layout("small LARGE\nsmall", style: style) {
            $0.set(40, of: FontSizeAttribute.self, in: 6..<11)
        }
        let large = makeLayout("LARGE", width: 900, size: 40, style: style)
        #expect(Self.box(mixed, 1) == plain, "the next paragraph has no large run")
        if test.grows {
            #expect(Self.box(mixed).height >= Self.box(large).height && Self.box(mixed).height > 1.5 * plain.height)
        } else {
            #expect(Self.box(mixed) == plain)
        }
    }

    /// A fallback font on a line with bold words does not change its height.
    @Test func fallbackFontsDoNotChangeTheHeightOfStyledLines() {
        func height(_ text: String) -> Double {
            Self.box(Self.layout(text) { $0.set(200, of: FontWeightAttribute.self, in: 0..<4) }).height
        }
        let plain = height("bold and so on")
        for other in ["bold 日本語", "bold ไทย", "bold हिन्दी", "bold 🙂"] { #expect(height(other) == plain, "\(other)") }
    }

    /// Lines at a scroll anchor do not move when lines above it are laid out.
    @Test(arguments: [true, false]) func anchorsOfStyledTextStayWhetherItWrapsOrNot(_ wraps: Bool) {
        let layout = makeLayout(String(repeating: "line\n", count: 2000), wraps: wraps)
        let applied = layout.store.restyle {
            for i in 0..<1000 where i % 3 == 0 {
                $0.set(40, of: FontSizeAttribute.self, in: UTF16Offset(5 * i)..<UTF16Offset(5 * i + 4))
            }
        }
        if let applied { _ = layout.apply(applied) }
        let anchor = UTF16Offset(5 * 600)
        layout.ensureLayout(around: ScrollAnchor(offset: anchor, distance: 0), above: 400, below: 400)
        let top = layout.geometry.lineFragment(at: anchor).top
        _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: top - 400, width: 100, height: 800))
        #expect(layout.geometry.lineFragment(at: anchor).top == top)
    }

    @Test func boxesOfMissingLettersAreRaisedToo() {
        func top(_ offset: Double) -> [Int32] {
            let layout = Self.layout("a\u{10fffd}") {
                $0.set(offset, of: BaselineOffsetAttribute.self, in: 0..<3)
                var style = ParagraphStyle()
                style.lineHeight = .exactly(40)
                $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<3)
            }
            var tops: [Int32] = []
            layout.allLines[0].withGlyphs({ _ in }, missing: { tops.append($0.y) })
            return tops
        }
        #expect(top(0).count == 1 && top(7) == top(0).map { $0 - 7 })
    }

    /// Pasted text may be raised by a thousand pixels in a line of ten: the search for its ink is limited.
    @Test(arguments: [(1000.0, false), (-1000, false), (30, true), (-30, true)])
    func textRaisedOutOfItsLineIsPaintedUpToTheInkLimit(_ offset: Double, _ isPainted: Bool) {
        let layout = Self.layout("ab\u{10fffd}cd") {
            $0.set(offset, of: BaselineOffsetAttribute.self, in: 1..<4)
            $0.set(.single, of: UnderlineAttribute.self, in: 1..<4)
            var style = ParagraphStyle()
            style.lineHeight = .exactly(10)
            $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<6)
        }
        let line = layout.allLines[0]
        var (offsets, boxes): ([Int], [Int]) = ([], [])
        line.withGlyphs(limit: 100, { offsets += $0.map(\.offset) }, missing: { boxes.append($0.offset) })
        #expect(offsets == (isPainted ? [0, 1, 4, 5] : [0, 4, 5]) && boxes == (isPainted ? [2] : []))
        let reach = line.inkReach(limit: 100)
        #expect(reach.largest <= 100 && (!isPainted || (offset > 0 ? reach.above : reach.below) >= 25))
    }

    /// The ink extent includes raised text and its lines, which are the only ink of spaces.
    @Test func linesAlongRaisedSpacesCountAsInk() {
        func reach(_ offset: Double) -> Int32 {
            let layout = Self.layout("a b") {
                $0.set(offset, of: BaselineOffsetAttribute.self, in: 1..<2)
                $0.set(.single, of: UnderlineAttribute.self, in: 1..<2)
                var style = ParagraphStyle()
                style.lineHeight = .exactly(20)
                $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<3)
            }
            return layout.allLines[0].inkReach(limit: 100).above
        }
        #expect(reach(40) >= reach(0) + 35)
    }

    @Test func maskedTextShowsNothingOfItsOwnColoursAndLines() {
        let layout = Self.layout("secret") {
            $0.set(.single, of: UnderlineAttribute.self, in: 2..<4)
            $0.set(Color(rgb: 0xff), of: ForegroundAttribute.self, in: 0..<1)
        }
        #expect(layout.decoratedRuns(in: 0..<6).count == 2)
        layout.masksCharacters = true
        #expect(layout.decoratedRuns(in: 0..<6).isEmpty)
    }

    /// The hyphen has the style of its word, not of the layout.
    @Test func aHyphenIsSetAsTheTextBeforeIt() throws {
        let text = "extra\u{ad}ordinary"
        let layout = makeLayout(text, width: 80)
        let applied = layout.store.restyle {
            $0.set("DejaVu Serif", of: FontFamilyAttribute.self, in: 1..<15)
            $0.set(7, of: BaselineOffsetAttribute.self, in: 1..<15)
        }
        if let applied { _ = layout.apply(applied) }
        let line = layout.allLines[0]
        #expect(line.utf16Range == 0..<6)
        let hyphen = try #require(line.glyphs.last)
        let letter = try #require(line.glyphs.first { $0.offset == 4 })
        #expect(hyphen.offset == 5 && hyphen.font == letter.font && hyphen.y == letter.y)
        #expect(line.glyphs[0].font != letter.font)
    }

    // MARK: Spacing

    /// Returns the pen positions of glyphs by unit.
    private static func places(_ layout: TextLayoutManager) -> [Int: Int32] {
        Dictionary(layout.allLines[0].glyphs.map { ($0.offset, $0.x) }) { $1 }
    }

    @Test(arguments: ["aq\u{301}b", "q\u{323}\u{301}qa", "\u{5d1}\u{5b8}\u{5d2}\u{5d3}"], [10.0, -3])
    func marksStayOnTheirLetters(_ text: String, _ tracking: Double) throws {
        let wide = Self.layout(text) {
            $0.set(tracking, of: TrackingAttribute.self, in: 0..<UTF16Offset(text.utf16.count))
        }
        let (after, before) = (wide.allLines[0].glyphs, makeLayout(text, width: 900).allLines[0].glyphs)
        #expect(after.map(\.glyph) == before.map(\.glyph) && after.count >= 4)
        var base: (after: Int32, before: Int32) = (0, 0)
        for (glyph, old) in zip(after, before) {
            let unit = Array(text.utf16)[glyph.offset]
            if (0x300..<0x370).contains(unit) || unit == 0x5b8 {
                #expect(glyph.x - base.after == old.x - base.before)
            } else {
                base = (glyph.x, old.x)
            }
        }
    }

    @Test func roomIsAddedOnTheSideOfALetterWhereTheNextOneIs() {
        func moved(_ text: String) -> [Int32?] {
            let plain = Self.places(makeLayout(text, width: 900))
            let spaced = Self.places(Self.layout(text) { $0.set(10, of: KernAttribute.self, in: 0..<1) })
            return (0..<3).map { unit in spaced[unit].flatMap { x in plain[unit].map { x - $0 } } }
        }
        #expect(moved("abc") == [0, 10, 10])
        #expect(moved("\u{5d0}\u{5d1}\u{5d2}") == [0, -10, -10])
    }

    @Test func trackingWidensEachClusterOnce() {
        func moved(_ text: String, _ change: (inout Restyling) -> Void) -> [Double] {
            let (wide, plain) = (Self.layout(text, change), makeLayout(text, width: 900))
            return zip(Self.xs(wide), Self.xs(plain)).map { $0 - $1 }
        }
        func tracked(_ range: Range<UTF16Offset>) -> (inout Restyling) -> Void {
            { $0.set(3, of: TrackingAttribute.self, in: range) }
        }
        #expect(moved("abcd", tracked(0..<4)) == [0, 3, 6, 9, 12])
        #expect(moved("abcd", tracked(1..<3)) == [0, 0, 3, 6, 6])
        #expect(moved("aq\u{301}b", tracked(0..<4)) == [0, 3, 3, 6, 9])
        // Lam and alef form one glyph with any spacing.
        let arabic = "\u{644}\u{627}"
        let (wide, plain) = (Self.layout(arabic, tracked(0..<2)), makeLayout(arabic, width: 900))
        #expect(wide.allLines[0].glyphs.count == 1 && plain.allLines[0].glyphs.count == 1)
        #expect(wide.allLines[0].typographicBounds.width == plain.allLines[0].typographicBounds.width + 3)
    }

    /// An optional ligature requested by features is spaced as one cluster; without them, spacing disables it.
    @Test func trackingBreaksOptionalLigaturesUnlessFeaturesWantThem() {
        func line(_ tracking: Double?, _ features: [String: UInt32]?) -> TextLineFragment {
            Self.layout("fi") {
                $0.set(tracking, of: TrackingAttribute.self, in: 0..<2)
                $0.set(features, of: FontFeaturesAttribute.self, in: 0..<2)
            }.allLines[0]
        }
        let plain = line(nil, nil)
        #expect(plain.glyphs.count == 1, "the font has the ligature")
        #expect(line(4, nil).glyphs.count == 2)
        let kept = line(4, ["liga": 1])
        #expect(kept.glyphs.count == 1 && kept.typographicBounds.width == plain.typographicBounds.width + 4)
    }

    @Test func kernSetsTheDistanceOfALetterToTheNext() {
        let plain = Self.xs(makeLayout("HHHH", width: 900))
        let one = Self.xs(Self.layout("HHHH") { $0.set(-2, of: KernAttribute.self, in: 1..<2) })
        #expect(zip(one, plain).map { $0 - $1 } == [0, 0, -2, -2, -2])
        let both = Self.xs(
            Self.layout("HHHH") {
                $0.set(-2, of: KernAttribute.self, in: 1..<2)
                $0.set(5, of: TrackingAttribute.self, in: 0..<4)
            })
        #expect(zip(both, plain).map { $0 - $1 } == [0, 5, 8, 13, 18])
    }

    @Test func aKernOf0TurnsPairKerningOff() {
        func width(_ text: String, _ kern: Double?) -> Double {
            Self.layout(text) { $0.set(kern, of: KernAttribute.self, in: 0..<2) }.allLines[0].typographicBounds.width
        }
        let apart = width("A", nil) + width("V", nil)
        #expect(width("AV", nil) < apart && width("AV", 0) == apart)
    }

    // MARK: Lines along the text

    @Test func linesAlongRaisedTextAreRaised() {
        let layout = Self.layout("one two") {
            $0.set(.single, of: UnderlineAttribute.self, in: 0..<7)
            $0.set(Color(rgb: 0xff), of: UnderlineColorAttribute.self, in: 0..<7)
            $0.set(6, of: BaselineOffsetAttribute.self, in: 4..<7)
        }
        layout.decorations[.spelling].add([2..<6], attributes: RenderingAttributes(strikethrough: .single))
        let runs = layout.decoratedRuns(in: 0..<7)
        #expect(runs.map(\.range) == [0..<2, 2..<4, 4..<6, 6..<7])
        #expect(runs.map(\.attributes.baselineOffset) == [0, 0, 6, 6])
        #expect(runs.allSatisfy { $0.attributes.underlineColor == Color(rgb: 0xff) })
    }
}
