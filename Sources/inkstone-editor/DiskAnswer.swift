import Glibc
import Inkstone

/// A value that another thread reads from a disk, because the disk may hang.
final class DiskAnswer<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Called with the value, on the reading thread, if the wait of ``value(within:later:)`` has timed out.
        var receive: (@Sendable (Value) -> Void)?
    }

    private let state = Monitor(State())

    /// Creates the answer and starts reading on a new thread. If no thread can be started, reads before returning.
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

    /// Waits for the value, at most `milliseconds`, and returns it. If that takes longer, returns nil, and
    /// `receive` is called with the value on the reading thread.
    func value(within milliseconds: Int, later receive: @escaping @Sendable (Value) -> Void) -> Value? {
        _ = state.wait(atMost: milliseconds) { $0.value != nil }
        return state.withLock { state in
            if state.value == nil { state.receive = receive }
            return state.value
        }
    }
}
