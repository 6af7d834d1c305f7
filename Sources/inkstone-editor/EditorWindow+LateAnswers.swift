import Inkstone

/// Answers that arrive late: from a disk, from another program, or from a dictionary.
///
/// If the user has continued to type since the request, later keys must still reach the document. So a question is
/// shown as an offer, and instead of a prompt, a menu or a bar there is only a message in the status line. The position
/// of a text to insert is reserved when the text is requested: see ``EditingSession/deferPaste(over:)``.
extension EditorWindow {
    /// Whether the user has typed, or has opened a field for typing, since making a request, such as a command.
    func hasTypedOn(since request: InputMark) -> Bool { life.input != request }

    /// Asks a question that results from a request, after the pending keys and the keys held for the question are
    /// handled. See ``askAboutCommand(_:since:)``.
    func ask(_ question: Question, since request: InputMark) {
        performInOrder(.action) { $0.askAboutCommand(question, since: request) }
    }

    /// Asks a question that results from a request. If the user has typed on since the request, the question is shown
    /// in the offer bar instead, before all other offers.
    func askAboutCommand(_ question: Question, since request: InputMark) {
        if let topic = question.topic { offers.withdraw(topic) }
        guard hasTypedOn(since: request) else {
            handle(.ask)
            return show(question)
        }
        offers.show(question, isFirst: true)
        callUser()
    }

    /// Calls `work`, which opens a prompt, a menu or a bar in answer to a request, after the pending keys. If the user
    /// has typed on since the request, or a question or a menu is open by then, shows the message `notice` instead.
    func open(since request: InputMark, orTell notice: String, _ work: @escaping (EditorWindow) -> Void) {
        performInOrder(.action) { window in
            let isFree = !window.isAsking && !window.window.isMenuOpen && !window.hasTypedOn(since: request)
            if isFree { work(window) } else { window.notify(notice) }
        }
    }
}
