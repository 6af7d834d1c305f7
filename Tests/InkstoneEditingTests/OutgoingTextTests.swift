import InkstoneBase
import InkstoneEditing
import InkstoneText
import Testing

/// Text that leaves the program, and that comes back into a text with other line ends.
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
}
