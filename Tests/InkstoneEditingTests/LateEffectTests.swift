import InkstoneBase
import InkstoneEditing
import InkstoneText
import Testing

/// Transactions that others have overtaken: what they do beside their edits.
@Suite(.timeLimit(.minutes(5))) struct LateEffectTests {
    private let start = UTF16Offset(0)..<UTF16Offset(0)

    /// A place within inserted text stays within it.
    @Test(arguments: [(mark: 3, after: 5), (4, 6), (5, 7), (6, 8), (2, 4), (7, 10)])
    func anEffectKeepsItsPlaceInWhatIsInserted(test: (mark: Int, after: Int)) throws {
        let scene = EditingScene("abc|def")
        var transaction = try #require(scene.state.inserting("xyz"))
        transaction.effects = [StateEffect.mark(UTF16Offset(test.mark))]
        // In front, and right behind the place.
        scene.store.replace(start, with: "12")
        scene.store.replace(UTF16Offset(6)..<UTF16Offset(6), with: "-")
        scene.store.make(transaction) { scene.state.adopt($0) }
        #expect(scene.store.text == "12abcxyzd-ef" && scene.state.mark?.value == test.after)
    }
}
