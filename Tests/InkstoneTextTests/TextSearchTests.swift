import InkstoneBase
import InkstoneTesting
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct TextSearchTests {
    private func matches(_ search: TextSearch, in text: Rope) throws -> [String] {
        var found: [String] = []
        try search.forEachMatch(in: text) { match, _ in found.append(text.string(in: match.range)) }
        return found
    }

    /// Returns all non-overlapping occurrences, by plain comparison.
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

    /// The expression for whole words around the pattern must not become a part of its comment or quotation.
    @Test(arguments: ["(?x) ink # all of it", #"\Qink"#, "ink", "(?x) ink # all \n", "pen|ink", "(?i)INK"])
    func expressionsFindWholeWordsWhateverTheyEndWith(_ pattern: String) throws {
        try expectWholeWords(TextSearch(pattern, syntax: .regularExpression, matchingWholeWords: true))
    }

    @Test(arguments: [false, true]) func literalsFindWholeWords(ignoringCase: Bool) throws {
        try expectWholeWords(
            TextSearch(ignoringCase ? "INK" : "ink", ignoringCase: ignoringCase, matchingWholeWords: true))
        // A punctuation mark begins no word.
        let sign = try TextSearch("-x", ignoringCase: ignoringCase, matchingWholeWords: true)
        #expect(try places(sign, in: "a-x a-xy -x") == [1, 9])
    }

    /// Expects that exactly the “ink” that is a whole word is found.
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
        // Search for parts of the text itself, also long ones.
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

    /// The next byte is not the start of the next character if a character has several bytes.
    @Test(arguments: ["a", "é", "кот", "日本", "😀"])
    func theMatchAtAnOffsetMayBeginWithAnyCharacter(_ word: String) throws {
        let text = Rope("\(word) abc \(word)")
        for at in [0, text.metrics.bytes - word.utf8.count] {
            for syntax in [TextSearch.Syntax.literal, .regularExpression] {
                let found = try TextSearch(word, syntax: syntax).match(at: ByteOffset(at), in: text)
                #expect(found?.range == ByteOffset(at)..<ByteOffset(at + word.utf8.count))
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
        #expect(try matches(TextSearch("strasse", ignoringCase: true), in: text) == ["Straße", "STRASSE"])
        #expect(try matches(TextSearch("k", ignoringCase: true), in: text) == ["K"])
        #expect(try matches(TextSearch("aab", ignoringCase: true), in: "aAaABaab") == ["aAB", "aab"])
    }

    struct Folding: CustomTestStringConvertible {
        var pattern: String
        var text: String
        var found: [String]
        var testDescription: String { "\(pattern) in \(text)" }
    }

    /// Without regard to case, canonically equivalent characters match too, and only whole characters match.
    @Test(arguments: [
        Folding(
            pattern: "caf\u{e9}", text: "caf\u{e9} cafe\u{301} CAFE\u{301} cafe",
            found: ["caf\u{e9}", "cafe\u{301}", "CAFE\u{301}"]),
        Folding(pattern: "cafe\u{301}", text: "CAF\u{c9}, cafe\u{301}s", found: ["CAF\u{c9}", "cafe\u{301}"]),
        Folding(pattern: "cafe", text: "cafe\u{301} caf\u{e9} Cafe", found: ["Cafe"]),
        Folding(pattern: "e", text: "\u{e9}e\u{301}e", found: ["e"]),
        Folding(
            pattern: "stra\u{df}e", text: "Strasse STRASSE STRA\u{1e9e}E Stra\u{df}e",
            found: ["Strasse", "STRASSE", "STRA\u{1e9e}E", "Stra\u{df}e"]),
        Folding(pattern: "as", text: "a\u{df} aSs", found: ["aS"]),
        Folding(pattern: "sa", text: "\u{df}a ssa", found: ["sa"]),
        Folding(pattern: "sss", text: "s\u{df} \u{df}s \u{df}\u{df}", found: ["s\u{df}", "\u{df}s"]),
        Folding(pattern: "office", text: "o\u{fb03}ce O\u{fb00}ice", found: ["o\u{fb03}ce", "O\u{fb00}ice"]),
        // Marks of different classes match in either order, those of one class only in the same order.
        Folding(
            pattern: "q\u{307}\u{323}", text: "q\u{323}\u{307} Q\u{307}\u{323} q\u{307} q\u{323}\u{307}\u{323}",
            found: ["q\u{323}\u{307}", "Q\u{307}\u{323}"]),
        Folding(
            pattern: "\u{ac00}", text: "\u{ac00}\u{1100}\u{1161}\u{ac01}\u{1100}\u{1161}\u{11a8}",
            found: ["\u{ac00}", "\u{1100}\u{1161}"]),
        Folding(pattern: "\u{1f469}", text: "\u{1f469}\u{200d}\u{1f467}\u{1f469}", found: ["\u{1f469}"]),
        Folding(pattern: "\u{1f1ea}\u{1f1eb}", text: "\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", found: []),
        Folding(pattern: "i", text: "\u{130}\u{131}I", found: ["I"]),
        Folding(pattern: "\u{3c3}", text: "\u{3a3}\u{3c2}", found: ["\u{3a3}", "\u{3c2}"]),
        Folding(
            pattern: "\u{8c48}b", text: "x\u{8c48}B \u{f900}b \u{e9}b \u{4e0d}b",
            found: ["\u{8c48}B", "\u{f900}b"]),
        // Ideographs with a canonical equivalent outside of the BMP.
        Folding(pattern: "\u{4e3d}", text: "\u{2f800}\u{4e3d}", found: ["\u{2f800}", "\u{4e3d}"]),
        Folding(pattern: "\u{301}", text: "e\u{301}", found: ["\u{301}"]),
        Folding(pattern: "\n", text: "a\r\nb", found: ["\n"]),
    ])
    func charactersAreTheSameHoweverTheyAreComposed(_ c: Folding) throws {
        let found = try matches(TextSearch(c.pattern, ignoringCase: true), in: Rope(c.text))
        #expect(found.map { Array($0.unicodeScalars) } == c.found.map { Array($0.unicodeScalars) })
    }

    /// Compared with a search that compares whole case-folded clusters; also across leaves.
    @Test(arguments: [UInt64(21), 22, 23])
    func composedCharactersAreFoundWhereverLeavesMeet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "e", "E", "\u{e9}", "e\u{301}", "\u{1ebf}", "e\u{302}\u{301}", "s", "S", "\u{df}", "\u{17f}", "f", "i",
            "\u{fb01}",
            "q\u{323}\u{307}", "q\u{307}\u{323}", "\u{ac01}", "\u{1100}\u{1161}\u{11a8}", " ", "\u{65e5}", "x",
            "\u{1f600}",
        ]
        let characters = (0..<9000).compactMap { _ in pieces.randomElement(using: &random) }
        let text = Rope(characters.joined())
        func folded(_ text: String) -> [UInt32] {
            let scalars = text.unicodeScalars.flatMap { scalar in
                let folding = CanonicalFolding(scalar.value)
                return (0..<folding.count).map { folding[$0] }
            }
            // Canonical ordering: marks are sorted by class.
            func order(_ scalar: UInt32) -> UInt8 {
                Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
            }
            var runs: [[UInt32]] = []
            for scalar in scalars {
                if order(scalar) == 0 || runs.isEmpty { runs.append([]) }
                runs[runs.count - 1].append(scalar)
            }
            return runs.flatMap { run in
                run.enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }.map(
                    \.element)
            }
        }
        var starts = [0]
        for character in characters { starts.append((starts.last ?? 0) + character.utf8.count) }
        for needle in [
            "e", "\u{e9}", "ss", "\u{df}e", "fi", "e\u{301}S", "\u{ac01}", "q\u{307}\u{323}", "SE\u{301}", "\u{1ec7}",
        ] {
            let wanted = folded(needle)
            var expected: [Range<Int>] = []
            var index = 0
            while index < characters.count {
                var end = index
                var so: [UInt32] = []
                while end < characters.count, so.count < wanted.count {
                    so += folded(characters[end])
                    end += 1
                }
                if so == wanted {
                    expected.append(starts[index]..<starts[end])
                    index = end
                } else {
                    index += 1
                }
            }
            var found: [Range<Int>] = []
            try TextSearch(needle, ignoringCase: true).forEachMatch(in: text) { match, _ in
                found.append(match.range.lowerBound.value..<match.range.upperBound.value)
            }
            #expect(found == expected, "\(needle)")
        }
    }

    @Test func charactersThatFoldToASCIIAreKnown() {
        let found = (0x80...0x10ffff).compactMap { Unicode.Scalar(UInt32($0)) }.filter { scalar in
            let folding = CanonicalFolding(scalar.value)
            return (0..<folding.count).allSatisfy { folding[$0] < 0x80 }
        }
        #expect(found == FoldedSearch.foldedToASCII.sorted())
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

    /// An empty match at the place where the search begins ends there as any other.
    @Test func theLastMatchMayBeEmptyAndAtTheEnd() throws {
        let text: Rope = "one\ntwo\n"
        let end = text.byteRange.upperBound
        func last(_ pattern: String, before end: ByteOffset) throws -> Range<ByteOffset>? {
            try TextSearch(pattern, syntax: .regularExpression).lastMatch(in: text, before: end)?.range
        }
        #expect(try last("x*", before: end) == end..<end)
        #expect(try last("$", before: end) == end..<end)
        #expect(try last("$", before: 3) == 3..<3)
        #expect(try last("^$", before: 0) == nil)
        #expect(try TextSearch("$", syntax: .regularExpression).lastMatch(in: Rope(), before: 0)?.range == 0..<0)
        // The pieces before the last one still end where that begins.
        let long = Rope("x" + String(repeating: "\n", count: 200_000) + "y")
        let search = try TextSearch("x|y", syntax: .regularExpression)
        let found = try search.lastMatch(in: long, before: ByteOffset(200_000))
        #expect(found?.range == 0..<1)
    }

    @Test func replacingByAnExpressionKeepsBytesThatAreNoText() throws {
        let bytes = Array("abc".utf8) + [0xff, 0xc3] + Array(" def\nx".utf8) + [0xfe] + Array(" def".utf8)
        let store = TextStore(bytes.withUnsafeBytes { Rope(bytes: $0) })
        let search = try TextSearch("(.*) def", syntax: .regularExpression)
        #expect(try store.replaceAll(search, with: "[$1|$0]") == 2)
        let expected =
            Array("[abc".utf8) + [0xff, 0xc3] + Array("|abc".utf8) + [0xff, 0xc3] + Array(" def]\n[x".utf8) + [0xfe]
            + Array("|x".utf8) + [0xfe] + Array(" def]".utf8)
        #expect(store.text.bytes(in: store.text.byteRange) == expected)
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

    /// Larger than any piece that a search reads at once.
    private static let beyond = 5 << 20

    /// Only the end of the text matches these; replacing there changes nothing in the middle.
    @Test(arguments: [#"\s+\z"#, #"\s*\Z"#, #"\z"#, #"(?-m:$)"#, #"(?=\z)"#, #"\n(?![\s\S])"#])
    func theEndOfAnExpressionIsThatOfTheText(_ pattern: String) throws {
        let line = "some words of a line\n"
        let text = LargeText.repeating(line, bytes: Self.beyond)
        let search = try TextSearch(pattern, syntax: .regularExpression)
        let last = text.byteRange.upperBound - line.utf8.count
        let starts = try places(search, in: text)
        #expect(starts.allSatisfy { $0 > last.value } && !starts.isEmpty && starts.count <= 2, "\(starts.prefix(4))")
    }

    @Test(arguments: [".+", "[\\s\\S]+", "(?s).*x", "\"[^\"]*\""]) func longMatchesAreFoundWhole(
        _ pattern: String
    ) throws {
        let units = [UInt8](repeating: UInt8(ascii: "x"), count: Self.beyond)
        let text = Rope(bytes: [0x22] + units + [0x22] + Array("\n".utf8) + Array("end".utf8))
        let search = try TextSearch(pattern, syntax: .regularExpression)
        let match = try #require(try search.firstMatch(in: text))
        #expect(match.range.lowerBound == 0 && match.range.upperBound.value >= Self.beyond)
        let all = try places(search, in: text)
        #expect(all.count <= 2 && all.allSatisfy { $0 == 0 || $0 > Self.beyond })
    }

    /// A match may depend on text far from it.
    @Test func lookaroundReachesAsFarAsTheExpressionAllows() throws {
        let far = String(repeating: "x", count: 100_000)
        let text = Rope("a" + far + "b\na" + far + "c\n")
        #expect(try places(TextSearch("a(?=x*c)", syntax: .regularExpression), in: text) == [100_003])
        #expect(try places(TextSearch("a(?!x*c)", syntax: .regularExpression), in: text) == [0])
        let search = try TextSearch("(?<=^a.{0,200000})[bc]", syntax: .regularExpression)
        #expect(try places(search, in: text) == [100_001, 200_004])
        // Also far before the offset at which the search begins.
        #expect(try search.firstMatch(in: text, from: 150_000)?.range.lowerBound == 200_004)
        #expect(try TextSearch(#"\A[ac]"#, syntax: .regularExpression).firstMatch(in: text, from: 1) == nil)
    }

    /// The end of a range does not match as the end of the text, and no match crosses it.
    @Test func theEndOfARangeIsNoEndOfTheText() throws {
        let text: Rope = "one two\nthree"
        func found(_ pattern: String) throws -> [String] {
            var found: [String] = []
            try TextSearch(pattern, syntax: .regularExpression).forEachMatch(in: text, 0..<5) { match, _ in
                found.append(text.string(in: match.range))
            }
            return found
        }
        #expect(try found(#"\w\z"#) == [] && found("t$") == [])
        #expect(try found(#"t(?=wo)"#) == ["t"] && found(#"\w+"#) == ["one", "t"])
    }

    /// Characters outside of the BMP and invalid bytes are at each offset where a piece may end.
    @Test(arguments: 0..<4) func piecesOfTheTextCutNothing(_ shift: Int) throws {
        let unit = Array("😀".utf8) + [0xff] + Array("é".utf8)
        let bytes = [UInt8](repeating: 0x61, count: shift) + (0..<60_000).flatMap { _ in unit }
        let text = Rope(bytes: bytes)
        var count = 0
        try TextSearch("\u{1f600}.é", syntax: .regularExpression).forEachMatch(in: text) { match, _ in
            #expect(
                match.range == ByteOffset(shift + count * unit.count)..<ByteOffset(shift + (count + 1) * unit.count))
            count += 1
        }
        #expect(count == 60_000)
        let all = try TextSearch("(?:\u{1f600}.é)+", syntax: .regularExpression).firstMatch(in: text)
        #expect(all?.range == ByteOffset(shift)..<text.byteRange.upperBound)
        #expect(try places(TextSearch("[\\ud800-\\udfff]", syntax: .regularExpression), in: text) == [])
        let back = try TextSearch("(\u{1f600}.é)\\1(?!.)", syntax: .regularExpression, ignoringCase: true)
        #expect(try places(back, in: text) == [bytes.count - 2 * unit.count])
    }

    @Test func anInvalidExpressionIsReported() {
        let error = #expect(throws: TextSearchError.self) { try TextSearch("a(b", syntax: .regularExpression) }
        #expect(error?.description.contains("“a(b” is not a regular expression") == true)
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

    /// Covers INT 70 of the checklist for interaction.
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

    struct LineEnds: Sendable {
        var text = "a\r\nb\r\n"
        var pattern: String
        var template: String
        var newline = "\r\n"
        var result: String
    }

    /// In an expression, `\n` matches only the LF of a CR LF.
    @Test(arguments: [
        LineEnds(pattern: #"\n"#, template: #"\n"#, result: "a\r\nb\r\n"),
        LineEnds(pattern: #"\n"#, template: #"\n\n"#, result: "a\r\n\r\nb\r\n\r\n"),
        LineEnds(pattern: #"\n(\w)"#, template: #"\n$1"#, result: "a\r\nb\r\n"),
        LineEnds(pattern: #"\r?\n"#, template: #"\n\n"#, result: "a\r\n\r\nb\r\n\r\n"),
        LineEnds(pattern: "b", template: #"\nb"#, result: "a\r\n\r\nb\r\n"),
        LineEnds(pattern: #"\n"#, template: #"\n\n"#, newline: "\n", result: "a\r\n\nb\r\n\n"),
        LineEnds(text: "a\rb\n", pattern: "b", template: #"\nb"#, newline: "\n", result: "a\r\r\nb\n"),
        LineEnds(text: "a\rb\n", pattern: "(b)", template: #"\n$1"#, newline: "\n", result: "a\r\r\nb\n"),
        LineEnds(text: "a,,b", pattern: ",", template: #"\n"#, result: "a\r\n\r\nb"),
    ]) func replacementsKeepLineEndsApart(_ c: LineEnds) throws {
        let search = try TextSearch(c.pattern, syntax: .regularExpression)
        let text = Rope(c.text)
        let found = try search.replacingAll(
            in: text, ranges: [text.byteRange], with: search.template(c.template, newline: c.newline),
            isCancelled: { false })
        var result = text
        result.apply(try #require(found).changes)
        #expect(Array(result.description.utf8) == Array(c.result.utf8), "\(result.description.debugDescription)")
    }
}
