/// Menus, and what else a view's window shows beside its text.
extension EditCommand {
    /// Opens the menu of what has the focus, at the caret.
    public static let showContextMenu = EditCommand("showContextMenuForSelection")
    /// Shows what lies around the caret magnified from now on, or ends that.
    public static let toggleLoupe = EditCommand("toggleLoupe")
}
