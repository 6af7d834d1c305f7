/// What a program does with its documents.
extension EditCommand {
    /// A new document, in a window of its own.
    public static let newDocument = EditCommand("newDocument")
    /// Asks for a file and opens it.
    public static let openDocument = EditCommand("openDocument")
    /// Asks where to print the document, and prints it.
    public static let printDocument = EditCommand("printDocument")
    /// Closes the document and its window, after a question if something would be lost.
    public static let performClose = EditCommand("performClose")
    /// Larger text, until the program says otherwise.
    public static let makeTextLarger = EditCommand("makeTextLarger")
    /// Smaller text.
    public static let makeTextSmaller = EditCommand("makeTextSmaller")
    /// Text as large as it was at first.
    public static let makeTextStandardSize = EditCommand("makeTextStandardSize")
    /// Asks for one of the documents that were opened last, and opens it.
    public static let openRecentDocument = EditCommand("openRecentDocument")
    /// Opens the menu of the program.
    public static let showMenu = EditCommand("showMenu")
    /// The window fills the screen, or does no longer.
    public static let toggleFullScreen = EditCommand("toggleFullScreen")
    /// The keys and what they do.
    public static let showHelp = EditCommand("showHelp")
}
