import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@Suite struct CompositionTests {
    private func mark(_ scene: Scene, _ text: String, selected: Range<Int>? = nil) {
        let length = text.utf16.count
        let range = selected ?? length..<length
        scene.view.setMarkedText(
            text, selectedRange: UTF16Range(location: range.lowerBound, length: range.count),
            replacementRange: .notFound)
    }

    @Test func markedTextReplacesTheSelectionThenItself() {
        let scene = Scene("a[bc|]d")
        mark(scene, "に")
        #expect(scene.state.description == "a⟨に|⟩d")
        mark(scene, "にほん", selected: 1..<2)
        #expect(scene.state.description == "a⟨に[ほ|]ん⟩d")
    }

    @Test func aCommitReplacesAllMarkedText() {
        let scene = Scene("a|d")
        mark(scene, "にほん", selected: 0..<1)
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(scene.state.description == "a日本|d")
    }

    @Test func aCompositionIsOneStepOfUndoWhateverItWentThrough() {
        let scene = Scene("a[bc|]d")
        for text in ["n", "に", "にh", "にほ", "にほn"] { mark(scene, text) }
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(scene.perform(.undo).description == "a[bc|]d")
        #expect(scene.perform(.redo).description == "a日本|d")
    }

    @Test func unmarkingKeepsTheTextAndEmptyMarkedTextRemovesIt() {
        let kept = Scene("x|")
        mark(kept, "に")
        kept.view.unmarkText()
        kept.view.unmarkText()
        #expect(kept.state.description == "xに|")
        let removed = Scene("x|")
        mark(removed, "に")
        mark(removed, "")
        #expect(removed.state.description == "x|")
        #expect(removed.view.markedTextRange == nil)
    }

    @Test func anEditBesideTheMarkedTextMovesIt() {
        let scene = Scene("abc|")
        mark(scene, "に")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 1)), with: "XYZ")
        #expect(scene.state.description == "XYZbc⟨に|⟩")
    }

    @Test func anEditOfTheMarkedTextEndsTheComposition() {
        let scene = Scene("abc|")
        mark(scene, "にほ")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (2, 4)), with: "")
        #expect(scene.state.description == "ab|ほ" || scene.state.description == "abほ|")
        #expect(scene.view.markedText == nil)
        #expect(scene.view.store.canUndo)
    }

    @Test func textAtAnAnchorLeavesTheUsersCaret() {
        let scene = Scene("ab|cd")
        let anchor = scene.view.makeInputAnchor(for: UTF16Range(location: 0, length: 1))
        scene.view.replaceText(at: anchor, with: "XY")
        #expect(scene.state.description == "XYb|cd")
        #expect(anchor.range == UTF16Range(location: 0, length: 2))
        scene.view.replaceText(at: anchor, with: "Z")
        #expect(scene.state.description == "Zb|cd")
    }

    @Test func textAtAnEmptyAnchorAtTheCaretTakesTheCaretAlong() {
        let scene = Scene("ab|cd")
        let anchor = scene.view.makeInputAnchor(for: UTF16Range(location: 2, length: 0))
        scene.view.replaceText(at: anchor, with: "に")
        #expect(scene.state.description == "abに|cd")
        #expect(anchor.range == UTF16Range(location: 2, length: 1))
    }

    @Test func clausesAreUnderlinedAndTheTargetHeavier() {
        let scene = Scene("|")
        scene.view.setMarkedText(
            InputText(
                "今日は",
                clauses: [
                    MarkedClause(range: 0..<2, kind: .target), MarkedClause(range: 2..<3, kind: .converted),
                ]), selectedRange: UTF16Range(location: 0, length: 2), replacementRange: .notFound)
        let canvas = RecordingCanvas(size: Size(width: 400, height: 200))
        scene.view.paint(on: canvas, damage: WindowRect(x: 0, y: 0, width: 400, height: 200))
        let target = canvas.fills(scene.view.theme.targetUnderline)
        let plain = canvas.fills(scene.view.theme.markedUnderline)
        #expect(target.count == 1)
        #expect(plain.count == 1)
        #expect(target[0].height == 2)
        #expect(plain[0].height == 1)
        #expect(target[0].maxX < plain[0].minX)
    }
}

@Suite struct ProgramEditTests {
    private func composing(_ notation: CaretNotation, _ marked: String) -> Scene {
        let scene = Scene(notation)
        scene.view.setMarkedText(
            marked, selectedRange: UTF16Range(location: marked.utf16.count, length: 0), replacementRange: .notFound)
        return scene
    }

    @Test func anEditApartFromTheCompositionIsMadeAtOnce() {
        let scene = composing("abc|", "に")
        scene.view.replaceText(in: 0..<1, with: "XY")
        #expect(scene.state.description == "XYbc⟨に|⟩")
    }

    @Test func anEditOfTheMarkedTextWaitsForTheCommit() {
        let scene = composing("abc|", "に")
        scene.view.replaceText(in: 2..<4, with: "Z")
        #expect(scene.state.description == "abc⟨に|⟩")
        scene.view.insertText("日", replacementRange: .notFound)
        #expect(scene.view.text == "abZ")
    }

    @Test func aForcedEditKeepsTheMarkedTextFirst() {
        let scene = composing("abc|", "に")
        scene.view.replaceText(in: 0..<4, with: "Z", forcing: true)
        #expect(scene.state.description == "Z|")
        scene.view.undo()
        #expect(scene.view.text == "abcに")
    }

    @Test func settingTheTextWaitsAndAnEchoIsDropped() {
        let scene = composing("abc|", "に")
        scene.view.text = "abc"
        #expect(scene.state.description == "abc⟨に|⟩")
        scene.view.text = "new"
        #expect(scene.state.description == "abc⟨に|⟩")
        scene.view.unmarkText()
        #expect(scene.state.description == "|new")
    }

    @Test func changesAreToldOncePerComposition() {
        let scene = Scene("abc|")
        var told: [TextChange] = []
        scene.view.changes.onTextChange = { told.append($0) }
        for text in ["n", "に", "にh", "にほ"] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: 0, length: 0), replacementRange: .notFound)
        }
        #expect(told.isEmpty)
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(told == [TextChange(oldRange: 3..<3, newRange: 3..<5)])
        scene.view.insertText("x")
        #expect(told.count == 2)
    }

    @Test func aCompositionThatComesToNothingIsNotTold() {
        let scene = Scene("abc|")
        var told = 0
        scene.view.changes.onTextChange = { _ in told += 1 }
        for text in ["n", ""] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: 0, length: 0), replacementRange: .notFound)
        }
        #expect(told == 0)
    }
}

@Suite struct ChangeListenerTests {
    @Test func aListenerMayEditTheTextThatItIsToldOf() {
        let scene = Scene("|")
        scene.view.changes.onTextChange = { _ in
            if scene.view.text.contains("teh") { scene.view.text = "the" }
        }
        for letter in ["t", "e", "h"] { scene.view.insertText(letter) }
        #expect(scene.view.text == "the")
    }

    @Test func editsMadeToTheStoreAreToldWhenTheTurnEnds() {
        let scene = Scene("|")
        var told = 0
        scene.view.changes.onTextChange = { _ in told += 1 }
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 0)), with: "x")
        #expect(told == 0)
        scene.view.tellChanges()
        #expect(told == 1)
    }

    @Test func typingAfterAMoveIsAStepOfItsOwn() {
        let scene = Scene("|")
        scene.view.insertText("a")
        scene.view.perform(.moveLeft)
        scene.view.perform(.moveRight)
        scene.view.insertText("b")
        #expect(scene.perform(.undo).description == "a|")
    }
}
