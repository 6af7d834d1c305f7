import InkstoneBase
import InkstoneEditing
import InkstoneText
import Testing

/// Text copied from the program, and pasted into a text with other line ends.
@Suite(.timeLimit(.minutes(5))) struct OutgoingTextTests {
    @Test(arguments: [
        ("a\r\nb\r\n", "a\nb\n"), ("a\rb", "a\nb"), ("a\r\r\nb", "a\n\nb"), ("a\nb", "a\nb"), ("\r", "\n"), ("", ""),
    ])
    func lineEndsThatLeaveAreLineFeeds(_ text: String, _ wanted: String) {
        let copied = CopiedText(text)
        #expect(Array(copied.outgoing.text.utf8) == Array(wanted.utf8))
        var state = EditorState(StyledText(Rope("x")))
        state.adopt(state.changing(.newline("\r\n")))
        let returned = state.admitting(copied.outgoing).text
        #expect(
            Array(returned.utf8)
                == Array(wanted.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
        )
    }

    /// Line ends in a long text, some of which are split between leaves of the rope.
    @Test func lineEndsOfALongTextAreConverted() {
        let line = "0123456789abcdef\r\nx\ry\n"
        let copied = CopiedText(String(repeating: line, count: 5000))
        #expect(copied.outgoing.text == String(repeating: "0123456789abcdef\nx\ny\n", count: 5000))
        #expect(copied.outgoing.content.rope.checkInvariants().isEmpty)
    }

    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "weight of outgoing text"
    }

    /// Bytes that are not valid UTF-8, and the attributes of the text around them.
    @Test func invalidBytesThatLeaveAreReplaced() {
        let bytes = [UInt8]((0..<5000).flatMap { [0xe2, 0x82, 0xff, 0x61] + ($0 % 3 == 0 ? [0xed, 0xa0, 0x80] : []) })
        var runs = AttributeRuns(length: 2, TextAttributes())
        let rope = Rope(bytes: bytes)
        runs.append(AttributeRuns(length: rope.metrics.utf16 - 2, TextAttributes(Weight.self, 7)))
        let outgoing = CopiedText(StyledText(rope, runs: runs)).outgoing.content
        #expect(outgoing.rope == Rope(String(decoding: bytes, as: UTF8.self)))
        #expect(outgoing.rope.checkInvariants().isEmpty && outgoing.runs == runs)
    }

    @Test(arguments: [
        ("", ""), ("ab", "ab"), ("ab\n", "ab\n"), ("a\r\nb\rc\nd", "a\r\nb"), ("1234567890", "12345678"),
        (String(repeating: "e\u{301}", count: 1 << 16), String(repeating: "e\u{301}", count: 8)),
    ])
    func aPictureShowsTheFirstLines(_ text: String, _ wanted: String) {
        let shown = CopiedText(text).beginning(lines: 2, characters: 8)
        #expect(shown.hasSameScalars(as: wanted), "\(shown.debugDescription)")
    }
}
