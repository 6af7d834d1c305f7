import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Typing over what stands behind the caret.
extension EditorView {
    /// A caret of a view that is overwriting: a line below what the next letter replaces.
    func overwritingCaret(at offset: UTF16Offset) -> ViewRect? {
        guard isOverwriting, markedText == nil else { return nil }
        let next = state.overwritten(by: "x", at: offset)
        guard !next.isEmpty, let first = layout.geometry.selectionRects(for: next, within: visibleDocumentRect).first
        else {
            return nil
        }
        var rect = viewRect(first.rect)
        rect.origin.y = rect.maxY - theme.caretWidth
        rect.size.height = theme.caretWidth
        return rect
    }
}
