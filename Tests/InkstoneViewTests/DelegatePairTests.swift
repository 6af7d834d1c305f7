import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The input system's delegate is notified, before and after, of each change that the input system has not made,
/// and of no other.
@Suite(.timeLimit(.minutes(5))) struct DelegatePairTests {
    /// Records the notifications with the text at that time.
    private final class Listener: TextInputDelegate {
        var log: [String] = []
        private func text(_ input: (any TextInput)?) -> String { (input as? EditorView)?.text ?? "-" }
        func textWillChange(_ textInput: (any TextInput)?) { log.append("(\(text(textInput))") }
        func textDidChange(_ textInput: (any TextInput)?) { log.append("\(text(textInput)))") }
        func selectionWillChange(_ textInput: (any TextInput)?) { log.append("<") }
        func selectionDidChange(_ textInput: (any TextInput)?) { log.append(">") }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var reported: [String]
        var before: CaretNotation
        var work: @Sendable (EditorView) -> Void
        init(
            _ name: String, _ reported: String..., on before: CaretNotation = "ab|",
            _ work: @escaping @Sendable (EditorView) -> Void
        ) {
            self.name = name
            self.reported = reported
            self.before = before
            self.work = work
        }
        var testDescription: String { name }
    }

    private static let caretAtEnd = UTF16Range(location: 1, length: 0)

    @Test(arguments: [
        // Changes made by the input system itself.
        Case("insertText") { $0.insertText("x") },
        Case("deleteBackward") { $0.deleteBackward() },
        Case("replace") { $0.replace($0.range(0, 1), withText: "x") },
        Case("select by the contract") { $0.selectedTextRange = $0.range(0, 1) },
        Case("a whole composition") {
            $0.setMarkedText("x", selectedRange: caretAtEnd)
            $0.setMarkedText("y", selectedRange: caretAtEnd, replacementRange: UTF16Range(location: 0, length: 1))
            $0.deleteBackward()
            $0.setMarkedText("z", selectedRange: caretAtEnd)
            $0.unmarkText()
            $0.insertText("w", replacementRange: .notFound)
        },
        Case("late answers") { $0.replaceText(at: $0.makeInputAnchor(for: .notFound), with: "x") },
        Case("keys that type") {
            $0.perform(.insertNewline)
            $0.perform(.deleteBackward)
        },
        // Changes made by others.
        Case("apply", "(ab", "xb)") { $0.session.replaceText(in: 0..<1, with: "x") },
        Case("setting the text", "(ab", "new)") { $0.text = "new" },
        Case("an echo") { $0.text = "ab" },
        Case("paste", "(ab", "abx)") { $0.session.paste("x") },
        Case("paste or drop at a place", "(ab", "xab)") {
            $0.session.paste("x", for: $0.session.deferPaste(over: 0..<0))
        },
        Case("cut", "(ab", "a)", on: "a[b|]") { $0.perform(.cut) },
        Case("delete a word", "(ab", ")") { $0.perform(.deleteWordBackward) },
        Case("delete forward", "(ab", "b)", on: "|ab") { $0.perform(.deleteForward) },
        Case("a move", "<", ">") { $0.perform(.moveLeft) },
        Case("a move that leads nowhere") { $0.perform(.moveRight) },
        Case("select all", "<", ">") { $0.perform(.selectAll) },
        Case("a click", "<", ">") {
            $0.point(.press(.primary), at: ViewPoint(x: 0, y: 0))
            $0.point(.release(.primary), at: ViewPoint(x: 0, y: 0))
        },
        Case("a drag", "<", ">", "<", ">") {
            $0.point(.press(.primary), at: ViewPoint(x: 0, y: 0))
            $0.point(.motion, at: ViewPoint(x: 390, y: 0))
        },
        Case("an edit of the store", "(ab", "xb)") {
            $0.store.replace(Range<UTF16Offset>(uncheckedBounds: (0, 1)), with: "x")
        },
        Case("undo of nothing") {
            $0.store.removeAllUndo()
            $0.session.undo()
        },
    ])
    func eachChangeIsReportedAsTheContractRequires(_ test: Case) {
        let scene = ViewScene(test.before)
        let listener = Listener()
        scene.view.inputDelegate = listener
        test.work(scene.view)
        #expect(listener.log == test.reported)
    }

    @Test func undoAndRedoOfSeveralEditsAreOnePairEach() {
        let scene = ViewScene("ab|")
        let group = UndoJoining.group(UndoGroupID())
        scene.view.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "x", undo: group)
        scene.view.store.replace(UTF16Offset(1)..<UTF16Offset(2), with: "y", undo: group)
        let listener = Listener()
        scene.view.inputDelegate = listener
        scene.view.session.undo()
        scene.view.session.redo()
        #expect(listener.log == ["(xy", "ab)", "(ab", "xy)"])
    }

    @Test func aDeferredEditIsReportedWhenItIsMade() {
        let scene = ViewScene("ab|")
        let listener = Listener()
        scene.view.inputDelegate = listener
        scene.view.setMarkedText("に", selectedRange: Self.caretAtEnd)
        scene.view.session.replaceText(in: 0..<1, with: "x")
        #expect(listener.log == ["(abに", "xbに)"])
        scene.view.session.replaceText(in: 2..<3, with: "y")
        scene.view.session.replaceText(in: 0..<1, with: "z")
        #expect(listener.log.count == 2)
        scene.view.insertText("日", replacementRange: .notFound)
        #expect(listener.log.dropFirst(2) == ["(xb日", "xby)", "(xby", "zby)"])
    }

    @Test func pairsStayPairsWhenTheDelegateEditsInThem() {
        final class Meddler: TextInputDelegate {
            var depth = 0
            var deepest = 0
            var rounds = 0
            func textWillChange(_ textInput: (any TextInput)?) {
                depth += 1
                deepest = max(deepest, depth)
                (textInput as? EditorView)?.session.replaceText(in: 0..<0, with: "w")
            }
            func textDidChange(_ textInput: (any TextInput)?) {
                depth -= 1
                rounds += 1
                if rounds < 3 { (textInput as? EditorView)?.session.replaceText(in: 0..<0, with: "d") }
            }
            func selectionWillChange(_ textInput: (any TextInput)?) { depth += 1 }
            func selectionDidChange(_ textInput: (any TextInput)?) { depth -= 1 }
        }
        let scene = ViewScene("|")
        let meddler = Meddler()
        scene.view.inputDelegate = meddler
        scene.view.session.paste("x")
        #expect(meddler.depth == 0 && meddler.deepest == 1 && meddler.rounds == 3)
        #expect(scene.view.text.filter { $0 == "x" } == "x")
    }

    @Test func theDelegateIsHeldWeakly() {
        let scene = ViewScene("ab|")
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            scene.view.inputDelegate = listener
        }
        #expect(gone == nil && scene.view.inputDelegate == nil)
        scene.view.session.paste("x")
        #expect(scene.view.text == "abx")
    }
}
