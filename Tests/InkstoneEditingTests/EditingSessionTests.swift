import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// A session without a view.
@Suite(.timeLimit(.minutes(5))) struct EditingSessionTests {
    private static let end = UTF16Range(location: UTF16Range.notFoundLocation, length: 0)

    /// Creates a session of "ab" with "に" marked at the end.
    private func composing() -> EditingSession {
        let session = EditingSession(TextStore("ab"))
        session.select(Selection(caret: 2))
        session.mark("に", over: .composed, selected: Self.end)
        return session
    }

    private func replacing(
        _ range: Range<UTF16Offset>, with text: String, in session: EditingSession, origin: Origin = .program
    ) -> Transaction {
        Transaction(
            on: session.store, TextChangeSet(replacing: range, with: Rope(text), in: session.store.text),
            origin: origin, view: session.id)
    }

    // MARK: Edits by others that delete marked text

    /// Undo never brings back text that was composed and not committed.
    @Test(arguments: [0, 1, 2]) func halfComposedTextThatAnotherDeletesIsNotBroughtBack(_ editsBetween: Int) {
        let session = EditingSession(TextStore("one\ntwo"))
        let other = EditingSession(session.store)
        session.select(Selection(caret: 3))
        session.mark("q", over: .composed, selected: Self.end)
        for _ in 0..<editsBetween { session.store.replace(UTF16Offset(0)..<0, with: "-", undo: .step) }
        let start = UTF16Offset(editsBetween)
        session.mark("qr", over: .composed, selected: Self.end)
        other.select(Selection(anchor: start, head: session.textRange.upperBound))
        other.insert("Z")
        let dashes = String(repeating: "-", count: editsBetween)
        #expect(session.text == dashes + "Z" && session.markedText == nil)
        session.insert("Q", over: .selection)
        var texts: [String] = []
        while session.store.canUndo {
            session.undo()
            texts.append(session.text)
        }
        #expect(texts.first == dashes + "Z" && texts.last == "one\ntwo")
        #expect(texts.allSatisfy { !$0.contains("q") }, "\(texts)")
        while session.store.canRedo { session.redo() }
        #expect(session.text.contains("Z") && session.text.contains("Q") && !session.text.contains("q"))
    }

    @Test func markedTextThatOnlyItsDeletionFollowsLeavesNoStep() {
        let session = composing()
        session.store.replace(UTF16Offset(2)..<3, with: "")
        #expect(session.text == "ab" && session.markedText == nil && !session.store.canUndo)
        session.insert("c")
        session.undo()
        #expect(session.text == "ab" && !session.store.canUndo)
    }

    @Test func anEditThatTakesACompositionBackLendsItsSelectionToNoOther() {
        let session = EditingSession(TextStore("one"))
        session.select(Selection(caret: 3))
        session.mark("q", over: .composed, selected: Self.end)
        session.store.replace(UTF16Offset(3)..<4, with: "", undo: .step)
        #expect(!session.store.canUndo)
        session.select(Selection(caret: 0))
        session.store.replace(UTF16Offset(1)..<1, with: "x", undo: .step)
        session.undo()
        #expect(session.text == "one" && session.selection == Selection(caret: 0))
    }

    @Test func textThatWasComposedAndIsStillThereKeepsAStepOfItsOwn() {
        let session = EditingSession(TextStore("one"))
        session.select(Selection(caret: 3))
        session.mark("qrs", over: .composed, selected: Self.end)
        session.store.replace(UTF16Offset(4)..<5, with: "-", undo: .step)
        #expect(session.text == "oneq-s" && session.markedText == nil)
        session.undo()
        #expect(session.text == "oneqrs")
    }

    // MARK: Edits by the program that touch a composition

    @Test func aTransactionOfTheProgramWaitsForTheEndOfTheComposition() {
        let session = composing()
        #expect(session.dispatch(replacing(1..<3, with: "X", in: session)) == nil)
        #expect(session.text == "abに" && session.markedText?.range == 2..<3, "the user composes on")
        session.mark("日本", over: .composed, selected: Self.end)
        session.replaceText(in: 0..<0, with: "<")
        #expect(session.text == "ab日本", "it comes after one that waits")
        session.unmark()
        #expect(session.markedText == nil)
        #expect(session.text == "<aX", "what took the place of the text is replaced as well")
        session.undo()
        session.undo()
        #expect(session.text == "ab日本", "each is a step of its own")
    }

    @Test func severalSectionsThatWaitKeepTheirTexts() {
        let session = composing()
        var changes = TextChangeSet.Builder(over: session.store.text)
        changes.replace(0..<1 as Range<UTF16Offset>, with: "1")
        changes.replace(2..<3 as Range<UTF16Offset>, with: "23")
        session.dispatch(Transaction(on: session.store, changes.finish(), view: session.id))
        #expect(session.text == "abに")
        session.unmark()
        #expect(session.text == "1b23")
    }

    @Test func theEffectsOfATransactionWaitWithItsText() {
        let session = composing()
        var transaction = replacing(2..<3, with: "XY", in: session)
        transaction.selection = .set(Selection(anchor: 2, head: 3))
        var options = session.options
        options.placeholder = "new"
        transaction.effects = [StateEffect.options(options)]
        session.dispatch(transaction)
        session.store.replace(0..<0 as Range<UTF16Offset>, with: ">")
        #expect(session.text == ">abに" && session.options.placeholder.isEmpty && session.markedText != nil)
        session.unmark()
        #expect(session.text == ">abXY" && session.options.placeholder == "new")
        #expect(session.selection == Selection(anchor: 3, head: 4))
    }

    @Test func aTransactionOfTheUserEndsTheComposition() {
        let session = composing()
        session.filters.append(
            TransactionFilter("patient") { transaction, _ in transaction.origin == .paste ? .wait : .accept })
        #expect(session.dispatch(replacing(0..<1, with: "x", in: session, origin: .paste)) != nil)
        #expect(session.text == "xbに" && session.markedText == nil)
    }

    // MARK: Edits that answer edits

    @Test func aChainOfAnswersThatWaitIsCutOff() {
        let session = composing()
        var refusals: [TextRefusal] = []
        session.store.refusalHandler = { refusals.append($0) }
        for letter in ["x", "y"] { session.replaceText(in: 2..<3, with: letter) }
        var received = 0
        let observation = session.observe { [unowned session] update in
            guard update.applied != nil else { return }
            received += 1
            // A limit, so that the test ends even if the chain is not cut off.
            if received < 1000 { session.replaceText(in: 0..<1, with: received.isMultiple(of: 2) ? "a" : "b") }
        }
        session.unmark()
        #expect(received == 2 * TextStore.roundLimit && refusals == [.endlessAnswers])
        observation.cancel()
        // Later updates work as before, and the number of edits without answers is not limited.
        session.mark("に", over: .composed, selected: Self.end)
        for number in 0...2 * TextStore.roundLimit { session.replaceAllText(with: "\(number)") }
        session.unmark()
        #expect(session.text == "\(2 * TextStore.roundLimit)" && refusals == [.endlessAnswers])
    }

    // MARK: Without a view

    /// Lays out the current text.
    private func geometry(_ session: EditingSession) -> TextGeometry {
        let layout = TextLayoutManager(
            store: session.store, container: TextContainer(width: 400), font: ViewScene.font, settings: FontSettings())
        return TextGeometry(layout, linesPerPage: 10)
    }

    private static let needy: [EditCommand] = [
        .paste, .pasteAsPlainText, .pasteSelection, .scrollLineUp, .scrollPageDown, .scrollToEndOfDocument,
        .centerSelectionInVisibleArea,
    ]

    @Test(arguments: needy) func commandsThatNeedAViewAreRefusedWithoutOne(_ command: EditCommand) {
        let session = composing()
        #expect(!session.canPerform(command))
        #expect(!session.perform(command) { geometry(session) })
        #expect(session.markedText != nil && !session.awaitsText, "nothing has happened")
    }

    @Test func commandsThatNeedNoViewArePerformedWithoutOne() {
        let session = EditingSession(TextStore("ab"))
        func perform(_ command: EditCommand) -> Bool {
            session.canPerform(command) && session.perform(command) { geometry(session) }
        }
        session.select(Selection(anchor: 0, head: 1))
        #expect(perform(.cut) && perform(.moveRight) && perform(.yank) && session.text == "ba")
        #expect(perform(.undo) && session.text == "b")
    }

    @Test func inputDelegatesAreNotifiedOfASessionWithoutAView() {
        final class Listener: TextInputDelegate {
            var log = ""
            func textWillChange(_ textInput: (any TextInput)?) { log += textInput == nil ? "(" : "?" }
            func textDidChange(_ textInput: (any TextInput)?) { log += textInput == nil ? ")" : "?" }
            func selectionWillChange(_ textInput: (any TextInput)?) { log += textInput == nil ? "<" : "?" }
            func selectionDidChange(_ textInput: (any TextInput)?) { log += textInput == nil ? ">" : "?" }
        }
        let session = EditingSession(TextStore("ab"))
        let (first, second) = (Listener(), Listener())
        session.inputDelegate = first
        session.addInputDelegate(second)
        session.replaceText(in: 0..<0, with: "x")
        session.select(Selection(caret: 2))
        session.insert("typed")
        #expect(first.log == "()<>" && second.log == "()<>")
    }
}
