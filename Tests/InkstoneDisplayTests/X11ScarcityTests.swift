import CScarcity
import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Synchronization
import Testing

@testable import InkstoneX11

/// How many SIGPIPEs came to this process's handler.
private let pipeSignals = Atomic<Int>(0)
/// What threads wait for that only take up room.
private let waitingThreads = Atomic<Int32>(-1)

extension DisplayTests {
    /// No thread, no descriptor, no X server: a state and plain typing.
    @Suite struct X11ScarcityTests {
        /// All descriptors that the process may have, taken for a while.
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

        /// All stacks for threads that the process may have, taken for a while.
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
            // Stacks of threads that have ended are kept for others.
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

        /// Each allocation that our C code makes for a connection and a composition fails once: that connection ends, and no key with it.
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
                try bench.wait("the next connection") { bench.connection.state.phase == .ready }
                let isTold = bench.answers.contains {
                    if case .state(let state) = $0 { state.phase == .unavailable } else { false }
                }
                #expect(isTold == hasFailed, "allocation \(number): \(bench.summary)")
                if hasFailed { number += 1 }
            }
            #expect(number >= 10, "allocations are wrapped")
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }

        /// Not even one for its answers: keys come back all the same, and once there are some, it is made and listened to.
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

        /// A library leaves the host's signals alone, and a write to a server that is gone must not end the program.
        @Test func aServerThatIsGoneRaisesNoSignal() throws {
            let server = try XServer(width: 320, height: 200)
            let display = try InkstoneX11.Display(name: server.display)
            defer { display.close() }
            pipeSignals.store(0, ordering: .sequentiallyConsistent)
            let before = signal(SIGPIPE) { _ in pipeSignals.add(1, ordering: .relaxed) }
            defer { signal(SIGPIPE, before) }
            // Stopped, it does not close its side: Xlib would read of that, and never write.
            server.send(SIGSTOP)
            defer { server.end() }
            shutdown(XConnectionNumber(display.connection), Int32(SHUT_WR))
            // More than Xlib's buffer holds: it writes in the midst of them.
            for _ in 0..<50_000 { XNoOp(display.connection) }
            cx11_flush(display.connection)
            display.processEvents()
            #expect(display.isLost)
            #expect(pipeSignals.load(ordering: .sequentiallyConsistent) == 0)
            // The host's own come as before.
            raise(SIGPIPE)
            #expect(pipeSignals.load(ordering: .sequentiallyConsistent) == 1)
        }
    }
}
