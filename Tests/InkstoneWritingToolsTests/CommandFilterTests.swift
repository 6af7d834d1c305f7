import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneText
import InkstoneWritingTools
import Testing

/// Programs as filters: the usual ones, and those that hang, fail or flood.
@Suite(.timeLimit(.minutes(5))) struct CommandFilterTests {
    private func run(_ arguments: String..., on text: String) throws -> String {
        try CommandFilter(arguments: arguments).run(text)
    }

    @Test func commandsAreWordsWithoutAShell() throws {
        #expect(
            try CommandFilter(command: " sed -e 's/a b/$c/'  \"x'y\" a\\ b ''").arguments == [
                "sed", "-e", "s/a b/$c/", "x'y", "a b", "",
            ])
        #expect(throws: CommandFilterError.openQuote) { try CommandFilter(command: "sed 'a") }
        #expect(throws: CommandFilterError.noCommand) { try CommandFilter(command: "  ") }
        #expect(try run("printf", "%s", "$HOME;`id`", on: "") == "$HOME;`id`")
    }

    @Test(arguments: ["", "\n", "a", "a\n", "ä\n\nb", "ä\nb\n\n", "a\r\nb"])
    func lastLineEndStaysAsItWas(text: String) throws {
        let expected = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
        #expect(try run("cat", on: text) == expected)
    }

    @Test func usualProgramsRewrite() throws {
        #expect(try run("sed", "s/one/1/g", on: "one two\none") == "1 two\n1")
        #expect(try run("fmt", "-w", "12", on: "one two three four") == "one two\nthree four")
        #expect(try run("sort", "-u", on: "b\na\nb\n") == "a\nb\n")
    }

    @Test func failuresQuoteTheProgramsErrorOutput() throws {
        #expect(throws: CommandFilterError.failed("sh", status: 3, message: "no a b")) {
            try run("sh", "-c", "echo no >&2; echo a >&2; echo b >&2; echo c >&2; echo out; exit 3", on: "x")
        }
        #expect(throws: CommandFilterError.failed("sh", status: -9, message: "")) {
            try run("sh", "-c", "kill -9 $$", on: "x")
        }
        #expect(throws: CommandFilterError.notFound("inkstone-no-such-program")) {
            try run("inkstone-no-such-program", on: "x")
        }
        #expect(throws: CommandFilterError.notText("printf")) { try run("printf", "a\\377", on: "x") }
    }

    /// The shell's own messages begin with its name and a line number; the user has typed a single line, so these
    /// are removed.
    @Test func aCommandLineIsTheShells() throws {
        func run(_ command: String, on text: String) throws -> String {
            try CommandFilter(shellCommand: command).run(text)
        }
        #expect(try run("sort -k2 | head -1", on: "a 2\nb 1\n") == "b 1\n")
        #expect(try run("tr a-z A-Z; echo \"$((1 + 1))\"", on: "x\n") == "X\n2\n")
        #expect(throws: CommandFilterError.noCommand) { try run(" \n", on: "x") }
        let error = #expect(throws: CommandFilterError.self) { try run("inkstone-no-such-program -x", on: "x") }
        let output = try #require(error).description
        #expect(output.contains("“inkstone-no-such-program -x”") && output.contains("127: inkstone-no-such-program: "))
        #expect(output.contains("not found") && !output.contains("sh:"))
    }

    /// When the shell ends, its output is complete, although background processes still hold the pipes; these are
    /// killed.
    @Test func backgroundProcessesOfAShellDelayNothing() throws {
        var filter = try CommandFilter(shellCommand: "tail -f /dev/null & sort")
        filter.timeout = 60_000
        #expect(try filter.run("b\na\n") == "a\nb\n")
        var quiet = try CommandFilter(shellCommand: "tail -f /dev/null >/dev/null & cat; exec >&-; :")
        quiet.timeout = 60_000
        let flood = String(repeating: "0123456789\n", count: 1 << 17)
        #expect(try quiet.run(flood) == flood)
    }

    /// A shell may end before the process that it has started to write its output, as in `exec > >(sed s/0/x/)`.
    @Test func aProcessThatTheShellHasNotWaitedForWritesItsOutputToTheEnd() throws {
        var filter = try CommandFilter(shellCommand: "exec 3<&0; sed s/0/x/ <&3 & exit 0")
        // However slow the machine is, the end of the pipe ends the run.
        (filter.timeout, filter.grace) = (120_000, 120_000)
        let lines = 1 << 17
        let result = try filter.run(String(repeating: "0123456789\n", count: lines))
        let isWhole = result == String(repeating: "x123456789\n", count: lines)
        #expect(isWhole, "\(result.utf8.count) bytes of \(11 * lines)")
    }

    @Test func floodsEnd() throws {
        var filter = CommandFilter(arguments: ["yes"])
        filter.outputLimit = 1 << 16
        #expect(throws: CommandFilterError.tooMuch("yes", 1 << 16)) { try filter.run("") }
        // The program reads nothing, and SIGPIPE does not end the test.
        #expect(try run("true", on: String(repeating: "text ", count: 1 << 18)) == "")
        let flood = String(repeating: "0123456789\n", count: 1 << 17)
        #expect(try run("cat", on: flood) == flood)
    }

    /// A pipe that nothing is ever written to, by a path that other programs can open.
    private struct Pipe {
        let ends: [Int32]

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.ends = ends
        }

        var reading: String { "/proc/\(getpid())/fd/\(ends[0])" }
        var writing: String { "/proc/\(getpid())/fd/\(ends[1])" }

        func close() { for end in ends { Glibc.close(end) } }
    }

    @Test func aProgramThatHangsIsEndedAtItsTime() throws {
        let silent = try Pipe()
        defer { silent.close() }
        var filter = CommandFilter(arguments: ["cat", silent.reading])
        filter.timeout = 50
        #expect(throws: CommandFilterError.timeout("cat", 50)) { try filter.run("x") }
        // It closes its output, and goes on.
        filter.arguments = ["sh", "-c", "exec >&- 2>&-; cat \(silent.reading) </dev/null; read x < \(silent.reading)"]
        #expect(throws: CommandFilterError.timeout("sh", 50)) { try filter.run("x") }
    }

    @Test func aFilterHasNoDescriptorsOfItsHost() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let script = "test -e /proc/self/fd/\(ends[0]) && echo open || echo closed"
        #expect(try run("sh", "-c", script, on: "x").hasPrefix("closed"))
    }

    @Test func cancellingEndsTheWholeGroup() throws {
        let (silent, sign) = (try Pipe(), try Pipe())
        defer { silent.close() }
        let script = "(echo up; exec cat \(silent.reading)) > \(sign.writing) & wait"
        let cancellation = CommandFilter.Cancellation()
        let reading = sign.ends[0]
        let thread = try BackgroundThread.start {
            var byte: UInt8 = 0
            _ = read(reading, &byte, 1)
            cancellation.cancel()
        }
        #expect(throws: CommandFilterError.cancelled) {
            try CommandFilter(arguments: ["sh", "-c", script]).run("x", cancellation: cancellation)
        }
        pthread_join(thread, nil)
        close(sign.ends[1])
        // The child in the background was the last that could write.
        var bytes = [UInt8](repeating: 0, count: 16)
        while read(reading, &bytes, bytes.count) > 0 {}
        close(reading)
        #expect(throws: CommandFilterError.cancelled) {
            try CommandFilter(arguments: ["cat"]).run("x", cancellation: cancellation)
        }
    }

    @Test func aFilterIsAnEngine() async throws {
        let session = EditingSession(TextStore("keep\none two\n"))
        let coordinator = WritingToolsCoordinator(session)
        session.select(Selection(anchor: 5, head: 12))
        func filter(_ command: String) async throws -> WritingToolsCoordinator.RunEnd? {
            let context = try #require(coordinator.contexts(for: .selection).first)
            let run = try await coordinator.run(CommandFilter(command: command), .custom("filter"), on: context)
            defer { coordinator.accept() }
            return coordinator.end(of: run)
        }
        #expect(try await filter("sed s/two/2/") == .finished(nil))
        #expect(session.store.text.string(in: session.store.text.byteRange) == "keep\none 2\n")
        guard case .failed(let reason) = try await filter("sed nonsense") else {
            Issue.record("no failure")
            return
        }
        #expect(reason.contains("sed"))
        #expect(session.store.text.string(in: session.store.text.byteRange) == "keep\none 2\n")
        session.undo()
        #expect(session.store.text.string(in: session.store.text.byteRange) == "keep\none two\n")
    }
}
