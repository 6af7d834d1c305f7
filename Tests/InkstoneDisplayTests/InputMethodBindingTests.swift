import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import Synchronization
import Testing

extension DisplayTests {
    /// Observers of a text during a composition over a real connection are notified once, at the end, in each of
    /// the three ways to observe.
    @Suite struct InputMethodBindingTests {
        /// The values of an asynchronous sequence, collected by a task.
        private final class Streamed: Sendable {
            private let list = Mutex<[String]>([])
            var changes: [String] { list.withLock { $0 } }

            func read(_ stream: some AsyncSequence<TextChange, Never> & Sendable) -> Task<Void, Never> {
                Task { for await change in stream { list.withLock { $0.append(change.description) } } }
            }
        }

        @Test func textInCompositionIsNotReported() throws {
            let scene = try InputMethodScene("one <|> two", options: ["--mode", "kana-like"])
            defer { scene.end() }
            let view = scene.view
            let changes = view.session.changes
            let streamed = Streamed()
            let reader = streamed.read(changes.changes)
            defer { reader.cancel() }
            var received: [String] = []
            let observation = view.observe { if $0.textChange != nil { received.append(view.text) } }
            defer { observation.cancel() }
            let start = changes.revision.value
            var expected: [String] = []
            var reported: [String] = []
            /// Composes, and checks that no observer is notified while the view shows the preedit.
            func compose(_ keys: String, _ shown: CaretNotation) throws {
                scene.type(keys)
                try scene.expect(shown)
                try scene.waitUntilQuiet()
                #expect(
                    received == expected && changes.revision.value - start == expected.count, "\(keys): \(received)")
            }
            /// Ends the composition, and checks that the observers are notified once.
            func end(_ keys: String, _ shown: CaretNotation, _ change: String?) throws {
                if let change {
                    expected.append(shown.text)
                    reported.append(change)
                }
                try compose(keys, shown)
                try scene.pump("the sequence") { streamed.changes.count >= reported.count }
            }

            try compose("ab", "one <⟨あい|⟩> two")
            try compose("c", "one <⟨あいう|⟩> two")
            scene.probe.strike(.backspace)
            try compose(" ", "one <⟨[日|]本⟩> two")
            try end("\n", "one <日本|> two", "5..<5 → 5..<7")
            // Ordinary keys are notified one by one.
            scene.probe.control("z")
            try scene.expect("one <|> two")
            expected.append("one <> two")
            reported.append("5..<7 → 5..<5")
            #expect(received == expected)
            // A composition that is cancelled is not notified.
            try compose("ab", "one <⟨あい|⟩> two")
            scene.probe.strike(.escape)
            try end("", "one <|> two", nil)
            // Replacing a selection by a composition is one notification.
            view.select(Selection(anchor: 0, head: 3))
            try compose("a", "⟨あ|⟩ <> two")
            try end("\n", "あ| <> two", "0..<3 → 0..<1")
            // A click ends the composition: its text stays and is notified once, whatever the server sends later.
            try compose("b", "あ⟨い|⟩ <> two")
            scene.click(before: 7)
            try end("", "あい <> t|wo", "1..<1 → 1..<2")
            #expect(streamed.changes == reported)
        }

        /// A typical binding: the program keeps a copy of the text, and may write the copy into the view at any
        /// time.
        @Test func anEchoInTheMidstOfACompositionChangesNothing() throws {
            let scene = try InputMethodScene("one <|> two", options: ["--mode", "kana-like"])
            defer { scene.end() }
            let view = scene.view
            var model = view.text
            var writes = 0
            let observation = view.observe {
                guard $0.textChange != nil else { return }
                model = view.text
                // Write back the change that the observer has just been notified of.
                view.text = model
                writes += 1
            }
            defer { observation.cancel() }
            for (keys, shown) in [
                ("a", "one <⟨あ|⟩> two"), ("b", "one <⟨あい|⟩> two"), (" ", "one <⟨[日|]本⟩> two"),
            ] as [(String, CaretNotation)] {
                scene.type(keys)
                try scene.expect(shown)
                view.text = model
                #expect(CaretNotation(view) == shown, "the text as it was before is an echo")
            }
            try scene.type("\n", expecting: "one <日本|> two")
            try scene.waitUntilQuiet()
            #expect(CaretNotation(view) == "one <日本|> two" && model == "one <日本> two" && writes == 1)
            #expect(scene.driver.requests("reset_ic").isEmpty, "the method was let finish")
            // During the next composition, the last notified text is a different one, and writing it back has no
            // effect either.
            try scene.type("c", expecting: "one <日本⟨う|⟩> two")
            view.text = model
            #expect(CaretNotation(view) == "one <日本⟨う|⟩> two")
            try scene.type("\n", expecting: "one <日本う|> two")
            // A different text is no echo: it is applied after the composition has ended.
            try scene.type("d", expecting: "one <日本う⟨え|⟩> two")
            view.text = "news"
            #expect(CaretNotation(view) == "one <日本う⟨え|⟩> two")
            scene.type("\n")
            try scene.pump("the news") { view.text == "news" }
            #expect(model == "news")
        }
    }
}
