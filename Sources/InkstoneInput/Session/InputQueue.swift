import InkstoneBase

/// What the user does in all windows that share an input method, in one order: keys, presses, focus changes, commands.
///
/// Each entry is tagged with its window's session, and done when the session's ``KeyLedger`` lets it: a key goes out at once, a
/// press waits for the keys before it, as long as ``InputTiming`` lets it. What stands behind an entry that waits
/// waits too, in whichever window: a server attends to one window at a time, and what reaches it for one after the next
/// has got the focus takes the attention away from that one, with what is being composed there.
///
/// A display has one; a session that is given none has one of its own.
public final class InputQueue {
    enum Work {
        /// `trace` is what ``HeldTrace`` knows the key by.
        case key(KeyEvent, raw: (any Sendable)?, trace: Int?)
        case item(InputSession.Item, InputItemKind)
    }

    struct Entry {
        let session: InputSession
        let work: Work
        /// Since when nothing stands before it: what it waited for until then was not for its own keys.
        var since: Milliseconds?
    }

    private var entries: [Entry] = []
    private(set) var isRunning = false

    /// An empty queue.
    public init() {}

    func append(_ work: Work, of session: InputSession) {
        entries.append(Entry(session: session, work: work))
    }

    /// The most entries that wait for an asynchronous client before repetitions of a held key are dropped.
    private static let repeatLimit = 64

    /// Drops the oldest repetition of a held key, if many entries wait: presses and releases are never dropped.
    func makeRoom(for key: KeyEvent, of session: InputSession) {
        guard entries.count >= Self.repeatLimit else { return }
        let index = entries.firstIndex {
            guard $0.session === session, case .key(let old, _, trace: nil) = $0.work else { return false }
            return old.phase == .repeat && old.keycode == key.keycode
        }
        if let index { entries.remove(at: index) }
    }

    /// Drops what waits of a session whose window closes, and goes on with what stood behind it.
    func drop(_ session: InputSession) {
        entries.removeAll { $0.session === session }
        guard !isRunning, let next = entries.first?.session else { return }
        next.advance()
        next.didRun()
    }

    /// Whether anything of this session waits.
    func holds(_ session: InputSession) -> Bool { entries.contains { $0.session === session } }

    /// Whether what waits first is of this session, and has to come after every key.
    func isSaving(_ session: InputSession) -> Bool {
        guard let first = entries.first, first.session === session else { return false }
        return if case .item(_, let kind) = first.work { kind.waitsForAll } else { false }
    }

    /// When what holds up this session goes on at the latest; nil if nothing of it waits.
    func deadline(for session: InputSession) -> Milliseconds? {
        guard let first = entries.first, holds(session) else { return nil }
        return first.session.deadline(of: first)
    }

    /// Does what is due, in order, for `runner`, which is told nothing: others are, that something of theirs was done. Calls from
    /// within are left to the one that is on its way.
    func run(for runner: InputSession) {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !entries.isEmpty {
            let session = entries[0].session
            // Its window may be gone, and with it who looks at the time.
            if session !== runner { session.catchUp() }
            // What was due may have ended the session, and with it the entry.
            guard entries.first?.session === session else { continue }
            guard session.mayDo(&entries[0]) else { return }
            // Mostly it is the only one, and then nothing moves up.
            session.perform((entries.count == 1 ? entries.removeLast() : entries.removeFirst()).work)
            if session !== runner { session.didRun() }
        }
    }
}
