import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The spot of the composition is sent to the server exactly, once, and only while no key is pending.
    @Suite struct InputMethodSpotTests {
        private let origin = RootPoint(x: 100, y: 50)

        private func spots(_ bench: InputMethodBench) -> [[Int]] {
            bench.driver.requests("set_ic_values").map { ($0["spot"]?.items ?? []).compactMap(\.integer) }
        }

        @Test func theSpotIsBelowTheRectangle() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(
                WindowRect(x: 30, y: 40, width: 2, height: 16), in: bench.window, rootOrigin: origin)
            let request = try bench.driver.waitForRequest("set_ic_values")
            #expect(request["window"]?.integer == Int(bench.window.rawValue))
            #expect(spots(bench) == [[30, 56]])
        }

        @Test(
            "XIM 36 the spot is below the line, at least (1, 1), and fits 16 bits",
            arguments: [
                (WindowRect(x: -20, y: -40, width: 2, height: 16), [1, 1]),
                (WindowRect(x: 0, y: 0, width: 0, height: 0), [1, 1]),
                (WindowRect(x: 1e9, y: 40_000, width: 2, height: 16), [32767, 32767]),
                (WindowRect(x: .nan, y: .infinity, width: 2, height: 16), [1, 32767]),
                (WindowRect(x: 7.5, y: 8.4, width: 2, height: 16), [8, 24]),
            ])
        func theSpotIsClampedToWhatServersUnderstand(_ rect: WindowRect, expected: [Int]) throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(rect, in: bench.window, rootOrigin: origin)
            try bench.driver.waitForRequest("set_ic_values")
            #expect(spots(bench) == [expected])
        }

        @Test("XIM 38 the same spot is sent once, and a moved window's again")
        func theSameSpotIsSentOnceAndAMovedWindowsAgain() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            for _ in 0..<5 {
                bench.connection.setSpot(bench.caret(at: 30), in: bench.window, rootOrigin: origin)
                try bench.waitUntilIdle()
            }
            #expect(spots(bench) == [[30, 36]])
            bench.connection.setSpot(bench.caret(at: 30), in: bench.window, rootOrigin: RootPoint(x: 101, y: 50))
            try waitUntil("the second") { spots(bench).count == 2 }
            #expect(spots(bench) == [[30, 36], [30, 36]])
        }

        @Test("XIM 39 only the last of many spots is sent")
        func onlyTheLastOfManySpotsIsSent() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            for x in 1...100 { bench.connection.setSpot(bench.caret(at: x), in: bench.window, rootOrigin: origin) }
            try bench.driver.waitForRequest("set_ic_values")
            try bench.waitUntilIdle()
            #expect(spots(bench) == [[100, 36]])
        }

        @Test("XIM 39 no spot is sent while a key waits for its answer, or soon after it")
        func noSpotIsSentWhileOrSoonAfterAKeyIsPending() throws {
            var timing = InputTiming()
            timing.probeDelay = 5000
            let bench = try InputMethodBench(
                script: #"on key * do delay 120; start; draw 0 0 1 "a" u; caret 10 1 1"#, timing: timing)
            defer { bench.end() }
            try bench.begin()
            for character in "abcde" {
                bench.type(String(character))
                bench.connection.setSpot(
                    bench.caret(at: bench.events.count + 10), in: bench.window, rootOrigin: origin)
            }
            // uim waits for the reply to each caret move; a spot sent in between would block it for ever.
            try waitUntil("all answers", watching: [bench.connection.descriptor]) {
                bench.turn()
                return bench.driver.requests("caret_reply").count == 5
            }
            try bench.driver.waitForRequest("set_ic_values")
            #expect(spots(bench).count == 1)
            let requests = bench.driver.entries.compactMap { $0["request"]?.text }
            let last = try #require(requests.lastIndex(of: "caret_reply"))
            let spot = try #require(requests.lastIndex(of: "set_ic_values"))
            #expect(spot > last)
        }

        @Test func aKeyWithoutAnyAnswerHoldsTheSpotBackForAWhileOnly() throws {
            let bench = try InputMethodBench(script: "on key a do pass")
            defer { bench.end() }
            try bench.begin()
            let typed = Deadline.now
            bench.type("a")
            bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: origin)
            let spot = try bench.driver.waitForRequest("set_ic_values")
            #expect(spot.time - typed >= 100)
            #expect(spot.time - typed <= 3000)
        }

        @Test("XIM 40, 56 what comes during a call is not held back")
        func messagesThatArriveDuringTheCallAreNotHeldBack() throws {
            let bench = try InputMethodBench(
                options: ["--mode", "forward-each"],
                script: """
                    on key a do start; draw 0 0 1 "a" u
                    once on set_ic_values do commit "b"; draw 0 1 0 null; done
                    on reset_ic do reset-reply "d"; start; draw 0 0 1 "c" u
                    """)
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the preedit") { bench.field.preedit.text == "a" }
            bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: origin)
            try bench.wait("what came during the call") { bench.field.text == "b" && bench.field.preedit.isEmpty }
            bench.connection.reset(bench.window)
            try bench.wait("what came during the reset") {
                bench.field.resets == ["d"] && bench.field.preedit.text == "c"
            }
        }

        @Test("XIM 26 commits and keys of one call keep their order", arguments: [[], ["--no-sync-flag"]])
        func commitsAndReturnedKeysOfOneCallKeepTheirOrder(options: [String]) throws {
            let bench = try InputMethodBench(
                options: options + ["--mode", "forward-each"],
                script: #"once on set_ic_values do commit "1"; forward-key x; commit "2"; commit "3"; forward-key y"#)
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: origin)
            try bench.driver.waitForRequest("set_ic_values")
            bench.type("a")
            try bench.wait("all") { bench.field.text.count >= 6 }
            #expect(bench.field.text == "1?23?a")
            bench.type("b")
            try bench.wait("the next key") { bench.field.text == "1?23?ab" }
        }

        @Test("XIM 50 a new connection learns the spot by itself")
        func aNewConnectionLearnsTheSpotByItself() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(bench.caret(at: 30), in: bench.window, rootOrigin: origin)
            try bench.driver.waitForRequest("set_ic_values")
            bench.driver.kill()
            try bench.wait("the news") { bench.connection.state.phase == .notRunning }
            let count = bench.driver.entries.count
            try bench.driver.start()
            try bench.wait("the spot") {
                bench.driver.entries.dropFirst(count).contains {
                    $0["request"]?.text == "set_ic_values" && $0["spot"]?.items.compactMap(\.integer) == [30, 36]
                }
            }
        }
    }
}
