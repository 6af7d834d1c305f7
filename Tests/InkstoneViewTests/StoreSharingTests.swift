import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Views that are created and released while others edit the same text, and hosts that edit in response to edits.
@Suite(.timeLimit(.minutes(5))) struct StoreSharingTests {
    private static let end = UTF16Range(location: UTF16Range.notFoundLocation, length: 0)

    @Test func aReleasedViewIsNotAsked() {
        let store = TextStore("abc")
        var view: EditorView? = EditorView(store: store, font: ViewScene.font)
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
        var view: EditorView? = EditorView(store: store, font: ViewScene.font)
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

    @Test func aHostMayEditWhenItIsNotifiedOfAnEdit() {
        let scene = ViewScene("ab|")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        scene.onEdit = { applied in
            if applied.changes.insertedText(0) == "c" { view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "(") }
        }
        view.insertText("c")
        #expect(CaretNotation(view).description == "(abc|")
        view.session.undo()
        view.session.undo()
        #expect(view.store.text == "ab")
    }

    /// A delegate that edits when it is asked for attributes.
    private final class Editing: TextLayoutManagerDelegate, TextContentStorageDelegate {
        var edits: [() -> Void] = []

        private func edit() { if !edits.isEmpty { edits.removeFirst()() } }

        func textLayoutManager(
            _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in _: any TextElement
        ) -> (any CustomTextLayoutFragment)? {
            edit()
            return nil
        }

        func textContentStorage(_: TextContentStorage, textParagraphWith _: TextParagraph) -> TextParagraph? {
            edit()
            return nil
        }
    }

    /// Edits by a layout delegate while views follow an edit are applied after it, however the delegate makes them.
    @Test(arguments: [true, false]) func aDelegateOfLayoutMayEditWhileAnEditIsFollowed(_ isOfStorage: Bool) {
        let scene = ViewScene("ab|")
        let other = EditorView(store: scene.view.store, font: ViewScene.font)
        defer { withExtendedLifetime((scene, other)) {} }
        let (view, store) = (scene.view, scene.view.store)
        let start = UTF16Offset(0)..<UTF16Offset(0)
        var received: [String] = []
        let observation = store.observeTransactions { received.append($0.changes.insertedText(0).description) }
        let delegate = Editing()
        if isOfStorage {
            (view.layout.textContentManager as? TextContentStorage)?.delegate = delegate
        } else {
            view.layout.delegate = delegate
        }
        view.layout.invalidateLayout()
        _ = view.layout.geometry.caretRect(at: 0)
        let all: [() -> Void] = [
            { #expect(store.replace(start, with: "1").changes.isEmpty) }, { view.insertText("2") },
            { other.insertText("3") }, { view.session.undo() }, { other.select(Selection(caret: 1)) },
            { view.select(Selection(caret: 0)) }, { view.text = "new" },
            { _ = view.layout.textContentDidChange(in: start, to: 0..<1) },
            { _ = other.layout.textContentDidChange(in: start, to: start) },
        ]
        for edit in all {
            delegate.edits = [edit]
            view.layout.invalidateLayout()
            store.replace(start, with: "x")
            _ = view.layout.geometry.caretRect(at: 0)
            #expect(delegate.edits.isEmpty, "it was asked")
            for one in [view, other] {
                #expect(one.layout.length.value == store.text.metrics.utf16 && one.state.text == store.text)
                #expect((one.selection?.primary.range.upperBound ?? 0) <= one.layout.length)
            }
        }
        #expect(received.starts(with: ["x", "1", "x", "2"]), "\(received)")
        withExtendedLifetime(observation) {}
    }

    @Test func aHostMayEditWhenItIsNotifiedOfTheSelection() {
        let host = AnsweringHost("x")
        let view = host.scene.view
        // The other view's edit moves the selection; the host is notified of that during the edit's delivery.
        view.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "")
        #expect(CaretNotation(view).description == "xb|" && host.answers == 2)
    }

    /// A host that edits at each change of the selection.
    @Test(arguments: ["key", "move", "composition", "undo", "click"])
    func aHostMayEditWhileAKeyIsHandled(_ what: String) {
        let host = AnsweringHost("*")
        let scene = host.scene
        let view = scene.view
        switch what {
        case "key":
            view.inputContext.handleEvent(KeyEvent(keysym: 0x63, characters: "c"))
            #expect(scene.state.description == "*abc|")
        case "move":
            view.inputContext.perform(.moveLeft)
            #expect(scene.state.description == "*a|b")
        case "composition":
            view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
            view.insertText("日", replacementRange: .notFound)
            #expect(scene.state.description == "*ab日|")
        case "undo":
            host.answers = 1
            view.insertText("c")
            host.answers = 0
            view.perform(.undo)
            #expect(scene.state.description == "*ab|")
        default:
            scene.click(at: ViewPoint(x: 0, y: 0))
            #expect(scene.state.description == "*|ab")
        }
        #expect(host.answers > 0)
    }

    /// A key that scrolls reports coordinates and the caret's next deadline only after all views have followed the
    /// edit.
    @Test(arguments: ["coordinates", "deadline"])
    func aHostMayEditWhileAKeyScrolls(_ callback: String) {
        let store = TextStore(Rope(String(repeating: "line\n", count: 40)))
        let scene = ViewScene(store: store)
        let other = ViewScene(store: store)
        scene.view.perform(.moveToEndOfDocument)
        scene.view.perform(.scrollToBeginningOfDocument)
        var answers = 0
        let answer = {
            answers += 1
            if answers == 1 { store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "* ") }
        }
        if callback == "coordinates" { scene.onCoordinates = answer } else { scene.onDeadline = answer }
        scene.view.insertText("x")
        #expect(answers > 0 && scene.view.text.hasPrefix("* line\n") && scene.view.text.hasSuffix("line\nx"))
        #expect(scene.view.layout.length == other.view.layout.length && other.view.layout.length == 203)
        #expect(scene.view.primaryCaretRect.map { scene.view.bounds.contains($0.origin) } == true)
    }

    /// A view created during the notifications of a transaction has its text already; it is notified of later
    /// transactions only, completely.
    @Test(arguments: ["observer", "host", "delegate"])
    func aViewMadeDuringTheNotificationOfAnEditIsNotifiedOfTheNext(_ moment: String) {
        final class Maker: TextInputDelegate {
            var onWill: (() -> Void)?
            func textWillChange(_ textInput: (any TextInput)?) { onWill?() }
            func textDidChange(_ textInput: (any TextInput)?) {}
            func selectionWillChange(_ textInput: (any TextInput)?) {}
            func selectionDidChange(_ textInput: (any TextInput)?) {}
        }
        let scene = ViewScene("ab|")
        let store = scene.view.store
        let listener = PairListener()
        var late: ViewScene?
        var received: [String] = []
        var changes: [TextChange] = []
        let make = {
            if late != nil { return }
            let made = ViewScene(store: store)
            made.onEdit = { received.append($0.changes.insertedText(0).description) }
            made.view.inputDelegate = listener
            made.onTextChange = { changes.append($0) }
            late = made
        }
        let maker = Maker()
        var observation: TextObservation?
        switch moment {
        case "observer": observation = store.observeTransactions { _ in make() }
        case "host": scene.onEdit = { _ in make() }
        default:
            maker.onWill = make
            scene.view.inputDelegate = maker
        }
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "x")
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "y")
        // A view created before the first edit is notified of it too, except of its beginning.
        #expect(received == (moment == "delegate" ? ["x", "y"] : ["y"]))
        #expect(changes.count == received.count && changes.allSatisfy { $0.description == "0..<0 → 0..<1" })
        #expect(listener.log == ["will", "did"])
        #expect(late?.view.layout.length == 4)
        withExtendedLifetime(observation) {}
    }

    /// Changes are notified in order, each with its resulting text, even if an observer has edited since.
    @Test func changesAreReportedWithTheTextsThatTheyLeadTo() {
        let scene = ViewScene("[a|]b")
        let view = scene.view
        let observation = view.store.observeTransactions {
            if view.store.text == "ab", $0.origin.isFromInputSystem { view.session.replaceText(in: 0..<0, with: "z") }
        }
        var changes: [TextChange] = []
        scene.onTextChange = { changes.append($0) }
        view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        // The commit equals the text before, so the observer's edit at its end is the only change.
        view.insertText("a", replacementRange: .notFound)
        #expect(view.text == "zab")
        #expect(changes.map(\.description) == ["0..<0 → 0..<1"])
        withExtendedLifetime(observation) {}
    }

    @Test func aPasteThatIsAnsweredLateGoesWhereItWasAskedFor() {
        let scene = ViewScene("a|")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        let paste = view.session.deferPaste()
        for key in ["x", "y", "z"] { view.insertText(key) }
        view.session.paste("PASTED", for: paste)
        #expect(CaretNotation(view).description == "aPASTEDxyz|")
    }

    @Test func twoViewsTakeBackTheirStepsWithTheirOwnSelection() {
        let store = TextStore("one two")
        let scenes = (ViewScene(store: store), ViewScene(store: store))
        defer { withExtendedLifetime(scenes) {} }
        let (a, b) = (scenes.0.view, scenes.1.view)
        a.select(Selection(anchor: 0, head: 3))
        b.select(Selection(caret: 7))
        a.insertText("1")
        #expect(b.selection?.head == 5)
        b.insertText("!")
        b.session.undo()
        #expect(store.text == "1 two" && b.selection?.range == 5..<5)
        b.session.undo()
        #expect(store.text == "one two" && b.selection?.range == 0..<3, "what came back")
        b.session.redo()
        a.session.undo()
        #expect(a.selection?.range == 0..<3)
    }

    @Test func indentingManyParagraphsIsOneTransaction() {
        let scene = ViewScene("")
        defer { withExtendedLifetime(scene) {} }
        let view = scene.view
        view.text = String(repeating: "line\n", count: 2000)
        view.select(Selection(anchor: 0, head: view.textRange.upperBound))
        var received = 0
        let observation = view.store.observeTransactions { _ in received += 1 }
        view.perform(.indent)
        #expect(received == 1 && view.store.text.metrics.bytes == 2000 * 6)
        view.session.undo()
        #expect(received == 2 && view.store.text.metrics.bytes == 2000 * 5)
        withExtendedLifetime(observation) {}
    }
}

/// Records notifications of text changes.
private final class PairListener: TextInputDelegate {
    var log: [String] = []
    func textWillChange(_ textInput: (any TextInput)?) { log.append("will") }
    func textDidChange(_ textInput: (any TextInput)?) { log.append("did") }
    func selectionWillChange(_ textInput: (any TextInput)?) {}
    func selectionDidChange(_ textInput: (any TextInput)?) {}
}

/// A view of "ab" with the caret at the end, whose host inserts text at the start at the first notification of the
/// selection.
private final class AnsweringHost {
    let scene = ViewScene("ab|")
    /// The number of notifications.
    var answers = 0

    init(_ answer: String) {
        scene.onSelection = { [unowned self] in
            answers += 1
            if answers == 1 { scene.view.session.replaceText(in: 0..<0, with: answer) }
        }
    }
}
