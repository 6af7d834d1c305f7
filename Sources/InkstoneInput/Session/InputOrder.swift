/// One order for the user's events in several windows that share an input method.
///
/// A server attends to one window at a time. What reaches it for a window after the next one has got the focus takes the
/// attention away from that one, and what is being composed there is lost. So events go to one session after the other, in
/// the order in which they happened: while something waits in one, the events of all others wait behind it, which is as
/// long as ``InputTiming`` lets it.
///
/// The windows of a display share one; a session that is given none has one of its own.
public final class InputOrder {
    /// The session that the last event went to.
    private weak var latest: InputSession?
    private var held: [(session: InputSession, event: () -> Void)] = []
    private var isReleasing = false

    /// No events yet.
    public init() {}

    /// Lets `session` handle an event: now if nothing before it waits elsewhere, else in its turn.
    func submit(_ session: InputSession, _ event: @escaping () -> Void) {
        if held.isEmpty, isFree(for: session) {
            latest = session
            event()
        } else {
            held.append((session, event))
            release()
        }
    }

    /// Whether events of this session wait for another one.
    func holdsEvents(of session: InputSession) -> Bool { held.contains { $0.session === session } }

    /// When the session that this one waits for goes on at the latest; nil if it waits for none.
    func deadline(for session: InputSession) -> Milliseconds? {
        guard holdsEvents(of: session), let latest, latest !== session else { return nil }
        return latest.nextDeadline
    }

    /// Does what is due in the session that this one waits for. Its own window may be gone, and with it who looks at
    /// the time.
    func advance(for session: InputSession) {
        guard holdsEvents(of: session) else { return }
        if let latest, latest !== session { latest.advance() }
        release()
    }

    /// A session may not be waiting any more.
    func release() {
        guard !isReleasing else { return }
        isReleasing = true
        defer { isReleasing = false }
        while let (session, event) = held.first, isFree(for: session) {
            held.removeFirst()
            latest = session
            event()
            session.onHeldEvent?()
        }
    }

    private func isFree(for session: InputSession) -> Bool {
        guard let latest, latest !== session else { return true }
        return !latest.isQueueing
    }
}
