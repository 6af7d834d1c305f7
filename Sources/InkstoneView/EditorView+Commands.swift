import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that need geometry.
extension EditorView {
    /// The geometry of the laid-out text, with the view's word style and page size, of which moves are functions.
    public var geometry: TextGeometry {
        TextGeometry(
            layout, wordStyle: wordStyle,
            linesPerPage: Int(checking: presenter.pageStep / presenter.lineStep, in: 1...1 << 20, else: 1))
    }

    /// Performs a command: ``EditingSession/perform(_:in:)``. Returns whether it was performed: the text knows the command, and neither the text
    /// nor the program refuses it now.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        if interaction.isActive, command == .cancelOperation { return interaction.cancel() }
        if command == .cancelOperation, giveUpStyles() { return true }
        return mayPerform(command) && session.perform(command) { geometry }
    }
}

/// The view's tokenizer: its lines are those of the layout, so that no positions on the screen are searched.
final class EditorTokenizer: TextInputStringTokenizer {
    override func line(at position: TextPosition) -> TextRange? {
        // A tokenizer may outlive its view, which it holds weakly.
        guard let view = textInput as? EditorView else { return nil }
        let line = view.geometry.lineRange(view.place(position))
        // The end of a full line is the start of the next as well: upstream affinity keeps it on this one.
        return TextRange(start: view.position(line.lowerBound), end: view.position(line.upperBound, .upstream))
    }
}
