import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that need geometry.
extension EditorView {
    /// The geometry of the laid-out text, with the view's word style and page size. Moves of the caret are computed
    /// from it.
    public var geometry: TextGeometry {
        TextGeometry(
            layout, wordStyle: wordStyle,
            linesPerPage: Int(checking: presenter.pageStep / presenter.lineStep, in: 1...1 << 20, else: 1))
    }

    /// Performs a command: ``EditingSession/perform(_:in:)``. Returns whether it was performed. A command is not
    /// performed if the text does not know it, or if the text or the program refuses it now.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        if interaction.isActive, command == .cancelOperation { return interaction.cancel() }
        if command == .cancelOperation, giveUpStyles() { return true }
        return mayPerform(command) && session.perform(command) { geometry }
    }
}

/// The tokenizer of the view. Its lines are those of the layout, so they are found without searching positions on
/// the screen.
final class EditorTokenizer: TextInputStringTokenizer {
    override func line(at position: TextPosition) -> TextRange? {
        // The tokenizer does not retain its view, so the view may be gone: there is then no line.
        guard let view = textInput as? EditorView else { return nil }
        let line = view.geometry.lineRange(view.place(position))
        // The end of a wrapped line is the start of the next line as well. Upstream affinity keeps the position on
        // this line.
        return TextRange(start: view.position(line.lowerBound), end: view.position(line.upperBound, .upstream))
    }
}
