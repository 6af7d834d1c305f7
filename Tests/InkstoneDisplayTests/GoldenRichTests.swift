import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Pages of styled text, compared with pictures that a person has approved: all attributes and lists that HTML
    /// can express, partly right to left, and in Japanese.
    @Suite struct GoldenRichTests {
        struct Page: CustomTestStringConvertible {
            var name: String
            var font: String
            var height: Double
            var html: String
            var testDescription: String { name }
        }

        private static let picture = "<img src='data:image/png;base64,\(dot)' width=24 height=18 alt=''>"
        private static let dot = """
            iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGBAMAAAAMK8LIAAAAElBMVEX/AADMADOZAGZmAJkzAMwAAP/hvKCLAAAAHElEQVQI12NgAAFBIGBQAgIGYyBgcAEC
            hlAgAAAkpAP9A4sMkAAAAABJRU5ErkJggg==
            """

        static let pages = [
            Page(
                name: "rich", font: "DejaVu Sans", height: 440,
                html: """
                    <h1>Heading</h1><p><b>bold</b> <i>italic</i> <u>under</u> <s>struck</s> x<sup>2</sup> H<sub>2</sub>O \
                    <a href='http://example.org/'>link</a></p>\
                    <p><span style='text-decoration:underline double'>double</span> <span style='text-decoration:underline wavy #d1242f'>wavy</span> \
                    <span style='text-decoration:underline dotted'>dotted</span> <span style='text-decoration:underline dashed'>dashed</span> \
                    <u>one <span style='font-size:24px'>line</span> two</u></p>\
                    <p><span style='color:#1f6feb'>blue</span> <span style='background:#fff3a0'>marked</span> \
                    <span style='letter-spacing:3px'>wide</span> <span style='font-family:DejaVu Serif'>Serif</span> \
                    <span style='font-size:22px'>large</span> <span style='font-size:9px'>small</span> a \(picture) b</p>\
                    <p style='text-align:center'>centred</p><p style='text-align:right'>on the right</p>\
                    <p style='text-align:justify;margin:6px 24px;text-indent:24px;line-height:24px'>Justified text that takes two lines of 24 pixels, \
                    with margins on all sides and an indent.</p>\
                    <ul><li>disc<ul style='list-style:circle'><li>circle<ul style='list-style:square'><li>square</ul></ul></ul>\
                    <ol start=9 type=i><li>roman<li>more<ol type=a><li>letter</ol></ol>\
                    <ul><li><input type=checkbox checked>done<li><input type=checkbox>open</ul>
                    """),
            Page(
                name: "rich-right-to-left", font: "Noto Sans Arabic", height: 250,
                html: """
                    <div dir=rtl><h2>عنوان</h2><p><b>عريض</b> <u>تحته خط</u> <s>مشطوب</s> <span style='color:#1f6feb'>أزرق</span> abc \
                    <span style='background:#fff3a0'>معلّم</span> \(picture) 123</p>\
                    <p style='margin:0 40px 0 10px;text-indent:20px'>فقرة بمسافة بادئة من اليمين ومن اليسار وسطر ثانٍ أقصر</p>\
                    <ol><li>واحد<ul><li>داخل</ul><li>اثنان</ol><ul><li><input type=checkbox checked>تم</ul></div>
                    """),
            Page(
                name: "rich-japanese", font: "Noto Sans CJK JP", height: 250,
                html: """
                    <h2>見出し</h2><p><u>下線</u><s>取消</s><span style='color:#1f6feb'>青い</span><span style='background:#fff3a0'>印</span>\
                    <span style='letter-spacing:4px'>字間</span>H<sub>2</sub>O \(picture)</p>\
                    <p style='text-align:justify;line-height:2;text-indent:15px'>吾輩は猫である。<span style='font-size:20px'>名前</span>はまだ無い。\
                    どこで生れたかとんと見当がつかぬ。</p>\
                    <ol><li>一つ<ul><li>中</ul><li>二つ</ol>
                    """),
        ]

        @Test(arguments: pages, [1.0, 2]) func aPageOfStyles(_ page: Page, scale: Double) throws {
            let bold = ("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "fonts-dejavu-core")
            let fonts = try GoldenFonts(GoldenFonts.files + [bold])
            defer { fonts.end() }
            let text = try #require(RichTextFormat.html.read(Array(page.html.utf8), baseSize: 15))
            let scene = try DisplayScene.still(
                width: 340 * scale, height: page.height * scale,
                font: FontDescriptor(family: page.font, size: 15 * scale), resources: "Xft.dpi: \(Int(96 * scale))\n"
            ) { view in
                view.session.paste(CopiedText(text))
                view.select(Selection(caret: 0))
            }
            defer { scene.end() }
            // Wait for the picture, which is decoded on another thread.
            try waitUntil("the picture") { try scene.picture().box(of: Color(rgb: 0xff0000)) != nil }
            try Golden.compare(
                scene.picture(), with: "\(page.name)-\(scale)",
                flat: [Color(rgb: 0x1f6feb), Color(rgb: 0xfff3a0), Color(rgb: 0xff0000)])
        }
    }
}
