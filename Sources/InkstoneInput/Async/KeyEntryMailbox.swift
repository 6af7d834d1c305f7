import Glibc
import Synchronization

/// The answers of one client, from any thread, for the thread of its view.
///
/// Bounded: an answer is kept only for an entry that is open, and the first one closes it.
final class KeyEntryMailbox: Sendable {
    private struct State {
        var open: [UInt64] = []
        var answers: [(number: UInt64, isHandled: Bool)] = []
        var wake: (@Sendable () -> Void)?
    }

    /// The maximum number of open entries that nothing waits for.
    static let limit = 64

    private let state = Mutex(State())
    private let thread = pthread_self()
    /// The queue of the view; notified and used only on the view's thread.
    nonisolated(unsafe) weak var queue: KeyEntryQueue?

    /// Accepts answers to an entry from now on.
    func open(_ number: UInt64) {
        state.withLock {
            if $0.open.count == Self.limit { $0.open.removeFirst() }
            $0.open.append(number)
        }
    }

    /// Closes all entries.
    func close() {
        state.withLock { ($0.open, $0.answers) = ([], []) }
    }

    /// Calls `wake` for answers from other threads, on those.
    func setWake(_ wake: (@Sendable () -> Void)?) {
        state.withLock { $0.wake = wake }
    }

    /// Stores an answer. Callable on any thread.
    func post(_ number: UInt64, _ isHandled: Bool) {
        let (isNews, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard let index = state.open.firstIndex(of: number) else { return (false, nil) }
            state.open.remove(at: index)
            state.answers.append((number, isHandled))
            return (true, state.wake)
        }
        guard isNews else { return }
        // `queue` belongs to its thread.
        if pthread_equal(pthread_self(), thread) != 0 { queue?.answersDidCome() } else { wake?() }
    }

    /// Removes and returns the received answers, in order.
    func take() -> [(number: UInt64, isHandled: Bool)] {
        state.withLock { state in
            defer { state.answers.removeAll(keepingCapacity: true) }
            return state.answers
        }
    }
}
