import Glibc
import Inkstone

/// A value that another thread reads from a disk, because the disk may hang.
final class DiskAnswer<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Called with the value, on the reading thread, after a caller's wait has timed out.
        var receive: (@Sendable (Value) -> Void)?
    }

    private let state = Monitor(State())

    /// Starts reading; without a thread, reads at once.
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

    /// Returns the value, waiting at most `milliseconds`. Else returns nil, and `receive` gets the value, on the reading thread.
    func value(within milliseconds: Int, later receive: @escaping @Sendable (Value) -> Void) -> Value? {
        _ = state.wait(atMost: milliseconds) { $0.value != nil }
        return state.withLock { state in
            if state.value == nil { state.receive = receive }
            return state.value
        }
    }
}
