import Glibc

/// A thread of its own for work that waits for a disk or takes long: Swift's pool has no threads to spare for that.
package enum BackgroundThread {
    /// The system has no thread to give.
    package struct Failure: Error {
        /// What `pthread_create` returned: a number of `errno`.
        package let code: Int32
    }

    /// Runs `body` on a new thread, which the caller has to join or detach: a `pthread_t`.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(Failure) -> UInt {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw Failure(code: code)
        }
        return thread
    }
}
