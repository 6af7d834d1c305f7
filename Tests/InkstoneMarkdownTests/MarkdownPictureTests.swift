import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Pictures that are shown in place of their descriptions, and written as these.
@Suite("Pictures of Markdown", .timeLimit(.minutes(5)))
struct MarkdownPictureTests {
    private let source =
        "a ![one](a.png \"t\") ![](b.png)![](b.png)\n\n- [![in a *link*](c.png)](http://x.org) and ![gone](d.png)\n"

    private func attachment(_ words: String = "", _ byte: UInt8 = 1) -> TextAttachment? {
        TextAttachment(contents: [byte], type: "image/png", alternateDescription: words)
    }

    private func shown(_ source: String) throws -> MarkdownDocument {
        try MarkdownDocument(source).showing { $0 == "d.png" ? nil : attachment("no words of the file", 7) }
    }

    private func descriptions(_ text: StyledText) -> [String] {
        text.attributes(in: text.rope.utf16Range).compactMap {
            $0.attributes[AttachmentAttribute.self]?.alternateDescription
        }
    }

    @Test func picturesStandInPlaceOfTheirDescriptions() throws {
        let document = try shown(source)
        #expect(document.text.rope == "a \u{fffc} \u{fffc}\u{fffc}\n\u{fffc} and gone")
        #expect(descriptions(document.text) == ["one", "", "", "in a link"])
        #expect(document.text.attributes(at: 7)[LinkAttribute.self] == "http://x.org")
        #expect(document.pictureAddresses == ["a.png", "b.png", "c.png", "d.png"])
        let written = document.write(document.text)
        #expect(written.source == source && written.isExact && written.lostAttributes.isEmpty)
    }

    @Test func blocksWithPicturesAreKeptAndSpelledAsPictures() throws {
        let document = try shown(source)
        var text = document.text
        // In another block, and in the picture's own.
        text.apply(TextChangeSet(replacing: UTF16Offset(14)..<UTF16Offset(16), with: "am", in: text.rope))
        var written = document.write(text)
        #expect(written.source.hasPrefix("a ![one](a.png \"t\") ![](b.png)![](b.png)\n\n") && written.isExact)
        #expect(written.source.hasSuffix("- [![in a *link*](c.png)](http://x.org) and ![game](d.png)\n"))
        text.apply(TextChangeSet(replacing: UTF16Offset(0)..<UTF16Offset(1), with: "b", in: text.rope))
        written = document.write(text)
        #expect(written.source.hasPrefix("b ![one](a.png \"t\") ![](b.png)![](b.png)\n") && written.isExact)
    }

    @Test func aPictureWithoutAnAddressLeavesItsDescription() throws {
        var text = StyledText("a \u{fffc}\u{fffc}b")
        text.restyle { [attachment = attachment("x *y*")] in $0.set(attachment, of: AttachmentAttribute.self, in: 2..<4)
        }
        let written = MarkdownDocument.write(text)
        #expect(written.source == "a x \\*y\\*x \\*y*b\n" && written.lostAttributes == [AttachmentAttribute.name])
        text.restyle { [attachment = attachment()] in $0.set(attachment, of: AttachmentAttribute.self, in: 2..<4) }
        #expect(MarkdownDocument.write(text).source == "a b\n", "no character stands for nothing")
    }

    @Test(arguments: ["", "one", "an *odd* ]"]) func equalPicturesSideBySideStayTwo(_ words: String) throws {
        var text = StyledText("\u{fffc}\u{fffc}")
        text.restyle { [attachment = attachment(words)] in
            $0.set(attachment, of: AttachmentAttribute.self, in: 0..<2)
            $0.set(.init(source: "a b.png"), of: MarkdownImageAttribute.self, in: 0..<2)
        }
        let written = MarkdownDocument.write(text)
        #expect(written.isExact && written.lostAttributes.isEmpty)
        #expect(written.source.components(of: "](<a b.png>)") == 3)
        let read = try MarkdownDocument(written.source).showing { _ in attachment() }
        #expect(read.text.rope.string(in: read.text.rope.utf16Range).filter { $0 == "\u{fffc}" }.count == 2)
        #expect(Set(descriptions(read.text)) == [words])
    }

    @Test(arguments: [["cat", ""], ["", "cat"], ["a", "b"], ["", "", "a", "", ""]])
    func picturesOfOneFileStayApart(_ words: [String]) throws {
        var text = StyledText(Rope(String(repeating: "\u{fffc}", count: words.count)))
        text.restyle { [attachments = words.map { attachment($0) }] in
            for (at, attachment) in attachments.enumerated() {
                $0.set(attachment, of: AttachmentAttribute.self, in: UTF16Offset(at)..<UTF16Offset(at + 1))
            }
            $0.set(.init(source: "x.png"), of: MarkdownImageAttribute.self, in: 0..<UTF16Offset(words.count))
        }
        let written = MarkdownDocument.write(text)
        #expect(written.isExact && written.lostAttributes.isEmpty)
        let pictures = words.map { "![\($0)](x.png)" }
        #expect(written.source.filter { !$0.isWhitespace } == pictures.joined())
        let read = try MarkdownDocument(written.source).showing { _ in attachment() }
        let shown = read.text.rope.string(in: read.text.rope.utf16Range).filter { $0 == "\u{fffc}" }
        #expect(shown.count == words.count, "\(written.source)")
    }

    /// The picture is named by an address from which nothing was read.
    @Test func aPictureThatIsElsewhereIsWrittenAsItsAddress() throws {
        var text = StyledText("\u{fffc}")
        let address = "http://x.org/a b.png"
        let picture = TextAttachment(
            contents: Array(address.utf8), type: "text/uri-list", alternateDescription: address)
        text.restyle { $0.set(picture, of: AttachmentAttribute.self, in: 0..<1) }
        let written = MarkdownDocument.write(text)
        #expect(written.source == "![](<http://x.org/a b.png>)\n" && written.isExact && written.lostAttributes.isEmpty)
    }

    @Test(
        "A bar in a cell gets a backslash, also in descriptions, links and code",
        arguments: [
            ("![cat](x.png)", "![c\\|at](x.png)"),
            ("b ![cat](<x y.png> \"t\") *d*", "b ![c\\|at](<x y.png> \"t\") *d*"),
            ("[cat](x)", "[c\\|at](x)"), ("> *cat*", "> *c\\|at*"), ("`cat`", "`c\\|at`"),
            ("<i title=\"cat\">x</i>", "<i title=\"c\\|at\">x</i>"),
            ("cat", "c\\|at"),
        ])
    func bars(cell: String, result: String) throws {
        func source(_ cell: String) -> String { "| a | b |\n|---|---|\n| e | \(cell) |\n" }
        let document = try MarkdownDocument(source(cell))
        var text = document.text
        let whole = text.rope.string(in: text.rope.utf16Range)
        let place = UTF16Offset(whole[..<(try #require(whole.firstRange(of: "cat")).lowerBound)].utf16.count + 1)
        let attributes = text.attributes(at: place)
        text.apply(TextChangeSet(replacing: place..<place, with: "|", in: text.rope))
        text.restyle { $0.set(attributes, in: place..<place + 1) }
        let written = document.write(text)
        #expect(written.source == source(result) && written.isExact)
    }

    @Test("The description of a picture in a cell is written with backslashes before its bars, whatever else it has")
    func barsInDescriptions() throws {
        for words in ["a|b", "a|b *c* ] [d", "<b>|</b>", "|"] {
            let document = try shown("| ![cat](x.png) |\n|---|\n| ![cat](y.png) |\n")
            var text = document.text
            text.restyle { [attachment = attachment(words)] in
                $0.set(attachment, of: AttachmentAttribute.self, in: 2..<3)
            }
            for written in [document.write(text), MarkdownDocument.write(text)] {
                #expect(written.isExact)
                let row = try #require(written.source.split(separator: "\n").last)
                #expect(row.count { $0 == "|" } == 3 && row.contains("\\|"), "\(written.source)")
                #expect(
                    try descriptions(MarkdownDocument(written.source).showing { _ in attachment() }.text).last == words)
            }
        }
    }

    @Test func aPictureWithoutAFileYetIsAnEmptyOne() throws {
        var text = StyledText("\u{fffc}")
        text.restyle { [attachment = attachment()] in
            $0.set(attachment, of: AttachmentAttribute.self, in: 0..<1)
            $0.set(.init(source: ""), of: MarkdownImageAttribute.self, in: 0..<1)
        }
        let written = MarkdownDocument.write(text)
        #expect(written.source == "![]()\n" && written.isExact && written.lostAttributes.isEmpty)
    }
}

extension String {
    /// The number of parts between occurrences of a text.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count + 1 }
}
