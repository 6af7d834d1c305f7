import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct CompositionTests {
    private func mark(_ scene: ViewScene, _ text: String, selected: Range<Int>? = nil) {
        let length = text.utf16.count
        let range = selected ?? length..<length
        scene.view.setMarkedText(
            text, selectedRange: UTF16Range(location: range.lowerBound, length: range.count),
            replacementRange: .notFound)
    }

    @Test func markedTextReplacesTheSelectionThenItself() {
        let scene = ViewScene("a[bc|]d")
        mark(scene, "に")
        #expect(scene.state.description == "a⟨に|⟩d")
        mark(scene, "にほん", selected: 1..<2)
        #expect(scene.state.description == "a⟨に[ほ|]ん⟩d")
    }

    @Test func aCommitReplacesAllMarkedText() {
        let scene = ViewScene("a|d")
        mark(scene, "にほん", selected: 0..<1)
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(scene.state.description == "a日本|d")
    }

    @Test func aCompositionIsOneStepOfUndoWhateverItWentThrough() {
        let scene = ViewScene("a[bc|]d")
        for text in ["n", "に", "にh", "にほ", "にほn"] { mark(scene, text) }
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(scene.perform(.undo).description == "a[bc|]d")
        #expect(scene.perform(.redo).description == "a日本|d")
    }

    @Test func unmarkingKeepsTheTextAndEmptyMarkedTextRemovesIt() {
        let kept = ViewScene("x|")
        mark(kept, "に")
        kept.view.unmarkText()
        kept.view.unmarkText()
        #expect(kept.state.description == "xに|")
        let removed = ViewScene("x|")
        mark(removed, "に")
        mark(removed, "")
        #expect(removed.state.description == "x|")
        #expect(removed.view.markedTextRange == nil)
    }

    @Test func anEditBesideTheMarkedTextMovesIt() {
        let scene = ViewScene("abc|")
        mark(scene, "に")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 1)), with: "XYZ")
        #expect(scene.state.description == "XYZbc⟨に|⟩")
    }

    @Test func anEditOfTheMarkedTextEndsTheComposition() {
        let scene = ViewScene("abc|")
        mark(scene, "にほ")
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (2, 4)), with: "")
        // The caret was at the end of the marked text; it moves to the end of the remaining text.
        #expect(scene.state.description == "abほ|")
        #expect(scene.view.markedText == nil)
        #expect(scene.view.store.canUndo)
    }

    @Test func textAtAnAnchorLeavesTheUsersCaret() {
        let scene = ViewScene("ab|cd")
        let anchor = scene.view.makeInputAnchor(for: UTF16Range(location: 0, length: 1))
        scene.view.replaceText(at: anchor, with: "XY")
        #expect(scene.state.description == "XYb|cd")
        #expect(anchor.range == UTF16Range(location: 0, length: 2))
        scene.view.replaceText(at: anchor, with: "Z")
        #expect(scene.state.description == "Zb|cd")
    }

    @Test func textAtAnEmptyAnchorAtTheCaretTakesTheCaretAlong() {
        let scene = ViewScene("ab|cd")
        let anchor = scene.view.makeInputAnchor(for: UTF16Range(location: 2, length: 0))
        scene.view.replaceText(at: anchor, with: "に")
        #expect(scene.state.description == "abに|cd")
        #expect(anchor.range == UTF16Range(location: 2, length: 1))
    }

    /// A method that converts selected text again first shows the text unchanged.
    @Test func undoSelectsWhatWasSelectedBeforeAReconversion() {
        let scene = ViewScene("a[漢字|]b")
        scene.view.compositionDidBegin()
        for text in ["漢字", "感じ"] {
            scene.view.setMarkedText(text, selectedRange: .notFound)
        }
        scene.view.insertText("感じ", replacementRange: .notFound)
        scene.view.compositionDidEnd()
        #expect(scene.state.description == "a感じ|b")
        #expect(scene.perform(.undo).description == "a[漢字|]b")
    }

    @Test func clausesAreUnderlinedAndTheTargetHeavier() {
        let scene = ViewScene("|")
        scene.view.setMarkedText(
            InputText(
                "今日は",
                clauses: [
                    MarkedClause(range: 0..<2, kind: .target), MarkedClause(range: 2..<3, kind: .converted),
                ]), selectedRange: UTF16Range(location: 0, length: 2), replacementRange: .notFound)
        let canvas = scene.paint()
        let target = canvas.fills(scene.view.theme.targetUnderline)
        let plain = canvas.fills(scene.view.theme.markedUnderline)
        #expect(target.count == 1)
        #expect(plain.count == 1)
        #expect(target[0].height == 2)
        #expect(plain[0].height == 1)
        #expect(target[0].maxX < plain[0].minX)
    }

    @Test func clausesHaveTheMarkedTextStyle() {
        let scene = ViewScene("ab|cd")
        let view = scene.view
        view.addDecorations([0..<4], attributes: RenderingAttributes(foreground: Color(rgb: 0x0000ff)), in: .rendering)
        view.setMarkedText(
            InputText(
                "今日は雨",
                clauses: [
                    MarkedClause(range: 0..<1, kind: .converted), MarkedClause(range: 1..<3, kind: .target),
                ]), selectedRange: UTF16Range(location: 1, length: 2), replacementRange: .notFound)
        let (red, green, yellow) = (Color(rgb: 0xff0000), Color(rgb: 0x00ff00), Color(rgb: 0xffff00))
        scene.damage = []
        view.markedTextStyle = MarkedTextStyle(
            raw: .init(underlineThickness: 0), converted: .init(underlineThickness: 3, underlineColor: green),
            target: .init(underlineThickness: 1, backgroundColor: yellow, textColor: red))
        #expect(!scene.damage.isEmpty)
        let canvas = scene.paint()
        func x(_ offset: Int) -> Double? {
            view.position(from: view.beginningOfDocument, offset: offset).map { view.caretRect(for: $0).minX }
        }
        // The target clause has the text's own colours and a line; the raw clause has no line.
        let line = canvas.fills(green)
        #expect(line.count == 1 && line.first?.height == 3 && line.first?.minX == x(2))
        let behind = canvas.fills(yellow)
        #expect(behind.count == 1 && behind.first?.minX == x(3) && behind.first?.maxX == x(5))
        // The target's line has the colour of its text.
        #expect(canvas.fills(red).map(\.height) == [1])
        func glyphs(_ color: Color) -> Int {
            canvas.operations.reduce(0) { sum, operation in
                guard case .glyphs(let glyphs, color) = operation else { return sum }
                return sum + glyphs.count
            }
        }
        #expect(glyphs(red) == 2)
        #expect(glyphs(Color(rgb: 0x0000ff)) == 6, "what is coloured around the target, other clauses too")
        #expect(canvas.fills(view.theme.targetUnderline).isEmpty && canvas.fills(view.theme.targetBackground).isEmpty)
        view.markedTextStyle = nil
        canvas.reset()
        view.paint(on: canvas, damage: WindowRect(x: 0, y: 0, width: 400, height: 200))
        #expect(canvas.fills(view.theme.targetUnderline).map(\.height) == [2])
    }
}

@Suite(.timeLimit(.minutes(5))) struct ProgramEditTests {
    private func composing(_ notation: CaretNotation, _ marked: String) -> ViewScene {
        let scene = ViewScene(notation)
        scene.view.setMarkedText(
            marked, selectedRange: UTF16Range(location: marked.utf16.count, length: 0), replacementRange: .notFound)
        return scene
    }

    @Test func anEditApartFromTheCompositionIsMadeAtOnce() {
        let scene = composing("abc|", "に")
        scene.view.session.replaceText(in: 0..<1, with: "XY")
        #expect(scene.state.description == "XYbc⟨に|⟩")
    }

    @Test func anEditOfTheMarkedTextWaitsForTheCommit() {
        let scene = composing("abc|", "に")
        scene.view.session.replaceText(in: 2..<4, with: "Z")
        #expect(scene.state.description == "abc⟨に|⟩")
        scene.view.insertText("日", replacementRange: .notFound)
        #expect(scene.view.text == "abZ")
    }

    @Test func aForcedEditKeepsTheMarkedTextFirst() {
        let scene = composing("abc|", "に")
        scene.view.session.replaceText(in: 0..<4, with: "Z", forcing: true)
        #expect(scene.state.description == "Z|")
        scene.view.session.undo()
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

    @Test func changesAreReportedOncePerComposition() {
        let scene = ViewScene("abc|")
        var reported: [TextChange] = []
        scene.onTextChange = { reported.append($0) }
        for text in ["n", "に", "にh", "にほ"] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: 0, length: 0), replacementRange: .notFound)
        }
        #expect(reported.isEmpty)
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(reported.map(\.description) == ["3..<3 → 3..<5"])
        scene.view.insertText("x")
        #expect(reported.count == 2)
    }

    @Test func aCompositionThatChangesNothingIsNotReported() {
        let scene = ViewScene("abc|")
        var reported = 0
        scene.onTextChange = { _ in reported += 1 }
        for text in ["n", ""] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: 0, length: 0), replacementRange: .notFound)
        }
        #expect(reported == 0)
    }
}

@Suite(.timeLimit(.minutes(5))) struct ChangeListenerTests {
    @Test func aListenerMayEditTheTextDuringItsNotification() {
        let scene = ViewScene("|")
        scene.onTextChange = { _ in
            if scene.view.text.contains("teh") { scene.view.text = "the" }
        }
        for letter in ["t", "e", "h"] { scene.view.insertText(letter) }
        #expect(scene.view.text == "the")
    }

    @Test func editsMadeToTheStoreAreReportedAtOnce() {
        let scene = ViewScene("|")
        var reported = 0
        scene.onTextChange = { _ in reported += 1 }
        scene.view.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 0)), with: "x")
        #expect(reported == 1)
    }

    @Test func typingAfterAMoveIsAStepOfItsOwn() {
        let scene = ViewScene("|")
        scene.view.insertText("a")
        scene.view.perform(.moveLeft)
        scene.view.perform(.moveRight)
        scene.view.insertText("b")
        #expect(scene.perform(.undo).description == "a|")
    }
}
