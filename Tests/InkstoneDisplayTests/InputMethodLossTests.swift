import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Actions on a text view while its server is lost keep their order relative to the keys that the server had
    /// received.
    @Suite struct InputMethodLossTests {
        /// Creates a view whose server has received “yz” without answering. These keys must be recent: after 0.4 s
        /// (possible on a busy machine) the client no longer waits for them.
        private func beginWithKeysAtTheServer(_ text: CaretNotation, script: String = "") throws -> InputMethodScene {
            var scene: InputMethodScene?
            try waitUntil("two keys at the server within 200 ms", within: 20_000) {
                scene?.end()
                let new = try InputMethodScene(text, script: script)
                scene = new
                let start = Deadline.now
                new.type("yz")
                try new.pump("the keys at the server") { new.presses == ["y", "z"] }
                return Deadline.now - start < 200
            }
            return try #require(scene)
        }

        /// The server has “yz”; x waits for a reset, at which the server dies. The result is “yzx”.
        @Test func keysOwedComeBeforeKeysThatWaited() throws {
            let scene = try beginWithKeysAtTheServer("|", script: "on reset_ic do die")
            defer { scene.end() }
            scene.view.inputContext.discardMarkedText()
            scene.type("x")
            try scene.expect("yzx|")
        }

        /// A save waits for the keys that the server has; the saved text contains them although the server dies.
        @Test func keysOwedComeBeforeASaveThatWaited() throws {
            let scene = try beginWithKeysAtTheServer("ab|")
            defer { scene.end() }
            var saved: String?
            scene.window.session.perform(.save) { [view = scene.view] in saved = view.text }
            #expect(saved == nil)
            scene.driver.kill()
            try scene.pump("the save") { saved != nil }
            #expect(saved == "abyz")
        }

        /// A key has waited longer for a connection than the answer time-out, and no connection comes. A key typed
        /// after that must not overtake it, although no server needs to be asked any more.
        @Test func keysFollowThoseThatAreOnTheirWayBack() throws {
            var timing = InputTiming()
            timing.connecting = 60_000
            timing.probeDelay = 1
            let scene = try InputMethodScene("|", isStopped: true, timing: timing)
            defer { scene.end() }
            let window = scene.window
            func type(_ letter: String) {
                var event = XKeyEvent()
                event.type = KeyPress
                let key = KeyEvent(keysym: 0, characters: letter)
                window.window(window.window, didReceiveKey: key, raw: RawKey(event))
            }
            type("a")
            #expect(window.inputMethodState.phase == .connecting)
            var news: [InputMethodState.Phase] = []
            window.onInputMethodStateChange = {
                news.append(window.inputMethodState.phase)
                #expect(scene.view.text.isEmpty)
                type("b")
            }
            scene.driver.kill()
            try scene.expect("ab|")
            #expect(news == [.notRunning])
        }

        /// A dying server's end is reported only after its unanswered keys were returned.
        @Test func theNewsOfAnEndComesAfterTheKeysThatTheServerHad() throws {
            let bench = try InputMethodBench(options: ["--mode", "swallow"])
            defer { bench.end() }
            try bench.begin()
            bench.type("yz")
            try bench.wait("the keys at the server") { bench.driver.requests("forward_event").count == 4 }
            bench.answers = []
            bench.driver.kill()
            try bench.wait("the end") { bench.connection.state.phase == .notRunning }
            #expect(bench.field.text == "yz")
            let news = bench.answers.firstIndex { if case .state = $0 { true } else { false } }
            let lastKey = bench.answers.lastIndex { if case .event(.key, _) = $0 { true } else { false } }
            #expect(try #require(lastKey) < #require(news))
        }

        /// Some servers clear the preedit before they commit it. If one dies in between, the composed text stays
        /// and the key that ended it is typed; but a preedit that BackSpace cleared is gone.
        @Test(arguments: ["c", "BackSpace"]) func textClearedToBeCommittedStays(key: String) throws {
            let scene = try InputMethodScene("<|>", options: [])
            defer { scene.end() }
            try scene.type("ab", expecting: "<⟨あい|⟩>")
            try scene.perform("once on key \(key) do draw 0 2 0 null; done; die")
            if key == "c" { scene.type(key) } else { scene.probe.strike(.backspace) }
            try scene.pump("the end") { scene.window.inputMethodState.phase == .notRunning }
            try scene.expect(key == "c" ? "<あいc|>" : "<|>")
        }

        /// A server that hangs with several keys may handle a reset before the keys that it has queued. Text
        /// composed from these must not enter the next composition, so the reset is repeated.
        @Test func aResetThatOvertakesKeysIsRepeated() throws {
            let scene = try InputMethodScene("ab|cd", options: ["--on-reset", "empty"])
            defer { scene.end() }
            try scene.type("a", expecting: "ab⟨あ|⟩cd")
            try scene.waitUntilQuiet()
            try scene.perform("once on key b do hang; answer")
            scene.type("bca")
            scene.click(before: 5)
            try scene.pump("the reset") { scene.records.contains { $0.event == .reset } }
            // Wait until the client has stopped waiting for the server and has sent the reset.
            try TypistPace.pause(120, watching: [scene.display.fileDescriptor]) { scene.display.processEvents() }
            scene.driver.resume()
            try scene.type("d", expecting: "abあいうあcd⟨え|⟩")
        }

        /// A server that overlooks the message that a call waits for (fcitx5 before 5.1.13) is woken by an event
        /// from the window's own connection. It must not be treated as hung.
        @Test(arguments: ["set_ic_values", "set_ic_focus", "unset_ic_focus", "reset_ic"])
        func aServerThatOverlooksACallIsWokenUp(request: String) throws {
            let scene = try InputMethodScene("ab|cd", options: ["--on-unset", "keep"], timing: .forTests)
            defer { scene.end() }
            try scene.type("a", expecting: "ab⟨あ|⟩cd")
            try scene.waitUntilQuiet()
            let asked = scene.driver.requests(request).count
            try scene.perform("once on \(request) do overlook")
            scene.click(before: 4)
            scene.probe.focusNothing()
            scene.probe.focus(scene.window.window.id.rawValue)
            try scene.pump(request) { scene.driver.requests(request).count > asked }
            try scene.type("ka", expecting: "abあc⟨さあ|⟩d")
            #expect(scene.driver.requests("xconnect").count == 1, "one connection for all")
        }
    }
}
