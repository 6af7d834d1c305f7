import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands: what they come to is a function of the ``state``; here it is carried out.
extension EditorView {
    /// The text as it is laid out now, with the view's idea of words and pages: what moves are functions of.
    public var geometry: TextGeometry {
        TextGeometry(
            layout, wordStyle: wordStyle, linesPerPage: Int(checking: pageStep / lineStep, in: 1...1 << 20, else: 1))
    }

    /// Does what a command names. Returns whether it did: the view knows the command, and neither it nor the program refuses it now.
    ///
    /// A composition ends first, with its text kept, unless the command changes nothing.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        if interaction.isActive, command == .cancelOperation { return interaction.cancel() }
        guard mayPerform(command) else { return false }
        if !command.keepsComposition { endComposition() }
        guard let outcome = state.outcome(of: command, in: geometry) else { return false }
        if state.continuedKill != nil { change(.killing(nil)) }
        guard let transaction = outcome.transaction else {
            if let request = outcome.request { carryOut(request) }
            return true
        }
        guard !transaction.changes.isEmpty else {
            if let request = outcome.request { carryOut(request) }
            if transaction.selection != .mapped { store.breakUndoCoalescing() }
            let before = selection
            dispatch(transaction)
            if selection != before, selection?.isEmpty == false {
                host?.editorViewDidSelectByKeys(self)
            }
            return true
        }
        // What filters and the delegate leave in the text is not cut: until they are asked, the clipboard stays as it is.
        guard dispatch(transaction) != nil, let request = outcome.request else { return true }
        if case .keep(let killed, let side, let kill) = request {
            change(.killing(killBuffer.keep(killed, from: side, continuing: kill)))
        } else {
            carryOut(request)
        }
        return true
    }

    private func carryOut(_ request: EditRequest) {
        switch request {
        case .copy(let copied):
            host?.editorView(self, copy: copied)
            killBuffer.keep(copied)
        case .keep: break
        case .paste(.killBuffer, let edit):
            dispatch(state.paste(state.answering(edit, with: killBuffer.contents)))
        case .paste(let source, let edit):
            guard let host else { return }
            change(.deferring(edit))
            host.editorView(self, requestsPasteFrom: source, for: edit.id)
        case .scroll(let step): scroll(step)
        case .undo: undo()
        case .redo: redo()
        }
    }

    private func scroll(_ step: ScrollStep) {
        switch step {
        case .lines(let count): scroll(by: Double(count) * lineStep)
        case .pages(let count): scroll(by: Double(count) * pageStep)
        case .start: scrollToStart()
        case .end: scrollToEnd()
        case .centerCaret: centerCaret()
        }
    }
}

/// The view's units of text: lines are those of its layout, so that nothing is searched for on the screen.
final class EditorTokenizer: TextInputStringTokenizer {
    override func line(at position: TextPosition) -> TextRange? {
        // A tokenizer may outlive its view, which it holds weakly.
        guard let view = textInput as? EditorView else { return nil }
        let line = view.geometry.lineRange(view.place(position))
        // The end of a full line is the start of the next as well: upstream it is this one's.
        return TextRange(start: view.position(line.lowerBound), end: view.position(line.upperBound, .upstream))
    }
}
