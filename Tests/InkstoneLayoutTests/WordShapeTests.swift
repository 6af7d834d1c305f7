import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// Words are shaped several at a time and cached one by one; neither affects the glyphs of a word.
@Suite(.timeLimit(.minutes(5))) struct WordShapeTests {
    private let context: FontContext
    private let shaper: Shaper

    init() {
        precondition(TestFonts.ready)
        context = FontContext(settings: FontSettings())
        shaper = Shaper(context: context)
    }

    private func shaped(_ text: String, _ font: FontDescriptor) -> ShapedGlyphs {
        let units = Array(text.utf16)
        return ShapedGlyphs(
            shaper.shape(
                units, styles: [StyleSpan(range: 0..<units.count, stack: context.stack(for: font))],
                direction: .natural))
    }

    private static let lines = [
        "AVAVA To Ty. LT office waffle fi ffl  two  spaces", "a \u{301}b \u{308}\u{323}c e\u{301}te\u{301} z\u{334} ",
        "السلام عليكم ورحمة الله وبركاته لا إله", "نص عربي (مع أقواس) و english inside",
        "हिन्दी में क्षत्रिय और ज्ञान कि की", "ಕನ್ನಡ ಭಾಷೆ ಕ್ಷೇತ್ರ", "שָׁלוֹם עוֹלָם abc אבג", "ёжик ἀρχή Grüße",
        "日本語 の文章 を 折り返す", "한국어 문장 \u{1112}\u{1161}\u{11ab}", "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ", "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪",
        String(repeating: "manynewwords ", count: 60),
        "pneumonoultramicroscopicsilicovolcanoconiosis and short ones behind it",
    ]

    @Test(arguments: ["DejaVu Sans", "Noto Sans", "Noto Sans Arabic", "Noto Sans CJK JP", "Noto Serif"])
    func theShapeOfAWordDoesNotDependOnTheCache(_ family: String) {
        var random = SeededGenerator(seed: 5)
        for line in Self.lines {
            let font = FontDescriptor(family: family, size: 16, language: "en")
            shaper.forgetWords()
            let new = shaped(line, font)
            #expect(shaped(line, font) == new, "\(line): all known")
            for _ in 0..<6 {
                // Shape some of the words separately before the line.
                shaper.forgetWords()
                for word in line.split(separator: " ") where Bool.random(using: &random) {
                    _ = shaped(String(word), font)
                }
                #expect(shaped(line, font) == new, "\(line)")
            }
        }
    }

    /// New words shaped together in a line have the same glyphs as HarfBuzz gives each word alone.
    @Test func newWordsAreCutWhereTheyEnd() {
        let font = FontDescriptor(family: "DejaVu Sans", size: 16)
        for line in Self.lines where !line.contains(" \u{301}") {
            shaper.forgetWords()
            let together = shaped(line, font)
            var at = 0
            for word in line.split(separator: " ", omittingEmptySubsequences: false) {
                shaper.forgetWords()
                #expect(together.part(at..<at + word.utf16.count) == shaped(String(word), font), "\(word)")
                at += word.utf16.count + 1
            }
        }
    }

    private static let pieces = [
        "fi", "ffl", "AV", "Ty", "a", "a", "o", "=", "->", "1/2", "e\u{301}", "\u{308}", "ﬁ", "م", "لا", "س", "ه", "َ",
        "ن", "क्ष", "त्रि",
        "ि", "ज्ञ", "สวั", "ส", "ดี", "น้ำ", "漢", "字", "かな", "。", "ש", "ָ", "ל", "한", "\u{1112}\u{1161}\u{11ab}", "ᠮ", "ᠣ",
        "👍🏽", "\u{200d}", "7",
    ]

    /// A long word derived from a cached one has the glyphs that it has by itself.
    @Test(arguments: [
        "DejaVu Sans", "Noto Sans", "Noto Sans Arabic", "Noto Sans CJK JP", "Noto Serif", "Noto Nastaliq Urdu",
    ])
    func aLongWordThatChangesIsShapedAsIfItWereNew(_ family: String) {
        let seed: UInt64 = 14
        var random = SeededGenerator(seed: seed)
        let font = FontDescriptor(family: family, size: 16, language: "en")
        let fresh = Shaper(context: context)
        for round in 0..<12 {
            // Mostly one script, as in real words.
            let first = Int.random(in: 0..<Self.pieces.count, using: &random)
            let few = (0..<6).map { Self.pieces[(first + $0) % Self.pieces.count] }
            let some = round % 3 == 0 ? few + Self.pieces : few
            var word = Array((0..<60).map { _ in some.randomElement(using: &random)! }.joined().utf16)
            for step in 0..<25 {
                let new = Array(some.randomElement(using: &random)!.utf16)
                let at = scalarStart(Int.random(in: 0...word.count, using: &random), in: word)
                let end = scalarStart(min(word.count, at + (step % 3 == 0 ? 0 : step % 5)), in: word)
                word.replaceSubrange(at..<max(at, end), with: new)
                let text = "two " + String(decoding: word, as: UTF16.self) + " words"
                let grown = shaped(text, font)
                fresh.forgetWords()
                let units = Array(text.utf16)
                let alone = ShapedGlyphs(
                    fresh.shape(
                        units, styles: [StyleSpan(range: 0..<units.count, stack: context.stack(for: font))],
                        direction: .natural))
                guard grown == alone else {
                    Issue.record("seed \(seed), round \(round), step \(step): \(text)\n\(grown)\n\(alone)")
                    return
                }
            }
        }
        #expect(
            shaper.shapedGlyphs < fresh.shapedGlyphs,
            "\(shaper.shapedGlyphs) glyphs were made, of \(fresh.shapedGlyphs) in all")
    }

    /// A key in the middle of a word of 400 letters shapes only the letters around it.
    @Test func aKeyInALongWordShapesWhatIsAroundIt() {
        let font = FontDescriptor(family: "DejaVu Sans", size: 16)
        var word = Array(repeating: "abcdefghij", count: 40).joined()
        _ = shaped(word, font)
        for letter in ["x", "f", "i", "V"] {
            let before = shaper.shapedGlyphs
            word.insert(contentsOf: letter, at: word.index(word.startIndex, offsetBy: 200))
            _ = shaped(word, font)
            #expect(shaper.shapedGlyphs - before <= 40, "\(shaper.shapedGlyphs - before) glyphs for \(letter)")
        }
    }

    private func scalarStart(_ unit: Int, in units: [UInt16]) -> Int {
        unit > 0 && unit < units.count && units[unit] & 0xfc00 == 0xdc00 ? unit - 1 : unit
    }

    @Test func aWordThatJoinsAnotherFontsLettersIsNotRememberedSo() {
        let (one, two) = (
            FontDescriptor(family: "Noto Sans Arabic", size: 16), FontDescriptor(family: "DejaVu Sans", size: 16)
        )
        let alone = shaped("سل", one)
        shaper.forgetWords()
        // The letters are the first part of a word whose rest is in another font, to which the last letter joins.
        let units = Array("سلام".utf16)
        let joined = ShapedGlyphs(
            shaper.shape(
                units,
                styles: [
                    StyleSpan(range: 0..<2, stack: context.stack(for: one)),
                    StyleSpan(range: 2..<4, stack: context.stack(for: two)),
                ], direction: .natural)
        ).part(0..<2)
        #expect(joined.glyphs.map(\.id) != alone.glyphs.map(\.id))
        #expect(shaped("سل", one) == alone)
    }
}
