#if canImport(Glibc)
    import Glibc
#endif

/// The locks (`flock`) by which journals and unfinished saves show that their owner lives.
enum FileLock {
    /// Closes a file and gives its lock back at once.
    ///
    /// Closing alone would not do: a program that another thread is just starting has a copy of every descriptor until it
    /// runs, and with it the lock. Whoever looks in that moment would take the owner for alive. Returns the `errno` of a failed close.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32? {
        _ = flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
    }
}
