import Glibc
import Inkstone
import InkstoneProxy
import InkstoneWords

/// The on-screen keyboard. Its keys edit the text that has the focus by a text proxy. If there is no proxy, they
/// send key events by XTEST.
final class OnScreenKeyboard {
    private let display: Display
    private let options: KeyboardOptions
    private let controller = InputController(name: "inkstone-keyboard")
    private let keys: FakeKeys?
    private let window: KeyboardWindow
    private var state: KeyboardState
    private var words = WordList()
    private let corrections: Corrections
    /// The D-Bus names of the editors that are still asking the user whether the keyboard may type.
    private var asking: Set<String> = []
    /// The text that the keyboard has marked; nil for none.
    private var marked: String?
    /// The proxy of the text that had the focus last, to which the edits belong. Nil before any text had the focus.
    private var text: TextDocumentProxy?
    /// The pending edits of ``text``.
    private var edits = EditQueue<Edit>()
    /// The timer that ends the wait for another text to take the place of ``text``; nil while there is no such wait.
    private var successorTimer: TimerID?
    /// Whether key events were sent that the focused window may not have received yet.
    private var hasStruck = false

    /// An edit of the text that has the focus, or a key event in its place in the order.
    private enum Edit {
        case text((TextDocumentProxy) -> Void)
        /// A key event. It is sent after the edits before it are made.
        case key(Deed)
    }

    init(_ display: Display, _ options: KeyboardOptions) throws(X11Error) {
        (self.display, self.options) = (display, options)
        state = KeyboardState(layouts: options.layouts)
        keys = FakeKeys(display)
        keys?.likely = state.likelyTexts
        corrections = Corrections(display)
        window = try KeyboardWindow(
            display, face: KeyboardFace(state: state), painter: options.painter(for: display),
            longPress: options.longPress)
        window.onKey = { [weak self] in self?.press($0) }
        window.onChoice = { [weak self] in self?.choose($0) }
        window.onWord = { [weak self] in self?.complete($0) }
        window.onClose = { [weak display] in display?.stop() }
        corrections.onAnswer = { [weak self] in self?.show() }
        // Prepare the key codes before the first click: that may change the keyboard mapping, and a click may get lost
        // while a window manager handles such a change.
        window.onEnter = { [weak self] in self?.prepareKeys() }
        window.isButtonDown = { [weak self] in self?.keys?.isButtonDown ?? true }
    }

    func start() {
        controller.onFocusChange = { [weak self] in self?.followFocus() }
        controller.onTraitsChange = { [weak self] in self?.show() }
        controller.onAccessChange = { [weak self] editor, access in
            guard let self else { return }
            if access == .asked { asking.insert(editor) } else { asking.remove(editor) }
            show()
        }
        controller.start()
        readWords()
        display.addDescriptor(controller.descriptor) { [weak self] in self?.controller.processEvents() }
        display.observeChanges(by: self) { [weak self] change in
            guard let self, change == .settings else { return }
            window.restyle(options.painter(for: display))
        }
        display.observeMonitors(by: self) { [weak self] in self?.window.follow() }
        show()
    }

    func close() {
        window.close()
        keys?.close()
        display.removeDescriptor(controller.descriptor)
        controller.close()
    }

    /// Reads the words of the layout's language on a background thread: a list may have hundreds of thousands of
    /// words.
    private func readWords() {
        struct Reference { weak var keyboard: OnScreenKeyboard? }
        let (language, poster) = (state.layout.language, display.poster)
        words = WordList()
        // `reference` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) let reference = Reference(keyboard: self)
        let thread = try? BackgroundThread.start {
            let list = WordList(language: language)
            poster.post {
                guard let keyboard = reference.keyboard, keyboard.state.layout.language == language else { return }
                keyboard.words = list
                keyboard.show()
            }
        }
        if let thread { pthread_detach(thread) }
    }

    // MARK: Keys and edits

    private func press(_ key: Key) {
        let layout = state.layout
        perform(state.press(key))
        if state.layout != layout {
            keys?.likely = state.likelyTexts
            prepareKeys()
            readWords()
            controller.primaryLanguage = state.layout.language
        }
        show()
        if key.action == .close { display.stop() }
    }

    /// Maps key codes to the letters that are shown. Does nothing if the text has a proxy, since no key events are
    /// needed then.
    private func prepareKeys() {
        if controller.textDocumentProxy == nil { keys?.prepare(for: state.letters) }
    }

    /// Handles the choice among the texts that a held key offers: shows an offered text as marked text, which stays
    /// until the user has chosen; types the chosen text; or takes the offered text back if none is chosen.
    private func choose(_ choice: KeyboardWindow.Choice) {
        switch choice {
        case .shown(let text):
            state.keepBlank()
            perform([.mark(text)])
        case .taken(let text): perform(state.type(text))
        case .dropped:
            // Remove the offered text only if it is still marked: in another text, or after other input, it is not.
            if marked != nil, controller.textDocumentProxy?.markedText == marked { perform([state.withdrawn]) }
        }
        show()
    }

    private func complete(_ index: Int) {
        guard controller.textDocumentProxy != nil, window.face.words.indices.contains(index) else { return }
        let word = window.face.words[index]
        add(
            .text {
                let start = WordList.beginning(in: $0.documentContextBeforeInput)
                $0.replaceText(beforeInput: start, with: word + " ")
            })
        state.ownBlank()
        show()
    }

    /// Performs the effects of a key press. All edits of the text are one undo step. Without a text that takes
    /// them, sends key events instead.
    private func perform(_ deeds: [Deed]) {
        guard !deeds.isEmpty else { return }
        for deed in deeds {
            if case .mark(let text) = deed { marked = text.isEmpty ? nil : text } else { marked = nil }
        }
        let hasText = controller.textDocumentProxy != nil
        // Keep the edits if another text may take the place of the one that has lost the focus: they are for that text.
        guard hasText || edits.awaitsSuccessor else {
            // Replace the pending edits by key events: keys for another program's window must not wait for edits.
            strike(edits.takeSubstitutes() + deeds)
            return
        }
        var made = deeds[...]
        if case .strike? = made.last { made.removeLast() }
        if !made.isEmpty {
            add(.text { for deed in made { $0.perform(deed) } }, substitute: hasText ? [] : Array(made))
        }
        if let key = deeds.dropFirst(made.count).first { add(.key(key), substitute: hasText ? [] : [key]) }
    }

    /// Sends key events to the window with the focus.
    private func strike(_ deeds: [Deed]) {
        for deed in deeds {
            keys?.perform(deed)
            hasStruck = true
        }
    }

    /// Performs an edit, as one undo step, after the edits that are still pending.
    private func add(_ edit: Edit, substitute: [Deed] = []) {
        edits.add(edit, substitute: substitute)
        sendEdits()
    }

    /// Sends the key events that are first in ``edits``, and then the first edit. Does nothing while an edit is in
    /// progress, or while ``text`` does not have the focus.
    private func sendEdits() {
        // Send edits only to the text for which they were made.
        guard let text, text === controller.textDocumentProxy else { return }
        while case .key(let deed)? = edits.next {
            edits.removeFirst()
            strike([deed])
        }
        guard case .text(let edit)? = edits.next else { return }
        // Wait until the keys have been delivered: edits reach the editor by another connection than keys, and must
        // not overtake them.
        if hasStruck { keys?.waitForDelivery() }
        hasStruck = false
        let number = edits.begin()
        let completion: (TextEditStatus) -> Void = { [weak self] in self?.didSend(number, $0) }
        if edits.isUnanswered, text.resend(then: completion) { return }
        text.perform(then: completion, edit)
    }

    private func didSend(_ number: Int, _ status: TextEditStatus) {
        guard edits.isSending(number) else { return }
        edits.didReply(isBusy: status.isToRepeat, isUnanswered: status == .unknown)
        // Send the edit again later if the editor has not applied it: because too many are pending, because another
        // view is taking the place of the text's view, or because of a question that the user has not noticed yet.
        if status.isToRepeat {
            display.schedule(afterMilliseconds: 50) { [weak self] in
                if let self, edits.retry(number) { sendEdits() }
            }
            return
        }
        sendEdits()
        if let proxy = controller.textDocumentProxy { checkMark(proxy) } else { giveUpUnlessAwaiting() }
        // Show the keys again: the reply may differ from what was expected. After a newline was deleted, the reply
        // has the text before it; after one was typed, the reply shows that a paragraph begins.
        show()
    }

    /// Sends key events instead of the edits that wait for a text. Does nothing while a text has the focus, or
    /// while another text may still take the place of the one that has lost the focus.
    private func giveUpUnlessAwaiting() {
        if controller.textDocumentProxy == nil, !edits.awaitsSuccessor { strike(edits.takeSubstitutes()) }
    }

    // MARK: The text with the focus

    /// Forgets the marked text if other input has made it ordinary text.
    private func checkMark(_ proxy: TextDocumentProxy) {
        // Compare only if no edits are pending, which could still mark a text.
        if edits.isEmpty, proxy.markedText != marked { forgetMark() }
    }

    /// Forgets the marked text. Call when it has become ordinary text, or belongs to another view.
    private func forgetMark() {
        marked = nil
        state.forgetAccent()
        window.withdrawOffer()
    }

    private func followFocus() {
        forgetMark()
        state.keepBlank()
        display.cancel(successorTimer)
        successorTimer = nil
        if let proxy = controller.textDocumentProxy {
            // Keep the pending edits if the new view takes the place of the one for which they were made.
            if text.map(proxy.takesPlace) != true { edits.otherTextDidCome() }
            text = proxy
            proxy.inputDelegate = self
            sendEdits()
        } else if edits.awaitsSuccessor {
            // Wait a second for another view that takes the place of the one that has lost the focus.
            successorTimer = display.schedule(afterMilliseconds: 1000) { [weak self] in
                guard let self, controller.textDocumentProxy == nil else { return }
                strike(edits.takeSubstitutes())
            }
        }
        show()
    }

    /// Shows the keys for the present state and the suggested words. Shift is on if a capital letter is expected.
    private func show() {
        let proxy = controller.textDocumentProxy
        state.expectCapital(proxy?.wantsCapital(in: state.layout.language) ?? false)
        var face = KeyboardFace(state: state)
        if let proxy, proxy.markedText == nil, proxy.selectedText == nil {
            // Pass only the end of a long paragraph, to save time: this runs several times for each key.
            let text = proxy.documentContextBeforeInput.map { String($0.suffix(2000)) }
            face.words = words.completions(of: text)
            let others = corrections.words(for: WordList.beginning(in: text), language: state.layout.language)
            face.words = Array((face.words + others.filter { !face.words.contains($0) }).prefix(3))
        }
        if proxy == nil, !asking.isEmpty { face.notice = localized("The editor asks whether this keyboard may type.") }
        window.face = face
    }
}

extension OnScreenKeyboard: InkstoneProxy.TextInputDelegate {
    func selectionWillChange(_ proxy: TextDocumentProxy) {}
    func textWillChange(_ proxy: TextDocumentProxy) {}
    func textDidChange(_ proxy: TextDocumentProxy) {}

    func selectionDidChange(_ proxy: TextDocumentProxy) {
        checkMark(proxy)
        state.keepBlank()
        show()
    }
}

extension TextDocumentProxy {
    fileprivate func perform(_ deed: Deed) {
        switch deed {
        case .insert(let text): insertText(text)
        // Put the caret at the end of the marked text, without a selection, so that the next text replaces all of it.
        case .mark(let text): setMarkedText(text, selectedRange: text.utf16.count..<text.utf16.count)
        case .unmark: unmarkText()
        case .deleteBackward: deleteBackward()
        case .deleteForward: deleteForward()
        case .strike: break
        case .replaceBlank(let mark):
            if documentContextBeforeInput?.hasSuffix(" ") ?? false {
                replaceText(beforeInput: " ", with: mark)
            } else {
                insertText(mark)
            }
        case .move(let count): adjustTextPosition(byCharacterOffset: isRightToLeft ? -count : count)
        }
    }

    /// Whether the paragraph with the caret is right-to-left. The first strong character decides.
    private var isRightToLeft: Bool {
        let text = [documentContextBeforeInput, markedText, selectedText, documentContextAfterInput].compactMap(\.self)
        return BidiProperties.firstStrong(Array(text.joined().utf16)) == 1
    }

    /// Whether the next typed letter should be a capital, in a text of this language.
    fileprivate func wantsCapital(in language: String) -> Bool {
        guard hasContext, markedText == nil else { return false }
        switch traits.autocapitalization {
        case .none: return false
        case .words: return Capitals.isWordStart(after: documentContextBeforeInput)
        case .sentences: return Capitals.isSentenceStart(after: documentContextBeforeInput, in: language)
        case .allCharacters: return true
        }
    }
}
