import InkstoneBase

/// A detector of the time when the server has no more output for the keys and requests sent to it.
///
/// No server states this. But each server answers a query for its locales in turn. So output that comes before the
/// answer is not for keys sent after the query. A server that returns keys out of turn (ibus) reads everything from its
/// socket before it handles what the engine has drawn. Such a server counts as silent only if it answers several
/// queries with no output between the answers. Each query must be sent after the answer to the one before.
///
/// This proves only a pause, in which further keys may be sent. An engine in a process of its own may draw at any time,
/// independently of the server's answers (ibus with anthy draws from an idle handler, milliseconds after it has
/// answered the key). So code that acts on the text waits for a report that the server is quiet (``takeReports()``),
/// which takes further queries. These begin when the server has been silent for a while after an answer to the last
/// press. If there was no answer, they begin much later.
///
/// This value has no clock: its inputs are events and their times.
struct InputMethodSilence: Sendable {
    /// The number of queries that the server must answer in a row, without output between the answers, to count as
    /// silent.
    var requiredReplies = 1
    /// The number of queries answered since the last output or request. -1 while a query is pending that was sent
    /// before the last request; the answer to it does not count.
    private var answered = 0
    /// The last press in each window for which it was not reported yet that the server is quiet.
    private var unreported: [WindowID: KeyTicket] = [:]
    /// Whether queries are in progress to find out whether the server is quiet.
    private var isProbing = false
    /// The time at which the last press was sent to the server.
    private var lastPress: Milliseconds = -.infinity
    /// The time of the server's last output.
    private var lastWord: Milliseconds = -.infinity
    /// Whether the server has sent output since the last press was sent to it. The return of a release does not count.
    private var hasAnswered = false
    /// The serialized key, and whether it was returned; nil if there is none. After a serialized key, nothing is sent until the
    /// server has finished with it.
    private(set) var serializedKey: (key: InputMethodKey, isReturned: Bool)?

    /// Whether the server has answered ``requiredReplies`` queries in a row without output between them.
    var isSilent: Bool { answered >= requiredReplies }

    /// Records a request that may cause output. `isAsking`: whether a query is pending.
    mutating func didSend(isAsking: Bool) {
        answered = isAsking ? -1 : 0
        isProbing = false
    }

    /// Records a sent key.
    ///
    /// - Parameters:
    ///   - isAsking: whether a query is pending.
    ///   - isSerialized: whether nothing else is sent until the server has finished with the key.
    mutating func didSend(_ key: InputMethodKey, isAsking: Bool, isSerialized: Bool, at now: Milliseconds) {
        didSend(isAsking: isAsking)
        if isSerialized { serializedKey = (key, false) }
        guard key.raw.isPress else { return }
        unreported[key.window] = key.ticket
        lastPress = now
        hasAnswered = false
    }

    /// Records output of the server.
    ///
    /// - Parameter isRelease: whether the output is a returned release. A returned release is no evidence about
    ///   presses.
    mutating func didReceiveOutput(isRelease: Bool = false, at now: Milliseconds) {
        answered = min(answered, 0)
        isProbing = false
        lastWord = now
        if !isRelease { hasAnswered = true }
    }

    mutating func didAnswerQuery() { answered += 1 }

    /// Whether a returned key is the key in ``serializedKey``. If so, the key is kept here, and delivered when the wait for it
    /// ends.
    mutating func keeps(_ key: InputMethodKey) -> Bool {
        guard serializedKey?.key == key else { return false }
        serializedKey?.isReturned = true
        return true
    }

    /// Ends the wait for the serialized key, because the server pauses. Returns the key's window and ticket; also the key
    /// itself if it was returned. Nil if there is no serialized key.
    mutating func takeSerializedKey() -> (window: WindowID, through: KeyTicket, key: InputMethodKey?)? {
        guard let (key, isReturned) = serializedKey else { return nil }
        serializedKey = nil
        return (key.window, key.ticket, isReturned ? key : nil)
    }

    /// Forgets a window that has lost its context.
    mutating func forget(_ window: WindowID) { unreported[window] = nil }

    /// Returns the time of the next query that is to show whether the server is quiet; nil if this was reported for all
    /// presses. The query comes soon after an answer. It comes later if the last press is unanswered, because some
    /// engines need long for their first key. It also comes later if `isAnswered` is false: some engines are processes
    /// of their own and need long for each key, while the server answers queries.
    func probeDue(_ timing: InputTiming, isAnswered: Bool) -> Milliseconds? {
        guard !unreported.isEmpty else { return nil }
        return max(lastPress, lastWord) + (hasAnswered && isAnswered ? timing.quiescence : timing.probeDelay)
    }

    /// Returns whether to query the server now to find out whether it is quiet. This may be the first query or a
    /// further one.
    mutating func probes(at now: Milliseconds, isAsking: Bool, isAnswered: Bool, _ timing: InputTiming) -> Bool {
        guard let due = probeDue(timing, isAnswered: isAnswered), due <= now else { return false }
        if !isProbing {
            isProbing = true
            answered = isAsking ? -1 : 0
        }
        return !isSilent
    }

    /// Returns the last press in each window if the server was just found to be quiet, and marks these presses as
    /// reported. Otherwise returns none.
    mutating func takeReports() -> [WindowID: KeyTicket] {
        guard isProbing, isSilent else { return [:] }
        defer { unreported = [:] }
        isProbing = false
        return unreported
    }
}
