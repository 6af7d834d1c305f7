import Inkstone
import Testing

@testable import inkstone_editor

/// How much text there is, and line ends made others.
@Suite(.timeLimit(.minutes(5))) struct WordCountTests {
    private func count(_ string: String) -> WordCount {
        let text = Rope(string)
        return WordCount(of: text, in: text.byteRange)
    }

    @Test func wordsCharactersAndLinesAreCounted() {
        #expect(count("One, two – 3.5!\nIt's four.\n").description == "5 words, 27 characters, 3 lines")
        #expect(count("").description == "0 words, 0 characters, 1 line")
        // A family of emoji and a letter with its mark are a character each; Japanese has words without spaces.
        #expect(count("👨‍👩‍👧e\u{301}").characters == 2)
        #expect(count("日本語を勉強する").words >= 3)
    }

    @Test func piecesCutNothingInTwo() {
        let words = 40_000
        #expect(count(String(repeating: "e\u{301}clair ", count: words)).words == words, "one long line")
        let lines = count(String(repeating: "some words\r\n", count: words))
        #expect(lines.words == 2 * words && lines.characters == 11 * words && lines.lines == words + 1)
        let text = Rope("one two three")
        #expect(WordCount(of: text, in: ByteOffset(4)..<ByteOffset(7)).words == 1)
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
