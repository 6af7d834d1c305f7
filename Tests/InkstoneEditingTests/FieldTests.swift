import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// A field of one's own drawing edits as a view does.
@Suite(.timeLimit(.minutes(5))) struct FieldTests {
    @Test func anAnchorCoversWhatReplacedItAlsoWhereAnObserverEdits() {
        let field = EditableText("one two")
        let observation = field.store.observeTransactions {
            if $0.origin == .inputMethod { field.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "* ") }
        }
        let anchor = field.makeAnchor(UTF16Range(location: 4, length: 3))
        field.replace(at: anchor, with: "zwei")
        #expect(field.string == "* one zwei" && anchor.range == UTF16Range(location: 6, length: 4))
        withExtendedLifetime(observation) {}
    }

    /// The owner of a field hears of Return and Tab, whether the field draws itself or is a view.
    @Test(arguments: [
        EditCommand.insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor,
        .insertTab,
    ])
    func aSingleLineLeavesNewLinesAndTabsToItsOwner(command: EditCommand) {
        let field = ReferenceTextView("ab", isSingleLine: true)
        #expect(!field.doCommand(by: command))
        #expect(field.content.string == "ab")
        let page = ReferenceTextView("ab", isSingleLine: false)
        #expect(page.doCommand(by: command) && page.content.string != "ab")
    }

    /// A maximum length is counted when it is set and around each edit, so that no key counts all the text.
    @Test func aFieldKnowsItsLengthWhateverEditsIt() {
        let field = EditableText("ab")
        #expect(field.state.knownLength == nil)
        field.maximumLength = 5
        #expect(field.state.knownLength == 2)
        field.insert("e\u{301}x")
        #expect(field.string == "abe\u{301}x" && field.state.knownLength == 4)
        field.store.replace(UTF16Offset(0)..<UTF16Offset(2), with: "")
        #expect(field.state.knownLength == 2)
        field.insert("12345")
        #expect(field.string == "e\u{301}x123" && field.state.knownLength == 5)
        field.maximumLength = nil
        #expect(field.state.knownLength == nil)
    }
}
