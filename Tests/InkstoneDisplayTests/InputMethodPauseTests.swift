import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A server that answers queries while its engine is still working: keys are sent on, but actions on the text
    /// wait.
    @Suite struct InputMethodPauseTests {
        @Test(arguments: [InputItemKind.command, .action, .save])
        func inAPauseKeysGoOnAndWhatActsOnTheTextWaits(_ kind: InputItemKind) throws {
            // Long time-outs: the server must not count as quiet only because time passes.
            var timing = InputTiming()
            (timing.probeDelay, timing.response) = (60_000, 60_000)
            let scene = try InputMethodScene(serverName: "ibus", timing: timing)
            defer { scene.end() }
            // The space is sent as the only pending key; b follows in the pause, although the engine is still
            // working.
            scene.type("a b")
            try scene.pump("b at the server") { scene.presses == ["a", "space", "b"] }
            func waitForPauses(_ count: Int) throws {
                let isPause = { (record: TraceRecord) in
                    if case .event(.pause, _) = record.event { true } else { false }
                }
                try scene.pump("\(count) pauses") { scene.records.count(where: isPause) >= count }
                #expect(scene.records.count(where: isPause) == count)
            }
            try waitForPauses(1)
            // Another space, so that the pause comes after all keys.
            scene.type(" ")
            try waitForPauses(2)
            var seen: String?
            scene.window.session.perform(kind) { [view = scene.view] in seen = view.text }
            #expect(seen == nil)
            try scene.perform(#"start; draw 0 0 1 "あ" u"#)
            try scene.pump("the work") { seen != nil }
            #expect(seen == "<あ>")
        }

        /// ibus answers queries while its engine is behind, and returns each release when the engine has handled it.
        @Test func aSaveWaitsForAReleaseThatIsStillToBeReturned() throws {
            var timing = InputTiming()
            (timing.quiescence, timing.probeDelay, timing.response) = (1, 60_000, 60_000)
            let script = """
                on key * do commit "x"
                on release z do pass
                on release * do forward
                """
            let scene = try InputMethodScene(script: script, serverName: "ibus", timing: timing)
            defer { scene.end() }
            try scene.type("abcdefgh", expecting: "<xxxxxxxx|>")
            var isSaved = false
            func save() { scene.window.session.perform(.save) { isSaved = true } }
            save()
            try scene.pump("the first save") { isSaved }
            isSaved = false
            try scene.type("z", expecting: "<xxxxxxxxx|>")
            save()
            // Time for many queries: the answers to three of them would be a pause.
            let start = Deadline.now
            try scene.pump("a while") { Deadline.now - start >= 60 }
            #expect(!isSaved)
            // The press is returned as well: the server knows no other way.
            try scene.perform("forward-key z")
            try scene.pump("the second save") { isSaved }
        }

        /// An engine may consume releases, and then they are never returned.
        @Test func aReleaseIsAwaitedForALimitedTime() throws {
            var timing = InputTiming()
            (timing.quiescence, timing.probeDelay, timing.response) = (1, 60_000, 300)
            let script = """
                on key * do commit "x"
                on release z do pass
                on release * do forward
                """
            let scene = try InputMethodScene(script: script, serverName: "ibus", timing: timing)
            defer { scene.end() }
            try scene.type("abcdefghz", expecting: "<xxxxxxxxx|>")
            var isSaved = false
            scene.window.session.perform(.save) { isSaved = true }
            try scene.pump("the save") { isSaved }
            #expect(scene.window.inputMethodState.phase == .ready)
        }

        /// The server sends something before each answer to a query: it is dropped after a while, and the keys that
        /// waited are typed.
        @Test func aServerThatGoesOnTalkingHoldsUpNoKey() throws {
            var timing = InputTiming()
            timing.maximumAnswerWait = 300
            let scene = try InputMethodScene(serverName: "ibus", timing: timing)
            defer { scene.end() }
            try scene.perform(#"on key a do start; draw 0 0 1 "x""#)
            scene.type("a")
            try scene.expect("<⟨x|⟩>")
            try scene.perform(#"on locales do draw 0 1 1 "x""#)
            scene.type("\nb")
            try scene.expect("<x\nb|>")
            #expect(scene.window.inputMethodState.phase == .faulty)
        }

        /// ibus answers queries and returns a key while its engine has still to draw earlier keys.
        @Test(arguments: ["", "; draw 0 1 0 null; done", "; done"])
        func aKeyThatComesBackWaitsForWhatIsDrawnLate(beforeTheCommit end: String) throws {
            var timing = InputTiming()
            (timing.quiescence, timing.probeDelay, timing.response) = (60_000, 60_000, 60_000)
            let scene = try InputMethodScene(script: "on key Return do forward", serverName: "ibus", timing: timing)
            defer { scene.end() }
            scene.type("gks\nr")
            try scene.pump("the Return at the server") { scene.presses.last == "Return" }
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<>")
            #expect(scene.presses == ["g", "k", "s", "Return"], "r waits with it")
            let draws = #"start; draw 0 0 1 "ㅎ"; draw 0 1 1 "하"; draw 0 1 1 "한""#
            let commit = #"commit "한""#
            if end.isEmpty {
                try scene.perform(draws + "; draw 0 1 0 null; done; " + commit)
            } else {
                try scene.perform(draws + end)
                try scene.waitUntilQuiet()
                #expect(scene.view.text == "<>")
                try scene.perform(commit)
            }
            try scene.expect("<한\n|>")
            try scene.pump("r") { scene.presses.last == "r" }
        }

        @Test func aKeyThatComesBackWaitsNoLongerThanUntilTheServerIsQuiet() throws {
            // Long time-outs, so that nothing else ends the wait.
            var timing = InputTiming()
            (timing.probeDelay, timing.response) = (60_000, 60_000)
            let scene = try InputMethodScene(script: "on key Return do forward", serverName: "ibus", timing: timing)
            defer { scene.end() }
            try scene.type("x\n", expecting: "<\n|>")
        }
    }
}
