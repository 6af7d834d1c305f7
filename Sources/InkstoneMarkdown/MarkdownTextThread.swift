import Glibc
import InkstoneBase
import InkstoneText

/// A thread that makes the styled text of blocks while another thread still reads the next ones.
final class MarkdownTextThread: Sendable {
    /// State shared by both threads.
    private struct State {
        /// The batches of blocks that the thread has not received yet, in order.
        var batches: [[MarkdownBlock]] = []
        /// Whether all blocks were added.
        var isComplete = false
        /// The text of all blocks; nil before it is finished.
        var text: StyledText?
    }

    private let state: Monitor<State>

    /// Starts the thread. Nil if the system cannot create one.
    ///
    /// - Parameter identity: the number after which the identities of blocks begin.
    init?(identitiesAfter identity: Int) {
        let state = Monitor(State())
        self.state = state
        let thread = try? BackgroundThread.start {
            var maker = MarkdownTextMaker(identitiesAfter: identity)
            while let batches = Self.nextBatches(state) {
                for batch in batches { for block in batch { maker.add(block) } }
            }
            let text = maker.finish()
            state.withLock(waking: true) { $0.text = text }
        }
        guard let thread else { return nil }
        pthread_detach(thread)
    }

    /// Waits for further batches, and removes and returns them; nil after the last ones.
    private static func nextBatches(_ state: Monitor<State>) -> [[MarkdownBlock]]? {
        state.wait { state, _ in
            if state.batches.isEmpty { return state.isComplete ? .some(nil) : nil }
            defer { state.batches = [] }
            return .some(state.batches)
        }
    }

    /// Adds outermost blocks behind those added before.
    func add(_ blocks: [MarkdownBlock]) {
        state.withLock(waking: true) { $0.batches.append(blocks) }
    }

    /// Waits for the text of all blocks, and returns it. No blocks may be added after this.
    func finish() -> StyledText {
        state.withLock(waking: true) { $0.isComplete = true }
        return state.wait { state, _ in state.text }
    }
}
