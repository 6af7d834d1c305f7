import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A paste whose text comes late lands where it was asked for, before what was typed since.
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
    func whatIsTypedMeanwhileStaysBehindIt(_ example: Case) {
        let scene = Scene(example.before)
        let anchor = scene.view.makeInputAnchor(for: .notFound)
        for character in example.typed { scene.view.insertText(String(character), replacementRange: .notFound) }
        scene.view.paste("«p»", at: anchor)
        #expect(scene.state == example.after)
    }

    @Test func whatIsComposedMeanwhileStaysBehindIt() {
        let scene = Scene("ab|c")
        let anchor = scene.view.makeInputAnchor(for: .notFound)
        for text in ["に", "にほ"] {
            scene.view.setMarkedText(
                text, selectedRange: UTF16Range(location: text.utf16.count, length: 0), replacementRange: .notFound)
        }
        scene.view.paste("«p»", at: anchor)
        #expect(scene.state == "ab«p»にほ|c")
    }

    @Test func editsElsewhereMoveThePlace() {
        let scene = Scene("ab|c")
        let anchor = scene.view.makeInputAnchor(for: .notFound)
        scene.view.replaceText(in: 0..<1, with: "12345")
        scene.view.paste("«p»", at: anchor)
        #expect(scene.state == "12345b«p»|c")
    }
}
