import InkstoneRichText
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct RTFReadingTests {
    @Test func rt66LibreOfficesPageKeepsItsStructure() {
        let text = described(RichTextFormat.rtf.read(recorded("libreoffice.rtf"), keeping: .structure))
        #expect(
            text == """
                (ltr)(h1)Héad 1
                (7 ltr)Red {b}bold{} {i}it{} {u}under{} {s}strike{} code x{^-1}2{} y{^1}3{} {<http://example.org/a?b=1&c=2>}link{} mark \
                日本語 שלום 😀 a\u{a0}\u{a0}b
                (7 ltr)[1 -]one
                (7 ltr)[2 -]nested
                (7 ltr)[1 -]two
                (7 ltr)[1 c.]alpha
                (7 ltr)[1 c.]beta
                (ltr)pre  text
                (ltr) two
                (37 ltr)quote
                (7 center rtl)center {image/png ''}\u{fffc}{} end
                {b}h1{}→{b}h2
                c1→c2
                (7 ltr)last⏎line
                """)
    }

    @Test func fontsColoursAndSpacingAreReadWhereTheyAreWanted() {
        let text = described(RichTextFormat.rtf.read(recorded("libreoffice.rtf")))
        // The font of the heading is the document's own.
        #expect(line(0, of: text) == "(16+8 ltr){b 32px}Héad 1")
        #expect(line(1, of: text).contains("{'DejaVu Serif' 19px #cc0000}Red "))
        #expect(described(RichTextFormat.rtf.read(recorded("abiword.rtf"))) == "(ltr){b 16px}bold")
    }

    @Test func bytesAreThoseOfTheirFontsCodePage() {
        let fonts = "{\\fonttbl{\\f0 A;}{\\f1\\fcharset128 B;}{\\f2\\fcharset204 C;}}"
        #expect(rtf("{\\rtf1\\ansi\\ansicpg1252\(fonts)\\'e9 {\\f1\\'93\\'fa}{\\f2\\'e4\\'e0}}") == "é 日да")
        #expect(rtf("{\\rtf1\\ansi\\ansicpg1250 \\'b9}") == "ą")
    }

    @Test func charactersOfUnicodeHaveFallbacksOfAnyLength() {
        #expect(
            rtf("{\\rtf1\\uc1 a\\u26085?b\\u-10179 ?\\u-8704\\'3f{\\uc0\\u57355}c{\\uc2\\u233 xxd}}")
                == "a日b😀\u{e00b}céd")
        #expect(rtf("{\\rtf1 \\emdash\\~\\_\\lquote a\\rquote\\tab\\{\\}\\\\}") == "—\u{a0}\u{2011}‘a’→{}\\")
    }

    @Test func headingsAreThoseOfStylesAndOfOutlines() {
        func read(_ body: String) -> String {
            let styles = """
                {\\stylesheet{\\s0 Normal;}{\\*\\cs9 heading 2;}{\\s1\\fs32\\b heading 1;}\
                {\\s4\\sbasedon1\\b\\outlinelevel1 \\'dcberschrift;}{\\s5 Heading 3;}{\\s6 heading 12;}{\\s7 Headings;}}
                """
            return described(
                RichTextFormat.rtf.read(Array("{\\rtf1\(styles)\\pard \(body)}".utf8), keeping: .structure))
        }
        #expect(read("\\s1\\b One\\par\\pard\\plain body\\par") == "(h1)One\nbody")
        #expect(read("\\s4\\b\\fs40 Two {\\i it}\\par\\pard\\s5 Three") == "(h2)Two {i}it\n(h3)Three")
        // A level by itself, and those that are none.
        #expect(read("\\outlinelevel5\\qc Six\\par\\pard\\outlinelevel9 a") == "(center)(h6)Six\na")
        #expect(read("\\s6 a\\par\\pard\\s7 b\\par\\pard\\s0 c\\par\\pard\\s9 d") == "a\nb\nc\nd")
        // In a cell only its style is applied.
        #expect(read("\\intbl\\s1\\b a\\cell b\\cell\\row\\pard\\plain c") == "{b}a{}→{b}b\nc")
    }

    @Test func formattingEndsWithItsGroupAndPlain() {
        #expect(rtf("{\\rtf1 a{\\b b{\\i c}\\b0 d}e\\ul f\\plain g}") == "a{b}b{b i}c{}de{u}f{}g")
        #expect(rtf("{\\rtf1 \\qc a\\par\\pard b\\par\\par\\qj c\\par}") == "(center)a\nb\n\n(justified)c")
    }

    @Test func rt77LinksOfFieldsAreThoseThatRunNothing() {
        func field(_ address: String) -> String {
            "{\\rtf1{\\field{\\*\\fldinst{HYPERLINK \"\(address)\"}}{\\fldrslt{\\ul a}}}b}"
        }
        #expect(rtf(field("http://example.org/")) == "{<http://example.org/>}a{}b")
        #expect(rtf(field("javascript:x()")) == "{u}a{}b")
    }

    @Test func theDestinationOfAFieldIsNotItsTip() {
        func field(_ instruction: String) -> String {
            rtf("{\\rtf1{\\field{\\*\\fldinst HYPERLINK \(instruction)}{\\fldrslt a{\\b b}}}}")
        }
        let link = "<http://example.org/>"
        #expect(field("\\\\o \"http://other.example/\" \"http://example.org/\"") == "{\(link)}a{b \(link)}b")
        #expect(field("http://example.org/ \\\\o tip") == "{\(link)}a{b \(link)}b")
        #expect(field("\\\\l \"place\"") == "a{b}b")
    }

    @Test func destinationsWithoutTextAreSkipped() {
        let source = """
            {\\rtf1{\\stylesheet{\\s1 Heading;}}{\\info{\\title T}}{\\*\\unknown x{y}}a{\\pict\\pngblip 89504e47}{\\*\\shppict{\\pict 00}}\
            \\bin4 }{}}\\b{\\object{\\*\\objdata 00}{\\result r}}{\\footnote f}c{\\v hidden}}
            """
        #expect(rtf(source) == "a{b}c")
    }

    @Test func damagedDocumentsGiveTheTextThatTheyHave() {
        #expect(rtf("{\\rtf1 a{\\b b") == "a{b}b")
        #expect(rtf("{\\rtf1 a}}}b") == "a")
        #expect(rtf("{\\rtf1 \\bin999999999 a") == "nothing")
        #expect(rtf("{\\rtf1 \\li99999999999\\fs-5\\cf70000\\u99999999999 ?\\'zz a}").hasSuffix("a"))
        #expect(rtf("rtf1 a") == "nothing")
        let deep = String(repeating: "{\\b ", count: 100_000)
        #expect(rtf("{\\rtf1 a" + deep + "b") == "a{b}b")
        #expect(rtf("{\\rtf1 " + String(repeating: "{}", count: 1_000_001) + "a}") == "nothing")
    }
}
