import CX11
import Glibc
import Synchronization

/// A queue with which any thread can run closures on the thread of a ``Display``. They run in order, in the next
/// turn of the display's loop.
public final class EventPoster: Sendable {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isSignalled = false
    }

    private let state = Mutex(State())
    /// An eventfd that is readable while closures are pending, and after ``wake()`` until the next turn of the loop.
    let descriptor: Int32

    init() throws(X11Error) {
        descriptor = cx11_signal_create()
        guard descriptor >= 0 else { throw .system(call: "eventfd", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Runs `work` soon on the display's thread. If the display's loop does not run any more, `work` does not run.
    /// Callable from any thread.
    public func post(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.queue.append(work)
            signal(&state)
        }
    }

    /// Makes the display's loop run one turn. Callable from any thread.
    package func wake() {
        state.withLock { signal(&$0) }
    }

    /// Removes and returns the posted closures and makes the descriptor unreadable again.
    func take() -> [@Sendable () -> Void] {
        state.withLock { state in
            if state.isSignalled {
                var count: UInt64 = 0
                _ = read(descriptor, &count, 8)
                state.isSignalled = false
            }
            defer { state.queue = [] }
            return state.queue
        }
    }

    private func signal(_ state: inout State) {
        guard !state.isSignalled else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
        state.isSignalled = true
    }
}
