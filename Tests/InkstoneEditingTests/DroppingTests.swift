import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Drag and drop as transactions.
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

    /// Covers INT 53 of the checklist for interaction.
    @Test(arguments: [
        Case("[one |]two three", 8, "two [one |]three"),
        Case("one [two |]three", 0, "[two |]one three"),
        Case("[a|]bc", 3, "bc[a|]"),
        Case("[日本|]語😀", 3, "語[日本|]😀"),
        // Several pieces are inserted together.
        Case("[a|]-[b|]-c", 5, "--c[a|][b|]"),
        Case("[a|]-[b|]-c", 2, "-[a|][b|]-c"),
        Case("a-[日本|]-[|c]-d", 1, "a[日本|][c|]---d"),
        // Line ends that the move brings together stay two.
        Case("a\r[x|]\nb", 5, "a\r\n\nb[x|]"),
        Case("b\na\r[x|]\n", 1, "b[x|]\na\r\n\n"),
        Case("a\rb[\nx|]", 2, "a\r[\r\nx|]b"),
        // A drop within the dragged text, or at its ends, moves nothing.
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

    @Test func droppedTextIsSelected() {
        let scene = EditingScene("ab|c")
        scene.make(scene.state.dropping(CopiedText("x\r\ny"), at: 1))
        #expect(scene.notation == "a[x\ny|]bc")
        scene.perform(.undo)
        #expect(scene.notation == "ab|c")
        #expect(scene.state.dropping(CopiedText(""), at: 0) == nil)
    }

    /// Dropped pieces are on lines of their own, unless they include their line ends.
    @Test func piecesThatAreDroppedAreSelectedEachByItself() throws {
        let scene = EditingScene("[日本|]-[b\n|]c[d|]\n")
        let copied = try #require(scene.state.selectedCopy)
        let end = scene.state.textRange.upperBound
        scene.make(scene.state.dropping(copied, at: end))
        #expect(scene.notation == "日本-b\ncd\n[日本|]\n[b\n|][d|]")
        scene.perform(.undo)
        #expect(scene.notation == "[日本|]-[b\n|]c[d|]\n")
        scene.change(.newline("\r\n"))
        scene.make(scene.state.dropping(copied, at: end))
        #expect(scene.notation == "日本-b\ncd\n[日本|]\r\n[b\r\n|][d|]")
    }

    /// If a filter shortens the pieces, the inserted text is selected as one range.
    @Test func piecesThatAreShortenedAreSelectedWithNothingElse() throws {
        let scene = EditingScene("[ab|]-[cd|]-e")
        let copied = try #require(scene.state.selectedCopy)
        scene.options.maximumLength = 10
        scene.make(scene.state.dropping(copied, at: 0))
        #expect(scene.notation == "[ab|]ab-cd-e" || scene.notation == "[ab\n|]ab-cd-e", "\(scene.notation)")
    }

    private struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var dropped = "12ab"
        var taken = "12"
        var change: @Sendable (EditingSession) -> Void
    }

    /// The source of a move deletes the text that the target reports as accepted.
    @Test(arguments: [
        Refusal(testDescription: "maximum length") { $0.options.maximumLength = 5 },
        Refusal(testDescription: "input filter") { $0.options.inputFilter = { $0.filter(\.isNumber) } },
        Refusal(testDescription: "one line", dropped: "1\n2", taken: "1 2") { $0.options.isSingleLine = true },
    ])
    private func aDropTakenInPartIsNotReportedAsTaken(_ test: Refusal) {
        let session = EditingSession(TextStore("old"))
        #expect(session.take(CopiedText(test.dropped), for: session.deferDrop(at: 0)) == .everything)
        session.undo()
        test.change(session)
        #expect(session.take(CopiedText(test.dropped), for: session.deferDrop(at: 0)) == .part)
        #expect(session.text == test.taken + "old")
        session.options.isEditable = false
        #expect(session.take(CopiedText(test.dropped), for: session.deferDrop(at: 0)) == .nothing)
    }

    @Test func aPictureWithoutItsStyleIsReportedAsTakenInPart() {
        let picture = TextAttributes(TextAttachmentKey.self, 1)
        let copied = CopiedText(StyledText(Rope(String(TextAttachment.character)), picture))
        let session = EditingSession(TextStore("old"))
        session.options.acceptsStyles = false
        #expect(session.take(copied, for: session.deferDrop(at: 0)) == .part)
        session.options.acceptsStyles = true
        #expect(session.take(copied, for: session.deferDrop(at: 0)) == .everything)
    }

    /// The source deletes the moved text, so the part that a filter rejects would be lost; the move is refused.
    @Test func aMoveOfWhichAPartIsRefusedIsNotMade() throws {
        let session = EditingSession(TextStore("ab12 "))
        session.select(Selection(anchor: 0, head: 4))
        session.options.inputFilter = { $0.filter(\.isNumber) }
        let dragged = try #require(session.beginDragging()).dragged
        #expect(!session.moveDragged(dragged, to: 5))
        #expect(session.text == "ab12 " && !session.store.canUndo)
        session.options.inputFilter = nil
        #expect(session.moveDragged(dragged, to: 5))
        #expect(session.text == " ab12")
    }

    /// A move within the text does not make it longer, so it is allowed in a text that is full or too long.
    @Test(arguments: [2, 3]) func aMoveWithinAFullTextIsMade(limit: Int) throws {
        let session = EditingSession(TextStore("ab😀"))
        session.options.maximumLength = limit
        session.select(Selection(anchor: 2, head: 4))
        let there = try #require(session.beginDragging()).dragged
        #expect(session.moveDragged(there, to: 0) && session.text == "😀ab")
        session.endDragging(there, deleting: false)
        let back = try #require(session.beginDragging()).dragged
        #expect(session.moveDragged(back, to: 4) && session.text == "ab😀")
    }

    @Test func textInsertedIntoTheDraggedTextStays() throws {
        let scene = EditingScene("a[bcde|]f")
        let dragged = try #require(scene.state.draggedText())
        scene.change(.deferring(dragged))
        scene.select(Selection(caret: 3))
        scene.make(scene.state.inserting("X"))
        let now = try #require(scene.state.deferredEdit(dragged.id))
        scene.make(scene.state.removing(now))
        #expect(scene.notation == "aX|f")
    }

    @Test func secretsAndCaretsCannotBeDragged() {
        let scene = EditingScene("[ab|]")
        #expect(scene.state.draggedText() != nil)
        scene.options.isSecureTextEntry = true
        #expect(scene.state.draggedText() == nil && scene.state.selectedCopy == nil)
        #expect(EditingScene("a|b").state.draggedText() == nil)
    }
}

/// Stands for the key of a picture attachment.
private enum TextAttachmentKey: AttributeKey {
    typealias Value = Int
    static let name = "attachment of drops"
}
