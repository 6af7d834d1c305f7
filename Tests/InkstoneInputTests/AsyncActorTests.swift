import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// A view whose keys an actor handles.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AsyncActorTests {
    actor Document {
        private(set) var text = ""
        private(set) var cancelled: [String] = []

        func handle(_ entry: KeyEntry) async throws -> Bool {
            guard entry.state == .down else { return true }
            switch entry.key.characters {
            case "n": return false
            case "e": throw CancellationError()
            case "s":
                // This loop ends only when the task is cancelled.
                let (nothing, never) = AsyncStream.makeStream(of: Void.self)
                for await _ in nothing {}
                never.finish()
                if Task.isCancelled { cancelled.append("s") }
                try Task.checkCancellation()
                return false
            case let other:
                await Task.yield()
                text += other
                return true
            }
        }
    }

    final class ActorView: ReferenceTextView, AsyncTextInput {
        weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
        let document = Document()
        var callbacks = 0
        var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? {
            { [document] in try await document.handle($0) }
        }
        func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
            callbacks += 1
            completion(true)
        }
    }

    private let view = ActorView("", columns: 40)
    private let simulation: Simulation
    private let answers: AsyncStream<Void>

    init() {
        simulation = Simulation(isRecording: false, view: view)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        self.answers = answers
        simulation.context.deactivate()
        simulation.session.onAnswer = { answer.yield() }
        simulation.context.activate()
    }

    private func type(_ text: String) { for character in text { simulation.press(character, [.down]) } }

    /// Handles answers whenever the queue wakes the loop, as a display's event loop does.
    private func answered(until isDone: () -> Bool) async {
        for await _ in answers {
            simulation.session.advance()
            if isDone() { return }
        }
    }

    @Test func theAsynchronousFormIsChosenAndKeepsTheOrder() async {
        type("abcdnefg")
        await answered { !simulation.session.isWaiting }
        #expect(await view.document.text == "abcdfg")
        // The first key was declined; but an error does not count as declined.
        #expect(view.string == "n")
        #expect(view.callbacks == 0)
    }

    @Test func theExampleTypes() async {
        let field = RemoteField("", columns: 40)
        let simulation = Simulation(isRecording: false, view: field)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        simulation.context.deactivate()
        simulation.session.onAnswer = { answer.yield() }
        simulation.context.activate()
        for character in "hi" { simulation.press(character) }
        // The document does not handle Backspace, so the system lets the field perform it.
        simulation.key(.backSpace)
        for await _ in answers {
            simulation.session.advance()
            if !simulation.session.isWaiting { break }
        }
        #expect(await field.document.text == "hi")
    }

    @Test func theDeadlineCancelsTheTask() async {
        type("sa")
        simulation.run(500)
        await answered { !simulation.session.isWaiting }
        #expect(await view.document.text == "a")
        while await view.document.cancelled.isEmpty { await Task.yield() }
        #expect(view.string == "")
    }

    @Test func theEndCancelsTheTask() async {
        type("s")
        simulation.session.end()
        // The task's answer is dropped and wakes nobody, so poll.
        while await view.document.cancelled.isEmpty { await Task.yield() }
        #expect(view.string == "")
    }
}
