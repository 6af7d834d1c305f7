import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Tests of the test tools: a test with a broken tool proves nothing.
    @Suite struct HarnessTests {
        /// Waiting for a child process counts as the test's own time, as long as the child computes the answer.
        @Test func waitingCounts() throws {
            let other = try ChildProcess(
                "sh", ["-c", "read go; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo done; read go"],
                environment: ["PATH": "/usr/bin:/bin"], input: .pipe, output: .pipe)
            defer { other.end() }
            let waiting = WaitingTime(of: [other.pid])
            other.write("go\n")
            #expect(try other.readLine(within: 60_000) == "done")
            let counted = waiting.milliseconds
            let worked = WaitingTime.processorTime(of: other.pid)
            // On a virtual machine, the host may have used part of the time.
            #expect(worked > 60 && counted > worked / 2, "\(counted) counted, \(worked) ms of work")
        }

        /// A thread that computes in a loop counts as busy time, although it answers nobody.
        @Test func spinningCounts() {
            let waiting = WaitingTime(of: [WaitingTime.thisThread])
            Self.spin(200)
            // On a virtual machine, the host may have used part of the 200 ms.
            #expect(waiting.milliseconds > 120)
        }

        /// The long test's measure of blocking on a busy machine: time that this program's loop has computed itself
        /// is never subtracted.
        @Test func aTurnThatSpinsIsSeenHoweverBusyTheMachineIs() throws {
            let others = try startOthers()
            defer { for other in others { other.end(within: 0) } }
            var turns = LongestTurn()
            turns.measure {}
            #expect(turns.computed < LongestTurn.limit && turns.waited < InputMethodBench.stallLimit)
            turns.measure { Self.spin(200) }
            #expect(turns.computed > LongestTurn.limit)
        }

        /// Processor time of other programs does not count.
        @Test func processorTimeOfOtherProgramsDoesNotCount() throws {
            let others = try startOthers()
            defer { for other in others { other.end(within: 0) } }
            let waiting = WaitingTime(of: [WaitingTime.thisThread])
            let start = Deadline.now
            Self.spin(100)
            let (took, counted) = (Deadline.now - start, waiting.milliseconds)
            #expect(took > 150, "three of them wait for each processor")
            #expect(counted < 100 + (took - 100) / 2, "\(counted) of \(took) ms")
        }

        /// Starts three programs per processor that only spin.
        private func startOthers() throws -> [ChildProcess] {
            let count = 3 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            let others = try (0..<count).map { _ in
                try ChildProcess(
                    "sh", ["-c", "echo ready; while :; do :; done"], environment: ["PATH": "/usr/bin:/bin"],
                    output: .pipe)
            }
            for other in others { #expect(try other.readLine(within: 10_000) == "ready") }
            return others
        }

        /// Spins until this thread has used so many milliseconds of processor time.
        private static func spin(_ milliseconds: Double) {
            func used() -> Double {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
            }
            let end = used() + milliseconds
            while used() < end {}
        }

        @Test func everyPrintableASCIICharacterHasItsOwnKey() {
            let all = (0x20...0x7e).map { Character(Unicode.Scalar(UInt8($0))) }
            let keys = Set(all.compactMap { TestKey(typing: $0) })
            #expect(keys.count == all.count)
        }

        @Test func serversGetDisplaysOfTheirOwn() throws {
            let first = try XServer(width: 320, height: 200)
            let second = try XServer(width: 320, height: 200)
            defer {
                first.end()
                second.end()
            }
            #expect(first.display != second.display)
            #expect(try XProbe(display: first.display).width == 320)
        }

        @Test func anEndedProcessIsSeenAsEnded() throws {
            let environment = ["PATH": "/usr/bin:/bin"]
            let process = try ChildProcess("sh", ["-c", "exit 3"], environment: environment)
            #expect(try process.waitForExit(within: 10_000) == .exited(3))
            let stuck = try ChildProcess(
                "sh", ["-c", "trap '' TERM; echo deaf; read x"], environment: environment, input: .pipe, output: .pipe)
            #expect(try stuck.readLine(within: 10_000) == "deaf")
            stuck.end(within: 50)
            #expect(stuck.status == .signalled(SIGKILL))
        }

        @Test func theGuardEndsWhatADeadTestLeftRunning() throws {
            let environment = ["PATH": "/usr/bin:/bin"]
            let left = try ChildProcess("sh", ["-c", "trap '' TERM; read x"], environment: environment, input: .pipe)
            let kept = try ChildProcess("sh", ["-c", "read x"], environment: environment, input: .pipe)
            let directory = try TemporaryDirectory.make()
            let watcher = try ChildProcess("sh", ["-c", ProcessGuard.script], environment: environment, input: .pipe)
            watcher.write("+ \(kept.pid)\n+ \(left.pid)\n- \(kept.pid)\nd \(directory)\n")
            watcher.closeInput()
            #expect(try watcher.waitForExit(within: 10_000) == .exited(0))
            #expect(try left.waitForExit(within: 10_000) == .signalled(SIGKILL))
            #expect(kept.isRunning)
            #expect(access(directory, F_OK) != 0)
        }

        @Test func aSessionLeavesNothingBehind() throws {
            let session = try DesktopSession(width: 320, height: 200)
            let home = session.home
            try session.startBus()
            #expect(access("\(home)/run/bus", F_OK) == 0)
            session.end()
            #expect(!session.server.isRunning)
            #expect(access(home, F_OK) != 0)
        }
    }
}

extension DisplayTests.HarnessTests {
    @Test func theProxyCountsRequestsAndRepliesApart() throws {
        let session = try DesktopSession(width: 320, height: 200)
        defer { session.end() }
        let proxy = try CountingProxy(to: session.server)
        defer { proxy.end() }
        let probe = try XProbe(display: proxy.display)
        probe.sync()
        let before = try #require(proxy.counts.first)
        probe.sync()
        probe.movePointer(x: 5, y: 5)
        probe.sync()
        let passed = try #require(proxy.counts.first) - before
        #expect(passed.requests == 3)
        #expect(passed.replies == 2)
        #expect(passed.errors == 0)
        #expect(passed.requestBytes == 2 * 4 + 36)
    }

    @Test func theScriptedServerIsDrivenAndRead() throws {
        let session = try DesktopSession(width: 320, height: 200)
        defer { session.end() }
        let server = InputMethodServerDriver(
            program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
            environment: session.environment)
        try server.start(script: "say \"here\"")
        try server.waitUntilIdle()
        #expect(server.requests("say").map { $0["text"]?.text } == ["here", "idle 2"])
        server.kill()
        #expect(!server.isRunning)
        try server.start()
        try server.waitUntilIdle()
    }

    /// Each script has a spelling mistake that used to make a test of “nothing happens” pass.
    static let mistakes: [(script: String, message: String)] = [
        ("on kye a do pass", "line 1: no trigger: kye"),
        ("on key a do pass\non key esc do pass", "line 2: no key: esc"),
        ("on key a do commmit \"x\"", "line 1: no action: commmit"),
        ("on key a pass", "line 1: a rule needs `do`"),
        ("# a comment\n\non key a do draw 0 0 \"x\"", "line 3: no number: \"x\""),
        ("on key a do commit \"x", "line 1: a text without its closing quote"),
        ("on key a do start; draw 0 0 1 \"x\" q", "line 1: no feedback: q"),
        ("on key a do commit-keysym F55", "line 1: no key: F55"),
        ("on key a do mode kana", "line 1: no mode: kana"),
        ("on key a do start now", "line 1: start takes no more: now"),
        ("on set_ic_focus do reset-reply \"x\"", "line 1: reset-reply is for reset_ic"),
        ("on unset_ic_focus do forward", "line 1: forward is for keys"),
        ("say \"x\"; ; done", "line 1: an action is missing"),
    ]

    @Test func aScriptWithAMistakeIsRefused() throws {
        let session = try DesktopSession(width: 320, height: 200)
        defer { session.end() }
        let server = InputMethodServerDriver(
            program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
            environment: session.environment)
        for (script, message) in Self.mistakes {
            let refusal = #expect(throws: InputMethodServerDriver.ScriptRefused.self) {
                try server.start(script: script)
            }
            #expect(refusal?.output.contains(message) == true, "\(script): \(refusal?.output ?? "")")
        }
        // Messages that bypass the command line are checked by the server when they are to be performed, with an
        // error that names them.
        let environment = session.environment
        for (script, message) in [("on kye a do pass", "no trigger"), ("start", "there is no input context")] {
            let process = try ChildProcess(
                Products.path(of: "inkstone-xim-server"), ["--script", "-"], environment: environment,
                input: .pipe, output: .null, errors: .file("\(session.home)/errors"))
            process.write(script + "\n")
            #expect(try process.waitForExit(within: 10_000) == .exited(2))
            #expect(try TextFiles.read("\(session.home)/errors").contains(message))
        }
        try server.start()
        try server.waitUntilIdle()
        try server.perform("start")
        #expect(throws: InputMethodServerDriver.ScriptRefused.self) { try server.waitUntilIdle() }
    }

    @Test(arguments: RealInputMethod.all)
    func everyInputMethodStartsHeadless(_ method: RealInputMethod) throws {
        let (session, running) = try method.borrow()
        defer { session.giveBack() }
        #expect(running.isServing)
        #expect(!running.serverProcesses.isEmpty)
    }
}
