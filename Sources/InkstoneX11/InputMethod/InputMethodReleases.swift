import InkstoneBase

/// The releases that were sent to a server such as ibus and have not been returned yet.
///
/// ibus passes keys to an engine in a process of its own, and returns each release when the engine has handled it. The
/// engine handles keys in order. So while a release is pending, the engine is still at work on the keys before it,
/// even if ibus itself answers queries: on a busy machine, an engine may be behind by hundreds of keys. A reset that
/// comes then is no harmless request. ibus commits the present preedit at once, and the engine commits it again with
/// its next key.
///
/// An engine may also consume releases, and then they are never returned. So a release is awaited only after
/// ``proof`` releases in a row were returned, and only for a limited time (``isAwaiting(at:since:_:)``).
struct InputMethodReleases: Sendable {
    /// The number of releases that must be returned in a row before one is awaited.
    static let proof = 8
    /// The maximum number of pending releases. Beyond it, the oldest are forgotten.
    private static let limit = 8192

    /// The pending releases, in the order in which they were sent: their key numbers and windows.
    private var pending: [(number: UInt64, window: WindowID)] = []
    /// The number of releases returned in a row.
    private var inRow = 0
    /// The time at which the last release was sent.
    private var lastSent: Milliseconds = -.infinity

    /// Records a release that is sent to the server.
    mutating func didSend(_ number: UInt64, in window: WindowID, at now: Milliseconds) {
        if pending.count >= Self.limit { pending.removeFirst(Self.limit / 2) }
        pending.append((number, window))
        lastSent = now
    }

    /// Records that the server did not accept the release.
    mutating func didRefuse(_ number: UInt64) { pending.removeAll { $0.number == number } }

    /// Records a returned release. The releases sent before it were consumed.
    mutating func didReturn(_ number: UInt64) {
        let earlier = pending.prefix { $0.number < number }.count
        if earlier > 0 { inRow = 0 }
        pending.removeFirst(earlier)
        guard pending.first?.number == number else { return }
        pending.removeFirst()
        inRow += 1
    }

    /// Forgets a window that has lost its context.
    mutating func forget(_ window: WindowID) { pending.removeAll { $0.window == window } }

    /// Returns the time up to which a pending release is awaited if the server sends nothing more. Nil if none is
    /// awaited.
    ///
    /// - Parameter lastWord: the time of the server's last output.
    func awaitedUntil(since lastWord: Milliseconds, _ timing: InputTiming) -> Milliseconds? {
        inRow < Self.proof || pending.isEmpty ? nil : max(lastSent, lastWord) + timing.response
    }

    /// Whether a pending release is awaited. If the time for it is over, none is awaited until further releases
    /// were returned.
    mutating func isAwaiting(at now: Milliseconds, since lastWord: Milliseconds, _ timing: InputTiming) -> Bool {
        guard let end = awaitedUntil(since: lastWord, timing) else { return false }
        if now < end { return true }
        (pending, inRow) = ([], 0)
        return false
    }
}
