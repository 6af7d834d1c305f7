import Glibc
import Inkstone
import InkstoneFiles
import InkstoneMarkdown
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// Exporting styled text to files of other formats.
@Suite("Export", .timeLimit(.minutes(5))) struct StyledExportTests {
    private static let text: StyledText = {
        var result = StyledText("plain ")
        var attributes = TextAttributes(FontWeightAttribute.self, 200)
        attributes[ForegroundAttribute.self] = Color(rgb: 0xcc0000)
        result.append(StyledText("bold", attributes))
        return result
    }()

    private static func content(_ format: StyledExport) -> String { format.page(of: text).content.description }

    @Test func theNameOfTheFileSaysTheFormat() {
        #expect(StyledExport("/a/page.html") == .html && StyledExport("page.HTM") == .html)
        #expect(StyledExport("page.rtf") == .rtf && StyledExport("page.MD") == .markdown)
        #expect(StyledExport("page.markdown") == .markdown)
        #expect(StyledExport("page") == nil && StyledExport("page.txt") == nil && StyledExport("html") == nil)
    }

    @Test func eachFormatHasTheTextAndItsStyles() {
        #expect(Self.content(.html).contains("plain <strong><span style=\"color:#cc0000\">bold</span></strong>"))
        #expect(Self.content(.rtf).hasPrefix("{\\rtf1") && Self.content(.rtf).contains("\\b"))
        #expect(Self.content(.markdown) == "plain **bold**\n")
    }

    @Test func attributesThatAFormatLacksAreNamedInTheWordsOfMarkdown() {
        #expect(StyledExport.html.page(of: Self.text).loss.isNothing)
        #expect(StyledExport.rtf.page(of: Self.text).loss.isNothing)
        #expect(StyledExport.markdown.page(of: Self.text).loss.words == "foreground")
        var kerned = Self.text
        kerned.restyle {
            $0.set(2, of: KernAttribute.self, in: 0..<3)
            $0.set(2, of: BaselineOffsetAttribute.self, in: 0..<3)
        }
        #expect(StyledExport.rtf.page(of: kerned).loss.words == "baseline offset and kern")
        #expect(StyledExport.markdown.page(of: kerned).loss.words == "baseline offset, foreground and kern")
    }

    /// The message about lost styles uses words that users know, such as “picture” instead of “attachment”.
    @Test func lossesAreReportedInTheUsersWords() {
        let loss = RichDocument.Loss(attributes: [AttachmentAttribute.name, LinkAttribute.name])
        #expect(loss.words == "link and picture")
    }

    @Test func aPageOfHTMLHasTheNameOfItsDocument() {
        let page = StyledExport.html.page(of: Self.text, title: "page.md").content.description
        #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.contains("<title>page.md</title>"))
        #expect(page.contains("<p>plain <strong>"))
    }

    @Test func aPictureThatIsNotDisplayedIsItsAddressInHTMLAndLostInRTF() throws {
        let text = try MarkdownDocument("a ![A cat](http://x.y/cat.png \"t\") b\n").text
        let page = StyledExport.html.page(of: text)
        #expect(page.content.description.contains("a <img src=\"http://x.y/cat.png\" alt=\"A cat\"> b"))
        #expect(page.loss.isNothing)
        #expect(StyledExport.rtf.page(of: text).loss.words == "picture")
    }

    @Test func anExportOverAFileOfTwoNamesKeepsBoth() throws {
        let directory = try OwnedDirectory()
        let (path, other) = (directory.path + "/a.html", directory.path + "/b.html")
        try TextFiles.write("old", to: path)
        try #require(link(path, other) == 0)
        let page = StyledExport.html.page(of: Self.text)
        try page.write(to: FilePath(path), expecting: FileIdentity(path: FilePath(path)))
        #expect(try TextFiles.read(other) == page.content.description)
    }
}
