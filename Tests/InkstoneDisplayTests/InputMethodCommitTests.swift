import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11
import Testing

extension DisplayTests {
    /// Commits and returned keys reach the text once, in order and unchanged.
    @Suite struct InputMethodCommitTests {
        /// Records the view's text at each painting.
        private final class Frames: WindowContent {
            let view: TextView
            var states: [String] = []
            init(over view: TextView) { self.view = view }
            var frame: WindowRect { WindowRect(x: 0, y: 0, width: 400, height: 240) }
            func paint(on canvas: any Canvas, damage: WindowRect) {
                let state = CaretNotation(view).description
                if states.last != state { states.append(state) }
            }
        }

        @Test("XIM 21 cleared, done and committed: one step of undo, and no frame without the text")
        func aCommitAfterDoneDoesNotFlicker() throws {
            let scene = try InputMethodScene(
                script: """
                    on key a do start; draw 0 0 1 "하"
                    on key b do draw 0 1 1 "한"
                    on key c do draw 0 1 0 null; done; commit "한"
                    """)
            defer { scene.end() }
            let frames = Frames(over: scene.view)
            scene.window.add(frames)
            scene.display.processEvents()
            frames.states = []
            for (key, state) in [("a", "<⟨하|⟩>" as CaretNotation), ("b", "<⟨한|⟩>"), ("c", "<한|>")] {
                scene.type(key)
                try scene.expect(state)
                scene.display.processEvents()
            }
            #expect(frames.states == ["<⟨하|⟩>", "<⟨한|⟩>", "<한|>"])
            scene.view.perform(.undo)
            try scene.expect("<|>")
            scene.view.perform(.redo)
            #expect(scene.view.text == "<한>")
        }

        @Test("XIM 22 a commit without a done replaces the marked text", arguments: ["async", "sync"])
        func aCommitNeedsNoDone(flow: String) throws {
            let scene = try InputMethodScene(
                options: ["--mode", "swallow", "--flow", flow],
                script: """
                    on key a do start; draw 0 0 2 "xy"
                    on key b do commit "XY"
                    on key c do draw 0 2 1 "v"
                    on key d do commit "V"; draw 0 1 1 "w"
                    """)
            defer { scene.end() }
            for (key, state) in [
                ("a", "<⟨xy|⟩>" as CaretNotation), ("b", "<XY|>"), ("c", "<XY⟨v|⟩>"), ("d", "<XYV⟨w|⟩>"),
            ] {
                scene.type(key)
                try scene.expect(state)
            }
        }

        @Test(arguments: ["async", "sync"])
        func aSyllableIsFinishedAndTheNextBegun(flow: String) throws {
            let scene = try InputMethodScene(
                options: ["--mode", "swallow", "--flow", flow],
                script: """
                    on key a do start; draw 0 0 1 "하" r
                    on key b do draw 0 1 0 null; done; commit "하"; start; draw 0 0 1 "나" r
                    on key c do commit "나"; draw 0 1 1 "ㄷ" r
                    on key d do draw 0 1 0 null; done; commit "다"; forward
                    """)
            defer { scene.end() }
            for (key, state) in [
                ("a", "<⟨[하|]⟩>" as CaretNotation), ("b", "<하⟨[나|]⟩>"), ("c", "<하나⟨[ㄷ|]⟩>"), ("d", "<하나다d|>"),
            ] {
                scene.type(key)
                try scene.expect(state)
            }
        }

        @Test(arguments: ["async", "sync"], ["commit-first", "done-first"])
        func typingOnAfterAConversionShowsTheNextComposition(flow: String, order: String) throws {
            let scene = try InputMethodScene(options: ["--flow", flow, "--commit-order", order])
            defer { scene.end() }
            for (key, state) in [
                ("a", "<⟨あ|⟩>" as CaretNotation), (" ", "<⟨[日|]⟩>"), ("b", "<日⟨い|⟩>"), ("c", "<日⟨いう|⟩>"),
                ("\n", "<日いう|>"),
            ] {
                scene.type(key)
                try scene.expect(state)
            }
        }

        @Test("XIM 23 a commit replaces the selection, and so does a composition")
        func selectionsAreReplaced() throws {
            let scene = try InputMethodScene(
                "<[old|]>",
                script: """
                    on key a do commit "new"
                    on key b do start; draw 0 0 1 "x"
                    on key c do commit "y"; done
                    """)
            defer { scene.end() }
            try scene.type("a", expecting: "<new|>")
            scene.view.select(Selection(anchor: 3, head: 1))
            try scene.type("b", expecting: "<⟨x|⟩w>")
            try scene.type("c", expecting: "<y|w>")
        }

        @Test(
            "XIM 25 what was committed before the server died arrives, and nothing else", arguments: [false, true])
        func aCommitBeforeDeathIsWhole(isDuringACall: Bool) throws {
            let bench = try InputMethodBench(
                options: ["--mode", "swallow"],
                script: isDuringACall
                    ? #"once on set_ic_values do commit "日本"; commit "語"; die"# : #"on key a do commit "日本語"; die"#)
            defer { bench.end() }
            try bench.begin()
            if isDuringACall {
                bench.connection.setSpot(bench.caret(at: 5), in: bench.window, rootOrigin: .init(x: 0, y: 0))
            } else {
                bench.type("a")
            }
            try bench.wait("the news") { bench.connection.state.phase == .notRunning }
            bench.type("b")
            try bench.wait("the next key") { bench.field.text.hasSuffix("b") }
            #expect(bench.field.text == "日本語b")
        }

        @Test(
            "XIM 28 every event of the keyboard and of the server goes through Xlib's filter once",
            arguments: ["async", "sync"])
        func everyEventIsFilteredOnce(flow: String) throws {
            let bench = try InputMethodBench(options: ["--mode", "commit-each", "--flow", flow])
            defer { bench.end() }
            try bench.begin()
            let text = "abcdefghijklmnopqrstuvwxyz0123456789"
            bench.type(text)
            try bench.wait("all commits") { bench.field.text.count >= text.count }
            try bench.wait("all releases") { bench.field.keys.count >= text.count }
            try bench.waitUntilIdle()
            // Each press is committed and each release is returned, neither twice, and each was sent with the SYNC
            // flag.
            #expect(bench.field.text == text)
            #expect(bench.field.keys.map { $0?.rawValue } == (1...UInt64(text.count)).map { 2 * $0 })
            #expect(bench.driver.requests("forward_event").count == 2 * text.count)
            #expect(bench.driver.requests("sync_reply").count == 2 * text.count)
        }

        @Test(
            "XIM 29 no SYNC stays unanswered, although the focus has left before",
            arguments: ["clear", "commit", "keep"])
        func syncIsAnsweredAfterTheFocusHasLeft(how: String) throws {
            let bench = try InputMethodBench(
                options: ["--on-unset", how, "--keys", "press"],
                script: #"on key a do delay 80; commit "late"; forward; commit "later""#, timing: .standard)
            defer { bench.end() }
            try bench.begin()
            for round in 1...3 {
                let before = bench.driver.requests("sync_reply").count
                bench.type("a")
                bench.connection.focusOut(bench.window)
                try bench.wait("the late commits") {
                    bench.events.count { $0 == .commit("later") } == round
                }
                bench.connection.focusIn(bench.window)
                // Fewer than three are possible: if several arrive during one call, Xlib only notes that a reply is
                // due.
                try waitUntil("a SYNC to be answered", instead: { bench.summary }) {
                    bench.driver.requests("sync_reply").count > before
                }
            }
            #expect(bench.driver.requests("sync_reply").count <= 9)
            bench.type("b")
            try bench.wait("the server to be asked for more keys") { bench.field.preedit.text == "い" }
        }

        @Test("XIM 30 a commit is never a shortcut or a command")
        func commitsAreNoShortcuts() throws {
            let scene = try InputMethodScene(
                "<ab|>",
                script: #"""
                    on key a do commit "\u{1}"
                    on key b do commit-both BackSpace "x"
                    on key c do commit-both Return "y"
                    on key d do commit "\u{8}\u{7f}\u{1b}z"
                    on key e do commit-keysym F5
                    on key f do commit "!"
                    """#)
            defer { scene.end() }
            try scene.type("abcdef", expecting: "<abxyz!|>")
            let commands = scene.clientCalls.filter { if case .doCommand = $0 { true } else { false } }
            #expect(commands.isEmpty)
        }

        @Test("XIM 31 a shortcut that comes back fires once")
        func aShortcutFiresOnce() throws {
            let scene = try InputMethodScene("<ab|>", options: ["--mode", "forward-each"])
            defer { scene.end() }
            scene.probe.control("a")
            try scene.expect("[<ab>|]")
            scene.probe.control("c")
            try scene.type("x", expecting: "x|")
            try scene.waitUntilQuiet()
            let commands = scene.clientCalls.compactMap {
                if case .doCommand(let command) = $0 { command } else { nil }
            }
            #expect(commands == [.selectAll, .copy])
            #expect(scene.presses.filter { $0.hasPrefix("ctrl+") } == ["ctrl+a", "ctrl+c"])
        }

        @Test("XIM 32 a repeated key that comes back is a repeated key")
        func repeatedKeysStayRepeated() throws {
            let bench = try InputMethodBench(options: ["--mode", "forward-each"])
            defer { bench.end() }
            try bench.begin()
            let a = try #require(TestKey(typing: "a"))
            bench.send(a, characters: "a", isPress: true)
            for _ in 0..<5 { bench.send(a, characters: "a", isPress: true, isRepeat: true) }
            bench.send(a, isPress: false)
            try bench.wait("all keys") { bench.field.keys.count == 7 }
            let phases = bench.events.compactMap { if case .key(let key, _) = $0 { key.phase } else { nil } }
            #expect(phases == [.down, .repeat, .repeat, .repeat, .repeat, .repeat, .up])
        }
    }
}
