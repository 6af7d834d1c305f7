import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    /// The text as it is laid out now, with the view's idea of words and pages: what moves are functions of.
    public var geometry: TextGeometry {
        TextGeometry(layout, wordStyle: wordStyle, linesPerPage: Int(pageStep / lineStep))
    }

    /// The primary range of the selection; without any a caret at the start. Commands that need a selection are refused
    /// before they ask.
    var primary: SelectionRange { selection?.primary ?? SelectionRange(caret: 0) }

    /// Moves each range of the selection; see ``InkstoneText/Selection/moved(_:_:extending:in:)``. The composition ends
    /// first. A move by a page scrolls as far.
    func move(_ move: EditCommand.Move) {
        endComposition()
        store.breakUndoCoalescing()
        guard let selection else { return }
        let geometry = geometry
        if move.destination == .page {
            let lines = Double(move.direction == .up ? -geometry.linesPerPage : geometry.linesPerPage)
            scroll(by: lines * lineStep)
        }
        select(selection.moved(move.direction, move.destination, extending: move.isExtending, in: geometry))
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
