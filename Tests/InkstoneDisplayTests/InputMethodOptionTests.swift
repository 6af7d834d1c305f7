import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// A view's text options during a composition: they apply to committed text, never to the preedit.
    @Suite struct InputMethodOptionTests {
        private func scene(
            _ text: CaretNotation = "<|>", script: String = "", _ options: (inout TextInputOptions) -> Void
        ) throws -> InputMethodScene {
            let scene = try InputMethodScene(text, options: ["--mode", "kana-like"], script: script)
            options(&scene.view.options)
            return scene
        }

        @Test func theMaximumLengthCutsWhatIsCommitted() throws {
            let scene = try scene { $0.maximumLength = 4 }
            defer { scene.end() }
            try scene.type("abc", expecting: "<⟨あいう|⟩>")
            try scene.type("\n", expecting: "<あい|>")
            // The text has its maximum length: the preedit is shown and can be converted, but its commit inserts
            // nothing.
            try scene.type("d ", expecting: "<あい⟨[文|]⟩>")
            try scene.type("\n", expecting: "<あい|>")
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<あい>")
            // A key that the method returns makes room again.
            scene.probe.strike(.backspace)
            try scene.type("b\n", expecting: "<あい|>")
        }

        @Test func theFilterSeesWhatIsCommittedAndNothingBefore() throws {
            let scene = try scene { $0.inputFilter = { $0.filter { $0 != "い" && $0 != "本" } } }
            defer { scene.end() }
            try scene.type("abc", expecting: "<⟨あいう|⟩>")
            try scene.type("\n", expecting: "<あう|>")
            try scene.type("ab ", expecting: "<あう⟨[日|]本⟩>")
            try scene.type("\n", expecting: "<あう日|>")
            // A click makes the client end the composition: its text is filtered once, too.
            try scene.type("bd", expecting: "<あう日⟨いえ|⟩>")
            scene.click(before: 0)
            try scene.expect("|<あう日え>")
            try scene.waitUntilQuiet()
            #expect(scene.view.text == "<あう日え>")
        }

        @Test func aSingleLineTakesNoNewlineFromTheMethod() throws {
            let scene = try scene(script: "on key x do commit \"one\\ntwo\"") { $0.isSingleLine = true }
            defer { scene.end() }
            var commands: [EditCommand] = []
            scene.window.onCommand = {
                commands.append($0)
                return true
            }
            try scene.type("x", expecting: "<one two|>")
            // Return belongs to the method during a composition, and to the window after it.
            try scene.type("a\n", expecting: "<one twoあ|>")
            #expect(commands.isEmpty)
            scene.type("\n")
            try scene.pump("Return for the window") { commands == [.insertNewline] }
            #expect(scene.view.text == "<one twoあ>")
        }

        @Test func theDelegateIsAskedOnceForAComposition() throws {
            final class Judge: EditingSessionDelegate {
                var asked: [String] = []
                var refuses = false
                func session(
                    _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>,
                    replacementText text: String
                ) -> Bool {
                    asked.append("\(range.lowerBound.value)..<\(range.upperBound.value) \(text)")
                    return !refuses
                }
            }
            let scene = try scene { _ in }
            defer { scene.end() }
            let judge = Judge()
            scene.view.session.delegate = judge
            try scene.type("ab ", expecting: "<⟨[日|]本⟩>")
            #expect(judge.asked.isEmpty)
            try scene.type("\n", expecting: "<日本|>")
            #expect(judge.asked == ["1..<3 日本"])
            judge.refuses = true
            try scene.type("c", expecting: "<日本⟨う|⟩>")
            #expect(judge.asked.count == 1)
            try scene.type("\n", expecting: "<日本|>")
            #expect(judge.asked == ["1..<3 日本", "3..<4 う"])
        }

        @Test func tabBelongsToTheMethodWhileItComposes() throws {
            let scene = try scene { $0.tabBehavior = .movesFocus }
            defer { scene.end() }
            let other = TextView(in: scene.window)
            scene.window.focusOrder = .contents
            #expect(scene.view.focus())
            try scene.type("a", expecting: "<⟨あ|⟩>")
            scene.type("\t")
            try scene.type("b", expecting: "<⟨あい|⟩>")
            #expect(scene.view.hasFocus)
            scene.type("\n\t")
            try scene.pump("the next view") { other.hasFocus }
            #expect(scene.view.text == "<あい>")
            // Tab inserts spaces up to the next tab stop; the composed characters count.
            scene.view.options.tabBehavior = .insertsSpaces(4)
            #expect(scene.view.focus())
            scene.view.select(Selection(caret: 3))
            try scene.type("\t", expecting: "<あい |>")
        }

        @Test func theCompositionIsShownInsteadOfThePlaceholder() throws {
            let scene = try scene("|") { $0.placeholder = "Write here" }
            defer { scene.end() }
            func showsPlaceholder() -> Bool {
                guard let info = scene.probe.info(scene.window.window.id.rawValue) else { return false }
                guard let shot = scene.probe.screenshot(of: info) else { return false }
                // Ignore the area of the preedit, whose antialiased edges are grey like the placeholder.
                let rest = shot.pixels.indices.filter { $0 % shot.width >= 40 }.map { shot.pixels[$0] }
                return Screenshot(x: 40, y: 0, width: shot.width - 40, height: shot.height, pixels: rest).shows(
                    0x8c959f)
            }
            try scene.pump("the placeholder", until: showsPlaceholder)
            try scene.type("a", expecting: "⟨あ|⟩")
            try scene.pump("no placeholder") { !showsPlaceholder() }
            scene.probe.strike(.escape)
            try scene.expect("|")
            try scene.pump("the placeholder again", until: showsPlaceholder)
            #expect(scene.view.text.isEmpty)
        }

        @Test func theDefaultDirectionPutsTheCompositionAndItsSpotAtTheRight() throws {
            let scene = try scene("|") { $0.baseWritingDirection = .rightToLeft }
            defer { scene.end() }
            try scene.pump("the spot at the right") { (scene.spotsSent.last?.first ?? 0) > 300 }
            try scene.type("a", expecting: "⟨あ|⟩")
            try scene.pump("the spot") { scene.spotsSent.last == scene.spot }
            #expect(scene.spot[0] > 300)
            try scene.type("\n", expecting: "あ|")
            scene.view.options.baseWritingDirection = .leftToRight
            try scene.pump("the spot at the left") {
                scene.spotsSent.last == scene.spot && scene.spot[0] < 100
            }
        }
    }
}
