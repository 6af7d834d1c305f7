import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct TextSearchTests {
    private func matches(_ search: TextSearch, in text: Rope) throws -> [String] {
        var found: [String] = []
        try search.forEachMatch(in: text) { match, _ in found.append(text.string(in: match.range)) }
        return found
    }

    /// All places of a string, none overlapping, by plain comparison.
    private func places(of needle: [UInt8], in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var at = 0
        while at + needle.count <= bytes.count {
            if bytes[at..<(at + needle.count)].elementsEqual(needle) {
                found.append(at)
                at += needle.count
            } else {
                at += 1
            }
        }
        return found
    }

    /// What stands around the expression for that is no part of its comment or of what it quotes.
    @Test(arguments: ["(?x) ink # all of it", #"\Qink"#, "ink", "(?x) ink # all \n", "pen|ink", "(?i)INK"])
    func expressionsFindWholeWordsWhateverTheyEndWith(_ pattern: String) throws {
        try expectWholeWords(TextSearch(pattern, syntax: .regularExpression, matchingWholeWords: true))
    }

    @Test(arguments: [false, true]) func literalsFindWholeWords(ignoringCase: Bool) throws {
        try expectWholeWords(
            TextSearch(ignoringCase ? "INK" : "ink", ignoringCase: ignoringCase, matchingWholeWords: true))
        // A sign begins no word.
        let sign = try TextSearch("-x", ignoringCase: ignoringCase, matchingWholeWords: true)
        #expect(try places(sign, in: "a-x a-xy -x") == [1, 9])
    }

    /// An "ink" that stands alone is found, told by its place: those that do not have the same letters.
    private func expectWholeWords(_ search: TextSearch) throws {
        #expect(try places(search, in: "inkwell ink pink, (ink) ink_ 2ink\nink") == [8, 19, 34])
    }

    private func places(_ search: TextSearch, in text: Rope) throws -> [Int] {
        var found: [Int] = []
        try search.forEachMatch(in: text) { match, _ in found.append(match.range.lowerBound.value) }
        return found
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func literalsAreFoundWhereverLeavesMeet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = randomBytes(&random, about: 60_000)
        let rope = Rope(bytes: bytes)
        var needles = ["a", "\n", "word ", "日本語", "fox. ", "aa", "👩‍👩‍👧‍👦", "nothing like this"]
        // Stretches of the text itself, long ones too.
        for length in [2, 10, 100, 300, 1000, 5000] {
            let start = rope.roundedDown(toScalar: ByteOffset(random.below(50_000)))
            let text = rope.string(in: start..<rope.roundedDown(toScalar: start + length))
            if !text.contains("\u{fffd}") { needles.append(text) }
        }
        for needle in needles where !needle.isEmpty {
            let search = try TextSearch(needle)
            var found: [Int] = []
            try search.forEachMatch(in: rope) { match, _ in found.append(match.range.lowerBound.value) }
            let expected = places(of: Array(needle.utf8), in: bytes)
            #expect(found == expected, "\(needle)")
            let last = try search.lastMatch(in: rope, before: rope.byteRange.upperBound)
            if needle.utf8.count < 5 || expected.count < 2 {
                #expect(last?.range.lowerBound.value == expected.last)
            }
            if let middle = expected.dropFirst(expected.count / 2).first {
                #expect(try search.firstMatch(in: rope, from: ByteOffset(middle))?.range.lowerBound.value == middle)
                let before = try search.lastMatch(in: rope, before: ByteOffset(middle))
                #expect((before?.range.upperBound.value ?? 0) <= middle)
            }
        }
    }

    @Test func longNeedlesCrossManyLeaves() throws {
        let needle = String(repeating: "abcdefgh", count: 1000)
        let text = Rope(String(repeating: "abcdefgh", count: 900) + "X" + needle + "Y")
        let match = try #require(try TextSearch(needle).firstMatch(in: text))
        #expect(match.range.lowerBound == 7201)
    }

    @Test func caseIsFoldedByScalar() throws {
        let text: Rope = "Straße STRASSE Ünïcode üNÏCODE ΣΊΣΥΦΟΣ σίσυφος ΐ İi ſ K"
        #expect(try matches(TextSearch("ünïcode", ignoringCase: true), in: text) == ["Ünïcode", "üNÏCODE"])
        #expect(try matches(TextSearch("Σίσυφος", ignoringCase: true), in: text) == ["ΣΊΣΥΦΟΣ", "σίσυφος"])
        #expect(try matches(TextSearch("strasse", ignoringCase: true), in: text) == ["STRASSE"])
        #expect(try matches(TextSearch("k", ignoringCase: true), in: text) == ["K"])
        #expect(try matches(TextSearch("aab", ignoringCase: true), in: "aAaABaab") == ["aAB", "aab"])
    }

    @Test(arguments: [UInt64(5), 6])
    func foldedAndPlainSearchAgreeWhereThereIsNoCase(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rope = Rope(bytes: randomBytes(&random, about: 40_000))
        for needle in ["\n", "日本語", "。", "👩‍👩‍👧‍👦", "한글"] {
            var plain: [TextMatch] = []
            var folded: [TextMatch] = []
            try TextSearch(needle).forEachMatch(in: rope) { match, _ in plain.append(match) }
            try TextSearch(needle, ignoringCase: true).forEachMatch(in: rope) { match, _ in folded.append(match) }
            #expect(plain == folded && !plain.isEmpty)
        }
    }

    @Test func expressionsMatchLinesGroupsAndLongStretches() throws {
        let text: Rope = "key = value\nother=\r\n日本 = 語\nlast line"
        let search = try TextSearch("^(\\w+) *= *(\\w*)$", syntax: .regularExpression)
        var found: [[String?]] = []
        try search.forEachMatch(in: text) { match, _ in
            found.append(match.groups.map { $0.map { text.string(in: $0) } })
        }
        #expect(found == [["key", "value"], ["other", ""], ["日本", "語"]])
        #expect(try matches(TextSearch("e$", syntax: .regularExpression), in: text) == ["e", "e"])
        #expect(try matches(TextSearch("LAST", syntax: .regularExpression, ignoringCase: true), in: text) == ["last"])
        #expect(try matches(TextSearch("x*", syntax: .regularExpression), in: "ax😀") == ["", "x", "", ""])
    }

    @Test func expressionsSeeBeyondTheirWindow() throws {
        let filler = String(repeating: "0123456789abcde\n", count: 20_000)
        let text = Rope("start\n" + filler + "end\n" + filler)
        let search = try TextSearch("start[\\s\\S]*?end", syntax: .regularExpression)
        #expect(try search.firstMatch(in: text)?.range == 0..<(6 + 320_000 + 3))
        #expect(try matches(TextSearch("(?<=e\\n)end", syntax: .regularExpression), in: text) == ["end"])
        var count = 0
        try TextSearch("^0\\d+a.*$", syntax: .regularExpression).forEachMatch(in: text) { _, _ in count += 1 }
        #expect(count == 40_000)
        let backwards = try TextSearch("end", syntax: .regularExpression)
        #expect(try backwards.lastMatch(in: text, before: text.byteRange.upperBound)?.range.lowerBound == 320_006)
    }

    @Test func whatIsNotUnderstoodIsSaidSo() {
        let error = #expect(throws: TextSearchError.self) { try TextSearch("a(b", syntax: .regularExpression) }
        #expect(error?.description.contains("“a(b” is no regular expression") == true)
        #expect(throws: TextSearchError.emptyPattern) { try TextSearch("") }
    }

    @Test func aSearchCanBeCancelled() throws {
        let text = Rope(String(repeating: "x", count: 20_000_000))
        for search in [
            try TextSearch("y"), try TextSearch("Y", ignoringCase: true),
            try TextSearch("y", syntax: .regularExpression),
        ] {
            var asked = 0
            let match = try search.firstMatch(in: text) {
                asked += 1
                return asked == 3
            }
            #expect(match == nil && asked == 3)
        }
    }

    /// INT 70.
    @Test func replaceAllIsOneStepAndFillsInGroups() throws {
        let store = TextStore("a1 b2 c3")
        let search = try TextSearch("(\\w)(\\d)", syntax: .regularExpression)
        #expect(try store.replaceAll(search, with: "$2$1\\$") == 3)
        #expect(store.text == "1a$ 2b$ 3c$")
        #expect(try store.replaceAll(TextSearch("$"), with: "$0") == 3)
        #expect(store.text == "1a$0 2b$0 3c$0")
        store.undo()
        store.undo()
        #expect(store.text == "a1 b2 c3" && !store.canUndo)
        #expect(try store.replaceAll(TextSearch("zz"), with: "y") == 0 && !store.canUndo)
    }
}
