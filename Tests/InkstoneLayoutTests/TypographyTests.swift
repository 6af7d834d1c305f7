import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneTesting
import Testing

@testable import InkstoneLayout

private let everything = DocumentRect(x: -1e9, y: 0, width: 2e9, height: 1e9)

@Suite(.timeLimit(.minutes(5))) struct RectangleLawTests {
    /// Returns the bidi levels of a line's runs from left to right, with equal neighbours merged.
    private func levelRuns(_ line: TextLineFragment) -> [PositionedLine.VisualRun] {
        line.fragment.line(line.index, line.tools).runs.filter { $0.width > 0 }
    }

    @Test(arguments: [80.0, 200.0, 1000.0], [BidiBaseDirection.natural, .rightToLeft])
    func aRangeAcrossRunsGivesOneRectangleMoreAtMost(_ width: Double, _ direction: BidiBaseDirection) {
        var style = ParagraphStyle()
        style.baseDirection = direction
        let layout = makeLayout(Samples.document, width: width, style: style)
        let lines = layout.allLines
        var random = SeededGenerator(seed: 11)
        var several = 0
        for _ in 0..<120 {
            let a = Int.random(in: 0...layout.length.value, using: &random)
            let b = min(layout.length.value, a + Int.random(in: 1...40, using: &random))
            let range = UTF16Offset(a)..<UTF16Offset(b)
            let rects = layout.geometry.selectionRects(for: range, within: everything)
            for line in lines {
                let start = line.fragmentStart
                let crossed = Set(
                    levelRuns(line).filter { start + Int($0.start) < b && start + Int($0.end) > a }
                        .map { "\($0.level) \($0.start)" })
                let here = rects.filter {
                    $0.rect.minY == line.top && $0.utf16Range.lowerBound >= line.utf16Range.lowerBound
                }
                #expect(here.count <= crossed.count + 1, "\(range) on \(line.utf16Range): \(here.map(\.rect))")
                if here.count > 2 { several += 1 }
            }
        }
        #expect(several > 0 || direction == .rightToLeft)
    }

    @Test(arguments: [80.0, 1000.0]) func startAndEndAreReportedOnce(_ width: Double) {
        let layout = makeLayout(Samples.document, width: width)
        var random = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let a = Int.random(in: 0..<layout.length.value, using: &random)
            let b = Int.random(in: (a + 1)...layout.length.value, using: &random)
            let rects = layout.geometry.selectionRects(for: UTF16Offset(a)..<UTF16Offset(b), within: everything)
            let first = layout.geometry.caretRect(at: UTF16Offset(a)).minY
            let last = layout.geometry.caretRect(at: UTF16Offset(b), affinity: .upstream).minY
            // A line of which only a newline or a mark is selected may have no rectangle.
            if rects.contains(where: { $0.rect.minY == first }) {
                #expect(rects.count { $0.containsStart } == 1, "\(a)..<\(b)")
            }
            if rects.contains(where: { $0.rect.minY == last }) {
                #expect(rects.count { $0.containsEnd } == 1, "\(a)..<\(b)")
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct TypographyTests {
    @Test func caretsInLigaturesStandWhereTheFontSays() {
        // At 200 pixels, Noto's ff is 138 wide, with its caret at 60.2: not in the middle.
        let layout = makeLayout("off", width: 2000, family: "Noto Sans", size: 200)
        #expect(layout.allLines[0].glyphs.count == 2)
        let xs = (1...3).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        #expect(xs.map { $0 - xs[0] } == [0, 60, 138])
        for (x, offset) in [(xs[0] + 28, 1), (xs[0] + 32, 2), (xs[1] + 36, 2), (xs[1] + 42, 3)] {
            #expect(
                layout.geometry.location(closestTo: DocumentPoint(x: x, y: 10)).offset == UTF16Offset(offset), "at \(x)"
            )
        }
        // Right-to-left: Avestan's ligature of a and he is 279.2 wide, with its caret 123.4 from the left edge.
        let avestan = makeLayout("𐬀𐬵", width: 2000, family: "Noto Sans Avestan", size: 200)
        #expect(avestan.allLines[0].glyphs.count == 1)
        let places = [0, 2, 4].map { 2000 - avestan.geometry.caretRect(at: UTF16Offset($0)).minX }
        #expect(places == [0, 156, 279])
    }

    @Test func caretsInLigaturesWithoutCaretsDivideThemEvenly() {
        // DejaVu has a ligature for ffi, but no caret positions for it.
        let layout = makeLayout("office", width: 2000, size: 90)
        guard layout.allLines[0].glyphs.count == 4 else { return #expect(Bool(false), "no ligature") }
        let xs = (1...4).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        let third = (xs[3] - xs[0]) / 3
        #expect(abs(xs[1] - xs[0] - third) <= 1 && abs(xs[2] - xs[0] - 2 * third) <= 1)
    }

    @Test func letterSpacingWidensClustersAndNotMarks() {
        func carets(_ text: String, _ spacing: Double) -> [Double] {
            let layout = TextLayoutManager(
                store: TextStore(Rope(text)), container: TextContainer(width: 2000),
                font: FontDescriptor(family: "DejaVu Sans", size: 16, letterSpacing: spacing))
            return (0...text.utf16.count).map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        }
        precondition(TestFonts.ready)
        let plain = carets("abe\u{301}d", 0)
        let wide = carets("abe\u{301}d", 3)
        #expect(zip(wide, plain).map { $0 - $1 } == [0, 3, 6, 6, 9, 12])
        // Also for a mark without a composed letter in the font, which stays a glyph of its own.
        #expect(
            zip(carets("aq\u{301}q\u{323}\u{301}d", 3), carets("aq\u{301}q\u{323}\u{301}d", 0)).map { $0 - $1 }
                == [0, 3, 3, 6, 6, 6, 9, 12])
        let arabic = carets("سلام", 2)
        #expect(carets("سلام", 0) != arabic)
        let tight = carets("abcd", -2)
        #expect(zip(tight, carets("abcd", 0)).map { $0 - $1 } == [0, -2, -4, -6, -8])
    }

    @Test(arguments: [
        (ParagraphStyle.Alignment.left, 0.0, 0.0), (.right, 1, 1), (.center, 0.5, 0.5), (.natural, 0, 1),
        (.justified, 0, 1),
    ])
    func alignmentPutsLinesWhereItSays(_ alignment: ParagraphStyle.Alignment, _ ltr: Double, _ rtl: Double) {
        var style = ParagraphStyle()
        style.alignment = alignment
        let layout = makeLayout("abc\nאבג", width: 301, style: style)
        for (line, share) in zip(layout.allLines, [ltr, rtl]) {
            let box = line.typographicBounds
            let slack = 301 - box.width
            #expect(abs(box.minX - slack * share) <= 1, "\(box)")
        }
    }

    @Test func justifiedJapaneseReachesBothEdges() {
        var style = ParagraphStyle()
        style.alignment = .justified
        let layout = makeLayout(
            String(repeating: "すべての人間は、生まれながらにして自由であり、", count: 6), width: 237, style: style)
        let lines = layout.allLines
        #expect(lines.count > 4)
        for line in lines.dropLast() {
            #expect(line.typographicBounds.minX == 0)
            #expect(layout.geometry.caretRect(at: line.utf16Range.upperBound, affinity: .upstream).minX == 237)
        }
        #expect(lines[lines.count - 1].typographicBounds.width < 237)
    }

    @Test func ownTabStopsComeFirstInBothDirections() {
        var style = ParagraphStyle()
        style.tabStops = [50, 130]
        let layout = makeLayout("\ta\tb\tc\n\tא\tב", width: 600, style: style)
        let ltr = [1, 3, 5].map { layout.geometry.caretRect(at: UTF16Offset($0)).minX }
        #expect(ltr[0] == 50 && ltr[1] == 130)
        #expect(ltr[2].truncatingRemainder(dividingBy: layout.columnWidth * 8) == 0 && ltr[2] > 130)
        #expect(layout.geometry.caretRect(at: 8).minX == 550 && layout.geometry.caretRect(at: 10).minX == 470)
    }

    @Test func aSoftHyphenIsSeenOnlyWhereItsLineEnds() throws {
        let whole = makeLayout("extra\u{ad}ordinary", width: 400)
        let without = makeLayout("extraordinary", width: 400)
        #expect(whole.allLines[0].typographicBounds == without.allLines[0].typographicBounds)
        let cut = makeLayout("extra\u{ad}ordinary", width: 80)
        let last = try #require(cut.allLines[0].glyphs.last)
        let dash = makeLayout("\u{2010}", width: 400).allLines[0].glyphs[0]
        #expect(last.glyph == dash.glyph && Double(last.x) == cut.geometry.caretRect(at: 6, affinity: .upstream).minX)
        // In right-to-left text, the hyphen is at the left. (Hebrew does not break there: UAX #14, LB21a.)
        let rtl = makeLayout("كتاب\u{ad}مدرسة", width: 60)
        #expect(rtl.allLines.map(\.utf16Range) == [0..<5, 5..<10])
        let glyphs = rtl.allLines[0].glyphs
        #expect(glyphs.last?.glyph == dash.glyph && glyphs.allSatisfy { $0.x >= glyphs[glyphs.count - 1].x })
    }

    @Test func aSpaceBehindAnEmojiIsASpace() {
        let layout = makeLayout("a 😀 b")
        let space = layout.geometry.caretRect(at: 2).minX - layout.geometry.caretRect(at: 1).minX
        #expect(layout.geometry.caretRect(at: 5).minX - layout.geometry.caretRect(at: 4).minX == space)
    }

    @Test func linesStaySteadyUnderFallback() {
        let plain = makeLayout("abc\ndef\nghi")
        let mixed = makeLayout("abc\nع日မြန်မာ😀\nghi")
        #expect(mixed.allLines.map(\.baseline) == plain.allLines.map(\.baseline))
        #expect(mixed.allLines[1].inkBounds.height > mixed.lineHeight)
        let fragment = mixed.textLayoutFragment(for: UTF16Offset(5))
        #expect(fragment.layoutFragmentFrame.height == mixed.lineHeight)
        #expect(fragment.renderingSurfaceBounds.height > mixed.lineHeight)
        #expect(fragment.renderingSurfaceBounds.union(fragment.layoutFragmentFrame) == fragment.renderingSurfaceBounds)
    }
}

/// Switching typographic settings keeps the visible text and the caret.
@Suite(.timeLimit(.minutes(5))) struct SwitchingTests {
    private static let text = (0..<300).map { n in
        String(repeating: n % 5 == 2 ? "מילים בעברית " : "words in English ", count: n % 11 + 1)
    }.joined(separator: "\n")

    @Test func wrapDirectionAndFontKeepTheAnchorsPlace() {
        let layout = makeLayout(Self.text, width: 300)
        let offset = UTF16Offset(layout.length.value / 2)
        let anchor = ScrollAnchor(offset: layout.geometry.lineFragment(at: offset).utf16Range.lowerBound, distance: 5)
        let carets = layout.geometry.selectionRects(for: offset..<(offset + 9), within: everything).count
        #expect(carets > 0)
        func check(_ what: String) {
            layout.ensureLayout(around: anchor, above: 400, below: 400)
            let line = layout.geometry.lineFragment(at: anchor.offset)
            #expect(layout.geometry.y(of: anchor) == line.top + 5, "\(what)")
            #expect(line.utf16Range.contains(anchor.offset), "\(what)")
            let caret = layout.geometry.caretRect(at: offset)
            let hit = layout.geometry.location(closestTo: DocumentPoint(x: caret.minX, y: caret.minY + 2))
            #expect(layout.geometry.caretRect(at: hit.offset, affinity: hit.affinity) == caret, "\(what)")
        }
        let before = layout.geometry.caretRect(at: offset).minX
        layout.container.lineBreakMode = .byClipping
        check("no wrap")
        layout.paragraphStyle.baseDirection = .rightToLeft
        check("right to left")
        layout.font.size = 27
        check("larger font, as after a change of scale")
        layout.container.width = 555
        check("wider")
        layout.font.size = 16
        layout.paragraphStyle.baseDirection = .natural
        layout.container.lineBreakMode = .byWordWrapping
        layout.container.width = 300
        check("back")
        #expect(layout.geometry.caretRect(at: offset).minX == before)
    }

    /// When heights become exact or text above changes, the visible text does not move.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func anchorsDriftByNothing(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let layout = makeLayout(Self.text, width: Double.random(in: 90...500, using: &random).rounded())
        var anchor = layout.geometry.scrollAnchor(
            atY: layout.usageHeight * Double.random(in: 0.2...0.8, using: &random))
        layout.ensureLayout(around: anchor, above: 500, below: 900)
        func screen() -> [String] {
            let y = layout.geometry.y(of: anchor)
            return layout.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 1, height: 600)).flatMap { fragment in
                fragment.textLineFragments.map {
                    "\($0.utf16Range.lowerBound.value - anchor.offset.value) \($0.top - y) \($0.typographicBounds.width)"
                }
            }
        }
        let before = screen()
        for step in 0..<25 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                var asked = 0
                layout.refineHeights {
                    asked += 1
                    return asked > 7
                }
            case 1:
                let y = layout.geometry.y(of: anchor) * Double.random(in: 0...1, using: &random)
                _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 1, height: 300))
            case 2: _ = layout.geometry.caretRect(at: layout.length)
            default:
                let at = UTF16Offset(Int.random(in: 0..<max(1, anchor.offset.value / 2), using: &random))
                let edit = layout.store.replace(
                    at..<at, with: ["x", "more words here ", "a\nb"].randomElement(using: &random)!)
                layout.apply(edit)
                anchor.offset = edit.changes.changeMap.map(anchor.offset, bias: .downstream)
            }
            #expect(screen() == before, "seed \(seed) step \(step)")
        }
    }
}
