import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The contracts of `insertText`, `deleteBackward` and the marking calls, tested with the editor's view.
@Suite(.timeLimit(.minutes(5))) struct MarkedTextTests {
    struct Step: Sendable, CustomTestStringConvertible {
        var before: CaretNotation
        /// The marked text at the caret, and its selected range.
        var marked: String
        var selected: Range<Int>
        var work: @Sendable (EditorView) -> Void
        var after: String
        var name: String
        init(
            _ name: String, _ before: CaretNotation, _ marked: String, _ selected: Range<Int>, _ after: String,
            _ work: @escaping @Sendable (EditorView) -> Void
        ) {
            self.name = name
            self.before = before
            self.marked = marked
            self.selected = selected
            self.after = after
            self.work = work
        }
        var testDescription: String { name }
    }

    private static let none = UTF16Range(location: 0, length: 0)

    @Test(arguments: [
        Step("delete in marked text", "a|d", "にほん", 3..<3, "a⟨にほ|⟩d") { $0.deleteBackward() },
        Step("delete inside marked text", "a|d", "にほん", 1..<1, "a⟨|ほん⟩d") { $0.deleteBackward() },
        Step("delete a selected clause", "a|d", "にほん", 1..<3, "a⟨に|⟩d") { $0.deleteBackward() },
        Step("delete an emoji in marked text", "a|d", "x👩‍👩‍👧", 9..<9, "a⟨x|⟩d") { $0.deleteBackward() },
        Step("delete a jamo syllable", "|", "\u{1112}\u{1161}\u{11ab}", 3..<3, "|") { $0.deleteBackward() },
        Step("delete the last of marked text", "a|d", "に", 1..<1, "a|d") { $0.deleteBackward() },
        Step("delete before marked text", "ab|d", "に", 0..<0, "a⟨|に⟩d") { $0.deleteBackward() },
        Step("delete at the start", "|d", "に", 0..<0, "⟨|に⟩d") { $0.deleteBackward() },
        Step("delete an accent that joined the letter before", "e|d", "\u{301}", 1..<1, "e|d") { $0.deleteBackward() },
        Step("type inside marked text", "a|d", "にほん", 1..<2, "aにX|んd") { $0.insertText("X") },
        Step("type behind marked text", "a|d", "にほん", 3..<3, "aにほんX|d") { $0.insertText("X") },
        Step("type nothing over a selected part", "a|d", "にほん", 1..<2, "aに|んd") { $0.insertText("") },
        Step("nil removes", "a|d", "にほん", 1..<2, "a|d") { $0.setMarkedText(nil, selectedRange: none) },
        Step("empty removes", "a|d", "にほん", 1..<2, "a|d") { $0.setMarkedText("", selectedRange: none) },
        Step("unmark keeps", "a|d", "にほん", 3..<3, "aにほん|d") { $0.unmarkText() },
        Step("commit", "a|d", "にほん", 1..<2, "a日本|d") { $0.insertText("日本", replacementRange: .notFound) },
        Step("commit over a range beside", "ab|d", "に", 1..<1, "X|bにd") {
            $0.insertText("X", replacementRange: UTF16Range(location: 0, length: 1))
        },
        Step("mark over a range that holds the marked text", "ab|d", "に", 1..<1, "⟨X|⟩") {
            $0.setMarkedText("X", selectedRange: .notFound, replacementRange: UTF16Range(location: 0, length: 9))
        },
        Step("the same letters in other scalars", "|", "é", 1..<1, "⟨e\u{301}|⟩") {
            $0.setMarkedText("e\u{301}", selectedRange: UTF16Range(location: 2, length: 0))
        },
        Step("replace beside", "ab|d", "に", 1..<1, "XYb⟨に|⟩d") {
            $0.replace($0.range(0, 1), withText: "XY")
        },
        Step("replace the marked text", "ab|d", "に", 1..<1, "abX|d") { $0.replace($0.range(2, 3), withText: "X") },
        Step("paste keeps the marked text", "a|d", "にほ", 0..<2, "aにほX|d") { $0.session.paste("X") },
        Step("paste at an anchor keeps the marked text", "a|d", "にほ", 0..<2, "XにほY|d") {
            let paste = $0.session.deferPaste(over: 0..<1)
            $0.session.paste("X", for: paste)
            $0.session.paste("Y")
        },
        Step("replace all by force", "a|d", "にほ", 0..<2, "|X") {
            $0.session.replaceAllText(with: "X", forcing: true)
        },
        Step("undo takes the composition back", "a|d", "にほ", 0..<2, "a|d") { $0.session.undo() },
    ])
    func eachCallLeavesWhatTheContractSays(_ step: Step) {
        let scene = ViewScene(step.before)
        scene.view.setMarkedText(
            step.marked, selectedRange: UTF16Range(location: step.selected.lowerBound, length: step.selected.count))
        step.work(scene.view)
        // Compare scalars: `==` on strings treats composed and decomposed "é" as equal.
        #expect(Array(scene.state.description.unicodeScalars) == Array(step.after.unicodeScalars), "\(scene.state)")
    }

    @Test func nothingMarkedAndNothingToMarkLeavesTheSelection() {
        for text in [nil, ""] as [String?] {
            let scene = ViewScene("a[bc|]d")
            scene.view.setMarkedText(text, selectedRange: Self.none)
            #expect(scene.state.description == "a[bc|]d")
            scene.view.setMarkedText("", selectedRange: Self.none, replacementRange: .notFound)
            #expect(scene.state.description == "a[bc|]d")
        }
    }

    @Test func clausesShrinkWithTheMarkedTextThatIsDeleted() {
        let scene = ViewScene("a|")
        let clauses = [MarkedClause(range: 0..<2, kind: .target), MarkedClause(range: 2..<3, kind: .converted)]
        scene.view.setMarkedText(
            InputText("今日は", clauses: clauses), selectedRange: UTF16Range(location: 2, length: 0),
            replacementRange: .notFound)
        scene.view.deleteBackward()
        #expect(scene.state.description == "a⟨今|は⟩")
        #expect(
            scene.view.markedText?.clauses == [
                MarkedClause(range: 0..<1, kind: .target), MarkedClause(range: 1..<2, kind: .converted),
            ])
    }

    @Test func deletingInMarkedTextIsPartOfItsUndoStep() {
        let scene = ViewScene("a[bc|]d")
        scene.view.setMarkedText("にほ", selectedRange: UTF16Range(location: 2, length: 0))
        scene.view.deleteBackward()
        scene.view.insertText("日", replacementRange: .notFound)
        #expect(scene.state.description == "a日|d")
        #expect(scene.perform(.undo).description == "a[bc|]d")
    }

    @Test func deletingAcrossAnEndOfTheMarkedTextIsPartOfItsUndoStep() {
        let scene = ViewScene("ab|d")
        scene.view.setMarkedText("にほ", selectedRange: Self.none)
        scene.view.selectedTextRange = scene.view.range(1, 3)
        scene.view.deleteBackward()
        #expect(scene.state.description == "a|ほd")
        #expect(scene.perform(.undo).description == "ab|d")
    }

    @Test func deletingInMarkedTextLeavesTheOtherCaretsAlone() {
        let scene = ViewScene("x|y z")
        let carets = [1, 4].map { SelectionRange(caret: UTF16Offset($0)) }
        let before = Selection(carets, primary: 1)
        scene.view.select(before)
        scene.view.setMarkedText("にほ", selectedRange: UTF16Range(location: 2, length: 0))
        scene.view.deleteBackward()
        #expect(scene.view.text == "xy zに" && scene.view.selection?.count == 2)
        scene.view.insertText("日", replacementRange: .notFound)
        #expect(scene.view.text == "x日y z日")
        scene.view.perform(.undo)
        #expect(scene.view.text == "xy z" && scene.view.selection == before)
    }

    /// An on-screen keyboard types or deletes during a composition. The method's next draw then refers to a text
    /// that has changed.
    @Test(arguments: [
        Step("type", "a|d", "にほ", 0..<2, "aX⟨は|⟩d") { $0.insertText("X") },
        Step("type behind", "a|d", "にほ", 2..<2, "aにほX⟨は|⟩d") { $0.insertText("X") },
        Step("delete all", "a|d", "に", 1..<1, "a⟨は|⟩d") { $0.deleteBackward() },
        Step("delete across an end", "a|d", "にほ", 2..<2, "⟨は|⟩d") {
            $0.selectedTextRange = $0.range(0, 3)
            $0.deleteBackward()
        },
    ])
    func theMethodForgetsWhatAKeyboardHasTakenFromIt(_ step: Step) {
        let scene = ViewScene(step.before)
        func draw(_ text: String, over length: Int, selecting selected: Range<Int>) {
            let count = text.unicodeScalars.count
            let feedback: [PreeditFeedback] = (0..<count).map { selected.contains($0) ? .reverse : .underline }
            scene.view.inputContext.receive(
                .preeditDraw(
                    PreeditDraw(
                        caret: selected.isEmpty ? selected.lowerBound : 0, changeFirst: 0, changeLength: length,
                        text: text, feedback: feedback)))
        }
        scene.view.inputContext.receive(.preeditStart)
        draw(step.marked, over: 0, selecting: step.selected)
        step.work(scene.view)
        #expect(!scene.view.inputContext.isComposing)
        // After a reset, the method starts a new composition.
        draw("は", over: 0, selecting: 1..<1)
        #expect(scene.state.description == step.after)
    }

    @Test func aStoreEditThatTakesTheMarkedTextLetsWaitingEditsBeMadeAfterwards() {
        let scene = ViewScene("abc|")
        scene.view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.session.replaceText(in: 2..<4, with: "Z")
        var reported = 0
        scene.onTextChange = { [unowned view = scene.view] _ in
            reported += 1
            if reported == 1 { view.session.replaceText(in: 0..<0, with: "!") }
        }
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (3, 4)), with: "")
        #expect(scene.view.markedText == nil)
        #expect(scene.view.text == "!abZ")
        #expect(reported == 2, "a change that cancelled out is not reported")
    }

    @Test func theLineUnderMarkedTextGoesOnToTheEdgeWithItsNewline() throws {
        let scene = ViewScene("ab|")
        let view = scene.view
        view.setMarkedText("x\ny", selectedRange: .notFound, replacementRange: .notFound)
        let lines = scene.paint().fills(view.theme.markedUnderline)
        let marked = try #require(view.markedText?.range)
        view.unmarkText()
        view.select(Selection(anchor: marked.lowerBound, head: marked.upperBound))
        let selected = scene.paint().fills(view.theme.selection)
        #expect(lines.count == 2 && selected.count == 2)
        let gap = view.theme.underlineWidth
        #expect(lines.map(\.minX) == selected.map(\.minX) && lines.map { $0.maxX + gap } == selected.map(\.maxX))
        #expect(lines[0].maxX > lines[1].maxX + 100, "to the edge, and not beyond the last letter")
    }
}

extension EditorView {
    func range(_ start: Int, _ end: Int) -> TextRange {
        TextRange(start: store.position(at: UTF16Offset(start)), end: store.position(at: UTF16Offset(end)))
    }
}
