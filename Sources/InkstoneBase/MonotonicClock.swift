import Glibc

/// The monotonic clock (`CLOCK_MONOTONIC`), the source of all times in this package. Any thread.
public enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    public static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Milliseconds since the same moment.
    public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Milliseconds since the same moment, with their fraction: the time of the input path.
    package static var now: Milliseconds { Milliseconds(nanoseconds) / 1e6 }
}
