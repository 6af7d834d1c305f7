import Glibc
import InkstoneBase

/// A run of a ``CommandFilter``: the process, with pipes for its input, output and error output.
struct FilterProcess {
    private let filter: CommandFilter
    /// The maximum number of bytes of the error output that are kept for the error message; the rest is ignored.
    private static let messageLimit = 4096

    init(_ filter: CommandFilter) { self.filter = filter }

    /// Starts the process, writes the input to it, and reads its output until it ends. Blocks.
    func run(_ input: [UInt8], _ cancellation: CommandFilter.Cancellation) throws(CommandFilterError) -> [UInt8] {
        var pipes: [[Int32]] = []
        defer { for end in pipes.joined() where end >= 0 { close(end) } }
        for _ in 0..<4 {
            var ends: [Int32] = [-1, -1]
            guard Self.makePipe?(&ends, O_CLOEXEC) == 0 else { throw .notStarted(filter.program, code: errno) }
            pipes.append(ends)
            // If the host has closed its standard descriptors, an end of a pipe may have got one of their numbers.
            // The child would replace it by its own standard descriptor: move such an end to a higher number.
            for (side, end) in ends.enumerated() where end <= STDERR_FILENO {
                pipes[pipes.count - 1][side] = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                close(end)
            }
            guard pipes.last?.contains(where: { $0 < 0 }) == false else {
                throw .notStarted(filter.program, code: EMFILE)
            }
        }
        // Block SIGPIPE, which would end the host when it writes input for a program that no longer reads.
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        defer {
            var none = timespec()
            _ = sigtimedwait(&signals, nil, &none)
            pthread_sigmask(SIG_SETMASK, &mask, nil)
        }
        let (entry, output, message, wake) = (0, 1, 2, 3)
        if cancellation.wake(pipes[wake][1]) { throw .cancelled }
        defer { _ = cancellation.wake(nil) }
        let process = try start(pipes[entry][0], pipes[output][1], pipes[message][1])
        for (index, end) in [(entry, 0), (output, 1), (message, 1)] {
            close(pipes[index][end])
            pipes[index][end] = -1
        }
        for end in [pipes[entry][1], pipes[output][0], pipes[message][0]] {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        var (written, result, words) = (0, [UInt8](), [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let deadline = MonotonicClock.milliseconds + Int64(filter.timeout)
        func end(_ error: CommandFilterError) -> CommandFilterError {
            reap(process)
            return error
        }
        func drop(_ index: Int, _ side: Int) {
            close(pipes[index][side])
            pipes[index][side] = -1
        }
        if input.isEmpty { drop(entry, 1) }
        while true {
            let left = deadline - MonotonicClock.milliseconds
            guard left > 0 else { throw end(.timeout(filter.program, filter.timeout)) }
            let isClosed = pipes[output][0] < 0 && pipes[message][0] < 0
            // After the program has ended, its last output may still come from a process that its shell has not waited
            // for, as in `exec > >(sed …)`. So read until the pipes are closed, but stop after some time without
            // output, because a background process may keep them open for long.
            let isOver = hasEnded(process)
            if isOver, isClosed { break }
            var ready = [
                pollfd(fd: pipes[entry][1], events: Int16(POLLOUT), revents: 0),
                pollfd(fd: pipes[output][0], events: Int16(POLLIN), revents: 0),
                pollfd(fd: pipes[message][0], events: Int16(POLLIN), revents: 0),
                pollfd(fd: pipes[wake][0], events: Int16(POLLIN), revents: 0),
            ]
            // Check every 100 ms whether the program has ended, because `poll` does not report that; every 10 ms
            // once the program has closed its output and error output.
            let wait = isOver ? Int64(filter.grace) : isClosed ? 10 : 100
            let count = poll(&ready, 4, Int32(clamping: min(left, wait)))
            if isOver, count == 0, left > wait { break }
            if ready[3].revents != 0 { throw end(.cancelled) }
            if ready[0].revents != 0 {
                let count = input[written...].withUnsafeBytes { write(ready[0].fd, $0.baseAddress, $0.count) }
                if count > 0 { written += count }
                if written == input.count || count < 0 && errno != EAGAIN && errno != EINTR { drop(entry, 1) }
            }
            for (index, isOutput) in [(output, true), (message, false)] where ready[index].revents != 0 {
                let count = read(ready[index].fd, &buffer, buffer.count)
                if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { drop(index, 0) }
                guard count > 0 else { continue }
                if isOutput {
                    result += buffer[..<count]
                    if result.count > filter.outputLimit { throw end(.tooMuch(filter.program, filter.outputLimit)) }
                } else {
                    words += buffer[..<min(count, Self.messageLimit - words.count)]
                }
            }
        }
        // Without an exit status, the program may have failed before its output was complete: report an error.
        guard let status = reap(process) else { throw .unknownStatus(filter.program) }
        guard status == 0 else {
            // Remove the prefix of the shell's own messages, which is its name and perhaps the number of a line.
            let message = Self.firstLines(of: words)
            let isOfShell = filter.title != nil && message.hasPrefix("sh: ")
            let errorText =
                isOfShell ? message.replacing(/^sh: (\d+: |line \d+: )?/, with: "", maxReplacements: 1) : message
            throw .failed(filter.program, status: status, message: errorText)
        }
        return result
    }

    private typealias MakePipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    /// The C function `pipe2`, which Swift's module of the C library lacks. Its pipes are not inherited by
    /// processes that other threads start meanwhile.
    private static let makePipe = dlsym(nil, "pipe2").map { unsafeBitCast($0, to: MakePipe.self) }

    private func start(_ input: Int32, _ output: Int32, _ message: Int32) throws(CommandFilterError) -> pid_t {
        let home = getenv("HOME").flatMap { access($0, X_OK) == 0 ? String(cString: $0) : nil }
        do throws(SpawnedProgram.Failure) {
            return try SpawnedProgram(
                filter.arguments, input: input, output: output, messages: message, folder: home
            ).process
        } catch {
            throw error.code == ENOENT ? .notFound(filter.program) : .notStarted(filter.program, code: error.code)
        }
    }

    /// Whether a process has ended, or is not a child of this process any more. An ended process stays a zombie
    /// until ``reap(_:)``.
    private func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
    }

    /// Ends a process and its process group, and waits for the process. Until it has waited, the system reuses neither
    /// the number of the process nor that of the group. Returns the exit status, or the negative number of the signal
    /// that ended the process; nil if the status is lost.
    @discardableResult
    private func reap(_ process: pid_t) -> Int32? {
        var info = siginfo_t()
        // Send no signal if there is no such child: the host ignores SIGCHLD or has waited for any child. The
        // status is then lost, and the number may belong to another process by now.
        guard waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    }

    /// Returns the first three lines of a message, joined by blanks and without control characters.
    static func firstLines(of bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(3).joined(separator: " ")
            .filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
    }
}
