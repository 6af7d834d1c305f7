import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that need geometry.
extension EditorView {
    /// The geometry of the laid-out text, with the view's ``wordStyle`` and its number of lines on a page. Moves of the
    /// caret are computed from it.
    public var geometry: TextGeometry {
        TextGeometry(
            layout, wordStyle: wordStyle,
            linesPerPage: Int(checking: presenter.pageStep / presenter.lineStep, in: 1...1 << 20, else: 1))
    }

    /// Performs a command by ``EditingSession/perform(_:in:)``. Escape first cancels a gesture of the pointer, or
    /// the wait for the styles of a paste, if there is one. In text that cannot be edited, Tab and Shift+Tab select
    /// the next or the previous link, if ``onOpenLink`` is set. Returns whether the command was performed. False for a
    /// command that the session cannot carry out, and for one that the program refuses now.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        if interaction.isActive, command == .cancelOperation { return interaction.cancel() }
        if command == .cancelOperation, giveUpStyles() { return true }
        if opensLink(command) { return canPerform?(command) ?? true && openLink() }
        if let link = linkToSelect(by: command) {
            guard canPerform?(command) ?? true else { return false }
            selectLink(link)
            return true
        }
        return mayPerform(command) && session.perform(command) { geometry }
    }
}

/// The tokenizer of the view. Its lines are those of the layout: they are found without searching positions on the
/// screen.
final class EditorTokenizer: TextInputStringTokenizer {
    override func line(at position: TextPosition) -> TextRange? {
        // The tokenizer does not retain its view. If the view no longer exists, there is no line.
        guard let view = textInput as? EditorView else { return nil }
        let line = view.geometry.lineRange(view.place(position))
        // The end of a wrapped line is the start of the next line as well. Upstream affinity keeps the position on
        // this line.
        return TextRange(start: view.position(line.lowerBound), end: view.position(line.upperBound, .upstream))
    }
}
