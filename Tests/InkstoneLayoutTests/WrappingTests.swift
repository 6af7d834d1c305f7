import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode
import Testing

/// Line breaks of each kind of script, and the alignment of lines.
@Suite(.timeLimit(.minutes(5))) struct WrappingTests {
    /// Returns the parts of a text between all break positions used at any width.
    private func parts(_ text: String, family: String, from narrowest: Double) -> [String] {
        var cuts: Set<Int> = [text.utf16.count]
        let layout = makeLayout(text, family: family)
        for width in stride(from: narrowest, through: 320, by: 3) {
            layout.container.width = width
            for line in layout.allLines { cuts.insert(line.utf16Range.lowerBound.value) }
        }
        let units = Array(text.utf16)
        let sorted = cuts.sorted()
        return zip(sorted, sorted.dropFirst()).map { String(decoding: units[$0..<$1], as: UTF16.self) }
    }

    /// Scripts without spaces break only between the words of ICU's dictionaries.
    @Test(arguments: [
        ("Noto Sans Thai", ["ภาษา", "ไทย", "ไม่มี", "ช่อง", "ว่าง", "ระหว่าง", "คำ"]),
        ("Noto Sans Khmer", ["ភាសា", "របស់", "ជនជាតិ", "ខ្មែរ"]),
        ("Noto Sans Lao", ["ພາສາ", "ລາວ", "ເປັນ", "ພາສາ", "ທາງການ"]),
        ("Noto Sans Myanmar", ["မြန်မာဘာသာ", "စကား", "သည်"]),
    ])
    func scriptsWithoutSpacesWrapBetweenWords(_ family: String, _ words: [String]) {
        let widest = words.map { makeLayout($0, width: 2000, family: family).allLines[0].typographicBounds.width }.max()
        #expect(parts(words.joined(), family: family, from: (widest ?? 0) + 1) == words)
    }

    /// Japanese may break between any two characters except before closing and after opening ones (UAX #14, CL, OP,
    /// NS…).
    @Test func japaneseLinesNeitherStartNorEndWithTheWrongMark() {
        let text = "「吾輩は、猫である。」名前はまだ（無い）。どこで生れたかとんと見当がつかぬ！ニャーニャー泣いていた事だけは・記憶している。"
        let layout = makeLayout(text, family: "Noto Sans CJK JP")
        for width in stride(from: 48.0, through: 400, by: 8) {
            layout.container.width = width
            let lines = layout.lineTexts
            #expect(lines.joined() == text)
            for line in lines {
                #expect(!"、。」）！ー・".contains(line.first!), "\(line) at \(width)")
                #expect(!"「（".contains(line.last!), "\(line) at \(width)")
            }
        }
        let kanji = parts("吾輩猫名前", family: "Noto Sans CJK JP", from: 17)
        #expect(kanji == ["吾", "輩", "猫", "名", "前"])
    }

    @Test(arguments: [ParagraphStyle.Alignment.natural, .left, .right, .center], [true, false])
    func tabsCountFromTheLinesOwnStartWhereverItStands(_ alignment: ParagraphStyle.Alignment, _ rtl: Bool) {
        var style = ParagraphStyle()
        style.alignment = alignment
        style.baseDirection = rtl ? .rightToLeft : .leftToRight
        style.tabStops = [40, 90]
        style.firstLineIndent = 12
        for wraps in [true, false] {
            let layout = makeLayout(rtl ? "א\tב\tג\tד" : "a\tb\tc\td", width: 500, wraps: wraps, style: style)
            #expect(layout.allLines.count == 1)
            let start = layout.geometry.caretRect(at: 0).minX
            let far = [2, 4, 6].map { abs(layout.geometry.caretRect(at: UTF16Offset($0)).minX - start) }
            #expect(far[0] == 40 && far[1] == 90 && far[2] == layout.columnWidth * 24, "\(far)")
            // The line's position depends on the alignment.
            let box = layout.allLines[0].typographicBounds
            let isRight = alignment == .right || alignment == .natural && rtl
            switch alignment {
            case .center: #expect(abs(box.minX + box.maxX - 500 + (rtl ? 12 : -12)) <= 2)
            case _ where isRight: #expect(box.maxX == (rtl ? 488 : 500))
            default: #expect(box.minX == (rtl ? 0 : 12))
            }
        }
    }

    /// Columns stay aligned: only the text after the last tab is spread.
    @Test(arguments: [false, true]) func justifiedLinesKeepTheirTabs(_ rtl: Bool) {
        var style = ParagraphStyle()
        style.alignment = .justified
        style.tabStops = [100]
        let words =
            rtl ? "אב גד\tהו זח טי כל מנ סע פצ קר שת אב גד הו" : "ab cd\tef gh ij kl mn op qr st uv wx yz ab cd ef gh"
        let layout = makeLayout(words, width: 200, style: style)
        let lines = layout.allLines
        #expect(lines.count > 1 && lines[0].isWrapped)
        let edge = rtl ? 200.0 : 0
        #expect(abs(layout.geometry.caretRect(at: 6).minX - edge) == 100)
        let space = abs(
            layout.geometry.caretRect(at: 3).minX - layout.geometry.caretRect(at: 2, affinity: .downstream).minX)
        #expect(space == layout.columnWidth)
        let end = lines[0].utf16Range.upperBound - 1
        #expect(layout.geometry.caretRect(at: end, affinity: .upstream).minX == 200 - edge)
    }

    @Test func justifiedArabicReachesBothEdges() {
        var style = ParagraphStyle()
        style.alignment = .justified
        let text = String(repeating: "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق ", count: 4)
        let layout = makeLayout(text, width: 260, family: "Noto Sans Arabic", style: style)
        let lines = layout.allLines
        #expect(lines.count > 3)
        for line in lines.dropLast() {
            let end = line.utf16Range.upperBound - 1
            #expect(layout.geometry.caretRect(at: line.utf16Range.lowerBound).minX == 260)
            #expect(layout.geometry.caretRect(at: end, affinity: .upstream).minX == 0)
            // The hanging space hangs at the left.
            #expect(line.typographicBounds.minX < 0)
            // The missing width is distributed evenly.
            var gaps: [Double] = []
            let units = Array(layout.store.text.string(in: line.utf16Range.lowerBound..<end).utf16)
            for (i, unit) in units.enumerated() where unit == 0x20 {
                let at = line.utf16Range.lowerBound + i
                gaps.append(
                    layout.geometry.caretRect(at: at, affinity: .upstream).minX
                        - layout.geometry.caretRect(at: at + 1).minX)
            }
            #expect(gaps.count > 2 && (gaps.max() ?? 0) - (gaps.min() ?? 0) <= 2, "\(gaps)")
        }
        #expect(lines[lines.count - 1].typographicBounds.minX > 0)
    }

    struct Height: Sendable {
        var mode: ParagraphStyle.LineHeight
        var height: Double
        /// The distance from the line's top to the baseline.
        var baseline: Double
    }

    /// DejaVu Sans at 16 pixels: 15 above the baseline, 4 below, 19 line height.
    @Test(arguments: [
        Height(mode: .natural, height: 19, baseline: 15), Height(mode: .exactly(29), height: 29, baseline: 20),
        Height(mode: .exactly(9), height: 9, baseline: 10), Height(mode: .exactly(0), height: 1, baseline: 6),
        Height(mode: .atLeast(25), height: 25, baseline: 18), Height(mode: .atLeast(10), height: 19, baseline: 15),
        Height(mode: .multiple(1.5), height: 29, baseline: 20), Height(mode: .multiple(0.5), height: 10, baseline: 11),
        Height(mode: .growing, height: 19, baseline: 15),
    ])
    func baselinesStandWhereTheLineHeightPutsThem(_ height: Height) {
        var style = ParagraphStyle()
        style.lineHeight = height.mode
        style.spacingAfter = 6
        let layout = makeLayout("words that wrap\nab\n\ncd", width: 80, style: style)
        let lines = layout.allLines
        #expect(lines.map(\.typographicBounds.height) == Array(repeating: height.height, count: lines.count))
        #expect(lines.map { $0.baseline - $0.top } == Array(repeating: height.baseline, count: lines.count))
        // A paragraph's lines follow each other without gaps; the requested space is below the paragraph.
        #expect(lines.map(\.top) == [0, 1, 2, 3, 4].map { $0 * height.height + max(0, $0 - 1) * 6 })
        #expect(layout.usageHeight == 5 * height.height + 4 * 6)
        #expect(layout.geometry.caretRect(at: 0).height == height.height)
    }

    @Test func lettersThatAreSpacedFormNoLigatures() {
        func glyphs(_ spacing: Double, _ features: [String: UInt32] = [:], _ text: String = "office") -> Int {
            precondition(TestFonts.ready)
            return TextLayoutManager(
                store: TextStore(Rope(text)), container: TextContainer(width: 2000),
                font: FontDescriptor(family: "Noto Sans", size: 16, features: features, letterSpacing: spacing)
            ).allLines[0].glyphs.count
        }
        #expect(glyphs(0) == 4 && glyphs(2) == 6 && glyphs(-1) == 6)
        // Explicit features override this, and required features stay enabled.
        #expect(glyphs(2, ["liga": 1]) == 4 && glyphs(0, ["liga": 0]) == 6)
        #expect(glyphs(2, [:], "لا") == 1)
    }

    @Test func featuresChangeWhatIsShownAndNothingElse() {
        func glyphs(_ features: [String: UInt32]) -> [UInt32] {
            precondition(TestFonts.ready)
            return TextLayoutManager(
                store: TextStore(Rope("one 1/2 1234")), container: TextContainer(width: 2000),
                font: FontDescriptor(family: "Noto Sans", size: 16, features: features)
            ).allLines[0].glyphs.map(\.glyph)
        }
        let plain = glyphs([:])
        #expect(glyphs(["smcp": 1]) != plain && glyphs(["smcp": 0]) == plain)
        #expect(glyphs(["smcp": 1]).suffix(4) == plain.suffix(4))
        #expect(glyphs(["onum": 1]).prefix(3) == plain.prefix(3) && glyphs(["onum": 1]).suffix(4) != plain.suffix(4))
        // Unknown features have no effect.
        #expect(glyphs(["zzzz": 1]) == plain && glyphs(["": 1]) == plain)
    }

    /// Paragraphs long enough for segments, with each kind of newline and without.
    @Test(arguments: ["", "\n", "\r\n", "\r"], [true, false])
    func paragraphsAboutAsLongAsThoseInSegmentsAreShownWhole(_ newline: String, _ wraps: Bool) {
        for count in 3068...3076 {
            let text = String(repeating: "word ", count: 700).prefix(count) + newline
            let layout = makeLayout(String(text + (newline.isEmpty ? "" : "next")), width: 1000, wraps: wraps)
            let end = UTF16Offset(count)
            var glyphs = 0
            var at = UTF16Offset(0)
            for line in layout.allLines {
                #expect(line.utf16Range.lowerBound == at)
                at = line.utf16Range.upperBound
                glyphs += line.glyphs.count { $0.offset < count }
            }
            #expect(at == layout.length)
            #expect(glyphs == text.utf16.count { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d }, "\(count) units")
            #expect(layout.geometry.caretRect(at: end, affinity: .upstream).minX > 0)
        }
    }

    /// In unwrapped lines no space hangs: each trailing space has a caret and can be hit.
    @Test(arguments: ["word\(spaces)", "שלום\(spaces)", "word\t\t\t\t\(spaces)"])
    func spacesBeyondTheEdgeAreHitWhereLinesDoNotWrap(_ text: String) {
        let layout = makeLayout(text + "\nnext", width: 100, wraps: false)
        for offset in 0...text.utf16.count {
            let caret = layout.geometry.caretRect(at: UTF16Offset(offset))
            #expect(
                layout.geometry.location(closestTo: DocumentPoint(x: caret.minX, y: 5)).offset == UTF16Offset(offset))
        }
    }

    private static let spaces = String(repeating: " ", count: 60)
}
