import Glibc
import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

/// A word, and the Noto font for its script.
private struct Word: CustomStringConvertible, Sendable {
    var script: String
    var text: String
    var description: String { script }
}

private let words: [Word] = [
    Word(script: "", text: "affinité"), Word(script: "", text: "z\u{334}e\u{323}\u{301}"),
    Word(script: "", text: "ёжик"), Word(script: "", text: "ἀρχή"),
    Word(script: "Arabic", text: "السَّلام"), Word(script: "Hebrew", text: "שָׁלוֹם"),
    Word(script: "Devanagari", text: "क्षत्रिय"), Word(script: "Bengali", text: "বাংলাদেশ"),
    Word(script: "Gurmukhi", text: "ਪੰਜਾਬੀ"), Word(script: "Gujarati", text: "ગુજરાતી"),
    Word(script: "Oriya", text: "ଓଡ଼ିଆ"), Word(script: "Tamil", text: "தமிழ்க்கு"), Word(script: "Telugu", text: "తెలుగు"),
    Word(script: "Kannada", text: "ಕ್ಷೇತ್ರ"), Word(script: "Malayalam", text: "മലയാളം"),
    Word(script: "Sinhala", text: "ශ්‍රී"), Word(script: "Thai", text: "ที่นี่"), Word(script: "Lao", text: "ພາສາລາວ"),
    Word(script: "Khmer", text: "ភាសាខ្មែរ"), Word(script: "Myanmar", text: "မြန်မာ"),
    Word(script: "Georgian", text: "ქართული"), Word(script: "Armenian", text: "Հայերեն"),
    Word(script: "Ethiopic", text: "አማርኛ"), Word(script: "Cherokee", text: "ᏣᎳᎩ"), Word(script: "NKo", text: "ߒߞߏ"),
    Word(script: "Thaana", text: "ދިވެހި"), Word(script: "Mongolian", text: "ᠮᠣᠩᠭᠣᠯ"),
    Word(script: "Tifinagh", text: "ⵜⵉⴼⵉⵏⴰⵖ"), Word(script: "Javanese", text: "ꦗꦮ"),
    Word(script: "Balinese", text: "ᬩᬮᬶ"), Word(script: "Adlam", text: "𞤀𞤣𞤤𞤢𞤥"), Word(script: "Ogham", text: "ᚑᚌᚐᚋ"),
    Word(script: "Runic", text: "ᚱᚢᚾᚨ"), Word(script: "Gothic", text: "𐌲𐌿𐍄"), Word(script: "Deseret", text: "𐐔𐐯𐑅"),
    Word(script: "Vai", text: "ꕙꔤ"), Word(script: "Yi", text: "ꆈꌠ"), Word(script: "Cham", text: "ꨌꩌ"),
    Word(script: "TaiLe", text: "ᥖᥭᥰ"), Word(script: "Lisu", text: "ꓡꓲꓢꓴ"), Word(script: "Bamum", text: "ꚠꚡ"),
    Word(script: "Lepcha", text: "ᰛᰩᰵ"), Word(script: "Limbu", text: "ᤕᤠᤰ"), Word(script: "Sundanese", text: "ᮞᮥᮔ᮪ᮓ"),
    Word(script: "OlChiki", text: "ᱥᱟᱱ"), Word(script: "Coptic", text: "ⲙⲉⲧⲣⲉⲙ"),
    Word(script: "Glagolitic", text: "ⰳⰾⰰ"),
    Word(script: "Syriac", text: "ܣܘܪܝܝܐ"),
]

/// Glyphs, their order, clusters and positions equal those of HarfBuzz's own tool; advances are Xft's.
@Suite(.timeLimit(.minutes(5))) struct ShapingOracleTests {
    @Test(arguments: words) private func glyphsAndClustersAreThoseOfHbShape(_ word: Word) throws {
        let (ours, theirs, _) = try both(word)
        #expect(ours.glyphs.map(\.id) == theirs.glyphs.map(\.id))
        #expect(ours.glyphs.map(\.cluster) == theirs.glyphs.map(\.cluster))
        #expect(ours.glyphs.allSatisfy { $0.id != 0 }, "a font of the script")
    }

    /// Marks are at the font's anchors: at the same distance from their base, whatever the advances are.
    @Test(arguments: words) private func offsetsAreThoseOfHbShape(_ word: Word) throws {
        let (ours, theirs, rtl) = try both(word)
        let (mine, others) = (places(ours, rtl), places(theirs, rtl))
        for (i, (a, b)) in zip(ours.glyphs, theirs.glyphs).enumerated() {
            #expect(a.dy == b.dy, "\(a), hb-shape \(b)")
            // Compare glyphs placed by an offset, or beside the last spacing glyph before.
            let isPlaced = a.dx == b.dx || mine[i] == others[i]
            #expect(isPlaced, "\(a) at \(mine[i]), hb-shape \(b) at \(others[i])")
        }
    }

    @Test func offsetsOfManyScriptsAreCompared() throws {
        let moved = try words.filter { try both($0).theirs.glyphs.contains { $0.dx != 0 || $0.dy != 0 } }
        #expect(moved.count >= 10, "\(moved.map(\.script))")
    }

    /// Returns each glyph's distance from the origin of the last spacing glyph before it in the text, in 1/64
    /// pixel.
    private func places(_ shaped: ShapedGlyphs, _ rtl: Bool) -> [Int] {
        var (pen, base) = (0, 0)
        return shaped.glyphs.map { glyph in
            if rtl { pen -= glyph.advance }
            let place = pen + glyph.dx - base
            if glyph.advance != 0 { base = pen + glyph.dx }
            if !rtl { pen += glyph.advance }
            return place
        }
    }

    private func both(_ word: Word) throws -> (ours: ShapedGlyphs, theirs: ShapedGlyphs, rtl: Bool) {
        let family = word.script.isEmpty ? "Noto Sans" : "Noto Sans " + word.script.spaced
        let layout = makeLayout(word.text, width: 2000, family: family)
        let fragment = layout.document.placedFragment(at: 0).fragment
        let faces = Set(fragment.shaped.runs.map(\.face))
        #expect(
            faces.count == 1, "\(faces.map { FontTable.pattern(for: layout.document.tools.context.faces[Int($0)].id) })"
        )
        let file = try file(of: layout.document.tools.context.faces[Int(try #require(faces.first))])
        let rtl = layout.geometry.isParagraphRightToLeft(at: 0)
        var theirs = try hbShape(file, word.text)
        // The tool lists glyphs from left to right; a shaped text has them in logical order.
        if rtl { theirs.glyphs.reverse() }
        return (ShapedGlyphs(fragment.shaped), theirs, rtl)
    }

    /// In fonts that are assumed to need no shaping for ASCII, HarfBuzz shapes no pair of characters.
    @Test(arguments: [
        "DejaVu Sans Mono", "DejaVu Sans", "Noto Sans", "Noto Serif", "Noto Sans CJK JP", "Noto Sans Arabic",
    ])
    private func plainFontsNeedNoShaping(_ family: String) throws {
        let context = FontContext(settings: FontSettings())
        let stack = context.stack(for: FontDescriptor(family: family, size: 16))
        #expect(
            stack.primary.isPlain == (family == "DejaVu Sans Mono"),
            "it has ligatures for Arabic alone, others have kerning")
        guard stack.primary.isPlain else { return }
        let printable = (UInt8(0x20)...0x7e).map { String(UnicodeScalar($0)) }
        let pairs = printable.map { first in printable.map { first + $0 }.joined() }.joined()
        let text = pairs + "office waffle fi fl ffl --> === !== <=> ::: www 0xff"
        let shaper = Shaper(context: context)
        let ours = ShapedGlyphs(
            shaper.shape(
                Array(text.utf16), styles: [StyleSpan(range: 0..<text.utf16.count, stack: stack)], direction: .natural))
        #expect(shaper.shapedGlyphs == 0)
        let theirs = try hbShape(file(of: stack.primary), text)
        #expect(ours.glyphs.map(\.id) == theirs.glyphs.map(\.id))
        #expect(ours.glyphs.map(\.cluster) == theirs.glyphs.map(\.cluster))
        #expect(ours.glyphs.allSatisfy { $0.dx == 0 && $0.dy == 0 && $0.advance == ours.glyphs[0].advance })
        #expect(theirs.glyphs.allSatisfy { $0.dx == 0 && $0.dy == 0 && $0.advance == theirs.glyphs[0].advance })
    }

    private func file(of face: FontFace) throws -> String {
        let pattern = FontTable.pattern(for: face.id)
        let file = try #require(pattern.split(separator: ":").first { $0.hasPrefix("file=") })
        return file.dropFirst(5).filter { $0 != "\\" }
    }

    @Test func fortyScriptsAreCompared() { #expect(Set(words.map(\.script)).count + 2 >= 40) }

    private func hbShape(_ file: String, _ text: String) throws -> ShapedGlyphs {
        // 16 pixels in units of 1/64 pixel.
        let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
        let command = "hb-shape --cluster-level=1 --no-glyph-names --font-size=1024 '\(file)' '\(quoted)'"
        let pipe = try #require(popen(command, "r"))
        var output: [UInt8] = []
        while case let byte = fgetc(pipe), byte >= 0 { output.append(UInt8(byte)) }
        try #require(pclose(pipe) == 0, "hb-shape is in the package libharfbuzz-bin")
        // hb-shape counts scalars, so convert to UTF-16.
        var starts: [Int] = []
        var units = 0
        for scalar in text.unicodeScalars {
            starts.append(units)
            units += scalar.value > 0xffff ? 2 : 1
        }
        var shaped = ShapedGlyphs(notation: String(decoding: output, as: UTF8.self))
        for i in shaped.glyphs.indices { shaped.glyphs[i].cluster = starts[shaped.glyphs[i].cluster] }
        return shaped
    }
}

extension String {
    /// Spells `TaiLe` as `Tai Le`, but leaves `NKo` as it is.
    fileprivate var spaced: String {
        switch self {
        case "TaiLe": "Tai Le"
        case "OlChiki": "Ol Chiki"
        default: self
        }
    }
}
