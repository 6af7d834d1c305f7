import Glibc

/// Creation of threads for work that runs long or waits for a disk. Swift's thread pool has too few threads for
/// such work.
package enum BackgroundThread {
    /// The system could not create a thread.
    package struct Failure: Error {
        /// The error that `pthread_create` returned, a value of `errno`.
        package let code: Int32
    }

    /// Runs `body` on a new thread. Returns its `pthread_t`, which the caller has to join or detach.
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
