import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// A custom field whose text is secret.
@Suite(.timeLimit(.minutes(5))) struct SecureFieldTests {
    private final class Field: EditableTextInput {
        let content = EditableText()
        var isSecureTextEntry = false
        var textInputViewOrigin: RootPoint { RootPoint(x: 0, y: 0) }
        func caretRect(for position: TextPosition) -> ViewRect { .zero }
        func selectionRects(for range: TextRange) -> [TextSelectionRect] { [] }
        func closestPosition(to point: ViewPoint) -> TextPosition? { nil }
    }

    /// A field that uses ``EditableText`` and implements only its geometry.
    @Test func secureFieldRevealsItsTextToNobody() {
        let subject = TextInputConformance.Subject(
            make: { _ in Field() },
            makeSecure: { text in
                let field = Field()
                field.content.replace(0..<0, with: text)
                field.isSecureTextEntry = true
                return field
            })
        let report = TextInputConformance(seed: 5, laws: [.secrecy]).report(subject)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description).joined(separator: "\n"))")
        #expect(report.checks[.secrecy] ?? 0 > 1000)
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
