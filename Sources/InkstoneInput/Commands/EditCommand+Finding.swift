/// Commands for finding text. The program performs them: they go up the responder chain.
extension EditCommand {
    /// Opens the field for the search text.
    public static let find = EditCommand("find")
    /// Opens the fields for the search text and for the replacement.
    public static let findAndReplace = EditCommand("findAndReplace")
    /// Does the same as ``find``, or selects the next match if the search field has the focus already.
    public static let findOrNext = EditCommand("findOrNext")
    /// Selects the next match.
    public static let findNext = EditCommand("findNext")
    /// Selects the previous match.
    public static let findPrevious = EditCommand("findPrevious")
    /// Searches for the text of PRIMARY, which is the latest selection in any program.
    public static let findPrimary = EditCommand("findPrimary")
    /// Asks for a line number to go to.
    public static let goToLine = EditCommand("goToLine")
}
