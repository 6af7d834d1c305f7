/// Commands for menus, and for other displays beside the text.
extension EditCommand {
    /// Opens the context menu of the focused view, at the caret.
    public static let showContextMenu = EditCommand("showContextMenuForSelection")
    /// Shows or hides the loupe, which magnifies the text around the caret.
    public static let toggleLoupe = EditCommand("toggleLoupe")
    /// Opens the link at the caret.
    public static let openLink = EditCommand("openLink")
}
