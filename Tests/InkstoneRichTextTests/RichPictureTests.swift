import InkstoneBase
import InkstoneLayout
import InkstoneRichText
import InkstoneTesting
import InkstoneText
import Testing

/// Pictures and lists as other programs write and read them.
@Suite(.timeLimit(.minutes(5))) struct RichPictureTests {
    /// A red PNG of 5 × 5, as the recorded page has it.
    private static let dot = """
        iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==
        """

    private static func image(_ attributes: String) -> String { html("a<img \(attributes)>b") }

    @Test func rt75PicturesInHTMLAreThoseThatItHolds() {
        let source = "src='data:image/png;base64,\(Self.dot)'"
        #expect(Self.image("\(source) alt=dot width=5 height=5") == "a{image/png 'dot'}\u{fffc}{}b")
        #expect(Self.image("\(source) width=50") == "a{image/png in 50×50 ''}\u{fffc}{}b")
        #expect(Self.image("\(source) width=1e999 height=-3") == "a{image/png ''}\u{fffc}{}b")
        // Letters may be divided, and the header spelled as it likes.
        let lines = Self.dot.replacing("/", with: "/\n ")
        #expect(Self.image("src='DATA:image/PNG;charset=x;Base64,\(lines)'") == "a{image/png ''}\u{fffc}{}b")
        let recorded = described(RichTextFormat.html.read(recorded("chromium.html")))
        #expect(recorded.contains("image/png 'dot'}\u{fffc}"))
    }

    /// LibreOffice's page names pictures in its own files, and its RTF holds them.
    @Test func rt66PicturesOfAPageThatAreInFilesComeFromItsRTF() throws {
        let page = "<p>a</p><p><img src='file:///tmp/x.png' width=50 height=50><b>b</b></p>"
        let rtf = String(
            decoding: RichTextFormat.rtf.write(
                try #require(
                    RichTextFormat.html.read(
                        Array(page.replacing("file:///tmp/x.png", with: "data:image/png;base64,\(Self.dot)").utf8)))),
            as: UTF8.self)
        let reader = RichTextReader(keeping: .all, baseSize: 16)
        #expect(reader.read(Array(page.utf8), type: "text/html") == nil)
        #expect(described(reader.rest).contains("{text/uri-list 'file:///tmp/x.png'}\u{fffc}{b}b"))
        #expect(
            described(reader.read(Array(rtf.utf8), type: "text/rtf")).contains("{image/png in 50×50 ''}\u{fffc}{b}b"))
        // Another text has other pictures.
        #expect(described(reader.read(Array("{\\rtf1 a}".utf8), type: "text/rtf")) == described(reader.rest))
        // A page without such pictures is all there is.
        let plain = RichTextReader(keeping: .all, baseSize: 16)
        #expect(described(plain.read(Array("<b>b</b>".utf8), type: "text/html")) == "{b}b" && plain.rest == nil)
    }

    @Test func rt77NoPictureIsSearchedForAnywhereElse() {
        let address = "http://example.org/a.png"
        #expect(Self.image("src='\(address)'") == "a{text/uri-list '\(address)'}\u{fffc}{}b")
        #expect(Self.image("src='file:///etc/passwd'") == "a{text/uri-list 'file:///etc/passwd'}\u{fffc}{}b")
        #expect(Self.image("src='\(address)' alt=dot") == "adotb")
        // An ornament, and one that counts who reads.
        #expect(Self.image("src='\(address)' alt=''") == "ab")
        #expect(Self.image("src='\(address)' width=1 height=1") == "ab")
        // What the bytes are counts, and not what they are called.
        #expect(Self.image("src='data:image/png;base64,PHN2Zz4='") == "ab")
        #expect(Self.image("src='data:image/svg+xml,<svg>'") == "ab")
        #expect(Self.image("src='data:image/png;base64,\(Self.dot.prefix(20))'") == "ab")
        // A header that claims 100,000 × 100,000 pixels.
        let large = "iVBORw0KGgoAAAANSUhEUgABhqAAAYagCAYAAAA="
        #expect(Self.image("src='data:image/png;base64,\(large)' alt=large") == "alargeb")
    }

    @Test(arguments: RichTextFormat.allCases) func rt66PicturesReadAsTheyWere(_ format: RichTextFormat) throws {
        let png = try #require(TextAttachment(image: TestImages.png, alternateDescription: "a \"{red}\" dot"))
        var jpeg = try #require(TextAttachment(image: TestImages.jpeg))
        jpeg.size = Size(width: 40, height: 20)
        var runs = AttributeRuns()
        runs.append(AttributeRuns(length: 1, TextAttributes()))
        // Two of the same beside each other are two.
        runs.append(AttributeRuns(length: 2, TextAttributes(AttachmentAttribute.self, png)))
        runs.append(AttributeRuns(length: 1, TextAttributes(AttachmentAttribute.self, jpeg)))
        runs.append(AttributeRuns(length: 2, TextAttributes()))
        let text = StyledText(Rope("a\u{fffc}\u{fffc}\u{fffc}b\u{fffc}"), runs: runs)
        let read = try #require(format.read(format.write(text)))
        #expect(described(read) == described(text))
        #expect(read.attributes(at: 1)[AttachmentAttribute.self]?.contents == TestImages.png)
        #expect(read.attributes(at: 3)[AttachmentAttribute.self]?.contents == TestImages.jpeg)
        // RT 64: the last one is a character like others.
        #expect(read.attributes(at: 5)[AttachmentAttribute.self] == nil)
    }

    @Test func aPictureOfRTFComesInDigitsOrAsBytes() throws {
        let png = TestImages.png
        let digits = png.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        let old = "{\\nonshppict{\\pict\\wmetafile8 0011}}"
        #expect(rtf("{\\rtf1 a{\\*\\shppict{\\pict\\pngblip \(digits)}}\(old)b}") == "a{image/png ''}\u{fffc}{}b")
        let binary =
            Array("{\\rtf1 a{\\pict\\picwgoal600\\pichgoal300\\picscalex50\\pngblip\\bin\(png.count) ".utf8) + png
            + Array("}b}".utf8)
        #expect(described(RichTextFormat.rtf.read(binary)) == "a{image/png in 20×20 ''}\u{fffc}{}b")
        #expect(rtf("{\\rtf1 a{\\pict\\pngblip \(digits.prefix(20))}b{\\pict\\dibitmap0 \(digits)}c}") == "abc")
    }

    @Test func tooManyPicturesAreWrittenAsTheirDescriptions() throws {
        let large = TestImages.png + [UInt8](repeating: 0, count: 5 << 20)
        let picture = try #require(TextAttachment(image: large, alternateDescription: "dot"))
        let text = StyledText(Rope("\u{fffc}\u{fffc}"), TextAttributes(AttachmentAttribute.self, picture))
        let html = RichTextFormat.html.write(text)
        #expect(html.count < 8 << 20)
        #expect(String(decoding: html.suffix(60), as: UTF8.self).contains("\">dot<!--EndFragment"))
    }

    // MARK: Lists of RTF

    @Test func rt50NumbersOfRTFsListsGoOnAndBeginAnewAsItsReadersCount() {
        let source = """
            {\\rtf1{\\*\\listtable{\\list{\\listlevel\\levelnfc0\\levelstartat1{\\leveltext\\'03(\\'00);}{\\levelnumbers\\'02;}\\li720}\
            {\\listlevel\\levelnfc4\\levelstartat2{\\leveltext\\'02\\'01.;}{\\levelnumbers\\'01;}\\li1080}\\listid7}}\
            {\\*\\listoverridetable{\\listoverride\\listid7\\listoverridecount0\\ls1}\
            {\\listoverride\\listid7{\\lfolevel\\listoverridestartat\\levelstartat5}\\ls2}}
            {\\pntext 1.\\tab}\\ls1\\ilvl0\\li720 a\\par\\ilvl1\\li1080 b\\par\\ilvl0\\li720 c\\par\\ilvl1\\li1080 d\\par
            \\pard plain\\par\\ls2 e\\par\\pard\\ls3{\\listtext 9.\\tab}f\\par}
            """
        #expect(rtf(source) == "[1 1)]a\n[2 b.]b\n[1 1)]c\n[2 b.]d\nplain\n[1 5)]e\n9. f")
        let text = RichTextFormat.rtf.read(Array(source.utf8))
        let items = [0, 2, 4, 6].map { text?.attributes(at: UTF16Offset($0))[ListAttribute.self] }
        #expect(items[0]?.lists == items[2]?.lists)
        #expect(items[1]?.lists.first == items[0]?.list && items[1]?.list?.id != items[3]?.list?.id)
    }

    @Test func rt50ListsOfAllMarkersReadFromRTFAsTheyWere() {
        let markers: [TextList.Marker] = [
            .disc, .circle, .square, .decimal, .lowercaseAlphabetic, .uppercaseAlphabetic, .lowercaseRoman,
            .uppercaseRoman, .checkbox, .custom("→"),
        ]
        var (source, runs) = ("", AttributeRuns())
        for (index, marker) in markers.enumerated() {
            let list = TextList(marker, startingNumber: index + 1, suffix: ")")
            let inner = TextList(markers[(index + 3) % markers.count])
            for lists in [[list], [list, inner], [list]] {
                source += "a\n"
                runs.append(AttributeRuns(length: 2, TextAttributes(ListAttribute.self, ListItem(lists))))
            }
        }
        source += "b"
        runs.append(AttributeRuns(length: 1, TextAttributes()))
        let text = StyledText(Rope(source), runs: runs)
        let read = RichTextFormat.rtf.read(RichTextFormat.rtf.write(text))
        #expect(described(read) == described(text))
        for index in 0..<markers.count {
            let items = [0, 2, 4].map { read?.attributes(at: UTF16Offset(6 * index + $0))[ListAttribute.self] }
            #expect(items[0]?.lists == items[2]?.lists && items[1]?.lists.first == items[0]?.list)
        }
    }

    // MARK: Links

    @Test(arguments: [
        ("javascript:x()", false), (" java\nscript:x()", false), ("JAVASCRIPT:x()", false), ("data:text/html,x", false),
        ("vbscript:x", false), ("blob:x", false), ("http://example.org/a b?javascript:", true), ("#here", true),
        ("a/b:c", true), ("file:///a", true), ("x-own:a", true),
    ])
    func linksThatRunSomethingDoNotGoOut(_ address: String, _ isWritten: Bool) {
        let text = StyledText(Rope("a"), TextAttributes(LinkAttribute.self, address))
        let html = String(decoding: RichTextFormat.html.write(text), as: UTF8.self)
        #expect(html.contains("<a href") == isWritten)
        let rtf = String(decoding: RichTextFormat.rtf.write(text), as: UTF8.self)
        #expect(rtf.contains("HYPERLINK") == isWritten)
    }
}
