import Inkstone

/// The caret of a field of one line: the standard caret with focus, hidden without focus. The outline of the field
/// shows the focus.
final class FieldCursorView: TextCursorView {
    private let standard = StandardTextCursorView()

    func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        cursor.isActive || cursor.isDropTarget ? standard.shape(of: cursor, in: theme) : []
    }
}
