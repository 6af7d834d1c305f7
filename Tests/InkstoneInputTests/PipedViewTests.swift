import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import PipedExample
import Testing

/// An input method types into a view whose document is a slow other process: order and text are preserved.
@Suite(.timeLimit(.minutes(5))) struct PipedViewTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var kind: Simulation.Kind
        var delay: ClosedRange<Int>
        var testDescription: String { "\(kind), \(delay) ms" }

        /// The typed keys. A composing method gets only letters, and spaces that end its compositions.
        var typed: String {
            if kind == .composing { return delay.upperBound >= 300 ? "ab cd " : "abc de fgh ijk lmno " }
            return delay.upperBound >= 300 ? "ab c? d!" : "abc de? fgh! ijk? lm no. "
        }
        /// Returns the text of keys; a space that ends a composition inserts nothing.
        func text(of keys: String) -> String { kind == .composing ? keys.replacing(" ", with: "") : keys }
    }

    @Test(
        arguments: [
            Case(kind: .composing, delay: 0...0), Case(kind: .mixed, delay: 0...0),
            Case(kind: .committing, delay: 0...60), Case(kind: .forwarding, delay: 50...50),
            Case(kind: .mixed, delay: 0...300), Case(kind: .composing, delay: 300...300),
        ])
    func quicklyTypedTextIsCompleteInTheOtherProcess(_ each: Case) throws {
        let view = try PipedView(delay: each.delay)
        // A busy machine may delay answers; raise the time-out, so that no key counts as handled early.
        var timing = InputTiming()
        timing.handling = 30_000
        let simulation = Simulation(
            server: .init(kind: each.kind, reset: .nothing, delay: 1), isRecording: false, timing: timing, view: view)
        for character in each.typed {
            simulation.press(character)
            simulation.run(1)
        }
        simulation.key(.backSpace)
        var clicked = ""
        simulation.session.perform(.press) { clicked = view.string }
        let last = each.kind == .composing ? "z " : "z?"
        for character in last { simulation.press(character) }
        try waitUntilIdle(simulation, view)
        let first = String(each.text(of: each.typed).dropLast())
        #expect(clicked == first)
        #expect(view.string == first + each.text(of: last))
        #expect(view.documentText == view.string)
        #expect(!simulation.session.isWaiting)
    }

    /// Runs on the real clock until the document has answered everything and nothing waits.
    private func waitUntilIdle(_ simulation: Simulation, _ view: PipedView) throws {
        var last = MonotonicClock.milliseconds
        try waitUntil("the document to have all", within: 30_000, instead: { "\(view.string) \(view.documentText)" }) {
            view.readAnswers(waiting: 1)
            let now = MonotonicClock.milliseconds
            simulation.run(Double(now - last))
            last = now
            return view.isIdle && !simulation.session.isWaiting && simulation.method.nextAnswer == nil
                && !view.hasMarkedText()
        }
    }
}
