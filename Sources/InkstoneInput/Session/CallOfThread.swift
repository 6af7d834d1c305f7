import Glibc

/// The session whose call the current thread is executing.
///
/// A task-local value would be wrong: tasks that a client creates in such a call would inherit it, but they run on any
/// thread and at any time.
enum CallOfThread {
    /// The key of the thread-specific value; nil if the process has no such key left.
    fileprivate static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var session: InputSession? {
        guard let key, let value = pthread_getspecific(key) else { return nil }
        return Unmanaged<InputSession>.fromOpaque(value).takeUnretainedValue()
    }
}

extension InputSession {
    /// Runs `work` with this session as the thread's current one. The session lives at least until `work` returns.
    func asCurrent(_ work: () -> Void) {
        guard let key = CallOfThread.key else { return work() }
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
        withExtendedLifetime(self, work)
        pthread_setspecific(key, outer)
    }
}
