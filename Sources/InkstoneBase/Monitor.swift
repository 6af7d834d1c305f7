import Glibc

/// A value shared by several threads, with a lock and a condition variable. One thread at a time uses the value;
/// other threads can wait until it changes.
///
/// `Sendable` because the value is read and written under the lock only.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Creates a monitor of a value.
    ///
    /// - Parameter state: the initial value.
    package init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` with the value, under the lock. `body` must not use the monitor.
    ///
    /// - Parameter isWaking: whether to make waiting threads check the value afterwards.
    package func withLock<Result>(waking isWaking: Bool = false, _ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        let result = body(&state)
        pthread_mutex_unlock(mutex)
        // Wake the threads only after unlocking. A thread woken earlier would at once wait for the lock.
        if isWaking { pthread_cond_broadcast(changed) }
        return result
    }

    /// Makes all waiting threads check the value again.
    package func wake() { withLock(waking: true) { _ in } }

    /// Waits until `body` returns a result, and returns that result. `body` is called at once, and again whenever
    /// another thread wakes the waiting threads. It is also called at the time that it has written into its second
    /// argument, in milliseconds of ``MonotonicClock``; nil means no such time.
    package func wait<Result>(_ body: (inout State, inout Int64?) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            var due: Int64?
            if let result = body(&state, &due) { return result }
            guard let due else {
                pthread_cond_wait(changed, mutex)
                continue
            }
            var time = timespec(tv_sec: Int(due / 1000), tv_nsec: Int(due % 1000) * 1_000_000)
            pthread_cond_timedwait(changed, mutex, &time)
        }
    }

    /// Waits until a condition on the value holds, but no longer than `milliseconds`. Returns whether the condition
    /// holds.
    package func wait(atMost milliseconds: Int, until condition: (State) -> Bool) -> Bool {
        let end = MonotonicClock.milliseconds + Int64(milliseconds)
        return wait { state, due in
            if condition(state) { return true }
            due = end
            return MonotonicClock.milliseconds < end ? nil : false
        }
    }
}
