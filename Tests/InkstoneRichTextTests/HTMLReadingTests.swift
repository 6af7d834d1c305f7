import InkstoneBase
import InkstoneLayout
import InkstoneRichText
import InkstoneText
import InkstoneUnicode
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTMLReadingTests {
    // MARK: Recorded clipboards

    /// The page as its structure says it.
    static let page = """
        (h1)Héad 1
        Red {b}bold{} {i}it{} {u}under{} {s}strike{} {code}code{} x{^-1}2{} y{^1}3{} {<http://example.org/a?b=1&c=2>}link{} mark 日本語 שלום 😀 a  b
        [1 -]one
        [2 -]nested
        [1 -]two
        [1 c.]alpha
        [1 c.]beta
        (code)pre  text
        (code) two
        (quote)quote
        (center rtl)center {image/png 'dot'}\u{fffc}{} end
        h1→h2
        c1→c2
        last⏎line
        """

    @Test(arguments: ["firefox", "chromium"])
    func rt70ABrowsersPageKeepsItsStructure(_ program: String) {
        #expect(described(RichTextFormat.html.read(recorded("\(program).html"), keeping: .structure)) == Self.page)
    }

    @Test func rt66FontsAndColoursOfInlineStylesAreReadWhereTheyAreWanted() {
        let text = described(RichTextFormat.html.read(recorded("chromium.html")))
        #expect(line(0, of: text) == "{b 'Times New Roman' 32px}Héad 1")
        #expect(
            line(1, of: text).hasPrefix(
                "(8+8 ×1.5){'DejaVu Serif' 20px #cc0000}Red {b 'DejaVu Serif' 20px #cc0000}bold"))
        let picture = "{'Times New Roman' image/png 'dot'}\u{fffc}{'Times New Roman'}"
        #expect(line(10, of: text) == "(8+8 center ×1.5 rtl){'Times New Roman'}center \(picture) end")
    }

    @Test func rulesOfAStyleElementAreThoseOfLibreOfficesParagraphs() {
        let text = described(RichTextFormat.html.read(recorded("libreoffice.html")))
        #expect(line(0, of: text).contains("{b 'DejaVu Serif' 32px}Héad 1"))
        #expect(line(1, of: text).contains("{'DejaVu Serif' 19px #cc0000}Red "))
        let structure = described(RichTextFormat.html.read(recorded("libreoffice.html"), keeping: .structure))
        #expect(
            structure.contains(
                "[1 -]one\n[2 -]nested\n[1 -]two\n[1 c.]alpha\n[1 c.]beta\n(code)pre  text\n(code) two\n(quote)quote")
        )
        #expect(structure.hasSuffix("h2\nc1→c2\nlast⏎line"))
    }

    /// When fonts are not kept, blocks keep their meaning, not their appearance.
    @Test func blocksAreIntentsWhereFontsAreTheTextsOwn() {
        #expect(html("<blockquote><p>a</p><blockquote>b</blockquote></blockquote>c") == "(quote)a\n(quote quote)b\nc")
        #expect(
            html("<pre><b>a</b>\n\nb</pre><pre>c</pre><p lang=de>d <kbd>e</kbd></p>")
                == "(code)a\n(code)\n(code)b\n(code)c\nd {code}e")
        #expect(html("a<hr>b") == "a\n(break)\u{2e3b}\nb" && html("a<hr>b", .all) == "a\n———\nb")
        #expect(
            html("<div style='font-family:monospace;white-space:pre'><div>a</div><div>b</div></div>")
                == "(code)a\n(code)b")
        #expect(html("<table><tr><td><pre>a</pre></td><td><blockquote>b</blockquote></td></tr></table>").contains("→"))
        let text = RichTextFormat.html.read(Array("<pre>a\nb</pre><pre>c</pre>".utf8), keeping: .structure)
        let blocks = [0, 2, 4].map {
            text?.attributes(at: UTF16Offset($0))[PresentationIntentAttribute.self]?.components.first
        }
        #expect(blocks[0] == blocks[1] && blocks[1] != blocks[2])
    }

    @Test func qtsFragmentIsReadWithItsBlanks() {
        let text = described(RichTextFormat.html.read(recorded("qt5.html"), keeping: .structure))
        #expect(text.hasPrefix("(h1)Héad 1\nRed {b}bold{} {i}it{} {u}under"))
        #expect(text.contains("[1 -]one\n[2 -]nested\n[1 -]two\n[1 a.]alpha\n[1 a.]beta\n"))
        #expect(text.hasSuffix("\n{b}h1{}→{b}h2\nc1→c2\nlast⏎line "))
    }

    @Test func xhtmlOfAbiWordIsRead() {
        #expect(described(RichTextFormat.html.read(recorded("abiword.html"))) == "{b}bold")
    }

    // MARK: Bytes

    @Test func bytesAreDecodedByMarkThenNULsThenUTF8ThenMeta() {
        func read(_ bytes: [UInt8]) -> String? {
            RichTextFormat.html.read(bytes).map { $0.rope.string(in: $0.rope.byteRange) }
        }
        func utf16(_ text: String, bigEndian: Bool = false) -> [UInt8] {
            text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
        }
        let page = "<p>Grüße日</p>"
        let latin = "<html><head></head><body class=wide dir=ltr>"
        #expect(read(Array(page.utf8)) == "Grüße日")
        #expect(read(Array("\u{feff}\(page)".utf8)) == "Grüße日")
        #expect(read([0xff, 0xfe] + utf16(page)) == "Grüße日")
        #expect(read([0xfe, 0xff] + utf16(page, bigEndian: true)) == "Grüße日")
        #expect(read(utf16(latin + page)) == "Grüße日")
        #expect(read(Array("<p>a</p>".utf8) + [0]) == "a")
        #expect(read(Array("<p>Gr".utf8) + [0xfc]) == "Grü")
        #expect(read(Array("<meta charset=\"koi8-r\"><p>".utf8) + [0xc1]) == "а")
        // A declaration that can be read is not in UTF-16: the page is UTF-8, here with an invalid byte.
        for label in ["utf-16", "UTF-16LE", "utf-16be", "utf-32", "unicode"] {
            #expect(read(Array("<meta charset=\"\(label)\"><p>é".utf8) + [0xff]) == "é\u{fffd}", "\(label)")
        }
        // What is said of the encoding does not win over the bytes.
        #expect(read(Array("<meta charset=\"koi8-r\">\(page)".utf8)) == "Grüße日")
    }

    @Test func onlyTheFragmentIsTakenButStylesFromTheWhole() {
        let source = """
            Version:1.0\r\nStartHTML:0000000105\r\nSourceURL:http://example.org/\r\n<html><style>.x{font-weight:bold}</style>\
            <body>before<div class=x><!--StartFragment-->in <i>it</i><!--EndFragment--> behind</div></body></html>
            """
        #expect(html(source) == "{b}in {b i}it")
        let page = source.drop { $0 != "<" }
        #expect(html(String(page)) == "before\n{b}in {b i}it{b} behind")
    }

    // MARK: Styles

    @Test func rt72GoogleDocsWrapperIsNotBoldAndItsBreaksAreNoParagraphs() {
        let source = """
            <b style="font-weight:normal;" id="docs-internal-guid-0"><p dir="ltr"><span style="font-weight:700;white-space:pre-wrap">a  b</span>\
            </p><br /><p><span style="font-weight:400">c</span></p></b>
            """
        #expect(html(source) == "(ltr){b}a  b\nc")
    }

    @Test func rt72WordsParagraphsAreItems() {
        let source = """
            <p class=MsoListParagraph style='margin-left:.5in;mso-list:l0 level1 lfo1'><![if !supportLists]><span \
            style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>one</p>\
            <p style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>2.<span>&nbsp;</span></span>two<o:p></o:p></p><p>end</p>
            """
        #expect(html(source) == "[1 -]one\n[2 1.]two\nend")
    }

    @Test func sizesAndColoursAreThoseOfCSS() {
        #expect(html("<p style='font-size:12pt'>a<span style='font-size:150%'>b</span></p>", .all) == "{16px}a{24px}b")
        let colors =
            "<i style='color:hsl(120, 100%, 25%)'>a</i><i style='color:#f0a'>b</i><i style='color:rgba(1, 2, 3, .5)'>c</i>"
        #expect(html(colors, .all) == "{i #008000}a{i #ff00aa}b{i #010203}c")
        #expect(
            html("<p style='background:#123'><b style='color:#112233'>hidden</b></p>", .all) == "{b on #112233}hidden")
        #expect(
            html("<body style='color:red'>a<font color=teal size=5 face='Gentium, serif'>b</font>", .all)
                == "a{'Gentium' 24px #008080}b")
    }

    /// A transparent background shows that of the elements around it, or else that of the page.
    @Test func textOnATransparentBackgroundIsSeen() {
        let white =
            "<b style='color:#fff;background:rgba(0,0,0,0)'>a</b><i style='background:transparent;color:white'>b</i>"
        #expect(html(white, .all) == "{b}a{i}b")
        #expect(
            html("<p style='background:#123'>\(white)</p>", .all) == "{b #ffffff on #112233}a{i #ffffff on #112233}b")
        #expect(html("x<mark style='background:transparent'>a</mark>", .all) == "xa")
    }

    @Test func decorationAccumulatesAndWeightIsReset() {
        #expect(
            html("<u>a<s>b</s></u><h3>c<span style='font-weight:400'>d</span></h3>") == "{u}a{u s}b\n(h3)cd")
        #expect(html("<p style='text-decoration:underline wavy'>a") == "{u wavy}a")
        #expect(html("x<sup>a<sup>b</sup></sup><span style='vertical-align:sub'>c</span>") == "x{^1}a{^2}b{^-1}c")
    }

    @Test func hiddenAndActiveContentsAreLeftOut() {
        let source = """
            <title>t</title><script>var a = "<p>x</p>"</script><p onclick="x()">a<span style="display:none">b</span>\
            <span style="font-size:0">c</span><noscript>d</noscript><iframe src="http://example.org/">e</iframe><!-- f --></p>\
            <button>g</button><template><p>h</p></template>
            """
        #expect(html(source) == "a\ng")
    }

    @Test(arguments: [
        ("http://example.org/", true), ("MAILTO:a@example.org", true), ("tel:1", true), ("file:///etc/passwd", false),
        ("javascript:x()", false), (" java\tscript:x()", false), ("\u{1}javascript:x()", false),
        ("data:text/html,x", false),
        ("vbscript:x", false), ("/relative", false), ("#here", false), ("", false),
    ])
    func rt77LinksHaveSchemesThatRunNothing(_ address: String, _ isTaken: Bool) {
        #expect(html("<a href=\"\(address)\">a</a>").contains("<") == isTaken)
    }

    @Test func aTooLongLinkIsDroppedRatherThanCut() {
        let start = "http://example.org/"
        for (count, isTaken) in [(4096, true), (4097, false)] {
            let address = start + String(repeating: "a", count: count - start.count)
            #expect(html("<a href='\(address)'>a</a>").contains("<") == isTaken)
        }
    }

    /// Of text of size 0 or an invisible one, what is inside and says otherwise is shown.
    @Test func aSizeOfZeroIsThatOfItsOwnText() {
        #expect(
            html("<div style='font-size:0'>a <div style='font-size:13px'>b</div><b style='font-size:1em'>c</b></div>d")
                == "b\nd")
        #expect(html("<p style='visibility:hidden'>a<i style='visibility:visible'>b</i></p>") == "{i}b")
        #expect(html("<p style='display:none'>a<i style='visibility:visible;font-size:9px'>b</i></p>c") == "c")
    }

    @Test func conditionsInCommentsRemoveNothingBehindThem() {
        #expect(
            html(
                """
                <p>one</p><!--[if mso]><table><![endif]--><p>two</p><!--[if mso]></table><![endif]--><p>three</p>\
                <!--[if !mso]><!--><p>four</p><!--<![endif]--><p><![if !vml]>five<![endif]></p>
                """) == "one\ntwo\nthree\nfour\nfive")
    }

    // MARK: Blanks and blocks

    @Test func blanksCollapseAsOnThePage() {
        #expect(html("<p> a \n <b> b</b> </p> <p>\u{a0}</p><p>c</p>") == "a {b}b\n\nc")
        #expect(html("<p>10&nbsp;km a&nbsp; b &nbsp;c</p>") == "10\u{a0}km a  b  c")
        #expect(html("<p style='white-space:pre-wrap'>a  b\nc </p>") == "a  b⏎c ")
    }

    @Test func rt73LineBreaksStayUnlessLastInTheirBlock() {
        #expect(html("<p>a<br>b<br></p><p><br></p><p>c<br><br>d</p>") == "a⏎b\n\nc⏎⏎d")
    }

    /// LibreOffice writes an empty paragraph as two line breaks, whatever its style.
    @Test func aBlockOfNothingButBreaksIsAnEmptyParagraph() throws {
        #expect(html("<p>a</p><p align=center><br/>\n<br/>\n\n</p><p>b</p>") == "a\n\nb")
        #expect(html("<p>a</p><h2 class=western><br/>\n<br/>\n\n</h2>") == "a\n")
        #expect(html("<h1><br></h1><blockquote><h2><br><br></h2><p>a</p></blockquote>b") == "\n(quote)\n(quote)a\nb")
        #expect(html("<ul><li><br> <br></li><li>a<br><br></ul>") == "[1 -]\n[1 -]a⏎")
        // Lines with text, or with white space that is kept, are as many as there are breaks.
        #expect(html("<p><br><br>a</p><p>&nbsp;<br><br></p>") == "⏎⏎a\n⏎")
        #expect(html("<p style='white-space:pre-wrap'><br><br></p>a") == "⏎\na")
        let source = Array("a<h2 align=right><br></h2>b".utf8)
        let text = try #require(RichTextFormat.html.read(source, keeping: .structure))
        #expect(text.paragraphs.allSatisfy { $0.attributes.isEmpty })
    }

    /// The description of a picture or field is a part of its line: newlines in it end no paragraph, and control
    /// characters are dropped.
    @Test func descriptionsAndValuesAreOfOneLine() {
        #expect(html("a<input value='b&#13;c\u{7f}\u{1}d'>e") == "ab cde")
        // None of the characters that reach over what follows is left open in the paragraph.
        #expect(html("<p>a<img alt='\u{202e}b&#10;c'></p><p>d</p>") == "a\u{202e}b c\u{202c}\nd")
        #expect(html("a<img alt='\u{1}'>b") == "ab")
    }

    @Test func rt74ListsWithoutTheirEndsAreListsAndAnItemWithAParagraphIsOne() {
        #expect(
            html("<ul><li><p>a</p></li><li>b<ol type=I start=4><li>c<li value=9>d</ol></li><li></li></ul>e") == """
                [1 -]a
                [1 -]b
                [2 IV.]c
                [2 IX.]d
                [1 -]
                e
                """)
        #expect(html("<li>a</li>") == "a")
        #expect(html("<ul><li><input type=checkbox checked>done</ul>") == "[1 [x]]done")
    }

    @Test func cellsAreDividedByTabs() {
        #expect(
            html("<table><tr><td>a<td></td><td><p>b</p><p>c</p></td></tr><tr><td>d</td></tr></table>e")
                == "a→→b c\nd\ne")
    }

    @Test("Cells that extend over columns and rows leave empty cells in these places")
    func spans() {
        #expect(
            html("<table><tr><th>a<th>b<th>c</tr><tr><td colspan=2>A<td>B</tr><tr><td>1<td>2<td>3</table>")
                == "a→b→c\nA→→B\n1→2→3")
        #expect(
            html(
                "<table><tr><th>a<th>b<th>c</tr><tr><td rowspan=2>A<td>B<td>C</tr><tr><td>2<td>3</tr><tr><td>x</table>")
                == "a→b→c\nA→B→C\n→2→3\nx")
        #expect(
            html("<table><tr><td rowspan=0 colspan=2>A<td>B<tr><td>C<tr><td>D<tbody><tr><td>E<td>F</table>")
                == "A→→B\n→→C\n→→D\nE→F")
        #expect(html("<table><tr><td>A<td rowspan=2>B<td>C<tr><td>1<td>2</table>") == "A→B→C\n1→→2")
        #expect(html("<table><tr><td colspan=-1 rowspan=x>A<td>B<tr><td>1<td>2</table>") == "A→B\n1→2")
        // The spans of a table within a cell are not columns of the outer one.
        #expect(
            html("<table><tr><td>A<table><tr><td colspan=3>x<td>y</table><td>B<tr><td>1<td>2</table>") == "A x y→B\n1→2"
        )
    }

    @Test("A short page cannot make a long text by its spans")
    func manySpans() {
        let row = "<tr>" + String(repeating: "<td colspan=1000 rowspan=60000>", count: 1000) + "x"
        let rows = String(repeating: row, count: 30) + String(repeating: "<tr><td>y", count: 3000)
        let text = html("<table>" + rows + "</table>")
        #expect(text.utf8.count < 1_000_000)
    }

    /// The intents of the paragraphs of a page: the kinds of their blocks, and the text.
    private func blocks(_ source: String, _ scope: RichTextFormat.Scope = .structure) -> [String] {
        let text = RichTextFormat.html.read(Array(source.utf8), keeping: scope) ?? StyledText()
        return text.paragraphs.map { paragraph in
            let kinds = (paragraph.attributes[PresentationIntentAttribute.self]?.components ?? []).map { component in
                switch component.kind {
                case .tableHeaderRow: "header"
                case .tableRow(let index): "row \(index)"
                case .table: "table \(component.identity)"
                case .blockQuote: "quote"
                case .paragraph: "p"
                default: "?"
                }
            }
            return (kinds + [paragraph.runs.map(\.text).joined()]).joined(separator: ":").replacing("\t", with: "→")
        }
    }

    @Test func tablesAreTablesIfTheyHaveSeveralCellsInARow() {
        let grid =
            "<table><thead><tr><th>h<th align=right><b>i</b></thead><tr align=center><td>a<td>b</tr><tr><td>c</table>"
        let read = blocks("x\(grid)<table><tr><td>d<td>e</table>")
        let tables = read.map { $0.split(separator: ":").first { $0.hasPrefix("table") } ?? "" }
        #expect(tables[1] == tables[2] && tables[2] == tables[3] && tables[3] != tables[4])
        #expect(
            read.map { $0.split(separator: ":").filter { !$0.hasPrefix("table") }.joined(separator: ":") }
                == ["x", "header:h→i", "row 1:a→b", "row 2:c", "header:d→e"])
        // A header row is bold by its role, and what is bold in it is not so twice.
        #expect(html("<table><tr><th>h<th>i</table>") == "h→i")
        // A table that arranges a page is none, nor is one within a cell.
        let code = html("<table><tr><td><pre>p\tq</pre><td>r</table>")
        #expect(code.contains("p q") && !code.contains("p→q"), "a tab is a border of cells")
        #expect(blocks("<table><tr><td><p>a</p><table><tr><td>b<td>c</table></table>") == ["a b c"])
        #expect(blocks("<blockquote><table><tr><td>a<tr><td>b</table></blockquote>") == ["p:quote:a", "p:quote:b"])
        #expect(blocks(grid, .all).allSatisfy { !$0.contains("table") })
    }

    @Test func linksAreUnderlinedWithoutAnAttribute() {
        let link = "<a href='http://a.b'>"
        #expect(html("\(link)<u>c</u></a>") == html("\(link)c</a>"))
        #expect(html("<u>\(link)c</a>d</u>").hasSuffix("{u}d"))
    }

    @Test func directionsThatReachOutAreClosed() {
        #expect(html("<p>a\u{202e}b\u{2067}c</p><p>d\u{2069}</p>") == "a\u{202e}b\u{2067}c\u{2069}\u{202c}\nd")
    }

    // MARK: Hostile documents

    @Test func documentsBeyondTheLimitsAreNotRead() {
        let attributes = (0..<600).map { " a\($0)=\"1\"" }.joined()
        #expect(html("<p\(attributes)>a</p>") == "nothing")
        #expect(html(String(repeating: "<b>", count: 1_000_001) + "a") == "nothing")
        #expect(RichTextFormat.html.read([]) == nil)
        #expect(html("<p> </p><br>") == "nothing")
    }

    /// libxml2 searches all open elements for each end tag.
    @Test func endsOfTagsInDeepNestingAreALimit() {
        func source(_ depth: Int, _ ends: Int) -> String {
            String(repeating: "<b>", count: depth) + String(repeating: "</x>", count: ends) + "a"
        }
        #expect(html(source(20_000, 20_000)) == "nothing")
        #expect(html(source(0, 1_000_001)) == "nothing")
        #expect(html(source(200, 10_000)) == "{b}a")
    }

    @Test func deepNestingKeepsTheText() {
        let depth = 20_000
        let text = RichTextFormat.html.read(Array((String(repeating: "<div><b>", count: depth) + "a<p>b").utf8))
        #expect(text.map { $0.rope.string(in: $0.rope.byteRange) } == "a\nb")
    }
}
