import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// The fonts of the tests: only the distribution's DejaVu and Noto packages, with fixed rendering options.
enum TestFonts {
    /// The regional design of Han for each language, as the fonts' package configures it.
    private static let han = [("ko", "KR"), ("zh-cn", "SC"), ("zh-tw", "TC"), ("zh-hk", "HK")]

    private static func rule(_ language: String, _ variant: String) -> String {
        """
        <match target="pattern"><test name="lang"><string>\(language)</string></test>
        <edit name="family" mode="append"><string>Noto Sans CJK \(variant)</string></edit></match>
        """
    }

    /// The configuration's directory, which is kept until the process ends. It is a directory of its own, because
    /// fontconfig's answers depend on its other files.
    private static let directory = (try? TemporaryDirectory.make()) ?? "/nowhere"

    /// Makes fontconfig use the tests' configuration; once, before the first font.
    static let ready: Bool = {
        atexit { TemporaryDirectory.remove(TestFonts.directory) }
        let path = "\(directory)/fonts.conf"
        let system = ["truetype/dejavu", "truetype/noto", "opentype/noto"].map { "/usr/share/fonts/\($0)" }
        // Under scripts/test, the configuration chosen by scripts/test-fonts.
        let chosen = getenv("FONTCONFIG_FILE").map { String(cString: $0).replacing("/fonts.conf", with: "") }
            .flatMap { access("\($0)/files", R_OK) == 0 ? $0 : nil }
        let folders = chosen.map { ["\($0)/files"] } ?? system
        let caches = (chosen.map { ["\($0)/cache"] } ?? []) + ["/var/cache/fontconfig", "\(directory)/cache"]
        let text = """
            <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
            <fontconfig>
            \(folders.map { "<dir>\($0)</dir>" }.joined(separator: "\n"))
            \(caches.map { "<cachedir>\($0)</cachedir>" }.joined(separator: "\n"))
            <match target="pattern"><test name="family"><string>monospace</string></test>
            <edit name="family" mode="append"><string>DejaVu Sans Mono</string></edit></match>
            <match target="pattern"><edit name="family" mode="append" binding="weak"><string>DejaVu Sans</string></edit>
            </match>
            \(han.map(rule).joined(separator: "\n"))
            <match target="pattern"><edit name="hintstyle" mode="append"><const>hintslight</const></edit></match>
            <match target="pattern"><edit name="antialias" mode="append"><bool>true</bool></edit></match>
            <include ignore_missing="yes">/etc/fonts/conf.d/10-scale-bitmap-fonts.conf</include>
            </fontconfig>
            """
        guard let file = fopen(path, "w") else { preconditionFailure("cannot write \(path)") }
        fputs(text, file)
        fclose(file)
        setenv("FONTCONFIG_FILE", path, 1)
        return true
    }()
}

/// Creates a document with a layout, by default in DejaVu Sans at 16 pixels.
func makeLayout(
    _ text: String, width: Double = 400, family: String = "DejaVu Sans", size: Double = 16, wraps: Bool = true,
    style: ParagraphStyle = ParagraphStyle()
) -> TextLayoutManager {
    precondition(TestFonts.ready)
    return TextLayoutManager(
        store: TextStore(Rope(text)),
        container: TextContainer(width: width, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
        font: FontDescriptor(family: family, size: size, language: "en"), paragraphStyle: style)
}

extension TextLayoutManager {
    /// All lines from the start to the end of the document.
    var allLines: [TextLineFragment] {
        textLayoutFragments(in: DocumentRect(x: -1e9, y: 0, width: 2e9, height: 1e12)).flatMap(\.textLineFragments)
    }

    /// The text of each line.
    var lineTexts: [String] { allLines.map { store.text.string(in: $0.utf16Range) } }
}

/// Glyphs parsed from `hb-shape`'s notation, which ``ShapedText`` uses for its description.
struct ShapedGlyphs: Equatable, CustomStringConvertible {
    struct Glyph: Equatable {
        var id: UInt32
        /// The index of the cluster, in bytes, scalars or UTF-16 units as the writer counts.
        var cluster: Int
        /// The horizontal offset in 1/64 pixel.
        var dx = 0
        var dy = 0
        var advance = 0
    }

    var glyphs: [Glyph] = []
    var description: String {
        glyphs.map { "\($0.id)=\($0.cluster)@\($0.dx),\($0.dy)+\($0.advance)" }.joined(separator: " ")
    }

    init(_ shaped: ShapedText) { self.init(notation: shaped.description) }

    init(notation: String) {
        for item in notation.split(whereSeparator: { "[|]\n".contains($0) }) {
            let numbers = item.split(whereSeparator: { "=@,+".contains($0) }).compactMap { Int($0) }
            guard numbers.count == 3 || numbers.count == 5 else {
                Issue.record("no glyph: \(item)")
                continue
            }
            var glyph = Glyph(id: UInt32(numbers[0]), cluster: numbers[1])
            if numbers.count == 5 { (glyph.dx, glyph.dy) = (numbers[2], numbers[3]) }
            glyph.advance = numbers[numbers.count - 1]
            glyphs.append(glyph)
        }
    }

    /// Returns the glyphs of a range of units, numbered from its start.
    func part(_ units: Range<Int>) -> Self {
        var part = self
        part.glyphs = glyphs.filter { units.contains($0.cluster) }
        for i in part.glyphs.indices { part.glyphs[i].cluster -= units.lowerBound }
        return part
    }
}
