import InkstoneBase
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Edits of inner lists, quotations, code and text, after which only the edited lines of the source may differ.
@Suite("Markdown lines around an edit", .timeLimit(.minutes(5)))
struct MarkdownInnerTests {
    /// Edits an old source so that its text becomes that of a new source, and expects the new source.
    private func expect(_ new: String, from old: String) throws {
        for newline in ["\n", "\r\n"] {
            let (before, after) = (old.replacing("\n", with: newline), new.replacing("\n", with: newline))
            let written = try MarkdownDocument(before).write(MarkdownDocument(after).text)
            #expect(written.source == after && written.isExact)
        }
    }

    @Test(
        "Only signs that would be read as marks get a backslash when one of them needs it",
        arguments: [
            ("S\n\n[^1]: The note.\n", "S \\<tag> and note[^1] and snake_case.\n\n[^1]: The note.\n"),
            ("S\n\n[^n]: N\n", "S x\\*y*z note[^n].\n\n[^n]: N\n"),
            ("S [^1] x.\n\n[^1]: N\n", "S \\<tag> [^1] x \\<u>.\n\n[^1]: N\n"),
            ("- S\n", "- S \\<tag> $a_1 + b_2$ and :smile_cat: and @some_user\n"),
            ("> S __b__\n", "> S \\<tag> $a_1$ __b__\n"),
        ])
    func fewBackslashes(old: String, new: String) throws { try expect(new, from: old) }

    @Test(
        "Two edits of a paragraph keep what is between them",
        arguments: [
            (
                """
                Text with **bold** and _emph_ and __strong__ words
                and a \\* star, ``code`` and &amp; here and [one](<a.md> 'T') word
                and last line here.

                """,
                [("Text", "Texts"), ("last line", "last lines")]
            ),
            (
                "A wrapped eighty columns, with a [link][r]\nand some *emphasis goes over\na line* end.\n\n[r]: http://a.b\n",
                [("eighty", "eighty or so"), ("over", "over to")]
            ),
            ("one\nline two\nwith three  \nand line four here\n", [("two", "tow"), ("four", "for")]),
            ("- first word _a_ and __b__ between them last\n- _c_\n", [("first", "First"), ("last", "end")]),
            (
                "Words one __b__ between words _c_ between last\n",
                [("one", "1"), ("between words", "between <b> words"), ("last", "end")]
            ),
        ])
    func twoEdits(source: String, edits: [(old: String, new: String)]) throws {
        var new = source
        for edit in edits { new = new.replacing(edit.old, with: edit.new.replacing("<", with: "\\<")) }
        try expect(new, from: source)
    }
}
