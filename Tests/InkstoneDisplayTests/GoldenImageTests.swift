import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A page of many scripts, compared with pictures that a person has approved: `Golden/*.png`.
    ///
    /// With the package versions that made the pictures (`Golden/packages.txt`), every pixel must be equal. Other
    /// versions of FreeType and of the fonts draw edges slightly differently: then
    /// ``Screenshot/unlikeness(to:flat:)`` decides, which tolerates that but notices a shift by one pixel; the run
    /// reports this at its end.
    /// `INKSTONE_REMAKE_IMAGES=1 scripts/test GoldenImage` makes the pictures anew; look at them before you commit
    /// them.
    @Suite struct GoldenImageTests {
        @Test(arguments: [1.0, 1.5, 2])
        func aPageOfManyScripts(scale: Double) throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let page = GoldenPage(scale: scale)
            let scene = try page.scene()
            defer { scene.end() }
            try page.decorate(scene)
            try Golden.compare(try scene.picture(), with: "page-\(scale)", flat: GoldenPage.flat(scene))
        }

        @Test(arguments: [1.0, 1.5, 2])
        func markedTextAndASplitCaret(scale: Double) throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let scene = try DisplayScene.still(
                width: (220 * scale).rounded(), height: (70 * scale).rounded(),
                font: FontDescriptor(family: "Noto Sans CJK JP", size: (14 * scale).rounded()),
                resources: "Xft.dpi: \(Int(96 * scale))\n"
            ) { $0.text = "私の\nabc אבג" }
            defer { scene.end() }
            scene.view.select(Selection(caret: 2))
            scene.view.setMarkedText(
                InputText("名前はなかのです", clauses: [MarkedClause(range: 3..<6, kind: .target)]),
                selectedRange: UTF16Range(location: 3, length: 0), replacementRange: .notFound)
            try Golden.compare(try scene.picture(), with: "marked-\(scale)", flat: GoldenPage.flat(scene))
            scene.view.unmarkText()
            scene.view.select(Selection(caret: scene.view.textRange.upperBound - 3))
            try Golden.compare(try scene.picture(), with: "split-\(scale)", flat: GoldenPage.flat(scene))
        }

        /// A desktop may have other fonts, preferences and rendering settings; the pictures must not depend on
        /// them.
        @Test func theMachinesOwnFontsAndRulesAreLeftOut() throws {
            let before = FcConfigReference(nil)
            let other = FcConfigCreate()
            defer {
                FcConfigSetCurrent(before)
                FcConfigDestroy(other)
                FcConfigDestroy(before)
            }
            let rules = """
                <fontconfig><match target="pattern">
                <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
                <edit name="rgba" mode="assign"><const>rgb</const></edit>
                <edit name="hinting" mode="assign"><bool>false</bool></edit>
                </match></fontconfig>
                """
            try #require(FcConfigParseAndLoadFromMemory(other, rules, 1) != 0)
            try #require(FcConfigAppFontAddFile(other, "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf") != 0)
            FcConfigSetCurrent(other)
            try aPageOfManyScripts(scale: 1)
        }

        @Test func aFontThatIsMissingIsNamedWithItsPackage() {
            let files = GoldenFonts.files + [("/usr/share/fonts/none/None.ttf", "fonts-none")]
            let error = #expect(throws: GoldenFonts.Missing.self) { try GoldenFonts(files) }
            #expect(
                error?.description == "/usr/share/fonts/none/None.ttf cannot be read: "
                    + "install the package fonts-none (scripts/setup --tests)")
        }

        /// Even with other package versions, the comparison is exact for areas painted without fonts.
        @Test(arguments: [1.0, 2]) func flatColorsAreHeldToThePixel(scale: Double) throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let page = GoldenPage(scale: scale)
            let scene = try page.scene()
            defer { scene.end() }
            try page.decorate(scene)
            let good = try scene.picture()
            let flat = GoldenPage.flat(scene)
            #expect(good.unlikeness(to: good, flat: flat) == nil)
            var seen = 0
            for color in flat {
                guard let box = good.box(of: color) else { continue }
                seen += 1
                let moved = good.moving(box, right: 1, down: 0)
                #expect(moved.unlikeness(to: good, flat: flat) != nil, "\(color) a pixel to the right")
            }
            #expect(seen >= 3)
        }

        /// Moves each word of the page by one pixel in each direction.
        @Test(arguments: [1.0, 1.5, 2]) func aWordOffByAPixelIsSeenWhateverThePackages(scale: Double) throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let page = GoldenPage(scale: scale)
            let scene = try page.scene()
            defer { scene.end() }
            let good = try scene.picture()
            #expect(good.displacement(to: good) == nil)
            let words = good.inkBoxes(gap: Int((3 * scale).rounded()))
            #expect(words.count > 20)
            var missed: [PixelRect] = []
            for word in words {
                for (right, down) in [(1, 0), (-1, 0), (0, 1), (0, -1)]
                where good.shifting(word, right: right, down: down).displacement(to: good) == nil {
                    missed.append(word)
                }
            }
            // The comparison may miss a few moves: of a full stop, of a dash along itself, or of an emoji's soft
            // edges.
            #expect(missed.count * 20 <= words.count * 4, "\(missed) of \(words.count * 4) moves")
        }

        /// Simulates other rasterizers and font versions, which draw the edges of glyphs differently at the same
        /// positions.
        @Test(arguments: [1.0, 1.5, 2]) func otherEdgesOfTheSameGlyphsPass(scale: Double) throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let page = GoldenPage(scale: scale)
            let scene = try page.scene()
            defer { scene.end() }
            let good = try scene.picture()
            let edges: [(String, (Int, Int, Int, Int, Int) -> Int)] = [
                ("softer", { (4 * $0 + $1 + $2 + $3 + $4) / 8 }),
                ("darker", { middle, _, _, _, _ in middle * middle / 255 }),
                ("lighter", { middle, _, _, _, _ in 255 - (255 - middle) * 7 / 10 }),
                ("harder", { middle, _, _, _, _ in min(255, max(0, 2 * middle - 128)) }),
                ("a third to the right", { middle, left, _, _, _ in (7 * middle + 3 * left) / 10 }),
                ("a third lower", { middle, _, _, above, _ in (7 * middle + 3 * above) / 10 }),
            ]
            for (name, edge) in edges {
                #expect(good.mapping(edge).displacement(to: good) == nil, "\(name)")
            }
        }

        @Test func aCaretOffByAPixelIsSeenWhateverThePackages() throws {
            let fonts = try GoldenFonts()
            defer { fonts.end() }
            let scene = try DisplayScene.still(
                width: 220, height: 70, font: FontDescriptor(family: "DejaVu Sans", size: 14)
            ) {
                $0.text = "abc אבג"
            }
            defer { scene.end() }
            scene.view.select(Selection(caret: 4))
            let good = try scene.picture()
            let flat = GoldenPage.flat(scene)
            let caret = try #require(flat.compactMap { good.box(of: $0) }.first, "a caret")
            for (right, down) in [(1, 0), (-1, 0), (0, 1)] {
                let off = good.moving(caret, right: right, down: down)
                #expect(off.unlikeness(to: good, flat: flat) != nil)
            }
        }
    }
}

extension String {
    fileprivate func utf16Offset(of part: String) -> UTF16Offset? {
        firstRange(of: part).map { UTF16Offset($0.lowerBound.utf16Offset(in: self)) }
    }
}

/// The page: each paragraph in the font of its script.
private final class GoldenPage: TextContentStorageDelegate {
    private static let paragraphs: [(font: String, size: Double, text: String)] = [
        ("DejaVu Serif", 15, "Office affinity, Ångström, naïve — “Ägypten”"),
        ("Noto Sans Arabic", 16, "The word مرحبا بالعالم means hello"),
        ("Noto Sans Hebrew", 16, "שָׁלוֹם עוֹלָם (abc) 123, ובכן"),
        ("Noto Sans Devanagari", 16, "क्षत्रिय ज्ञान हिन्दी में"),
        ("Noto Sans Kannada", 16, "ಕನ್ನಡ ಭಾಷೆಯ ಕ್ಷಣ"),
        ("Noto Sans Thai", 15, "ภาษาไทยเป็นภาษาที่ไม่มีการเว้นวรรคระหว่างคำแต่ตัดบรรทัดได้ตามพจนานุกรม"),
        (
            "Noto Sans CJK JP", 15,
            "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた。"
        ),
        // No emoji of hands: versions 2.051 and 2.042 of the font draw them differently.
        ("Noto Color Emoji", 18, "👩‍👩‍👧‍👦👩🏽🇯🇵❤️🏳️‍🌈"),
        ("DejaVu Sans", 14, "mispeled struck \u{10fffd}\u{378}"),
    ]
    private let scale: Double

    init(scale: Double) { self.scale = scale }

    /// Adds a selection, and decorations under, through and behind words of the page.
    func decorate(_ scene: DisplayScene) throws {
        let text = scene.view.text
        // The selection extends from an English word into the middle of the Arabic text.
        let low = try #require(text.utf16Offset(of: "word"))
        let high = try #require(text.utf16Offset(of: "بالعالم"))
        scene.view.select(Selection(anchor: low, head: high + 3), scrolling: false)
        let word = try #require(text.utf16Offset(of: "mispeled"))
        scene.view.addDecorations(
            [word..<word + 8], attributes: RenderingAttributes(underline: .wavy, underlineColor: Color(rgb: 0xd1242f)),
            in: .rendering)
        scene.view.addDecorations(
            [word + 9..<word + 15],
            attributes: RenderingAttributes(
                foreground: Color(rgb: 0x116329), background: Color(rgb: 0xdafbe1), strikethrough: .single),
            in: .rendering)
    }

    /// The colours of carets, lines and backgrounds on white.
    static func flat(_ scene: DisplayScene) -> [Color] {
        let theme = scene.view.theme
        return [
            theme.caret, theme.inactiveSelection, theme.markedUnderline, theme.targetUnderline, theme.targetBackground,
            Color(rgb: 0xd1242f),
            Color(rgb: 0x116329), Color(rgb: 0xdafbe1),
        ]
    }

    func scene(resources: String = "") throws -> DisplayScene {
        try DisplayScene.still(
            width: (380 * scale).rounded(), height: (270 * scale).rounded(),
            font: FontDescriptor(family: "DejaVu Sans", size: (14 * scale).rounded()),
            resources: "Xft.dpi: \(Int(96 * scale))\n" + resources
        ) {
            ($0.layout.textContentManager as? TextContentStorage)?.delegate = self
            $0.text = Self.paragraphs.map(\.text).joined(separator: "\n")
        }
    }

    func textContentStorage(_: TextContentStorage, textParagraphWith paragraph: TextParagraph) -> TextParagraph? {
        guard paragraph.index.value < Self.paragraphs.count else { return nil }
        let style = Self.paragraphs[paragraph.index.value]
        var shown = paragraph
        shown.font = FontDescriptor(family: style.font, size: (style.size * scale).rounded())
        if style.font.contains("CJK") {
            var justified = ParagraphStyle()
            justified.alignment = .justified
            shown.paragraphStyle = justified
        }
        return shown
    }
}

/// Pictures on disk beside these tests.
enum Golden {
    private static let directory =
        #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden"
    /// The packages whose versions affect pixels.
    private static let packages = [
        "fonts-dejavu-core", "fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-noto-core",
        "libfontconfig1", "libfreetype6", "libharfbuzz0b", "libxft2", "xvfb",
    ]

    static func compare(_ picture: Screenshot, with name: String, flat: [Color]) throws {
        let path = "\(directory)/\(name).png"
        let here = try versions()
        if getenv("INKSTONE_REMAKE_IMAGES") != nil {
            let scratch = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(scratch) }
            try TextFiles.write(picture.ppm, to: "\(scratch)/new.ppm")
            try convert("\(scratch)/new.ppm", to: path)
            try TextFiles.write(here, to: "\(directory)/packages.txt")
            return try NotRun.note("\(name) was made anew and compared with nothing", test: "compare")
        }
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        try convert(path, to: "\(scratch)/golden.ppm")
        let golden = try Screenshot(ppm: TextFiles.bytes("\(scratch)/golden.ppm"))
        guard let difference = picture.difference(from: golden) else { return }
        var unlike = difference
        let others = try changes(from: TextFiles.read("\(directory)/packages.txt"), to: here)
        if !others.isEmpty {
            guard let found = picture.unlikeness(to: golden, flat: flat) else {
                return try NotRun.note(
                    "\(name) is compared with a tolerance only, as it was made with other packages: \(others)",
                    test: "compare")
            }
            unlike = found
        }
        Issue.record("\(name): \(unlike). Shown: \(picture.kept(name)), expected: \(path)")
    }

    /// Returns the packages whose version differs or is missing between two lists; empty if there are none.
    static func changes(from old: String, to new: String) -> String {
        let (before, now) = (old.split(separator: "\n"), new.split(separator: "\n"))
        let gone = before.filter { !now.contains($0) }.map { "-\($0)" }
        return (gone + now.filter { !before.contains($0) }.map { "+\($0)" }).joined(separator: ", ")
    }

    private static func versions() throws -> String {
        let process = try ChildProcess(
            "dpkg-query", ["-W", "-f", "${Package} ${Version}\n"] + packages, environment: ["PATH": "/usr/bin:/bin"],
            output: .pipe)
        var lines: [String] = []
        while let line = try process.readLine(within: 5000) { lines.append(line) }
        return lines.sorted().joined(separator: "\n") + "\n"
    }

    private static func convert(_ source: String, to target: String) throws {
        let process = try ChildProcess(
            "convert", [source, "-strip", "-define", "png:exclude-chunks=date,time", "-depth", "8", target],
            environment: ["PATH": "/usr/bin:/bin"], output: .null)
        let status = try process.waitForExit(within: 20_000)
        guard status == .exited(0) else {
            throw TimedOut(what: "\(source) to become \(target)", milliseconds: 0, instead: "\(status)")
        }
    }
}

extension Screenshot {
    /// Reads a binary PPM (8 bits per channel, no comments).
    fileprivate init(ppm bytes: [UInt8]) throws {
        var numbers: [Int] = []
        var at = 2
        while numbers.count < 3, at < bytes.count {
            while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
            var value = 0
            while at < bytes.count, bytes[at] > 0x20 {
                value = value * 10 + Int(bytes[at]) - 0x30
                at += 1
            }
            numbers.append(value)
        }
        at += 1
        guard numbers.count == 3, numbers[2] == 255, bytes.count - at == numbers[0] * numbers[1] * 3 else {
            throw TimedOut(what: "a pixmap", milliseconds: 0, instead: "\(bytes.count) bytes, \(numbers)")
        }
        var pixels: [UInt32] = []
        pixels.reserveCapacity(numbers[0] * numbers[1])
        while at < bytes.count {
            let (red, green, blue) = (UInt32(bytes[at]), UInt32(bytes[at + 1]), UInt32(bytes[at + 2]))
            pixels.append(red << 16 | green << 8 | blue)
            at += 3
        }
        self.init(x: 0, y: 0, width: numbers[0], height: numbers[1], pixels: pixels)
    }
}
