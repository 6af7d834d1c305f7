package import InkstoneBase
package import InkstoneInput

/// A simulated input method. As with a real method, a matcher of its keys and answers stamps each answer with its
/// key.
package protocol MatchedMethod: InputMethodLink {
    /// The keys that the input method was sent, and its answers. Record each key here in
    /// ``InputMethodLink/forward(_:raw:ticket:)``.
    var matched: MatchedAnswers { get }
}

/// The keys that a simulated method was sent, and its answers.
package final class MatchedAnswers {
    private var matcher: AnswerMatcher?
    private var preedit = PreeditBuffer()

    /// Creates a record without keys and answers.
    package init() {}

    /// Records a key that the input method is sent.
    package func didSend(_ key: KeyEvent, _ ticket: KeyTicket, to method: some InputMethodLink) {
        didSend(key, ticket, isInTurn: !method.traits.returnsKeysOutOfTurn)
    }

    /// Records a key that the input method is sent. `isInTurn`: the method returns a key after the answers to all
    /// keys before it.
    package func didSend(_ key: KeyEvent, _ ticket: KeyTicket, isInTurn: Bool) {
        if matcher == nil { matcher = AnswerMatcher(isInTurn: isInTurn) }
        matcher?.didSend(key, ticket)
    }

    /// Returns the answers, with a `stamp` event before each one that begins an answer: it names the key that is
    /// answered.
    package func stamped(_ events: [InputMethodEvent]) -> [InputMethodEvent] {
        events.flatMap { event in stamp(event).map { [.stamp($0), event] } ?? [event] }
    }

    private func stamp(_ event: InputMethodEvent) -> AnswerStamp? {
        let old = preedit.scalars
        var hasText = false
        var isNothing = false
        switch event {
        case .commit: return matcher?.didCommit(at: 0)
        case .preeditDraw(let draw):
            preedit.apply(draw)
            hasText = draw.text?.isEmpty == false
            isNothing = !hasText && draw.changeLength <= 0
        case .preeditDone:
            preedit.finish()
            isNothing = old.isEmpty
        case .preeditStart: preedit.start()
        case .key(let key, let ticket?): matcher?.didReturn(ticket, isPress: key.phase != .up)
        case .quiet(let ticket): matcher?.markAnswered(through: ticket)
        case .resetReply:
            preedit = PreeditBuffer()
            matcher?.forgetClearing()
        case .key, .preeditCaret, .pause, .stamp: break
        }
        guard event.isOfPreedit else { return nil }
        return matcher?.didDraw(
            hasText: hasText, from: old, to: preedit.scalars, isNothing: isNothing, at: 0, InputTiming())
    }

    /// Returns the loss of the input method after it has been silent for `silence`, and the keys that it has not
    /// answered. Forgets its preedit and its keys.
    package func loss(afterSilence silence: Milliseconds) -> (loss: InputMethodLoss, keys: [KeyEvent]) {
        defer { (matcher, preedit) = (nil, PreeditBuffer()) }
        return matcher?.loss(afterSilence: silence, InputTiming()) ?? (InputMethodLoss(silence: silence), [])
    }
}

extension InputMethodEvent {
    fileprivate var isOfPreedit: Bool {
        switch self {
        case .preeditDraw, .preeditDone: true
        default: false
        }
    }
}

extension InputSession {
    /// Handles answers of the session's method. If the method is a ``MatchedMethod``, stamps the answers first.
    package func deliver(_ events: [InputMethodEvent]) {
        receive((link as? any MatchedMethod)?.matched.stamped(events) ?? events)
    }

    /// Makes the session lose its input method after the method has been silent for a time. Does nothing unless the
    /// method is a ``MatchedMethod``.
    package func lose(afterSilence silence: Milliseconds) {
        guard let method = link as? any MatchedMethod else { return }
        let (loss, keys) = method.matched.loss(afterSilence: silence)
        linkWasLost(loss, owing: keys)
    }
}
