import InkstoneBase
import InkstoneEditing
import InkstoneInput
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
}
