import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import Testing

/// Edits that wait for the end of a composition, or for their text.
@Suite(.timeLimit(.minutes(5))) struct DeferringTests {
    private static let end = UTF16Range(location: UTF16Range.notFoundLocation, length: 0)

    @Test func editsByTheProgramWaitOnlyWhereTheyTouchTheComposition() throws {
        var state = EditorState("0123456789", selection: Selection(anchor: 4, head: 6))
        state.perform(try #require(state.marking("にほ", replacing: 4..<6, selected: .notFound)))
        func submit(_ edit: DeferredEdit) -> Bool {
            var transaction = state.programEdit(edit)
            if case .wait = state.filter(&transaction) { return true }
            return false
        }
        func edit(_ range: Range<UTF16Offset>, _ text: String, all: Bool = false) -> DeferredEdit {
            DeferredEdit(replacing: [range], with: text, origin: .program, replacesAll: all)
        }
        #expect(!submit(edit(0..<2, "x")))
        #expect(!submit(edit(4..<4, "x")))
        #expect(!submit(edit(6..<8, "x")))
        func make() throws {
            let next = try #require(state.nextDeferred)
            state.perform(state.changing(.releasing(next.id)))
            state.perform(state.programEdit(next))
        }
        let first = edit(5..<9, "first")
        #expect(submit(first))
        state.perform(state.changing(.deferring(first)))
        #expect(submit(edit(0..<1, "second")), "it comes after one that waits")
        state.perform(state.changing(.deferring(edit(0..<1, "second"))))
        #expect(submit(edit(0..<10, "all", all: true)))
        state.perform(state.changing(.deferring(edit(0..<10, "all", all: true))))
        #expect(state.nextDeferred == nil, "text is marked")
        // An edit before the position of a waiting edit moves it.
        state.perform(state.programEdit(edit(0..<0, "abcdefghij")))
        state.perform(try #require(state.ending(.keeping)))
        try make()
        #expect(state.text == "abcdefghij0123にfirst9")
        try make()
        #expect(state.text == "abcdefghijsecond123にfirst9")
        try make()
        #expect(state.text == "all" && state.selection == Selection(caret: 0))
        #expect(state.nextDeferred == nil)
    }
}
