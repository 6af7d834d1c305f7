import Glibc
import Inkstone

/// A value that another thread reads from a disk, because that may hang.
final class DiskAnswer<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Called with the value, by the thread that reads, once somebody has waited for it long enough.
        var receive: (@Sendable (Value) -> Void)?
    }

    private let state = Monitor(State())

    /// Begins to read; without a thread for it, it reads at once.
    init(_ read: @escaping @Sendable () -> Value) {
        let work = { @Sendable [state] in
            let value = read()
            let receive = state.withLock(waking: true) { state in
                state.value = value
                return state.receive
            }
            receive?(value)
        }
        do { pthread_detach(try BackgroundThread.start(work)) } catch { work() }
    }

    /// The value, waited for no longer than that many milliseconds. Else nil, and `receive` gets it, on the thread that reads.
    func value(within milliseconds: Int, later receive: @escaping @Sendable (Value) -> Void) -> Value? {
        _ = state.wait(atMost: milliseconds) { $0.value != nil }
        return state.withLock { state in
            if state.value == nil { state.receive = receive }
            return state.value
        }
    }
}
