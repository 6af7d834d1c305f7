import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A paste whose text arrives late is inserted where it was requested, before text typed since.
@Suite(.timeLimit(.minutes(5))) struct PasteAnchorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: CaretNotation
        var typed: String
        var after: CaretNotation
        var testDescription: String { "\(before), then “\(typed)”" }
    }

    @Test(arguments: [
        Case(before: "ab|c", typed: "", after: "ab«p»|c"),
        Case(before: "ab|c", typed: "XY", after: "ab«p»XY|c"),
        Case(before: "|", typed: "XY", after: "«p»XY|"),
    ])
    func textTypedDuringAPasteStaysBehindIt(_ example: Case) {
        let scene = ViewScene(example.before)
        let paste = scene.view.session.deferPaste()
        for character in example.typed { scene.view.insertText(String(character), replacementRange: .notFound) }
        scene.view.session.paste("«p»", for: paste)
        #expect(scene.state == example.after)
    }

    @Test func aCompositionDuringAPasteStaysBehindIt() {
        let scene = ViewScene("ab|c")
        let paste = scene.view.session.deferPaste()
        for text in ["に", "にほ"] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: text.utf16.count, length: 0), replacementRange: .notFound)
        }
        scene.view.session.paste("«p»", for: paste)
        #expect(scene.state == "ab«p»にほ|c")
    }

    @Test func editsElsewhereMoveTheAnchor() {
        let scene = ViewScene("ab|c")
        let paste = scene.view.session.deferPaste()
        scene.view.session.replaceText(in: 0..<1, with: "12345")
        scene.view.session.paste("«p»", for: paste)
        #expect(scene.state == "12345b«p»|c")
    }

    /// The text selected at the time of the request is replaced when the answer arrives, but text typed since is
    /// not.
    @Test func textTypedOverTheSelectionDuringAPasteStays() throws {
        let scene = ViewScene("a[bc|]d")
        scene.view.perform(.paste)
        let paste = try #require(scene.pastes.first)
        for character in "xy" { scene.view.insertText(String(character), replacementRange: .notFound) }
        scene.view.session.paste("«p»", for: paste)
        #expect(scene.state.description == "a«p»xy|d")
    }

    @Test func aPasteOverTheSelectionLeavesTheCaretBehindIt() throws {
        let scene = ViewScene("a[bc|]d")
        scene.view.perform(.paste)
        scene.view.session.paste("«p»", for: try #require(scene.pastes.first))
        #expect(scene.state.description == "a«p»|d")
        #expect(scene.perform(.undo).description == "a[bc|]d")
    }

    @Test func aPasteThatDoesNotComeLeavesNothing() throws {
        let scene = ViewScene("a[bc|]d")
        scene.view.perform(.paste)
        scene.view.session.cancelPaste(try #require(scene.pastes.first))
        scene.view.session.paste("late", for: try #require(scene.pastes.first))
        #expect(scene.state.description == "a[bc|]d")
    }
}
