import InkstoneBase
import InkstoneInput
import InkstoneText
import Testing

/// A field of one's own drawing whose text is a secret.
@Suite(.timeLimit(.minutes(5))) struct SecureFieldTests {
    private final class Field: EditableTextInput {
        let content = EditableText()
        var isSecureTextEntry = false
        var textInputViewOrigin: RootPoint { RootPoint(x: 0, y: 0) }
        func caretRect(for position: TextPosition) -> ViewRect { .zero }
        func selectionRects(for range: TextRange) -> [TextSelectionRect] { [] }
        func closestPosition(to point: ViewPoint) -> TextPosition? { nil }
    }

    @Test func itsStoreIsConfidentialFromTheFirstEditOn() {
        let edits: [(String, (Field) -> Void)] = [
            ("a key", { $0.insertText("x") }),
            ("a commit", { $0.insertText("x", replacementRange: .notFound) }),
            ("a preedit", { $0.setMarkedText("x", selectedRange: .notFound, replacementRange: .notFound) }),
            ("a keyboard's preedit", { $0.setAttributedMarkedText("x", selectedRange: .notFound) }),
            (
                "a replacement",
                { $0.replace(TextRange(start: $0.beginningOfDocument, end: $0.endOfDocument), withText: "x") }
            ),
            ("a late answer", { $0.replaceText(at: $0.makeInputAnchor(for: .notFound), with: "x") }),
        ]
        for (name, edit) in edits {
            for isSecure in [false, true] {
                let field = Field()
                field.isSecureTextEntry = isSecure
                edit(field)
                #expect(field.content.store.isConfidential == isSecure, "\(name)")
                #expect(field.content.string == "x", "\(name)")
            }
        }
    }
}
