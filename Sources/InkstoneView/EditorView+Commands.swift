import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands, as far as they need geometry.
extension EditorView {
    /// The text as it is laid out now, with the view's idea of words and pages: what moves are functions of.
    public var geometry: TextGeometry {
        TextGeometry(
            layout, wordStyle: wordStyle, linesPerPage: Int(checking: pageStep / lineStep, in: 1...1 << 20, else: 1))
    }

    /// Does what a command names: ``EditingSession/perform(_:in:)``. Returns whether it did: the text knows the command, and neither it nor
    /// the program refuses it now.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        if interaction.isActive, command == .cancelOperation { return interaction.cancel() }
        if command == .cancelOperation, giveUpStyles() { return true }
        return mayPerform(command) && session.perform(command) { geometry }
    }

    package func carryOut(_ request: EditRequest) {
        switch request {
        case .copy(let copied): copy(copied)
        case .paste(let source, let edit): requestPaste(from: source, for: edit.id)
        case .scroll(let step): scroll(step)
        case .keep, .undo, .redo: break
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
