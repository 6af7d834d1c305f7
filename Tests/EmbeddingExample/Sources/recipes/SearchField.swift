import Inkstone

/// A search of one's own: a field below a text. Return goes to the next match, Escape back to where the user was.
@MainActor final class SearchField {
    let field: TextView
    private let session: FindSession
    private var observation: TextObservation?

    init(for view: TextView, in window: WidgetWindow, show: @escaping (FindSession.Status) -> Void) {
        field = TextView(in: window)
        field.options.isSingleLine = true
        field.options.placeholder = "Find"
        session = FindSession(in: view)
        session.onChange = { [unowned session] in show(session.status) }
        observation = field.observe { [unowned self] in if $0.textChange != nil { session.search(for: field.text) } }
        field.onSubmit = { [unowned session] in session.step(.forward) }
        field.onCommand = { [unowned session, weak view] command in
            guard command == .cancelOperation else { return false }
            session.end()
            return view?.focus() ?? false
        }
    }
}
