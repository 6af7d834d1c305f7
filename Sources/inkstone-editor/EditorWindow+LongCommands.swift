import Inkstone
import Synchronization

/// An edit command that runs on a background thread and can be cancelled.
final class LongCommand: Sendable {
    let command: EditCommand
    private let isStopped = Atomic(false)

    init(_ command: EditCommand) { self.command = command }

    /// Cancels the command. May be called on any thread.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Computes the transaction of the command for a state. Returns nil if the command changes nothing, and soon
    /// after the command is cancelled. May be called on any thread.
    func work(on state: EditorState) -> Transaction? {
        func isCancelled() -> Bool { isStopped.load(ordering: .relaxed) }
        return command == .sortLines
            ? state.sortingLines(by: TextCollator(), isCancelled: isCancelled)
            : state.selectingNextMatch(isCancelled: isCancelled)
    }

    /// Whether a command takes too long on a state to run it synchronously.
    static func isLong(_ command: EditCommand, on state: EditorState) -> Bool {
        guard let selection = state.selection else { return false }
        switch command {
        case .sortLines: return selection.ranges.reduce(0) { $0 + $1.range.length() } > mostSorted
        case .selectNextMatch:
            return state.text.metrics.bytes > mostSearched && !selection.ranges.contains(where: \.isCaret)
        default: return false
        }
    }

    /// The maximum total length of the selections, in UTF-16 units, whose lines are sorted synchronously. Longer ones
    /// are sorted in the background.
    static let mostSorted = 1 << 16
    /// The maximum size of a text, in bytes, that is searched synchronously. A larger one is searched in the
    /// background.
    static let mostSearched = 8 << 20
}

/// Edit commands that take long on a large document: they run in the background, and Escape cancels them.
extension EditorWindow {
    /// Accepts a command if it takes long, the document has the focus, and there is no composition. Performs it after
    /// the preceding keys are handled, in the background if it still takes long by then. Returns whether it accepts the
    /// command.
    func beginLong(_ command: EditCommand) -> Bool {
        // Leave the key to the input method during a composition.
        guard window.focusedView === view, view.markedText == nil, LongCommand.isLong(command, on: view.state) else {
            return false
        }
        performUnlessAsking { window in
            // The preceding keys may have changed the selection: check again.
            if LongCommand.isLong(command, on: window.view.state) {
                window.begin(LongCommand(command))
            } else {
                window.view.perform(command)
            }
        }
        return true
    }

    private func begin(_ work: LongCommand) {
        guard longCommand == nil else { return notify(Words.commandIsRunning) }
        view.session.endComposition()
        guard view.session.canPerform(work.command) else { return }
        longCommand = work
        let notice = work.command == .sortLines ? Words.sorting : Words.searching
        notify(notice)
        let state = view.state
        perform(inBackground: { work.work(on: state) }, holdingKeys: true) { window, transaction in
            // Do nothing if the command was cancelled, which was reported already.
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
            // The document was edited meanwhile: the result does not apply. Report that nothing was sorted; drop an
            // outdated match silently.
            if work.command == .sortLines { notify(Words.notSorted, isProblem: true) }
            return
        }
        guard var transaction else { return }
        if view.selection != state.selection {
            // The user has changed the selection meanwhile: do not change or scroll to the selection.
            guard work.command == .sortLines else { return }
            (transaction.selection, transaction.reveal) = (.mapped, false)
        }
        view.session.dispatch(transaction)
    }

    /// Cancels the running long command if the key is Escape. Returns whether it cancelled one.
    func stopLongCommand(by key: KeyEvent) -> Bool {
        guard let work = longCommand, key.phase == .down, key.keysym == .escape else { return false }
        work.stop()
        longCommand = nil
        notify(Words.nothingChanged)
        editDidCome()
        return true
    }
}
