import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A page of many scripts, compared with pictures that somebody has looked at: `Golden/*.png`.
    ///
    /// With the packages that the pictures were made with (`Golden/packages.txt`) every pixel has to be equal. Other versions
    /// of FreeType and of the fonts draw edges a little differently: then a small share of pixels may differ.
    /// `INKSTONE_REMAKE_IMAGES=1 scripts/test GoldenImage` makes the pictures anew, to be looked at before they are committed.
    @Suite struct GoldenImageTests {
        @Test(arguments: [1.0, 1.5, 2])
        func aPageOfManyScripts(scale: Double) throws {
            let page = GoldenPage(scale: scale)
            let scene = try page.scene()
            defer { scene.end() }
            let text = scene.view.text
            // From an English word into the middle of the Arabic.
            let low = try #require(text.utf16Offset(of: "word"))
            let high = try #require(text.utf16Offset(of: "بالعالم"))
            scene.editor.select(EditorSelection(anchor: low, head: high + 3), scrolling: false)
            let word = try #require(text.utf16Offset(of: "mispeled"))
            scene.view.addRenderingAttributes(
                RenderingAttributes(underline: .wavy, underlineColor: Color(rgb: 0xd1242f)), for: word..<word + 8)
            scene.view.addRenderingAttributes(
                RenderingAttributes(
                    foreground: Color(rgb: 0x116329), background: Color(rgb: 0xdafbe1), strikethrough: .single),
                for: word + 9..<word + 15)
            try Golden.compare(try scene.picture(), with: "page-\(scale)")
        }

        @Test(arguments: [1.0, 1.5, 2])
        func markedTextAndASplitCaret(scale: Double) throws {
            let scene = try WidgetScene(
                width: (220 * scale).rounded(), height: (70 * scale).rounded(),
                font: FontDescriptor(family: "Noto Sans CJK JP", size: (14 * scale).rounded()),
                resources: "Xft.dpi: \(Int(96 * scale))\n"
            ) { $0.text = "私の\nabc אבג" }
            defer { scene.end() }
            scene.editor.select(EditorSelection(caret: 2))
            scene.editor.setMarkedText(
                InputText("名前はなかのです", clauses: [MarkedClause(range: 3..<6, kind: .target)]),
                selectedRange: UTF16Range(location: 3, length: 0), replacementRange: .notFound)
            try Golden.compare(try scene.picture(), with: "marked-\(scale)")
            scene.editor.unmarkText()
            scene.editor.select(EditorSelection(caret: scene.editor.textRange.upperBound - 3))
            try Golden.compare(try scene.picture(), with: "split-\(scale)")
        }
    }
}

extension String {
    fileprivate func utf16Offset(of part: String) -> UTF16Offset? {
        firstRange(of: part).map { UTF16Offset($0.lowerBound.utf16Offset(in: self)) }
    }
}

/// The page: each paragraph in the font of its script, so that the fonts of a machine do not matter.
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
        ("Noto Color Emoji", 18, "👩‍👩‍👧‍👦👍🏽🇯🇵❤️🏳️‍🌈"),
        ("DejaVu Sans", 14, "mispeled struck \u{10fffd}\u{378}"),
    ]
    private let scale: Double

    init(scale: Double) { self.scale = scale }

    func scene() throws -> WidgetScene {
        try WidgetScene(
            width: (380 * scale).rounded(), height: (270 * scale).rounded(),
            font: FontDescriptor(family: "DejaVu Sans", size: (14 * scale).rounded()),
            resources: "Xft.dpi: \(Int(96 * scale))\n"
        ) {
            ($0.editor.layout.textContentManager as? TextContentStorage)?.delegate = self
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
private enum Golden {
    private static let directory =
        #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden"
    /// What decides about pixels.
    private static let packages = [
        "fontconfig-config", "fonts-dejavu-core", "fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-noto-core",
        "libfreetype6", "libharfbuzz0b", "libxft2", "xvfb",
    ]
    /// Share of pixels that may differ, and by how much in a channel to count, with other packages than those.
    private static let tolerance = (share: 0.06, channel: 64)

    static func compare(_ picture: Screenshot, with name: String) throws {
        let path = "\(directory)/\(name).png"
        let here = try versions()
        if getenv("INKSTONE_REMAKE_IMAGES") != nil {
            let scratch = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(scratch) }
            try TextFiles.write(picture.ppm, to: "\(scratch)/new.ppm")
            try convert("\(scratch)/new.ppm", to: path)
            return try TextFiles.write(here, to: "\(directory)/packages.txt")
        }
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        try convert(path, to: "\(scratch)/golden.ppm")
        let golden = try Screenshot(ppm: TextFiles.bytes("\(scratch)/golden.ppm"))
        guard let difference = picture.difference(from: golden) else { return }
        if here != (try TextFiles.read("\(directory)/packages.txt")),
            picture.share(differingFrom: golden, by: tolerance.channel) <= tolerance.share
        {
            return
        }
        Issue.record("\(name): \(difference). Shown: \(picture.kept(name)), expected: \(path)")
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
    /// A picture from a binary portable pixmap of 8 bits a channel without comments.
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

    /// The share of pixels that differ by more than `limit` in a channel; 1 for pictures of other extents.
    fileprivate func share(differingFrom other: Screenshot, by limit: Int) -> Double {
        guard width == other.width, height == other.height else { return 1 }
        var wrong = 0
        for (a, b) in zip(pixels, other.pixels) {
            func channel(_ pixel: UInt32, _ shift: UInt32) -> Int { Int(pixel >> shift & 0xff) }
            let largest = max(
                abs(channel(a, 16) - channel(b, 16)), abs(channel(a, 8) - channel(b, 8)),
                abs(channel(a, 0) - channel(b, 0)))
            if largest > limit { wrong += 1 }
        }
        return Double(wrong) / Double(pixels.count)
    }
}
