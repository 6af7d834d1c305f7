import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Edits of styles and lists that must leave the rest of the block as it was written, and text that must not get
/// more backslashes than it needs.
@Suite("Fidelity of Markdown", .timeLimit(.minutes(5)))
struct MarkdownFidelityTests {
    private func range(of words: String, in text: StyledText) throws -> Range<UTF16Offset> {
        let whole = text.rope.string(in: text.rope.byteRange)
        let found = try #require(whole.ranges(of: words).first)
        let start = UTF16Offset(whole[..<found.lowerBound].utf16.count)
        return start..<start + words.utf16.count
    }

    /// Returns the source of a document after a role was added to the first occurrence of some words, or removed.
    private func source(
        _ source: String, _ words: String, _ role: InlinePresentationIntent, isOn: Bool = true, typing: String? = nil
    ) throws -> String {
        let document = try MarkdownDocument(source)
        var text = document.text
        var restyling = Restyling()
        restyling.map(InlinePresentationIntentAttribute.self, in: try range(of: words, in: text)) { roles in
            let new = isOn ? (roles ?? []).union(role) : (roles ?? []).subtracting(role)
            return new.isEmpty ? nil : new
        }
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        if let typing {
            let end = text.rope.utf16Range.upperBound
            text.apply(TextChangeSet(replacing: end..<end, with: Rope(typing), in: text.rope))
        }
        let written = document.write(text)
        #expect(written.isExact)
        #expect(
            MarkdownTreeMaker.blocks(of: try MarkdownDocument(written.source).text).blocks
                == MarkdownTreeMaker.blocks(of: text).blocks)
        return written.source
    }

    private static let references = "\n[r]: https://example.org \"T\"\n[img]: pics/sun.png\n"

    @Test(
        "A restyled word changes nothing else in its paragraph",
        arguments: [
            "A [ref link][r] and ![alt *x*][img] with ^word^.\n",
            "Line one  \nline __two__ \\\nand ^word^ &copy; [r]\n", "*a* ^word^ _b_ [[wiki]] $x_1$\n",
            "- [ref][r]\n* ^word^ and [ref][r]\n", "1) one [ref][r] ^word^\n2) two\n",
            "> a ^word^ [ref][r]\n> b  \n> c\n",
            "| a   | b |\n|-----|--:|\n| ^word^ [ref][r] | 2 |\n", "Title ^word^ [ref][r]\n=====\n",
        ])
    func restyledWord(block: String) throws {
        let plain = block.replacing("^", with: "") + Self.references
        for (role, mark) in [
            (InlinePresentationIntent.stronglyEmphasized, "**"), (.emphasized, "*"), (.strikethrough, "~~"),
            (.code, "`"),
        ] {
            let styled = block.replacing("^", with: mark) + Self.references
            #expect(try source(plain, "word", role) == styled)
            #expect(try source(styled, "word", role, isOn: false) == plain)
        }
    }

    @Test("Styles grow, shrink, cross each other and part around a word")
    func restyledParts() throws {
        let strong = InlinePresentationIntent.stronglyEmphasized
        #expect(try source("a **b** c [r][]\n\n[r]: x\n", " c", strong) == "a **b c** [r][]\n\n[r]: x\n")
        #expect(try source("a **b** c [r][]\n\n[r]: x\n", "a ", strong) == "**a b** c [r][]\n\n[r]: x\n")
        #expect(try source("__a b c__ [r][]\n\n[r]: x\n", "b", strong, isOn: false).hasSuffix(" [r][]\n\n[r]: x\n"))
        #expect(try source("a *b* c  \nd\n", "b", strong) == "a ***b*** c  \nd\n")
        #expect(try source("a *b* c  \nd\n", "a b c", strong) == "**a *b* c**  \nd\n")
        #expect(try source("a [b][r] c\n\n[r]: x\n", "b", strong) == "a [**b**][r] c\n\n[r]: x\n")
        // The usual marks are no marks beside this punctuation.
        #expect(try source("これは「語」です  \nd\n", "「語」", strong) == "これは<strong>「語」</strong>です  \nd\n")
    }

    @Test("A restyled word and text that was typed elsewhere in the paragraph both keep the rest")
    func restyledAndTyped() throws {
        let written = try source("[ref][r] and word  \nend\n\n[r]: x\n", "word", .stronglyEmphasized, typing: "ing")
        #expect(written == "[ref][r] and **word**  \nending\n\n[r]: x\n")
    }

    // MARK: Lists

    /// Returns the source of a document after an item's paragraph has left all lists.
    private func leaving(_ words: String, in source: String) throws -> String {
        let document = try MarkdownDocument(source)
        var text = document.text
        let paragraph = text.rope.paragraphIndex(at: try range(of: words, in: text).lowerBound)
        var restyling = Restyling()
        restyling.set(nil, of: ListAttribute.self, in: text.rope.utf16Range(of: paragraph))
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        let written = document.write(text)
        #expect(written.isExact)
        return written.source
    }

    @Test("An item that leaves its list changes no other item")
    func leavingItem() throws {
        let list = "* one\n* [two][r]\n  more\n*   three  \n    hard\n* four\n"
        let end = "\nend\n\n[r]: x\n"
        #expect(
            try leaving("one", in: list + end)
                == "one\n\n" + list.replacing("* one\n", with: "") + end)
        #expect(
            try leaving("hard", in: list + end)
                == list.replacing("*   three  \n    hard\n", with: "\nthree\\\nhard\n\n") + end)
        #expect(try leaving("four", in: list) == list.replacing("* four", with: "\nfour"))
        // Nested items and items between blank lines.
        let nested = "* one\n\n* two\n  * a\n  + b\n\n* three\n* four"
        #expect(try leaving("three", in: nested) == "* one\n\n* two\n  * a\n  + b\n\nthree\n\n* four")
    }

    @Test("The items behind one that leaves a numbered list keep all but their numbers")
    func leavingNumberedItem() throws {
        let list = "1) *one*\n2) two\n3) _three_\n4)  __four__\n"
        #expect(try leaving("two", in: list) == "1) *one*\n\ntwo\n\n2) _three_\n3)  __four__\n")
        #expect(try leaving("one", in: "1. one\n1. _two_\n1. three\n") == "one\n\n1. _two_\n1. three\n")
    }

    @Test("Edits beside a list that an item leaves, and items out of order, keep the rest")
    func leavingItemBesideEdits() throws {
        let document = try MarkdownDocument(
            "with [ref][r] word  \nend\n\n* one\n* [two][r]\n*   _three_\n* x\n\n[r]: y\n")
        var text = document.text
        var restyling = Restyling()
        restyling.set(
            .stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: try range(of: "word", in: text))
        let two = text.rope.utf16Range(of: text.rope.paragraphIndex(at: try range(of: "two", in: text).lowerBound))
        restyling.set(nil, of: ListAttribute.self, in: two)
        let last = text.rope.utf16Range.upperBound - 1
        restyling.set(.emphasized, of: InlinePresentationIntentAttribute.self, in: last..<last + 1)
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        let written = document.write(text)
        #expect(
            written.source
                == "with [ref][r] **word**  \nend\n\n* one\n\n[two](y)\n\n*   _three_\n*   *x*\n\n[r]: y\n")
        #expect(written.isExact)
    }

    @Test("Two lists become one when the paragraph between them is deleted, and keep their items")
    func joiningLists() throws {
        let document = try MarkdownDocument("* _a_\n* b\n\nx\n\n*  c\n*  __d__\n")
        var text = document.text
        var item: ListItem?
        item = text.attributes(at: 0)[ListAttribute.self]
        var restyling = Restyling()
        restyling.set(item, of: ListAttribute.self, in: try range(of: "x\nc\nd", in: text))
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        let written = document.write(text)
        #expect(written.source == "* _a_\n* b\n* x\n*  c\n*  __d__\n" && written.isExact)
    }

    @Test(
        "A list in a quotation and a quotation in a list are distinguished",
        arguments: [
            ("> q\n>\n> - a\n> - b\n>   1. c\n>\n> r\n", [0, 1, 1, 1, 0]), ("- > a\n- > b\n", [0, 0]),
            ("> > 1. a\n> > 2. b\n> > - c\n", [2, 2, 2]), ("> - > a\n>   > b\n", [1]), ("> - [x] a\n>   b\n", [1]),
        ])
    func listInQuotation(source: String, expected: [Int]) throws {
        let document = try MarkdownDocument(source)
        let items = (0..<document.text.rope.paragraphCount).map { index in
            let start = document.text.rope.utf16Range(of: ParagraphIndex(index)).lowerBound
            return document.text.attributes(at: start)[ListAttribute.self]
        }
        #expect(items.map { $0?.enclosingQuotations ?? 0 } == expected)
        #expect(items.count { $0 != nil } >= expected.count { $0 > 0 })
        #expect(
            MarkdownTreeMaker.blocks(of: document.text).blocks == MarkdownReader.read(source.utf8)?.map(\.block))
        #expect(
            MarkdownReader.read(MarkdownDocument.write(document.text).source.utf8)?.map(\.block)
                == MarkdownReader.read(source.utf8)?.map(\.block))
        for item in items.compactMap({ $0 }) { #expect(ListAttribute.decode(ListAttribute.encode(item)) == item) }
    }

    @Test("A document that is read on two threads has the text of one read on a single thread")
    func twoThreads() throws {
        for seed in 1...UInt64(20) {
            var random = RandomMarkdown(seed: seed)
            let page = MarkdownDocument.write(MarkdownTextMaker.text(random.blocks())).source
            // Some of the documents have more blocks than one batch.
            let source = String(repeating: page + "\n***\n", count: seed % 4 == 0 ? 200 : 1)
            let single = try MarkdownDocument(source, readingBesideFrom: .max)
            let double = try MarkdownDocument(source, readingBesideFrom: 0)
            #expect(double.text == single.text && double.source == single.source)
            #expect(double.write(single.text).source == source)
        }
        #expect(try MarkdownDocument("", readingBesideFrom: 0).text == StyledText())
    }

    @Test(
        "In a cell, the backslash before a bar is not part of code and HTML, as in GitHub",
        arguments: [
            ("`a\\|b`", "a|b"), ("`a\\|\\|b`", "a||b"), ("`\\|`", "|"),
            ("<u id=\"a\\|b\">c</u>", "<u id=\"a|b\">c</u>"),
            ("`a\\\\|b`", "a\\|b"), ("`a|b`", "a|b"), ("a\\|b", "a|b"),
        ])
    func barsInCode(cell: String, text: String) throws {
        let source = "| h | i |\n|---|---|\n| \(cell) | x |\n"
        let document = try MarkdownDocument(source)
        #expect(document.text.rope.string(in: document.text.rope.utf16Range) == "h\ti\n\(text)\tx")
        #expect(document.write(document.text).source == source)
        let written = MarkdownDocument.write(document.text)
        #expect(written.isExact && MarkdownDocument.blocks(of: written.source) == MarkdownDocument.blocks(of: source))
        let row = try #require(written.source.split(separator: "\n").last)
        #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 3, "\(row)")
    }

    @Test("After random edits of styles, lists and texts, what is written is read as the text")
    func randomEdits() throws {
        for seed in 1...UInt64(80) {
            var random = RandomMarkdown(seed: seed)
            let source = MarkdownDocument.write(MarkdownTextMaker.text(random.blocks())).source
            let document = try MarkdownDocument(source)
            var text = document.text
            for _ in 0..<random.number(1...3) {
                let length = text.rope.utf16Range.upperBound.value
                guard length > 2 else { break }
                let low = UTF16Offset(random.number(0...length - 2))
                let range = low..<UTF16Offset(random.number(low.value + 1...min(length, low.value + 6)))
                let paragraph = text.rope.utf16Range(of: text.rope.paragraphIndex(at: low))
                var restyling = Restyling()
                var changes = TextChangeSet(none: text.rope)
                let role: InlinePresentationIntent =
                    [.stronglyEmphasized, .emphasized, .code, .strikethrough][random.number(0...3)]
                switch random.number(0...4) {
                case 0: restyling.map(InlinePresentationIntentAttribute.self, in: range) { ($0 ?? []).union(role) }
                case 1:
                    restyling.map(InlinePresentationIntentAttribute.self, in: range) { ($0 ?? []).subtracting(role) }
                case 2: restyling.set(nil, of: ListAttribute.self, in: paragraph)
                case 3:
                    let item = text.attributes(at: low)[ListAttribute.self] ?? ListItem([TextList(.disc)])
                    restyling.set(item, of: ListAttribute.self, in: paragraph)
                default: changes = TextChangeSet(replacing: low..<low, with: Rope("x_y"), in: text.rope)
                }
                text.apply(changes, restyling: restyling)
            }
            let written = document.write(text)
            let new = MarkdownTreeMaker.blocks(of: text)
            try #require(written.isExact || new.isInexact, "seed \(seed):\n\(source)\n---\n\(written.source)")
            let read = MarkdownTreeMaker.blocks(of: try MarkdownDocument(written.source).text).blocks
            try #require(read == new.blocks, "seed \(seed):\n\(source)\n---\n\(written.source)")
        }
    }

    // MARK: Parts

    /// Text that is typed where it needs marks or escapes, and the source after that.
    struct TypedCase: Sendable, CustomTestStringConvertible {
        var source: String
        var words: String
        var typed: String
        /// The source of the typed text.
        var written: String

        var testDescription: String { source }
    }

    private static let front =
        "\\# A \\* [b]\\(c) &copy; &#42; <http://a.b/c> <x@y.z> __d__ _e_ `f` [g][r] ![h](i.png)\ncc"
    private static let back = "jj \\* [b]\\(c) &copy; <http://a.b/c>\\\n__d__ _e_ ~x~ k  \nll"

    @Test(
        "The text around a part that is written anew keeps its spelling",
        arguments: ["", "> ", "- ", "1. a\n2. "],
        [
            TypedCase(source: "front back", words: "jj", typed: "*z*", written: "\\*z*"),
            TypedCase(source: "front back", words: "jj", typed: "a\u{2028}b", written: "a\\\nb"),
            TypedCase(source: "front back", words: "jj", typed: "&amp; ", written: "\\&amp; "),
            TypedCase(source: "front", words: "cc", typed: "*z*", written: "\\*z*"),
        ])
    func parts(container: String, _ example: TypedCase) throws {
        let text = example.source.replacing("front", with: Self.front).replacing("back", with: Self.back)
        func source(_ typed: String) -> String {
            container + text.replacing(example.words, with: typed + example.words) + "\n\n[r]: /s\n"
        }
        let document = try MarkdownDocument(source(""))
        var edited = document.text
        let start = try range(of: example.words, in: edited).lowerBound
        edited.apply(TextChangeSet(replacing: start..<start, with: Rope(example.typed), in: edited.rope))
        let written = document.write(edited)
        #expect(written.source == source(example.written) && written.isExact)
    }

    @Test(
        "The rest of a cell or footnote keeps its spelling",
        arguments: [
            "| `a\\|b` \\* <http://x.y> jj | __b__ |\n|---|---|\n",
            "[^1]: See \\* <http://x.y> &copy; jj __b__\n", "## \\* <http://x.y> &copy; jj __b__ ##\n",
        ])
    func cellsAndFootnotes(source: String) throws {
        let document = try MarkdownDocument(source)
        var edited = document.text
        let start = try range(of: "jj", in: edited).lowerBound
        edited.apply(TextChangeSet(replacing: start..<start, with: Rope("*z*"), in: edited.rope))
        let written = document.write(edited)
        #expect(written.source == source.replacing("jj", with: "\\*z*jj") && written.isExact)
    }

    // MARK: Punctuation

    private func written(_ text: String, _ attributes: TextAttributes = TextAttributes()) -> String {
        MarkdownDocument.write(StyledText(Rope(text), attributes)).source
    }

    @Test(
        "Only the backslashes that are needed are written",
        arguments: [
            ("2 * 3 * 4 and *x*", "2 * 3 * 4 and \\*x*"), ("a_snake_case _x_", "a_snake_case \\_x_"),
            ("See[^1], $x_1^2 * y_2$, [[wiki]] and `c`", "See[^1], $x_1^2 * y_2$, [[wiki]] and \\`c`"),
            ("[a](b) [c]", "\\[a](b) [c]"), ("# a [b]", "\\# a [b]"), ("- [ ] a", "\\- [ ] a"),
            ("a\\*b* [x]", "a\\\\*b\\* [x]"), ("&copy; R&D [x]", "\\&copy; R&D [x]"), ("<b> & a < b", "\\<b> & a < b"),
            ("[^1]: note", "[^1]: note"), ("[a]: note", "\\[a]: note"), ("[^1]: the note", "[^1]: the note"),
            ("1. a [b]", "1\\. a [b]"), ("a\tb\\", "a\tb\\"),
        ])
    func backslashes(text: String, source: String) throws {
        #expect(written(text) == source + "\n")
        #expect(try MarkdownDocument(source + "\n").text.rope == Rope(text))
    }

    @Test(
        "An address is written as it is, unless it would be read as another",
        arguments: [
            ("https://example.org/garden_(one)?a=1&b=2", "https://example.org/garden_(one)?a=1&b=2"),
            ("https://ja.example.org/庭", "https://ja.example.org/庭"), ("a b_c&d", "<a b_c&d>"),
            ("x?a&copy;b", "<x?a\\&copy;b>"), ("a)b", "<a)b>"), ("a<b>", "<a\\<b\\>>"),
        ])
    func addresses(address: String, source: String) throws {
        let all = written("link", TextAttributes(LinkAttribute.self, address))
        #expect(all == "[link](\(source))\n")
        #expect(try MarkdownDocument(all).text.attributes(at: 0)[LinkAttribute.self] == address)
    }

    @Test("A tab within an item stays a tab")
    func tabs() throws {
        let document = try MarkdownDocument("* 庭花\n* b\n")
        var text = document.text
        text.apply(TextChangeSet(replacing: UTF16Offset(1)..<1, with: Rope("\t"), in: text.rope))
        let written = document.write(text)
        #expect(written.source == "* 庭\t花\n* b\n" && written.isExact)
        #expect(self.written("a\tb") == "a\tb\n")
        #expect(self.written("\ta\t") == "&#9;a&#9;\n")
    }
}
