import Inkstone

/// A line in the status strip that the name of a file is typed into: a text view like any other, with input method,
/// selection, undo and clipboard. Return takes it, Escape gives it up.
final class PathPrompt {
    /// XK_KP_Enter.
    private static let keypadEnter: Keysym = 0xff8d

    private let window: WidgetWindow
    private let main: TextView
    private let font: FontDescriptor
    private var view: TextView?
    private var answer: ((String) -> Void)?
    /// What stands before it.
    private(set) var label = ""
    /// What its keys do.
    private(set) var hint = ""
    /// It was opened or closed.
    var onChange: (() -> Void)?

    init(in window: WidgetWindow, main: TextView, font: FontDescriptor) {
        self.window = window
        self.main = main
        self.font = font
    }

    var isOpen: Bool { answer != nil }

    /// Asks for a name, or something else, starting from this one, with the caret at its end.
    func open(
        label: String, text: String, hint: String = "Return saves, Escape gives up", answer: @escaping (String) -> Void
    ) {
        (self.label, self.hint) = (label, hint)
        self.answer = answer
        let view = view ?? make()
        self.view = view
        // Its place first: what is in sight depends on it.
        onChange?()
        view.text = text
        view.store.removeAllUndo()
        view.select(Selection(caret: view.textRange.upperBound))
        view.focus()
    }

    private func make() -> TextView {
        var theme = Theme()
        theme.margin = 2
        let view = TextView(in: window, font: font, theme: theme)
        // Tab is no part of a name, nor is the newline at the end of a paste.
        view.options.isSingleLine = true
        view.options.tabBehavior = .movesFocus
        view.inputContext.keyBindings = main.inputContext.keyBindings
        view.appearance = main.appearance
        return view
    }

    /// Gives it up.
    func close() {
        guard isOpen else { return }
        answer = nil
        main.focus()
        onChange?()
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
        case .return, Self.keypadEnter:
            window.performInOrder { [weak self] in
                guard let self, let answer else { return }
                let text = view.text
                close()
                answer(text)
            }
        default: return false
        }
        return true
    }
}
