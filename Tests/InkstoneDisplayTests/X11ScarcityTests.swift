import CScarcity
import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Synchronization
import Testing

@testable import InkstoneX11

/// The number of SIGPIPE signals received by this process's handler.
private let pipeSignals = Atomic<Int>(0)
/// The semaphore on which threads wait that only occupy resources.
private let waitingThreads = Atomic<Int32>(-1)

extension DisplayTests {
    /// Without threads, descriptors or an X server, the connection reports its state and keys are typed plainly.
    @Suite struct X11ScarcityTests {
        /// Uses up all file descriptors of the process while `work` runs.
        private func withoutDescriptors<Result>(_ work: () throws -> Result) rethrows -> Result {
            var before = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
            let highest = dup(0)
            close(highest)
            var narrow = before
            narrow.rlim_cur = rlim_t(highest + 16)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &narrow)
            var taken: [Int32] = []
            while case let each = dup(0), each >= 0 { taken.append(each) }
            defer {
                for each in taken { close(each) }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
            }
            return try work()
        }

        @Test func withoutDescriptorsKeysAreTypedPlainlyAndLaterComposed() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try withoutDescriptors {
                bench.connection.start()
                bench.connection.focusIn(bench.window)
                bench.type("abc")
                try bench.wait("the keys") { bench.field.text == "abc" }
                #expect(bench.connection.state.phase == .unavailable)
                #expect(bench.connection.state.diagnosis != nil)
            }
            try bench.wait("the connection") { bench.connection.state.phase == .ready }
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }

        /// Uses up all thread stacks of the process while `work` runs.
        private func withoutThreads<Result>(_ work: () -> Result) throws -> Result {
            var before = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
            let pages = try TextFiles.read("/proc/self/statm").split(separator: " ").first.flatMap { Int($0) }
            var narrow = before
            narrow.rlim_cur = rlim_t(try #require(pages) * sysconf(Int32(_SC_PAGESIZE)) + 1 << 20)
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            waitingThreads.store(ends[0], ordering: .sequentiallyConsistent)
            var threads: [pthread_t] = []
            threads.reserveCapacity(4096)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &narrow)
            // The C library caches the stacks of ended threads, so use these up too.
            while threads.count < 4096 {
                var thread = pthread_t()
                let code = pthread_create(
                    &thread, nil,
                    { _ in
                        var byte: UInt8 = 0
                        _ = read(waitingThreads.load(ordering: .sequentiallyConsistent), &byte, 1)
                        return nil
                    }, nil)
                if code != 0 { break }
                threads.append(thread)
            }
            defer {
                setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
                close(ends[1])
                for thread in threads { pthread_join(thread, nil) }
                close(ends[0])
            }
            return work()
        }

        @Test func withoutAThreadKeysAreTypedPlainlyAndLaterComposed() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try withoutThreads { bench.connection.start() }
            bench.connection.focusIn(bench.window)
            bench.type("abc")
            try bench.wait("the keys") { bench.field.text == "abc" }
            #expect(
                bench.answers.contains { if case .state(let state) = $0 { state.phase == .unavailable } else { false } }
            )
            try bench.wait("the connection") { bench.connection.state.phase == .ready }
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }

        /// Each allocation by the C code for a connection and a composition fails once: the connection ends, but no
        /// key is lost.
        @Test func withoutMemoryKeysAreTypedPlainlyAndLaterComposed() throws {
            var timing = InputTiming.forTests
            timing.longestRetry = timing.retry
            let bench = try InputMethodBench(timing: timing)
            defer { bench.end() }
            try bench.begin()
            var hasFailed = true
            var number = 0
            while hasFailed {
                (bench.field, bench.answers) = (InputMethodBench.Field(), [])
                scarcity_begin(Int32(number))
                defer { scarcity_end() }
                bench.driver.kill()
                try bench.wait("the end") { bench.connection.state.phase != .ready }
                try bench.driver.start()
                try bench.wait("the connection") {
                    bench.connection.state.phase == .ready || scarcity_failures() > 0
                }
                bench.type("k\n")
                try bench.wait("the key") { ["さ", "k"].contains(bench.field.text) }
                hasFailed = scarcity_failures() > 0
                scarcity_end()
                var isReported: Bool {
                    bench.answers.contains {
                        if case .state(let state) = $0 { state.phase == .unavailable } else { false }
                    }
                }
                // An allocation for the last key may fail when the text is complete.
                if hasFailed { try bench.wait("the failure to be reported") { isReported } }
                try bench.wait("the next connection") { bench.connection.state.phase == .ready }
                #expect(isReported == hasFailed, "allocation \(number): \(bench.summary)")
                if hasFailed { number += 1 }
            }
            #expect(number >= 10, "allocations are wrapped")
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }

        /// Without a descriptor even for the answers, keys are typed all the same; once descriptors are available,
        /// the connection is made.
        @Test func aConnectionMadeWithoutDescriptorsGivesKeysBackAndConnectsLater() throws {
            let server = try XServer(width: 320, height: 200)
            let display = try InkstoneX11.Display(name: server.display)
            let directory = try TemporaryDirectory.make()
            let driver = InputMethodServerDriver(
                program: InputMethodBench.serverProgram, log: directory + "/xim.log",
                environment: ["DISPLAY": server.display, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
            try driver.start()
            defer {
                driver.end()
                display.close()
                server.end()
                TemporaryDirectory.remove(directory)
            }
            var answers: [InputMethodAnswer] = []
            let key = KeyEvent(phase: .down, keysym: 0, characters: "a")
            let window = WindowID(xid: 1)
            let connection = try withoutDescriptors {
                let connection = InputMethodConnection(
                    displayName: server.display, modifiers: "@im=inkstone", timing: .forTests)
                connection.attach(to: display) { answers += $0 }
                connection.start()
                connection.send(RawKey(XKeyEvent()), key, window: window, ticket: KeyTicket(rawValue: 1))
                try waitUntil("the key", watching: [display.fileDescriptor]) {
                    display.processEvents()
                    return answers.contains(.event(.key(key, KeyTicket(rawValue: 1)), window))
                }
                #expect(connection.descriptor < 0 && connection.state.phase == .unavailable)
                return connection
            }
            try waitUntil("the connection", watching: [display.fileDescriptor]) {
                display.processEvents()
                return connection.state.phase == .ready
            }
            #expect(connection.descriptor >= 0)
            connection.close()
            try waitUntil("its end", watching: [display.fileDescriptor]) {
                display.processEvents()
                return connection.isClosed
            }
            connection.detach(from: display)
        }

        /// A library must leave the host's signal handlers alone, but a write to a dead server must not end the
        /// program.
        @Test func aServerThatIsGoneRaisesNoSignal() throws {
            let server = try XServer(width: 320, height: 200)
            let display = try InkstoneX11.Display(name: server.display)
            defer { display.close() }
            pipeSignals.store(0, ordering: .sequentiallyConsistent)
            let before = signal(SIGPIPE) { _ in pipeSignals.add(1, ordering: .relaxed) }
            defer { signal(SIGPIPE, before) }
            // A stopped server does not close its socket; otherwise Xlib would notice when reading, and would never
            // write.
            server.send(SIGSTOP)
            defer { server.end() }
            shutdown(XConnectionNumber(display.connection), Int32(SHUT_WR))
            // More requests than Xlib's buffer holds, so that it writes in between.
            for _ in 0..<50_000 { XNoOp(display.connection) }
            cx11_flush(display.connection)
            display.processEvents()
            #expect(display.isLost)
            #expect(pipeSignals.load(ordering: .sequentiallyConsistent) == 0)
            // The host's own signals are still delivered.
            raise(SIGPIPE)
            #expect(pipeSignals.load(ordering: .sequentiallyConsistent) == 1)
        }
    }
}
