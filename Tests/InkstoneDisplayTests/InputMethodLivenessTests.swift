import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// A server that hangs or dies loses no key and blocks nothing, and the client connects to its successor.
    @Suite struct InputMethodLivenessTests {
        /// A point in the protocol where the server stops: a rule of its script, and the client's actions that lead
        /// there.
        struct Point: Sendable, CustomTestStringConvertible {
            var name: String
            var trigger: String
            /// Keys that begin a composition before the server stops.
            var before = "ab"
            var preedit = "あい"
            /// Makes the client reach the point, besides typing keys.
            var provoke: @Sendable (InputMethodBench) -> Void = { _ in }
            /// A request that is not ordered with the keys, and must reach the server before them.
            var awaited: String?
            var testDescription: String { name }
        }

        static let points = [
            Point(name: "idle", trigger: "", before: "", preedit: ""),
            Point(name: "composing", trigger: ""),
            Point(name: "in the middle of a key", trigger: "key x"),
            Point(
                name: "in SET_IC_VALUES", trigger: "set_ic_values",
                provoke: { $0.connection.setSpot($0.caret(at: 50), in: $0.window, rootOrigin: .init(x: 0, y: 0)) },
                awaited: "set_ic_values"),
            Point(name: "in RESET_IC", trigger: "reset_ic", provoke: { $0.connection.reset($0.window) }),
            Point(name: "in UNSET_IC_FOCUS", trigger: "unset_ic_focus", provoke: { $0.connection.focusOut($0.window) }),
            Point(name: "in CREATE_IC", trigger: "create_ic", provoke: { $0.connection.focusIn($0.makeWindow()) }),
            Point(
                name: "in SET_IC_FOCUS", trigger: "set_ic_focus", provoke: { $0.connection.focusIn($0.makeWindow()) }),
            Point(
                name: "in DESTROY_IC", trigger: "destroy_ic",
                provoke: {
                    $0.connection.focusIn($0.window)
                    $0.connection.remove($0.window)
                }),
        ]

        /// While nobody reads, the server keeps sending: the kept messages are limited, and then the connection is
        /// dropped.
        @Test func aServerThatSendsMoreThanAnyKeyCanCauseIsDisconnected() throws {
            let commit = #"commit ""# + String(repeating: "x", count: 30_000) + "\""
            let bench = try InputMethodBench(script: "on key a do \(commit); \(commit)")
            defer { bench.end() }
            try bench.begin()
            let worker = try #require(bench.connection.worker)
            for _ in 0..<320 { bench.type("a") }
            try waitUntil("the thread to end", within: 20_000) { !worker.send(.open(locale: "")) }
            try bench.wait("the end") { bench.connection.state.phase == .faulty }
            #expect(bench.field.text.utf8.count < 320 * 60_000)
            try bench.wait("another connection") { bench.connection.state.phase == .ready }
            bench.type("b")
            try bench.wait("the preedit") { bench.field.preedit.text == "い" }
        }

        @Test(
            "XIM 46, 47, 48, 49, 50 a server that hangs or dies anywhere", arguments: points, ["hang", "die"])
        func noKeyIsLostAndComposingWorksAgain(at point: Point, how: String) throws {
            var timing = InputTiming.standard
            // A death is noticed even inside a call that would wait for ever, without a time-out.
            if how == "die" { timing.response = 60_000 }
            let bench = try InputMethodBench(options: ["--on-unset", "keep"], timing: timing)
            defer { bench.end() }
            try bench.begin()
            bench.type(point.before)
            try bench.wait("the preedit") { bench.field.preedit.text == point.preedit }
            try bench.waitUntilIdle()
            if point.trigger.isEmpty {
                if how == "hang" { bench.driver.stop() } else { bench.driver.kill() }
            } else {
                try bench.driver.perform("once on \(point.trigger) do \(how)")
                try bench.driver.waitUntilIdle()
                let logged = bench.driver.entries.count
                point.provoke(bench)
                if let request = point.awaited { try bench.driver.waitForRequest(request, after: logged) }
            }
            let typed = "xyzzy quux"
            let other = bench.makeWindow()
            bench.type(typed, window: point.name == "in DESTROY_IC" ? other : nil)
            let what = point.preedit + typed
            try bench.waitForKeys { bench.field.text == what }
            print("\(point.name), \(how): longest stall \(bench.longestStall) ms")
            #expect(bench.longestStall < InputMethodBench.stallLimit)
            #expect(bench.isInterrupted)
            #expect(bench.field.preedit.isEmpty)
            #expect(!bench.connection.state.isEngaged)
            #expect(bench.connection.state.diagnosis != nil)

            if how == "hang" {
                bench.driver.resume()
            } else {
                try bench.driver.start()
            }
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ka", window: other)
            try bench.wait("composing again") { bench.field.preedit.text == "さあ" }
            try bench.waitUntilIdle()
            // Late messages of the old connection have no effect.
            #expect(bench.field.text == what)
        }

        /// A server may answer several keys with one draw, at once or later: none of these keys may be typed again.
        @Test(arguments: ["at once", "late", "each"], ["hang", "die"])
        func keysOfOneDrawAreNotTypedAgain(merged: String, how: String) throws {
            let draw = #"start; draw 0 0 3 "あいう""#
            let script =
                switch merged {
                case "at once": "on key a do pass\non key b do pass\non key c do \(draw)"
                case "late": "on key a do pass\non key b do pass\non key c do delay 30; \(draw)"
                default: ""
                }
            let bench = try InputMethodBench(script: script, timing: .forTests)
            defer { bench.end() }
            try bench.begin()
            bench.type("abc")
            try bench.wait("the preedit") { bench.field.preedit.text == "あいう" }
            try bench.waitUntilIdle()
            if how == "hang" { bench.driver.stop() } else { bench.driver.kill() }
            bench.type("xy")
            try bench.waitForKeys { bench.field.text.hasSuffix("xy") }
            #expect(bench.field.text == "あいうxy")
        }

        @Test(arguments: [
            "locales", "transport", "xconnect", "connect", "open", "encoding", "get_im_values", "create_ic",
            "set_ic_focus",
        ])
        func aServerThatHangsWhileConnectingIsLetGo(request: String) throws {
            let bench = try InputMethodBench(script: "on \(request) do hang")
            defer { bench.end() }
            bench.connection.start()
            bench.type("abc")
            try bench.waitForKeys { bench.field.text == "abc" }
            #expect(bench.longestStall < InputMethodBench.stallLimit)
        }

        // nabi declares which keys it filters only when a context gets the focus.
        @Test func aServerThatAsksForKeysLateGetsTheFirst() throws {
            let bench = try InputMethodBench(
                options: ["--flow", "dynamic"], script: "on set_ic_focus do block 20; preedit-on")
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.type("ka")
            try bench.wait("the preedit") { bench.field.preedit.text == "さあ" }
            #expect(bench.field.text.isEmpty)
        }

        // fcitx5 before 5.1.13 overlooks events that one of its own calls has read, until the next event arrives.
        @Test func aServerThatOverlooksAnEventIsWokenUp() throws {
            let bench = try InputMethodBench(script: "once on locales do overlook")
            defer { bench.end() }
            try bench.begin()
            try bench.driver.perform("mode swallow\nonce on locales do overlook")
            try bench.driver.waitUntilIdle()
            // A liveness query follows each key, the second only after the first was answered.
            for key in ["x", "y"] {
                let asked = bench.driver.requests("locales").count
                bench.type(key)
                try bench.wait("the query after \(key)") { bench.driver.requests("locales").count > asked }
            }
            let phases = bench.answers.compactMap { if case .state(let state) = $0 { state.phase } else { nil } }
            #expect(phases == [.ready])
        }

        @Test func aServerThatDiesWheneverItIsConnectedToDoesNotKeepUsBusy() throws {
            let bench = try InputMethodBench(script: "on create_ic do die")
            defer { bench.end() }
            bench.connection.start()
            bench.type("abc")
            try bench.waitForKeys { bench.field.text == "abc" }
        }

        @Test("XIM 51 a server started later is used")
        func aServerStartedLaterIsUsed() throws {
            let bench = try InputMethodBench(startsServer: false)
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.type("a")
            try bench.wait("the plain key") { bench.field.text == "a" }
            #expect(bench.connection.state.phase == .notRunning)
            try bench.driver.start()
            try bench.wait("the connection") { bench.connection.state.phase == .ready }
            bench.type("a")
            try bench.wait("the preedit") { bench.field.preedit.text == "あ" }
        }

        @Test func withoutAMethodKeysAreTypedPlainly() throws {
            let bench = try InputMethodBench(startsServer: false, modifiers: "@im=none")
            defer { bench.end() }
            bench.connection.start()
            bench.type("abc")
            bench.connection.reset(bench.window)
            try bench.wait("the keys") { bench.field.text == "abc" && bench.field.resets == [nil] }
            #expect(bench.connection.state.phase == .none)
        }

        @Test func aHostsHandlersThatExitAreNotCalled() throws {
            let before = XSetIOErrorHandler { _ in exit(7) }
            let beforeError = XSetErrorHandler { _, _ in exit(8) }
            defer {
                XSetIOErrorHandler(before)
                XSetErrorHandler(beforeError)
            }
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            try bench.driver.perform("once on set_ic_values do hang")
            try bench.driver.waitUntilIdle()
            bench.connection.setSpot(bench.caret(at: 9), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            try bench.driver.waitForRequest("set_ic_values")
            bench.type("abc")
            try bench.waitForKeys { bench.field.text == "abc" }
        }

        @Test func twoHundredShedConnectionsLeaveNothingBehind() throws {
            var timing = InputTiming.forTests
            timing.response = 30
            timing.quiet = 1
            timing.pressWait = 1
            (timing.retry, timing.longestRetry) = (1, 1)
            let bench = try InputMethodBench(timing: timing)
            defer { bench.end() }
            try bench.begin()
            try bench.driver.perform("on set_ic_values do hang")
            try bench.driver.waitUntilIdle()
            // The thread's session lives on its stack and retains the worker, so a thread that never ended is
            // visible here.
            var workers: [() -> InputMethodWorker?] = []
            func cycle(_ number: Int) throws {
                workers.append { [weak worker = bench.connection.worker] in worker }
                bench.connection.setSpot(bench.caret(at: number), in: bench.window, rootOrigin: .init(x: 0, y: 0))
                try bench.wait("the shedding") { bench.connection.state.phase != .ready }
                try bench.wait("the connection") {
                    // The server receives the spot at once, and may stop again before the connection was seen as
                    // ready.
                    bench.driver.resume()
                    return bench.connection.state.phase == .ready
                }
                bench.answers = []
            }
            for number in 0..<20 { try cycle(number) }
            let before = Footprint.now
            let count = getenv("INKSTONE_LONG_TESTS") == nil ? 200 : 1000
            for number in 0..<count { try cycle(number + 100) }
            let after = Footprint.now
            let perCycle = (after.memory - before.memory) / count
            let left = workers.count { $0() != nil }
            print(
                "\(count) cycles: \(before) → \(after), \(perCycle) bytes a cycle, \(left) workers left, longest stall "
                    + "\(bench.longestStall) ms")
            #expect(left == 0)
            #expect(after.threads <= before.threads)
            #expect(after.descriptors <= before.descriptors)
            #expect(after.memory - before.memory <= count * 8192)
            #expect(bench.longestStall < InputMethodBench.stallLimit)
        }
    }
}

/// The resources of a process: threads, descriptors and bytes of memory.
struct Footprint: CustomStringConvertible {
    var threads: Int
    var descriptors: Int
    var memory: Int

    static var now: Footprint {
        Footprint(
            threads: count("/proc/self/task"), descriptors: count("/proc/self/fd"), memory: residentBytes)
    }

    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    private static func count(_ directory: String) -> Int {
        guard let stream = opendir(directory) else { return 0 }
        defer { closedir(stream) }
        var result = 0
        while readdir(stream) != nil { result += 1 }
        return result
    }

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(memory / 1024) KB" }
}
