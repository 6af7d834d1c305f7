import Inkstone

/// The caret of a field of one line: the usual one with the keys, none without them. The outline of the field says where keys go.
final class FieldCursorView: TextCursorView {
    private let standard = StandardTextCursorView()

    func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        cursor.isActive || cursor.isDropTarget ? standard.shape(of: cursor, in: theme) : []
    }
}
