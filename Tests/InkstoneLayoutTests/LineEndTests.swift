import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode
import Testing

/// The ends of lines: hanging spaces, clusters wider than the line, and tabs.
@Suite(.timeLimit(.minutes(5))) struct LineEndTests {
    private func ink(_ line: TextLineFragment) -> [String] { line.glyphs.map { "\($0.glyph) at \($0.x)" } }

    /// UAX #9, L1: spaces at a line's end have the paragraph's level, whatever the direction of the text before
    /// them.
    @Test(arguments: [" ", "   ", "\u{3000} ", "\u{2003} "]) func blanksAtALinesEndHangOnTheParagraphsSide(
        _ blank: String
    ) {
        // In a left-to-right paragraph they hang at the right of the Hebrew words, whose position they do not
        // change.
        let words = "abc אבג דהו"
        let width = makeLayout(words).allLines[0].typographicBounds.width + 1
        let layout = makeLayout(words + blank + "זחט יכל", width: width)
        let line = layout.allLines[0]
        #expect(line.utf16Range.upperBound == UTF16Offset((words + blank).utf16.count))
        let alone = ink(makeLayout(words, width: width).allLines[0])
        #expect(ink(line).filter { alone.contains($0) } == alone, "\(ink(line)), without blanks \(alone)")
        // The caret before the spaces is at the right of the Hebrew text; the one after them is at the line's edge.
        let end = UTF16Offset(words.utf16.count)
        let right = layout.geometry.caretRect(at: 4, affinity: .downstream).minX
        #expect(layout.geometry.caretRect(at: end, affinity: .downstream).minX == right)
        #expect(layout.geometry.caretRect(at: line.utf16Range.upperBound, affinity: .upstream).minX >= right)
        // The same in a right-to-left paragraph.
        let other = "אבג דהו abc def"
        let narrow = makeLayout(other).allLines[0].typographicBounds.width + 1
        let rtl = makeLayout(other + blank + "ghi אבג", width: narrow)
        let far = ink(makeLayout(other, width: narrow).allLines[0])
        #expect(rtl.allLines[0].utf16Range.upperBound == UTF16Offset((other + blank).utf16.count))
        #expect(ink(rtl.allLines[0]).filter { far.contains($0) } == far)
        let left = rtl.geometry.caretRect(at: 8, affinity: .downstream).minX
        #expect(rtl.geometry.caretRect(at: UTF16Offset(other.utf16.count), affinity: .downstream).minX == left)
    }

    /// A space between words of the opposite direction has their level only within a line.
    @Test func blanksWithinALineRunWithTheirWords() {
        let layout = makeLayout("abc אבג דהו")
        let blank = layout.geometry.caretRect(at: 7, affinity: .downstream).minX
        let (first, second) = (layout.geometry.caretRect(at: 4).minX, layout.geometry.caretRect(at: 8).minX)
        #expect(second < blank && blank < first)
    }

    /// If no line break is allowed, lines end between grapheme clusters, never within one, however narrow the line
    /// is.
    @Test(arguments: [
        // Spacing vowel signs.
        "कारावासकारावासकीतूकेकै", "தமிழொழிகாகிகீகுகூகெ", "กำกำกำน้ำกำกำ", "မြန်မာမာကာကော", "ಕಾರಾವಾಸಕಿಕೀಕುಕೂ",
        // Non-spacing marks, jamo of a syllable, a keycap, joined emoji, and CR LF.
        "e\u{323}\u{301}a\u{308}o\u{30a}\u{304}u\u{301}i\u{302}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
        "1\u{fe0f}\u{20e3}2\u{fe0f}\u{20e3}", "👩‍👩‍👧‍👦👍🏽🇩🇪🇯🇵",
        // UAX #14 allows breaks here, but no caret could be at the start of the next line.
        "a\u{1f3fd}b\u{1f3fd}c", "漢\u{1f3fd}字 \u{1f3fd}",
    ])
    func emergencyBreaksCutNoGrapheme(_ text: String) {
        let boundaries = Set(TextBreaker.graphemes(of: text))
        var cuts: Set<Int> = []
        let layout = makeLayout(text, family: "Noto Sans")
        for width in 1...60 {
            layout.container.width = Double(width)
            for line in layout.allLines {
                let start = line.utf16Range.lowerBound.value
                cuts.insert(start)
                #expect(boundaries.contains(start), "\(start) at width \(width)")
                #expect(!line.utf16Range.isEmpty, "an empty line at width \(width)")
            }
        }
        // At some width, each boundary is a line end.
        #expect(cuts == boundaries.subtracting([text.utf16.count]))
    }

    @Test func aTabAtItsOwnStopGoesToTheNext() {
        let width = makeLayout("ab", width: 600).geometry.caretRect(at: 2).minX
        for direction in [BidiBaseDirection.leftToRight, .rightToLeft] {
            var style = ParagraphStyle()
            style.baseDirection = direction
            style.tabStops = [TabStop(width), 100]
            func start(_ text: String) -> Double {
                let x = makeLayout(text, width: 600, style: style)
                    .geometry.caretRect(at: UTF16Offset(text.utf16.count), affinity: .upstream).minX
                return direction == .leftToRight ? x : 600 - x
            }
            // Letters of the opposite direction change nothing: tab stops are measured from the line's start.
            #expect(start("ab\t") == 100)
            #expect(start("a\t") == width)
            #expect(start("ab\t\t") == makeLayout("").columnWidth * 24)
            // Default tab stops too: a tab always has an advance.
            style.tabStops = []
            let eight = makeLayout("").columnWidth * 8
            #expect(start("\t") == eight && start("\t\t") == 2 * eight)
        }
    }

    /// No line break within tabs: tabs without room hang beyond the edge, however many there are.
    @Test(arguments: [16.0, 200], ["", "x"]) func tabsWithoutEndAreLaidOut(_ size: Double, _ tail: String) {
        precondition(TestFonts.ready)
        var style = ParagraphStyle()
        style.tabInterval = 100
        let count = 70_000
        for wraps in [true, false] {
            let layout = TextLayoutManager(
                store: TextStore(Rope(String(repeating: "\t", count: count) + tail)),
                container: TextContainer(width: 600, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
                font: FontDescriptor(family: "DejaVu Sans", size: size), paragraphStyle: style)
            for offset in [0, 1, count / 2, count, count + tail.utf16.count] {
                let caret = layout.geometry.caretRect(at: UTF16Offset(offset))
                #expect(caret.minX.isFinite && caret.minY.isFinite)
                #expect(!wraps || caret.minX <= 600 + size, "\(offset)")
            }
        }
    }

    /// Whether everything fits on one line or not.
    @Test(arguments: ["ab", "ab cd ef gh ij kl mn op qr st uv wx yz"]) func tabsAtALinesEndStayWithinIt(_ text: String)
    {
        let layout = makeLayout(text + "\t\t\t\t\t\t", width: 100)
        let end = layout.geometry.caretRect(at: layout.length)
        #expect(end.minX <= 100, "\(end)")
    }

    /// CSS Text 3, §4.2 has a similar rule: a tab stop too close to the text is skipped.
    @Test(arguments: ["DejaVu Sans", "Noto Serif", "DejaVu Sans Mono"])
    func aTabToARegularStopIsAtLeastASpace(_ family: String) {
        var near = 0
        for count in 1...60 {
            let text = String(repeating: "i", count: count) + String(repeating: "m", count: count % 7)
            let layout = makeLayout(text + "\tb", width: 4000, family: family)
            let before = layout.geometry.caretRect(at: UTF16Offset(text.utf16.count)).minX
            let after = layout.geometry.caretRect(at: UTF16Offset(text.utf16.count + 1)).minX
            let stop = layout.columnWidth * 8
            #expect(after.truncatingRemainder(dividingBy: stop) == 0 && after - before >= layout.columnWidth)
            #expect(after - before < stop + layout.columnWidth)
            if after - before > stop { near += 1 }
        }
        #expect(near > 0 || family.hasSuffix("Mono"))
    }
}

extension TextBreaker {
    /// Returns the grapheme boundaries of a text, including its end.
    fileprivate static func graphemes(of text: String) -> [Int] {
        let breaker = TextBreaker(.grapheme)
        breaker.setText(text)
        return breaker.boundaries()
    }
}
