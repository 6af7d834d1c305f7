import InkstoneBase

/// The user's actions in all windows that share an input method, in one order: keys, presses, focus changes, commands.
///
/// Each entry has its window's session, and is performed when the session's ``KeyLedger`` permits it: a key is sent at once, a
/// press waits for the keys before it, as long as ``InputTiming`` permits. Entries behind a waiting one wait too, in any window: a server
/// serves one window at a time, and a key of one window after the focus went to the next takes the server's focus away from the next one,
/// with its composition.
///
/// A display has one queue; a session without a given one has its own.
package final class InputQueue {
    enum Work {
        /// A key, with the identifier of its trace record in ``HeldTrace``.
        case key(KeyEvent, raw: (any Sendable)?, trace: Int?)
        case item(InputSession.Item, InputItemKind)
    }

    struct Entry {
        let session: InputSession
        let work: Work
        /// The time since which the entry is first in the queue: earlier waiting was not for its own keys.
        var since: Milliseconds?
    }

    private var entries: [Entry] = []
    private(set) var isRunning = false

    /// Creates an empty queue.
    package init() {}

    func append(_ work: Work, of session: InputSession) {
        entries.append(Entry(session: session, work: work))
    }

    /// Drops the repetition of a held key that waits already: a slow client would go on with them for long after the release. Presses
    /// and releases are never dropped.
    func makeRoom(for key: KeyEvent, of session: InputSession) {
        let index = entries.firstIndex {
            guard $0.session === session, case .key(let old, _, trace: nil) = $0.work else { return false }
            return old.phase == .repeat && old.keycode == key.keycode
        }
        if let index { entries.remove(at: index) }
    }

    /// Drops the entries of a session whose window closes, and continues with those behind them.
    func drop(_ session: InputSession) {
        entries.removeAll { $0.session === session }
        guard !isRunning, let next = entries.first?.session else { return }
        next.advance()
        next.didRun()
    }

    /// Whether entries of this session wait.
    func holds(_ session: InputSession) -> Bool { entries.contains { $0.session === session } }

    /// Whether the first entry is of this session, and must come after every key.
    func isSaving(_ session: InputSession) -> Bool {
        guard let first = entries.first, first.session === session else { return false }
        return if case .item(_, let kind) = first.work { kind.waitsForAll } else { false }
    }

    /// Returns the latest time at which the entry that blocks this session is performed; nil if no entry of it waits.
    func deadline(for session: InputSession) -> Milliseconds? {
        guard let first = entries.first, holds(session) else { return nil }
        return first.session.deadline(of: first)
    }

    /// Performs the due entries in order. Sessions other than `runner` are notified that an entry of theirs was performed. Nested calls
    /// return at once: the outer call continues.
    func run(for runner: InputSession) {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !entries.isEmpty {
            let session = entries[0].session
            // The window of the session may be closed, and nobody else checks its deadlines.
            if session !== runner { session.catchUp() }
            // The due work may have ended the session, and so removed the entry.
            guard entries.first?.session === session else { continue }
            guard session.mayDo(&entries[0]) else { return }
            // Mostly it is the only entry, and then no element has to move.
            session.perform((entries.count == 1 ? entries.removeLast() : entries.removeFirst()).work)
            if session !== runner { session.didRun() }
        }
    }
}
