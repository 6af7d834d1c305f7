import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import Testing

/// Backspace during a composition, tested as a function of the state.
@Suite(.timeLimit(.minutes(5))) struct MarkedDeletionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: String
        /// The marked text at the primary range.
        var marked: String
        /// The selection in UTF-16 units of the text; nil for a caret after the marked text.
        var selected: Range<Int>?
        /// The resulting text with its ranges, and after a space the remaining marked text.
        var after: String

        init(_ before: String, marking marked: String, _ selected: Range<Int>? = nil, to after: String) {
            (self.before, self.marked, self.selected, self.after) = (before, marked, selected, after)
        }

        var testDescription: String { "\(before) \(marked) \(selected.map { "\($0)" } ?? "") → \(after)" }
    }

    private func shown(_ scene: EditingScene) -> String {
        let marked = scene.state.markedText.map { " ⟨\(scene.state.string(in: $0.range))⟩" } ?? ""
        return scene.notation + marked
    }

    private func scene(_ test: Case) -> EditingScene {
        let scene = EditingScene(test.before)
        scene.make(scene.state.marking(InputText(test.marked), over: .composed, selected: .notFound))
        if let selected = test.selected {
            let new = Selection(
                anchor: UTF16Offset(selected.lowerBound), head: UTF16Offset(selected.upperBound))
            scene.make(scene.state.selecting(new))
        }
        return scene
    }

    @Test(arguments: [
        Case("a|d", marking: "にほん", to: "aにほ|d ⟨にほ⟩"),
        Case("a|d", marking: "にほん", 1..<3, to: "a|んd ⟨ん⟩"),
        Case("a|d", marking: "に", to: "a|d"),
        Case("a[bc|]d", marking: "に", to: "a|d"),
        // The marked accent combines with the letter before; only the accent is deleted.
        Case("e|d", marking: "\u{301}", to: "e|d"),
        // The other carets show no marked text yet.
        Case("x|y z|", marking: "にほ", to: "x|y zに| ⟨に⟩"),
        Case("x|y z|", marking: "に", to: "x|y z|"),
        // Deleting beside the marked text leaves it marked.
        Case("ab|d", marking: "に", 2..<2, to: "a|にd ⟨に⟩"),
        Case("ab|d", marking: "に", 3..<4, to: "abに| ⟨に⟩"),
        Case("ab|de", marking: "に", 5..<5, to: "abにd| ⟨に⟩"),
        // Deleting across the ends of the marked text.
        Case("ab|d", marking: "にほ", 1..<3, to: "a|ほd"),
        Case("ab|d", marking: "にほ", 3..<5, to: "abに|"),
        Case("ab|d", marking: "にほ", 0..<5, to: "|"),
    ])
    func backspaceTakesWhatIsBeforeTheCaretAndNoMore(_ test: Case) {
        let scene = scene(test)
        scene.make(scene.state.deletingBackward())
        #expect(shown(scene) == test.after)
        // The deletion and the composition are one undo step.
        scene.make(scene.state.ending(.keeping))
        scene.make(scene.state.endingComposition())
        scene.store.undo(in: scene.state.view)
        #expect(scene.state.string(in: scene.state.textRange) == EditingScene.read(test.before).text)
        #expect(!scene.store.canUndo)
    }

    @Test func theRestOfTheMarkedTextGoesThroughTheFilters() {
        let scene = EditingScene("abc|")
        scene.options.maximumLength = 3
        scene.make(scene.state.marking("にほんご", over: .composed, selected: .notFound))
        scene.make(scene.state.selecting(Selection(anchor: 2, head: 4)))
        scene.make(scene.state.deletingBackward())
        #expect(scene.notation == "ab|ほ")
    }

    @Test func atTheStartAndWithoutASelectionNothingGoes() {
        let start = scene(Case("|d", marking: "に", 0..<0, to: ""))
        #expect(start.state.deletingBackward() == nil)
        let none = scene(Case("a|d", marking: "に", to: ""))
        none.select(nil)
        #expect(none.state.deletingBackward() == nil)
        #expect(none.state.markedText != nil)
    }
}
