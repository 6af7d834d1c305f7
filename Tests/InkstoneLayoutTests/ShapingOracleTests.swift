import Glibc
import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

/// A word of a script and the Noto font that has it.
private struct Word: CustomStringConvertible, Sendable {
    var script: String
    var text: String
    var description: String { script }
}

private let words: [Word] = [
    Word(script: "", text: "affinité"), Word(script: "", text: "ёжик"), Word(script: "", text: "ἀρχή"),
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

private struct Placed: Equatable, CustomStringConvertible {
    var cluster: Int
    var glyph: UInt32
    var description: String { "\(glyph)=\(cluster)" }
}

/// Glyphs, their order and their clusters are what HarfBuzz's own tool says; advances are Xft's and left aside.
@Suite struct ShapingOracleTests {
    @Test(arguments: words) private func glyphsAndClustersAreThoseOfHbShape(_ word: Word) throws {
        let family = word.script.isEmpty ? "Noto Sans" : "Noto Sans " + word.script.spaced
        let layout = makeLayout(word.text, width: 2000, family: family)
        var ours: [Placed] = []
        var fonts: Set<FontID> = []
        layout.allLines[0].forEachGlyph { glyph in
            ours.append(Placed(cluster: glyph.offset, glyph: glyph.glyph))
            fonts.insert(glyph.font)
        }
        #expect(fonts.count == 1, "\(fonts.map { FontTable.pattern(for: $0) })")
        let pattern = FontTable.pattern(for: try #require(fonts.first))
        let file = try #require(pattern.split(separator: ":").first { $0.hasPrefix("file=") }).dropFirst(5)
            .filter { $0 != "\\" }
        // The tool gives them from left to right, a line in the order of the text.
        let theirs = try hbShape(String(file), word.text)
        #expect((layout.isParagraphRightToLeft(at: 0) ? theirs.reversed() : theirs) == ours)
        #expect(ours.allSatisfy { $0.glyph != 0 }, "a font of the script")
    }

    @Test func fortyScriptsAreCompared() { #expect(Set(words.map(\.script)).count + 2 >= 40) }

    private func hbShape(_ file: String, _ text: String) throws -> [Placed] {
        let command = "hb-shape --cluster-level=1 --no-glyph-names --no-positions '\(file)' '\(text)'"
        let pipe = try #require(popen(command, "r"))
        var output: [UInt8] = []
        while case let byte = fgetc(pipe), byte >= 0 { output.append(UInt8(byte)) }
        try #require(pclose(pipe) == 0, "hb-shape is in the package libharfbuzz-bin")
        // hb-shape counts scalars.
        var starts: [Int] = []
        var units = 0
        for scalar in text.unicodeScalars {
            starts.append(units)
            units += scalar.value > 0xffff ? 2 : 1
        }
        return try String(decoding: output, as: UTF8.self).filter { !"[]\n".contains($0) }.split(separator: "|")
            .map { item in
                let parts = item.split(separator: "=")
                return Placed(
                    cluster: starts[try #require(Int(parts[1]))], glyph: try #require(UInt32(parts[0])))
            }
    }
}

extension String {
    /// `TaiLe` as `Tai Le`, but `NKo` as it is.
    fileprivate var spaced: String {
        switch self {
        case "TaiLe": "Tai Le"
        case "OlChiki": "Ol Chiki"
        default: self
        }
    }
}
