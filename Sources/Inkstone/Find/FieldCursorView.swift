import InkstoneView

/// The caret of a field of one line: the standard caret, hidden while the field does not have the focus, which the
/// field's outline shows.
package final class FieldCursorView: TextCursorView {
    private let standard = StandardTextCursorView()

    package init() {}

    package func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        cursor.isActive || cursor.isDropTarget ? standard.shape(of: cursor, in: theme) : []
    }
}
