import InkstoneBase
import InkstoneEditing
import InkstoneText
import Testing

/// Transactions applied after other edits: their effects other than text.
@Suite(.timeLimit(.minutes(5))) struct LateEffectTests {
    private let start = UTF16Offset(0)..<UTF16Offset(0)

    /// Another edit has deleted the text already: the transaction's selection, effects and end of composition still
    /// apply.
    @Test func aDeletionThatOthersHaveMadeStillDoesTheRest() throws {
        let scene = EditingScene("ab[cd|]e")
        var transaction = try #require(scene.state.deletingBackward())
        transaction.selection = .set(Selection(caret: 1))
        transaction.composition = .set(nil)
        transaction.effects = [StateEffect.mark(1), StateEffect.overwriting(true)]
        scene.make(scene.state.beginningComposition())
        scene.store.replace(UTF16Offset(2)..<UTF16Offset(4), with: "")
        scene.store.replace(start, with: "12")
        scene.store.make(transaction) { scene.state.adopt($0) }
        #expect(scene.notation == "12a|be" && scene.state.mark == 3 && scene.state.isOverwriting)
        #expect(scene.state.composition == nil)
    }

    /// A position within the inserted text stays within it.
    @Test(arguments: [(mark: 3, after: 5), (4, 6), (5, 7), (6, 8), (2, 4), (7, 10)])
    func anEffectKeepsItsPlaceInWhatIsInserted(test: (mark: Int, after: Int)) throws {
        let scene = EditingScene("abc|def")
        var transaction = try #require(scene.state.inserting("xyz"))
        transaction.effects = [StateEffect.mark(UTF16Offset(test.mark))]
        // Edits before the range, and right after the position.
        scene.store.replace(start, with: "12")
        scene.store.replace(UTF16Offset(6)..<UTF16Offset(6), with: "-")
        scene.store.make(transaction) { scene.state.adopt($0) }
        #expect(scene.store.text == "12abcxyzd-ef" && scene.state.mark?.value == test.after)
    }

    @Test func anEditThatATransactionHasWaitKeepsItsPlace() throws {
        let scene = EditingScene("ab|")
        var transaction = try #require(scene.state.inserting("xyz"))
        let edit = DeferredEdit(replacing: [3..<4, 0..<1], with: nil, origin: .paste)
        transaction.effects = [StateEffect.deferring(edit)]
        scene.store.replace(start, with: "12")
        scene.store.make(transaction) { scene.state.adopt($0) }
        var waiting = try #require(scene.state.deferredEdit(edit.id))
        waiting.content = CopiedText("_")
        scene.make(scene.state.paste(waiting))
        #expect(scene.state.string(in: scene.state.textRange) == "_12bx_z")
    }
}
