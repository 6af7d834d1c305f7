import Inkstone
import InkstoneFiles

/// The commands for finding text and for going to a line.
extension EditorWindow {
    /// Performs a find command. Other commands have no effect.
    func find(_ command: EditCommand) {
        guard !prompt.isOpen else { return }
        if command != .findPrimary { life.input.advance() }
        switch command {
        case .find: findBar.open(replacing: false)
        case .findAndReplace: findBar.open(replacing: !options.readOnly)
        case .findOrNext: findBar.openOrStep()
        case .findNext: findBar.step(.forward)
        case .findPrevious: findBar.step(.backward)
        case .findPrimary: findPrimary()
        case .goToLine: askForLine()
        default: break
        }
    }

    /// Opens the find bar with the text of the primary selection, unless the user has typed on when it arrives.
    private func findPrimary() {
        let request = life.input
        display.primary.request(timestamp: display.latestTimestamp) { [weak self] result in
            guard case .success(let text) = result, !text.isEmpty else { return }
            guard let self, !isClosed else { return }
            open(since: request, orTell: Words.selectionCameLate) { window in
                guard let pattern = FindBar.pattern(of: text) else {
                    return window.notify(Words.selectionTooLong, isProblem: true)
                }
                window.findBar.open(searchingFor: pattern)
            }
        }
    }

    /// Asks for a line, with or without a column, or for a percentage of the document, and moves the caret there.
    private func askForLine(_ text: String = "", problem: String? = nil) {
        let count = Words.grouped(view.store.text.paragraphCount)
        let request = PathPrompt.Request(
            label: Words.goToLinePrompt(count), action: Words.goThere, hint: Words.goToLineHint,
            keyboard: .numbersAndPunctuation)
        openPrompt(request, text: text, problem: problem) { window, answer in
            guard !answer.isEmpty else { return }
            guard let target = GotoTarget(answer) else {
                let name = FilePath.label(answer, limit: 60)
                return window.askForLine(answer, problem: Words.notALine(name))
            }
            window.view.go(to: Selection(caret: target.offset(in: window.view.store.text)))
            if case .line(let line, _) = target, line > window.view.store.text.paragraphCount {
                window.notify(Words.noLine(Words.grouped(line)))
            }
        }
    }
}
