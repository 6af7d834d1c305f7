import InkstoneBase

/// The user's actions in all windows that share an input method, in one order: keys, presses of pointer buttons,
/// focus changes, commands.
///
/// Each entry belongs to the session of its window, and is performed when the session's ``KeyLedger`` permits it. A key
/// is sent when its turn comes, but not directly after a reset of the input method. A press waits for the keys before
/// it, as long as ``InputTiming`` permits.
///
/// While one entry waits, all entries behind it wait too, in any window. The reason is that a server serves one
/// window at a time. Suppose that the focus has moved to the next window. If a key of the window before were sent
/// then, it would take the server's focus, and the composition, away from the next window.
///
/// A display has one queue. A session that is created without a queue makes its own.
package final class InputQueue {
    enum Work {
        /// A key, with the identifier of its trace record in ``HeldTrace``.
        case key(KeyEvent, raw: (any Sendable)?, trace: Int?)
        case item(InputSession.Item, InputItemKind)
    }

    struct Entry {
        let session: InputSession
        let work: Work
        /// The time at which the entry became the first in the queue, from which its maximum wait is counted: before,
        /// it waited for other entries, not for answers to keys.
        var since: Milliseconds?
    }

    private var entries: [Entry] = []
    private(set) var isRunning = false

    /// Creates an empty queue.
    package init() {}

    func append(_ work: Work, of session: InputSession) {
        entries.append(Entry(session: session, work: work))
    }

    /// Drops an earlier repetition of a key that the user holds down, if that repetition still waits and is not traced.
    /// Otherwise a slow client would go on with the repetitions long after the release. Presses and releases are never
    /// dropped.
    func makeRoom(for key: KeyEvent, of session: InputSession) {
        let index = entries.firstIndex {
            guard $0.session === session, case .key(let old, _, trace: nil) = $0.work else { return false }
            return old.phase == .repeat && old.keycode == key.keycode
        }
        if let index { entries.remove(at: index) }
    }

    /// Drops the entries of a session whose window closes. Continues with the entries behind them.
    func drop(_ session: InputSession) {
        entries.removeAll { $0.session === session }
        guard !isRunning, let next = entries.first?.session else { return }
        next.advance()
        next.didRun()
    }

    /// Whether entries of this session wait.
    func holds(_ session: InputSession) -> Bool { entries.contains { $0.session === session } }

    /// Whether the first entry belongs to this session and must wait for every key before it, as a save must.
    func isSaving(_ session: InputSession) -> Bool {
        guard let first = entries.first, first.session === session else { return false }
        return if case .item(_, let kind) = first.work { kind.waitsForAll } else { false }
    }

    /// Returns the time at which to check the first entry again. That entry may belong to another session, and keep
    /// the entries of this one waiting. Nil if no entry of this session waits.
    func deadline(for session: InputSession) -> Milliseconds? {
        guard let first = entries.first, holds(session) else { return nil }
        return first.session.deadline(of: first)
    }

    /// Performs the due entries in order. A session other than `runner` is notified when an entry of it was
    /// performed. A nested call returns at once, and the outer call continues.
    func run(for runner: InputSession) {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !entries.isEmpty {
            let session = entries[0].session
            // Do the due work of another session here. If that session's window is closed, nobody else checks its
            // deadlines.
            if session !== runner { session.catchUp() }
            // `catchUp` may have ended the session, and so removed its entry.
            guard entries.first?.session === session else { continue }
            guard session.mayDo(&entries[0]) else { return }
            // If the entry is the only one, as usual, use `removeLast`: then no other element has to be moved.
            session.perform((entries.count == 1 ? entries.removeLast() : entries.removeFirst()).work)
            if session !== runner { session.didRun() }
        }
    }
}
