import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout
@testable import InkstonePrint

@Suite(.timeLimit(.minutes(5))) struct PageLayoutTests {
    @Test(arguments: [
        ("A4", 595.28, 841.89), ("letter", 612, 792), ("148x210mm", 419.53, 595.28), ("6x9in", 432, 648),
        ("400x600pt", 400, 600), ("10cmx20cm", 283.46, 566.93),
    ]) func paperIsReadByNameAndSize(_ text: String, _ width: Double, _ height: Double) throws {
        let paper = try #require(Paper(text))
        #expect(abs(paper.width - width) < 0.01)
        #expect(abs(paper.height - height) < 0.01)
        var setup = PrintedPages.bare
        setup.paper = paper
        let size = try #require(try PrintedPages("x", setup: setup).info("Page size"))
        let numbers = size.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
        #expect(abs(numbers[0] - width) < 0.1)
        #expect(abs(numbers[1] - height) < 0.1)
    }

    @Test(arguments: ["", "A", "x", "10x", "x10mm", "10x20", "0x5mm", "nanx5mm", "1e9x1e9in", "-5x5cm", "5x5px"])
    func unknownPaperIsRefused(_ text: String) { #expect(Paper(text) == nil) }

    @Test func marginsAreRead() {
        #expect(PageMargins("1in") == PageMargins(all: 72))
        #expect(PageMargins("1in,36pt") == PageMargins(top: 72, right: 36, bottom: 72, left: 36))
        #expect(PageMargins("10,20,30,40pt") == PageMargins(top: 10, right: 20, bottom: 30, left: 40))
        for text in ["", "5", "mm", "-1mm", "1,2,3mm", "1,,2mm", "infmm", "nanmm"] { #expect(PageMargins(text) == nil) }
    }

    @Test func marginsWithoutRoomAreReported() throws {
        var setup = PageSetup()
        setup.margins = PageMargins(all: 400)
        #expect(throws: PrintError.noRoom) { try PrintedPages("x", setup: setup) }
        setup.paper = Paper(width: 40, height: 40)
        setup.margins = PageMargins(all: 0)
        #expect(throws: PrintError.noRoom) { try PrintedPages("x", setup: setup) }
    }

    /// The ink stays within the margins, at the left and right as at the top and bottom.
    @Test func textStaysWithinTheMargins() throws {
        var setup = PrintedPages.bare
        setup.margins = PageMargins(top: 72, right: 144, bottom: 216, left: 36)
        let text = String(repeating: "wwww wwww 漢字漢字 ", count: 2000)
        let (bytes, width) = try PrintedPages(text, setup: setup).pixels(resolution: 72)
        var (left, right, top, bottom) = (Int.max, 0, Int.max, 0)
        for i in stride(from: 0, to: bytes.count, by: 3) where bytes[i] < 128 {
            let (x, y) = (i / 3 % width, i / 3 / width)
            (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
        }
        #expect((35...40).contains(left))
        #expect((420...452).contains(right))
        #expect((72...82).contains(top))
        #expect((595...626).contains(bottom))
    }

    @Test func stylesAreShown() throws {
        var text = StyledText()
        func append(_ word: String, _ attributes: TextAttributes = TextAttributes()) {
            let end = text.rope.utf16Range.upperBound
            text.replace(end..<end, with: StyledText(Rope(word), attributes))
        }
        append("red", TextAttributes(ForegroundAttribute.self, Color(rgb: 0xff0000)))
        append(" ")
        var struck = TextAttributes(StrikethroughAttribute.self, .single)
        struck[ForegroundAttribute.self] = Color(rgb: 0x00a000)
        append("struck", struck)
        append(" ")
        append("marked", TextAttributes(BackgroundAttribute.self, Color(rgb: 0xffff00)))
        append(" ")
        var under = TextAttributes(UnderlineAttribute.self, .wavy)
        under[UnderlineColorAttribute.self] = Color(rgb: 0x0000ff)
        append("under", under)
        append(" plain")
        let printed = try PrintedPages(
            PagePrinter(text, font: FontDescriptor(family: "DejaVu Sans", size: 32), setup: PrintedPages.bare))
        #expect(try printed.count(of: Color(rgb: 0xff0000), resolution: 72) > 50)
        #expect(try printed.count(of: Color(rgb: 0x00a000), resolution: 72) > 100)
        #expect(try printed.count(of: Color(rgb: 0xffff00), resolution: 72) > 1000)
        #expect(try printed.count(of: Color(rgb: 0x0000ff), resolution: 72) > 30)
        #expect(try printed.text().hasPrefix("red struck marked under plain"))
    }

    @Test func emojiHaveTheirColours() throws {
        let printed = try PrintedPages("😀", font: FontDescriptor(family: "DejaVu Sans", size: 64))
        #expect(try printed.count(of: Color(rgb: 0xfcc934), resolution: 72) > 300)
    }
}

@Suite(.timeLimit(.minutes(5))) struct PrintedFileTests {
    private let font = FontDescriptor(family: "DejaVu Sans", size: 16)

    @Test func anEmptyTextIsOnePage() throws {
        let printed = try PrintedPages("")
        #expect(printed.pages == 1)
        #expect(try printed.info("Pages") == "1")
    }

    @Test func aFileStaysUntilTheNewOneIsWhole() throws {
        let directory = try OwnedDirectory()
        let path = directory.path + "/old.pdf"
        try TextFiles.write("old", to: path)
        let printer = PagePrinter(StyledText(Rope(String(repeating: "line\n", count: 2000))), font: font)
        #expect(throws: PrintError.cancelled) { try printer.print(to: FilePath(path)) { $0.pages < 3 } }
        #expect(try TextFiles.read(path) == "old")
        #expect(TemporaryDirectory.names(in: directory.path) == ["old.pdf"])
        var seen: [PrintProgress] = []
        let pages = try printer.print(to: FilePath(path)) {
            seen.append($0)
            return true
        }
        #expect(try TextFiles.bytes(path).starts(with: Array("%PDF".utf8)))
        #expect(seen.last == PrintProgress(pages: pages, fraction: 1))
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.fraction <= $1.fraction && $0.pages <= $1.pages })
        #expect(TemporaryDirectory.names(in: directory.path) == ["old.pdf"])
    }

    @Test func aReplacedFileKeepsItsModeAndItsOtherNames() throws {
        let directory = try OwnedDirectory()
        let (alone, linked) = (directory.path + "/alone.pdf", directory.path + "/linked.pdf")
        for path in [alone, linked] {
            try TextFiles.write("old", to: path)
            try #require(chmod(path, 0o666) == 0)
        }
        try #require(link(linked, directory.path + "/other.pdf") == 0)
        for path in [alone, linked] { _ = try PagePrinter(StyledText("x"), font: font).print(to: FilePath(path)) }
        for path in [alone, linked, directory.path + "/other.pdf"] {
            var status = stat()
            try #require(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o666, "\(path)")
            #expect(try TextFiles.bytes(path).starts(with: Array("%PDF".utf8)), "\(path)")
        }
    }

    @Test func aFileOfTwoNamesStaysWhenPrintingIsCancelled() throws {
        let directory = try OwnedDirectory()
        let path = directory.path + "/old.pdf"
        try TextFiles.write("old", to: path)
        try #require(link(path, directory.path + "/other.pdf") == 0)
        let printer = PagePrinter(StyledText(Rope(String(repeating: "line\n", count: 2000))), font: font)
        #expect(throws: PrintError.cancelled) { try printer.print(to: FilePath(path)) { $0.pages < 3 } }
        #expect(try TextFiles.read(path) == "old")
        #expect(TemporaryDirectory.names(in: directory.path).sorted() == ["old.pdf", "other.pdf"])
    }

    @Test func aFailedWriteIsReported() throws {
        let directory = try OwnedDirectory()
        let printer = PagePrinter(StyledText(Rope("x")), font: font)
        let missing = FilePath(directory.path + "/none/x.pdf")
        #expect(throws: PrintError.unwritable(missing, code: ENOENT)) { try printer.print(to: missing) }
        let folder = FilePath(directory.path)
        #expect(throws: PrintError.unwritable(folder, code: EISDIR)) { try printer.print(to: folder) }
        #expect(throws: PrintError.unwritable("/dev/full", code: ENOSPC)) { try printer.print(to: "/dev/full") }
        #expect(throws: PrintError.unwritable("", code: ENOENT)) { try printer.print(to: "") }
        // Nobody reads it, and nobody waits for that.
        let unread = FilePath(directory.path + "/pipe")
        try #require(mkfifo(unread.cString, 0o600) == 0)
        #expect(throws: PrintError.unwritable(unread, code: ENXIO)) { try printer.print(to: unread) }
    }

    @Test func theDocumentationShowsTheExample() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let example = try TextFiles.read(root + "/Tests/InkstonePrintTests/PrintingExample.swift")
        #expect(
            try TextFiles.read(root + "/Sources/Inkstone/Inkstone.docc/Printing.md").contains("```swift\n\(example)```")
        )
        let directory = try OwnedDirectory()
        let path = FilePath(directory.path + "/x.pdf")
        #expect(try printPages(of: StyledText(Rope("x")), named: "x", to: path) { true } == 1)
    }

    @Test func aLinkIsFollowed() throws {
        let directory = try OwnedDirectory()
        try TextFiles.write("old", to: directory.path + "/real.pdf")
        #expect(symlink("real.pdf", directory.path + "/link.pdf") == 0)
        try PagePrinter(StyledText(Rope("x")), font: font).print(to: FilePath(directory.path + "/link.pdf"))
        #expect(try TextFiles.bytes(directory.path + "/real.pdf").starts(with: Array("%PDF".utf8)))
        #expect(TemporaryDirectory.names(in: directory.path).sorted() == ["link.pdf", "real.pdf"])
    }

    @Test func aSinkThatFailsEndsIt() throws {
        var pieces = 0
        let printer = PagePrinter(StyledText(Rope(String(repeating: "line\n", count: 20_000))), font: font)
        #expect(throws: PrintError.noSpool(code: ENOSPC)) {
            try printer.print { (_) throws(PrintError) in
                pieces += 1
                throw .noSpool(code: ENOSPC)
            }
        }
        #expect(pieces == 1)
    }

    /// However long the text is, only some of its lines are kept.
    @Test func linesOfPagesThatAreDoneAreForgotten() throws {
        let printer = PagePrinter(
            StyledText(Rope(String(repeating: "a line of some words\n", count: 2000))), font: font)
        let writer = try PageWriter(printer) { (_) throws(PrintError) in }
        var most = 0
        let pages = try printer.print(with: writer) { _ in
            let tree = writer.layout.document.tree
            var (unit, count) = (0, 0)
            while unit < tree.total.units {
                unit += tree.fragment(at: unit).fragment.units
                count += 1
            }
            most = max(most, count)
            return true
        }
        #expect(pages > 25)
        #expect(most < 200)
    }
}
