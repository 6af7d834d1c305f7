import InkstoneBase
import InkstoneUnicode
import Testing

@testable import InkstoneText

/// The text that Backspace deletes, by script: what was typed last.
@Suite(.timeLimit(.minutes(5))) struct BackspaceTests {
    /// A text, and the scalars that each Backspace deletes from its end.
    struct Case: Sendable, CustomTestStringConvertible {
        var script: String
        var text: String
        var steps: [Int]
        init(_ script: String, _ text: String, _ steps: Int...) {
            (self.script, self.text, self.steps) = (script, text, steps)
        }
        var testDescription: String { "\(script) \(text)" }
    }

    @Test(arguments: [
        Case("Thai", "น้ำ", 1, 1, 1), Case("Lao", "ນ້ຳ", 1, 1, 1), Case("Khmer", "ខ្មែរ", 1, 1, 1, 1, 1),
        Case("Myanmar", "မြန်", 1, 1, 1, 1), Case("Tibetan", "བོད", 1, 1, 1),
        Case("Devanagari", "र्थी", 1, 1, 1, 1), Case("Devanagari with ZWJ", "क्‍", 1, 1, 1),
        Case("Bengali", "ক্ষি", 1, 1, 1, 1),
        Case("Gurmukhi", "ਕਿ", 1, 1), Case("Gujarati", "કિ", 1, 1), Case("Oriya", "କି", 1, 1), Case("Tamil", "நி", 1, 1),
        Case("Telugu", "కి", 1, 1), Case("Kannada", "ಕಿ", 1, 1), Case("Malayalam", "കി", 1, 1), Case("Sinhala", "කි", 1, 1),
        Case("Arabic", "بَ", 1, 1), Case("Arabic, two marks", "بَّ", 1, 1, 1),
        Case("Persian with ZWNJ", "می\u{200c}", 1, 1, 1),
        Case("Hebrew", "שָׁ", 1, 1, 1), Case("Syriac", "ܒܰ", 1, 1), Case("Thaana", "ދި", 1, 1),
        Case("Latin", "ab", 1, 1), Case("Latin, precomposed", "é", 1), Case("Latin, decomposed", "e\u{301}", 2),
        Case("Vietnamese, decomposed", "e\u{302}\u{323}", 3), Case("Greek", "α\u{301}", 2),
        Case("Cyrillic", "и\u{306}", 2),
        Case("Kana", "か\u{3099}", 2), Case("Hangul", "한글", 1, 1), Case("jamo", "\u{1112}\u{1161}\u{11ab}", 3),
        Case("ideograph with its variation", "葛\u{e0100}", 2), Case("emoji", "👍", 1), Case("skin", "👍🏽", 2),
        Case("family", "👩‍👩‍👧", 5), Case("flags", "🇩🇪🇫🇷", 2, 2), Case("keycap", "1\u{fe0f}\u{20e3}", 3),
        Case("tag sequence", "🏴\u{e0067}\u{e0062}\u{e007f}", 4), Case("lines", "a\r\n", 2, 1),
        Case("a mark alone", "\u{301}", 1), Case("Mongolian with its selector", "ᠠ\u{180b}", 2),
    ])
    func backspaceTakesWhatWasTypedLast(_ test: Case) {
        var rope = Rope(test.text)
        var steps: [Int] = []
        while !rope.isEmpty, steps.count < 20 {
            let end = rope.utf16Range.upperBound
            let scalars = rope.metrics.scalars
            rope.replace(rope.byteRange(of: rope.backspaceBoundary(before: end)..<end), with: Rope())
            steps.append(scalars - rope.metrics.scalars)
        }
        #expect(steps == test.steps)
    }

    /// In any text, Backspace deletes at least one scalar and at most one cluster, and leaves whole scalars.
    @Test func backspaceStaysInTheClusterBeforeTheCaret() {
        let letters = Array("aé한ก้ำกि्षبَשָׁ👩‍👧🇩🇪\u{301}\u{200d}\u{fe0f}\r\n".unicodeScalars)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                if let scalar = letters.randomElement(using: &random) { view.append(scalar) }
            }
            let rope = Rope(String(view))
            for offset in 1...rope.metrics.utf16 {
                let end = UTF16Offset(offset)
                let start = rope.backspaceBoundary(before: end)
                #expect(start < end && start >= rope.graphemeBoundary(before: end), "\(Array(view)) \(offset)")
                #expect(rope.utf16Offset(at: rope.byteOffset(at: start)) == start, "\(Array(view)) \(offset)")
            }
        }
        #expect(Rope("ab").backspaceBoundary(before: 0) == 0)
    }
}
