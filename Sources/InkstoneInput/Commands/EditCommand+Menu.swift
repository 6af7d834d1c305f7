/// Menus.
extension EditCommand {
    /// Opens the menu of what has the focus, at the caret.
    public static let showContextMenu = EditCommand("showContextMenuForSelection")
}
