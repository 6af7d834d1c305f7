import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Synchronization
import Testing

/// A clock that can be stopped, for what happens before a silence ends.
private final class StoppableClock: Sendable {
    private let stopped = Mutex<Milliseconds?>(nil)

    var now: Milliseconds { stopped.withLock { $0 } ?? MonotonicClock.now }

    /// Stops the clock at a time this long after the present.
    func stop(ahead: Milliseconds) { stopped.withLock { $0 = MonotonicClock.now + ahead } }

    /// Advances the stopped clock.
    func advance(by time: Milliseconds) { stopped.withLock { if let now = $0 { $0 = now + time } } }

    func start() { stopped.withLock { $0 = nil } }
}

extension DisplayTests {
    /// The server's messages become values, complete and in order.
    @Suite struct InputMethodConnectionTests {
        @Test(arguments: ["async", "sync"])
        func lettersComposeConvertAndCommit(flow: String) throws {
            let bench = try InputMethodBench(options: ["--flow", flow])
            defer { bench.end() }
            try bench.begin()
            bench.type("ab")
            try bench.wait("the preedit") { bench.field.preedit.text == "あい" }
            bench.type(" ")
            try bench.wait("the conversion") { bench.field.preedit.text == "日本" }
            #expect(bench.field.preedit.clauses.map(\.feedback) == [.reverse, .underline])
            bench.type("\n")
            try bench.wait("the commit") { bench.field.text == "日本" }
            try bench.wait("the end of the preedit") { bench.field.preedit.isEmpty }
            #expect(bench.connection.state.style?.preedit == .callbacks)
        }

        @Test func dynamicEventFlowSwitchesOnAndOff() throws {
            let bench = try InputMethodBench(options: ["--flow", "dynamic"])
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the plain letter") { bench.field.text == "a" }
            var control = TestKey.space
            control = TestKey(control.keycode)
            bench.send(control, isPress: true, state: 4, keysym: 0x20)
            try bench.driver.waitForRequest("trigger_notify")
            bench.type("b")
            try bench.wait("the preedit") { bench.field.preedit.text == "い" }
        }

        @Test("XIM 01 the reply to each start sets no limit")
        func everyReplyToPreeditStartSetsNoLimit() throws {
            let bench = try InputMethodBench(script: "on key a do start")
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            let reply = try bench.driver.waitForRequest("start_reply")
            #expect(reply["value"]?.integer == -1)
        }

        struct Draws: Sendable {
            var name: String
            var actions: String
            var preedit: String
            var caret: Int
            var feedback: [PreeditFeedback]
        }

        static let draws = [
            Draws(
                name: "insert in the middle", actions: #"start; draw 0 0 2 "ac" u*2; draw 1 0 2 "b" r"#, preedit: "abc",
                caret: 2, feedback: [.underline, .reverse, .underline]),
            Draws(
                name: "delete in the middle", actions: #"start; draw 0 0 3 "abc" u*3; draw 1 1 1 null"#, preedit: "ac",
                caret: 1, feedback: [.underline, .underline]),
            Draws(
                name: "replace emoji",
                actions: #"start; draw 0 0 3 "a\u{1F600}b" u*3; draw 1 1 3 "\u{1F601}\u{1F602}" r*2"#,
                preedit: "a😁😂b", caret: 3, feedback: [.underline, .reverse, .reverse, .underline]),
            Draws(
                name: "combining marks count one by one",
                actions: #"start; draw 0 0 2 "e\u{301}" u*2; draw 2 0 3 "x" r"#,
                preedit: "e\u{301}x", caret: 3, feedback: [.underline, .underline, .reverse]),
            Draws(
                name: "delete all", actions: #"start; draw 0 0 2 "ab" u*2; draw 0 2 0 null"#, preedit: "", caret: 0,
                feedback: []),
            Draws(name: "delete nothing", actions: "start; draw 0 0 0 null", preedit: "", caret: 0, feedback: []),
            Draws(
                name: "empty text", actions: #"start; draw 0 0 2 "ab" u*2; draw 0 2 0 "" none"#, preedit: "", caret: 0,
                feedback: []),
            Draws(
                name: "no feedback", actions: #"start; draw 0 0 2 "ab" none"#, preedit: "ab", caret: 2,
                feedback: [[], []]),
            Draws(
                name: "feedback shorter than the text", actions: #"start; draw 0 0 4 "abcd" r,u"#, preedit: "abcd",
                caret: 4, feedback: [.reverse, .underline, [], []]),
            Draws(
                name: "feedback longer than the text", actions: #"start; draw 0 0 2 "ab" r,u*30"#, preedit: "ab",
                caret: 2,
                feedback: [.reverse, .underline]),
            Draws(
                name: "caret out of range", actions: #"start; draw 0 0 99 "ab" u*2"#, preedit: "ab", caret: 2,
                feedback: [.underline, .underline]),
            Draws(
                name: "negative caret", actions: #"start; draw 0 0 -3 "ab" u*2"#, preedit: "ab", caret: 0,
                feedback: [.underline, .underline]),
            Draws(
                name: "change beyond the text", actions: #"start; draw 0 0 2 "ab" u*2; draw 9 9 3 "c" u"#,
                preedit: "abc",
                caret: 3, feedback: [.underline, .underline, .underline]),
            Draws(
                name: "negative change", actions: #"start; draw 0 0 2 "ab" u*2; draw -4 -1 1 "c" u"#, preedit: "cab",
                caret: 1, feedback: [.underline, .underline, .underline]),
            Draws(
                name: "largest numbers", actions: #"start; draw 0 0 2 "ab" u*2; draw max max max "c" u"#,
                preedit: "abc",
                caret: 3, feedback: [.underline, .underline, .underline]),
            Draws(
                name: "whole change of largest length", actions: #"start; draw 0 0 2 "ab" u*2; draw 0 max 1 "c" u"#,
                preedit: "c", caret: 1, feedback: [.underline]),
            Draws(
                name: "draw without start", actions: #"draw 0 0 1 "あ" u"#, preedit: "あ", caret: 1,
                feedback: [.underline]),
            Draws(
                name: "done without draw", actions: #"done; start; draw 0 0 1 "あ" u"#, preedit: "あ", caret: 1,
                feedback: [.underline]),
            Draws(
                name: "done twice", actions: #"start; draw 0 0 1 "あ" u; done; done"#, preedit: "", caret: 0,
                feedback: []),
            Draws(
                name: "every script", actions: #"start; draw 0 0 9 "日한яא\u{E01}ا\u{905}é𠀋" u*9"#,
                preedit: "日한яא\u{E01}ا\u{905}é𠀋",
                caret: 9, feedback: Array(repeating: .underline, count: 9)),
        ]

        @Test func drawsArriveExactly() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            for (number, draws) in Self.draws.enumerated() {
                try bench.driver.perform("once on key a do done; \(draws.actions); say \"drawn \(number)\"")
                try bench.driver.waitUntilIdle()
                bench.type("a")
                try bench.driver.waitForRequest("say") { $0["text"]?.text == "drawn \(number)" }
                try bench.waitUntilIdle()
                #expect(bench.field.preedit.text == draws.preedit, "\(draws.name)")
                #expect(bench.field.preedit.caret == draws.caret, "\(draws.name)")
                #expect(bench.field.preedit.feedback == draws.feedback, "\(draws.name)")
            }
        }

        @Test func caretMovesAreAnsweredWithTheNewPosition() throws {
            // Directions as Xlib numbers them: forward and backward by characters and words, lines, line ends,
            // absolute, none; then invalid ones.
            let moves = [
                (0, 3), (1, 2), (2, 3), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 5), (10, 4), (11, 4),
                (77, 4),
            ]
            let actions = moves.map { "caret \($0.0) 4 1" }.joined(separator: "; ")
            let bench = try InputMethodBench(script: #"on key a do start; draw 0 0 2 "ab de" u*5; "# + actions)
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try waitUntil("all replies") { bench.driver.requests("caret_reply").count == moves.count }
            #expect(bench.driver.requests("caret_reply").map { $0["position"]?.integer } == moves.map(\.1))
            try bench.waitUntilIdle()
            #expect(bench.field.preedit.caret == 4)
        }

        @Test func anInvisibleCaretIsReported() throws {
            let bench = try InputMethodBench(script: #"on key a do start; draw 0 0 1 "a" u; caret 10 1 0"#)
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the caret") { !bench.field.preedit.isCaretVisible }
        }

        @Test func commitsWithoutDoneAndKeySymbolsArrive() throws {
            let bench = try InputMethodBench(
                script: """
                    on key a do start; draw 0 0 1 "x" u; commit "日本"
                    on key b do commit-keysym A
                    on key c do commit-both B "b"
                    """)
            defer { bench.end() }
            try bench.begin()
            bench.type("abc")
            try bench.wait("the commits") { bench.field.text == "日本Ab" }
            #expect(bench.field.preedit.text == "x")
        }

        @Test("XIM 24 long commits are whole", arguments: [560, 3000, 7000])
        func aLongCommitIsWhole(count: Int) throws {
            let text = String(repeating: "日語", count: count / 2) + "end"
            let bench = try InputMethodBench(
                options: ["--mode", "forward-each"],
                script: "on key a do commit \"\(text)\"\non key b do commit-both x \"\(text)\"")
            defer { bench.end() }
            try bench.begin()
            bench.type("abc")
            try bench.wait("the commits") { bench.field.text.count >= 2 * text.count + 1 }
            #expect(bench.field.text == text + text + "c")
        }

        @Test func aLongPreeditIsWhole() throws {
            let text = String(repeating: "日語", count: 500)
            let bench = try InputMethodBench(
                script: "on key a do start; draw 0 0 3 \"\(text)\" r*3,u*997\non key b do draw 1000 0 1001 \"x\" s")
            defer { bench.end() }
            try bench.begin()
            bench.type("ab")
            try bench.wait("the preedit") { bench.field.preedit.text == text + "x" }
            let clauses = bench.field.preedit.clauses
            #expect(clauses.map(\.range) == [0..<3, 3..<1000, 1000..<1001])
            #expect(clauses.map(\.feedback) == [.reverse, .underline, .secondary])
        }

        @Test(
            "XIM 27 a thousand keys at once stay in order", arguments: ["commit-each", "forward-each"], [true, false])
        func aThousandKeysStayInOrder(mode: String, isPaced: Bool) throws {
            let bench = try InputMethodBench(options: ["--mode", mode] + (isPaced ? [] : ["--no-sync-flag"]))
            defer { bench.end() }
            try bench.begin()
            let letters = Array("thequickbrownfoxjumpsoverlazydg")
            let text = String((0..<1000).map { letters[($0 * 7 + $0 / 31) % letters.count] })
            bench.type(text)
            try bench.wait("all keys", within: 20_000) { bench.field.text.count >= text.count }
            #expect(bench.field.text == text)
        }

        @Test func keysGivenBackCarryTheirTickets() throws {
            let bench = try InputMethodBench(options: ["--mode", "forward-each"])
            defer { bench.end() }
            try bench.begin()
            bench.type("aaabbb")
            try bench.wait("all keys") { bench.field.keys.count == 12 }
            #expect(bench.field.keys.map { $0?.rawValue } == (1...12).map { $0 })
            #expect(bench.field.text == "aaabbb")
        }

        @Test func keysMadeUpByTheServerComeWithoutATicket() throws {
            let bench = try InputMethodBench(script: "on key a do forward-key x")
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the made-up key") { bench.field.text == "?" }
            #expect(bench.field.keys.first == .some(nil))
        }

        @Test(arguments: [
            ("text", "あ", ""), ("empty", nil, ""), ("clear", nil, ""), ("late", nil, "あ"),
        ])
        func resetIsAnsweredOnceInEachServersWay(_ how: String, reply: String?, late: String) throws {
            let bench = try InputMethodBench(options: ["--on-reset", how])
            defer { bench.end() }
            try bench.begin()
            bench.type("a")
            try bench.wait("the preedit") { bench.field.preedit.text == "あ" }
            bench.connection.reset(bench.window)
            try bench.wait("the reply and what comes late") {
                bench.field.resets == [reply] && bench.field.text == late
            }
            bench.field.preedit.finish()
            bench.type("b")
            try bench.wait("the next preedit") { bench.field.preedit.text == "い" }
            #expect(bench.field.resets == [reply])
        }

        @Test(arguments: ["clear", "commit", "keep"])
        func theFirstKeyAfterAFocusChangeGoesToTheServer(how: String) throws {
            let bench = try InputMethodBench(options: ["--on-unset", how])
            defer { bench.end() }
            try bench.begin()
            for round in 0..<4 {
                bench.type("a")
                bench.connection.focusOut(bench.window)
                try waitUntil("the loss") { bench.driver.requests("unset_ic_focus").count == round + 1 }
                bench.connection.focusIn(bench.window)
                try waitUntil("the focus") { bench.driver.requests("set_ic_focus").count == round + 2 }
                try bench.waitUntilIdle()
            }
            // No key bypassed the server, and each SYNC was answered: otherwise the server would hold later keys.
            let presses = bench.driver.requests("forward_event").filter { $0["phase"]?.text == "press" }
            #expect(presses.count == 4)
            #expect(!bench.field.text.contains("a"))
            if how == "commit" { #expect(bench.field.text == "ああああ") }
        }

        @Test func commitsReachTheWindowThatTheyBelongTo() throws {
            let bench = try InputMethodBench(script: #"on unset_ic_focus do delay 60; commit "late""#)
            defer { bench.end() }
            try bench.begin()
            let other = bench.makeWindow()
            bench.type("a")
            bench.connection.focusOut(bench.window)
            bench.connection.focusIn(other)
            bench.type("b", window: other)
            try bench.wait("the late commit") {
                bench.answers.contains(.event(.commit("late"), bench.window))
            }
            try bench.wait("the other's preedit") {
                bench.answers.contains {
                    if case .event(.preeditDraw(let d), other) = $0 { d.text == "い" } else { false }
                }
            }
            #expect(!bench.answers.contains(.event(.commit("late"), other)))
        }

        @Test func aWindowRemovedWhileComposingLeavesTheOthersWorking() throws {
            let bench = try InputMethodBench(options: ["--on-unset", "commit"])
            defer { bench.end() }
            try bench.begin()
            let other = bench.makeWindow()
            bench.type("a", window: other)
            bench.connection.remove(other)
            bench.type("b")
            try bench.wait("the preedit in the window that is left") {
                bench.answers.contains {
                    if case .event(.preeditDraw(let d), bench.window) = $0 { d.text == "い" } else { false }
                }
            }
            try bench.driver.waitForRequest("destroy_ic")
            #expect(bench.answers.contains(.event(.commit("あ"), other)))
            #expect(bench.field.keys.allSatisfy { $0 != nil })
        }

        @Test(arguments: [
            ("callbacks+nothing,position+nothing,nothing+nothing", 0x402), ("position+nothing,nothing+nothing", 0x404),
            ("nothing+nothing,none+none", 0x408), ("none+none", 0x810), ("position+area,nothing+none", 0x808),
        ])
        func theBestStyleOnOfferIsChosen(_ styles: String, expected: Int) throws {
            let bench = try InputMethodBench(options: ["--styles", styles, "--mode", "commit-each"])
            defer { bench.end() }
            try bench.begin()
            let created = try bench.driver.waitForRequest("create_ic")
            #expect(created["style"]?.integer == expected)
            if expected != 0x810 { #expect(created["window"]?.integer == Int(bench.window.rawValue)) }
            bench.type("ab")
            try bench.wait("the commits") { bench.field.text == "ab" }
            #expect((bench.connection.state.diagnosis == nil) == (expected == 0x402))
        }

        @Test("XIM 53 without a font set the position style is passed over")
        func theFontSetMayNotLoad() throws {
            let bench = try InputMethodBench(
                options: ["--styles", "position+nothing,nothing+nothing", "--mode", "commit-each"])
            defer { bench.end() }
            // The server has only fonts for cursors and one of a single width, like a machine without core fonts.
            var path = strdup("built-ins")
            defer { free(path) }
            XSetFontPath(bench.display, &path, 1)
            XSync(bench.display, 0)
            try bench.begin()
            #expect(try bench.driver.waitForRequest("create_ic")["style"]?.integer == 0x408)
            bench.type("ab")
            try bench.wait("the commits") { bench.field.text == "ab" }
        }

        @Test(
            "XIM 54 a server that serves no style or not this locale: keys are typed plainly",
            arguments: [["--styles", "none"], ["--locales", "ko_KR,ja_JP"]])
        func aClientThatIsNotServedTypesPlainly(options: [String]) throws {
            let bench = try InputMethodBench(options: options)
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.type("ab")
            try bench.wait("the keys") { bench.field.text == "ab" && bench.connection.state.phase == .refused }
            #expect(bench.connection.state.isEngaged == false)
            #expect(bench.connection.state.diagnosis != nil)
            #expect(bench.driver.requests("create_ic").isEmpty)
        }

        @Test func aRefusedContextIsTriedInTheNextStyle() throws {
            let bench = try InputMethodBench(
                options: ["--styles", "callbacks+nothing,position+nothing,nothing+nothing", "--mode", "commit-each"],
                script: "once on create_ic do refuse\nonce on create_ic do refuse")
            defer { bench.end() }
            try bench.begin()
            bench.type("ab")
            try bench.wait("the commits") { bench.field.text == "ab" }
            #expect(bench.connection.state.style?.preedit == .nothing)
            #expect(bench.driver.requests("create_ic").last?["style"]?.integer == 0x408)
        }

        @Test func keysAreTypedPlainlyUntilAContextIsAccepted() throws {
            let bench = try InputMethodBench(
                options: ["--styles", "callbacks+nothing,nothing+nothing"],
                script: String(repeating: "once on create_ic do refuse\n", count: 6))
            defer { bench.end() }
            bench.connection.start()
            bench.connection.focusIn(bench.window)
            bench.type("ab")
            try bench.wait("the keys") { bench.field.text == "ab" && bench.connection.state.phase == .refused }
            #expect(bench.connection.state.diagnosis != nil)
            // Three attempts with two styles each are refused; the next is accepted.
            try bench.wait("being served") { bench.connection.state.phase == .ready }
            #expect(bench.connection.state.style?.preedit == .callbacks)
            #expect(bench.driver.requests("create_ic").count == 7)
            bench.type("c")
            try bench.wait("the preedit") { bench.field.preedit.text == "う" }
        }

        @Test func aWindowThatIsNotServedTakesNothingFromTheOthers() throws {
            let bench = try InputMethodBench()
            defer { bench.end() }
            try bench.begin()
            let other = bench.makeWindow()
            try bench.driver.perform("once on create_ic do refuse")
            try bench.driver.waitUntilIdle()
            bench.type("ab", window: other)
            try bench.wait("the keys") { bench.field.text == "ab" }
            #expect(bench.connection.state.phase == .ready)
            bench.type("c")
            try bench.wait("the preedit") { bench.field.preedit.text == "う" }
        }

        @Test(
            "XIM 60 what the server sends into a change of focus arrives",
            arguments: ["set_ic_values", "set_ic_focus", "unset_ic_focus"])
        func callbacksMayComeDuringFocusChanges(request: String) throws {
            let bench = try InputMethodBench(
                options: ["--mode", "swallow"],
                script: #"on \#(request) do start; draw 0 0 1 "x" u; caret 10 1 1; commit "y"; draw 0 1 2 "zz" u*2"#)
            defer { bench.end() }
            try bench.begin()
            if request == "unset_ic_focus" { bench.connection.focusOut(bench.window) }
            if request == "set_ic_values" {
                bench.connection.setSpot(bench.caret(at: 9), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            }
            try bench.wait("what came during the call") {
                bench.field.text == "y" && bench.field.preedit.text == "zz"
            }
            bench.connection.focusOut(bench.window)
            bench.connection.focusIn(bench.window)
            try bench.waitUntilIdle()
            #expect(Set(bench.field.text) == ["y"])
            #expect(bench.field.preedit.text == "zz")
        }

        @Test func anEngineThatIsOnStaysOnThroughAReset() throws {
            let bench = try InputMethodBench(options: ["--preedit-state"])
            defer { bench.end() }
            try bench.begin()
            bench.connection.reset(bench.window)
            try bench.wait("the reply") { bench.field.resets == [nil] }
            let states = bench.driver.requests("set_ic_values").compactMap { $0["preeditState"]?.integer }
            #expect(states == [1])
            bench.type("a")
            try bench.wait("the preedit") { bench.field.preedit.text == "あ" }
        }

        @Test(arguments: [100, 700, 7000])
        func aLongReplyToAResetIsWhole(count: Int) throws {
            let text = String(repeating: "日語", count: count / 2)
            let bench = try InputMethodBench(
                options: ["--mode", "commit-each"],
                script: "on reset_ic do commit \"before\"; reset-reply \"\(text)\"; commit \"after\"")
            defer { bench.end() }
            try bench.begin()
            for round in 1...2 {
                bench.connection.reset(bench.window)
                try bench.wait("the reply") { bench.field.resets.count == round }
                bench.type("x")
                try bench.wait("the next key") { bench.field.text.count { $0 == "x" } == round }
            }
            // A commit that the server sends during the call may precede the reply, but the reply arrives too.
            #expect(bench.field.resets.count { $0?.contains(text) == true } == 2)
            #expect(bench.field.resets.count == 2)
            #expect(bench.driver.requests("open").count == 1)
        }

        @Test func theTextOfAReplyToAResetIsInsertedBeforeLaterText() throws {
            let clock = StoppableClock()
            let bench = try InputMethodBench(
                script:
                    "on reset_ic do commit \"1\"; reset-reply \"あ\"; delay 0; commit \"2\"; start; draw 0 0 1 \"い\"",
                clock: { clock.now })
            defer { bench.end() }
            try bench.begin()
            try bench.waitUntilIdle()
            // The reset ends with the server's silence: what follows its reply belongs to it, however late it comes.
            clock.stop(ahead: 50)
            bench.connection.reset(bench.window)
            // The request is not sent before some time has passed since the server's last message.
            try bench.wait("the request") {
                clock.advance(by: 1)
                return bench.driver.requests("reset_ic").count == 1
            }
            try bench.wait("all") { bench.field.preedit.text == "い" }
            clock.start()
            try bench.wait("the reset") { !bench.field.resets.isEmpty }
            #expect(bench.field.text == "1あ2")
            #expect(bench.field.resets == [nil])
        }

        @Test func aReplyToAResetIsAsLongAsItSays() throws {
            let bench = try InputMethodBench(
                script: "on reset_ic do drop; raw 16 65 3 im ic 3 0x61 0x62 0")
            defer { bench.end() }
            try bench.begin()
            bench.connection.reset(bench.window)
            try bench.wait("the reply") { bench.field.resets == ["a\0b"] }
        }

        @Test(arguments: [1, 100, 3000], ["commit", "draw"])
        func theReplyToAResetArrivesBesideALongPacket(count: Int, what: String) throws {
            let long = String(repeating: "日語", count: 1500)
            let reply = String(repeating: "ん", count: count)
            let before = what == "commit" ? "commit \"\(long)\"" : "draw 0 0 0 \"\(long)\" none"
            let bench = try InputMethodBench(
                options: ["--mode", "commit-each"],
                script: "on reset_ic do \(before); \(before); reset-reply \"\(reply)\"")
            defer { bench.end() }
            try bench.begin()
            for round in 1...2 {
                bench.connection.reset(bench.window)
                try bench.wait("the reply") { bench.field.resets.count == round }
                bench.type("x")
                try bench.wait("the next key") { bench.field.text.count { $0 == "x" } == round }
            }
            #expect(bench.field.resets == [reply, reply])
            let commits = what == "commit" ? long + long : ""
            #expect(bench.field.text == commits + "x" + commits + "x")
            #expect(bench.driver.requests("open").count == 1)
        }

        /// More than a megabyte of packets is in the property, and not announced yet.
        @Test func allPacketsWaitingInAPropertyAreRead() throws {
            let commit = "63 15002 im ic 2 60000 0x6161*30000"
            let actions =
                Array(repeating: "raw 60012 \(commit) \(commit)", count: 20)
                + Array(repeating: "raw 60012 0*0", count: 20)
            let bench = try InputMethodBench(
                options: ["--mode", "commit-each"],
                script: "once on set_ic_values do \(actions.joined(separator: "; "))")
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            try bench.wait("the commits") { bench.field.text.utf8.count >= 40 * 60_000 }
            bench.type("x")
            try bench.wait("the next key") { bench.field.text.hasSuffix("x") }
            #expect(bench.field.text.utf8.count == 40 * 60_000 + 1)
            #expect(bench.driver.requests("open").count == 1)
        }

        @Test func aLongCommitDuringACallIsWhole() throws {
            let text = String(repeating: "日語", count: 1500)
            let bench = try InputMethodBench(
                options: ["--mode", "commit-each"],
                script: "once on set_ic_values do commit \"1\"; commit \"\(text)\"\n"
                    + "on reset_ic do commit \"\(text)\"")
            defer { bench.end() }
            try bench.begin()
            bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            try bench.wait("the commits") { bench.field.text.count >= text.count + 1 }
            bench.connection.reset(bench.window)
            try bench.wait("the reply and the commit") { bench.field.text.count >= 2 * text.count + 1 }
            bench.type("x")
            try bench.wait("the next key") { bench.field.text.hasSuffix("x") }
            #expect(bench.field.text == "1" + text + text + "x")
            #expect(bench.field.resets == [nil])
            #expect(bench.driver.requests("open").count == 1)
        }
    }
}
