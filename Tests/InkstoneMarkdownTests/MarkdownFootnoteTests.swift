import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Footnotes are text, also those whose text is a word or an address, which Markdown without footnotes takes for the
/// definitions of links.
@Suite("Footnotes in Markdown", .timeLimit(.minutes(5)))
struct MarkdownFootnoteTests {
    @Test(
        "Footnotes are shown as paragraphs, and kept in the source",
        arguments: [
            (
                "A note[^1] and[^n].\n[^1]: The *first* note.\n[^n]: Second.\n",
                "A note[^1] and[^n].\n[^1]: The first note.\n[^n]: Second."
            ),
            (
                "a[^2]\n\n[^2]: https://example.org/page\n[^3]: Ibid.",
                "a[^2]\n[^2]: https://example.org/page\n[^3]: Ibid."
            ),
            ("[^1]:\n  http://e.org\r\n[^2]:x\r\n", "[^1]: http://e.org\n[^2]:x"),
            ("> a\n> [^1]: Ibid.\n\n- b\n  [^2]: Ibid.\n- [^3]: c\n", "a\n[^1]: Ibid.\nb\n[^2]: Ibid.\n[^3]: c"),
            ("- [ ] [^1]: Ibid.\n- [x] [^2]: http://e.org\n\n1. [^3]: a\n", "[^1]: Ibid.\n[^2]: http://e.org\n[^3]: a"),
            ("> * [X] b\n>   [^1]: Ibid.\n> * [ ]  [^2]: c\n", "b\n[^1]: Ibid.\n[^2]: c"),
            ("[r]: /u\n[^1]: [r]\n\n[^a b]: /u\n", "[^1]: r"),
            ("| a |\n|-|\n| b |\n\n[^1]: Ibid.\n[^2]: c\n", "a\nb\n[^1]: Ibid.\n[^2]: c"),
            ("```\n[^1]: x\n```\n\n    [^2]: y\n\n<p>\n[^3]: z\n", "[^1]: x\n[^2]: y\n<p>\n[^3]: z"),
            ("*a\n[^1]: b* `c\n[^2]: d`\n", "a [^1]: b c [^2]: d"), ("a\n[^1]; b\n[^]: c\n", "a [^1]; b [^]: c"),
        ])
    func shown(source: String, text: String) throws {
        let document = try MarkdownDocument(source)
        #expect(document.text.rope == Rope(text))
        #expect(document.write(document.text).source == source)
        // An edit elsewhere keeps them.
        for place in [0, document.text.rope.metrics.utf16] {
            var edited = document.text
            let at = UTF16Offset(place)
            edited.apply(TextChangeSet(replacing: at..<at, with: Rope("q"), in: edited.rope))
            let written = document.write(edited)
            #expect(written.isExact && written.source.filter { $0 != "q" } == source, "\(written.source)")
        }
    }

    @Test("The title of a link may have the label of a footnote in its second line")
    func title() throws {
        let text = try MarkdownDocument("[a](b \"x\n[^1]: y\")\n").text
        #expect(text.attributes(at: 0)[LinkTitleAttribute.self] == "x [^1]: y")
    }

    @Test(
        "A footnote is written without a backslash before its label",
        arguments: [("Ibid.", "Ibid."), ("https://e.org", "<https://e.org>"), ("*x*", "\\*x*"), ("", "")])
    func written(note: String, source: String) throws {
        var text = StyledText(Rope("a[^1]\n[^1]:\n[^2]: "))
        let isAddress = note.hasPrefix("h")
        text.append(StyledText(Rope(note), isAddress ? TextAttributes(LinkAttribute.self, note) : TextAttributes()))
        let written = MarkdownDocument.write(text)
        #expect(written.isExact && written.source == "a[^1]\n\n[^1]:\n\n[^2]:\(source.isEmpty ? "" : " ")\(source)\n")
    }

    @Test("An edited footnote leaves those beside it")
    func edited() throws {
        let document = try MarkdownDocument("a[^1]\n[^1]: Ibid.\n[^2]: *it*\n")
        var edited = document.text
        edited.apply(TextChangeSet(replacing: UTF16Offset(12)..<16, with: Rope("Id"), in: edited.rope))
        #expect(document.write(edited).source == "a[^1]\n[^1]: Id.\n[^2]: *it*\n")
    }
}
