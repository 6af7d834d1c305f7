import InkstoneRichText
import InkstoneText
import Testing

/// Documents that would take hours, or show text that nobody wrote, if a reader followed them literally. Slow
/// readers fail by the time limit.
@Suite(.timeLimit(.minutes(5))) struct HostileRichTextTests {
    // MARK: HTML

    @Test func bracesWithoutNumberInAStyleSheetAreGoneThroughOnce() {
        let sheet = String(repeating: "}", count: 200_000) + "p { font-weight: bold }"
        #expect(html("<style>\(sheet)</style><p>a</p>") == "{b}a")
    }

    @Test(arguments: [
        // Plain, behind an apostrophe that opens nothing, in what looks like a value and is none, and behind a script's end in such.
        ("", ""), ("<a b=x'>", "'"), ("<a \"b=\">", "\""), ("<script>a<b c=\"</script>", "\""),
        ("<!-- <b c=\"-->", "\""),
    ])
    func attributesAreCountedWhereverATagMayBegin(_ start: String, _ end: String) {
        func page(_ count: Int) -> [UInt8] {
            let attributes = (0..<count).map { " a\($0)=x" }.joined()
            return Array("\(start)<p\(attributes)>text</p>\(end)<p>more</p>".utf8)
        }
        #expect(RichTextFormat.html.read(page(5000)) == nil)
        #expect(described(RichTextFormat.html.read(page(300))).contains("more"))
    }

    @Test func aNameWithoutEndIsManyAttributes() {
        let name = (0..<5000).map { "a\($0)" }.joined()
        let page = (0..<30).map { _ in name }.joined()
        #expect(RichTextFormat.html.read(Array("<p \(page)>text</p>".utf8)) == nil)
    }

    @Test func blanksAndSignsInAValueAreNoAttributes() {
        let words = String(repeating: "a = b/c ", count: 5000)
        #expect(html("<p title=\"\(words)\">a</p>") == "a")
        #expect(html("<p title='\(words)'>a</p><p>\(words.prefix(7))</p>") == "a\na = b/c")
    }

    @Test func beyondTheDeepestElementStylesAndScriptsAreNoText() {
        let (start, end) = (String(repeating: "<div>", count: 600), String(repeating: "</div>", count: 600))
        #expect(html("\(start)<style>b{}</style><script>x()</script>a<br>b<p>c</p>\(end)<p>d</p>") == "a b\nc\nd")
    }

    @Test func marksOfAFragmentThatWasPastedIntoAPageAreNoneOfThePage() {
        #expect(
            html(
                """
                Version:1.0
                <html>x<!--StartFragment--><p>a</p><!--StartFragment--><p>b</p><!--EndFragment--><p>c</p><!--EndFragment--><p>y</p>
                """) == "a\nb\nc")
        #expect(
            html(
                "Version:1.0\n<html>x<!--StartFragment--><p>a</p><!--EndFragment-->y<p><!--StartFragment-->b<!--EndFragment-->z"
            ) == "a\nb")
    }

    @Test(arguments: [
        ("<p>A</p><!--StartFragment--><p>B</p><!--EndFragment--><p>C</p>", "A\nB\nC"),
        ("<p>A</p><!--StartFragment--><p>B</p>", "A\nB"), ("<p>B</p><!--EndFragment--><p>C</p>", "B\nC"),
        (
            "<!--StartFragment--><p>A</p><!--EndFragment--><p>B</p><!--StartFragment--><p>C</p><!--EndFragment-->",
            "A\nB\nC"
        ),
        // Without text outside they say where the blank line that was copied ends.
        ("<p><br></p> <!--StartFragment-->B<!--EndFragment--> &nbsp;<p><br></p>", "B"),
    ])
    func withoutAHeaderMarksOfAFragmentLoseNoText(_ page: String, _ text: String) { #expect(html(page) == text) }

    // MARK: RTF

    @Test func eachFieldHasAnInstructionOfItsOwn() {
        #expect(
            rtf("{\\rtf1{\\*\\fldinst HYPERLINK \"http://a.org/\"}a{\\*\\fldinst PAGE}b}") == "{<http://a.org/>}a{}b")
        let long = String(repeating: "x", count: 1_000_000)
        let fields = String(repeating: "{\\*\\fldinst}", count: 20_000)
        #expect(rtf("{\\rtf1{\\*\\fldinst \(long)}\(fields)a}") == "a")
    }

    @Test func groupsBeyondTheDeepestEndWithTheStateOfTheOneAround() {
        let (start, end) = (String(repeating: "{", count: 255), String(repeating: "}", count: 255))
        #expect(rtf("{\\rtf1 a\(start){\\*\\unknown b}{\\b c}d\(end)e}") == "a{b}c{}de")
    }

    @Test(arguments: [
        ("{b{\\*\\unknown c{d}}e}f", "abefg"), ("{{b}{\\fonttbl{\\f0 X;}}c}d", "abcdg"),
        ("{{\\field{\\*\\fldinst HYPERLINK \"http://a.org/\"}{\\fldrslt b}}c}", "abcg"),
    ])
    func textBeyondTheDeepestGroupStaysText(_ inner: String, _ text: String) {
        let (start, end) = (String(repeating: "{", count: 256), String(repeating: "}", count: 256))
        let bytes = Array("{\\rtf1 a\(start)\(inner)\(end)g}".utf8)
        let read = RichTextFormat.rtf.read(bytes)
        #expect(read?.rope.description == text)
    }

    @Test func levelsOfAnOverrideAreNoMoreThanThoseOfItsList() {
        let level = "\\lfolevel\\levelstartat1\\ls1"
        let table = "{\\*\\listoverridetable{\\listoverride\(String(repeating: level, count: 60_000))}}"
        #expect(rtf("{\\rtf1\(table)a}") == "a")
    }
}
