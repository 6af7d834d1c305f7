import Glibc

/// The processor time of this thread. Unlike elapsed time, it does not include the time of other threads on a busy
/// machine.
enum ProcessorTime {
    /// Returns a function that returns whether the thread has used more processor time since this call than a
    /// number of nanoseconds.
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
