import Glibc

/// The descriptors 0 to 2, and the signals of pipes, limits and terminals, made harmless before anything else is done.
enum StandardDescriptors {
    /// The descriptors that the program was started without.
    // Set at the start, before there is another thread.
    nonisolated(unsafe) private(set) static var closedAtStart: Set<Int32> = []

    /// Opens `/dev/null` in place of descriptors that are closed, so that no file or connection gets their numbers and with it what is written
    /// for a person to read; and ignores signals that would end or stop the program where a call can report an error instead.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            closedAtStart.insert(descriptor)
            // The lowest number that is free is this one. Reading from what was to be written, and the other way round, fails as before.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
        // Writing to a pipe without a reader fails with EPIPE, beyond the limit of a file's size with EFBIG. A message from the background to
        // a terminal is written. The limit of processor time has a second, hard one.
        for number in [SIGPIPE, SIGXFSZ, SIGTTOU, SIGXCPU] { signal(number, SIG_IGN) }
    }
}
