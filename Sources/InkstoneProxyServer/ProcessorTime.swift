import Glibc

/// The processor time of this thread. Unlike elapsed time, it does not include the time of other threads on a busy
/// machine.
enum ProcessorTime {
    /// Returns a function that reports whether this thread has used more than `nanoseconds` of processor time since
    /// the call of `limit`.
    static func limit(nanoseconds: Int64) -> () -> Bool {
        let end = now + nanoseconds
        return { now > end }
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
