import InkstoneBase

/// Whether the server has said all that it has to say of what it was sent.
///
/// No server says so, but each answers a query for its locales in its turn: what it says before the answer is not about later keys. One
/// that gives keys back out of turn (ibus) takes everything off its socket before it comes to what the engine has drawn: it is taken to be
/// silent only if it answers several queries, each of them sent after the answer to the one before, with no word between.
///
/// That is a pause, after which keys may follow, and no more: an engine may draw when it finds the time, in a process of its own, of
/// which no answer of the server tells (ibus with anthy draws from an idle handler, milliseconds after it has answered the key). So what
/// acts on the text waits for a report, for which the queries begin only when the server has said nothing for a while since an answer to
/// the last press, or for much longer if there was none.
///
/// A value without a clock: it is told what happens, and when.
struct InputMethodSilence: Sendable {
    /// How many queries in a row it has to answer without a word between.
    var proof = 1
    /// How many it has answered since the last word, or since something was sent to it. -1: one is on its way from before that.
    private var answered = 0
    /// The last press of each window that no report was made of.
    private var unreported: [WindowID: KeyTicket] = [:]
    /// Whether queries are being made for a report.
    private var isProbing = false
    private var lastPress: Milliseconds = -.infinity
    private var lastWord: Milliseconds = -.infinity
    /// Whether a word that was no release has come since the last press was sent.
    private var hasAnswered = false
    /// The key that the server has been sent and is to be done with before it is sent anything else, and whether it has come back.
    private(set) var lone: (key: InputMethodKey, isReturned: Bool)?

    /// Whether it has answered enough queries in a row.
    var isProven: Bool { answered >= proof }

    /// Something was sent that may lead to a word. `isAsking`: a query is on its way.
    mutating func didSend(isAsking: Bool) {
        answered = isAsking ? -1 : 0
        isProbing = false
    }

    /// A key was sent. `isLone`: nothing else will be until the server is done with it.
    mutating func didSend(_ key: InputMethodKey, isAsking: Bool, isLone: Bool, at now: Milliseconds) {
        didSend(isAsking: isAsking)
        if isLone { lone = (key, false) }
        guard key.raw.isPress else { return }
        unreported[key.window] = key.ticket
        lastPress = now
        hasAnswered = false
    }

    /// The server has said something. `isRelease`: a release was given back, which tells nothing of presses.
    mutating func didHear(isRelease: Bool = false, at now: Milliseconds) {
        answered = min(answered, 0)
        isProbing = false
        lastWord = now
        if !isRelease { hasAnswered = true }
    }

    /// The answer to a query has come.
    mutating func didAnswerQuery() { answered += 1 }

    /// Whether a key that comes back is the one that everything waits for: then it is given out when that is over.
    mutating func keeps(_ key: InputMethodKey) -> Bool {
        guard lone?.key == key else { return false }
        lone?.isReturned = true
        return true
    }

    /// What ends the wait for the lone key, in a pause: its window, and the key if it has come back. Nil if there is none.
    mutating func takeLone() -> (window: WindowID, through: KeyTicket, key: InputMethodKey?)? {
        guard let (key, isReturned) = lone else { return nil }
        lone = nil
        return (key.window, key.ticket, isReturned ? key : nil)
    }

    /// The window has no context any more.
    mutating func forget(_ window: WindowID) { unreported[window] = nil }

    /// When the next query for a report is due; nil if there is nothing to report. Soon after an answer, later if the last press has
    /// had none, or any press as far as can be counted: some engines take long for their first key, and some for each, in a process of
    /// their own, while the server answers queries.
    func probeDue(_ timing: InputTiming, isAnswered: Bool) -> Milliseconds? {
        guard !unreported.isEmpty else { return nil }
        return max(lastPress, lastWord) + (hasAnswered && isAnswered ? timing.rest : timing.doubt)
    }

    /// Whether a query is to be made now for a report, or has been and is to be repeated.
    mutating func probes(at now: Milliseconds, isAsking: Bool, isAnswered: Bool, _ timing: InputTiming) -> Bool {
        guard let due = probeDue(timing, isAnswered: isAnswered), due <= now else { return false }
        if !isProbing {
            isProbing = true
            answered = isAsking ? -1 : 0
        }
        return !isProven
    }

    /// For each window, the last press that no answer is to come to any more; empty unless that has just been proven.
    mutating func takeReports() -> [WindowID: KeyTicket] {
        guard isProbing, isProven else { return [:] }
        defer { unreported = [:] }
        isProbing = false
        return unreported
    }
}
