/// Commands of a program for its documents.
extension EditCommand {
    /// Opens a new document, in a window of its own.
    public static let newDocument = EditCommand("newDocument")
    /// Asks for a file and opens it.
    public static let openDocument = EditCommand("openDocument")
    /// Asks for a printer or file and prints the document.
    public static let printDocument = EditCommand("printDocument")
    /// Closes the document and its window, after a question if unsaved changes would be lost.
    public static let performClose = EditCommand("performClose")
    /// Enlarges the text by one step.
    public static let makeTextLarger = EditCommand("makeTextLarger")
    /// Shrinks the text by one step.
    public static let makeTextSmaller = EditCommand("makeTextSmaller")
    /// Restores the initial size of the text.
    public static let makeTextStandardSize = EditCommand("makeTextStandardSize")
    /// Asks for one of the recently opened documents, and opens it.
    public static let openRecentDocument = EditCommand("openRecentDocument")
    /// Opens the menu of the program.
    public static let showMenu = EditCommand("showMenu")
    /// Makes the window fill the screen, or restores its size.
    public static let toggleFullScreen = EditCommand("toggleFullScreen")
    /// Shows the key bindings.
    public static let showHelp = EditCommand("showHelp")
}
