import InkstoneBase
import InkstoneInput
import InkstoneX11

/// A small local input method for keys that no server accepts: dead keys, compose sequences, and characters typed
/// by their numbers. It receives keys and returns answers.
///
/// The incomplete sequence is shown as marked text, which Xlib's own local input method cannot do.
final class LocalComposer {
    private let state = ComposeState(locale: CharacterLocale.currentName)
    private let symbols: (KeyEvent) -> [Keysym]
    private var entry: CharacterCodeEntry?

    /// Creates a composer without an incomplete sequence.
    ///
    /// - Parameter symbols: returns the keysyms of a key with and without Shift, in each group of the keyboard layout.
    init(symbols: @escaping (KeyEvent) -> [Keysym]) { self.symbols = symbols }

    /// Whether a character is being typed by its number.
    var isEnteringCode: Bool { entry != nil }

    /// Whether a key belongs to the character number that is being typed.
    func isOfCode(_ key: KeyEvent) -> Bool { entry?.isOwn(key, symbols: symbols(key)) ?? false }

    /// Starts to type a character by its number; the next key is its first digit. Returns the answers that show the
    /// empty number.
    func beginCode() -> [InputMethodEvent] {
        let begun = CharacterCodeEntry()
        state.reset()
        defer { entry = begun }
        return [.preeditStart, draw(begun.text, over: entry?.text ?? "")]
    }

    /// Cancels the number being typed, because a server has sent a composition or text.
    func abandonCode(in answers: inout [InputMethodEvent]) {
        guard let entry else { return }
        self.entry = nil
        answers += clear(entry.text)
    }

    /// Returns the answers to a key, in order.
    func answers(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] {
        var answers: [InputMethodEvent] = []
        answer(key, ticket: ticket, in: &answers)
        return answers
    }

    /// Appends the answers to a key, in order.
    func answer(_ key: KeyEvent, ticket: KeyTicket, in answers: inout [InputMethodEvent]) {
        if let entry { return answer(key, ticket: ticket, to: entry, in: &answers) }
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
            // The sequence is not in the compose table: commit the characters typed so far, and pass on the key that
            // ended it.
            answers += clear(pending) + (typed.isEmpty ? [] : [.commit(typed)]) + [.key(key, ticket)]
        }
    }

    private func answer(
        _ key: KeyEvent, ticket: KeyTicket, to old: CharacterCodeEntry, in answers: inout [InputMethodEvent]
    ) {
        var entry = old
        let outcome = entry.take(key, symbols: symbols(key))
        self.entry = entry
        switch outcome {
        case .passed:
            answers.append(.key(key, ticket))
        case .shown:
            answers.append(draw(entry.text, over: old.text))
        case .ended(let scalar):
            self.entry = nil
            answers += clear(old.text) + (scalar.map { [.commit(String($0))] } ?? [])
            if key.phase == .up { answers.append(.key(key, ticket)) }
        case .abandoned:
            self.entry = nil
            answers += clear(old.text) + [.key(key, ticket)]
        }
    }

    /// Forgets the incomplete sequence or number. The caller handles its marked text.
    func reset() {
        state.reset()
        entry = nil
    }

    /// Returns the answer that shows the number typed so far. The number is marked as a placeholder: if it is not
    /// completed, none of it is kept as text.
    private func draw(_ text: String, over old: String) -> InputMethodEvent {
        let count = text.unicodeScalars.count
        return .preeditDraw(
            PreeditDraw(
                caret: count, changeFirst: 0, changeLength: old.unicodeScalars.count, text: text,
                feedback: Array(repeating: [.underline, .placeholder], count: count)))
    }

    private func clear(_ pending: String) -> [InputMethodEvent] {
        let length = pending.unicodeScalars.count
        return [
            .preeditDraw(PreeditDraw(caret: 0, changeFirst: 0, changeLength: length, text: nil)), .preeditDone,
        ]
    }
}
