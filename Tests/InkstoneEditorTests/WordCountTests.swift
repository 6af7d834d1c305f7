import Inkstone
import InkstoneFiles
import Testing

@testable import inkstone_editor

/// Counting words, characters and lines, and converting line ends.
@Suite(.timeLimit(.minutes(5))) struct WordCountTests {
    private func count(_ string: String) -> WordCount {
        let text = Rope(string)
        return WordCount(of: text, in: [text.byteRange])
    }

    @Test func wordsCharactersAndLinesAreCounted() {
        #expect(count("One, two – 3.5!\nIt's four.\n").description == "5 words, 27 characters, 2 lines")
        #expect(count("one\r\ntwo\r\n").lines == 2 && count("one\ntwo").lines == 2 && count("\n\n").lines == 2)
        #expect(count("").description == "0 words, 0 characters, 1 line")
        // A family emoji is one character, and so is a letter with a combining mark. Japanese words are found
        // without spaces.
        #expect(count("👨‍👩‍👧e\u{301}").characters == 2)
        #expect(count("日本語を勉強する").words >= 3)
    }

    @Test func piecesCutNothingInTwo() {
        let words = 40_000
        #expect(count(String(repeating: "e\u{301}clair ", count: words)).words == words, "one long line")
        let lines = count(String(repeating: "some words\r\n", count: words))
        #expect(lines.words == 2 * words && lines.characters == 11 * words && lines.lines == words)
        let text = Rope("one two three")
        #expect(WordCount(of: text, in: [ByteOffset(4)..<ByteOffset(7)]).words == 1)
    }

    /// Each undecodable byte counts as one character. The line is long, so it is counted in pieces that end at
    /// certain boundaries.
    @Test func bytesThatAreNoTextAreOneCharacterEach() {
        let word: [UInt8] = [0x63, 0x61, 0x66, 0xe9, 0xe8, 0x73, 0x20]
        let text = Rope(bytes: (0..<40_000).flatMap { _ in word })
        let count = WordCount(of: text, in: [text.byteRange])
        #expect(count.characters == 7 * 40_000)
        #expect(count.words == self.count(String(repeating: "caf\u{fffd}\u{fffd}s ", count: 40_000)).words)
    }

    @Test func severalRangesAreCountedTogether() {
        let text = Rope("one two\nthree four\nfive")
        func count(_ ranges: Range<Int>...) -> String {
            WordCount(of: text, in: ranges.map { ByteOffset($0.lowerBound)..<ByteOffset($0.upperBound) }).description
        }
        #expect(count(0..<3, 8..<13) == "2 words, 8 characters, 2 lines")
        #expect(count(0..<3, 4..<7) == "2 words, 6 characters, 1 line")
        #expect(count(0..<13, 14..<23) == "5 words, 22 characters, 3 lines")
        #expect(count(0..<8) == "2 words, 8 characters, 1 line", "a line with its end")
        #expect(count(0..<8, 8..<19) == "4 words, 19 characters, 2 lines")
    }

    /// The selection ends within a long run of flag emoji, where no boundary between characters is certain without
    /// reading from its start.
    @Test func textAfterTheSelectionIsNotCounted() {
        let text = Rope(String(repeating: "🇫🇷", count: 20_000))
        let count = WordCount(of: text, in: [0..<ByteOffset(8 * 8293)])
        #expect(count.characters == 8293 && count.lines == 1)
    }

    @Test func oneThatIsGivenUpEnds() {
        let text = Rope(String(repeating: "some words\n", count: 40_000))
        var asked = 0
        let count = WordCount(of: text, in: [text.byteRange]) {
            asked += 1
            return asked > 1
        }
        #expect(asked == 2 && (1..<20_000).contains(count.words))
    }

    @Test(arguments: [Newline.lf, .crlf, .cr]) func allLineEndsBecomeThoseOfAKind(_ newline: Newline) throws {
        let mixed = "a\nb\r\nc\rd\n\r\n\u{2028}e"
        let store = TextStore(Rope(mixed))
        let changes = try #require(newline.conversion(of: store.text))
        store.apply(Transaction(on: store, changes))
        let end = newline.rawValue
        let expected = ["a", "b", "c", "d", "", "\u{2028}e"].joined(separator: end)
        #expect(Array(store.text.string(in: store.text.byteRange).utf8) == Array(expected.utf8))
        #expect(newline.conversion(of: store.text) == nil)
        store.undo()
        #expect(Array(store.text.string(in: store.text.byteRange).utf8) == Array(mixed.utf8))
    }
}
