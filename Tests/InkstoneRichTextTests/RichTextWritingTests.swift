import InkstoneBase
import InkstoneLayout
import InkstoneRichText
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@Suite(.timeLimit(.minutes(5))) struct RichTextWritingTests {
    private static func written(_ text: StyledText, _ format: RichTextFormat) -> String {
        String(decoding: format.write(text), as: UTF8.self)
    }

    private static func styled(_ pieces: [(String, TextAttributes)]) -> StyledText {
        var runs = AttributeRuns()
        for (text, attributes) in pieces { runs.append(AttributeRuns(length: text.utf16.count, attributes)) }
        return StyledText(Rope(pieces.map(\.0).joined()), runs: runs)
    }

    /// Reading the written clipboard data gives the same blocks.
    @Test func quotationsCodeAndBreaksAreElements() {
        let source = "a<blockquote><p>b</p><pre>c\n\nd</pre></blockquote><hr><pre>\n\ne</pre><ul><li>f</ul>"
        guard let text = RichTextFormat.html.read(Array(source.utf8), keeping: .structure) else {
            Issue.record("not read")
            return
        }
        let written = String(decoding: RichTextFormat.html.write(text), as: UTF8.self)
        #expect(written.contains("<blockquote><p style=\"margin:0\">b</p>\n<pre>c\n\nd</pre>\n</blockquote>\n<hr>"))
        #expect(html(written) == described(text))
        #expect(
            described(text)
                == "a\n(quote)b\n(code quote)c\n(code quote)\n(code quote)d\n(break)\u{2e3b}\n(code)\n(code)e\n[1 -]f")
    }

    /// An attribute of an element can contain no element, such as a line break.
    @Test func lineSeparatorsInAttributesAreNoElements() {
        let picture = TextAttachment(
            contents: Array("https://x.y/p.png".utf8), type: "text/uri-list",
            alternateDescription: "one\u{2028}two")
        var attributes = TextAttributes()
        attributes[AttachmentAttribute.self] = picture
        let text = Self.styled([("a\u{2028}", TextAttributes()), ("\u{fffc}", attributes)])
        let written = Self.written(text, .html)
        #expect(written.contains("a<br>") && written.contains(" alt=\"one\u{2028}two\""), "\(written)")
    }

    /// A list in a quotation is in its element, and a list beside it is not.
    @Test func listsStayInTheirQuotations() throws {
        let quotation = "<blockquote><p>b</p><ul><li>c<ol><li>d</ol></ul>e</blockquote>"
        let source = "<ul><li>a</ul>\(quotation)<ul><li>f<blockquote>g</blockquote></ul>"
        let text = try #require(RichTextFormat.html.read(Array(source.utf8), keeping: .structure))
        let description = "[1 -]a\n(quote)b\n(quote)[1 -]c\n(quote)[2 1.]d\n(quote)e\n[1 -]f\n(quote)[1 more]g"
        #expect(described(text) == description)
        func enclosing(_ text: StyledText) -> [Int] {
            text.paragraphs.compactMap { $0.attributes[ListAttribute.self]?.enclosingQuotations }
        }
        #expect(enclosing(text) == [0, 1, 1, 0, 0])
        let written = Self.written(text, .html)
        let lists = "<ul><li style=\"margin:0\">c<ol><li style=\"margin:0\">d</li></ol>\n</li></ul>\n"
        #expect(written.contains("b</p>\n\(lists)<p "))
        let read = try #require(RichTextFormat.html.read(Array(written.utf8), keeping: .structure))
        let inner = "<blockquote><p style=\"margin:0\">g</p>\n</blockquote>\n"
        #expect(written.contains("<li style=\"margin:0\">f\(inner)</li></ul>"))
        #expect(described(read) == description)
        #expect(enclosing(read) == [0, 1, 1, 0, 0])
    }

    /// The further paragraphs of an item, and its blocks, are within its element: browsers count each element of a
    /// list, also those without markers.
    @Test func blocksOfAnItemAreInItsElement() throws {
        let source = """
            <ol><li>one<li>two<p>more</p><pre>a

            b</pre><blockquote>quoted<pre>c</pre></blockquote><ul><li>inner<p>its</p></ul>after<hr>\
            <table><tr><td>k<td>v<tr><td>1<td>2</table><li>three<li><h2>four</h2>five<li><pre>d</pre>\
            <li><blockquote>q</blockquote><li style="text-align:center">mid<p style="text-align:left">side</p></ol>
            """
        let text = try #require(RichTextFormat.html.read(Array(source.utf8), keeping: .structure))
        let written = Self.written(text, .html)
        #expect(described(RichTextFormat.html.read(Array(written.utf8), keeping: .structure)) == described(text))
        func count(_ part: String, _ text: String) -> Int { text.ranges(of: part).count }
        #expect(count("<li", written) == 8, "\(written)")
        #expect(!written.contains("list-style-type"))
        let page = String(decoding: RichTextFormat.html.writeFile(text, title: "n"), as: UTF8.self)
        let expected = """
            <ol><li>one</li>
            <li>two<p>more</p>
            <pre><code>a

            b</code></pre>
            <blockquote><p>quoted</p>
            <pre><code>c</code></pre>
            </blockquote>
            <ul><li>inner<p>its</p>
            </li></ul>
            <p>after</p>
            <hr>
            <table>
            <tr><th>k</th><th>v</th></tr>
            <tr><td>1</td><td>2</td></tr>
            </table>
            </li>
            <li>three</li>
            <li><h2>four</h2>
            <p>five</p>
            </li>
            <li><pre><code>d</code></pre>
            </li>
            <li><blockquote><p>q</p>
            </blockquote>
            </li>
            <li><p style="text-align:center">mid</p>
            <p>side</p>
            </li></ol>
            """
        #expect(page.contains(expected), "\(page)")
    }

    /// A further paragraph that is copied without the first one of its item has no number, and takes none away.
    @Test func aCutItemTakesNoNumber() throws {
        let list = TextList(.decimal)
        let items = [ListItem([list], hasMarker: false), ListItem([list]), ListItem([list])]
        let text = Self.styled(items.enumerated().map { ("\($0)\n", TextAttributes(ListAttribute.self, $1)) })
        let written = Self.written(text, .html)
        #expect(written.contains("<li value=\"1\" style=\"margin:0\">1</li>\n<li style=\"margin:0\">2</li>"))
        let read = try #require(RichTextFormat.html.read(Array(written.utf8), keeping: .structure))
        #expect(described(read) == "[1 more]0\n[1 1.]1\n[1 1.]2")
        #expect(Set(read.paragraphs.compactMap { $0.attributes[ListAttribute.self]?.list?.id }).count == 1)
    }

    /// A task has its box alone, which is not for clicking, and is read as a task again, also in a list of others.
    @Test func tasksHaveNoOtherMarker() throws {
        let (list, inner) = (TextList(.checkbox), TextList(.checkbox))
        var bullet = list
        bullet.marker = .disc
        let items = [
            ListItem([list]), ListItem([list], isChecked: true), ListItem([list, inner]), ListItem([bullet]),
            ListItem([bullet], hasMarker: false),
        ]
        let text = Self.styled(
            items.enumerated().map { ("\($0)\n", TextAttributes(ListAttribute.self, $1)) } + [("z", TextAttributes())])
        let written = Self.written(text, .html)
        let first = "<li style=\"margin:0\"><input type=\"checkbox\" disabled>0</li>"
        #expect(written.contains("<ul style=\"list-style-type:none\">" + first))
        #expect(written.contains("<input type=\"checkbox\" disabled checked>1"))
        #expect(written.contains(";list-style-type:disc\">3<p style=\"margin:0\">4</p>\n</li></ul>"))
        #expect(described(RichTextFormat.html.read(Array(written.utf8))) == described(text))
        #expect(html("<ul style='list-style:none'><li>a<p><input type=checkbox>b</p></ul>") == "[1 more]a\n[1 more]☐ b")
    }

    /// A file has a title, no marks of a clipboard's fragment, and no distances but those that the text sets.
    @Test func aFileIsAPage() throws {
        let code = PresentationIntent(.codeBlock(languageHint: "c++ x"), identity: 1)
        func text(_ heading: String) -> StyledText {
            let title = PresentationIntent(.header(level: 1), identity: 2)
            return Self.styled([
                ("a\n", TextAttributes()), ("\(heading)\n", TextAttributes(PresentationIntentAttribute.self, title)),
                ("\nb<\n", TextAttributes(PresentationIntentAttribute.self, code)),
                ("c\n", TextAttributes(ListAttribute.self, ListItem([TextList(.disc)]))),
            ])
        }
        let bytes = RichTextFormat.html.writeFile(text("T \u{2028}<\u{fffc}"), title: "n")
        let page = String(decoding: bytes, as: UTF8.self)
        #expect(
            page == """
                <!DOCTYPE html>
                <html>
                <head>
                <meta charset="utf-8">
                <title>T &lt;</title>
                </head>
                <body>
                <p>a</p>
                <h1 style="white-space:pre-wrap">T <br>&lt;\u{fffc}</h1>
                <pre>
                <code class="language-c++">
                b&lt;</code></pre>
                <ul><li>c</li></ul>
                </body>
                </html>

                """)
        let read = try #require(RichTextFormat.html.read(Array(page.utf8), keeping: .structure))
        #expect(described(read) == "a\n(h1)T ⏎<\u{fffc}\n(code)\n(code)b<\n[1 -]c")
        let block = read.paragraphs.map { $0.attributes[PresentationIntentAttribute.self]?.components.first?.kind }[3]
        #expect(block == .codeBlock(languageHint: "c++"))
        let untitled = RichTextFormat.html.writeFile(text("\u{fffc}"), title: "n & m")
        #expect(String(decoding: untitled, as: UTF8.self).contains("<title>n &amp; m</title>"))
        #expect(RichTextFormat.rtf.writeFile(text("T"), title: "n") == RichTextFormat.rtf.write(text("T")))
    }

    @Test func tablesAreTablesAndPicturesElsewhereHaveTheirDescriptions() {
        let table = PresentationIntent(
            .table(columns: [.init(), .init(alignment: .right)]), identity: 1)
        func row(_ kind: PresentationIntent.Kind, _ identity: Int) -> TextAttributes {
            TextAttributes(
                PresentationIntentAttribute.self, PresentationIntent(kind, identity: identity, parent: table))
        }
        var bold = row(.tableRow(rowIndex: 1), 3)
        bold[FontWeightAttribute.self] = 200
        var picture = TextAttributes()
        picture[AttachmentAttribute.self] = TextAttachment(
            contents: Array("http://x/y.png".utf8), type: "text/uri-list", alternateDescription: "A <cat>")
        let text = Self.styled([
            ("a\n", TextAttributes()), ("Name\tNumber\n", row(.tableHeaderRow, 2)),
            ("foo\t", row(.tableRow(rowIndex: 1), 3)), ("12", bold), ("\t\n", row(.tableRow(rowIndex: 1), 3)),
            ("b ", TextAttributes()), ("\u{fffc}", picture),
        ])
        let written = Self.written(text, .html)
        #expect(
            written.contains(
                """
                a</p>
                <table>
                <tr><th>Name</th><th style="text-align:right">Number</th></tr>
                <tr><td>foo</td><td style="text-align:right"><strong>12</strong></td><td></td></tr>
                </table>
                <p style="margin:0">b <img src="http://x/y.png" alt="A &lt;cat&gt;"></p>
                """), "\(written)")
        // Its own reader has text with tabs for it, as for other programs' tables.
        let read = RichTextFormat.html.read(Array(written.utf8))?.rope
        #expect(read.map { $0.string(in: $0.byteRange) }?.hasPrefix("a\nName\tNumber\nfoo\t12") == true)
    }

    @Test func htmlHasRolesAsElementsAndAppearanceAsStyles() {
        var red = TextAttributes(ForegroundAttribute.self, Color(rgb: 0xcc0000))
        red[FontWeightAttribute.self] = 200
        let text = Self.styled([
            ("a<", TextAttributes()), ("b", red), ("&", TextAttributes(LinkAttribute.self, "http://x/?\"&")),
        ])
        #expect(
            Self.written(text, .html) == """
                <html><head><meta charset="utf-8"></head><body><!--StartFragment-->a&lt;<strong><span style="color:#cc0000">b</span></strong>\
                <a href="http://x/?&quot;&amp;">&amp;</a><!--EndFragment--></body></html>
                """)
        let page = Self.written(StyledText(Rope("a  b\n\nc")), .html)
        #expect(
            page.contains(
                "<p style=\"margin:0;white-space:pre-wrap\">a  b</p>\n<p style=\"margin:0\"><br></p>\n<p style=\"margin:0\">c</p>"
            ))
    }

    /// Other programs' pages have no-break spaces where they mean several blanks.
    @Test(arguments: [
        "x \u{a0} y", "\u{a0}x", "x\u{a0}", "x\u{a0}\u{a0}y", "x\u{a0}\u{2028}\u{a0}y", "x \u{a0}\ny\u{a0}z",
    ])
    func noBreakSpacesBesideBlanksStay(_ source: String) {
        for scope in [RichTextFormat.Scope.all, .structure] {
            let read = RichTextFormat.html.read(RichTextFormat.html.write(StyledText(Rope(source))), keeping: scope)
            #expect(read?.rope == Rope(source))
        }
        let rows = "<table><tr><td>a \u{a0}<td>b</table>"
        #expect(html(rows) == "a→b" && html("<p>a \u{a0} b</p>") == "a   b")
    }

    @Test func rtfIsASCIIWithTheUnitsOfOtherCharacters() {
        let text = Self.styled([("a\\{é日😀\t", TextAttributes(FontWeightAttribute.self, 200))])
        #expect(
            Self.written(text, .rtf)
                == "{\\rtf1\\ansi\\ansicpg1252\\uc1\n\\pard\\plain {\\b a\\\\\\{\\u233?\\u26085?\\u-10179?\\u-8704?\\tab }}"
        )
    }

    /// Qt would show a line end behind the last block as a space.
    @Test func noTextFollowsTheLastBlock() {
        for text in ["a\nb", "a\n"] {
            #expect(Self.written(StyledText(Rope(text)), .html).contains("</p><!--EndFragment-->"))
        }
    }

    /// LibreOffice and Word take a heading for one of theirs by the name of its style.
    @Test func headingsHaveTheNamesOfOtherProgramsStyles() throws {
        let heading = TextAttributes(
            PresentationIntentAttribute.self, PresentationIntent(.header(level: 2), identity: 1))
        let text = Self.styled([("head\n", heading), ("body\n", TextAttributes())])
        let rtf = Self.written(text, .rtf)
        #expect(rtf.contains("{\\stylesheet{\\s0 Normal;}{\\s1 heading 1;}{\\s2 heading 2;}}"))
        #expect(
            rtf.contains("\\pard\\s2\\outlinelevel1\\plain {\\b\\fs36 head}") && rtf.contains("\\pard\\plain {body}"))
        #expect(!Self.written(Self.styled([("body", TextAttributes())]), .rtf).contains("stylesheet"))
    }

    /// A paragraph that runs from right to left because of its text does so in programs that do not ask the text.
    @Test func paragraphsOfRightToLeftTextAreWrittenWithTheirDirection() {
        let text = StyledText(Rope("1. שלום one\none שלום\nz"))
        #expect(Self.written(text, .rtf).contains("\\pard\\rtlpar\\qr\\plain {1. "))
        #expect(Self.written(text, .rtf).contains("\\pard\\plain {one "))
        let html = Self.written(text, .html)
        #expect(html.contains("<p dir=\"auto\" style=\"margin:0\">1. ") && html.contains("<p style=\"margin:0\">one "))
        #expect(described(RichTextFormat.html.read(Array(html.utf8))) == described(text))
    }

    /// Whatever is written reads as it was, for all that both formats have.
    @Test(arguments: RichTextFormat.allCases) func rt66WrittenTextReadsAsItWas(_ format: RichTextFormat) {
        for seed in UInt64(1)...150 {
            var generator = SeededGenerator(seed: seed)
            let text = Self.random(&generator)
            let read = format.read(format.write(text))
            #expect(described(read) == described(text), "seed \(seed)")
            #expect(described(format.read(format.writeFile(text, title: "t"))) == described(text), "seed \(seed)")
        }
    }

    /// Of what reads as it was nothing is said to be lost.
    @Test(arguments: RichTextFormat.allCases) func attributesThatAreReadBackAreNotReportedAsLost(
        _ format: RichTextFormat
    ) {
        for seed in UInt64(1)...150 {
            var generator = SeededGenerator(seed: seed)
            #expect(format.lostAttributes(of: Self.random(&generator)) == [], "seed \(seed)")
        }
    }

    /// An attribute, and the formats that leave it out or write something else.
    struct LossCase: CustomStringConvertible, Sendable {
        var attributes: TextAttributes
        var lost: [RichTextFormat]
        var description: String { attributes.names.joined() }

        init<Key: AttributeKey>(_ key: Key.Type, _ value: Key.Value, _ lost: [RichTextFormat]) {
            (attributes, self.lost) = (TextAttributes(key, value), lost)
        }
    }

    private static let losses = [
        LossCase(KernAttribute.self, 2, [.html, .rtf]), LossCase(BaselineOffsetAttribute.self, 3, [.html, .rtf]),
        LossCase(StrikethroughColorAttribute.self, Color(rgb: 0xff0000), [.html, .rtf]),
        LossCase(LanguageAttribute.self, "ja", [.rtf]), LossCase(FontWeightAttribute.self, 100, [.rtf]),
        LossCase(FontSlantAttribute.self, .oblique, [.rtf]), LossCase(UnderlineAttribute.self, .thick, [.html]),
        LossCase(StrikethroughAttribute.self, .wavy, [.rtf]), LossCase(SuperscriptAttribute.self, 2, [.rtf]),
        LossCase(LinkAttribute.self, "javascript:alert(1)", [.html, .rtf]),
    ]

    @Test(arguments: losses) func attributesThatAFormatCannotHoldAreNamed(_ example: LossCase) {
        let text = Self.styled([("a", example.attributes), ("b", TextAttributes(FontWeightAttribute.self, 200))])
        for format in RichTextFormat.allCases {
            let expected = example.lost.contains(format) ? example.attributes.names : []
            #expect(format.lostAttributes(of: text) == expected, "\(format)")
        }
    }

    @Test func tabStopsAndPicturesWithoutAPlaceAreNamed() throws {
        var style = ParagraphStyle()
        style.indent = 20
        let indented = StyledText("a", TextAttributes(ParagraphStyleAttribute.self, style))
        style.tabStops = [40]
        let tabbed = StyledText("a", TextAttributes(ParagraphStyleAttribute.self, style))
        for format in RichTextFormat.allCases {
            #expect(format.lostAttributes(of: indented) == [])
            #expect(format.lostAttributes(of: tabbed) == [ParagraphStyleAttribute.name])
        }
        let picture = String(TextAttachment.character)
        func lost(_ attachment: TextAttachment) -> [[String]] {
            RichTextFormat.allCases.map {
                $0.lostAttributes(of: StyledText(Rope(picture), TextAttributes(AttachmentAttribute.self, attachment)))
            }
        }
        #expect(lost(try #require(TextAttachment(image: TestImages.png))) == [[], []])
        let other = try #require(TextAttachment(contents: [1, 2], type: "application/x-clock"))
        #expect(lost(other) == [[AttachmentAttribute.name], [AttachmentAttribute.name]])
    }

    @Test func rtfHasATableOfColoursThatItsReadersTake() {
        let count = 5000
        let text = Self.styled(
            (0..<count).map { ("a", TextAttributes(ForegroundAttribute.self, Color(rgb: UInt32($0 + 1)))) })
        let read = RichTextFormat.rtf.read(RichTextFormat.rtf.write(text))
        #expect(read?.rope.metrics.utf16 == count)
        #expect(read?.attributes(at: UTF16Offset(4094))[ForegroundAttribute.self] == Color(rgb: 4095))
        #expect(read?.attributes(at: UTF16Offset(4095))[ForegroundAttribute.self] == nil)
    }

    @Test func rt50ListsAreListsInBothFormats() {
        let (outer, inner) = (TextList(.disc), TextList(.lowercaseRoman, startingNumber: 3))
        let boxes = TextList(.checkbox)
        let items: [(String, ListItem?)] = [
            ("a", ListItem([outer])), ("b", ListItem([outer, inner])),
            ("c", ListItem([outer, inner], hasMarker: false)),
            ("d", ListItem([outer])), ("e", nil), ("f", ListItem([boxes], isChecked: true)), ("g", nil),
        ]
        let text = Self.styled(
            items.map { text, item in
                var attributes = TextAttributes()
                attributes[ListAttribute.self] = item
                return (text + (item == nil && text == "g" ? "" : "\n"), attributes)
            })
        #expect(described(RichTextFormat.html.read(RichTextFormat.html.write(text))) == described(text))
        #expect(
            described(RichTextFormat.rtf.read(RichTextFormat.rtf.write(text))) == """
                [1 -]a
                [2 iii.]b
                (48)c
                [1 -]d
                e
                [1 [x]]f
                g
                """)
    }

    @Test func intentsLookInOtherProgramsAsTheyDoHere() {
        var heading = TextAttributes()
        heading[PresentationIntentAttribute.self] = PresentationIntent(.header(level: 2), identity: 1)
        var quote = TextAttributes()
        quote[PresentationIntentAttribute.self] = PresentationIntent(
            .paragraph, identity: 3, parent: PresentationIntent(.blockQuote, identity: 2))
        func role(_ role: InlinePresentationIntent) -> TextAttributes {
            TextAttributes(InlinePresentationIntentAttribute.self, role)
        }
        let text = Self.styled([
            ("a\n", heading), ("b", role(.stronglyEmphasized)), ("c", role([.emphasized, .strikethrough])),
            ("d", role(.code)), ("\n", TextAttributes()), ("e\n", quote), ("f", TextAttributes()),
        ])
        for format in RichTextFormat.allCases {
            let read = described(format.read(format.write(text)))
            // The element of HTML has both margins.
            let indent = format == .html ? "24 tail 24" : "24"
            #expect(read == "{b 24px}a\n{b}b{i s}c{mono}d\n(\(indent))e\nf", "\(format)")
        }
        let html = Self.written(text, .html)
        #expect(html.contains("<h2>a</h2>") && html.contains("<strong>b</strong>") && html.contains("<code>d</code>"))
    }

    /// A text of some paragraphs without an empty one at its end.
    private static func random(_ generator: inout SeededGenerator) -> StyledText {
        let texts = [
            // Hebrew behind other letters: a direction that follows the text is said in RTF as one of the paragraph's own.
            "a", "b c", " d ", "e  f", "日本", "k שלום", "😀", "<&>\"'", "{\\}", "g\u{2028}h", "\ti", "10\u{a0}km",
            "\u{2028}",
        ]
        var pieces: [(String, TextAttributes)] = []
        let paragraphs = Int.random(in: 1...4, using: &generator)
        for index in 0..<paragraphs {
            let style = paragraphs > 1 ? randomStyle(&generator) : nil
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                var attributes = randomAttributes(&generator)
                attributes[ParagraphStyleAttribute.self] = style
                pieces.append((texts.randomElement(using: &generator) ?? "", attributes))
            }
            var end = TextAttributes()
            end[ParagraphStyleAttribute.self] = style
            if index + 1 < paragraphs { pieces.append(("\n", end)) } else { pieces.append(("z", end)) }
        }
        return styled(pieces)
    }

    private static func randomAttributes(_ generator: inout SeededGenerator) -> TextAttributes {
        var result = TextAttributes()
        func some() -> Bool { Int.random(in: 0..<5, using: &generator) == 0 }
        if some() { result[FontWeightAttribute.self] = 200 }
        if some() { result[FontSlantAttribute.self] = .italic }
        if some() {
            result[UnderlineAttribute.self] = [.single, .double, .wavy, .dotted, .dashed].randomElement(
                using: &generator)
        }
        if some() { result[StrikethroughAttribute.self] = [.single, .double].randomElement(using: &generator) }
        if some() { result[SuperscriptAttribute.self] = [1, -1].randomElement(using: &generator) }
        if some() {
            result[FontFamilyAttribute.self] = ["DejaVu Serif", "monospace", "Noto Sans"].randomElement(
                using: &generator)
        }
        if some() { result[FontSizeAttribute.self] = [10, 18, 24].randomElement(using: &generator) }
        if some() { result[BackgroundAttribute.self] = Color(rgb: 0xffee00) }
        if some() { result[TrackingAttribute.self] = 2 }
        if some() {
            result[LinkAttribute.self] = "https://example.org/?a=1&b=2"
            // A link is underlined by itself, and has a colour.
            result[UnderlineAttribute.self] = nil
        } else if some() {
            result[ForegroundAttribute.self] = Color(rgb: [0xcc0000, 0x123456].randomElement(using: &generator) ?? 0)
        }
        return result
    }

    private static func randomStyle(_ generator: inout SeededGenerator) -> ParagraphStyle? {
        var style = ParagraphStyle()
        func some() -> Bool { Int.random(in: 0..<4, using: &generator) == 0 }
        if some() { style.alignment = [.center, .right, .justified].randomElement(using: &generator) ?? .natural }
        if some() { style.indent = 24 }
        style.firstLineIndent = style.indent + (some() ? 12 : 0)
        if some() { style.spacingBefore = 6 }
        if some() { style.spacingAfter = 4 }
        if some() { style.lineHeight = .exactly(30) }
        if some(), style.alignment == .natural { style.baseDirection = .rightToLeft }
        return style == ParagraphStyle() ? nil : style
    }
}

@Suite(.timeLimit(.minutes(5))) struct DamagedRichTextTests {
    /// Documents with parts doubled, removed, exchanged and made of anything are read without a trap, into text no longer than they are.
    @Test(arguments: RichTextFormat.allCases) func rt66DamagedDocumentsAreReadWithinTheirLength(
        _ format: RichTextFormat
    ) {
        let files =
            switch format {
            case .html: ["firefox.html", "chromium.html", "libreoffice.html", "qt5.html", "abiword.html"]
            case .rtf: ["libreoffice.rtf", "abiword.rtf"]
            }
        let sources = files.map { Array(recorded($0).prefix(8000)) }
        let seed = UInt64.random(in: 0...UInt64.max)
        print("DamagedRichTextTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<400 {
            var bytes = sources[round % sources.count]
            for _ in 0..<Int.random(in: 1...6, using: &generator) { Self.damage(&bytes, format, &generator) }
            guard let text = format.read(bytes, keeping: round % 2 == 0 ? .all : .structure) else { continue }
            // A marker or a character of three bytes may stand for few bytes of the source.
            #expect(text.rope.byteRange.count <= 4 * bytes.count, "seed \(seed), round \(round)")
            #expect(text.checkInvariants().isEmpty, "seed \(seed), round \(round)")
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ format: RichTextFormat, _ generator: inout SeededGenerator) {
        guard bytes.count > 8 else { return }
        func place() -> Int { Int.random(in: 0..<bytes.count, using: &generator) }
        let words =
            switch format {
            case .html:
                [
                    "<", ">", "\"", "<p>", "</p>", "<ul><li>", "<td>", "<!--", "-->", "<![if x]>", "&#0;", "&#x202e;",
                    "<ol start=-9>",
                    "style=\"font-size:1e999px\"", "<style>", "</style>", "<pre>", "<b style='margin:-9e9em'>", "\0",
                    "\u{feff}", "<br>", "<!--StartFragment-->", "<!--EndFragment-->", "<li value=9>", "<table><tr><td>",
                    "<script>", "<input type=checkbox>", "<p style='mso-list:l0 level99'>",
                    "<span style='mso-list:Ignore'>", "<img src='data:image/png;base64,AAAA'>", "<img src=x width=nan>",
                ]
            case .rtf:
                [
                    "{", "}", "\\", "\\u-1 ", "\\uc99 ", "\\bin9999 ", "\\'", "\\*", "\\cell", "\\row", "{\\fonttbl",
                    "{\\colortbl", "\\par",
                    "\\fs-99999999999", "\\li99999999", "{\\field{\\*\\fldinst", "{\\listtext", "\\u55357", "\\plain",
                    "\\f99999", "{\\*\\listtable{\\list{\\listlevel", "\\listid1", "{\\listoverride\\listid1\\ls1}",
                    "\\lfolevel", "\\ls1\\ilvl8 ", "\\ilvl-1 ", "{\\leveltext\\'02\\'00;}", "{\\pict\\pngblip 89",
                    "{\\*\\fldinst HYPERLINK \"http://a/\"}", "\\fcharset128", "\\'81", "{\\sn wzDescription}{\\sv a}",
                ]
            }
        let start = place()
        let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: Array(bytes[start..<end]), at: place())
        case 2: bytes[start] = UInt8.random(in: 0...255, using: &generator)
        case 3: bytes.removeSubrange(start...)
        default: bytes.insert(contentsOf: Array((words.randomElement(using: &generator) ?? "").utf8), at: start)
        }
    }
}
