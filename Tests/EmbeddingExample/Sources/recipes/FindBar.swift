import Inkstone

/// A find bar: a field below a text. Return goes to the next match, Escape back to where the user was.
@MainActor final class FindBar {
    let field: TextView
    private let session: FindSession
    private var observation: TextObservation?

    init(for view: TextView, in window: WidgetWindow, show: @escaping (FindSession.Status) -> Void) {
        field = TextView(in: window)
        field.options.isSingleLine = true
        field.options.placeholder = "Find"
        // The search is on a thread of its own; what it finds comes by the display's loop.
        session = FindSession(in: view) { [poster = window.display.poster] in poster.post($0) }
        session.onChange = { [unowned session] in show(session.status) }
        observation = field.observe { [unowned self] update in
            if update.textChange != nil { session.look(for: field.text) }
        }
        field.onFocusChange = { [unowned session] isFocused in if isFocused { session.begin() } }
        field.onSubmit = { [unowned session] in session.step(.forward) }
        field.onCommand = { [unowned session, weak view] command in
            guard command == .cancelOperation else { return false }
            session.end()
            return view?.focus() ?? false
        }
    }
}
