import InkstoneBase

/// The releases that were sent to a server such as ibus and have not been returned yet.
///
/// ibus passes keys to an engine in a process of its own. Some engines consume presses and return their releases, as
/// ibus-hangul does. The engine handles keys in order. So while such a release is pending, the engine is still at work
/// on the keys before it, even if ibus itself answers queries: on a busy machine, an engine may be behind by hundreds
/// of keys. A reset that comes then is no harmless request. ibus commits the present preedit at once, and the engine
/// commits it again with its next key.
///
/// Other engines consume releases as well, and then they are never returned (ibus-libpinyin). So a release is awaited
/// only after ``requiredReleases`` releases of consumed presses were returned in a row, and only for a limited time
/// (``isAwaiting(at:since:_:)``). The releases of presses that the engine has returned prove nothing: libpinyin
/// returns both while it types English.
struct InputMethodReleases: Sendable {
    /// The number of releases of consumed presses that must be returned in a row before one is awaited.
    static let requiredReleases = 8
    /// The maximum number of pending releases. Beyond it, the oldest are forgotten.
    private static let limit = 8192

    private struct Release {
        var number: UInt64
        var keycode: UInt8
        var window: WindowID
    }

    /// The pending releases of presses that were not returned, in the order in which they were sent.
    private var pending: [Release] = []
    /// The key codes of returned presses whose releases were not sent yet.
    private var returnedPresses: Set<UInt8> = []
    /// The number of releases returned in a row.
    private var inRow = 0
    /// The time at which a release was last added to ``pending``.
    private var lastSent: Milliseconds = -.infinity

    /// Records a key that is sent to the server.
    mutating func didSend(_ key: InputMethodKey, at now: Milliseconds) {
        guard !key.raw.isPress else {
            returnedPresses.remove(key.raw.keycode)
            return
        }
        guard returnedPresses.remove(key.raw.keycode) == nil else { return }
        if pending.count >= Self.limit { pending.removeFirst(Self.limit / 2) }
        pending.append(Release(number: key.number, keycode: key.raw.keycode, window: key.window))
        lastSent = now
    }

    /// Records that the server did not accept the key.
    mutating func didRefuse(_ key: InputMethodKey) {
        if key.raw.isPress { noteReturnedPress(key) } else { pending.removeAll { $0.number == key.number } }
    }

    /// Records a returned key. A returned release shows that the releases sent before it were consumed.
    mutating func didReturn(_ key: InputMethodKey) {
        guard !key.raw.isPress else { return noteReturnedPress(key) }
        let earlier = pending.prefix { $0.number < key.number }.count
        if earlier > 0 { inRow = 0 }
        pending.removeFirst(earlier)
        guard pending.first?.number == key.number else { return }
        pending.removeFirst()
        inRow += 1
    }

    private mutating func noteReturnedPress(_ key: InputMethodKey) {
        let release = pending.firstIndex { $0.keycode == key.raw.keycode && $0.number > key.number }
        if let release { pending.remove(at: release) } else { returnedPresses.insert(key.raw.keycode) }
    }

    /// Forgets a window that has lost its context.
    mutating func forget(_ window: WindowID) { pending.removeAll { $0.window == window } }

    /// Returns the time up to which a pending release is awaited if the server sends nothing more. Nil if none is
    /// awaited.
    ///
    /// - Parameter lastWord: the time of the server's last output.
    func awaitedUntil(since lastWord: Milliseconds, _ timing: InputTiming) -> Milliseconds? {
        inRow < Self.requiredReleases || pending.isEmpty ? nil : max(lastSent, lastWord) + timing.response
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
