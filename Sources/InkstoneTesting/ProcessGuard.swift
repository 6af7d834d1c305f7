import Glibc

/// A small shell process that outlives the test process for a moment, and ends the processes that the test process
/// has left running.
///
/// The test process reports its process groups through a pipe. When the test process ends, in whatever way, the
/// pipe closes and the guard kills the groups that are still on its list. `PR_SET_PDEATHSIG` is no alternative: it
/// follows the thread that started the child, and the threads of Swift concurrency are ended and replaced.
package final class ProcessGuard: @unchecked Sendable {
    // The guard of this process. `ProcessGuard` is `Sendable`, because its only state is the descriptor of the pipe, to
    // which each line is written atomically: it is shorter than PIPE_BUF.
    package static let shared = ProcessGuard()

    /// The script of the guard, for `sh -c`. It reads the lines `+ GROUP`, `- GROUP` and `d DIRECTORY`, and cleans
    /// up at the end of its input.
    package static let script = """
        trap '' INT TERM HUP QUIT
        groups=
        while read -r sign what; do
            case $sign in
            +) groups="$groups $what" ;;
            -) kept=
               for each in $groups; do [ "$each" = "$what" ] || kept="$kept $each"; done
               groups=$kept ;;
            d) set -- "$@" "$what" ;;
            esac
        done
        for each in $groups; do kill -s KILL -- "-$each"; done
        [ $# -eq 0 ] || rm -rf -- "$@"
        """

    private let pipe: CInt

    private init() {
        signal(SIGPIPE, SIG_IGN)
        let ends = privatePipe()
        pipe = ends[1]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        closeInheritedDescriptors(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var argv = cStrings(["/bin/sh", "-c", Self.script])
        var envp = cStrings(["PATH=/usr/bin:/bin"])
        var pid: pid_t = 0
        posix_spawn(&pid, "/bin/sh", &actions, &attributes, &argv, &envp)
        for pointer in argv + envp { free(pointer) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(ends[0])
    }

    func add(_ group: pid_t) { say("+ \(group)\n") }
    func remove(_ group: pid_t) { say("- \(group)\n") }

    /// Makes the guard remove a directory after the test process has ended, in whatever way.
    package func remove(directory: String) { say("d \(directory)\n") }

    private func say(_ line: String) {
        var line = line
        line.withUTF8 { _ = write(pipe, $0.baseAddress, $0.count) }
    }
}
