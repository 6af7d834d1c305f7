import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Views that come and go while others edit the same text, and hosts that edit in answer to edits.
@Suite(.timeLimit(.minutes(5))) struct StoreSharingTests {
    private static let end = UTF16Range(location: UTF16Range.notFoundLocation, length: 0)

    @Test func aReleasedViewIsNotAsked() {
        let store = TextStore("abc")
        var view: EditorView? = EditorView(store: store, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        view?.select(Selection(caret: 2))
        weak let gone = view
        view = nil
        #expect(gone == nil)
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "x")
        #expect(store.text == "xabc")
        #expect(store.undo() == 2..<2, "what it had selected is still known")
    }

    @Test func aViewReleasedInACompositionLeavesNothingOpen() {
        let store = TextStore("")
        var view: EditorView? = EditorView(store: store, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        view?.compositionDidBegin()
        view?.setMarkedText("に", selectedRange: Self.end)
        view = nil
        #expect(store.text == "に" && store.canUndo)
        store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "x")
        store.undo()
        #expect(store.text == "に", "what follows is a step of its own")
        store.undo()
        #expect(store.text == "")
    }

    /// A host that edits when it hears of the text or of the selection.
    private final class Answering: EditorViewHost {
        var onEdit: ((TextEdit) -> Void)?
        var onSelection: (() -> Void)?
        func editorView(_ view: EditorView, needsDisplay rect: ViewRect) {}
        func editorView(_ view: EditorView, didApply edit: TextEdit) { onEdit?(edit) }
        func editorViewSelectionDidChange(_ view: EditorView) { onSelection?() }
    }

    @Test func aHostMayEditWhenItHearsOfAnEdit() {
        let scene = Scene("ab|")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        let host = Answering()
        view.host = host
        host.onEdit = { edit in
            if edit.inserted == "c" { view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "(") }
        }
        view.insertText("c")
        #expect(CaretNotation(view).description == "(abc|")
        view.undo()
        view.undo()
        #expect(view.store.text == "ab")
    }

    @Test func aHostMayEditWhenItHearsOfTheSelection() {
        let scene = Scene("ab|")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        let host = Answering()
        view.host = host
        var answers = 0
        host.onSelection = {
            answers += 1
            if answers == 1 { view.replaceText(in: 0..<0, with: "x") }
        }
        // The edit of another moves the selection, which is heard inside the edit's delivery.
        view.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "")
        #expect(CaretNotation(view).description == "xb|" && answers == 2)
    }

    @Test func aPasteThatIsAnsweredLateGoesWhereItWasAskedFor() {
        let scene = Scene("a|")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        let anchor = view.makeInputAnchor(for: view.selectedRange())
        for key in ["x", "y", "z"] { view.insertText(key) }
        view.paste("PASTED", at: anchor)
        #expect(CaretNotation(view).description == "aPASTEDxyz|")
    }

    @Test func twoViewsTakeBackTheirStepsWithTheirOwnSelection() {
        let store = TextStore("one two")
        let font = FontDescriptor(family: "DejaVu Sans Mono", size: 14)
        let (a, b) = (EditorView(store: store, font: font), EditorView(store: store, font: font))
        a.select(Selection(anchor: 0, head: 3))
        b.select(Selection(caret: 7))
        a.insertText("1")
        #expect(b.selection?.head == 5)
        b.insertText("!")
        b.undo()
        #expect(store.text == "1 two" && b.selection?.range == 5..<5)
        b.undo()
        #expect(store.text == "one two" && b.selection?.range == 0..<3, "what came back")
        b.redo()
        a.undo()
        #expect(a.selection?.range == 0..<3)
    }

    @Test func indentingManyParagraphsIsOneTransaction() {
        let scene = Scene("")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        view.text = String(repeating: "line\n", count: 2000)
        view.select(Selection(anchor: 0, head: view.textRange.upperBound))
        var heard = 0
        let observation = view.store.observeTransactions { _ in heard += 1 }
        view.perform(.indent)
        #expect(heard == 1 && view.store.text.metrics.bytes == 2000 * 6)
        view.undo()
        #expect(heard == 2 && view.store.text.metrics.bytes == 2000 * 5)
        withExtendedLifetime(observation) {}
    }
}
