import CCairo
import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstonePrint

/// Text that is taken out of a PDF is the text that was printed.
@Suite(.timeLimit(.minutes(5))) struct PrintedTextTests {
    @Test(arguments: [
        "The office is affluent; the waffle baffles: fi ffl ff ffi.",
        "Ça et là: déjà vu, Übergröße, naïve, e\u{301}te\u{301}, x\u{323}y\u{308}.",
        "السلام عليكم. لا إله إلا الله. الآن (والإسلام) والأمر 123 نص انتهى.",
        "می\u{200c}خواهم کتاب\u{200c}ها را بخوانم. نمی\u{200c}شود",
        "כל בני האדם נולדו בני חורין ושווים בערכם (אחד) 14 סוף.",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। क्षत्रिय कि र्क",
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ที่นี่ น้ำ",
        "すべての人間は、生まれながらにして自由であり、人人生而自由，모든 인간은 태어날 때부터 자유로우며",
        "a😀b 👩‍👩‍👧‍👦 🇩🇪🇯🇵 👍🏽 x 😀😁😂 end",
        "one مرحبا two שלום three 日本 four 😀 five",
        "Greek αβγ, Cyrillic Привет, arrows ← → and “quotes” – dashes… 100 €",
        "tab\tand\ttab, soft\u{ad}hyphen",
    ]) func textComesOutAgain(_ text: String) throws {
        let found = try PrintedPages(text).text()
        #expect(PrintedPages.plain(found) == PrintedPages.plain(text))
    }

    /// Lines that fit keep their words apart, and each other.
    @Test func wordsAndLinesStayApart() throws {
        let text = "first line of words\nsecond line\n\nแมวดำ กับ หมาขาว\nकमल खरगोश गाय\nab 😀 cd\nלא כן\n"
        let found = try PrintedPages(text).text("-layout").split(separator: "\n").map {
            $0.filter { !("\u{202a}"..."\u{202e}" ~= $0) && $0 != "\u{c}" }
        }
        #expect(
            found.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
                == text.split(separator: "\n").map(String.init))
    }

    @Test func aParagraphOfManyPagesIsWhole() throws {
        let words = (0..<20_000).map { "word\($0)" }
        let printed = try PrintedPages(words.joined(separator: " "))
        #expect(printed.pages > 20)
        #expect(try printed.info("Pages") == "\(printed.pages)")
        #expect(try printed.text().split(whereSeparator: \.isWhitespace).map(String.init) == words)
    }

    @Test func manyParagraphsAreWhole() throws {
        let lines = (0..<3000).map { "line \($0)" }
        let printed = try PrintedPages(lines.joined(separator: "\n") + "\n")
        let found = try printed.text().split(whereSeparator: { $0.isNewline || $0 == "\u{c}" }).map(String.init)
        #expect(found == lines)
    }

    /// Of three lines neither the first nor the last stands alone, so none is cut.
    @Test func linesOfAParagraphStandTogether() throws {
        let font = FontDescriptor(family: "DejaVu Sans Mono", size: 16)
        let text = "P\n" + (0..<200).map { "P\($0) " + String(repeating: "word ", count: 36) }.joined(separator: "\n")
        let pages = try PrintedPages(text, font: font).text().split(separator: "\u{c}")
        #expect(pages.count > 5)
        #expect(pages.allSatisfy { $0.hasPrefix("P") })
        var setup = PrintedPages.bare
        setup.linesTogether = 1
        let others = try PrintedPages(text, font: font, setup: setup).text().split(separator: "\u{c}")
        #expect(others.contains { !$0.hasPrefix("P") })
    }

    @Test func charactersThatAreNoneAreReplaced() throws {
        let units: [UInt16] = [0x61, 0, 0x62, 0xd800, 0x63, 0x01, 0x64, 0xffff, 0x65, 0x7f]
        let text = String(decoding: units, as: UTF16.self)
        let found = try PrintedPages(text).text()
        #expect(PrintedPages.plain(found).filter(\.isASCII).filter(\.isLetter) == "abcde")
    }

    /// The font's file may have gone since the text was laid out.
    @Test func textOfAMissingFontIsStillWritten() throws {
        let font = FontTable.intern(":file=/nowhere/gone.ttf:pixelsize=16")
        defer { FontTable.release(font) }
        let directory = try OwnedDirectory()
        var bytes: [UInt8] = []
        let pdf = try PDFDocument(width: 300, height: 100, scale: 1) { bytes += $0 }
        var run = GlyphText(font: font, color: .black, isRightToLeft: false)
        run.text = Array("kept".utf8)
        for index in 0..<run.text.count {
            run.glyphs.append(ccairo_glyph(glyph: 36, x: Double(20 + 9 * index), y: 40))
            run.clusters.append(ccairo_cluster(bytes: 1, glyphs: 1))
        }
        pdf.show(&run, size: 16)
        try pdf.showPage()
        try pdf.finish()
        let path = directory.path + "/pages.pdf"
        try TextFiles.write(bytes, to: path)
        #expect(PrintedPages.plain(try PrintedPages.run("pdftotext", ["-enc", "UTF-8", path, "-"])) == "kept")
    }

    @Test func aPartHasTheNumbersOfItsParagraphs() throws {
        let text = StyledText(Rope("one\ntwo\nthree\nfour"))
        var setup = PrintedPages.bare
        setup.numbersLines = true
        let printer = PagePrinter(text, in: 4..<13, font: FontDescriptor(family: "DejaVu Sans", size: 16), setup: setup)
        let found = try PrintedPages(printer).text("-layout").split(whereSeparator: \.isNewline).map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(found.filter { !$0.isEmpty && $0 != ["\u{c}"] } == [["2", "two"], ["3", "three"]])
    }

    @Test func headerAndNumberStandOnEachPage() throws {
        var setup = PageSetup()
        setup.header = "notes\nof mine"
        setup.title = "Notes – 日本"
        let printed = try PrintedPages((0..<200).map { "line \($0)" }.joined(separator: "\n"), setup: setup)
        #expect(printed.pages > 2)
        let pages = try printed.text().split(separator: "\u{c}").map { $0.split(whereSeparator: \.isNewline) }
        for (index, page) in pages.enumerated() {
            #expect(page.first == "notes of mine")
            #expect(page.last == "\(index + 1)")
        }
        #expect(try printed.info("Title") == "Notes–日本")
    }
}
