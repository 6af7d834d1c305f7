import Glibc

/// Preparation of the standard file descriptors (0 to 2), and of signals about pipes, limits and terminals, at the
/// start of the program.
enum StandardDescriptors {
    /// The standard descriptors that were closed when the program started.
    // Written at the start, while there is only one thread.
    nonisolated(unsafe) private(set) static var closedAtStart: Set<Int32> = []

    /// Opens `/dev/null` for standard descriptors that are closed. Otherwise a file or connection would get the
    /// number of one of them, and output meant for the user would be written to it. Ignores signals that would end
    /// or stop the program where a system call can report an error instead.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            closedAtStart.insert(descriptor)
            // `open` returns the lowest free number, which is this descriptor. The access mode makes reading from
            // an output, and writing to the input, fail as before.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
        // With the signals ignored, writing to a pipe without a reader fails with EPIPE, and writing beyond the file
        // size limit with EFBIG. A background process may write to its terminal. Exceeding the soft limit of processor
        // time has no effect; the hard limit still ends the program.
        for number in [SIGPIPE, SIGXFSZ, SIGTTOU, SIGXCPU] { signal(number, SIG_IGN) }
        // Restore SIGCHLD: some launchers ignore it, and the exit status of programs that the editor starts would be
        // lost.
        signal(SIGCHLD, SIG_DFL)
    }
}
