import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstonePrint

/// Pages of rich text show what a view shows: images, lists, links.
@Suite(.timeLimit(.minutes(5))) struct RichPagesTests {
    /// A text in which the image stands for each "#", in an extent in pixels at scale 1.
    private func pages(
        _ text: String, _ image: [UInt8] = TestImages.png, size: Size?, setup: PageSetup = PrintedPages.bare
    ) throws -> PrintedPages {
        var styled = StyledText(Rope(text.replacing("#", with: "\u{fffc}")))
        let attachment = try #require(TextAttachment(contents: image, type: "image/png", size: size))
        let whole = styled.rope.utf16Range
        styled.restyle { $0.set(attachment, of: AttachmentAttribute.self, in: whole) }
        return try PrintedPages(
            PagePrinter(styled, font: FontDescriptor(family: "DejaVu Sans", size: 16), setup: setup))
    }

    /// The box of the pixels of a page that are no shade of grey, at 96 to the inch.
    private func colouredBox(_ pages: PrintedPages) throws -> (x: Range<Int>, y: Range<Int>)? {
        let (bytes, width) = try pages.pixels(resolution: 96)
        var box: (x: Range<Int>, y: Range<Int>)?
        for i in stride(from: 0, to: bytes.count - 2, by: 3)
        where abs(Int(bytes[i]) - Int(bytes[i + 1])) > 60 || abs(Int(bytes[i + 2]) - Int(bytes[i + 1])) > 60 {
            let (x, y) = (i / 3 % width, i / 3 / width)
            let known = box ?? (x..<(x + 1), y..<(y + 1))
            box = (
                min(known.x.lowerBound, x)..<max(known.x.upperBound, x + 1),
                min(known.y.lowerBound, y)..<max(known.y.upperBound, y + 1)
            )
        }
        return box
    }

    @Test(arguments: TestImages.all)
    func anImageIsAsLargeAsOnTheScreen(_ image: [UInt8]) throws {
        let printed = try pages("before\n#\nafter", image, size: Size(width: 160, height: 120))
        let box = try #require(try colouredBox(printed))
        #expect(abs(box.x.count - 160) <= 2 && abs(box.y.count - 120) <= 2, "\(box)")
        let words = try printed.text().split(whereSeparator: \.isWhitespace)
        #expect(words.first == "before" && words.last == "after")
    }

    @Test func anImageHigherThanThePageIsMadeSmaller() throws {
        var setup = PrintedPages.bare
        setup.margins = PageMargins(all: 72)
        let printed = try pages("#\nafter", size: Size(width: 400, height: 4000), setup: setup)
        let box = try #require(try colouredBox(printed))
        #expect(box.y.lowerBound >= 95 && box.y.upperBound <= 1123 - 95, "\(box)")
        #expect(box.y.count > 850 && abs(box.x.count * 10 - box.y.count) < 30, "\(box)")
        #expect(printed.pages == 2)
    }

    /// Fills the frames of paragraphs with a colour.
    private final class Boxes: TextLayoutManagerDelegate {
        private struct Box: CustomTextLayoutFragment {
            func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
                let frame = fragment.layoutFragmentFrame
                canvas.fill(
                    WindowRect(
                        x: origin.x + frame.minX, y: origin.y + frame.minY, width: frame.width, height: frame.height),
                    Color(rgb: 0xff0000))
            }
        }

        func textLayoutManager(
            _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in _: any TextElement
        ) -> (any CustomTextLayoutFragment)? { Box() }
    }

    /// A paragraph that goes on on the next page has its background on both, beside its own lines only.
    @Test(arguments: [false, true]) func backgroundsOfFragmentsAreOnEachOfTheirPages(isStyled: Bool) throws {
        var text = StyledText(Rope(String(repeating: "word ", count: 1000)))
        if isStyled { text.restyle { $0.set(200, of: FontWeightAttribute.self, in: 0..<4) } }
        var setup = PrintedPages.bare
        setup.margins = PageMargins(all: 72)
        var printer = PagePrinter(text, font: FontDescriptor(family: "DejaVu Sans", size: 16), setup: setup)
        printer.preparation = { layout in
            let boxes = Boxes()
            layout.delegate = boxes
            return boxes
        }
        let printed = try PrintedPages(printer)
        #expect(printed.pages == 2)
        let heights = try (1...2).map { page in
            let (bytes, width) = try printed.pixels(page: page, resolution: 72)
            let rows = stride(from: 0, to: bytes.count - 2, by: 3).filter { bytes[$0] > 200 && bytes[$0 + 1] < 100 }
                .map { $0 / 3 / width }
            let (first, last) = (try #require(rows.first), try #require(rows.last))
            #expect((71...73).contains(first))
            return last - first
        }
        #expect((670...699).contains(heights[0]) && heights[1] < 600, "\(heights)")
    }

    @Test func theDocumentHasAnImageOnce() throws {
        let lines = Array(repeating: "#", count: 100).joined(separator: "\n")
        let printed = try pages(lines, size: Size(width: 80, height: 60))
        #expect(printed.pages > 3)
        let rows = try PrintedPages.run("pdfimages", ["-list", printed.path]).split(separator: "\n").dropFirst(2)
        let objects = rows.map { $0.split(separator: " ") }.filter { $0[2] == "image" }.map { $0[10] }
        #expect(objects.count == 100 && Set(objects).count == 1, "\(rows.first ?? "")")
    }

    @Test func anAttachmentWithoutAnImageIsPrintedAsAFrame() throws {
        let printed = try pages("a#b", Array("nothing".utf8), size: Size(width: 160, height: 120))
        #expect(try printed.count(of: Color(rgb: 0x666666), resolution: 96) > 500)
        #expect(try printed.text().hasPrefix("a"))
    }

    @Test func linksLead() throws {
        var text = StyledText(Rope("one two three four"))
        for (word, link) in [
            (0..<3, "https://example.org/it's\\ü?a=1"), (4..<7, "HTTPS://example.org/2"),
            (8..<13, "javascript:alert(1)"),
            (14..<18, "mailto:me@example.org"),
        ] {
            text.restyle {
                $0.set(
                    link, of: LinkAttribute.self, in: UTF16Offset(word.lowerBound)..<UTF16Offset(word.upperBound))
            }
        }
        let printed = try PrintedPages(
            PagePrinter(text, font: FontDescriptor(family: "DejaVu Sans", size: 16), setup: PrintedPages.bare))
        let rows = try PrintedPages.run("pdfinfo", ["-url", printed.path]).split(separator: "\n").dropFirst()
        #expect(
            rows.compactMap { $0.split(separator: " ").last } == [
                "https://example.org/it%27s%5C%C3%BC?a=1", "HTTPS://example.org/2", "mailto:me@example.org",
            ])
        #expect(try printed.text().hasPrefix("one two three four"))
    }

    @Test func listsHaveTheirMarkers() throws {
        var text = StyledText(Rope("first\nsecond\nbox\n"))
        let (numbers, boxes) = (TextList(.decimal), TextList(.checkbox))
        let items = [ListItem([numbers]), ListItem([numbers]), ListItem([boxes], isChecked: true)]
        for (item, range) in zip(items, [0..<6, 6..<13, 13..<17]) {
            text.restyle {
                $0.set(
                    item, of: ListAttribute.self, in: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
            }
        }
        let printed = try PrintedPages(
            PagePrinter(text, font: FontDescriptor(family: "DejaVu Sans", size: 16), setup: PrintedPages.bare))
        let rows = try printed.text("-layout").split(separator: "\n").map { $0.filter { !$0.isWhitespace } }
        #expect(rows.prefix(2) == ["1.first", "2.second"])
        #expect(rows.count > 2 && rows[2].hasSuffix("box") && rows[2].count == 4)
    }
}
