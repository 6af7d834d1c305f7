import InkstoneBase
import Testing

@testable import InkstoneText

/// What a transaction says in numbers is true also where the text has changed since it was made.
@Suite(.timeLimit(.minutes(5))) struct LateTransactionTests {
    @Test func aCaretStaysInTheTextThatItIsSetIn() throws {
        let store = TextStore("one two")
        let changes = TextChangeSet(replacing: UTF16Offset(4)..<UTF16Offset(7), with: "xyz", in: store.text)
        for caret in [4, 5, 7] as [UTF16Offset] {
            let store = TextStore("one two")
            let late = Transaction(on: store, changes, selection: .set(Selection(caret: caret)))
            store.replace(UTF16Offset(4)..<UTF16Offset(4), with: ">>")
            store.replace(UTF16Offset(0)..<UTF16Offset(0), with: ">>>")
            let applied = try #require(store.apply(late))
            #expect(applied.text == ">>>one >>xyz")
            #expect(applied.selection == .set(Selection(caret: caret + 5)))
        }
    }

    /// The marked text is in the second section; what others insert before the first moves both alike, between them only it.
    @Test func whatIsMarkedStaysMarked() throws {
        let store = TextStore("one two")
        var builder = TextChangeSet.Builder(over: store.text)
        builder.replace(UTF16Offset(0)..<UTF16Offset(0), with: "ka")
        builder.replace(UTF16Offset(4)..<UTF16Offset(7), with: "か")
        var late = Transaction(on: store, builder.finish(), origin: .inputMethod)
        var composition = Composition(in: store.version, selection: nil)
        composition.markedText = MarkedText(range: 6..<7, clauses: [])
        late.composition = .set(composition)
        store.replace(UTF16Offset(3)..<UTF16Offset(3), with: ">>>>")
        let applied = try #require(store.apply(late))
        guard case .set(let moved?) = applied.transaction.composition, let marked = moved.markedText else {
            Issue.record("nothing is marked")
            return
        }
        #expect(applied.text == "kaone>>>> か" && applied.text.string(in: marked.range) == "か")
    }
}
