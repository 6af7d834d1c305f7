import Glibc

/// The monotonic clock (`CLOCK_MONOTONIC`), the source of all times in this package. May be read on any thread.
public enum MonotonicClock {
    /// Nanoseconds since a fixed, unspecified moment.
    public static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Milliseconds since the same moment as for ``nanoseconds``.
    public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Milliseconds since the same moment as for ``nanoseconds``, with their fraction. Used for the times of keys
    /// and of input methods.
    package static var now: Milliseconds { Milliseconds(nanoseconds) / 1e6 }
}
