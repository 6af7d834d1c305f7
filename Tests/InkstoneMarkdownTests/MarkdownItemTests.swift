import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// An edit of a list's item or of a line of code keeps the lines of the source that were not edited.
@Suite(.timeLimit(.minutes(5))) struct MarkdownItemTests {
    /// Returns the source after a text was inserted before the first occurrence of some words.
    private func typing(_ new: String, before words: String, in source: String) throws -> MarkdownDocument.Written {
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        let found = try #require(whole.ranges(of: words).first)
        let at = UTF16Offset(whole[..<found.lowerBound].utf16.count)
        text.apply(TextChangeSet(replacing: at..<at, with: Rope(new), in: text.rope))
        return document.write(text)
    }

    /// Sources with `|` where an item or line is inserted, and the lines that are then there.
    @Test(arguments: [
        ("1. x\n   * sub a\n   * |sub b\n", "   * "), ("* x\n  * sub _a_\n  * |sub b\n* y\n", "  * "),
        ("- x\n  + a\n    * deep\n    * |er\n  + b\n", "    * "),
        ("* **[Usage](#u)**\n  * [A](#a)\n  * [|B](#b)\n* **[Other](#o)**\n", "  * "),
        ("- [ ] *a*\n  * __b__\n  * |c\n", "  * "),
        ("1. x\n\n   ~~~sh\n   a\n   |b\n   ~~~\n\n2. _y_\n", "   "),
        ("Text\n\n    brew install\n    |make\n\nText\n", "    "), ("Text\n\n\tone\n\t|two\n", "\t"),
        ("~~~sh\na\n|b\n~~~\n", ""), ("  ````\n  ```\n  |b\n  ````\n\n_x_\n", "  "),
    ])
    func anInsertedLineIsTheOnlyNewOne(source: String, sign: String) throws {
        let place = try #require(source.firstIndex(of: "|"))
        let words = String(source[place...].dropFirst().prefix { $0.isLetter || $0 == " " })
        let plain = source.replacing("|", with: "")
        let line = source[..<place].split(separator: "\n", omittingEmptySubsequences: false).count - 1
        var expected = plain.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        expected.insert(sign + "new", at: line)
        let written = try typing("new\n", before: words, in: plain)
        #expect(written.source == expected.joined(separator: "\n") && written.isExact, "\(written.source)")
    }

    @Test func innerNumbersAndBlankLinesAreThoseOfTheList() throws {
        let numbers = try typing("new\n", before: "sub two", in: "- x\n    1) sub\n    2) sub two\n")
        #expect(numbers.source == "- x\n    1) sub\n    2) new\n    3) sub two\n" && numbers.isExact)
        let source = "1. x\n\n   * sub _a_\n\n   * sub b\n\n2. y\n"
        let loose = try typing("new\n", before: "sub b", in: source)
        #expect(loose.source == source.replacing("   * sub b", with: "   * new\n\n   * sub b") && loose.isExact)
    }

    /// Words and a style in a paragraph of an item whose inner list is edited, too.
    @Test func severalEditsOfAnItem() throws {
        let document = try MarkdownDocument("* one _a_\n  * b\n  * __c__\n\n  Last _d_.\n* y\n")
        var text = document.text
        for (place, new) in [(UTF16Offset(6), "new\n"), (0, "The ")] {
            text.apply(TextChangeSet(replacing: place..<place, with: Rope(new), in: text.rope))
        }
        let written = document.write(text)
        let expected = "* The one _a_\n  * new\n  * b\n  * __c__\n\n  Last _d_.\n* y\n"
        #expect(written.source == expected && written.isExact, "\(written.source)")
    }
}
