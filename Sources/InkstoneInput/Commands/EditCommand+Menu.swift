/// Commands for menus, and for other displays beside the text.
extension EditCommand {
    /// Opens the context menu of the focused view, at the caret.
    public static let showContextMenu = EditCommand("showContextMenuForSelection")
    /// Begins or ends magnifying the surroundings of the caret.
    public static let toggleLoupe = EditCommand("toggleLoupe")
}
