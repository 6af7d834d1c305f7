import CX11
import DisplayTestSupport
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Malformed packets end only their connection; valid packets of unusual sizes arrive.
    @Suite struct InputMethodPacketTests {
        struct Fault: Sendable, CustomTestStringConvertible {
            let name: String
            /// A rule for the key `x`, or for a request of the client.
            let script: String
            var provoke: @Sendable (InputMethodBench) -> Void = { $0.type("x") }
            var testDescription: String { name }
        }

        static let faults = [
            Fault(
                name: "a commit announced with 2,049 bytes, where its header says more",
                script: "on key x do raw 2049 63 512 im ic 2 2037 0x6161*1019"),
            Fault(name: "a commit longer than its packet", script: "on key x do raw 16 63 3 im ic 2 4000 0x6161*2"),
            Fault(
                name: "a large commit longer than its packet",
                script: "on key x do raw 4012 63 1002 im ic 2 9000 0x6161*2000"),
            Fault(name: "a header without a packet", script: "on key x do raw 4000 63 999 im ic 2 100 0x6161*4"),
            Fault(name: "a packet larger than its header", script: "on key x do raw 40 63 3 im ic 2 2 0x6161*14"),
            Fault(name: "a minor opcode", script: "on key x do raw 8 0x0149 1 im ic"),
            Fault(name: "a request that is a client's", script: "on key x do raw 8 64 1 im ic"),
            Fault(name: "a request that nobody knows", script: "on key x do raw 8 99 1 im ic"),
            Fault(name: "half a drawing", script: "on key x do raw 20 75 4 im ic 0 0 0 0 0 0"),
            Fault(
                name: "more feedback than came",
                script: "on key x do raw 36 75 8 im ic 0 0 0 0 1 0 0 0 1 0x61 9000 0 1 0"),
            Fault(
                name: "an event that is no key's",
                script: "on key x do raw 44 60 10 im ic 0 0 17 0*15"),
            Fault(name: "an extension's packet that is too short", script: "on key x do raw 12 0x80 2 im ic 0 0"),
            Fault(
                name: "a reply to a reset that is longer than its message",
                script: "on reset_ic do drop; raw 20 65 4 im ic 25 0x6161*5",
                provoke: {
                    $0.connection.reset($0.window)
                    $0.type("x")
                }),
            Fault(
                name: "a reply about another context",
                script: "on set_ic_values do drop; raw 8 55 1 im 77",
                provoke: {
                    $0.connection.setSpot($0.caret(at: 90), in: $0.window, rootOrigin: .init(x: 0, y: 0))
                    $0.type("x")
                }),
            Fault(
                name: "a context with the number of another", script: "",
                provoke: { $0.makeContext(answeredBy: "raw 8 51 1 im ic") }),
        ]

        @Test(arguments: faults)
        func malformedPacketEndsOnlyItsConnection(_ fault: Fault) throws {
            // A long retry delay keeps the client from trying the same server again during the test.
            var timing = InputTiming.forTests
            timing.retry = 5000
            let bench = try InputMethodBench(script: fault.script, timing: timing)
            defer { bench.end() }
            try bench.begin()
            fault.provoke(bench)
            try bench.wait("the state") { bench.connection.state.phase == .faulty }
            // The key that the packet answered and the next one are typed.
            bench.type("yz")
            try bench.waitForKeys { bench.field.text == "xyz" }
            #expect(bench.isInterrupted)
            #expect(bench.connection.state.diagnosis != nil)
            #expect(bench.longestStall < InputMethodBench.stallLimit)
            // A new server is used at once, without the retry delay.
            bench.driver.kill()
            try bench.driver.start()
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ka")
            try bench.wait("composing again") { bench.field.preedit.text == "さあ" }
            #expect(bench.field.text == "xyz")
        }

        @Test func aReplyToTheOpeningThatDoesNotParseEndsTheConnection() throws {
            var timing = InputTiming.forTests
            timing.retry = 5000
            // The packet announces attributes of 200 bytes, but contains only eight.
            let bench = try InputMethodBench(script: "on open do drop; raw 16 31 3 1 200 0*4", timing: timing)
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.type("x")
            try bench.wait("the state") { bench.connection.state.phase == .faulty }
            bench.type("yz")
            try bench.waitForKeys { bench.field.text == "xyz" }
            #expect(bench.driver.requests("open").count == 1)
            bench.driver.kill()
            try bench.driver.start()
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }

        /// The retry delay grows, so a server that fails at every connection does not keep the program busy.
        @Test func aServerThatIsAlwaysAtFaultIsTriedMoreAndMoreRarely() throws {
            let bench = try InputMethodBench(script: "on set_ic_focus do raw 8 99 1 im ic")
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            try bench.wait("five tries", within: 10_000) { bench.driver.requests("open").count >= 5 }
            // Use the server's clock: the client's thread may notice a failure late.
            let tries = bench.driver.requests("open").map(\.time)
            // The delay doubles from 40 ms on, so the first and the last one differ by a factor of 8.
            #expect(tries[4] - tries[3] >= 320)
            bench.type("abc")
            try bench.waitForKeys { bench.field.text == "abc" }
        }

        /// The late commits together exceed the limit on stored messages; so they must not be stored either.
        @Test func lateCommitsForADestroyedContextAreDropped() throws {
            let late = String(repeating: "raw 60012 63 15002 im 2 2 60000 0x6161*30000; ", count: 14)
            let bench = try InputMethodBench(script: "on key a do \(late)commit \"X\"")
            defer { bench.end() }
            try bench.begin()
            let other = bench.makeWindow()
            bench.connection.focusIn(other)
            try bench.driver.waitForRequest("set_ic_focus") { $0["context"]?.integer == 2 }
            // While the second context exists, its commits arrive.
            try bench.driver.perform("raw 16 63 3 im 2 2 1 0x62 0")
            try bench.wait("its own commit") { bench.answers.contains(.event(.commit("b"), other)) }
            bench.connection.remove(other)
            try bench.wait("its end") { bench.answers.contains(.removed(other)) }
            var text = "b"
            for _ in 0..<21 {
                bench.type("a")
                text += "X"
                try bench.wait("the commit") { bench.field.text.count >= text.count }
                try bench.waitUntilIdle()
                #expect(bench.field.text == text)
            }
            #expect(bench.answers.contains(.event(.commit("X"), bench.window)))
            #expect(bench.connection.state.phase == .ready)
        }

        // Sizes around the limits of a client message and of Xlib's buffers, and around the padding of lengths.
        @Test(arguments: [
            1, 7, 8, 9, 27, 28, 29, 2000, 2013, 2014, 2015, 2016, 2017, 2034, 2035, 2036, 2037, 2038, 8191, 8200,
        ])
        func commitsOfEverySizeArriveWhole(size: Int) throws {
            let text = String(repeating: "b", count: size - 1) + "c"
            let bench = try InputMethodBench(script: "on key a do commit \"\(text)\"; start; draw 0 0 1 \"\(text)\"")
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the texts") { bench.field.text == text && bench.field.preedit.text == text }
            #expect(bench.draws.last?.feedback.count == size)
        }

        /// The server dies between a large packet and the reply to a reset: the contexts are destroyed during the
        /// call.
        @Test func aDeathAfterALargePacketWithinAResetLeavesTheRest() throws {
            let bench = try InputMethodBench(
                script: "on reset_ic do drop; raw 4032 75 1007 im ic 0 0 0 0 0 0 2 0 4000 0x6161*2002; exit")
            defer { bench.end() }
            try bench.begin()
            bench.connection.reset(bench.window)
            bench.type("x")
            try bench.waitForKeys { bench.field.text.hasSuffix("x") }
            try bench.wait("the state") { bench.connection.state.phase == .notRunning }
            #expect(bench.field.resets.count == 1)
        }

        /// Any client can send key events to any window; only keys in the server's packets count.
        @Test func keyEventsFromOtherClientsAreIgnored() throws {
            let bench = try InputMethodBench(options: ["--mode", "commit-each"])
            defer { bench.end() }
            try bench.begin()
            let (display, root) = (bench.display, XDefaultRootWindow(bench.display))
            var (found, parent, count): (XID, XID, UInt32) = (0, 0, 0)
            var children: UnsafeMutablePointer<XID>?
            XQueryTree(display, root, &found, &parent, &children, &count)
            defer { if let children { XFree(children) } }
            for window in UnsafeBufferPointer(start: children, count: Int(count)) where window != bench.window.xid {
                for (target, keycode) in [(window, TestKey(typing: "x")?.keycode ?? 0), (bench.window.xid, 0)] {
                    var event = XEvent()
                    event.xkey.type = KeyPress
                    event.xkey.keycode = UInt32(keycode)
                    event.xkey.window = target
                    event.xkey.root = root
                    XSendEvent(display, window, 0, 0, &event)
                }
            }
            XSync(display, 0)
            bench.type("ab")
            try bench.wait("the commits") { bench.field.text.hasSuffix("b") }
            try bench.waitUntilIdle()
            #expect(bench.field.text == "ab")
            #expect(bench.driver.requests("forward_event").count == 4)
        }

        @Test func aTransportThatIsNotThereIsNoCrash() throws {
            // The server dies between the two requests that precede a connection.
            let bench = try InputMethodBench(script: "on transport do die")
            defer { bench.end() }
            bench.connection.start()
            bench.type("abc")
            try bench.waitForKeys { bench.field.text == "abc" }
            #expect(!bench.connection.state.isEngaged)
        }
    }
}

extension InputMethodBench {
    /// Types `x` in another window, where the server performs `action` when its context is created.
    fileprivate func makeContext(answeredBy action: String) {
        #expect(throws: Never.self) {
            try driver.perform("once on create_ic do drop; " + action)
            try driver.waitUntilIdle()
        }
        type("x", window: makeWindow())
    }
}
