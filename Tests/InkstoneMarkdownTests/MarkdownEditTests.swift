import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// A source after a text was typed at a place of it: before the first occurrence of some words of the text as it is shown, or at its end.
private func typing(_ new: String, before words: String? = nil, in source: String) throws -> MarkdownDocument.Written {
    let document = try MarkdownDocument(source)
    var text = document.text
    let whole = text.rope.string(in: text.rope.byteRange)
    let found = words.flatMap { words in whole.range(of: words).map { whole[..<$0.lowerBound].utf16.count } }
    let at = UTF16Offset(found ?? whole.utf16.count)
    text.apply(TextChangeSet(replacing: at..<at, with: Rope(new), in: text.rope))
    return document.write(text)
}

extension String {
    /// The first occurrence of some words.
    fileprivate func range(of words: String) -> Range<Index>? { ranges(of: words).first }

    /// The text with the first occurrence of some words replaced.
    fileprivate func replacingFirst(_ words: String, by new: String) -> String {
        guard let found = range(of: words) else { return self }
        return self[..<found.lowerBound] + new + self[found.upperBound...]
    }
}

@Suite("Edits of Markdown", .timeLimit(.minutes(5)))
struct MarkdownEditTests {

    /// An item without text is a pause in writing: it is written without its box, and an inner one behind a paragraph not
    /// at all, because Markdown would read its marker as text of the paragraph.
    @Test func emptyItemsAreWrittenWithoutLoss() throws {
        func written(_ source: String, _ lines: [(String, ListItem)]) throws -> MarkdownDocument.Written {
            let document = try MarkdownDocument(source)
            var text = document.text
            for (line, item) in lines {
                let end = text.rope.utf16Range.upperBound
                _ = text.replace(
                    end..<end, with: StyledText(Rope(line + "\n"), TextAttributes(ListAttribute.self, item)))
            }
            return document.write(text)
        }
        let (tasks, numbers) = (TextList(.checkbox), TextList(.decimal))
        let (inner, bullets) = (TextList(.lowercaseAlphabetic), TextList(.disc))
        for isChecked in [false, true] {
            let task = try written("", [("task", ListItem([tasks])), ("", ListItem([tasks], isChecked: isChecked))])
            #expect(task.source == "- [ ] task\n-\n" && task.isExact && task.lostAttributes.isEmpty, "\(task.source)")
        }
        let first = try written("", [("", ListItem([tasks])), ("two", ListItem([tasks], isChecked: true))])
        #expect(first.source == "-\n- [x] two\n" && first.isExact, "\(first.source)")
        let items = [("a", ListItem([numbers])), ("b", ListItem([numbers]))]
        for list in [inner, bullets, tasks] {
            let number = try written("", items + [("", ListItem([numbers, list]))])
            #expect(number.source == "1. a\n2. b\n" && number.isExact, "\(number.source)")
        }
        let two = try written("", items + [("", ListItem([numbers, inner])), ("c", ListItem([numbers]))])
        #expect(two.source == "1. a\n2. b\n3. c\n" && two.isExact, "\(two.source)")
        // An empty paragraph is not written, so it divides no list.
        var pause = try MarkdownDocument("1. x\n   - sub a\n   - sub c\n2. y\n").text
        let place = pause.rope.utf16Range(of: ParagraphIndex(2)).lowerBound
        _ = pause.replace(place..<place, with: StyledText("\n"))
        var restyling = Restyling()
        restyling.set(nil, of: ListAttribute.self, in: place..<place + 1)
        pause.apply(TextChangeSet(none: pause.rope), restyling: restyling)
        let whole = MarkdownDocument.write(pause)
        #expect(whole.source == "1. x\n   - sub a\n   - sub c\n2. y\n" && whole.isExact, "\(whole.source)")
        // A file whose inner list is empty keeps it while it is not edited.
        let source = "1. a\n\n   1.\n2. b\n"
        #expect(try written(source, []).source == source)
    }

    @Test(
        "A block whose first line has no text is written whole, and nothing else",
        arguments: [
            "- ```yaml\n  - a: 1\n  ```\n- b\n", "-\n- b\n", "- ```\n\n  code\n  ```\n- b\n", "- ***\n- b\n",
            "[\nfoo](x) b\n", "`\ncode` b\n", "\\\nfoo b\n", "[x]: y\n-\n- b\n", "1. ***\n2. b\n",
        ])
    func editingFirstBlock(source: String) throws {
        let written = try typing("x", in: source)
        #expect(written.isExact, "\(written.source)")
        let text = try MarkdownDocument(source).text
        var wanted = text
        let end = text.rope.utf16Range.upperBound
        wanted.apply(TextChangeSet(replacing: end..<end, with: Rope("x"), in: text.rope))
        #expect(
            MarkdownTreeMaker.blocks(of: try MarkdownDocument(written.source).text).blocks
                == MarkdownTreeMaker.blocks(of: wanted).blocks)
        #expect(written.source.contains("[x]: y") == source.contains("[x]: y"))
    }

    @Test("A list whose first item begins with a fence stays as it was when the paragraph before it is edited")
    func editingBeforeList() throws {
        let list = "-   ```py\n    ```\n-   b\n"
        #expect(try typing("x", before: "start", in: "start\n\n" + list).source == "xstart\n\n" + list)
        #expect(try typing("x", before: "start", in: "start\n\n* ***\n*   b\n").source == "xstart\n\n* ***\n*   b\n")
        #expect(try typing("x", before: "a", in: "- a\n-\n\npara\n").source.hasSuffix("\n\npara\n"))
    }

    /// Two headings with the same intent are an item that Return has split.
    @Test("Two headings of a level in one item stay one item when another paragraph is edited")
    func headingsInOneItem() throws {
        let item = "- c\n\n  # a\n\n  # b\n"
        let blocks: [MarkdownBlock] = [
            .list(
                start: nil,
                [
                    MarkdownItem(blocks: [
                        .paragraph([MarkdownInline("c")]), .header(level: 1, [MarkdownInline("a")]),
                        .header(level: 1, [MarkdownInline("b")]),
                    ])
                ])
        ]
        #expect(MarkdownTreeMaker.blocks(of: MarkdownTextMaker.text(blocks)).blocks == blocks)
        let read = MarkdownTreeMaker.blocks(of: try MarkdownDocument(item).text).blocks
        #expect(read == blocks)
        #expect(try typing("x", before: "para", in: item + "\npara\n").source == item + "\nxpara\n")
        #expect(try typing("x", before: "b", in: item).source == "- c\n\n  # a\n\n  # xb\n")
    }

    /// All headings that the command makes have one identity.
    @Test("Two paragraphs of an item that a command made headings of a level stay in the item")
    func headingsMadeByCommand() throws {
        let document = try MarkdownDocument("- c\n\n  p\n\n  q\n- d\n")
        var text = document.text
        var restyling = Restyling()
        let range =
            text.rope.utf16Range(of: ParagraphIndex(1))
            .lowerBound..<text.rope.utf16Range(of: ParagraphIndex(2)).upperBound
        restyling.set(
            PresentationIntent(.header(level: 2), identity: 0), of: PresentationIntentAttribute.self, in: range)
        text.apply(TextChangeSet(none: text.rope), restyling: restyling)
        let written = document.write(text)
        #expect(written.source == "- c\n\n  ## p\n\n  ## q\n- d\n" && written.isExact)
    }

    /// md4c reports the mark of such a task as text.
    @Test(
        "An item behind a quotation in the item before it is a task",
        arguments: [
            "- a\n  > q\n- [ ] t\n", "- > q\n- [x] t *b*\n- [X] *c*\n", "> - a\n>   > q\n> - [ ] t\n",
            "- a\n\n  > q\n- [ ] t\n", "> - a\n>\n>   > q\n> - [x] t\n>\n>   u\n",
        ])
    func taskBehindQuotation(source: String) throws {
        let document = try MarkdownDocument(source)
        #expect(!document.text.rope.string(in: document.text.rope.byteRange).contains("]"))
        let written = try typing("x", before: "t", in: source)
        #expect(written.source == source.replacingFirst("t", by: "xt") && written.isExact)
        let text = try MarkdownDocument(source.replacingFirst("[", by: "\\[")).text
        #expect(text.rope.string(in: text.rope.byteRange).contains("] t"))
    }

    /// md4c takes such a heading for an item without text, if its text starts 4 bytes after a multiple of 256.
    @Test("An item that begins with a heading goes on behind a blank line, wherever it stands")
    func headingAtAnItemsStart() throws {
        let item = MarkdownItem(blocks: [
            .header(level: 1, [MarkdownInline("a")]), .header(level: 1, [MarkdownInline("b")]),
        ])
        for (before, source) in [
            ("", "- # a\n\n  # b\n"), (String(repeating: "x", count: 254) + "\n\n", "- # a\n\n  # b\n"),
            ("---\na: b\n---\n", "- # a\n\n  # b\n"),
        ] {
            let document = try MarkdownDocument(before + source)
            #expect(MarkdownTreeMaker.blocks(of: document.text).blocks.last == .list(start: nil, [item]))
            let written = try typing("x", before: "b", in: before + source)
            #expect(written.isExact && written.source == before + "- # a\n\n  # xb\n")
        }
        for source in [
            "1.  a\n\n\n    b\n", "  - a\n\n\n    b\n", "- ```\n  abcd\n  ```\n\n  b\n",
            "- ***\n\n  b\n",
        ] {
            for shift in 0..<8 {
                let moved = String(repeating: "\n", count: shift) + source
                let blocks = MarkdownTreeMaker.blocks(of: try MarkdownDocument(moved).text).blocks
                guard case .list(_, let items)? = blocks.first else {
                    Issue.record("\(shift) \(source) is no list")
                    continue
                }
                #expect(blocks.count == 1 && items.count == 1 && items[0].blocks.count == 2, "\(shift) \(source)")
            }
        }
    }

    @Test("An address that is a link's text is written without escapes")
    func editingAnAddress() throws {
        let source = "See https://a.b/c now.\n"
        let written = try typing("x", before: "/c", in: source)
        #expect(written.isExact && written.source == "See [https://a.bx/c](https://a.b/c) now.\n")
    }

    struct ItemCase: Sendable {
        var source: String
        var before: String
        var new = "\nnew"
        var result: String
    }

    @Test(
        "Items of a list that were not edited stay as they are spelled, and a new one takes after them",
        arguments: [
            ItemCase(source: "* a\n* b\n* c\n", before: "\nc", result: "* a\n* b\n* new\n* c\n"),
            ItemCase(source: " +   a\n +   b\n", before: "\nb", result: " +   a\n +   new\n +   b\n"),
            ItemCase(source: "1) a\n2) b\n3) c\n", before: "\nb", result: "1) a\n2) new\n3) b\n4) c\n"),
            ItemCase(
                source: "8. a\n9. b\n   more\n\n   c\n", before: "\nb",
                result: "8. a\n9. new\n10. b\n    more\n\n    c\n"),
            ItemCase(source: "1. a\n1. b\n1. c\n", before: "\nc", result: "1. a\n1. b\n3. new\n1. c\n"),
            ItemCase(source: "* a\n\n* b\n\n\npara\n", before: "\nb", result: "* a\n\n* new\n\n* b\n\n\npara\n"),
            ItemCase(
                source: "* *a*\n* __b__ x\n\npara\n", before: "\npara", result: "* *a*\n* __b__ x\n* new\n\npara\n"),
            ItemCase(
                source: "Text:\n- one `c`\n- two\n", before: "\ntwo", new: "X", result: "Text:\n- one `c`X\n- two\n"),
            ItemCase(source: "Text:\n* one\n* two\n", before: "\ntwo", result: "Text:\n* one\n* new\n* two\n"),
            ItemCase(
                source: "* a\n  more\n* ```\n  x\n  ```\n* c\n", before: "\nx",
                result: "* a\n  more\n* new\n* ```\n  x\n  ```\n* c\n"),
            ItemCase(source: "* [ ] a\n* [x] b", before: "\nb", result: "* [ ] a\n* [ ] new\n* [x] b"),
        ])
    func newItems(_ example: ItemCase) throws {
        let written = try typing(example.new, before: example.before, in: example.source)
        #expect(written.source == example.result && written.isExact)
    }

    @Test(
        "A table whose rule has one or two dashes in a cell is a table, and stays as it is spelled",
        arguments: [
            "|a|b|\n|-|-|\n|c|d|\n", "a | b\n-- | :-:\nc | d\n", "|a|\n|:-|\n|c|\n",
            "x\n\n- item\n\n| a \\| e | `b` |\n|-|-:|\n| c | d |\n\n* [ ] e\n", "|a|b|\r\n|-|-|\r\n|c|d|\r\n",
        ])
    func shortRules(source: String) throws {
        let document = try MarkdownDocument(source)
        let tables = MarkdownReader.read(source.utf8)?.filter { if case .table = $0.block { true } else { false } }
        #expect(tables?.count == 1)
        #expect(document.write(document.text).source == source)
        for words in ["c", "a"] {
            #expect(try typing("x", before: words, in: source).source == source.replacingFirst(words, by: "x" + words))
        }
    }

    @Test(
        "Text that looks like the rule of a table is as it was",
        arguments: [
            "```\n|a|b|\n|-|-|\n```\n", "|a|b|\n|-|\n", "a\n|-|-|\n", "    |a|b|\n    |-|-|\n",
            "<pre>\n|a|b|\n|-|-|\n</pre>\n",
            "- x | y\n-|-\n",
        ])
    func noRules(source: String) throws {
        let document = try MarkdownDocument(source)
        #expect(!document.text.rope.string(in: document.text.rope.byteRange).contains("---"))
        #expect(document.write(document.text).source == source)
        // md4c 0.5 takes a rule with more columns than its header for one of a table; an edit writes it anew.
        let isTable = document.text.attributes(in: document.text.rope.utf16Range).contains {
            $0.attributes[PresentationIntentAttribute.self]?.components.first?.kind == .tableHeaderRow
        }
        if !isTable { #expect(try !typing("z", in: source).source.contains("---")) }
    }

    @Test("Spaces at both ends of a stretch lose its role and keep their order, however many they are")
    func manyBlanksWithARole() {
        let count = 2000
        func blanks(_ roles: InlinePresentationIntent) -> [MarkdownInline] {
            (0..<count).map { index in
                var blank = MarkdownInline(" ", roles)
                blank.isUnderlined = index.isMultiple(of: 2)
                return blank
            }
        }
        let ends = ([MarkdownInline("a")], [MarkdownInline("c")])
        let word = [MarkdownInline("b", .emphasized)]
        func expect(_ middle: [MarkdownInline]) {
            let found = (ends.0 + blanks(.emphasized) + middle + blanks(.emphasized) + ends.1).normalized(
                hasLines: true)
            let wanted = (ends.0 + blanks([]) + middle + blanks([]) + ends.1).normalized(hasLines: true)
            #expect(found.count == wanted.count && found == wanted)
        }
        expect(word)
        expect([])
    }

    @Test("A style whose selection ends with a blank is written by its usual marks, and escapes nothing")
    func stylesWithBlanks() throws {
        func styled(_ words: String, _ role: InlinePresentationIntent, in source: String) throws -> String {
            let document = try MarkdownDocument(source)
            var text = document.text
            let whole = text.rope.string(in: text.rope.byteRange)
            let found = try #require(whole.ranges(of: words).first)
            let low = UTF16Offset(whole[..<found.lowerBound].utf16.count)
            text.restyle {
                $0.map(InlinePresentationIntentAttribute.self, in: low..<low + words.utf16.count) {
                    ($0 ?? []).union(role)
                }
            }
            let written = document.write(text)
            #expect(written.isExact)
            return written.source
        }
        let source = "Hello big, world (and) more.\n"
        #expect(try styled("Hello big, ", .emphasized, in: source) == "*Hello big,* world (and) more.\n")
        #expect(try styled(" big, ", .stronglyEmphasized, in: source) == "Hello **big,** world (and) more.\n")
        #expect(try styled(" ", .strikethrough, in: source) == source)
        #expect(
            try styled(
                "big, some `code()` world ".filter { $0 != "`" }, .emphasized,
                in: "Hello big, some `code()` world and.\n")
                == "Hello *big, some `code()` world* and.\n")
        #expect(try styled("b ", .emphasized, in: "a b\nc\n") == "a *b*\nc\n")
        // Where marks mean nothing, tags do, and nothing else is escaped.
        #expect(
            try styled("「語」", .stronglyEmphasized, in: "(a), 「語」文.\n") == "(a), <strong>「語」</strong>文.\n")
    }

    @Test("A space at a line's start is not written")
    func spacesAtStarts() throws {
        #expect(try typing("\n", before: " two", in: "one two\n").source == "one\n\ntwo\n")
        #expect(try typing("\n", before: " two", in: "- one two\n").source == "- one\n- two\n")
    }

    @Test(
        "Front matter is not shown, and stays before what is typed at the start",
        arguments: ["---\ntitle: x\n---\n", "---\r\ntitle: x\r\n# note\r\ntags:\r\n - a\r\n...\r\n\r\n"])
    func frontMatter(matter: String) throws {
        let newline = matter.contains("\r\n") ? "\r\n" : "\n"
        let document = try MarkdownDocument(matter + "text" + newline)
        #expect(document.text.rope.string(in: document.text.rope.byteRange) == "text")
        let written = try typing("x", before: "text", in: matter + "text" + newline)
        #expect(written.source.hasPrefix(matter))
        #expect(written.source.hasSuffix(newline + "xtext" + newline))
        #expect(written.isExact)
        #expect(document.write(StyledText()).source == matter.replacing(newline + newline, with: newline))
        #expect(document.write(document.text).source == document.source)
    }

    @Test(
        "A break and what follows it is no front matter",
        arguments: [
            "---\n\na: b\n\n---\n", "---\ntext here\n---\n", "---\n---\n", "---\na: b\n",
            "---\n# Title\n\ntext\n\n---\nmore\n", "---\n# Title\n---\n", "---\n時刻は10:30です\n\n---\n",
            "---\n**Note:** text\n---\n", "---\nhttps://a.b/c\n---\n", "---\n[Home](https://a.b): c\n---\n",
            "---\nNote: a\n\nMore text\n\n---\n", "---\n- a: b\n---\n", "---\n# Title\n\na: b\n---\n",
        ])
    func noFrontMatter(source: String) throws {
        #expect(MarkdownReader.frontMatter(Array(source.utf8)) == 0)
    }

    @Test(
        "Front matter has comments, lists, values of several lines and keys of all scripts",
        arguments: [
            "---\n# note\ntitle: x\n---\n", "---\n\"a b\": c\n---\n", "---\n標題: x\nog:title: y\n---\n",
            "---\ntags:\n- a\n-\n\nDate created: 1\ntext: |\n  more\n\tx\nlist: [\n  a\n]\n...\n",
        ])
    func kindsOfFrontMatter(source: String) throws {
        #expect(MarkdownReader.frontMatter(Array(source.utf8)) == source.utf8.count)
        #expect(MarkdownReader.frontMatter(source.utf8.map { CChar(bitPattern: $0) }) == source.utf8.count)
    }

    @Test("A break whose sign is deleted goes")
    func deletingBreak() throws {
        let document = try MarkdownDocument("a\n\n---\n\nb\n")
        var text = document.text
        text.apply(TextChangeSet(replacing: UTF16Offset(2)..<3, with: Rope(""), in: text.rope))
        #expect(document.write(text).source == "a\n\nb\n")
        text.apply(TextChangeSet(replacing: UTF16Offset(2)..<2, with: Rope("c"), in: text.rope))
        #expect(document.write(text).source == "a\n\nc\n\nb\n")
    }

    @Test(
        "A letter that is typed changes nothing else in the source",
        arguments: [
            ("a[^1] b\n\n[^1]: note\n", "a"), ("a[^1] b\n\n[^1]: some words of note\n", "some"),
            ("with $x_1$ and [[wiki]] and snake_case\n", "and"), ("> [!NOTE]\n> text\n", "text"),
            ("::: warning\ntext\n:::\n", "text"), ("| | |\n|-|-|\n|a|b|\n", "b|"),
            ("* a\n* b\n+ c\n", "b"), ("- - a\n- b\n", "b"), ("1) a\n1) b\n", "b"),
            ("| a   | b |\n|-----|--:|\n| one | 2 |\n", "one"), ("a [ref] b\n\n[ref]: http://x.y\n", " b"),
            ("__strong__ and &copy; _em_ &amp; x\n", "x"), ("a  \nb\\\nc\n", "c"), ("Title\n=====\n\ntext\n", "tle"),
            ("<b>a</b> b<br>c\n", "c"), ("```py\na\n```\n", "a"), ("    code\n    more\n", "more"),
        ])
    func typingALetter(source: String, place: String) throws {
        let written = try typing("x", before: place, in: source)
        #expect(written.isExact)
        #expect(written.source.filter { $0 != "x" } == source.filter { $0 != "x" }, "\(written.source)")
        #expect(written.source.count == source.count + 1)
    }

    @Test("Several items of a list keep their spelling where letters are typed in two, and a deletion takes no more")
    func editingItems() throws {
        let document = try MarkdownDocument("*  one\n*  two\n*  three *it* x\n")
        var text = document.text
        for at in [0, 9] as [UTF16Offset] {
            text.apply(TextChangeSet(replacing: at..<at, with: Rope("x"), in: text.rope))
        }
        #expect(
            document.write(text).source == "*  xone\n*  two\n*  xthree *it* x\n")
        text.apply(TextChangeSet(replacing: UTF16Offset(0)..<2, with: Rope(""), in: text.rope))
        #expect(document.write(text).source == "*  ne\n*  two\n*  xthree *it* x\n")
    }

    @Test("Punctuation stays as it is in text that is written anew, unless it would say something else")
    func plainPunctuation() {
        func written(_ text: String) -> String { MarkdownDocument.write(StyledText(Rope(text))).source }
        #expect(written("a[^1] $x_1$ [[wiki]]") == "a[^1] $x_1$ [[wiki]]\n")
        #expect(written("*a* [b](c) `d` <e>") == "\\*a* \\[b](c) \\`d` \\<e>\n")
        #expect(written("- a") == "\\- a\n")
    }
}
