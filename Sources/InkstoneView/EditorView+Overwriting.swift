import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Typing over what stands behind the caret.
extension EditorView {
    /// What a text replaces that is typed at an offset: as many clusters as it has itself, but nothing beyond the paragraph; a
    /// text with a newline replaces nothing. Empty unless the view ``isOverwriting``.
    func overwritten(by text: String, at offset: UTF16Offset) -> Range<UTF16Offset> {
        var end = offset
        if isOverwriting, !text.contains(where: \.isNewline) {
            let limit = layout.paragraphEnd(CaretPlace(offset)).offset
            for _ in text where end < limit { end = store.text.graphemeBoundary(after: end) }
            end = max(offset, min(end, limit))
        }
        return offset..<end
    }

    func overwritingDidChange() {
        store.breakUndoCoalescing()
        damageCaret()
        host?.editorViewSelectionDidChange(self)
    }

    /// A caret of a view that is overwriting: a line below what the next letter replaces.
    func overwritingCaret(at offset: UTF16Offset) -> ViewRect? {
        guard isOverwriting, markedText == nil else { return nil }
        let next = overwritten(by: "x", at: offset)
        guard !next.isEmpty, let first = layout.selectionRects(for: next, within: visibleDocumentRect).first else {
            return nil
        }
        var rect = viewRect(first.rect)
        rect.origin.y = rect.maxY - theme.caretWidth
        rect.size.height = theme.caretWidth
        return rect
    }
}
