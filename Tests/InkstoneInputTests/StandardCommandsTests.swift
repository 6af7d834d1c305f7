import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// The commands of a view that implements a `TextInput` and leaves its commands to the library.
@Suite(.timeLimit(.minutes(5))) struct StandardCommandsTests {
    /// Returns the text after a command, with a caret or a selection at a range of UTF-16 offsets.
    private func text(_ command: EditCommand, at range: Range<Int>, of text: String = "a日本b") -> String? {
        let view = ReferenceTextView(text)
        let start = view.position(from: view.beginningOfDocument, offset: range.lowerBound)
        let end = view.position(from: view.beginningOfDocument, offset: range.upperBound)
        guard let start, let end else { return nil }
        view.selectedTextRange = view.textRange(from: start, to: end)
        return StandardCommands.perform(command, on: view) ? view.string : nil
    }

    @Test func deleteTakesTheSelectionOrElseTheClusterAfterTheCaret() {
        #expect(text(.delete, at: 1..<3) == "ab")
        #expect(text(.delete, at: 1..<1) == "a本b")
        #expect(text(.delete, at: 0..<0, of: "e\u{301}x") == "x")
        #expect(text(.delete, at: 4..<4) == "a日本b", "nothing follows")
    }
}
