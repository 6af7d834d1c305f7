import Glibc

/// A thread of its own for work that waits for a disk or runs long: Swift's thread pool has no threads to spare for such work.
package enum BackgroundThread {
    /// The system could not create a thread.
    package struct Failure: Error {
        /// The number of `errno` that `pthread_create` returned.
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
