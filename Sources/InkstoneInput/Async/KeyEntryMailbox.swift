import Glibc
import Synchronization

/// The answers of one client to its key entries. They are given on any thread, and read on the thread of the
/// client's view.
///
/// The number of stored answers is limited: an answer is accepted only if its entry is open, and the answer closes
/// the entry.
final class KeyEntryMailbox: Sendable {
    private struct State {
        var open: [UInt64] = []
        var answers: [(number: UInt64, isHandled: Bool)] = []
        var wake: (@Sendable () -> Void)?
    }

    /// The maximum number of open entries. A further entry closes the oldest, whose answer is then ignored.
    static let limit = 64

    private let state = Mutex(State())
    private let thread = pthread_self()
    /// The queue of the view. Used only on the view's thread.
    nonisolated(unsafe) weak var queue: KeyEntryQueue?

    /// Opens an entry, so that an answer to it is accepted.
    func open(_ number: UInt64) {
        state.withLock {
            if $0.open.count == Self.limit { $0.open.removeFirst() }
            $0.open.append(number)
        }
    }

    /// Closes all entries and drops all answers.
    func close() {
        state.withLock { ($0.open, $0.answers) = ([], []) }
    }

    /// Sets a function that is called after each answer from another thread, on that thread. It wakes the queue's
    /// thread.
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
        // On the queue's own thread, call `queue`. From any other thread, wake that thread.
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
