import Glibc

/// A program started by its host. It inherits the environment, but no blocked or ignored signal, and from glibc
/// 2.34 on no descriptor except those passed to it.
///
/// The program has a process group of its own. So a signal from the terminal does not end it, and it can be ended
/// together with all programs that it starts.
package struct SpawnedProgram {
    /// The reason why a program could not be started, a value of `errno`.
    package struct Failure: Error {
        package var code: Int32
    }

    private typealias AddFolder =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    // The function that makes the child close all other descriptors of the host; nil before glibc 2.34. Found by name,
    // because Swift's Glibc module leaves it out.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    /// The function that sets the working directory of the child; nil before glibc 2.29.
    private static let addFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np").map {
        unsafeBitCast($0, to: AddFolder.self)
    }

    /// The process identifier, which is also that of the process group. The caller has to wait for the process.
    package let process: pid_t

    /// Creates the program's process. The program is searched for in `PATH`.
    ///
    /// - Parameters:
    ///   - words: the program's name and its arguments.
    ///   - input: the host's descriptor that becomes the program's standard input; nil for `/dev/null`. None of the
    ///     three descriptors may be 0, 1 or 2.
    ///   - output: the host's descriptor that becomes the program's standard output; nil for `/dev/null`.
    ///   - messages: the host's descriptor that becomes the program's standard error; nil for `/dev/null`.
    ///   - folder: the program's working directory; nil for that of the host. Ignored before glibc 2.29.
    package init(
        _ words: [String], input: Int32? = nil, output: Int32? = nil, messages: Int32? = nil, folder: String? = nil
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, messages)] {
            if let source {
                posix_spawn_file_actions_adddup2(&actions, source, target)
            } else {
                // Do not let the program inherit the host's descriptor. Otherwise a reader of the host's output
                // would also wait for the end of this program.
                let mode = target == STDIN_FILENO ? O_RDONLY : O_WRONLY
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", mode, 0)
            }
        }
        _ = Self.closeFrom?(&actions, STDERR_FILENO + 1)
        if let folder { _ = Self.addFolder?(&actions, folder) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawnp(&process, words.first ?? "", &actions, &attributes, &arguments, environ)
        guard code == 0 else { throw Failure(code: code) }
        self.process = process
    }
}
