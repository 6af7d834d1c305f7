import InkstoneView

/// The caret of a field of one line: the standard caret with focus, hidden without focus. The outline of the field
/// shows the focus.
package final class FieldCursorView: TextCursorView {
    private let standard = StandardTextCursorView()

    package init() {}

    package func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        cursor.isActive || cursor.isDropTarget ? standard.shape(of: cursor, in: theme) : []
    }
}
