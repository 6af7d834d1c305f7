import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// What is dragged and dropped, as transactions.
@Suite(.timeLimit(.minutes(5))) struct DroppingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: String
        var place: Int
        var after: String
        var testDescription: String { "\(before) to \(place)" }
        init(_ before: String, _ place: Int, _ after: String) {
            (self.before, self.place, self.after) = (before, place, after)
        }
    }

    @Test(arguments: [
        Case("[one |]two three", 8, "two [one |]three"),
        Case("one [two |]three", 0, "[two |]one three"),
        Case("[a|]bc", 3, "bc[a|]"),
        Case("[日本|]語😀", 3, "語[日本|]😀"),
        // Several pieces come together.
        Case("[a|]-[b|]-c", 5, "--c[ab|]"),
        Case("[a|]-[b|]-c", 2, "-[ab|]-c"),
        // In itself, and at its own ends, nothing moves.
        Case("a[bc|]d", 2, "a[bc|]d"),
        Case("a[bc|]d", 1, "a[bc|]d"),
        Case("a[bc|]d", 3, "a[bc|]d"),
    ])
    func aMoveIsOneStepAndSelectsWhatWasMoved(_ test: Case) throws {
        let scene = EditingScene(test.before)
        let before = scene.notation
        let dragged = try #require(scene.state.draggedText())
        scene.make(scene.state.moving(dragged, to: UTF16Offset(test.place)))
        #expect(scene.notation == test.after)
        guard test.before != test.after else { return }
        scene.perform(.undo)
        #expect(scene.notation == before)
    }

    @Test func whatIsDroppedIsSelected() {
        let scene = EditingScene("ab|c")
        scene.make(scene.state.dropping(CopiedText("x\r\ny"), at: 1))
        #expect(scene.notation == "a[x\ny|]bc")
        scene.perform(.undo)
        #expect(scene.notation == "ab|c")
        #expect(scene.state.dropping(CopiedText(""), at: 0) == nil)
    }

    @Test func whatOthersWroteIntoTheDraggedTextStays() throws {
        let scene = EditingScene("a[bcde|]f")
        let dragged = try #require(scene.state.draggedText())
        scene.state.defer(dragged)
        scene.state.selection = Selection(caret: 3)
        scene.make(scene.state.inserting("X"))
        let now = try #require(scene.state.deferredEdit(dragged.id))
        scene.make(scene.state.removing(now))
        #expect(scene.notation == "aX|f")
    }

    @Test func nothingIsDraggedOutOfASecretOrFromACaret() {
        let scene = EditingScene("[ab|]")
        #expect(scene.state.draggedText() != nil)
        scene.state.options.isSecureTextEntry = true
        #expect(scene.state.draggedText() == nil && scene.state.selectedCopy == nil)
        #expect(EditingScene("a|b").state.draggedText() == nil)
    }
}
