import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Edits of one block, after which the rest of the source must be as it was, byte for byte.
@Suite("Markdown beside an edit", .timeLimit(.minutes(5)))
struct MarkdownKeptTests {
    /// Returns the document with all occurrences of some words replaced in its styled text.
    private func replacing(_ words: String, by new: String, in source: String) throws -> MarkdownDocument.Written {
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        for found in whole.ranges(of: words).reversed() {
            let start = UTF16Offset(whole[..<found.lowerBound].utf16.count)
            let range = start..<start + words.utf16.count
            text.apply(TextChangeSet(replacing: range, with: Rope(new), in: text.rope))
        }
        return document.write(text)
    }

    /// `String` takes these texts for equal.
    @Test(
        "A text that is canonically equivalent to the old one is written",
        arguments: [("\u{795e}", "\u{fa19}"), ("\u{e9}", "e\u{301}"), ("e\u{301}", "\u{e9}"), ("\u{3a9}", "\u{2126}")],
        ["\u{2}", "    \u{2}", "| a | \u{2} |\n|---|---|", "> - \u{2}", "<p>\u{2}</p>"])
    func equivalentText(change: (old: String, new: String), block: String) throws {
        func source(_ words: String) -> String {
            "First \(change.old)\n\n\(block.replacing("\u{2}", with: words))\n\nLast\n"
        }
        let old = source(change.old)
        let document = try MarkdownDocument(old)
        var text = document.text
        let units = Array(text.rope.string(in: text.rope.byteRange).utf16)
        let length = change.old.utf16.count
        let place = try #require(
            units.indices.last { units[$0...].starts(with: change.old.utf16) }.map { UTF16Offset($0) })
        text.apply(TextChangeSet(replacing: place..<place + length, with: Rope(change.new), in: text.rope))
        let written = document.write(text)
        #expect(written.isExact)
        #expect(written.source.unicodeScalars.map(\.value) == source(change.new).unicodeScalars.map(\.value))
        #expect(Array(document.write(document.text).source.utf8) == Array(old.utf8))
    }

    @Test("Addresses that are canonically equivalent stay apart when their paragraph is written anew")
    func equivalentAddresses() throws {
        let source = """
            A [x](<h/caf\u{e9}>) and [x](<h/cafe\u{301}>) and ![p](<caf\u{e9}.png>) and ![p](<cafe\u{301}.png>) words

            """
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        let words = try #require(whole.ranges(of: "words").first)
        let start = UTF16Offset(whole[..<words.lowerBound].utf16.count)
        var restyling = Restyling()
        restyling.set(.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: start..<start + 5)
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        let written = document.write(text)
        #expect(Array(written.source.utf8) == Array(source.replacing("words", with: "**words**").utf8))
        #expect(
            document.pictureAddresses.map { Array($0.utf8) }
                == ["caf\u{e9}.png", "cafe\u{301}.png"].map { Array($0.utf8) })
    }

    private static let table =
        "# T\n\n| Name  |  When |\n|-------|:-----:|\n| Rose  |  May  |\n| Tulip | April |\n\nEnd\n"

    /// Rows of a table, and what becomes of them in its text and in its source.
    @Test(
        "The other rows of a table and its rule keep their bytes",
        arguments: [
            ("Rose\tMay\n", "", "| Rose  |  May  |\n", ""),
            ("Tulip\tApril\n", "", "| Tulip | April |\n", ""),
            ("\nTulip", "\nLily\tJune\nTulip", "| Tulip", "| Lily  | June  |\n| Tulip"),
            ("April", "April\nLily\tJune", "April |", "April |\n| Lily  | June  |"),
            (
                "Name\tWhen\n", "", "| Name  |  When |\n|-------|:-----:|\n| Rose  |  May  |\n",
                "| Rose  |  May  |\n|-------|:-----:|\n"
            ),
        ])
    func rowsOfTables(words: String, new: String, old: String, result: String) throws {
        for newline in ["\n", "\r\n"] {
            func lines(_ text: String) -> String { text.replacing("\n", with: newline) }
            let written = try replacing(words, by: new, in: lines(Self.table))
            #expect(written.source == lines(Self.table.replacing(old, with: result)) && written.isExact)
        }
    }

    @Test("A styled word changes only its cell", arguments: [true, false])
    func styledCells(isPadded: Bool) throws {
        let source = isPadded ? Self.table : Self.table.replacing("| Tulip |", with: "|Tulip|")
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        let start = try #require(whole.firstRange(of: "May")).lowerBound
        let offset = UTF16Offset(whole[..<start].utf16.count)
        var restyling = Restyling()
        restyling.set(.emphasized, of: InlinePresentationIntentAttribute.self, in: offset..<offset + 3)
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        #expect(document.write(text).source == source.replacing("May", with: "*May*"))
    }

    @Test(
        "A tag or comment over two lines stays in one paragraph",
        arguments: [
            "Text <a href=\"x\"\ntitle=\"y\">link</a> more.", "<img src=\"a.png\"\n     alt=\"b\"> is a picture.",
            "A <!-- note\nof two lines --> end.", "A <!-- note\n<b>\n</b>\n<br>\n--> end.", "> A <b\n> class=x> end.",
            "- A <b\n  class=x> end.", "A <!-- note\n     - not an item\n     # nor this --> end.",
            "A <b\nclass=x>\nnext line", "A <b\nclass=x> end\n=====",
        ])
    func tagOverLines(block: String) throws {
        let source = "First\n\n\(block)\n\nSecond\n"
        let document = try MarkdownDocument(source)
        #expect(document.text.rope.paragraphCount == 3)
        #expect(MarkdownTreeMaker.blocks(of: document.text).blocks.count == 3)
        let edited = try replacing("Second", by: "Second.", in: source)
        #expect(edited.source == "First\n\n\(block)\n\nSecond.\n" && edited.isExact)
        let inside = try replacing("end", by: "ends", in: source)
        #expect(inside.source == source.replacing("end", with: "ends") && inside.isExact)
    }

    /// A paragraph that is written anew keeps the line ends of its tags, and stays a paragraph.
    @Test(
        "A tag over two lines is written with both lines",
        arguments: [
            "A <a href=\"x\"\ntitle=\"y\">link</a> end.", "A <!-- note\n     - not an item\n     # nor this --> end.",
            "A <b\nclass=x>\nnext line",
        ])
    func writingTagOverLines(block: String) throws {
        let text = try MarkdownDocument(block).text
        let written = MarkdownDocument.write(text)
        #expect(written.isExact)
        #expect(
            MarkdownTreeMaker.blocks(of: try MarkdownDocument(written.source).text).blocks
                == MarkdownTreeMaker.blocks(of: text).blocks)
        #expect(written.source.count { $0 == "\n" } == block.count { $0 == "\n" } + 1)
    }

    @Test(
        "Equal pictures side by side stay as many pictures",
        arguments: [
            "![star](s.png)![star](s.png)![star](s.png) good", "![a](u)![b](u) good", "![](u)![b](u) good",
            "![](u)![](u) good", "[![a](u)![a](u)](x) good", "| A |\n| --- |\n| ![a](u)![a](u) good |",
        ])
    func equalPictures(source: String) throws {
        let count = source.ranges(of: "![").count
        let document = try MarkdownDocument(source + "\n")
        for isShown in [false, true] {
            let base =
                isShown
                ? document.showing { TextAttachment(contents: Array($0.utf8), type: "text/uri-list") } : document
            let whole = base.text.rope.string(in: base.text.rope.byteRange)
            if isShown { #expect(whole.count { $0 == "\u{fffc}" } == count) }
            var text = base.text
            let good = try #require(whole.ranges(of: "good").first)
            let start = UTF16Offset(whole[..<good.lowerBound].utf16.count)
            var bold = Restyling()
            bold.set(.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: start..<start + 4)
            text.apply(TextChangeSet(none: text.rope), restyling: bold)
            let written = base.write(text)
            #expect(written.source == source.replacing("good", with: "**good**") + "\n")
            #expect(written.isExact)
        }
    }

    @Test("Two equal pictures stay two when the one between them is deleted")
    func deletingPicture() throws {
        let document = try MarkdownDocument("![a](u)![a](u)![a](u) good\n").showing {
            TextAttachment(contents: Array($0.utf8), type: "text/uri-list")
        }
        var text = document.text
        text.apply(TextChangeSet(replacing: UTF16Offset(1)..<UTF16Offset(2), with: "", in: text.rope))
        #expect(document.write(text).source == "![a](u)![a](u) good\n")
    }

    /// The second of two equal blocks has no place of its own, so it is found by its position.
    @Test("A block with an equal twin keeps its spelling between two edits")
    func equalTwins() throws {
        let source = "one start\n\n- \ta\n\ntwo start\n\n-\ta\n\nthree start\n"
        let written = try replacing("start", by: "begin", in: source)
        #expect(written.source == source.replacing("start", with: "begin"))
    }

    @Test("A block that cannot be patched does not make others be written anew")
    func failingPatch() throws {
        let parts = [
            "[a](b \"c\" )", "[a](b\n\"c\")", "Line one  \nline two", "+ a\n+ b", "- c", "- a\n\n\n- b", "`\na`",
        ]
        var source = ""
        for part in parts { source += "P start.\n\n\(part)\n\nP end.\n\n" }
        let written = try replacing("start.", by: "begin.", in: source)
        #expect(written.source == source.replacing("start.", with: "begin."))
        #expect(written.isExact)
    }

    /// The text of the link's title is not shown, so a change of style is no edit of texts.
    @Test("A paragraph whose last line has no text is written anew as a whole")
    func titleOnLastLine() throws {
        let source = "*[a](b\n\"c\")*\n\nLine one  \nline two\n"
        let document = try MarkdownDocument(source)
        var text = document.text
        var bold = Restyling()
        bold.set(.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: 0..<1)
        text.apply(TextChangeSet(none: text.rope), restyling: bold)
        #expect(document.write(text).source == "[**a**](b \"c\")\n\nLine one  \nline two\n")
    }

    @Test(
        "An item that begins with a list has its markers",
        arguments: ["- - a\n  - b\n- c\n", "- 1. a\n  2. b\n- c\n", "- - - a\n"])
    func itemBeginsWithList(source: String) throws {
        let document = try MarkdownDocument(source)
        for index in 0..<document.text.rope.paragraphCount {
            let range = document.text.rope.utf16Range(of: ParagraphIndex(index))
            if range.isEmpty { continue }
            let item = document.text.attributes(at: range.lowerBound)[ListAttribute.self]
            #expect(item?.hasMarker == true, "\(index)")
        }
        #expect(MarkdownTreeMaker.blocks(of: document.text).blocks == MarkdownReader.read(source.utf8)?.map(\.block))
        #expect(try replacing("a", by: "ax", in: source).source == source.replacing("a", with: "ax"))
    }

    @Test("Lines of blanks in code are said exactly")
    func blanksInCode() throws {
        let code = PresentationIntent(.codeBlock(languageHint: nil), identity: 1)
        for lines in ["x\n\t\n\tz", "\t\nx", "x\n\t", "x\n  ", "  "] {
            let text = StyledText(Rope(lines + "\n"), TextAttributes(PresentationIntentAttribute.self, code))
            let written = MarkdownDocument.write(text)
            #expect(written.source == "```\n\(lines)\n```\n")
            #expect(written.isExact, "\(lines.debugDescription)")
        }
    }

    @Test("Front matter that looks like a table stays front matter")
    func tableInFrontMatter() throws {
        let source = "---\na: x | y\n- | -\n---\n\nText\n"
        #expect(
            try MarkdownDocument(source).text.rope.string(in: MarkdownDocument(source).text.rope.byteRange) == "Text")
        let written = try replacing("Text", by: "Words", in: source)
        #expect(written.source == source.replacing("Text", with: "Words") && written.isExact)
    }

    /// A program may put text beside the character that shows a rule; views keep their users from doing so.
    /// A block that is pasted into another document would otherwise be taken for a part of a block there.
    @Test("Blocks of different documents have different identities")
    func identities() throws {
        func identities(_ source: String) throws -> Set<Int> {
            let text = try MarkdownDocument(source).text
            let intent = text.attributes(at: 0)[PresentationIntentAttribute.self]
            return Set(intent?.components.map(\.identity) ?? [])
        }
        for (first, second) in [("> a", "> b"), ("    a", "    b"), ("| a |\n|---|", "| b |\n|---|")] {
            let (first, second) = (try identities(first), try identities(second))
            #expect(!first.isEmpty && first.isDisjoint(with: second))
        }
    }

    @Test("The definition of a deleted quotation keeps the document's line ends", arguments: ["\n", "\r\n"])
    func definitionOfDeletedQuotation(newline: String) throws {
        func lines(_ text: String) -> String { text.replacing("\n", with: newline) }
        let source = lines("first\n\n> text [x]\n>\n> [x]: http://a.b\n\nlast [x]\n")
        let written = try replacing("text x\n", by: "", in: source)
        #expect(written.source == lines("first\n\n[x]: http://a.b\n\nlast [x]\n") && written.isExact)
    }

    @Test("The character of a rule is never written")
    func textInRule() throws {
        let document = try MarkdownDocument("a\n\n---\n\nb\n")
        for (at, source) in [(2, "a\n\nx\n\nb\n"), (3, "a\n\nx\n\nb\n")] {
            var text = document.text
            let place = UTF16Offset(at)
            text.apply(TextChangeSet(replacing: place..<place, with: "x", in: text.rope))
            #expect(document.write(text).source == source)
        }
    }

    @Test("A list that goes on after other items is written with the numbers that are shown")
    func interruptedList() throws {
        let (numbers, bullets) = (TextList(.decimal), TextList(.disc))
        var text = StyledText(Rope("alpha\none\ntwo\nbeta\ngamma\n"))
        var start = UTF16Offset(0)
        var lists = Restyling()
        for (line, list) in [
            ("alpha", numbers), ("one", numbers), ("two", bullets), ("beta", numbers), ("gamma", numbers),
        ] {
            let end = start + line.utf16.count + 1
            lists.set(ListItem([list]), of: ListAttribute.self, in: start..<end)
            start = end
        }
        text.apply(TextChangeSet(none: text.rope), restyling: lists)
        let written = MarkdownDocument.write(text)
        #expect(written.source == "1. alpha\n2. one\n\n- two\n\n3. beta\n4. gamma\n")
        #expect(written.isExact)
    }
}
