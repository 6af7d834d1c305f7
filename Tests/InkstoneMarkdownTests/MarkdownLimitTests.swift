import InkstoneMarkdown
import InkstoneText
import Testing

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
}
