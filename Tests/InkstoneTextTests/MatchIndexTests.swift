import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// An index that searches a text in parts, in any order and after any edits, finds the same as one search from the
/// start.
@Suite(.timeLimit(.minutes(5))) struct MatchIndexTests {
    /// Words, letters whose case folding has another length, marks, line ends and surrogate pairs.
    private static let pieces = [
        "a", "aa", "A", "ab", "word", "Word ", "-x", " ", "\n", "\r\n", "\r", "é", "e\u{301}", "ß", "SS", "ss", "ẞ",
        "i",
        "I", "İ", "ı", "k", "\u{212a}", "日本", "𝒳", "😀", "_", "9",
    ]

    private static func text(_ random: inout SeededGenerator, _ count: Int) -> String {
        (0..<count).reduce(into: "") { text, _ in text += pieces[random.below(pieces.count)] }
    }

    private static let searches: [TextSearch] = {
        func make(_ pattern: String, _ ignoring: Bool, _ words: Bool, _ syntax: TextSearch.Syntax = .literal)
            -> TextSearch?
        {
            try? TextSearch(pattern, syntax: syntax, ignoringCase: ignoring, matchingWholeWords: words)
        }
        return [
            make("a", false, false), make("aa", false, false), make("aa", true, false), make("a", true, true),
            make("-x", false, true), make("\n", false, false), make("\r\n", false, false),
            make("e\u{301}", false, false),
            make("é", true, false), make("ß", true, false), make("ss", true, false), make("i", true, false),
            make("k", true, true), make("𝒳", false, false), make("a a", false, true), make("nowhere", true, false),
            make("^a+", false, false, .regularExpression), make("\\w+", false, false, .regularExpression),
            make("a$", true, false, .regularExpression), make("x*", false, false, .regularExpression),
            make("a", false, true, .regularExpression), make("(?<=a)a", false, false, .regularExpression),
            make("[\\s\\S]{3}", false, false, .regularExpression),
        ].compactMap { $0 }
    }()

    private func all(_ search: TextSearch, in text: Rope) throws -> [Range<ByteOffset>] {
        var found: [Range<ByteOffset>] = []
        try TextMatcher(search).forEachMatch(in: text, text.byteRange) { match, _ in found.append(match.range) }
        return found
    }

    private func complete(_ index: inout MatchIndex, _ text: Rope, _ matcher: TextMatcher) throws {
        while try index.advance(in: text, matcher, isCancelled: { false }) {}
    }

    /// Compares all queries of a complete index.
    private func check(
        _ index: MatchIndex, _ text: Rope, _ matcher: TextMatcher, _ random: inout SeededGenerator, _ name: String
    ) throws {
        let expected = try all(matcher.search, in: text)
        #expect(index.isComplete && index.count == expected.count, "\(name): \(index.count) ≠ \(expected.count)")
        #expect(index.parts.reduce(0) { $0 + $1.length } == text.metrics.bytes, "\(name)")
        var start = 0
        var found: [Int] = []
        for (number, part) in index.parts.enumerated() {
            let isLast = number == index.parts.count - 1
            var count = 0
            try matcher.forEachMatch(
                in: text, ByteOffset(start)..<text.byteRange.upperBound,
                startingBefore: isLast ? nil : ByteOffset(start + part.length)
            ) { match, _ in
                found.append(match.range.lowerBound.value)
                count += 1
            }
            #expect(count == part.count, "\(name): part \(number) of \(index.parts.count)")
            start += part.length
        }
        #expect(found == expected.map(\.lowerBound.value), "\(name)")
        for _ in 0..<3 where !expected.isEmpty {
            let number = random.below(expected.count)
            let place = expected[number]
            #expect(try index.count(before: place.lowerBound, in: text, matcher) == number, "\(name)")
            #expect(
                try index.first(from: place.lowerBound, in: text, matcher, isCancelled: { false })?.range == place,
                "\(name)")
            if !place.isEmpty {
                #expect(
                    try index.last(before: place.upperBound, in: text, matcher, isCancelled: { false })?.range == place,
                    "\(name)")
            }
            let near = try index.matches(
                in: place.lowerBound..<min(text.byteRange.upperBound, place.lowerBound + 100), of: text, matcher,
                limit: 1000,
                isCancelled: { false })
            #expect(near.contains(place), "\(name)")
        }
    }

    /// A naive search through whole strings, scalar by scalar.
    @Test(arguments: [UInt64(1), 2, 3])
    func searchesAgreeWithANaiveOne(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let string = Self.text(&random, 30 + random.below(60))
            let scalars = Array(string.unicodeScalars)
            let text = Rope(string)
            for search in Self.searches where search.syntax == .literal {
                func fold(_ scalar: Unicode.Scalar) -> [UInt32] {
                    guard search.ignoresCase else { return [scalar.value] }
                    // The letters of this test that differ by case, or are composed of others; ı has no case
                    // variant here.
                    switch scalar.value {
                    case 0x41...0x5a: return [scalar.value + 32]
                    case 0x212a: return [0x6b]
                    case 0xdf, 0x1e9e: return [0x73, 0x73]
                    case 0xe9: return [0x65, 0x301]
                    case 0x130: return [0x69, 0x307]
                    default: return [scalar.value]
                    }
                }
                let units = scalars.indices.flatMap { index in
                    fold(scalars[index]).enumerated().map { (value: $0.element, index: index, part: $0.offset) }
                }
                // Without regard to case, only whole characters match.
                func isCut(_ index: Int) -> Bool {
                    search.ignoresCase && scalars.indices.contains(index) && scalars[index] == "\u{301}"
                }
                func isOfWord(_ index: Int) -> Bool {
                    guard scalars.indices.contains(index) else { return false }
                    return scalars[index] != "-" && scalars[index] != "😀" && !scalars[index].properties.isWhitespace
                }
                func isEdge(_ index: Int) -> Bool { !(isOfWord(index - 1) && isOfWord(index)) }
                let needle = search.pattern.unicodeScalars.flatMap(fold)
                var expected: [Int] = []
                var at = 0
                while at + needle.count <= units.count {
                    let end = at + needle.count
                    let isWhole = units[at].part == 0 && (end == units.count || units[end].part == 0)
                    let (first, next) = (units[at].index, units[end - 1].index + 1)
                    if isWhole, (0..<needle.count).allSatisfy({ units[at + $0].value == needle[$0] }),
                        !isCut(first), !isCut(next), !search.matchesWholeWords || isEdge(first) && isEdge(next)
                    {
                        expected.append(first)
                        at = end
                    } else {
                        at += 1
                    }
                }
                let found = try all(search, in: text).map { text.metrics(before: $0.lowerBound).scalars }
                #expect(found == expected, "seed \(seed): \(search) in \(string.debugDescription)")
            }
        }
    }

    @Test(arguments: [UInt64(1), 2])
    func partsFindWhatOneSearchFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text = Rope(Self.text(&random, 600))
        for search in Self.searches {
            let matcher = try TextMatcher(search)
            var index = MatchIndex(length: text.metrics.bytes, partLength: 150)
            try complete(&index, text, matcher)
            #expect(index.parts.count > 5)
            try check(index, text, matcher, &random, "seed \(seed): \(search)")
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func editsLeaveWhatAFreshSearchFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for search in Self.searches {
            var text = Rope(Self.text(&random, 600))
            let matcher = try TextMatcher(search)
            var index = MatchIndex(length: text.metrics.bytes, partLength: 150)
            // Edits also happen while the search is still running.
            for _ in 0..<random.below(4) { _ = try index.advance(in: text, matcher, isCancelled: { false }) }
            for round in 0..<4 {
                for _ in 0..<(1 + random.below(3)) {
                    var builder = TextChangeSet.Builder(over: text)
                    var at = ByteOffset(0)
                    for _ in 0..<(1 + random.below(4)) {
                        let low = text.roundedDown(toScalar: at + random.below(max(1, text.byteRange.upperBound - at)))
                        let length = random.once(in: 4) ? random.below(500) : random.below(6)
                        let high = text.roundedDown(toScalar: min(text.byteRange.upperBound, low + length))
                        guard low >= at, high >= low else { continue }
                        let new = random.once(in: 3) ? "" : Self.text(&random, 1 + random.below(5))
                        if low < high || !new.isEmpty { builder.replace(low..<high, with: new) }
                        at = min(text.byteRange.upperBound, high + 1)
                    }
                    guard !builder.isEmpty else { continue }
                    let changes = builder.finish()
                    index.apply(changes.changeMap, reach: matcher.reach)
                    text.apply(changes)
                }
                if round == 1 {
                    _ = try index.advance(in: text, matcher, isCancelled: { false })
                } else {
                    try complete(&index, text, matcher)
                    try check(index, text, matcher, &random, "seed \(seed): \(search), round \(round)")
                }
            }
        }
    }

    @Test func anEditHasOnlyThePartsAroundItSearchedAgain() throws {
        let text = Rope(String(repeating: "abcdefghijklmno\n", count: 100_000))
        let matcher = try TextMatcher(TextSearch("fgh"))
        var index = MatchIndex(length: text.metrics.bytes)
        try complete(&index, text, matcher)
        #expect(index.count == 100_000)
        let changes = TextChangeSet(replacing: ByteOffset(800_000)..<800_000, with: Rope("fgh"), in: text)
        index.apply(changes.changeMap, reach: matcher.reach)
        #expect(!index.isComplete && index.searchedLength >= text.metrics.bytes - 2 * 65_536)
        var after = text
        after.apply(changes)
        try complete(&index, after, matcher)
        #expect(index.count == 100_001)
    }

    /// The match begins in the part before the edited one, or depends on the text after it.
    @Test func anEditChangesMatchesOfThePartBeforeIt() throws {
        for (pattern, isWord, before, after) in [("abc", false, 0, 1), ("xa", true, 1, 0)] {
            let text = Rope(String(repeating: ".", count: 98) + "xab" + String(repeating: ".", count: 200))
            let matcher = try TextMatcher(TextSearch(pattern, matchingWholeWords: isWord))
            var index = MatchIndex(length: text.metrics.bytes, partLength: isWord ? 101 : 100)
            var changed = text
            if isWord { changed.replace(ByteOffset(100)..<101, with: ".") }
            try complete(&index, changed, matcher)
            #expect(index.count == before)
            let change = TextChangeSet(replacing: ByteOffset(101)..<102, with: Rope("c"), in: changed)
            let joining = TextChangeSet(replacing: ByteOffset(100)..<101, with: Rope("b"), in: changed)
            let changes = isWord ? joining : change
            index.apply(changes.changeMap, reach: matcher.reach)
            changed.apply(changes)
            try complete(&index, changed, matcher)
            #expect(index.count == after, "\(pattern)")
        }
    }

    @Test func templatesAreReadOnce() throws {
        let expression = try TextSearch("(\\w)(\\w)", syntax: .regularExpression)
        func replaced(_ template: String) throws -> String {
            var text: Rope = "ab"
            guard let all = try expression.replacingAll(in: text, with: template) else { return "none" }
            text.apply(all.changes)
            return text.description
        }
        #expect(try replaced("$2$1") == "ba")
        #expect(try replaced("[$0|$&]") == "[ab|ab]")
        #expect(try replaced("$12") == "a2")
        #expect(try replaced("$9$") == "$9$")
        #expect(try replaced("$$1\\$1\\n\\t\\\\\\") == "$1$1\n\t\\\\")
        #expect(try TextSearch("a").replacingAll(in: "a", with: "$0\\n")?.changes.insertedText(0) == "$0\\n")
    }

    /// The search window ends where the text does; an engine without a limit would take hours.
    @Test func aRunawayExpressionIsStoppedAndReported() throws {
        let search = try TextSearch("(a+)+$", syntax: .regularExpression)
        let text = Rope(String(repeating: "a", count: 40) + "b")
        let error = #expect(throws: TextSearchError.self) { try search.firstMatch(in: text) }
        #expect(error == .tooComplex(pattern: "(a+)+$"))
        #expect(error?.description.contains("“(a+)+$” takes too long") == true)
    }
}
