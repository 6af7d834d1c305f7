#if canImport(Glibc)
    import Glibc
#endif

/// Locks (`flock`) of files. A process locks its journals and its unfinished saves, so a lock shows that the process
/// still runs.
enum FileLock {
    /// The result of a lock request.
    enum Answer {
        /// The lock was free; the descriptor now has it.
        case free
        /// Another process has the lock; or this process, by a descriptor from another `open` of the file.
        case held
        /// The file system has no locks, or refuses this one. So it is not known whether another process has the
        /// lock.
        case unavailable
    }

    /// Requests a lock without waiting. On a network file system, an exclusive lock needs a descriptor that is open
    /// for writing.
    static func take(_ descriptor: Int32, isExclusive: Bool) -> Answer {
        while flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            let code = errno
            if code != EINTR { return code == EWOULDBLOCK ? .held : .unavailable }
        }
        return .free
    }

    /// Sleeps two milliseconds, between two requests for a lock.
    static let pause: @Sendable () -> Void = { _ = usleep(2000) }

    /// Requests an exclusive lock. Retries up to 50 times, after a pause each: a process that only checks for a
    /// lock holds it for a moment.
    static func takeFromReaders(_ descriptor: Int32, pause: () -> Void = FileLock.pause) -> Answer {
        for _ in 0..<50 {
            let answer = take(descriptor, isExclusive: true)
            if answer != .held { return answer }
            pause()
        }
        return take(descriptor, isExclusive: true)
    }

    /// Releases a lock; the file stays open.
    static func giveBack(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Closes a file and releases its lock at once. Returns the `errno` of a failed close; nil for success.
    ///
    /// Closing alone would not release the lock while another thread is starting a program. That program has a copy
    /// of every descriptor until it runs, and holds the lock through the copy. A process that checks the lock in
    /// that moment would conclude that the owner still runs.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32? {
        giveBack(descriptor)
        return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
    }
}
