import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@Suite(.timeLimit(.minutes(5))) struct TokenizerTests {
    /// Returns the units found by moving forward, and checks that moving back finds the same.
    private func walk(_ text: String, _ unit: TextGranularity, _ style: WordStyle = .natural) -> [String] {
        let units = TextUnits(text, wordStyle: style)
        let count = UTF16Offset(text.utf16.count)
        func string(_ range: Range<UTF16Offset>) -> String {
            String(decoding: units.text[range.lowerBound.value..<range.upperBound.value], as: UTF16.self)
        }
        var forward: [String] = []
        var at: UTF16Offset = 0
        while let end = units.boundary(from: at, of: unit, inDirection: .forward) {
            if let range = units.range(enclosing: end, with: unit, inDirection: .backward) {
                forward.append(string(range))
            }
            at = end
        }
        var backward: [String] = []
        at = count
        while let start = units.boundary(from: at, of: unit, inDirection: .backward) {
            if let range = units.range(enclosing: start, with: unit, inDirection: .forward) {
                backward.append(string(range))
            }
            at = start
        }
        #expect(forward == backward.reversed(), "\(text)")
        return forward
    }

    @Test(arguments: [
        ("Hello, world! It's 3.14", ["Hello", "world", "It's", "3.14"]),
        ("  foo_bar  ", ["foo_bar"]), ("", []), ("...", []),
        ("日本語の文章", ["日本語", "の", "文章"]), ("ภาษาไทยง่าย", ["ภาษา", "ไทย", "ง่าย"]),
        ("我喜欢北京", ["我", "喜欢", "北京"]), ("한국어 단어", ["한국어", "단어"]),
    ])
    func wordsAreFoundBothWays(_ text: String, _ words: [String]) {
        #expect(walk(text, .word) == words)
    }

    @Test func codeWordsEndAtDots() {
        #expect(walk("store.text(in: a_b) don't", .word, .code) == ["store", "text", "in", "a_b", "don", "t"])
    }

    @Test func sentencesAndCharacters() {
        #expect(walk("One. Two! 三。四", .sentence) == ["One. ", "Two! ", "三。", "四"])
        #expect(walk("e\u{301}👨‍👩‍👧🇩🇪x", .character) == ["e\u{301}", "👨‍👩‍👧", "🇩🇪", "x"])
    }

    @Test func paragraphsAreWithoutNewlinesAndMayBeEmpty() {
        let text = TextUnits("one\r\n\ntwo")
        #expect(text.range(enclosing: 1, with: .paragraph, inDirection: .forward) == 0..<3)
        #expect(text.range(enclosing: 5, with: .paragraph, inDirection: .forward) == 5..<5)
        #expect(text.range(enclosing: 6, with: .paragraph, inDirection: .forward) == 6..<9)
        #expect(text.boundary(from: 3, of: .paragraph, inDirection: .forward) == 5)
        #expect(text.boundary(from: 5, of: .paragraph, inDirection: .forward) == 9)
        #expect(text.boundary(from: 6, of: .paragraph, inDirection: .backward) == 5)
        #expect(text.boundary(from: 5, of: .paragraph, inDirection: .backward) == 0)
    }

    @Test func aDocumentsTokenizerCrossesParagraphsAndWindows() {
        let long = String(repeating: "word ", count: 4000)
        let view = ReferenceTextView("first\n\n" + long + "\nlast one", columns: 100)
        let tokenizer = view.tokenizer
        func position(_ offset: Int) -> TextPosition { view.content.store.position(at: UTF16Offset(offset)) }
        func next(_ offset: Int, _ unit: TextGranularity, _ direction: TextDirection) -> Int? {
            tokenizer.position(from: position(offset), toBoundary: unit, inDirection: direction)
                .map { view.offset(from: view.beginningOfDocument, to: $0) }
        }
        let start = 7
        let end = start + long.utf16.count
        #expect(next(5, .word, .forward) == start + 4)
        #expect(next(start, .word, .backward) == 0)
        #expect(next(end, .word, .forward) == end + 5)
        #expect(next(end + 1, .word, .backward) == end - 5)
        #expect(next(start + 10_000, .word, .forward) == start + 10_004)
        #expect(next(start + 3, .paragraph, .forward) == end)
        #expect(next(start + 3, .line, .forward) == start + 100)
        #expect(next(0, .word, .backward) == nil)
        #expect(next(end + 9, .word, .forward) == nil)
    }
}
