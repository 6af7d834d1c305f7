import Glibc

/// The descriptors 0 to 2, and the signals of pipes, limits and terminals, made harmless at the start.
enum StandardDescriptors {
    /// The descriptors that the program was started without.
    // Set at the start, before there is another thread.
    nonisolated(unsafe) private(set) static var closedAtStart: Set<Int32> = []

    /// Opens `/dev/null` for standard descriptors that are closed, so that no file or connection gets their numbers, and with them output that
    /// is meant for the user; and ignores signals that would end or stop the program where a call can report an error instead.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            closedAtStart.insert(descriptor)
            // The lowest free number is this one. The access mode makes reading from an output, and writing to the input, fail as before.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
        // Writing to a pipe without a reader fails with EPIPE, beyond the limit of a file's size with EFBIG. A background process may write to
        // its terminal. The limit of processor time has a second, hard one.
        for number in [SIGPIPE, SIGXFSZ, SIGTTOU, SIGXCPU] { signal(number, SIG_IGN) }
    }
}
