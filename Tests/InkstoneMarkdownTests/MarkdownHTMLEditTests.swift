import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Edits of texts with HTML.
@Suite("Edits of HTML in Markdown", .timeLimit(.minutes(5)))
struct MarkdownHTMLEditTests {
    /// Returns the source after words of the shown text were replaced.
    private func replacing(_ words: String, by new: String, in source: String) throws -> MarkdownDocument.Written {
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        let found = try #require(whole.ranges(of: words).first)
        let start = UTF16Offset(whole[..<found.lowerBound].utf16.count)
        text.apply(TextChangeSet(replacing: start..<start + words.utf16.count, with: Rope(new), in: text.rope))
        return document.write(text)
    }

    struct Edit: Sendable {
        var source: String
        var old: String
        var new: String
        var isExact = true
    }

    static let list = """
        # Keys

        - Press <kbd>S</kbd> to save
        - Press <kbd>Q</kbd> to quit
          <details>
          <summary>More</summary>

          text

          </details>
        - See <a href="x">this</a> & that

        """
    static let picture = "<p align=\"center\">\n  <img src=\"logo.png\">\n</p>\n\nText.\n"

    @Test(
        "Everything but the edited letters stays as it is spelled",
        arguments: [
            Edit(source: MarkdownHTMLEditTests.list, old: "<kbd>S", new: "<kbdS"),
            Edit(source: MarkdownHTMLEditTests.list, old: "<a href=\"x\">", new: "<a href=\"x>"),
            Edit(
                source: "> <span style=\"color:red\">a</span> b\n>\n> <table>\n> <tr><td>c</td></tr>\n> </table>\n",
                old: "red\">", new: "red\""),
            Edit(source: "a <kbd>b</kbd> *c* __d__ <i x>e</i>\n", old: "<kbd>", new: "<kbd"),
            Edit(source: MarkdownHTMLEditTests.picture, old: "png\">\n", new: "png\">\n\n\n"),
            Edit(
                source: "<details>\n<summary>More</summary>\nbody\n</details>\n", old: "</summary>\n",
                new: "</summary>\n\n\n"),
            // The text is read as a paragraph with a style.
            Edit(
                source: "<details>\nx\n*body*\n</details>\n", old: "x\n", new: "x\n\n", isExact: false),
        ])
    func editing(_ edit: Edit) throws {
        let written = try replacing(edit.old, by: edit.new, in: edit.source)
        #expect(written.source == edit.source.replacing(edit.old, with: edit.new, maxReplacements: 1))
        #expect(written.isExact == edit.isExact)
    }

    /// Other than at the start of a paragraph, a tag behind a checkbox begins no block of HTML.
    @Test("A tag at the start of a task stays a tag when its text is edited")
    func tagInTask() throws {
        for source in ["- [ ] <div>\n  word\n  </div>\n", "- [x] <div>word\n- b\n", "> 1. [ ] <p> a word\n>    </p>\n"]
        {
            let document = try MarkdownDocument(source)
            let blocks = document.text.rope.string(in: document.text.rope.byteRange)
            let place = try #require(blocks.ranges(of: "word").first).lowerBound
            let at = UTF16Offset(blocks[..<place].utf16.count)
            var text = document.text
            text.apply(TextChangeSet(replacing: at..<at, with: Rope("x"), in: text.rope))
            let written = document.write(text)
            #expect(
                written.source == source.replacing("word", with: "xword") && written.isExact,
                "\(MarkdownReader.read(source.utf8)?.map(\.block) as Any)")
        }
    }

    @Test("An empty line in HTML of a quotation and of an item is written with their marks")
    func emptyLineInside() throws {
        for (source, new) in [
            ("> <p>\n> <img>\n> </p>\n", "> <p>\n> <img>\n>\n> </p>\n"),
            ("- a\n\n  <p>\n  <img>\n  </p>\n", "- a\n\n  <p>\n  <img>\n\n  </p>\n"),
        ] {
            let written = try replacing("<img>\n", by: "<img>\n\n", in: source)
            #expect(written.source == new && written.isExact)
        }
    }

    @Test("A comment without an end does not take the text behind it")
    func openComment() throws {
        let written = try replacing(" -->", by: "", in: "<!-- a -->\n\nText.\n")
        #expect(!written.isExact)
        let blocks = MarkdownDocument.blocks(of: written.source)
        #expect(blocks == [.code(language: "html", ["<!-- a"]), .paragraph([MarkdownInline("Text.")])])
    }
}
