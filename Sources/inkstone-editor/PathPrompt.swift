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
        /// Completion by Tab; nil for none.
        var names: PathCompletion.Kind? = .files
        /// What was answered before, the latest first: Up and Down go through it.
        var history: [String] = []
        /// The list that the answer is chosen from; Up and Down go through it.
        var list: EncodingList?
        /// The kind of work that the answer is: one that saves waits for every key before it.
        var kind = InputItemKind.action
    }

    /// Words about the text in the line.
    private struct Note: Equatable {
        var text: String
        /// Whether it says why the text is no answer; else it lists what could be meant.
        var isProblem = false
    }

    /// The list of encodings to choose from.
    let encodings: EncodingList
    private let window: WidgetWindow
    private let main: TextView
    private let font: FontDescriptor
    private var view: TextView?
    private var observation: TextObservation?
    private var answer: ((String) -> Void)?
    /// Called when it is closed without an answer.
    private var giveUp: (() -> Void)?
    private var request = Request(label: "", action: "", hint: "")
    /// Which answer of the history is shown, counted from 1; 0 while it is the user's own.
    private var recalled = 0
    /// What the user had typed before going through the history.
    private var typed = ""
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
        encodings = EncodingList(window.display, sharing: main)
        encodings.onAnswer = { [weak self] in self?.takeInOrder() }
    }

    var isOpen: Bool { answer != nil }

    /// What stands before it.
    var label: String { request.label }

    /// The row below the line: the hint, the completions, or the reason why the text is no answer.
    var hint: String { note?.text ?? request.hint }

    /// Whether ``hint`` says why the text is no answer.
    var isProblem: Bool { note?.isProblem ?? false }

    /// The buttons below that: what stands there is taken, or given up.
    var buttons: [String] { [request.action, "Cancel"] }

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
        if let list = self.request.list, list !== request.list { list.end() }
        self.request = request
        (recalled, typed, note, isAnsweredByPaste) = (0, text, nil, false)
        endCompletion()
        self.answer = answer
        removeView()
        let view = make()
        if request.names == .files { view.session.filters.append(.pathStart(behind: text)) }
        self.view = view
        // Its place first: what is in sight depends on it.
        onChange?()
        view.text = text
        view.store.removeAllUndo()
        let end = view.textRange.upperBound
        view.select(Selection(anchor: request.names == nil || problem != nil ? 0 : end, head: end))
        view.focus()
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
        observation = view.observe { [unowned self] in
            guard $0.textChange != nil else { return }
            endCompletion()
            show(nil as Note?)
            if isOpen { request.list?.textDidChange(self.view?.text ?? "") }
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
        request.list?.end()
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
        case .tab where request.names != nil: window.performInOrder(.action) { [weak self] in self?.complete() }
        case .up where request.list != nil: moveInOrder(by: -1)
        case .down where request.list != nil: moveInOrder(by: 1)
        case .up where !request.history.isEmpty: recall(recalled + 1)
        case .down where !request.history.isEmpty: recall(recalled - 1)
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

    private func moveInOrder(by rows: Int) {
        window.performInOrder(.action) { [weak self] in self?.request.list?.move(by: rows) }
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
        let text = request.list?.answer(to: view.text) ?? view.text
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

    private func recall(_ place: Int) {
        guard let view, (0...request.history.count).contains(place), place != recalled else { return }
        if recalled == 0 { typed = view.text }
        recalled = place
        show(place == 0 ? typed : request.history[place - 1])
    }

    /// Looks for what could be meant. That may be slow, so another thread does it; what is typed meanwhile stands.
    private func complete() {
        guard let view, let kind = request.names, isOpen, completing == nil else { return }
        let text = view.text
        let completion = kind == .files ? PathCompletion(typed: text) : PathCompletion(name: text)
        let poster = window.display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) weak let prompt = self
        do {
            let thread = try BackgroundThread.start {
                let entries = completion.entries(of: kind)
                poster.post { prompt?.take(entries, completion, of: text) }
            }
            pthread_detach(thread)
            completing = text
        } catch {
            show(Note(text: "Not enough system resources to search", isProblem: true))
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
