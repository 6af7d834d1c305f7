import InkstoneBase
import InkstoneText
import Testing

/// The undo and redo texts, transferred from one store to another.
@Suite(.timeLimit(.minutes(5))) struct TextHistoryTests {
    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "test.history-weight"
    }

    private func type(_ text: String, into store: TextStore) {
        let end = store.text.byteRange.upperBound
        store.apply(Transaction(on: store, TextChangeSet(replacing: end..<end, with: Rope(text), in: store.text)))
    }

    /// Returns the texts reached by undo, the nearest first, and then those reached by redo.
    private func states(_ store: TextStore) -> [StyledText] {
        var result: [StyledText] = []
        while store.canUndo {
            store.undo()
            result.append(store.styledText)
        }
        while store.canRedo {
            store.redo()
            result.append(store.styledText)
        }
        return result
    }

    @Test func aStoreTakesOverTheStepsOfAnother() throws {
        let store = TextStore("one")
        type(" two", into: store)
        store.restyle { $0.set(7, of: Weight.self, in: 0..<3) }
        type(" three", into: store)
        type(" four", into: store)
        store.undo()
        let history = store.history(atMost: 100)
        #expect(history.past.map(\.rope.description) == ["one", "one two", "one two"])
        #expect(history.future.map(\.rope.description) == ["one two three four"])
        let other = TextStore(store.styledText)
        other.undoByteLimit = 1 << 20
        other.adopt(history.prepared(for: store.styledText))
        #expect(!other.isModified && other.undoByteLimit == 1 << 20 && other.version == TextVersion(0))
        #expect(other.undo() == 7..<7, "undo shows where it was edited")
        #expect(other.isModified)
        other.redo()
        #expect(!other.isModified)
        #expect(states(other) == states(store))
        // If the store's text is unsaved, it is unsaved after the transfer too.
        let unsaved = TextStore(store.styledText)
        unsaved.markUnsaved()
        unsaved.adopt(history.prepared(for: store.styledText))
        #expect(unsaved.isModified)
    }

    @Test func noMoreStepsAreHandedOverThanWanted() {
        let store = TextStore("")
        for letter in "abcdef" { type(String(letter), into: store) }
        store.undo()
        store.undo()
        let history = store.history(atMost: 1)
        #expect(history.past.map(\.rope.description) == ["abc"] && history.future.map(\.rope.description) == ["abcde"])
    }

    @Test func textsThatBecomeTheSameAreOneStep() {
        let store = TextStore("")
        for letter in "aBcD" { type(String(letter), into: store) }
        store.undo()
        let lower = store.history(atMost: 9).mapped(present: StyledText("ac")) { text in
            StyledText(Rope(text.rope.description.filter(\.isLowercase)))
        }
        #expect(lower.past.map(\.rope.description) == ["", "a"] && lower.future.isEmpty)
        let cut = store.history(atMost: 9).mapped(present: store.styledText) { $0.rope == "aB" ? $0 : nil }
        #expect(cut.past.map(\.rope.description) == ["aB"], "steps before one that nothing can be made of are lost")
    }
}
