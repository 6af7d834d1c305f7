import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Sources that mean far more than they say.
@Suite(.timeLimit(.minutes(5))) struct MarkdownLimitTests {
    /// Each piece of a link's text has its destination, which is compared and looked up with it.
    @Test func aLongDestinationIsNotRepeatedForThousandsOfPieces() throws {
        let pieces = String(repeating: "*a* b ", count: 20_000)
        let address = String(repeating: "a", count: 200_000)
        #expect(throws: MarkdownError.tooLarge) { try MarkdownDocument("[\(pieces)](\(address))") }
        #expect(throws: MarkdownError.tooLarge) { try MarkdownDocument("![\(pieces)](\(address))") }
        let link = "[*a* **b** `c` d](http://example.org/\(String(repeating: "x", count: 300)))\n\n"
        let document = try MarkdownDocument(String(repeating: link, count: 500))
        #expect(document.text.rope.paragraphCount == 500)
    }

    /// The comparison of blocks takes quadratic time, so it has a limit: a longer stretch counts as different.
    @Test func onlyShortStretchesOfBlocksAreCompared() throws {
        func blocks(_ words: [String]) throws -> [MarkdownBlock] {
            try #require(MarkdownReader.read(words.joined(separator: "\n\n").utf8)).map(\.block)
        }
        // The stretch begins and ends with a block that differs.
        func differing(of count: Int) throws -> [Int] {
            let words = (0..<count - 2).map { "\($0)" }
            let (new, read) = (["a", "b"] + words + ["end"], ["c"] + words + ["other", "end"])
            return MarkdownDocument.differing(try blocks(["same"] + new), from: try blocks(["same"] + read + ["end"]))
        }
        #expect(try differing(of: 1022) == [1, 2])
        #expect(try differing(of: 1025) == Array(1...1025))
    }
}
