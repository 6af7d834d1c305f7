import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The members of `AsyncTextInput` apart from key entries; each test has a member's name.
@Suite(.timeLimit(.minutes(5))) struct AsyncMemberTests {
    /// Creates a view with the selection marked by `[`, `]` and `|`.
    private func view(_ notation: String, columns: Int = 40) -> AsyncView {
        var text = ""
        var (start, end) = (0, 0)
        for character in notation {
            switch character {
            case "[": start = text.utf16.count
            case "]": end = text.utf16.count
            case "|": (start, end) = (text.utf16.count, text.utf16.count)
            default: text.append(character)
            }
        }
        let view = AsyncView(text, columns: columns)
        view.content.selection = UTF16Offset(start)..<UTF16Offset(end)
        return view
    }

    /// Returns the text with its selection marks.
    private func shown(_ view: AsyncView) -> String {
        guard let selection = view.content.selection else { return view.string }
        let units = Array(view.string.utf16)
        func string(_ range: Range<Int>) -> String { String(decoding: units[range], as: UTF16.self) }
        let (a, b) = (selection.lowerBound.value, selection.upperBound.value)
        let middle = a == b ? "|" : "[\(string(a..<b))]"
        return string(0..<a) + middle + string(b..<units.count)
    }

    // MARK: Selection

    @Test func adjustSelection() {
        let view = view("Hello [world]")
        view.adjustSelection(by: DirectionalTextRange(offset: -6, length: -2))
        #expect(shown(view) == "[Hel]lo world")
        view.adjustSelection(by: DirectionalTextRange(offset: 3, length: -9))
        #expect(shown(view) == "Hel|lo world")
        view.adjustSelection(by: DirectionalTextRange(offset: .min, length: .max))
        #expect(shown(view) == "[Hello world]")
    }

    @Test func insertionOffsetAndMove() {
        let view = view("a👩‍👩‍👧🇩🇪e\u{301}|x")
        view.move(byInsertionOffset: -2)
        #expect(shown(view) == "a👩‍👩‍👧|🇩🇪e\u{301}x")
        view.move(byInsertionOffset: 100)
        #expect(shown(view) == "a👩‍👩‍👧🇩🇪e\u{301}x|")
        #expect(view.insertionOffset(from: view.beginningOfDocument, to: view.endOfDocument) == 5)
        view.move(byInsertionOffset: .min)
        #expect(view.isSelectionAtDocumentStart)
    }

    @Test func moveSelection() {
        let view = view("one |two. Three")
        var moves: [Bool] = []
        for (granularity, direction) in [
            (TextGranularity.word, TextStorageDirection.forward), (.sentence, .forward), (.document, .backward),
            (.document, .backward),
        ] { view.moveSelection(atBoundary: granularity, in: direction) { moves.append($0) } }
        #expect(moves == [true, true, true, false])
        view.moveSelection(atBoundary: .word, in: .forward) { _ in }
        #expect(shown(view) == "one| two. Three")
    }

    @Test func updateSelection() {
        let view = view("one two three|")
        let cell = ReferenceTextView.cell
        func extend(to column: Double, _ granularity: TextGranularity) {
            view.content.selection = 4..<4
            view.updateSelection(extent: ViewPoint(x: column * cell.width, y: 5), boundary: granularity) { #expect($0) }
        }
        extend(to: 9, .character)
        #expect(shown(view) == "one [two t]hree")
        extend(to: 9, .word)
        #expect(shown(view) == "one [two three]")
        extend(to: 2, .character)
        #expect(shown(view) == "on[e ]two three")
        extend(to: 2, .word)
        #expect(shown(view) == "[one ]two three")
    }

    @Test func selectTextAndSelectPosition() {
        let view = view("one two|")
        let cell = ReferenceTextView.cell
        view.selectText(in: .word, at: ViewPoint(x: cell.width * 1.5, y: 5))
        #expect(shown(view) == "[one] two")
        view.selectPosition(at: ViewPoint(x: cell.width * 5, y: 5))
        #expect(shown(view) == "one t|wo")
    }

    @Test func selectedTextIsNilForACaret() {
        #expect(view("a|b").selectedText == nil)
        #expect(view("a[b]").selectedText == "b")
        let none = view("ab|")
        none.selectedTextRange = nil
        #expect(none.selectedText == nil && !none.isSelectionAtDocumentStart)
        #expect(view("[ab]").isSelectionAtDocumentStart && view("|ab").isSelectionAtDocumentStart)
        #expect(!view("a[b]").isSelectionAtDocumentStart)
    }

    // MARK: Editing

    @Test(arguments: [
        ("one two|", TextStorageDirection.backward, TextGranularity.word, "one |"),
        ("one |two", .forward, .word, "one |"),
        ("one two|", .backward, .line, "|"), ("a\none| two", .forward, .paragraph, "a\none|"),
        ("a\none| two\nb", .backward, .paragraph, "a\n| two\nb"), ("ae\u{301}|", .backward, .character, "a|"),
        ("a|👩‍👩‍👧b", .forward, .character, "a|b"), ("a|", .forward, .character, "a|"),
        ("a[bc]d", .forward, .document, "a|d"),
        ("שלום עולם|", .backward, .word, "שלום |"), ("|שלום עולם", .forward, .word, "| עולם"),
    ])
    func delete(_ before: String, _ direction: TextStorageDirection, _ granularity: TextGranularity, _ after: String) {
        let view = view(before)
        view.delete(in: direction, to: granularity)
        #expect(shown(view) == after)
    }

    @Test(arguments: [
        // The selection is the original word.
        ("see [teh] cat", "teh", "see the| cat"),
        // At a caret: the original ends there, or is the word before.
        ("see teh|", "teh", "see the|"), ("see teh |", "teh", "see the |"), ("see teh, |", "teh", "see the, |"),
        // The caret is at the start: the original begins there.
        ("|teh cat", "teh", "the| cat"),
        // The text differs from the original: nothing changes.
        ("see [tea] cat", "teh", "see [tea] cat"), ("see tehx|", "teh", "see tehx|"), ("see xteh|", "teh", "see xteh|"),
        ("teh cat |", "teh", "teh cat |"), ("|tehx", "teh", "|tehx"), ("|", "teh", "|"), ("te|h", "teh", "te|h"),
    ])
    func replaceSelectedText(_ before: String, _ original: String, _ after: String) {
        let view = view(before)
        let caret = view.content.selection
        #expect(view.replaceSelectedText(original, withText: "the") == (before != after))
        // The position of a caret at an end of the corrected text is the view's choice.
        #expect(shown(view).filter { $0 != "|" } == after.filter { $0 != "|" })
        if before == after { #expect(view.content.selection == caret) }
    }

    @Test func secureAndReadOnlyViewsAreNotCorrected() {
        for change in [{ (view: AsyncView) in view.isSecureTextEntry = true }, { $0.isEditable = false }] {
            let view = view("see [teh] cat")
            change(view)
            #expect(!view.replaceSelectedText("teh", withText: "the"))
            view.isSecureTextEntry = false
            #expect(shown(view) == "see [teh] cat")
        }
    }

    @Test func transposeCharactersAroundSelection() {
        for (before, after) in [("ab|c", "acb"), ("a👩‍👩‍👧|b", "ab👩‍👩‍👧"), ("|ab", "ab"), ("ab|", "ab"), ("[ab]c", "abc")] {
            let view = view(before)
            view.transposeCharactersAroundSelection()
            #expect(view.string == after)
        }
    }

    @Test func insertSuggestion() {
        let view = view("Dear Anth|")
        view.insert(TextSuggestion("Anthony", replacing: "Anth"))
        #expect(shown(view) == "Dear Anthony|")
        // The user has typed on meanwhile.
        view.insert(TextSuggestion("Anthony", replacing: "Anth"))
        #expect(shown(view) == "Dear Anthony|")
        view.insert(TextSuggestion(", hello"))
        #expect(shown(view) == "Dear Anthony, hello|")
    }

    // MARK: Context

    @Test func textContextForAutocorrection() {
        func context(_ notation: String) -> TextDocumentContext? {
            var result: TextDocumentContext?
            view(notation).requestTextContextForAutocorrection { result = $0 }
            return result
        }
        #expect(context("|") == TextDocumentContext())
        #expect(context("|a b") == TextDocumentContext(contextAfter: "a b"))
        #expect(context("a [b]") == TextDocumentContext(selectedText: "b", contextBefore: "a "))
        // The context contains the caret's sentence and the one before.
        #expect(
            context("One. Two. Three fo|ur. Five.")
                == TextDocumentContext(contextBefore: "Two. Three fo", contextAfter: "ur. "))
        #expect(
            context("One. Two. |Three.") == TextDocumentContext(contextBefore: "One. Two. ", contextAfter: "Three."))
        let marking = view("a |b")
        marking.setMarkedText("xyz", selectedRange: UTF16Range(location: 1, length: 1))
        let marked = marking.textContextForAutocorrection()
        #expect(marked?.markedText == "xyz" && marked?.selectedText == "y")
        #expect(marked?.selectedRangeInMarkedText == UTF16Range(location: 1, length: 1))
        let secret = view("abc|")
        secret.isSecureTextEntry = true
        #expect(secret.textContextForAutocorrection() == nil)
    }

    /// A sentence may be as long as a novel; it is not sent for each word.
    @Test func theContextIsBounded() throws {
        let view = view(String(repeating: "word ", count: 60_000) + "|")
        let context = try #require(view.textContextForAutocorrection())
        #expect((context.contextBefore?.utf16.count ?? 0) <= 65_536)
        #expect(context.contextBefore?.hasSuffix("word word ") == true)
    }

    // MARK: Alternatives

    @Test func alternativesLiveOnTheirTextAndGoWhenItIsEdited() {
        let view = view("I see the sea|")
        view.add(TextAlternatives("sea", alternatives: ["see", "C"]))
        #expect(view.alternativesForSelectedText()?.alternatives == ["see", "C"])
        // The alternatives move with their text when other text is edited.
        view.content.replace(0..<1, with: "They")
        view.content.selection = 14..<14
        #expect(view.alternativesForSelectedText()?.primary == "sea")
        #expect(!view.choose(alternative: "ocean"))
        #expect(view.choose(alternative: "C"))
        #expect(view.string == "They see the C")
        #expect(view.alternativesForSelectedText() == nil)
        // These alternatives belong to a text that is not at the caret, so they are dropped.
        view.add(TextAlternatives("sea", alternatives: ["see"]))
        #expect(view.alternativesForSelectedText() == nil)
        view.add(TextAlternatives("C", alternatives: ["sea"]))
        view.insertText("s")
        #expect(view.alternativesForSelectedText() == nil)
        view.add(TextAlternatives("Cs", alternatives: ["seas"]))
        view.removeTextAlternatives()
        #expect(!view.choose(alternative: "seas"))
    }

    // MARK: Focus

    @Test func keyboardWillDismiss() {
        final class Page: ReferenceTextView, AsyncTextInput {
            weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
            var log: [String] = []
            func keyboardWillDismiss() { log.append("dismiss") }
            override func doCommand(by command: EditCommand) -> Bool {
                log.append("\(command)")
                return true
            }
        }
        let page = Page("text", columns: 40)
        let focus = FocusSystem()
        let session = InputSession(clock: { 0 })
        let context = TextInputContext(client: page)
        var dismissed: (context: TextInputContext, client: ScrollingClient)?
        focus.onChange = { _ in
            if focus.isKeyboardDismissed {
                let client = ScrollingClient(for: page)
                dismissed = (TextInputContext(client: client), client)
            }
            session.activate(dismissed.flatMap { focus.isKeyboardDismissed ? $0.context : nil } ?? context)
        }
        focus.windowFocusChanged(true)
        focus.makeFirstResponder(page)
        focus.dismissKeyboard()
        focus.dismissKeyboard()
        #expect(page.log == ["dismiss"])
        #expect(focus.firstResponder === page && !focus.isFocused(page))
        // The keyboard is dismissed: keys insert nothing, and caret movements scroll.
        session.handle(KeyEvent(keycode: 38, keysym: 0x61, characters: "a"))
        session.handle(KeyEvent(keycode: 116, keysym: .down))
        session.handle(KeyEvent(keycode: 117, keysym: .pageDown))
        session.handle(KeyEvent(keycode: 22, keysym: .backSpace))
        #expect(page.string == "text")
        #expect(page.log == ["dismiss", "\(EditCommand.scrollLineDown)", "\(EditCommand.scrollPageDown)"])
        // A click shows the keyboard again.
        focus.makeFirstResponder(page)
        #expect(focus.isFocused(page))
        session.handle(KeyEvent(keycode: 38, keysym: 0x61, characters: "a"))
        #expect(page.string == "texta")
        // Another responder always gets a keyboard.
        focus.dismissKeyboard()
        focus.makeFirstResponder(nil)
        #expect(!focus.isKeyboardDismissed)
    }
}
