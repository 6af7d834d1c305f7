import Inkstone

/// The input that the user gives before noticing a question.
extension EditorWindow {
    /// Directs keys to the document until the user notices the question that has just been opened.
    func awaitEarlyInput() {
        life.earlyKeys = EarlyKeys()
        display.performAfterPainting { [weak self] in
            self?.life.earlyKeys.questionDidAppear(at: MonotonicClock.milliseconds)
        }
    }

    /// Whether a key belongs to the document although a question is open, because the user has not noticed the
    /// question yet.
    func isForText(_ key: KeyEvent) -> Bool {
        guard !isClosed, let question = questions.first else { return false }
        let isCommand =
            !life.strokes.isEmpty
            || KeyStroke.candidates(for: key).contains {
                switch view.keyBindings.match([$0]) {
                case .prefix: true
                case .commands(let commands): !Self.commands.isDisjoint(with: commands)
                case .none: false
                }
            }
        return life.earlyKeys.areForText(
            key, at: question, isCommand: isCommand, isClosing: life.state != .asking, now: MonotonicClock.milliseconds)
    }

    /// Whether an edit of an on-screen keyboard belongs to the document although a question is open.
    func keepsEdit() -> Bool {
        guard !isClosed, let question = questions.first else { return false }
        return life.earlyKeys.keepsEdit(
            at: question, isClosing: life.state != .asking, now: MonotonicClock.milliseconds)
    }
}
