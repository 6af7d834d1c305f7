import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11
import Testing

extension DisplayTests {
    /// A composition that is ended by the client leaves its text once, at its position, whatever the server does.
    @Suite struct InputMethodEndingTests {
        /// The ways in which a user ends a composition without the input method.
        enum Ending: String, CaseIterable, Sendable {
            case clickElsewhere, clickInside, clickIntoTheOtherView, focusLost, scrolledAndClicked
        }

        /// Composes in the middle of a text, above another view, and ends the composition. The caller ends the
        /// scene.
        private func composeAndEnd(
            _ ending: Ending, options: [String], script: String = ""
        ) throws -> (scene: InputMethodScene, other: TextView) {
            let scene = try InputMethodScene("<|....>", options: options, script: script)
            let other = TextView(in: scene.window)
            scene.window.onLayout = { [view = scene.view] _ in
                view.setFrame(WindowRect(x: 0, y: 0, width: 400, height: 120))
                other.setFrame(WindowRect(x: 0, y: 120, width: 400, height: 120))
            }
            scene.window.layOut()
            scene.display.processEvents()
            do {
                try scene.type("ab", expecting: "<⟨あい|⟩....>")
            } catch {
                scene.end()
                throw error
            }
            switch ending {
            case .clickElsewhere: scene.click(before: 7)
            case .clickInside: scene.click(before: 2)
            case .clickIntoTheOtherView: scene.click(before: 0, in: other)
            case .focusLost: scene.probe.focusNothing()
            case .scrolledAndClicked:
                scene.view.scroll(by: 5, dx: 0)
                scene.click(before: 7)
            }
            return (scene, other)
        }

        /// Composes in the middle of a text, ends the composition, types at the user's new position, and returns.
        private func end(_ ending: Ending, onReset how: String) throws {
            // On losing focus, the server acts as on a reset.
            let onUnset = ["text": "keep", "late": "commit", "empty": "clear", "clear": "clear"][how] ?? "clear"
            let (scene, other) = try composeAndEnd(ending, options: ["--on-reset", how, "--on-unset", onUnset])
            defer { scene.end() }
            switch ending {
            case .clickElsewhere, .scrolledAndClicked:
                try scene.type("c", expecting: "<あい....⟨う|⟩>")
            case .clickInside:
                try scene.expect("<あ|い....>")
                try scene.type("c", expecting: "<あ⟨う|⟩い....>")
            case .clickIntoTheOtherView:
                scene.type("c")
                try scene.expect("⟨う|⟩", in: other)
                #expect(scene.view.text == "<あい....>")
                scene.click(before: 3)
                try scene.type("d", expecting: "<あい⟨え|⟩....>")
                #expect(other.text == "う")
            case .focusLost:
                try scene.expect("<あい|....>")
                try scene.focus(scene.window)
                try scene.type("c", expecting: "<あい⟨う|⟩....>")
            }
            let state = CaretNotation(scene.view)
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == state)
            // No key bypassed the server.
            #expect(!scene.view.text.contains { "abcd".contains($0) })
        }

        @Test("XIM 41 ended elsewhere, the server replies with the text", arguments: Ending.allCases)
        func theReplyIsNotTypedAgain(_ ending: Ending) throws { try end(ending, onReset: "text") }

        @Test(
            "XIM 42 ended elsewhere, the server replies nothing and commits late", arguments: Ending.allCases)
        func theLateCommitIsNotTypedAgain(_ ending: Ending) throws { try end(ending, onReset: "late") }

        @Test("XIM 43 ended elsewhere, the server replies nothing at all", arguments: Ending.allCases)
        func aCompositionThatTheServerForgetsStays(_ ending: Ending) throws { try end(ending, onReset: "empty") }

        @Test(arguments: Ending.allCases)
        func endedCompositionStaysWhenTheServerClearsIt(_ ending: Ending) throws { try end(ending, onReset: "clear") }

        // ibus replies to a reset at once, and its engine commits later.
        @Test(arguments: Ending.allCases, ["", "あい"])
        func aCommitLongAfterTheReplyIsNotTypedAgain(_ ending: Ending, reply: String) throws {
            let late = "on reset_ic do reset-reply \"\(reply)\"; delay 400; commit \"あい\"; say \"late\"\n"
            let (scene, other) = try composeAndEnd(ending, options: ["--on-unset", "keep"], script: late)
            defer { scene.end() }
            try scene.pump("the late commit") { scene.driver.entries.contains { $0["text"]?.text == "late" } }
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<あい....>")
            #expect(other.text == "")
        }

        @Test(
            "XIM 44 focus lost and regained: nothing stale, and the first key goes to the server",
            arguments: ["clear", "commit", "keep"])
        func focusChangesLeaveNothingStale(how: String) throws {
            let scene = try InputMethodScene(options: ["--on-unset", how, "--on-reset", "late"])
            defer { scene.end() }
            for (round, state) in ["<⟨あ|⟩>", "<あ⟨あ|⟩>", "<ああ⟨あ|⟩>"].enumerated() {
                scene.type("a")
                try scene.expect(CaretNotation(state))
                scene.probe.focusNothing()
                try scene.pump("the marked text to become text") { scene.view.markedText == nil }
                try scene.focus(scene.window)
                #expect(scene.presses.count == round + 1)
            }
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == "<あああ|>")
        }

        @Test(
            "XIM 45 a window closed in mid-composition", arguments: ["clear", "commit", "keep"], [false, true])
        func aWindowMayCloseWhileComposing(how: String, isDestroyedByAnother: Bool) throws {
            let scene = try InputMethodScene(options: ["--on-unset", how, "--on-reset", "late"])
            defer { scene.end() }
            var other: (window: WidgetWindow, view: TextView)? = try scene.makeOtherWindow()
            let editor = try #require(other?.view)
            try scene.focus(try #require(other?.window))
            scene.type("ab")
            try scene.pump("the composition") { CaretNotation(editor) == "<⟨あい|⟩>" }
            if isDestroyedByAnother {
                scene.probe.destroy(try #require(other?.window.window.id.rawValue))
                scene.display.processEvents()
            } else {
                other?.window.close()
            }
            other = nil
            try scene.focus(scene.window)
            try scene.type("c", expecting: "<⟨う|⟩>")
            try scene.pump("the input context to go") { !scene.driver.requests("destroy_ic").isEmpty }
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == "<⟨う|⟩>")
            if !isDestroyedByAnother { #expect(editor.text == "<あい>") }
        }

        /// scim exits at an X error for a destroyed window, so a window must outlive its input context.
        @Test(arguments: [false, true]) func aWindowLivesUntilItsInputContextIsGone(isTheLast: Bool) throws {
            let scene = try InputMethodScene()
            defer { scene.end() }
            let window = isTheLast ? scene.window : try scene.makeOtherWindow().0
            try scene.focus(window)
            try scene.perform("mode kana-like")
            scene.type("ab")
            try scene.pump("the composition") { window.focusedView?.markedText != nil }
            let id = window.window.id.rawValue
            scene.driver.stop()
            window.close()
            try scene.pump("it to go from the screen") { scene.probe.info(id)?.isViewable != true }
            #expect(scene.probe.info(id) != nil, "the server has not been able to let go of it")
            #expect(scene.driver.requests("destroy_ic").isEmpty)
            scene.driver.resume()
            try scene.pump("its end") { scene.probe.info(id) == nil }
            #expect(scene.driver.requests("destroy_ic").count == 1)
        }

        /// The first key of a composition may have no answer yet when Escape is struck: that is the method's then.
        @Test func aKeyThatIsNotAnsweredMayBeginAComposition() throws {
            let scene = try InputMethodScene()
            defer { scene.end() }
            #expect(!scene.window.mayBeComposing)
            scene.driver.stop()
            scene.probe.type("k")
            try scene.pump("the key on its way") { scene.window.session.hasKeysInFlight }
            #expect(scene.window.mayBeComposing)
            scene.driver.resume()
            try scene.pump("the answer") { !scene.window.mayBeComposing }
        }

        /// The display closes with its windows, as when a program ends.
        @Test func aDisplaysWindowsLiveUntilTheirInputContextsAreGone() throws {
            var timing = InputTiming()
            timing.goodbye = 10_000
            let scene = try InputMethodScene(timing: timing)
            defer { scene.end() }
            scene.display.close()
            #expect(scene.driver.requests("destroy_ic").count == 1, "the server was notified before the window went")
        }

        @Test("XIM 55 two windows: each gets what belongs to it")
        func eachWindowGetsItsOwnLateCommit() throws {
            let scene = try InputMethodScene(
                options: ["--on-reset", "empty", "--on-unset", "keep"],
                script: #"on unset_ic_focus do delay 60; commit "late""#)
            defer { scene.end() }
            let (window, view) = try scene.makeOtherWindow("{|}")
            try scene.type("ab", expecting: "<⟨あい|⟩>")
            try scene.focus(window)
            scene.type("c")
            try scene.expect("{⟨う|⟩}", in: view)
            // The server commits the first window's text only now; it goes to the position where it was composed.
            try scene.pump("the late commit") { scene.view.text == "<late>" }
            try scene.focus(scene.window)
            try scene.pump("the second's late commit") { view.text == "{late}" }
            try scene.type("d", expecting: "<late⟨え|⟩>")
        }

        @Test(arguments: ["clear", "commit", "keep"])
        func textTypedJustBeforeTheFocusMovesStays(how: String) throws {
            let scene = try InputMethodScene(options: ["--on-unset", how, "--on-reset", "empty"])
            defer { scene.end() }
            let (window, view) = try scene.makeOtherWindow("{|}")
            for round in 1...5 {
                // The key and the focus change are both in the queue before the client handles either.
                scene.type("a")
                scene.probe.focus(window.window.id.rawValue)
                scene.type("b")
                scene.probe.focus(scene.window.window.id.rawValue)
                scene.type("c")
                try scene.pump("the composition") { scene.view.markedText != nil }
                scene.type("\n")
                let first = String(repeating: "あう", count: round)
                let second = String(repeating: "い", count: round)
                try scene.expect(CaretNotation("<\(first)|>"))
                try scene.expect(CaretNotation("{\(second)|}"), in: view)
            }
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<あうあうあうあうあう>")
            #expect(view.text == "{いいいいい}")
        }

        @Test(arguments: ["text", "late", "empty"])
        func aViewMovedWhileComposingKeepsItsTextOnce(how: String) throws {
            let scene = try InputMethodScene("<|>", options: ["--on-reset", how, "--on-unset", "commit"])
            defer { scene.end() }
            let (window, _) = try scene.makeOtherWindow("{|}")
            try scene.type("ab", expecting: "<⟨あい|⟩>")
            scene.view.move(to: window)
            #expect(CaretNotation(scene.view) == "<あい|>")
            scene.view.focus()
            try scene.focus(window)
            try scene.type("c", expecting: "<あい⟨う|⟩>")
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<あいう>")
        }

        @Test func theSelectionIsThereAgainWhenAWindowIsReturnedTo() throws {
            let scene = try InputMethodScene("<a[bc|]d>", withWindowManager: true)
            defer { scene.end() }
            let (window, view) = try scene.makeOtherWindow("{|}")
            try scene.focus(window)
            try scene.driver.perform("mode kana-like")
            try scene.driver.waitUntilIdle()
            scene.type("a")
            try scene.expect("{⟨あ|⟩}", in: view)
            try scene.focus(scene.window)
            try scene.expect("{あ|}", in: view)
            #expect(CaretNotation(scene.view) == "<a[bc|]d>")
            try scene.type("b", expecting: "<a⟨い|⟩d>")
        }

        /// Ending a composition outside of the viewport must not scroll to it, which would move the text under the
        /// pointer.
        @Test func aClickGoesWhereItPointsThoughTheCompositionIsOutOfSight() throws {
            let scene = try InputMethodScene()
            defer { scene.end() }
            let lines = (0..<60).map { "line \($0)" }
            scene.view.text = lines.joined(separator: "\n")
            scene.view.select(Selection(caret: UTF16Offset(scene.view.text.utf16.count)))
            try scene.perform("mode kana-like")
            scene.type("ab")
            try scene.pump("the composition") { scene.view.text.hasSuffix("あい") }
            scene.view.scroll(by: -200, dx: 0)
            let offset = lines[..<40].reduce(0) { $0 + $1.utf16.count + 1 }
            scene.click(before: offset)
            try scene.pump("its end") { !scene.view.hasMarkedText() }
            #expect(scene.view.selection?.head.value == offset)
        }
    }
}
