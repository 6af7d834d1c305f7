import InkstoneBase
import InkstoneInput
import InkstoneX11

/// Dead keys and compose sequences where no server takes keys, as if a small input method did it: keys in, answers out.
///
/// The sequence so far is shown as marked text, which Xlib's own local method cannot do.
final class LocalComposer {
    private let state = ComposeState(locale: CharacterLocale.currentName)

    /// Whether a sequence has begun.
    var isComposing: Bool { state.isComposing }

    /// What a key leads to, in order.
    func answers(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] {
        var answers: [InputMethodEvent] = []
        answer(key, ticket: ticket, in: &answers)
        return answers
    }

    /// Appends what a key leads to, in order.
    func answer(_ key: KeyEvent, ticket: KeyTicket, in answers: inout [InputMethodEvent]) {
        guard key.phase != .up, !key.keysym.isModifier else { return answers.append(.key(key, ticket)) }
        let (pending, typed) = (state.pendingText, state.typedText)
        if state.isComposing, key.keysym == .escape || key.keysym == .backSpace {
            state.reset()
            answers += clear(pending)
            return
        }
        switch state.feed(key.keysym) {
        case .plain:
            answers.append(.key(key, ticket))
        case .composing(let text):
            let feedback = state.pending.flatMap { symbol in
                let feedback: PreeditFeedback = symbol.isTyped ? .underline : [.underline, .placeholder]
                return repeatElement(feedback, count: symbol.text.unicodeScalars.count)
            }
            let draw = PreeditDraw(
                caret: feedback.count, changeFirst: 0, changeLength: pending.unicodeScalars.count, text: text,
                feedback: feedback)
            if pending.isEmpty { answers.append(.preeditStart) }
            answers.append(.preeditDraw(draw))
        case .composed(let text, _):
            answers += clear(pending) + [.commit(text)]
        case .cancelled:
            // Both the sequence that came to nothing and the key that ended it are typed.
            answers += clear(pending) + (typed.isEmpty ? [] : [.commit(typed)]) + [.key(key, ticket)]
        }
    }

    /// Forgets a sequence that has begun. What is shown of it is the caller's.
    func reset() { state.reset() }

    private func clear(_ pending: String) -> [InputMethodEvent] {
        let length = pending.unicodeScalars.count
        return [
            .preeditDraw(PreeditDraw(caret: 0, changeFirst: 0, changeLength: length, text: nil)), .preeditDone,
        ]
    }
}
