import Glibc

/// The time that this thread has computed: on a busy machine others may run on its processor meanwhile.
enum ProcessorTime {
    /// Returns a function that says whether more time than a number of nanoseconds has been computed since.
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
