import Glibc
import Inkstone

/// A line in the status line for typing a file's path, or another answer. The line is a text view with input method,
/// selection, undo and clipboard. Return answers, Escape cancels, Tab completes a path. To reject an answer, open the
/// prompt again with the text and the reason. Each opening creates a new view, so that late input for an earlier view
/// is not inserted.
final class PathPrompt {
    /// The keysym XK_KP_Enter, of the Enter key on the keypad.
    private static let keypadEnter: Keysym = 0xff8d

    /// The purpose of a prompt, and its texts.
    struct Request {
        /// The label before the prompt's line.
        var label: String
        /// The label of the button that accepts the answer.
        var action: String
        /// The sentence about the keys that is shown below the line.
        var hint: String
        /// Whether the answer is a path, which Tab completes.
        var isPath = false
        /// The kind of keyboard that suits the answer, for on-screen keyboards.
        var keyboard = TextInputTraits.KeyboardType.standard
        /// The choices in a list above the line; nil for none. Up and Down move through them.
        var choices: (any PromptChoices)?
        /// The kind of work that the answer starts, which decides how it is ordered among pending keys: a save waits
        /// for all earlier keys.
        var kind = InputItemKind.action
        /// The hint while no choice matches the text in the line; nil for the usual hint.
        var noMatch: String?
    }

    /// A message about the text in the line, shown below the line.
    private struct Note: Equatable {
        var text: String
        /// Whether the message reports a problem, such as the reason why the text was rejected; otherwise it lists
        /// completions.
        var isProblem = false
    }

    /// The list of choices above the prompt's line.
    let list: ChoiceList
    private let window: WidgetWindow
    private let main: TextView
    private let font: FontDescriptor
    private var view: TextView?
    private var observation: TextObservation?
    private var answer: ((String) -> Void)?
    /// Called when the prompt is closed without an answer.
    private var giveUp: (() -> Void)?
    private var request = Request(label: "", action: "", hint: "")
    /// The message below the line, in place of the hint, until the text changes; nil for none.
    private var note: Note?
    /// The text that is being completed while its folder is read; nil if none is, or the text has changed since.
    private var completing: String?
    /// The timer that runs if Return is typed during a completion; nil if none is set. If reading the folder takes
    /// too long, the typed text is the answer.
    private var answerTimer: TimerID?
    /// Whether the prompt is to be answered as soon as a pending paste has arrived.
    private var isAnsweredByPaste = false
    /// Called when the prompt is opened or closed, and when the text below its line changes.
    var onChange: (() -> Void)?
    /// Called when the prompt's line gets the focus.
    var onFocus: (() -> Void)?

    init(in window: WidgetWindow, main: TextView, font: FontDescriptor) {
        self.window = window
        self.main = main
        self.font = font
        list = ChoiceList(window.display, sharing: main)
        list.onAnswer = { [weak self] in self?.takeInOrder() }
        list.onLine = { [weak self] in self?.show($0) }
        list.onChange = { [weak window] in window?.window.setNeedsDisplay($0) }
    }

    var isOpen: Bool { answer != nil }

    /// The label before the prompt's line.
    var label: String { request.label }

    /// The text below the prompt's line: the completions or the reason why the text was rejected, else that no row of
    /// the list matches, else the hint.
    var hint: String { note?.text ?? (list.hasNoRows ? request.noMatch : nil) ?? request.hint }

    /// Whether ``hint`` reports a problem, such as the reason why the text was rejected.
    var isProblem: Bool { note?.isProblem ?? false }

    /// The labels of the buttons below the line: to answer, and to cancel.
    var buttons: [String] { [request.action, Words.cancelShort] }

    /// Shows below the line the reason why a command is not carried out.
    func notify(_ problem: String) {
        if isOpen { show(Note(text: problem, isProblem: true)) }
    }

    /// Performs the action of the button at an index of ``buttons``.
    func press(_ button: Int) {
        if button == 0 { takeInOrder() } else { close() }
    }

    /// Opens the prompt with a text in its line. A prompt that is open already is closed without an answer. The text is
    /// selected, so that typing replaces it; in a path only the name after the folder is. `problem` is the reason why
    /// this text was rejected; then the whole text is selected.
    func open(
        _ request: Request, text: String, problem: String? = nil, giveUp: (() -> Void)? = nil,
        answer: @escaping (String) -> Void
    ) {
        let former = self.giveUp
        self.giveUp = giveUp
        former?()
        list.end()
        self.request = request
        (note, isAnsweredByPaste) = (nil, false)
        endCompletion()
        self.answer = answer
        removeView()
        let view = make()
        if request.isPath { view.session.filters.append(.pathStart(behind: text)) }
        view.accessibleName = request.label
        self.view = view
        // Set the frame before the text: the visible part of the text depends on it.
        onChange?()
        view.text = text
        view.store.removeAllUndo()
        let start = request.isPath && problem == nil ? PathCompletion(typed: text).folder.utf16.count : 0
        view.select(Selection(anchor: UTF16Offset(start), head: view.textRange.upperBound))
        view.focus()
        if let choices = request.choices { list.begin(choices, typed: text) }
        if let problem { show(Note(text: problem, isProblem: true)) }
    }

    /// Removes the prompt's line, which cancels pending pastes into it.
    private func removeView() {
        guard let view else { return }
        (self.view, observation) = (nil, nil)
        window.remove(view)
    }

    private func make() -> TextView {
        var theme = Theme()
        theme.margin = 2
        let view = TextView(in: window, font: font, theme: theme)
        // Accept neither tabs nor newlines: a tab, or the newline at the end of a paste, does not belong to a name.
        view.options.isSingleLine = true
        view.options.tabBehavior = .movesFocus
        view.inputTraits = .literal(request.keyboard, returning: .done)
        view.presenter.cursorView = FieldCursorView()
        observation = view.observe { [unowned self] in
            guard $0.textChange != nil else { return }
            endCompletion()
            show(nil as Note?)
            if isOpen { list.textDidChange(self.view?.text ?? "") }
        }
        view.onPasteFailure = { [weak self] in self?.pasteDidFail($0) }
        view.onPasteEnd = { [weak self] in
            if let self, isAnsweredByPaste { take() }
        }
        view.inputContext.keyBindings = main.inputContext.keyBindings
        view.appearance = main.appearance
        view.onFocusChange = { [weak self] in if $0 { self?.onFocus?() } }
        return view
    }

    /// Closes the prompt without an answer.
    func close() {
        guard isOpen else { return }
        answer = nil
        let giveUp = giveUp
        self.giveUp = nil
        list.end()
        main.focus()
        removeView()
        onChange?()
        giveUp?()
    }

    /// Sets the frame of the prompt's line, in window pixels; if the prompt is closed, the line is outside of the
    /// window.
    func place(_ frame: WindowRect) {
        view?.setFrame(isOpen ? frame : WindowRect(x: -16, y: -16, width: 1, height: 1))
    }

    /// Closes the prompt if the focus is elsewhere, because of a click. Called at each key.
    func closeIfLeft() {
        if let view, isOpen, window.focusedView !== view { close() }
    }

    /// Returns the action that the prompt has for a key that the input method has not used, such as to answer or to
    /// move the choice; nil for other keys, which edit the text.
    func action(for key: KeyEvent) -> (() -> Void)? {
        guard let view, isOpen, window.focusedView === view, key.phase != .up else { return nil }
        switch key.keysym {
        case .escape: return { self.close() }
        case _ where key.isCancel(in: main.keyBindings) && view.inputContext.pendingStrokes.isEmpty:
            return { self.close() }
        case .return, Self.keypadEnter: return { self.takeInOrder() }
        case .tab where request.isPath:
            return { self.window.performInOrder(.action) { [weak self] in self?.complete() } }
        case .up where list.isOpen: return { self.inOrder { $0.move(by: -1) } }
        case .down where list.isOpen, .tab where list.isOpen: return { self.inOrder { $0.move(by: 1) } }
        case .pageUp where list.isOpen: return { self.inOrder { $0.movePage(-1) } }
        case .pageDown where list.isOpen: return { self.inOrder { $0.movePage(1) } }
        default: return nil
        }
    }

    /// Shows why a paste has failed that the answer was waiting for, and keeps the prompt open: the text without the
    /// paste would be another answer than the user intended.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        // An empty clipboard is no failure: the text is complete without the paste.
        guard isAnsweredByPaste, failure != .unavailable else { return }
        isAnsweredByPaste = false
        show(Note(text: failure.description, isProblem: true))
    }

    private func inOrder(_ work: @escaping (ChoiceList) -> Void) {
        window.performInOrder(.action) { [weak self] in if let self, list.isOpen { work(list) } }
    }

    private func takeInOrder() { window.performInOrder(request.kind) { [weak self] in self?.take() } }

    /// Answers with the text in the line, or with the chosen row. Waits for a pending paste, and for a running
    /// completion.
    private func take() {
        guard let answer, let view else { return }
        isAnsweredByPaste = view.session.awaitsText
        if isAnsweredByPaste { return }
        guard completing == nil else {
            guard answerTimer == nil else { return }
            answerTimer = window.display.schedule(afterMilliseconds: 500) { [weak self] in
                self?.endCompletion()
                self?.take()
            }
            return
        }
        let text = list.answer(to: view.text)
        giveUp = nil
        close()
        answer(text)
    }

    // MARK: Completion

    private func show(_ note: Note?) {
        guard isOpen, self.note != note else { return }
        self.note = note
        onChange?()
    }

    private func show(_ text: String) {
        guard let view else { return }
        view.text = text
        view.select(Selection(caret: view.textRange.upperBound))
    }

    /// Completes the path, with its folder read on a background thread because that may be slow. Text typed
    /// meanwhile is kept.
    private func complete() {
        guard let view, isOpen, completing == nil else { return }
        let text = view.text
        let completion = PathCompletion(typed: text)
        let poster = window.display.poster
        // `prompt` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let prompt = self
        do {
            let thread = try BackgroundThread.start {
                let entries = completion.entries
                poster.post { prompt?.take(entries, completion, of: text) }
            }
            pthread_detach(thread)
            completing = text
        } catch {
            show(Note(text: Words.noResourcesToSearch, isProblem: true))
        }
    }

    private func take(_ entries: [PathCompletion.Entry], _ completion: PathCompletion, of text: String) {
        guard isOpen, completing == text else { return }
        let isAnswered = answerTimer != nil
        endCompletion()
        var completion = completion
        completion.take(entries)
        if completion.completed != text { show(completion.completed) }
        show(completion.list.isEmpty ? nil : Note(text: completion.list))
        if isAnswered { take() }
    }

    /// Stops waiting for the folder that is being read for a completion.
    private func endCompletion() {
        completing = nil
        window.display.cancel(answerTimer)
        answerTimer = nil
    }
}

extension TransactionFilter {
    /// Returns a filter that replaces the line where a new path is started: see
    /// ``PathCompletion/begunAnew(by:of:openedWith:)``.
    static func pathStart(behind start: String) -> TransactionFilter {
        TransactionFilter("path-start") { transaction, state in
            guard transaction.origin.isUser,
                let changes = PathCompletion.begunAnew(by: transaction.changes, of: state.text, openedWith: start)
            else { return .accept }
            (transaction.changes, transaction.selection) = (changes, .afterInserted)
            return .accept
        }
    }
}
