import Glibc
import InkstoneBase
import Testing

/// A program that is started beside its host.
@Suite(.timeLimit(.minutes(5))) struct SpawnedProgramTests {
    private func output(of words: [String], folder: String? = nil) throws -> String {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try SpawnedProgram(words, output: ends[1], folder: folder).process
        }
        defer { close(ends[0]) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(ends[0], &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        var status: Int32 = 0
        #expect(waitpid(process, &status, 0) == process && status == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func spawnedProgramInheritsNoDescriptorOrIgnoredSignal() throws {
        // One that is open in every program that is started without care.
        let left = fcntl(STDERR_FILENO, F_DUPFD, 200)
        try #require(left >= 200)
        defer { close(left) }
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        let handler = signal(SIGUSR2, SIG_IGN)
        defer {
            signal(SIGUSR2, handler)
            pthread_sigmask(SIG_SETMASK, &mask, nil)
        }
        let script = """
            for f in /proc/$$/fd/*; do echo "${f##*/}=$(readlink $f)"; done
            [ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo own group
            """
        let lines = try output(of: ["sh", "-c", script]).split(separator: "\n")
        #expect(lines.contains("0=/dev/null") && lines.contains("2=/dev/null"))
        #expect(!lines.contains { $0.hasPrefix("\(left)=") }, "\(lines)")
        #expect(lines.contains("own group"))
        // Of the program itself: a shell blocks all signals for a moment around each program that it starts.
        let masks = try output(of: ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]).split(separator: "\n")
        // The C library has its own two signals, 32 and 33, ignored in programs that it starts.
        let ignored = ["SigIgn:\t0000000000000000", "SigIgn:\t0000000180000000"]
        #expect(masks.first == "SigBlk:\t0000000000000000", "\(masks)")
        #expect(ignored.contains { $0 == masks.last ?? "" }, "\(masks)")
    }

    @Test func aProgramRunsInItsFolderWithItsArguments() throws {
        #expect(try output(of: ["sh", "-c", "pwd; echo \"$#:$1\"", "sh", "a  b"], folder: "/usr") == "/usr\n1:a  b\n")
    }

    @Test func aMissingProgramIsReported() {
        let failure = #expect(throws: SpawnedProgram.Failure.self) { try SpawnedProgram(["no such program"]) }
        #expect(failure?.code == ENOENT)
    }
}
