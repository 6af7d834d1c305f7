#if canImport(Glibc)
    import Glibc
#endif

/// The locks (`flock`) by which journals and unfinished saves show that their owner lives.
enum FileLock {
    /// Outcome of asking for a lock.
    enum Answer {
        /// Nobody had it; the descriptor has it now.
        case free
        /// Another process has it.
        case held
        /// The file system has no locks, or does not give this one: whether anybody has it is not known.
        case unavailable
    }

    /// Asks for a lock without waiting. On a network's disk one that is exclusive needs a descriptor that may write.
    static func take(_ descriptor: Int32, isExclusive: Bool) -> Answer {
        while flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            let code = errno
            if code != EINTR { return code == EWOULDBLOCK ? .held : .unavailable }
        }
        return .free
    }

    /// Two milliseconds between two requests for a lock.
    static let pause: @Sendable () -> Void = { _ = usleep(2000) }

    /// Asks for an exclusive lock, and again after each of 50 pauses: who only looks whether somebody has it has it for a moment too.
    static func takeFromReaders(_ descriptor: Int32, pause: () -> Void = FileLock.pause) -> Answer {
        for _ in 0..<50 {
            let answer = take(descriptor, isExclusive: true)
            if answer != .held { return answer }
            pause()
        }
        return take(descriptor, isExclusive: true)
    }

    /// Gives a lock back; the file stays open.
    static func giveBack(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Closes a file and gives its lock back at once.
    ///
    /// Closing alone would not do: a program that another thread is just starting has a copy of every descriptor until it
    /// runs, and with it the lock. Whoever looks in that moment would take the owner for alive. Returns the `errno` of a failed close.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32? {
        giveBack(descriptor)
        return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
    }
}
