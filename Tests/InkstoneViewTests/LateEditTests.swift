import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A program that edits the text itself while it is asked about, or notified of, an edit in a view.
@Suite(.timeLimit(.minutes(5))) struct LateEditTests {
    private final class Meddler: EditingSessionDelegate, TextInputDelegate {
        var isArmed = true

        func meddle(in store: TextStore) {
            guard isArmed else { return }
            isArmed = false
            store.replace(UTF16Offset(0)..<UTF16Offset(0), with: ">>>> ", view: nil)
        }

        func session(
            _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
        ) -> Bool {
            meddle(in: session.store)
            return true
        }
        func textWillChange(_ input: (any TextInput)?) { if let view = input as? EditorView { meddle(in: view.store) } }
        func textDidChange(_ input: (any TextInput)?) {}
        func selectionWillChange(_ input: (any TextInput)?) {}
        func selectionDidChange(_ input: (any TextInput)?) {}
    }

    enum Moment: CaseIterable { case asked, reported }

    private func scene(_ notation: CaretNotation, _ moment: Moment) -> (EditorView, Meddler) {
        let view = ViewScene(notation).view
        let meddler = Meddler()
        if moment == .asked { view.session.delegate = meddler } else { view.inputDelegate = meddler }
        return (view, meddler)
    }

    @Test(arguments: Moment.allCases) func undoSelectsWhatWasReplaced(_ moment: Moment) {
        let (view, meddler) = scene("one [two|]", moment)
        view.session.paste("2")
        #expect(view.text == ">>>> one 2" && !meddler.isArmed)
        view.session.undo()
        #expect(view.text == ">>>> one two" && view.selection == Selection(anchor: 9, head: 12))
    }

    @Test(arguments: Moment.allCases) func draggedTextIsSelectedAfterTheMove(_ moment: Moment) throws {
        let (view, meddler) = scene("one [two|] three", moment)
        let dragged = try #require(view.session.beginDragging()).dragged
        #expect(view.moveDragged(dragged, to: ViewPoint(x: 0, y: 0)))
        #expect(view.text == ">>>> twoone  three" && !meddler.isArmed)
        #expect(view.selection == Selection(anchor: 5, head: 8))
    }

    /// A drag source may take seconds to send the dropped text; scrolling and edits meanwhile do not change its
    /// destination.
    @Test func droppedTextIsInsertedWhereItWasDropped() {
        let view = ViewScene("one two|").view
        let caret = view.caretRect(for: view.store.position(at: 4))
        let drop = view.deferDrop(at: ViewPoint(x: caret.minX, y: caret.minY + 1))
        view.store.replace(0..<0 as Range<UTF16Offset>, with: "above\n", view: nil)
        #expect(view.session.drop(CopiedText("new "), for: drop))
        #expect(view.text == "above\none new two" && view.selection == Selection(anchor: 10, head: 14))
        #expect(!view.session.drop(CopiedText("new "), for: drop), "once")
        let other = view.deferDrop(at: ViewPoint(x: 0, y: 0))
        view.session.cancelPaste(other)
        #expect(!view.session.drop(CopiedText("new "), for: other))
    }

    @Test func allTextThatIsReplacedLeavesTheCaretAtItsStart() {
        let (view, meddler) = scene("one tw|o", .reported)
        view.text = "three"
        #expect(view.text == ">>>> three" && !meddler.isArmed && view.selection == Selection(caret: 5))
    }
}
