import Testing

@testable import InkstoneUnicode

@Suite(.timeLimit(.minutes(5))) struct TextBreakerTests {
    /// The words of a text, without what stands between them.
    private func words(_ text: String) -> [String] {
        let breaker = TextBreaker(.word)
        breaker.setText(text)
        let units = Array(text.utf16)
        var start = 0
        var words: [String] = []
        while let end = breaker.following(start) {
            if breaker.wordClass.isWord { words.append(String(decoding: units[start..<end], as: UTF16.self)) }
            start = end
        }
        return words
    }

    @Test func dictionariesDivideThaiJapaneseAndChinese() {
        #expect(words("ภาษาไทยง่าย") == ["ภาษา", "ไทย", "ง่าย"])
        #expect(words("私は日本語です") == ["私", "は", "日本語", "です"])
        #expect(words("我们学习中文") == ["我们", "学习", "中文"])
    }

    @Test func aBreakerThatIsGivenBackKeepsNoLongText() {
        var breaker: TextBreaker?
        TextBreaker.withShared(.sentence) {
            breaker = $0
            $0.setText(String(repeating: "One. ", count: 100_000))
            #expect($0.following(3) == 5)
        }
        #expect((breaker?.capacity ?? .max) <= TextBreaker.usualCapacity)
        TextBreaker.withShared(.sentence) {
            $0.setText("One. Two.")
            #expect($0.following(0) == 5)
        }
    }

    @Test func wordClassIsTheKindOfTheSegment() {
        let breaker = TextBreaker(.word)
        breaker.setText("ab 12 かな 漢")
        var classes: [TextBreaker.WordClass] = []
        var at = 0
        while let next = breaker.following(at) {
            classes.append(breaker.wordClass)
            at = next
        }
        #expect(classes == [.letters, .none, .number, .none, .ideographs, .none, .ideographs])
    }

    @Test func linesSayWhereTheyMustEnd() {
        let breaker = TextBreaker(.line)
        breaker.setText("one two\nthree")
        #expect(breaker.following(0) == 4)
        #expect(!breaker.isMandatory)
        #expect(breaker.following(4) == 8)
        #expect(breaker.isMandatory)
    }

    @Test func offsetsOutsideTheTextClamp() {
        let breaker = TextBreaker(.grapheme)
        breaker.setText("e\u{301}a")
        #expect(breaker.following(-5) == 0)
        #expect(breaker.following(3) == nil)
        #expect(breaker.following(.max) == nil)
        #expect(breaker.preceding(99) == 3)
        #expect(breaker.preceding(2) == 0)
        #expect(breaker.preceding(0) == nil)
        #expect(!breaker.isBoundary(1) && !breaker.isBoundary(4) && !breaker.isBoundary(-1))
    }

    @Test(arguments: [
        "a" + String(repeating: "\u{301}", count: 1000), "🏽" + String(repeating: "🏽", count: 500),
        "x👩" + String(repeating: "\u{200d}👩", count: 400) + "y", String(repeating: "\u{1d165}", count: 300) + "\r\n",
        "a" + String(repeating: "\u{301}", count: 255) + "b", "a" + String(repeating: "\u{301}", count: 256) + "b",
    ])
    func aClusterWithoutEndIsCut(_ text: String) throws {
        let breaker = TextBreaker(.grapheme)
        breaker.setText(text)
        let found = breaker.boundaries()
        let lengths = zip(found, found.dropFirst()).map { $1 - $0 }
        #expect(lengths.max() ?? 0 <= TextBreaker.longestGrapheme + 1)
        #expect(lengths.filter { $0 < TextBreaker.longestGrapheme - 1 }.count <= 5, "\(lengths)")
        let units = Array(text.utf16)
        func cutsPair(_ offset: Int) -> Bool {
            offset > 0 && offset < units.count && units[offset] & 0xfc00 == 0xdc00
        }
        // Each question has the same answer wherever it is asked first.
        for offset in 0...breaker.length where !cutsPair(offset) {
            breaker.setText(text)
            #expect(breaker.following(offset) == found.first { $0 > offset })
            breaker.setText(text)
            #expect(breaker.preceding(offset) == found.last { $0 < offset })
            breaker.setText(text)
            #expect(breaker.isBoundary(offset) == found.contains(offset))
        }
        #expect(!found.contains(where: cutsPair))
    }

    @Test func anEmptyTextHasOneBoundary() {
        let breaker = TextBreaker(.word)
        breaker.setText("something")
        breaker.setText("")
        #expect(breaker.boundaries() == [0])
        #expect(breaker.following(0) == nil && breaker.preceding(0) == nil)
    }

    @Test func certainBoundariesAreBoundaries() {
        // Every pair of a sample of scalars, in contexts that join wherever they can.
        let sample: [Unicode.Scalar] = [
            "a", " ", "\r", "\n", "\u{ad}", "\u{a9}", "\u{301}", "\u{600}", "\u{200d}", "\u{903}", "\u{e33}", "あ",
            "漢", "\u{3099}", "각", "\u{1100}", "\u{1161}", "👩", "🏽", "🇩", "\u{fe0f}", "\u{94d}", "क", "\u{200b}",
        ]
        let breaker = TextBreaker(.grapheme)
        for before in sample {
            for a in sample {
                for b in sample where UnicodeData.isCertainGraphemeBoundary(a, b) {
                    var text = "👩\u{200d}"
                    text.unicodeScalars.append(contentsOf: [before, a])
                    let at = text.utf16.count
                    text.unicodeScalars.append(contentsOf: [b, "\u{301}"])
                    breaker.setText(text)
                    #expect(breaker.isBoundary(at), "\(before.value) \(a.value) \(b.value)")
                }
            }
        }
    }
}
