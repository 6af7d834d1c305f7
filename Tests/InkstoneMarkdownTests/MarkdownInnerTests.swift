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
}
