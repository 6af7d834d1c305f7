import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// A paragraph of a text in short: what it is, its text with `*` around what has roles.
private func lines(_ text: StyledText) -> [String] {
    (0..<text.rope.paragraphCount).map { index in
        let range = text.rope.utf16Range(of: ParagraphIndex(index))
        let intent = text.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]
        let words = range.isEmpty ? "" : intent?.components.map { "\($0.kind)" }.joined(separator: "<") ?? "-"
        let parts = text.attributes(in: range).map { run in
            let string = text.rope.string(in: run.range).filter { $0 != "\n" }
            let roles = run.attributes[InlinePresentationIntentAttribute.self]?.rawValue
            return roles.map { "\($0)(\(string))" } ?? string
        }
        return words + ": " + parts.joined()
    }
}

extension StyledText {
    fileprivate mutating func type(_ new: String, over range: Range<UTF16Offset>) {
        apply(TextChangeSet(replacing: range, with: Rope(new), in: rope))
    }
}

/// The smallest part of a document that is not the same after it was written and read, as written, and as what is read is written.
private func unequal(_ blocks: [MarkdownBlock]) -> String {
    for block in blocks {
        let children: [[MarkdownBlock]] =
            switch block {
            case .quote(let blocks): [blocks]
            case .list(_, let items): items.map(\.blocks)
            default: []
            }
        for child in children where !child.isEmpty {
            let found = unequal(child)
            if !found.isEmpty { return found }
        }
    }
    for part in blocks.map({ [$0] }) + [blocks] {
        let source = MarkdownWriter.lines(part).joined(separator: "\n")
        let read = MarkdownReader.read(source.utf8)?.map(\.block) ?? []
        if read != part { return "\(source)\n--- is read as\n\(MarkdownWriter.lines(read).joined(separator: "\n"))" }
    }
    return ""
}

@Suite("Markdown", .timeLimit(.minutes(5)))
struct MarkdownTests {
    static let page = """
        Title
        =====

        Some *emphasis*, __strong__ and `code`,
        a [link](http://x.org "title") and <kbd>Tab</kbd>.

        [ref]: http://ref.org  'r'

        * one
        * two
            1) deep

            2) deeper
        *

        ~~~swift

        let a = `b`

        ~~~
        > quoted
        lazy [ref]
        ***
        | a | b |
        |---|:-:|
        | 1 | `2` |

        <div>
        raw &amp; html

        </div>

        - [ ] open
        - [x] done
        ### Last ###

        """

    @Test("Blocks and roles of a page become attributes")
    func reading() throws {
        let document = try MarkdownDocument(
            "# A *b*\n\ntext  \nmore\nsoft\n\n- one\n- two\n\n> ```c\n> x\n>\n> y\n> ```\n\n---\n\n|a|b|\n|---|---|\n|1|**2**|"
        )
        #expect(
            lines(document.text) == [
                "header(level: 1): A 1(b)", "-: text\u{2028}more64( )soft",
                "-: one", "-: two",
                "codeBlock(languageHint: Optional(\"c\"))<blockQuote: x",
                "codeBlock(languageHint: Optional(\"c\"))<blockQuote: ",
                "codeBlock(languageHint: Optional(\"c\"))<blockQuote: y",
                "thematicBreak: \u{2e3b}",
            ].map { $0 }
                + [
                    "tableHeaderRow<\(table): a\tb",
                    "tableRow(rowIndex: 1)<\(table): 1\t2(2)",
                ])
    }

    @Test("Lists become the paragraphs' own, with markers, numbers and boxes, and are written again")
    func lists() throws {
        let source = "- a\n  more\n\n  again\n\n  5. b\n  6. c\n- d\n\ntext\n\n- [x] e\n- [ ] f\n"
        let document = try MarkdownDocument(source)
        let text = document.text
        let items = (0..<text.rope.paragraphCount).map { index -> String in
            let start = text.rope.utf16Range(of: ParagraphIndex(index)).lowerBound
            guard let item = text.attributes(at: start)[ListAttribute.self], let list = item.list else { return "-" }
            return "\(item.level) \(list.marker) \(list.startingNumber) \(item.hasMarker) \(item.isChecked)"
        }
        #expect(
            items == [
                "1 disc 1 true false", "1 disc 1 false false", "2 decimal 5 true false", "2 decimal 5 true false",
                "1 disc 1 true false", "-", "1 checkbox 1 true true", "1 checkbox 1 true false",
            ])
        #expect(document.write(text).source == source)
        let written = MarkdownDocument.write(text)
        #expect(written.isExact && written.lostAttributes.isEmpty)
        #expect(try MarkdownDocument(written.source).text == text)
    }

    @Test("Lists in lists have the markers that moving an item inwards gives, and those are no loss")
    func markersByDepth() throws {
        let document = try MarkdownDocument("- a\n  - b\n    - c\n      1. d\n         1. e\n            - [ ] f\n")
        let markers = (0..<document.text.rope.paragraphCount).compactMap { index in
            let start = document.text.rope.utf16Range(of: ParagraphIndex(index)).lowerBound
            return document.text.attributes(at: start)[ListAttribute.self]?.list?.marker
        }
        #expect(markers == [.disc, .circle, .square, .decimal, .lowercaseAlphabetic, .checkbox])
        #expect(MarkdownDocument.write(document.text).lostAttributes.isEmpty)
        // A marker that reading again does not give is one.
        var text = StyledText(Rope("a"))
        text.restyle {
            $0.set(ListItem([TextList(.square)]), of: ListAttribute.self, in: UTF16Offset(0)..<UTF16Offset(1))
        }
        #expect(MarkdownDocument.write(text).lostAttributes == [ListAttribute.name])
    }

    private var table: String { "\(PresentationIntent.Kind.table(columns: [.init(), .init()]))" }

    @Test("What was not edited is written as it stood", arguments: ["\n", "\r\n"])
    func untouched(newline: String) throws {
        let source = Self.page.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline)
        let document = try MarkdownDocument(source)
        #expect(document.write(document.text).source == source)
        // Each paragraph in turn is edited: all that is in other blocks stays.
        let pieces = source.split(separator: newline + newline, omittingEmptySubsequences: false)
        for index in 0..<document.text.rope.paragraphCount {
            let range = document.text.rope.utf16Range(of: ParagraphIndex(index))
            var text = document.text
            text.type("Edited ", over: range.lowerBound..<range.lowerBound)
            let written = document.write(text)
            // Behind text, a tag begins no block, and the entity in it is shown as its character.
            #expect(written.isExact != written.source.contains("Edited <div>"), "\(index): \(written.source)")
            #expect(written.source.contains("Edited"))
            let kept = pieces.count { written.source.contains($0) }
            #expect(kept >= pieces.count - 4, "\(index): \(written.source)")
            #expect(written.source.contains("[ref]: http://ref.org  'r'"))
        }
    }

    @Test("Edits of blocks leave the bytes of their neighbours")
    func neighbours() throws {
        let document = try MarkdownDocument("a\n=\n\n\n* b\n+ c\n\n***bold***  \n\n\n[r]: x\n\nlast [r]\n\n\n")
        func written(_ find: String, _ new: String) throws -> String {
            var text = document.text
            let low = try #require(text.rope.string(in: text.rope.utf16Range).utf16.firstRange(of: Array(find.utf16)))
            let start = text.rope.string(in: text.rope.utf16Range).utf16.distance(
                from: text.rope.string(in: text.rope.utf16Range).utf16.startIndex, to: low.lowerBound)
            text.type(new, over: UTF16Offset(start)..<UTF16Offset(start + find.utf16.count))
            return document.write(text).source
        }
        do {
            let result = try written("a", "A")
            #expect(result == "A\n=\n\n\n* b\n+ c\n\n***bold***  \n\n\n[r]: x\n\nlast [r]\n\n\n")
        }
        do {
            let result = try written("c", "C")
            #expect(result == "a\n=\n\n\n* b\n+ C\n\n***bold***  \n\n\n[r]: x\n\nlast [r]\n\n\n")
        }
        do {
            let result = try written("last", "Last")
            #expect(result == "a\n=\n\n\n* b\n+ c\n\n***bold***  \n\n\n[r]: x\n\nLast [r]\n\n\n")
        }
        do {
            let result = try written("bold\n", "")
            #expect(result == "a\n=\n\n\n* b\n+ c\n\n[r]: x\n\nlast [r]\n\n\n")
        }
    }

    private static func link(_ text: String, to destination: String? = nil, _ roles: InlinePresentationIntent = [])
        -> MarkdownInline
    {
        var result = MarkdownInline(text, roles)
        result.link = .init(destination: destination ?? text, title: "")
        return result
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        var blocks: [MarkdownBlock]
        var source: String

        init(_ source: String, _ blocks: MarkdownBlock...) { (self.source, self.blocks) = (source, blocks) }

        var testDescription: String { source }
    }

    @Test(
        "What other writers get wrong is written so that it is read again",
        arguments: [
            Fault("# a<br>b\n", .header(level: 1, [MarkdownInline("a\u{2028}b")])),
            Fault(
                "- a\\\n  b\n",
                .list(start: nil, [.init(isDone: nil, blocks: [.paragraph([MarkdownInline("a\u{2028}b")])])])),
            Fault("1\\.\n", .paragraph([MarkdownInline("1.")])), Fault("\\+\n", .paragraph([MarkdownInline("+")])),
            Fault("``a`b``\n", .paragraph([MarkdownInline("a`b", .code)])),
            Fault("``` `` ```\n", .paragraph([MarkdownInline("``", .code)])),
            Fault(
                "a **b** c\n",
                .paragraph([MarkdownInline("a "), MarkdownInline("b", .stronglyEmphasized), MarkdownInline(" c")])),
            Fault(
                "<strong>「語」</strong>文\n",
                .paragraph([MarkdownInline("「語」", .stronglyEmphasized), MarkdownInline("文")])),
            Fault(
                "*a `b` c*\n",
                .paragraph([
                    MarkdownInline("a ", .emphasized), MarkdownInline("b", [.code, .emphasized]),
                    MarkdownInline(" c", .emphasized),
                ])),
            Fault(
                "10. a\n\n    - b\n\n      c\n",
                .list(
                    start: 10,
                    [
                        .init(
                            isDone: nil,
                            blocks: [
                                .paragraph([MarkdownInline("a")]),
                                .list(
                                    start: nil,
                                    [
                                        .init(
                                            isDone: nil,
                                            blocks: [
                                                .paragraph([MarkdownInline("b")]), .paragraph([MarkdownInline("c")]),
                                            ])
                                    ]),
                            ])
                    ])),
            Fault(
                "- a\n\n+ b\n", .list(start: nil, [.init(isDone: nil, blocks: [.paragraph([MarkdownInline("a")])])]),
                .list(start: nil, [.init(isDone: nil, blocks: [.paragraph([MarkdownInline("b")])])])),
            Fault("````\n```\n````\n", .code(language: nil, ["```"])),
            Fault("<!-- a\n\nb -->\n", .html(["<!-- a", "", "b -->"])),
            Fault("http\\://x.org a\\@b.org\n", .paragraph([MarkdownInline("http://x.org a@b.org")])),
            Fault(
                "<https://x.org/a_b?c=d#e> and\n",
                .paragraph([link("https://x.org/a_b?c=d#e"), MarkdownInline(" and")])),
            Fault(
                "**<mailto:a@b.org>**\n", .paragraph([link("mailto:a@b.org", .stronglyEmphasized)])),
            // Links that go on, and addresses that would not be read as they stand.
            Fault(
                "[https://x.org **a**](https://x.org)\n",
                .paragraph([
                    link("https://x.org ", to: "https://x.org"), link("a", to: "https://x.org", .stronglyEmphasized),
                ])),
            Fault("[http://x\\&lt;](<http://x\\&lt;>)\n", .paragraph([link("http://x&lt;")])),
        ])
    func faults(_ fault: Fault) throws {
        let text = MarkdownTextMaker.text(fault.blocks)
        let written = MarkdownDocument.write(text)
        #expect(written.source == fault.source)
        #expect(written.isExact)
        #expect(MarkdownReader.read(written.source.utf8)?.map(\.block) == fault.blocks)
    }

    @Test("A random document is the same after it was written and read")
    func roundTrip() throws {
        for seed in 1...UInt64(100) {
            var random = RandomMarkdown(seed: seed)
            let blocks = random.blocks()
            let text = MarkdownTextMaker.text(blocks)
            try #require(MarkdownTreeMaker.blocks(of: text).blocks == blocks, "seed \(seed)")
            let written = MarkdownDocument.write(text)
            try #require(written.isExact, "seed \(seed):\n\(unequal(blocks))")
            let again = try MarkdownDocument(written.source)
            let identity = MarkdownTextMaker.identity(for: Array(written.source.utf8))
            try #require(
                again.text == MarkdownTextMaker.text(blocks, identitiesAfter: identity),
                "seed \(seed):\n\(written.source)")
        }
    }

    @Test("Damaged documents are read, and written as they stood")
    func mutations() throws {
        let bytes = Array(Self.page.utf8)
        let marks = Array("*_`~[]()<>#-+|>\\&\n\t 1.".utf8)
        for seed in 1...UInt64(60) {
            var random = RandomMarkdown(seed: seed)
            var damaged = bytes
            for _ in 0..<random.number(1...8) {
                let at = random.number(0...damaged.count - 1)
                switch random.number(0...2) {
                case 0: damaged[at] = marks[random.number(0...marks.count - 1)]
                case 1: damaged.remove(at: at)
                default: damaged.insert(marks[random.number(0...marks.count - 1)], at: at)
                }
            }
            let document = try MarkdownDocument(String(decoding: damaged, as: UTF8.self))
            try #require(Array(document.write(document.text).source.utf8) == damaged, "seed \(seed)")
            var text = document.text
            text.type("Edited ", over: UTF16Offset(0)..<UTF16Offset(0))
            let written = document.write(text)
            try #require(
                written.isExact, "seed \(seed):\n\(String(decoding: damaged, as: UTF8.self))\n---\n\(written.source)")
        }
    }

    @Test("Bold and italic fonts are written as emphasis, Return makes items, and what Markdown cannot say is named")
    func typed() throws {
        let document = try MarkdownDocument("1. one\n2. two\n\n> a\n")
        var text = document.text
        text.type("\nnew", over: UTF16Offset(3)..<UTF16Offset(3))
        text.restyle { restyling in
            restyling.set(200, of: FontWeightAttribute.self, in: UTF16Offset(0)..<UTF16Offset(3))
            restyling.set(.italic, of: FontSlantAttribute.self, in: UTF16Offset(4)..<UTF16Offset(7))
            restyling.set(
                Color(red: 1, green: 2, blue: 3), of: ForegroundAttribute.self, in: UTF16Offset(0)..<UTF16Offset(3))
        }
        let end = text.rope.utf16Range.upperBound
        text.type("\nb\n", over: end..<end)
        let written = document.write(text)
        #expect(written.source == "1. **one**\n2. *new*\n3. two\n\n> a\n>\n> b\n")
        #expect(written.lostAttributes == ["inkstone.foreground"])
    }

    @Test("Nesting beyond what is kept neither traps nor grows")
    func bombs() throws {
        for source in [
            String(repeating: "> ", count: 20_000) + "x", String(repeating: "[", count: 20_000),
            String(repeating: "- ", count: 5000),
            "```\n" + String(repeating: " ", count: 1_000_000) + "x\n```\n",
        ] {
            let document = try MarkdownDocument(source)
            #expect(document.write(document.text).source == source)
        }
    }

    @Test("A table of short rows that means far more than it says is refused")
    func inflation() throws {
        let table = String(repeating: "|a", count: 120) + "\n" + String(repeating: "|---", count: 120) + "\n"
        let isRefused = (try? MarkdownDocument(table + String(repeating: "|a\n", count: 5000))) == nil
        #expect(isRefused)
        #expect(try MarkdownDocument(table + "|a\n").text.rope.paragraphCount == 2)
        // Later parsers stop by themselves, and leave the rest as text.
        let title = "[x]: /u \"\(String(repeating: "t", count: 10_000))\"\n\n"
        let document = try? MarkdownDocument(title + String(repeating: "[x] ", count: 5000))
        let links = document.map { $0.text.attributes(in: $0.text.rope.utf16Range).count / 2 } ?? 0
        #expect(links <= 110)
    }

    @Test("A table whose widest row makes far more cells than its text is written as paragraphs")
    func wideRow() throws {
        func written(_ cells: Int, _ rows: Int) throws -> MarkdownDocument.Written {
            let document = try MarkdownDocument("|a|\n|---|\n" + String(repeating: "|b|\n", count: rows))
            var text = document.text
            text.type(String(repeating: "\tc", count: cells - 1), over: 1..<1)
            return document.write(text)
        }
        let few = try written(3, 1)
        #expect(few.source == "|a|c|c|\n|---|---|---|\n|b| | |\n")
        #expect(few.isExact && few.lostAttributes.isEmpty)
        let many = try written(1500, 1000)
        let (isTable, size) = (many.source.contains("|"), many.source.utf8.count)
        #expect(!isTable && size < 50_000)
        #expect(many.source.hasSuffix("c\n\nb\n" + String(repeating: "\nb\n", count: 999)))
        #expect(many.lostAttributes == [PresentationIntentAttribute.name])
    }

    @Test("A mark that is typed behind the line end of a source is kept")
    func markBehindLineEnd() throws {
        let document = try MarkdownDocument("a\nb\n")
        var text = document.text
        text.type("\u{301}", over: UTF16Offset(2)..<UTF16Offset(2))
        #expect(document.write(text).source.unicodeScalars.contains("\u{301}"))
    }

    @Test("Styles in code, and nuances that Markdown has one word for, are named as lost")
    func nuances() throws {
        let document = try MarkdownDocument("    code\n\nwords\n")
        #expect(document.write(document.text).lostAttributes == [])
        var text = document.text
        text.restyle { $0.set(200, of: FontWeightAttribute.self, in: UTF16Offset(0)..<UTF16Offset(2)) }
        #expect(document.write(text).lostAttributes == [FontWeightAttribute.name])
        text = document.text
        text.restyle { $0.set(.double, of: UnderlineAttribute.self, in: UTF16Offset(5)..<UTF16Offset(7)) }
        #expect(document.write(text).lostAttributes == [UnderlineAttribute.name])
    }

    @Test("A link longer than the attribute's is written in whole")
    func longLink() throws {
        let address = "http://x.org/" + String(repeating: "a", count: 5000)
        let document = try MarkdownDocument("one [link](\(address))\n")
        var text = document.text
        text.type("1", over: UTF16Offset(0)..<UTF16Offset(3))
        let written = document.write(text)
        #expect(written.source == "1 [link](\(address))\n")
        #expect(written.isExact && written.lostAttributes.isEmpty)
    }

    @Test("What looks like a definition in a fence is code, and definitions stay when all is spelled anew")
    func definitions() throws {
        let document = try MarkdownDocument("*  a\n\n```\nx\n[a]: b\n```\n\n[r]: http://r.org\n\nT\n=\n")
        var text = document.text
        let code = UTF16Offset(2)..<UTF16Offset(3)
        try #require(text.rope.string(in: code) == "x")
        text.type("y", over: code)
        let written = document.write(text)
        #expect(written.source == "*  a\n\n```\ny\n[a]: b\n```\n\n[r]: http://r.org\n\nT\n=\n")
        #expect(written.isExact)
    }

    @Test("Where a block means something else beside its new neighbours, these are spelled anew and no others")
    func newNeighbours() throws {
        let document = try MarkdownDocument("T\n=\n\n__a__\n\n* b\n\ntext\n\n* c\n\n__d__\n\nU\n-\n")
        var text = document.text
        let gone = UTF16Offset(6)..<UTF16Offset(11)
        try #require(text.rope.string(in: gone) == "text\n")
        text.type("", over: gone)
        let written = document.write(text)
        #expect(written.source == "T\n=\n\n__a__\n\n- b\n\n+ c\n\n**d**\n\nU\n-\n")
        #expect(written.isExact)
    }

    /// A document that is saved between a space and the next word has no entity, and no other loss.
    @Test(
        "A space at a line's end is not saved",
        arguments: [
            ("a\n", "\nwords ", "a\n\nwords\n"), ("# a\n", "  ", "# a\n"), ("- a\n- b\n", " ", "- a\n- b\n"),
            ("a\n", " \u{2028}b ", "a\\\nb\n"), ("**a**\n", " ", "**a**\n"), ("`a `\n", " ", "`a `\n"),
            ("| a | b |\n| --- | --- |\n| c | d |\n", " ", "| a | b |\n| --- | --- |\n| c | d |\n"),
        ])
    func spacesAtLineEnds(_ source: String, _ typed: String, _ expected: String) throws {
        let document = try MarkdownDocument(source)
        var text = document.text
        let end = text.rope.utf16Range.upperBound
        text.type(typed, over: end..<end)
        let written = document.write(text)
        #expect(written.source == expected)
        #expect(written.isExact && written.lostAttributes.isEmpty)
    }

    @Test(
        "An entity that a file has at a line's end stays where its block is not edited, as at a line's start")
    func entitiesOfTheSource() throws {
        let document = try MarkdownDocument("a&#32;\nb&#32;\n\nc\n\n&#32;d\n")
        #expect(document.text.rope.string(in: document.text.rope.utf16Range) == "a b\nc\nd")
        var text = document.text
        text.type("x", over: UTF16Offset(5)..<UTF16Offset(5))
        #expect(document.write(text).source == "a&#32;\nb&#32;\n\ncx\n\n&#32;d\n")
        text.type(" e", over: UTF16Offset(8)..<UTF16Offset(8))
        #expect(document.write(text).source == "a&#32;\nb&#32;\n\ncx\n\n&#32;d e\n")
    }

    @Test("A link whose text is a space stays at a line's end")
    func linkOfASpace() throws {
        for source in ["a[ ](u)\n", "a[ ](u)\nb\n", "a[ ](u)\\\nb\n"] {
            let document = try MarkdownDocument(source)
            var text = document.text
            text.type("c", over: 0..<0)
            let written = document.write(text)
            #expect(written.isExact && written.source.contains("](u)"), "\(written.source)")
            #expect(try MarkdownDocument(written.source).text == text)
        }
    }

    @Test("Line ends that are a paragraph by themselves are a loss, spaces and empty paragraphs are none")
    func blanks() throws {
        for source in ["", "a\n\nb\n"] {
            let document = try MarkdownDocument(source)
            var text = document.text
            let end = text.rope.utf16Range.upperBound
            text.type("\n \u{2028}", over: end..<end)
            let written = document.write(text)
            #expect(written.source == source)
            #expect(!written.isExact)
            for typed in ["\n", "\n  "] {
                text = document.text
                text.type(typed, over: end..<end)
                #expect(document.write(text).source == source && document.write(text).isExact)
            }
        }
    }
}
