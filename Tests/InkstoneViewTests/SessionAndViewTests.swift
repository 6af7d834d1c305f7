import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A session and its view: either may outlive the other, and the view applies everything that comes with an edit.
@Suite(.timeLimit(.minutes(5))) struct SessionAndViewTests {
    private static let end = UTF16Range(location: UTF16Range.notFoundLocation, length: 0)

    // MARK: Sessions that outlive a view

    @Test func aSessionEndsItsCompositionWhenItsViewIsGone() {
        var view: EditorView? = EditorView(store: TextStore("ab"), font: ViewScene.font)
        let session = view?.session
        let context = view?.inputContext
        view?.setMarkedText("に", selectedRange: Self.end, replacementRange: .notFound)
        view = nil
        #expect(session?.inputContext == nil && session?.markedText != nil)
        session?.replaceText(in: 0..<1, with: "x")
        session?.replaceAllText(with: "new", forcing: true)
        #expect(session?.text == "new" && session?.markedText == nil)
        withExtendedLifetime(context) {}
    }

    @Test func anInputContextWithoutItsClientKeepsNoCompositionUp() {
        let view = ViewScene("ab|").view
        view.setMarkedText("に", selectedRange: Self.end, replacementRange: .notFound)
        view.session.inputContext = EditorView(store: TextStore(), font: ViewScene.font).inputContext
        #expect(view.session.inputContext?.client == nil)
        view.session.endComposition()
        #expect(view.markedText == nil && view.text == "abに")
    }

    private final class Listener: TextInputDelegate {
        var log = ""
        func textWillChange(_ textInput: (any TextInput)?) { log += "(" }
        func textDidChange(_ textInput: (any TextInput)?) { log += (textInput as? EditorView)?.text ?? "-" }
        func selectionWillChange(_ textInput: (any TextInput)?) { log += "<" }
        func selectionDidChange(_ textInput: (any TextInput)?) { log += ">" }
    }

    /// A view may be released while its delegates wait for the second notification of a pair.
    @Test func inputDelegatesAreNotifiedOfBothEndsThoughTheViewIsReleasedInBetween() {
        let scene = ViewScene("ab|")
        var other: EditorView? = EditorView(store: scene.view.store, font: ViewScene.font)
        weak let gone = other
        let listener = Listener()
        other?.inputDelegate = listener
        let observation = scene.view.store.observeTransactions { _ in other = nil }
        scene.view.session.replaceText(in: 0..<1, with: "x")
        #expect(listener.log == "(xb")
        #expect(other == nil && gone == nil, "it is held no longer than that")
        withExtendedLifetime(observation) {}
    }

    // MARK: Options that come with an edit

    struct Setting: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout TextInputOptions) -> Void
    }

    private static let settings = [
        Setting(testDescription: "secure") { $0.isSecureTextEntry = true },
        Setting(testDescription: "secure, from right to left") {
            ($0.isSecureTextEntry, $0.baseWritingDirection) = (true, .rightToLeft)
        },
    ]

    /// Creates a view at the end of a text that needs more lines when each letter is a bullet.
    private func scene() -> ViewScene {
        let scene = ViewScene(font: FontDescriptor(family: "DejaVu Sans", size: 14))
        scene.view.text = String(repeating: "ill ", count: 1000)
        scene.view.select(Selection(caret: scene.view.textRange.upperBound))
        return scene
    }

    private func caretIsInSight(_ view: EditorView) -> Bool {
        let caret = view.caretRect(for: view.endOfDocument)
        return caret.minY >= 0 && caret.maxY <= view.bounds.maxY
    }

    @Test(arguments: settings) func anEditRevealsTheCaretAsItsOptionsLayItOut(_ setting: Setting) throws {
        let scene = scene()
        let view = scene.view
        #expect(caretIsInSight(view))
        var updates: [ViewUpdate] = []
        let observation = view.observe { updates.append($0) }
        var transaction = try #require(view.state.inserting("x"))
        var options = view.options
        setting.change(&options)
        transaction.effects = [StateEffect.options(options)]
        view.session.dispatch(transaction)
        #expect(view.isSecureTextEntry && caretIsInSight(view))
        #expect(updates.contains { $0.changes.isSuperset(of: [.text, .scrolling]) })
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: settings) func aSelectionRevealsTheCaretAsItsOptionsLayItOut(_ setting: Setting) {
        let scene = scene()
        let view = scene.view
        view.select(Selection(anchor: 0, head: view.textRange.upperBound))
        #expect(caretIsInSight(view))
        var transaction = view.state.selecting(Selection(caret: view.textRange.upperBound))
        var options = view.options
        setting.change(&options)
        transaction.effects = [StateEffect.options(options)]
        view.session.dispatch(transaction)
        #expect(view.isSecureTextEntry && caretIsInSight(view))
    }

    @Test func optionsThatComeWithAnEditThatRevealsNothingDoNotScroll() throws {
        let scene = scene()
        let view = scene.view
        var transaction = try #require(view.state.inserting("x"))
        transaction.reveal = false
        var options = view.options
        options.isSecureTextEntry = true
        transaction.effects = [StateEffect.options(options)]
        view.session.dispatch(transaction)
        #expect(view.isSecureTextEntry && !caretIsInSight(view), "the text takes more lines")
    }
}
