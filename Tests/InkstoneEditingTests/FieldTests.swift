import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// A field that implements only the geometry: each character has one column.
private final class PlainField: EditableTextInput {
    let content: EditableText
    let textInputViewOrigin = RootPoint(x: 0, y: 0)

    init(_ text: String, isSingleLine: Bool = true) { content = EditableText(text, isSingleLine: isSingleLine) }

    func caretRect(for position: TextPosition) -> ViewRect {
        ViewRect(x: Double(content.offset(of: position).value), y: 0, width: 1, height: 1)
    }
    func selectionRects(for range: TextRange) -> [TextSelectionRect] { [] }
    func closestPosition(to point: ViewPoint) -> TextPosition? { content.store.position(at: UTF16Offset(Int(point.x))) }
}

/// A custom field edits text as a view does.
@Suite(.timeLimit(.minutes(5))) struct FieldTests {
    @Test func anAnchorCoversWhatReplacedItAlsoWhereAnObserverEdits() {
        let field = ReferenceTextView("one two")
        let observation = field.content.store.observeTransactions {
            if $0.origin == .inputMethod { field.content.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "* ") }
        }
        let anchor = field.makeInputAnchor(for: UTF16Range(location: 4, length: 3))
        field.replaceText(at: anchor, with: "zwei")
        #expect(field.string == "* one zwei" && anchor.range == UTF16Range(location: 6, length: 4))
        withExtendedLifetime(observation) {}
    }

    /// The owner of a field is notified of Return and Tab, in a custom field and in a view.
    @Test(arguments: [
        EditCommand.insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor,
        .insertTab,
    ])
    func aSingleLineLeavesNewLinesAndTabsToItsOwner(command: EditCommand) {
        let field = ReferenceTextView("ab", isSingleLine: true)
        #expect(!field.doCommand(by: command))
        #expect(field.content.string == "ab")
        let page = ReferenceTextView("ab", isSingleLine: false)
        #expect(page.doCommand(by: command) && page.content.string != "ab")
    }

    /// The length is counted when the maximum is set, and then updated around each edit; no key counts the whole
    /// text.
    @Test func aFieldKnowsItsLengthWhateverEditsIt() {
        let field = EditableText("ab")
        #expect(field.state.knownLength == nil)
        field.maximumLength = 5
        #expect(field.state.knownLength == 2)
        field.session.insert("e\u{301}x")
        #expect(field.string == "abe\u{301}x" && field.state.knownLength == 4)
        field.store.replace(UTF16Offset(0)..<UTF16Offset(2), with: "")
        #expect(field.state.knownLength == 2)
        field.session.insert("12345")
        #expect(field.string == "e\u{301}x123" && field.state.knownLength == 5)
        field.maximumLength = nil
        #expect(field.state.knownLength == nil)
    }

    // MARK: Options

    @Test func theOptionsOfAFieldHoldForWhatIsTypedAndNotForTheProgram() {
        let field = PlainField("ab")
        field.content.options.inputFilter = { $0.filter(\.isNumber) }
        field.insertText("x1y2")
        #expect(field.content.string == "ab12")
        field.content.options.isEditable = false
        #expect(!field.isEditable)
        field.insertText("3")
        field.deleteBackward()
        #expect(field.content.string == "ab12")
        field.reset(to: "c\nd")
        #expect(field.content.string == "c d" && field.content.selection == 3..<3)
    }

    @Test func aSecureFieldDoesNotRevealItsText() throws {
        let field = PlainField("")
        field.content.options.isSecureTextEntry = true
        field.insertText("secret")
        #expect(field.isSecureTextEntry && field.content.store.isConfidential)
        let all = try #require(field.textRange(from: field.beginningOfDocument, to: field.endOfDocument))
        #expect(field.text(in: all) == nil && field.content.string == "secret")
    }

    @Test func aFieldAsksItsOwnerBeforeItChanges() {
        let field = PlainField("")
        var asked: [String] = []
        field.content.shouldChange = { range, text in
            asked.append("\(range.lowerBound.value)..<\(range.upperBound.value) \(text)")
            return text != "b"
        }
        for letter in ["a", "b", "c"] { field.insertText(letter) }
        #expect(field.content.string == "ac" && asked == ["0..<0 a", "1..<1 b", "1..<1 c"])
        asked = []
        #expect(field.doCommand(by: .deleteWordBackward) && field.content.string.isEmpty && asked == ["0..<2 "])
        field.content.shouldChange = { _, _ in false }
        field.insertText("d")
        #expect(field.content.string.isEmpty)
    }

    @Test func aFieldThatWasResetHasNothingToTakeBack() {
        let field = PlainField("ab")
        field.insertText("c")
        field.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0), replacementRange: .notFound)
        field.reset()
        #expect(field.content.string.isEmpty && field.content.marked == nil)
        #expect(!field.doCommand(by: .undo) && !field.content.store.canUndo)
    }

    @Test func aFieldOfOneLineBeginsWithOneLine() {
        #expect(EditableText("a\r\nb\nc").string == "a b c")
        #expect(EditableText("a\nb", isSingleLine: false).string == "a\nb")
    }

    @Test func tabLeavesAFieldOfSeveralLinesWithThatOption() {
        let page = PlainField("ab", isSingleLine: false)
        page.content.options.tabBehavior = .movesFocus
        #expect(!page.doCommand(by: .insertTab) && page.content.string == "ab")
    }

    /// The program is notified of a composition once, undo restores the text, and delegates get the field as the
    /// sender.
    @Test func fieldHasUndoCompositionAndDelegates() {
        final class Listener: TextInputDelegate {
            var received: [String] = []
            func textWillChange(_ textInput: (any TextInput)?) { received.append("will \(name(textInput))") }
            func textDidChange(_ textInput: (any TextInput)?) { received.append("did \(name(textInput))") }
            func selectionWillChange(_ textInput: (any TextInput)?) { received.append("will select") }
            func selectionDidChange(_ textInput: (any TextInput)?) { received.append("did select") }
            private func name(_ input: (any TextInput)?) -> String { input is PlainField ? "the field" : "nobody" }
        }
        let (field, listener) = (PlainField("ab"), Listener())
        field.inputDelegate = listener
        var reported: [String] = []
        let observation = field.session.observe { if $0.textChange != nil { reported.append(field.content.string) } }
        field.compositionDidBegin()
        field.setMarkedText("k", selectedRange: .notFound, replacementRange: .notFound)
        field.setMarkedText("か", selectedRange: .notFound, replacementRange: .notFound)
        field.insertText("日", replacementRange: .notFound)
        field.compositionDidEnd()
        #expect(reported == ["ab日"] && listener.received.isEmpty)
        #expect(field.doCommand(by: .undo) && field.content.string == "ab")
        #expect(listener.received == ["will the field", "did the field"])
        listener.received = []
        // An edit by the program, of which no field has notified the delegates.
        field.session.replaceText(in: 0..<1, with: "x")
        #expect(field.content.string == "xb" && listener.received == ["will the field", "did the field"])
        listener.received = []
        field.reset(to: "xb")
        #expect(listener.received == ["will the field", "did the field"])
        let anchor = field.makeSelectionAnchor()
        field.selectedTextRange = TextRange(start: field.beginningOfDocument, end: field.beginningOfDocument)
        anchor?()
        #expect(field.content.selection == 2..<2)
        withExtendedLifetime(observation) {}
    }
}
