import Inkstone
import Synchronization

/// A command on the text that runs on another thread and can be cancelled.
final class LongCommand: Sendable {
    let command: EditCommand
    private let isStopped = Atomic(false)

    init(_ command: EditCommand) { self.command = command }

    /// Cancels the command. Any thread.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Returns the transaction of the command for a state; nil if there is none, or soon after it was cancelled. Any thread.
    func work(on state: EditorState) -> Transaction? {
        func isCancelled() -> Bool { isStopped.load(ordering: .relaxed) }
        return command == .sortLines
            ? state.sortingLines(by: TextCollator(), isCancelled: isCancelled)
            : state.selectingNextMatch(isCancelled: isCancelled)
    }

    /// Whether a command on a state takes too long to wait for it.
    static func isLong(_ command: EditCommand, on state: EditorState) -> Bool {
        guard let selection = state.selection else { return false }
        switch command {
        case .sortLines: return selection.ranges.reduce(0) { $0 + $1.range.length() } > mostSorted
        case .selectNextMatch:
            return state.text.metrics.bytes > mostSearched && !selection.ranges.contains(where: \.isCaret)
        default: return false
        }
    }

    /// The maximum length of lines that are sorted synchronously, in UTF-16 units.
    static let mostSorted = 1 << 16
    /// The maximum size of a text that is searched synchronously, in bytes.
    static let mostSearched = 8 << 20
}

/// Commands that take long on a large text: they run in the background, and Escape cancels them.
extension EditorWindow {
    /// Starts the command of a key in the background, in order after the preceding keys, if it takes long. Returns whether it does.
    func beginLong(_ command: EditCommand) -> Bool {
        // During a composition the key belongs to the input method.
        guard window.focusedView === view, view.markedText == nil, LongCommand.isLong(command, on: view.state) else {
            return false
        }
        performUnlessAsking { window in
            // The preceding keys may have changed the selection.
            if LongCommand.isLong(command, on: window.view.state) {
                window.begin(LongCommand(command))
            } else {
                window.view.perform(command)
            }
        }
        return true
    }

    private func begin(_ work: LongCommand) {
        guard longCommand == nil else { return tell(Words.commandIsRunning) }
        view.session.endComposition()
        guard view.session.canPerform(work.command) else { return }
        longCommand = work
        let notice = work.command == .sortLines ? Words.sorting : Words.searching
        tell(notice)
        let state = view.state
        perform(inBackground: { work.work(on: state) }, holdingKeys: true) { window, transaction in
            // A cancelled command has reported that already.
            guard window.longCommand === work else { return }
            window.longCommand = nil
            if window.message?.text == notice { window.clearMessage() }
            window.take(transaction, of: work, madeFor: state)
            window.editDidCome()
        } orElse: { window in
            window.longCommand = nil
            window.editDidCome()
        }
    }

    private func take(_ transaction: Transaction?, of work: LongCommand, madeFor state: EditorState) {
        guard view.store.version == state.version else {
            // Edits made meanwhile stay, so do not sort; an outdated search result is dropped without a message.
            if work.command == .sortLines { tell(Words.notSorted, isProblem: true) }
            return
        }
        guard var transaction else { return }
        if view.selection != state.selection {
            // The user has moved the selection meanwhile: keep it.
            guard work.command == .sortLines else { return }
            (transaction.selection, transaction.reveal) = (.mapped, false)
        }
        view.session.dispatch(transaction)
    }

    /// Cancels the running long command, if the key is Escape. Returns whether it did.
    func stopLongCommand(by key: KeyEvent) -> Bool {
        guard let work = longCommand, key.phase == .down, key.keysym == .escape else { return false }
        work.stop()
        longCommand = nil
        tell(Words.nothingChanged)
        editDidCome()
        return true
    }
}
