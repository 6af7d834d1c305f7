import Glibc
import Inkstone

/// A line in the status strip that the name of a file, or some other answer, is typed into: a text view like any other, with input
/// method, selection, undo and clipboard. Return takes it, Escape gives it up; Tab completes a name. Who finds that the text is no answer opens it
/// again with that text and the reason. Each opening has a view of its own, so that nothing arrives that was meant for another one.
final class PathPrompt {
    /// XK_KP_Enter.
    private static let keypadEnter: Keysym = 0xff8d

    /// What the line is for.
    struct Request {
        /// What stands before it.
        var label: String
        /// Label of the button that takes the answer.
        var action: String
        /// Words on what its keys do.
        var hint: String
        /// Whether a path is typed, which Tab completes.
        var isPath = false
        /// Choices in a list above the line; Up and Down go through it.
        var choices: (any PromptChoices)?
        /// The kind of work that the answer is: one that saves waits for every key before it.
        var kind = InputItemKind.action
    }

    /// Words about the text in the line.
    private struct Note: Equatable {
        var text: String
        /// Whether it says why the text is no answer; else it lists what could be meant.
        var isProblem = false
    }

    /// The list to choose from.
    let list: ChoiceList
    private let window: WidgetWindow
    private let main: TextView
    private let font: FontDescriptor
    private var view: TextView?
    private var observation: TextObservation?
    private var answer: ((String) -> Void)?
    /// Called when it is closed without an answer.
    private var giveUp: (() -> Void)?
    private var request = Request(label: "", action: "", hint: "")
    /// The message below the line in place of the hint, until another text is in it.
    private var note: Note?
    /// The text that is being completed, while a folder is read; nil as soon as it is another one.
    private var completing: String?
    /// Comes if Return was struck meanwhile, and the folder takes longer than anybody waits: then the text is the answer as it stands.
    private var answerTimer: TimerID?
    /// Whether the text is the answer as soon as what is to be pasted into it has come.
    private var isAnsweredByPaste = false
    /// It was opened or closed.
    var onChange: (() -> Void)?
    /// Keys go to it from now on.
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

    /// What stands before it.
    var label: String { request.label }

    /// The row below the line: the hint, the completions, or the reason why the text is no answer.
    var hint: String { note?.text ?? request.hint }

    /// Whether ``hint`` says why the text is no answer.
    var isProblem: Bool { note?.isProblem ?? false }

    /// The buttons below that: what stands there is taken, or given up.
    var buttons: [String] { [request.action, Words.cancelShort] }

    /// Does what a button of ``buttons`` is for.
    func press(_ button: Int) {
        if button == 0 { takeInOrder() } else { close() }
    }

    /// Asks for a name, or something else, starting from a text: for a path to go on from, else to be replaced by what is typed. With a
    /// `problem` the text was answered before and is none, for that reason: it is replaced by what is typed, too.
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
        // Its place first: what is in sight depends on it.
        onChange?()
        view.text = text
        view.store.removeAllUndo()
        let end = view.textRange.upperBound
        view.select(Selection(anchor: !request.isPath || problem != nil ? 0 : end, head: end))
        view.focus()
        if let choices = request.choices { list.begin(choices, typed: text) }
        if let problem { show(Note(text: problem, isProblem: true)) }
    }

    /// Takes the line away, and with it what was asked for to be pasted into it.
    private func removeView() {
        guard let view else { return }
        (self.view, observation) = (nil, nil)
        window.remove(view)
    }

    private func make() -> TextView {
        var theme = Theme()
        theme.margin = 2
        let view = TextView(in: window, font: font, theme: theme)
        // Tab is no part of a name, nor is the newline at the end of a paste.
        view.options.isSingleLine = true
        view.options.tabBehavior = .movesFocus
        view.cursorView = FieldCursorView()
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

    /// Gives it up.
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

    /// Where it lies while it is open, in window pixels.
    func place(_ frame: WindowRect) {
        view?.setFrame(isOpen ? frame : WindowRect(x: -16, y: -16, width: 1, height: 1))
    }

    /// Takes the keys that end it; all others are for the text.
    func intercept(_ key: KeyEvent) -> Bool {
        guard let view, isOpen else { return false }
        // A click took the user elsewhere.
        guard window.focusedView === view else {
            close()
            return false
        }
        // During a composition these are the input method's.
        guard key.phase != .up, view.markedText == nil else { return false }
        switch key.keysym {
        case .escape: close()
        case _ where key.isCancel(in: main.keyBindings) && view.inputContext.pendingStrokes.isEmpty: close()
        case .return, Self.keypadEnter:
            takeInOrder()
        case .tab where request.isPath: window.performInOrder(.action) { [weak self] in self?.complete() }
        case .up where list.isOpen: inOrder { $0.move(by: -1) }
        case .down where list.isOpen, .tab where list.isOpen: inOrder { $0.move(by: 1) }
        case .pageUp where list.isOpen: inOrder { $0.movePage(-1) }
        case .pageDown where list.isOpen: inOrder { $0.movePage(1) }
        default: return false
        }
        return true
    }

    /// Leaves the line open: the answer would be another one than was meant.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        // With nothing to be pasted the text is as it stands.
        guard isAnsweredByPaste, failure != .unavailable else { return }
        isAnsweredByPaste = false
        show(Note(text: failure.description, isProblem: true))
    }

    private func inOrder(_ work: @escaping (ChoiceList) -> Void) {
        window.performInOrder(.action) { [weak self] in if let self, list.isOpen { work(list) } }
    }

    private func takeInOrder() { window.performInOrder(request.kind) { [weak self] in self?.take() } }

    /// Takes the text of the field as the answer, completed, or what is chosen in the list.
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

    /// Looks for what could be meant. That may be slow, so another thread does it; what is typed meanwhile stands.
    private func complete() {
        guard let view, isOpen, completing == nil else { return }
        let text = view.text
        let completion = PathCompletion(typed: text)
        let poster = window.display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
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

    /// Waits for no folder any more.
    private func endCompletion() {
        completing = nil
        window.display.cancel(answerTimer)
        answerTimer = nil
    }
}

extension TransactionFilter {
    /// Has a path begin anew where one begins: see ``PathCompletion/begunAnew(by:of:openedWith:)``.
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
