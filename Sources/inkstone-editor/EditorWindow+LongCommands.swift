import Inkstone
import Synchronization

/// A command on the text that another thread works out, and how it is given up.
final class LongCommand: Sendable {
    let command: EditCommand
    private let isStopped = Atomic(false)

    init(_ command: EditCommand) { self.command = command }

    /// Gives it up. Any thread.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The transaction that it comes to for a state; nil if there is none, and soon after it was given up. Any thread.
    func work(on state: EditorState) -> Transaction? {
        func isCancelled() -> Bool { isStopped.load(ordering: .relaxed) }
        return command == .sortLines
            ? state.sortingLines(by: TextCollator(), isCancelled: isCancelled)
            : state.selectingNextMatch(isCancelled: isCancelled)
    }

    /// Whether a command takes so long on a state that nobody is to wait for it.
    static func isLong(_ command: EditCommand, on state: EditorState) -> Bool {
        guard let selection = state.selection else { return false }
        switch command {
        case .sortLines: return selection.ranges.reduce(0) { $0 + $1.range.length() } > mostSorted
        case .selectNextMatch:
            return state.text.metrics.bytes > mostSearched && !selection.ranges.contains(where: \.isCaret)
        default: return false
        }
    }

    /// UTF-16 units of lines that are sorted at once.
    static let mostSorted = 1 << 16
    /// Bytes of a text that is searched at once.
    static let mostSearched = 8 << 20
}

/// Commands that take long on a large text: nobody waits for them, and Escape gives them up.
extension EditorWindow {
    /// Begins a command that a key asks for in the background, in its turn after the keys before it, if it takes long. Returns whether it does.
    func beginLong(_ command: EditCommand) -> Bool {
        // In a composition the key is the input method's.
        guard window.focusedView === view, view.markedText == nil, LongCommand.isLong(command, on: view.state) else {
            return false
        }
        performUnlessAsking { window in
            // The keys before it may have made another selection.
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
            // One that was given up has said so.
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
            // What was typed goes on; who looks for something else by now has found it.
            if work.command == .sortLines { tell(Words.notSorted, isProblem: true) }
            return
        }
        guard var transaction else { return }
        if view.selection != state.selection {
            // Who has gone elsewhere meanwhile stays there.
            guard work.command == .sortLines else { return }
            (transaction.selection, transaction.reveal) = (.mapped, false)
        }
        view.session.dispatch(transaction)
    }

    /// Gives up the command that is being worked out, if a key is Escape. Returns whether it was.
    func stopLongCommand(by key: KeyEvent) -> Bool {
        guard let work = longCommand, key.phase == .down, key.keysym == .escape else { return false }
        work.stop()
        longCommand = nil
        tell(Words.nothingChanged)
        editDidCome()
        return true
    }
}
